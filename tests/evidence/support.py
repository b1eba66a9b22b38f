# SPDX-License-Identifier: Apache-2.0
"""support - what the tests of evidence share: TAP, a scratch folder, the programs beside each other"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 60


class Tap:
    def __init__(self):
        self.number = self.n_failed = 0

    def ok(self, is_good, name, *details):
        self.number += 1
        self.n_failed += not is_good
        if not is_good:
            for detail in details:
                print(f'#   {detail!r}'.replace('\n', '\\n'))
        print(f'{"ok" if is_good else "not ok"} {self.number} - {name}'.replace('#', ''))
        sys.stdout.flush()

    def equal(self, actual, expected, name):
        self.ok(actual == expected, name, f'expected {expected}', f'actual   {actual}')

    def done(self):
        print(f'1..{self.number}')
        sys.exit(1 if self.n_failed else 0)


class Workshop:
    """A folder with write_log and foso-evidence in it, since the one looks for the other there."""

    def __init__(self, write_log, binaries):
        self._folder = tempfile.TemporaryDirectory(prefix='foso-evidence-')
        self.path = self._folder.name
        self.write_log = shutil.copy(write_log, self.path)
        self.tool = shutil.copy(os.path.join(binaries, 'foso-evidence'), self.path)

    def __call__(self, *name):
        return os.path.join(self.path, *name)

    def run(self, *command, **options):
        options.setdefault('stdin', subprocess.DEVNULL if 'input' not in options else None)
        return subprocess.run(command, capture_output=True, check=False, timeout=TIMEOUT_SECONDS,
                              **{k: v for k, v in options.items() if v is not None})

    def evidence(self, *args, **options):
        return self.run(self.tool, *args, **options)

    def make_log(self, name, count, key=None):
        done = self.run(self.write_log, self(name), str(count), *([key] if key else []))
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
        return self(name)

    def make_key(self, name):
        done = self.evidence('keygen', '--out', self(name))
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
        return self(name)

    def verify(self, *args):
        """(exit status, [(kind, seq)], report)"""
        done = self.evidence('verify', '--json', *args)
        if done.returncode not in (0, 1):
            return done.returncode, done.stderr.decode(), None
        report = json.loads(done.stdout)
        problems = [(p['kind'], p.get('seq', 0)) for p in report['problems']]
        return done.returncode, problems, report


def raw_public_key(path):
    """The 32 bytes of a public key in PEM: the end of its DER."""
    import base64
    with open(path, encoding='ascii') as file:
        text = ''.join(line for line in file.read().splitlines() if not line.startswith('-'))
    return base64.b64decode(text)[-32:]
