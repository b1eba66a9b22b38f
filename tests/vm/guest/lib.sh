# SPDX-License-Identifier: Apache-2.0
# lib.sh - for the cases: TAP, users and cgroups; source it with ". /vm/lib.sh"
# shellcheck shell=dash

n_tests=0

# ok NAME STATUS - one test that passed if STATUS is 0
ok() {
	n_tests=$((n_tests + 1))
	if [ "$2" = 0 ]; then
		echo "ok $n_tests - $1"
	else
		echo "not ok $n_tests - $1"
	fi
}

# is NAME ACTUAL EXPECTED - one test that passed if both are the same text
is() {
	if [ "$2" = "$3" ]; then
		ok "$1" 0
	else
		echo "# '$2', expected '$3'"
		ok "$1" 1
	fi
}

skip() {
	n_tests=$((n_tests + 1))
	echo "ok $n_tests - $1 # SKIP $2"
}

# done_testing - the plan; last line of a case that used the three above
done_testing() {
	echo "1..$n_tests"
}

# tap NAME COMMAND... - a program that prints TAP of its own
tap() {
	name=$1
	shift
	echo "@begin $name"
	"$@"
	echo "@end $name $?"
}

# as_user COMMAND... - as uid 1000, with the environment of a login
as_user() {
	env -i PATH="$PATH" HOME=/home/user USER=user XDG_RUNTIME_DIR=/run/user/1000 \
		FOSO_BIN="$FOSO_BIN" FOSO_TEST_CGROUP="${FOSO_TEST_CGROUP-}" \
		su -c 'exec "$0" "$@"' -- user "$@"
}

cgroup=/sys/fs/cgroup

# cgroup_make PATH - a cgroup, with all controllers enabled down to it
cgroup_make() {
	here=$cgroup
	for part in $(echo "$1" | tr / ' '); do
		echo '+memory +pids +cpu +io' >"$here/cgroup.subtree_control"
		here=$here/$part
		mkdir -p "$here"
	done
}

# cgroup_delegate PATH - what systemd does for Delegate=yes and User=
cgroup_delegate() {
	chown 1000:1000 "$cgroup/$1"
	for file in cgroup.procs cgroup.threads cgroup.subtree_control memory.oom.group; do
		chown 1000:1000 "$cgroup/$1/$file"
	done
	setxattr "$cgroup/$1" user.delegate 1
}

# in_cgroup PATH COMMAND... - in that cgroup
in_cgroup() {
	(
		# shellcheck disable=SC2016 # the inner shell tells the pid of this one
		sh -c 'echo $PPID' >"$cgroup/$1/cgroup.procs"
		shift
		"$@"
	)
}

# cgroup_empty PATH - moves what is left in it and removes it and all below it
cgroup_empty() {
	find "$cgroup/$1" -name cgroup.procs | while read -r file; do
		while read -r pid; do
			echo "$pid" >"$cgroup/cgroup.procs"
		done <"$file"
	done 2>/dev/null
	find "$cgroup/$1" -depth -type d -exec rmdir {} \;
}
