#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# An agent that runs "rm -rf /" and "rm -rf /workspace": nothing on the host changes.
#
#   examples/workspace/agent.sh FOLDER
set -eu

foso=${FOSO:-foso}
folder=${1:?usage: agent.sh FOLDER}

before=$(cd "$folder" && find . -type f -exec sha256sum {} + | sort)
# shellcheck disable=SC2016 # this is expanded inside
"$foso" run --workspace "$folder:overlay" -- sh -c '
	rm -rf --no-preserve-root / 2>/dev/null
	rm -rf /workspace /workspace/* /workspace/.[!.]* 2>/dev/null
	echo "left in the workspace: $(ls -A /workspace | wc -l)"' || true
after=$(cd "$folder" && find . -type f -exec sha256sum {} + | sort)

if [ "$before" = "$after" ]; then
	echo "the host's folder is as it was"
else
	echo "the host's folder was changed" >&2
	exit 1
fi
(cd "$folder" && "$foso" diff --stat && "$foso" discard) || true
