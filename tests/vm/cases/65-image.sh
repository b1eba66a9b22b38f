# SPDX-License-Identifier: Apache-2.0
# root: image on the oldest kernel that is tested, as root and as an ordinary user
# shellcheck shell=dash
# boot: disks
# timeout: 150
. /vm/lib.sh

# layers FOLDER - two that a test can tell apart, and 125 more; few processes, as each takes long here
layers() {
	cd "$1" || exit
	mkdir -p low/bin low/d/sub low/old high/d $(seq 0 124)
	cp /bin/busybox low/bin/busybox
	for applet in sh cat ls mkdir rm stat mv; do
		ln -s busybox low/bin/$applet
	done
	echo low >low/d/same
	echo x >low/d/gone
	echo x >low/d/sub/f
	echo high >high/d/same
	mknod high/d/gone c 0 0
	i=0
	while [ $i -lt 125 ]; do
		echo $i >$i/last
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
make_image vm low high \$(seq 0 124) >/dev/null
foso run --quiet --evidence "\$1/evidence" --limit disk=16MiB --limit disk_inodes=1000 \
	--root image:vm -- /bin/sh -c '$script' 2>&1
foso run --quiet --evidence "\$1/evidence" --result "\$1/record" --limit disk=16MiB \
	--limit disk_inodes=1000 --root image:vm -- \
	/bin/sh -c 'rm -r /d && mkdir /d && ls -d /d /tmp /run' 2>/dev/null ||
	grep -o 'memory keeps no attributes' "\$1/record"
END

expected='high
same
sub
124
0:0
new
/moved
end'
# A disk of its own on a kernel whose memory is not good enough; rootless there is none.
removed='/d
/run
/tmp'
said=$removed
case $(uname -r) in
5.* | 6.[0-5].*) said='memory keeps no attributes' ;;
esac

mkdir -p /disk/root-images
layers /disk/root-images
is 'as root: layers, owners, changes of 127 layers' "$(sh /tmp/image-test /disk/root-images)" \
	"$expected
$removed"
is 'no loop device is left' "$(cat /sys/block/loop*/loop/backing_file 2>/dev/null)" ''
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
	"$expected
$said"
rm -rf /disk/root-images /disk/user-images
done_testing
