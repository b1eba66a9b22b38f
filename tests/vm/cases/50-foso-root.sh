# SPDX-License-Identifier: Apache-2.0
# foso run as root on cgroup version 2: from the root of the tree, and from a service's cgroup
# shellcheck shell=dash
# timeout: 120
. /vm/lib.sh

if [ ! -x "$FOSO_BIN/foso-monitor" ]; then
	skip 'foso run' 'not built'
	done_testing
	exit
fi

try() {
	is "$1: a command runs" "$($2 foso run -- echo hello 2>&1)" hello
	is "$1: it sees no cgroup above the sandbox's" \
		"$($2 foso run -- cat /proc/self/cgroup 2>&1)" 0::/work
	# shellcheck disable=SC2016 # expanded inside
	$2 foso run --limit pids=20 --limit wall=20s -- sh -c \
		'i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; wait' >/tmp/out 2>&1
	is "$1: pids ends it" "$?" 124
	ok "$1: and says so" "$(grep -q 'limits.pids' /tmp/out; echo $?)"
	cat /tmp/out
	$2 foso run --limit memory=32MiB --limit wall=20s -- sh -c \
		'x=x; while :; do x=$x$x; done' >/tmp/out 2>&1
	is "$1: memory ends it" "$?" 124
	ok "$1: and says so" "$(grep -q 'limits.memory' /tmp/out; echo $?)"
	cat /tmp/out
	$2 foso run --limit cpu_time=1s --limit wall=30s -- sh -c 'while :; do :; done' >/tmp/out 2>&1
	is "$1: cpu_time ends it" "$?" 124
	ok "$1: and says so" "$(grep -q 'limits.cpu_time' /tmp/out; echo $?)"
	cat /tmp/out
	is "$1: no group is left" "$(find $cgroup -name 'foso-*' ! -name foso-self)" ''
}

try 'top' ''
cgroup_make system.slice/agent.service
try 'in a service' 'in_cgroup system.slice/agent.service'
cgroup_empty system.slice
done_testing
