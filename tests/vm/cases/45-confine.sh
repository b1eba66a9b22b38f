# SPDX-License-Identifier: Apache-2.0
# what a process gives up, on another kernel: Landlock without scopes, a core dump handler
# shellcheck shell=dash
# boot: confine
# timeout: 90
. /vm/lib.sh

export FOSO_TEST_CGROUP=v2
for test in seccomp_filter seccomp_listener landlock capabilities fds confine core_handler; do
	tap "$test" "${test}_test"
done
for test in landlock fds; do
	tap "user: $test" as_user "${test}_test"
done
