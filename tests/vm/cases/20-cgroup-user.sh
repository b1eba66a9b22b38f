# SPDX-License-Identifier: Apache-2.0
# cgroup version 2 as an ordinary user: in a delegated cgroup, and in one that is not
# shellcheck shell=dash
# boot: v2
# timeout: 120
. /vm/lib.sh

slice=user.slice/user-1000.slice
cgroup_make $slice/run-1.scope
cgroup_delegate $slice/run-1.scope
export FOSO_TEST_CGROUP=v2
cd /disk || exit
tap 'delegated: cgroup_test' in_cgroup $slice/run-1.scope as_user cgroup_test
# By now the scope is divided; a process that was in it is in the leaf.
for test in cgroup_limit_test cgroup_kill_test cgroup_v2_test; do
	tap "delegated: $test" in_cgroup $slice/run-1.scope/foso-self as_user $test
done
is 'nothing but the leaf for the caller is left' "$(cd $cgroup/$slice/run-1.scope && echo */)" \
	foso-self/

# Several at once in a scope that is still undivided: all want to be the one who divides it.
cgroup_make $slice/run-2.scope
cgroup_delegate $slice/run-2.scope
# shellcheck disable=SC2016 # expanded by the inner shell
in_cgroup $slice/run-2.scope as_user sh -c '
	for i in 1 2 3 4 5 6; do
		cgroup_test >/tmp/parallel-$i 2>&1 &
	done
	wait'
cat /tmp/parallel-* | grep '^not ok\|^# ' | grep -v '^# creation needs'
is 'six starts at once all divide or find divided' "$(cat /tmp/parallel-* | grep -c '^ok')" 72

cgroup_make $slice/session-2.scope
export FOSO_TEST_CGROUP=none
tap 'undelegated: cgroup_test' in_cgroup $slice/session-2.scope as_user cgroup_test
is 'nothing was made' "$(find $cgroup/$slice/session-2.scope -mindepth 1 -type d)" ''
cgroup_empty user.slice
ok 'all of it can be removed' "$([ ! -e $cgroup/user.slice ]; echo $?)"
done_testing
