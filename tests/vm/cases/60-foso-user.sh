# SPDX-License-Identifier: Apache-2.0
# foso run as an ordinary user: in a delegated cgroup the limits are the kernel's, without one not
# shellcheck shell=dash
# shellcheck disable=SC2086 # $delegated and $undelegated are several words
# timeout: 120
. /vm/lib.sh

if [ ! -x "$FOSO_BIN/foso-monitor" ]; then
	skip 'foso run' 'not built'
	done_testing
	exit
fi

# ends_by NAME WORD FIELD COMMAND... - exit status 124 and the line that says why
ends_by() {
	name=$1 word=$2 field=$3
	shift 3
	"$@" >/tmp/out 2>&1
	is "$name ends it" "$?" 124
	is "$name: and says so" "$(tail -n 1 /tmp/out)" \
		"foso: $word: the command was ended, $field was reached"
}

# shellcheck disable=SC2016 # these are expanded inside
forks='i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; wait'
# shellcheck disable=SC2016
grows='x=x; while :; do x=$x$x; done'
# Six that hold 8 MiB each: none is over 32 MiB, all of them are.
# shellcheck disable=SC2016
grow='x=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do x=$x$x; done
sleep 10'

# holds_session NAME COMMAND... - many commands in one sandbox of libfoso: files stay, and what a
# command leaves in the background goes with it alone, whether groups or foso-init tell which that is
holds_session() {
	name=$1
	shift
	# shellcheck disable=SC2016
	is "$name" "$("$@" session "$FOSO_BIN" host 'echo kept >/tmp/f; sleep 100 & echo one' \
		'cat /tmp/f; cat /proc/[0-9]*/comm | grep -c sleep' \
		'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; echo three' 2>&1 | tr '\n' ' ')" \
		'one kept 0 three '
}

slice=user.slice/user-1000.slice
cgroup_make $slice/run-1.scope
cgroup_delegate $slice/run-1.scope
delegated="in_cgroup $slice/run-1.scope as_user"
is 'delegated: a command runs' "$($delegated foso run -- echo hello 2>&1)" hello
delegated="in_cgroup $slice/run-1.scope/foso-self as_user"
is "delegated: it sees no cgroup above the sandbox's" \
	"$($delegated foso run -- cat /proc/self/cgroup 2>&1)" 0::/work
is 'delegated: strict is met' "$($delegated foso run --limit strict=true -- echo hello 2>&1)" hello
ends_by 'delegated: pids' pids limits.pids \
	$delegated foso run --limit pids=20 --limit wall=20s -- sh -c "$forks"
ends_by 'delegated: memory' memory limits.memory \
	$delegated foso run --limit memory=32MiB --limit wall=20s -- sh -c "$grows"
ends_by 'delegated: cpu_time' cpu limits.cpu_time \
	$delegated foso run --limit cpu_time=1s --limit wall=30s -- sh -c 'while :; do :; done'
holds_session 'delegated: a session' $delegated
is 'delegated: no group is left' "$(cd $cgroup/$slice/run-1.scope && echo */)" foso-self/

cgroup_make $slice/session-2.scope
undelegated="in_cgroup $slice/session-2.scope as_user"
is 'undelegated: a command runs' "$($undelegated foso run -- echo hello 2>&1)" hello
$undelegated foso run --limit strict=true -- echo hello >/tmp/out 2>&1
is 'undelegated: strict is refused' "$?" 125
for field in pids memory cpus; do
	ok "undelegated: and limits.$field is named" "$(grep -q "limits.$field:" /tmp/out; echo $?)"
done
ok 'undelegated: and the remedy' "$(grep -q 'Delegate=yes' /tmp/out; echo $?)"
sed 's/^/# /' /tmp/out

# The kernel refuses the process, and what the command makes of it is its own end.
$undelegated foso run --limit pids=20 --limit wall=20s -- sh -c "$forks" >/tmp/out 2>&1
is 'undelegated: pids is held' "$? $(cat /tmp/out)" \
	"2 sh: can't fork: Resource temporarily unavailable"
ends_by 'undelegated: memory of one process' memory limits.memory \
	$undelegated foso run --limit memory=32MiB --limit wall=20s -- sh -c "$grows"
ends_by 'undelegated: memory of the tree' memory limits.memory \
	$undelegated foso run --limit memory=32MiB --limit wall=20s -- sh -c \
	"for i in 1 2 3 4 5 6; do sh -c '$grow' & done; wait"
ends_by 'undelegated: cpu_time' cpu limits.cpu_time \
	$undelegated foso run --limit cpu_time=1s --limit wall=30s -- sh -c 'while :; do :; done'
holds_session 'undelegated: a session' $undelegated
is 'undelegated: nothing was made' "$(find $cgroup/$slice/session-2.scope -mindepth 1)" \
	"$(find $cgroup/$slice/session-2.scope -mindepth 1 -type f)"
cgroup_empty user.slice
done_testing
