# SPDX-License-Identifier: Apache-2.0
# cgroup version 2 as root in a cgroup that systemd has marked as delegated: foso stays below it
# shellcheck shell=dash
# boot: v2
# timeout: 120
. /vm/lib.sh

cgroup_make system.slice/agent.service
setxattr $cgroup/system.slice/agent.service trusted.delegate 1
export FOSO_TEST_CGROUP=v2
cd /disk || exit
tap cgroup_test in_cgroup system.slice/agent.service cgroup_test
is 'the sandboxes were below it' "$(cd $cgroup/system.slice/agent.service && echo */)" foso-self/

# Without the mark, root has its own folder at the top, and the caller's group is left alone.
cgroup_make system.slice/other.service
tap 'not delegated: cgroup_test' in_cgroup system.slice/other.service cgroup_test
is 'nothing was made there' "$(find $cgroup/system.slice/other.service -mindepth 1 -type d)" ''
cgroup_empty system.slice
done_testing
