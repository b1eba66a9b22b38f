# SPDX-License-Identifier: Apache-2.0
# a workspace on the oldest kernel that is tested: overlay, hidden files, change sets
# shellcheck shell=dash
# boot: disks
# timeout: 150
. /vm/lib.sh

cat >/tmp/workspace-test <<'END'
set -e
cd "$1"
FOSO_WORKSPACES=$1/workspaces
export FOSO_WORKSPACES
mkdir -p root/bin project/sub project/.aws
cp /bin/busybox root/bin/busybox
for applet in sh cat ls mkdir rm stat mv ln dd head wc true; do
	ln -s busybox root/bin/$applet
done
echo plain >project/plain
echo secret >project/.env
echo secret >project/.aws/credentials
ln project/.env project/sub/other
before=$(ls -lR project)
for access in ro rw overlay; do
	foso run --quiet --evidence "$1/evidence" --root "dir:$1/root" -w "$1/project:$access" -- \
		/bin/sh -c 'cat plain .env sub/other; ls .aws' 2>&1
done
foso run --quiet --evidence "$1/evidence" --result "$1/record" --root "dir:$1/root" \
	--limit disk=4MiB --limit disk_inodes=100 -w "$1/project:overlay" -- /bin/sh -c '
	echo new >plain; rm -r sub; mkdir made; mv plain made/moved; cat made/moved
	stat -c %u made/moved
	dd if=/dev/zero of=full bs=4096 count=4096 2>/dev/null' 2>&1 || true
# A watchdog may have ended the command: what was written is what counts.
[ "$(du -sk workspaces 2>/dev/null | cut -f1)" -le 9000 ] && echo bounded
[ "$before" = "$(ls -lR project)" ] && echo "the host is as it was"
grep -o '"kept":true' record
ls workspaces | grep -cv 'lock\|templates'
END

expected='plain
plain
plain
new
0
bounded
the host is as it was
"kept":true
1'

mkdir -p /disk/root-workspace /disk/user-workspace
chmod 755 /disk /tmp/workspace-test
chown 1000:1000 /disk/user-workspace
is 'root: a workspace keeps its changes and its secrets' \
	"$(sh /tmp/workspace-test /disk/root-workspace 2>&1)" "$expected"
is 'rootless: a workspace keeps its changes and its secrets' \
	"$(as_user sh /tmp/workspace-test /disk/user-workspace 2>&1)" "$expected"
rm -rf /disk/root-workspace /disk/user-workspace
done_testing
