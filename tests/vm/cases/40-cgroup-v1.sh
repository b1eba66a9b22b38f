# SPDX-License-Identifier: Apache-2.0
# cgroup version 1 as older systemd mounts it: cpu,cpuacct together, an empty version 2 beside it
# shellcheck shell=dash
# boot: v1
# timeout: 120
. /vm/lib.sh

export FOSO_TEST_CGROUP=v1
cd /disk || exit
for test in cgroup_test cgroup_limit_test cgroup_kill_test; do
	tap $test $test
done
find $cgroup -name 'foso-*' >/tmp/left
ok 'no group of a sandbox is left' "$([ ! -s /tmp/left ]; echo $?)"
cat /tmp/left

# A caller in a group of its own gets its sandboxes below it, so its limits are theirs too.
for controller in memory pids cpu,cpuacct freezer blkio; do
	mkdir $cgroup/$controller/job
	sh -c 'echo $PPID' >$cgroup/$controller/job/cgroup.procs
done
echo 60 >$cgroup/pids/job/pids.max
tap 'in a group: cgroup_test' cgroup_test
tap 'in a group: cgroup_kill_test' cgroup_kill_test
find $cgroup -name 'foso-*' >/tmp/left
ok 'no group of a sandbox is left in a group' "$([ ! -s /tmp/left ]; echo $?)"

# An ordinary user owns no group of version 1.
export FOSO_TEST_CGROUP=none
tap 'user: cgroup_test' as_user cgroup_test
done_testing
