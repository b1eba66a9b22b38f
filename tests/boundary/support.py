# SPDX-License-Identifier: Apache-2.0
"""support - what the boundary tests share: TAP, foso as root or rootless, looks at the host

A test script calls run(globals()) at its end and is started as SCRIPT BIN MODE.  Its functions
named test_* run in the order in which they stand, each with one argument, the Box.  The first
line of a function's docstring is the claim that the TAP line shows.

MODE is root, or rootless: as an ordinary user, made of nothing but a number, with a home of his
own and a copy of the programs, since the build folder may be closed to him.
"""
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

ROOTLESS_UID = 12345
RUN_SECONDS = 60
PR_SET_DUMPABLE = 4

# Whoever runs the tests may ignore what they send (nohup does), and so would what they start.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)


class Skip(Exception):
    """The test cannot be run here; the words are the reason."""


class Failed(Exception):
    """A check did not hold; the words say what was seen."""


class Result:
    def __init__(self, status, out, err, record, seconds):
        self.status, self.out, self.err = status, out, err
        self.record, self.seconds = record, seconds

    @property
    def end(self):
        return self.record['end'] if self.record else {}

    @property
    def reason(self):
        return self.end.get('reason')

    def __str__(self):
        return (f'status {self.status}, end {self.end}, {self.seconds:.2f} s, '
                f'out {self.out[:300]!r}, err {self.err[:600]!r}')


class Box:
    """foso as one user of this host."""

    def __init__(self, binaries, folder, prepared=None):
        self.binaries, self.folder, self.prepared = binaries, folder, prepared
        self.foso = os.path.join(binaries, 'foso')
        self.act = os.path.join(binaries, 'foso-act')
        self.is_root = os.geteuid() == 0
        self.n_runs = 0
        self.env = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': folder, 'LC_ALL': 'C',
                    'XDG_RUNTIME_DIR': folder, 'XDG_DATA_HOME': folder,
                    'FOSO_WORKSPACES': os.path.join(folder, 'workspaces')}

    def path(self, name):
        return os.path.join(self.folder, name)

    def helper(self, name):
        """A program of this folder, which the build has put beside foso for us or for the user."""
        places = (self.binaries, os.path.join(os.path.dirname(self.binaries), 'tests/boundary'))
        path = next((os.path.join(place, name) for place in places
                     if os.path.exists(os.path.join(place, name))), None)
        if not path:
            raise Skip(f'{name} is not built')
        return path

    def withhold(self, errnum, calls):
        """Words before a program that is to miss these system calls."""
        return [self.helper('withhold'), str(errnum), ','.join(map(str, calls)), '--']

    def words(self, options, command):
        """The command line of one run, and where its record will be."""
        self.n_runs += 1
        record = self.path(f'record-{self.n_runs}.json')
        return [self.foso, 'run', '--result', record, '--evidence', self.path('evidence'),
                *options, '--', *command], record

    def start(self, options, command, before=(), **more):
        """A run that goes on meanwhile: (Popen, path of its record)."""
        words, record = self.words(options, command)
        words = [*before, *words]
        more.setdefault('stdin', subprocess.DEVNULL)
        more.setdefault('stdout', subprocess.PIPE)
        more.setdefault('stderr', subprocess.PIPE)
        more.setdefault('env', self.env)
        return subprocess.Popen(words, **more), record

    def finish(self, started, input_bytes=None, seconds=RUN_SECONDS, since=None):
        process, path = started
        since = since or time.monotonic()
        try:
            out, err = process.communicate(input_bytes, timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f'no end within {seconds} s: {process.args}') from None
        return Result(process.returncode, out, err, read_record(path), time.monotonic() - since)

    def run(self, options, command, input_bytes=None, seconds=RUN_SECONDS, **more):
        if input_bytes is not None:
            more['stdin'] = subprocess.PIPE
        since = time.monotonic()
        return self.finish(self.start(options, command, **more), input_bytes, seconds, since)

    def sh(self, options, script, **more):
        return self.run(options, ['sh', '-c', script], **more)

    def python(self, options, script, **more):
        return self.run(options, ['python3', '-c', script], **more)

    def kill_kept(self, text):
        """Ends what a test with background: keep has left: sandboxes whose command has the text."""
        for item in self.ps():
            if item['state'] == 'background' and text in item['command']:
                self.do('kill', item['id'])

    def do(self, *words, **more):
        """Another command of foso."""
        more.setdefault('env', self.env)
        return subprocess.run([self.foso, *words], stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=RUN_SECONDS, **more)

    def ps(self):
        lines = self.do('ps', '--json').stdout.decode().splitlines()
        return [json.loads(line) for line in lines]

    def ps_of(self, monitor_pid):
        return next((item for item in self.ps() if item.get('monitor_pid') == monitor_pid), None)


def read_record(path):
    try:
        with open(path, encoding='utf-8', errors='surrogateescape') as file:
            return json.load(file)
    except (FileNotFoundError, json.JSONDecodeError):
        return None


def slack():
    """Seconds that a look at the time may be off here and now: the machine does other things."""
    return min(0.3 + 0.1 * os.getloadavg()[0] / (os.cpu_count() or 1), 3.0)


def check(condition, *seen):
    if not condition:
        raise Failed(' '.join(str(item) for item in seen))


def check_equal(actual, expected, *seen):
    check(actual == expected, f'{actual!r} is not {expected!r}:', *seen)


def until(condition, seconds=5.0):
    """Waits for the condition to come true; whether it did."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


# ---- the host ----

def pids():
    return [int(name) for name in os.listdir('/proc') if name.isdigit()]


def read_proc(pid, name):
    try:
        with open(f'/proc/{pid}/{name}', 'rb') as file:
            return file.read()
    except OSError:
        return b''


def pids_with(text):
    """Processes of the host with the text on their command line, ours and foso's left out."""
    found = []
    for pid in pids():
        line = read_proc(pid, 'cmdline')
        if text.encode() in line and pid != os.getpid() and b'\0run\0' not in line:
            found.append(pid)
    return found


def pids_named(name):
    return [pid for pid in pids() if read_proc(pid, 'comm') == name.encode() + b'\n']


def children(pid):
    found = []
    for other in pids():
        fields = read_proc(other, 'stat').rpartition(b')')[2].split()
        if len(fields) > 1 and fields[1] == str(pid).encode():
            found.append(other)
    return found


def state(pid):
    fields = read_proc(pid, 'stat').rpartition(b')')[2].split()
    return fields[0].decode() if fields else ''


def groups_of(sandbox_id):
    """Control groups of a sandbox, in all hierarchies."""
    return [path for path, _, _ in os.walk('/sys/fs/cgroup')
            if os.path.basename(path) == f'foso-{sandbox_id}']


def n_mounts():
    return read_proc('self', 'mountinfo').count(b'\n')


def is_alive(pid):
    return state(pid) not in ('', 'Z', 'X')


# ---- TAP ----

def _report(number, name, outcome):
    kind, words = outcome
    for line in words.splitlines() if kind == 'not ok' else ():
        print(f'# {line}')
    reason = words.replace('\n', ' ').replace('#', '')
    print(f'{"not ok" if kind == "not ok" else "ok"} {number} - {name}'
          f'{" # SKIP " + reason if kind == "skip" else ""}', flush=True)


def _outcome(function, box):
    try:
        function(box)
        return 'ok', ''
    except Skip as reason:
        return 'skip', str(reason)
    except Failed as seen:
        return 'not ok', str(seen)
    except Exception:  # pylint: disable=broad-except
        return 'not ok', traceback.format_exc()


def _become_user(binaries, folder):
    """Copies the programs to where the user can start them, and becomes him for good."""
    own = os.path.join(folder, 'bin')
    os.mkdir(own)
    for place in (binaries, os.path.join(os.path.dirname(binaries), 'tests/boundary')):
        for name in os.listdir(place) if os.path.isdir(place) else ():
            path = os.path.join(place, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                shutil.copy(path, own)
        if 'runtimes' in sys.argv[0] and os.path.isdir(os.path.join(place, 'runtimes')):
            shutil.copytree(os.path.join(place, 'runtimes'), os.path.join(own, 'runtimes'))
    os.chown(folder, ROOTLESS_UID, ROOTLESS_UID)
    os.setgroups([])
    os.setresgid(ROOTLESS_UID, ROOTLESS_UID, ROOTLESS_UID)
    os.setresuid(ROOTLESS_UID, ROOTLESS_UID, ROOTLESS_UID)
    # A change of ids takes one's own files of /proc away.
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    os.chdir('/')
    return own


def _skip_all(reason):
    print(f'1..0 # SKIP {reason}')
    sys.exit(0)


def run(tests):
    """
    @tests: the globals of a script, or a function that yields the tests as they become known.
    A function prepare(folder) of the script is called first, still as root if we are; what it
    returns is box.prepared, and its method close() is called at the end, as root again.  A
    function cleanup(box) is called after each test, however it went.
    """
    if isinstance(tests, dict):
        found = [item for name, item in tests.items() if name.startswith('test_')]
        _run_as(lambda: found, tests.get('prepare'), tests.get('cleanup'))
    else:
        _run_as(tests, None, None)


def _run_as(tests, prepare, cleanup):
    binaries, mode = os.path.abspath(sys.argv[1]), sys.argv[2]
    wanted = sys.argv[3:]
    if mode == 'root' and os.geteuid() != 0:
        _skip_all('only root can be root')
    with tempfile.TemporaryDirectory(prefix='foso-boundary-') as folder:
        os.chmod(folder, 0o755)
        prepared = prepare(folder) if prepare else None
        if mode == 'rootless' and os.geteuid() == 0:
            # The folder is root's to remove, so the tests run in a child.
            pid = os.fork()
            if pid != 0:
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                if prepared:
                    prepared.close()
                shutil.rmtree(folder, ignore_errors=True)
                os.mkdir(folder)
                sys.exit(status)
            binaries = _become_user(binaries, folder)
        status = _run_tests(tests, Box(binaries, folder, prepared), wanted, cleanup)
        if prepared and mode == 'root':
            prepared.close()
        sys.stdout.flush()
        if mode == 'rootless':
            os._exit(status)
    sys.exit(status)


def _run_tests(tests, box, wanted, cleanup):
    n_failed = number = 0
    for function in tests():
        if wanted and function.__name__ not in wanted:
            continue
        number += 1
        claim = (function.__doc__ or function.__name__).splitlines()[0].rstrip('.')
        claim = re.sub(r'#', '', claim)
        outcome = _outcome(function, box)
        if cleanup:
            cleanup(box)
        n_failed += outcome[0] == 'not ok'
        _report(number, claim, outcome)
    print(f'1..{number}')
    return 1 if n_failed else 0
