# SPDX-License-Identifier: Apache-2.0
# root: image on the oldest kernel that is tested, as root and as an ordinary user
# shellcheck shell=dash
# boot: foso
# timeout: 150
. /vm/lib.sh

# layers FOLDER - two that a test can tell apart, and 125 more
layers() {
	mkdir -p "$1/low/bin" "$1/low/d/sub" "$1/low/old" "$1/high/d"
	cp /bin/busybox "$1/low/bin/busybox"
	for applet in sh cat id ls mkdir rm stat touch rmdir mv true; do
		ln -s busybox "$1/low/bin/$applet"
	done
	echo low >"$1/low/d/same"
	echo x >"$1/low/d/gone"
	echo x >"$1/low/d/sub/f"
	echo high >"$1/high/d/same"
	mknod "$1/high/d/gone" c 0 0
	i=0
	while [ $i -lt 125 ]; do
		mkdir "$1/more-$i"
		echo $i >"$1/more-$i/last"
		i=$((i + 1))
	done
}

script='cat /d/same; ls /d; cat /last; stat -c %u:%g /d/same; echo new >/d/same; cat /d/same
rm /last && ls /last 2>/dev/null; mv /old /moved && ls -d /moved
echo end'

cat >/tmp/image-test <<END
set -e
cd "\$1"
FOSO_IMAGES=\$1/images
export FOSO_IMAGES
make_image vm low high \$(i=0; while [ \$i -lt 125 ]; do echo more-\$i; i=\$((i + 1)); done) >/dev/null
foso run --quiet --evidence "\$1/evidence" --root image:vm -- /bin/sh -c '$script' 2>&1
foso run --quiet --evidence "\$1/evidence" --result "\$1/record" --root image:vm -- \
	/bin/sh -c 'rm -r /d && mkdir /d && ls /d' >/dev/null 2>&1 || grep -q 'memory keeps no attributes' "\$1/record" &&
	echo removed or said
END

expected='high
same
sub
124
0:0
new
/moved
end
removed or said'

mkdir -p /disk/root-images
layers /disk/root-images
is 'as root: layers, owners, changes of 127 layers' "$(sh /tmp/image-test /disk/root-images)" \
	"$expected"
is 'the layer is as it was' "$(cat /disk/root-images/images/layers/*/fs/d/same | sort -u)" \
	"$(printf 'high\nlow')"

mkdir -p /disk/user-images
chown 1000:1000 /disk/user-images
chmod 755 /disk /tmp/image-test
cat >/tmp/layers-test <<END
. /vm/lib.sh
$(sed -n '/^layers()/,/^}/p' "$0")
layers /disk/user-images
END
as_user sh /tmp/layers-test
is 'as a user: layers, changes of 127 layers' "$(as_user sh /tmp/image-test /disk/user-images)" \
	"$expected"
rm -rf /disk/root-images /disk/user-images
done_testing
