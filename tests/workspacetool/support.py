# SPDX-License-Identifier: Apache-2.0
"""support - a folder, change sets of it, foso diff and commit on them; what the tests share

A test script calls run(globals()) and is started as SCRIPT MAKE_SET BIN [KILL_AT].  Its functions
test_* get a Case, in a temporary folder of its own with a store of its own.
"""
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import traceback

TIMEOUT = 120
ORDINARY_UID = 12346


class Skip(Exception):
    """The test cannot be run here; the words are the reason."""


class Failed(Exception):
    """A check did not hold."""


def memory():
    """A folder in memory, where hundreds of commits need not wait for a disk; or None."""
    try:
        with tempfile.TemporaryDirectory(dir='/dev/shm') as folder:
            os.setxattr(folder, 'user.overlay.test', b'y')
        return '/dev/shm'
    except OSError:
        return None


def check(condition, *words):
    if not condition:
        raise Failed(' '.join(str(word) for word in words))


def equal(actual, expected, what=''):
    check(actual == expected, what, 'is', repr(actual)[:1500], 'expected', repr(expected)[:1500])


def snapshot(folder):
    """Everything below, never followed: {path: (type, mode, content or target, names, attributes,
    inode)}; all in bytes."""
    tree = {}
    top = os.fsencode(folder)
    for path, folders, files in os.walk(top):
        for name in folders + files:
            full = os.path.join(path, name)
            status = os.lstat(full)
            kind = stat.S_IFMT(status.st_mode)
            content = b''
            if stat.S_ISREG(status.st_mode) and status.st_size < 1 << 20:
                with open(full, 'rb') as file:
                    content = file.read()
            elif stat.S_ISREG(status.st_mode):
                content = status.st_size
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(full)
            names = 0 if stat.S_ISDIR(status.st_mode) else status.st_nlink
            attributes = sorted((key, os.getxattr(full, key, follow_symlinks=False))
                                for key in os.listxattr(full, follow_symlinks=False)
                                if key.startswith('user.'))
            tree[os.path.relpath(full, top)] = (kind, stat.S_IMODE(status.st_mode), content,
                                                names, attributes, status.st_ino)
    return tree


def without_inodes(tree):
    return {path: node[:5] for path, node in tree.items()}


class Case:
    def __init__(self, make_set, binaries, kill_at, is_ordinary=False, place=None):
        self.make_set, self.binaries, self.kill_at = make_set, binaries, kill_at
        self.is_ordinary = is_ordinary
        self.top = tempfile.mkdtemp(prefix='foso-workspace-', dir=place)
        os.chmod(self.top, 0o755)
        self.folder = os.path.join(self.top, 'w')
        os.mkdir(self.folder)
        self.env = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL': 'C', 'HOME': self.top,
                    'FOSO_WORKSPACES': os.path.join(self.top, 'data')}
        if is_ordinary:
            self.binaries = os.path.join(self.top, 'bin')
            os.mkdir(self.binaries)
            for name in ('foso', 'foso-workspace', 'foso-content'):
                shutil.copy(os.path.join(binaries, name), self.binaries)
            self.make_set = shutil.copy(make_set, self.binaries)
            if kill_at:
                self.kill_at = shutil.copy(kill_at, self.binaries)
            for path in (self.top, self.folder):
                os.chown(path, ORDINARY_UID, ORDINARY_UID)

    def close(self):
        subprocess.run(['rm', '-rf', self.top], check=False)

    def user(self):
        if not self.is_ordinary:
            return {}
        return {'user': ORDINARY_UID, 'group': ORDINARY_UID, 'extra_groups': []}

    def host(self, script):
        """Something done on the host, in the folder."""
        subprocess.run(['sh', '-ec', script], cwd=self.folder, env=self.env, check=True,
                       timeout=TIMEOUT, **self.user())

    def sandbox(self, script, name='r1', *options):
        """A change set: what the script does in an overlay of the folder."""
        done = subprocess.run([self.make_set, self.folder, name, *options, 'set -e\n' + script],
                              env=self.env, timeout=TIMEOUT, check=False, text=True,
                              stderr=subprocess.PIPE, **self.user())
        if done.returncode != 0 and 'overlay' in done.stderr:
            raise Skip('no overlay can be mounted here: ' + done.stderr.strip())
        check(done.returncode == 0, 'make_set:', done.stderr)

    def foso(self, *words, status=0, before=(), cwd=None):
        """Output of foso WORDS, which exits with status; text of stdout and stderr."""
        done = subprocess.run([*before, os.path.join(self.binaries, 'foso'), *words],
                              cwd=cwd or self.folder, env=self.env, timeout=TIMEOUT, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, **self.user())
        out = done.stdout.decode('utf-8', 'surrogateescape')
        err = done.stderr.decode('utf-8', 'surrogateescape')
        if status is not None:
            check(done.returncode == status, 'foso', *words, 'exits with', done.returncode, out,
                  err)
        self.status = done.returncode
        return out + err

    def entries(self, *words):
        """{path: entry} of foso diff --json."""
        report = json.loads(self.foso('diff', '--json', *words))
        return {entry['path']: entry for entry in report['entries']}

    def tree(self):
        return snapshot(self.folder)


def run(names):
    make_set, binaries, *rest = [os.path.abspath(path) for path in sys.argv[1:]]
    tests = [(name, function) for name, function in names.items() if name.startswith('test_')]
    failures = 0
    print(f'1..{len(tests)}')
    for number, (name, function) in enumerate(tests, 1):
        words = (function.__doc__ or name).strip().splitlines()[0]
        case = None
        try:
            case = Case(make_set, binaries, rest[0] if rest else None,
                        is_ordinary=name.startswith('test_ordinary'),
                        place=memory() if names.get('IN_MEMORY') else None)
            function(case)
            print(f'ok {number} - {words}')
        except Skip as skip:
            print(f'ok {number} - {words} # SKIP {skip}')
        except Exception as error:  # pylint: disable=broad-except
            failures += 1
            print(f'not ok {number} - {words}')
            if not isinstance(error, Failed):
                traceback.print_exc(file=sys.stdout)
            for line in str(error).splitlines():
                print('#', line)
        finally:
            if case:
                case.close()
        sys.stdout.flush()
    sys.exit(1 if failures else 0)
