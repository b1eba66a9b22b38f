# SPDX-License-Identifier: Apache-2.0
# cgroup version 2 as root, as after a boot: the caller is in the root of the tree
# shellcheck shell=dash
# boot: v2
# timeout: 120
. /vm/lib.sh

export FOSO_TEST_CGROUP=v2
cd /disk || exit
for test in cgroup_test cgroup_limit_test cgroup_kill_test cgroup_v2_test; do
	tap "$test" "$test"
done

find $cgroup -name 'foso-*' >/tmp/left
ok 'no group of a sandbox is left' "$([ ! -s /tmp/left ]; echo $?)"
cat /tmp/left
done_testing
