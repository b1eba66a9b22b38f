# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# lib.sh - TAP for the shell tests of the command line; sourced, with BIN as $1 of the test
#
# After it, foso and its programs are first in $PATH, and the test stands in an empty folder that
# is removed at its end.  Set RUNS=1 in front of it if the test starts sandboxes: it is then
# skipped as a whole where foso doctor says that none runs.
number=0
BIN=$1
PATH=$BIN:$PATH
folder=$(mktemp -d)
chmod 755 "$folder"
trap 'rm -r "$folder"' EXIT
cd "$folder" || exit 1

# check NAME STATUS: "report" in the folder is shown if STATUS is not 0.
check() {
	number=$((number + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $number - $1"
	else
		[ ! -e report ] || sed 's/^/#   /' report
		echo "not ok $number - $1"
	fi
}

# is NAME ACTUAL EXPECTED
is() {
	printf 'expected %s\nactual   %s\n' "$3" "$2" >report
	[ "$2" = "$3" ]
	check "$1" $?
}

skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

finish() {
	echo "1..$number"
	exit 0
}

# A run that leaves no evidence and says nothing of its end.
quiet_run() {
	foso run --quiet --set evidence=off "$@"
}

# json FILE EXPRESSION: what the Python expression over r makes of it.
json() {
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
		"$1" "$2"
}

# until_true COMMAND...: tries for at most 10 s; bounded waiting for what another process does.
until_true() {
	tries=0
	while [ $tries -lt 200 ]; do
		"$@" && return 0
		tries=$((tries + 1))
		sleep 0.05
	done
	return 1
}

if [ "${RUNS-}" = 1 ] && ! foso doctor --level process >report 2>&1; then
	echo "1..0 # SKIP no sandbox runs on this host: $(grep -A1 'does not work' report | tail -1)"
	exit 0
fi
