# SPDX-License-Identifier: Apache-2.0
# foso killed at once: what it leaves of cgroups is found and removed, on version 2
# shellcheck shell=dash
# shellcheck disable=SC2086 # $run is several words
# timeout: 90
. /vm/lib.sh

if [ ! -x "$FOSO_BIN/foso-monitor" ]; then
	skip 'foso gc' 'not built'
	done_testing
	exit
fi

groups() {
	find "$1" -type d -name 'foso-*' ! -name foso-self
}

# Waits up to 10 s until COMMAND succeeds.
eventually() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		"$@" && return
		sleep 0.5
	done
	return 1
}

is_running() {
	ps | grep -q '[s]leep 4711'
}

is_dead() {
	! is_running
}

# crash NAME FOLDER PREFIX - kills foso and its monitor while a command runs
crash() {
	run=$3
	$run foso run --limit wall=60s -- sleep 4711 >/tmp/out 2>&1 &
	ok "$1: a command runs" "$(eventually is_running; echo $?)"
	ok "$1: in a group" "$(groups "$2" | grep -q .; echo $?)"
	killall -q -KILL foso foso-monitor # this guest is the test's own
	ok "$1: no process outlives foso" "$(eventually is_dead; echo $?)"
	$run foso gc >/tmp/out 2>&1
	is "$1: gc is content" "$?" 0
	is "$1: no group is left" "$(groups "$2")" ''
	sed 's/^/# /' /tmp/out
	is "$1: the next run works" "$($run foso run -- echo hello 2>&1)" hello
}

crash root $cgroup ''
cgroup_make user.slice/run-1.scope
cgroup_delegate user.slice/run-1.scope
in_cgroup user.slice/run-1.scope as_user foso run -- true
crash user $cgroup/user.slice 'in_cgroup user.slice/run-1.scope/foso-self as_user'
cgroup_empty user.slice
done_testing
