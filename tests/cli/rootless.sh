# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# rootless.sh - start the test anew as an ordinary user, if its second argument is "rootless"
#
# Sourced first.  Under an ordinary user nothing happens; for root the test is skipped where that
# user cannot reach the build folder.
if [ "${2-}" = rootless ] && [ "$(id -u)" = 0 ]; then
	as_user="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all"
	# shellcheck disable=SC2086
	if ! $as_user test -x "$1/foso" || ! $as_user test -r "$0"; then
		echo "1..0 # SKIP uid 65534 cannot reach $1"
		exit 0
	fi
	# shellcheck disable=SC2086
	exec env -u XDG_RUNTIME_DIR -u XDG_DATA_HOME HOME=/nonexistent $as_user sh "$0" "$1"
fi
