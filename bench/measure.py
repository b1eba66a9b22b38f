# SPDX-License-Identifier: Apache-2.0
"""measure.py - what the benchmarks share: runs in turn, medians, the machine, the table

A figure is a ratio of two medians from one run on one machine, because a time alone says more
about the machine than about foso.  Competitors run in turn (A B A B ...), so that whatever else
the machine does meets them alike.
"""
import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get('FOSO_BUILD', os.path.join(os.path.dirname(HERE), 'build'))
FOSO = os.path.join(BUILD, 'bin', 'foso')
SPAWN = os.path.join(BUILD, 'bench', 'spawn')

# The folders that root: host shows, as options of bubblewrap, and nothing else.
SYSTEM_FOLDERS = ('usr', 'etc', 'opt', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32')


class Skip(Exception):
    """A claim that cannot be measured here; the text says why."""


class Claim:
    """One figure, its goal (None: it is only reported), and what was measured beside it."""

    def __init__(self, name, value, goal, unit='', higher=False, **facts):
        self.name, self.value, self.goal, self.unit = name, value, goal, unit
        self.higher = higher
        self.facts = facts

    def met(self):
        if self.goal is None:
            return True
        return self.value >= self.goal if self.higher else self.value <= self.goal

    def verdict(self):
        if self.goal is None:
            return 'reported'
        if self.met():
            return 'met'
        distance = self.value / self.goal - 1 if not self.higher else self.goal / self.value - 1
        return f'missed by {distance * 100:.0f} %'

    def row(self):
        sign = '>=' if self.higher else '<='
        unit = ' ' + self.unit if self.unit else ''
        goal = '' if self.goal is None else f'{sign} {self.goal:g}{unit}'
        return (self.name, f'{self.value:.3g}{unit}', goal, self.verdict())

    def as_json(self):
        return {'claim': self.name, 'value': round(self.value, 4), 'goal': self.goal,
                'unit': self.unit, 'better': 'higher' if self.higher else 'lower',
                'met': self.met(), **self.facts}


def options(description):
    """The options that every benchmark has; --runs None means the benchmark's own number."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--runs', type=int, help='runs of each competitor (medians of these)')
    return parser.parse_args()


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(f'{program} is not installed')


def run_main(script, measure, runs):
    """A benchmark's main program: measure(runs) returns its claims."""
    chosen = options(script).runs or runs
    print_machine()
    try:
        print_claims(measure(chosen))
    except Skip as reason:
        print(json.dumps({'skipped': str(reason)}))
        return 77
    return 0


def machine():
    model = ''
    with open('/proc/cpuinfo', encoding='ascii', errors='replace') as file:
        for line in file:
            if line.startswith('model name'):
                model = line.split(':', 1)[1].strip()
                break
    version = subprocess.run([FOSO, '--version'], capture_output=True, text=True, check=False)
    return {
        'date': datetime.date.today().isoformat(),
        'cpu': model,
        'processors': os.cpu_count(),
        'kernel': platform.release(),
        'load_1min': round(os.getloadavg()[0], 2),
        'user': 'root' if os.geteuid() == 0 else 'ordinary',
        'foso': version.stdout.split('\n')[0],
    }


def print_machine():
    print(json.dumps({'machine': machine()}))
    if os.getloadavg()[0] > 1.5:
        print('bench: other programs are busy here: times of this run are not to be quoted',
              file=sys.stderr)
    sys.stdout.flush()


def print_claims(claims):
    for claim in claims:
        print(json.dumps(claim.as_json()))
    rows = [('claim', 'figure', 'goal', 'verdict')] + [claim.row() for claim in claims]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        print('  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip())
    sys.stdout.flush()


def median(values):
    return statistics.median(values)


def in_turn(commands, runs, prefix=(), warm=3):
    """Runs {name: argv} in turn; {name: {'wall_ns': {...}, 'cpu_ns': {...}, 'faults': {...}}}.

    prefix is put before the runner itself, as for one private mount namespace around all.
    """
    argv = [*prefix, SPAWN, '-n', str(runs), '-w', str(warm)]
    for i, command in enumerate(commands.values()):
        argv += ([':::'] if i else []) + list(command)
    out = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(zip(commands, (json.loads(line) for line in out.splitlines())))


def wall_ratio(results, name, base):
    return results[name]['wall_ns']['median'] / results[base]['wall_ns']['median']


def times(results):
    """The absolute times that a claim is printed with: milliseconds, page faults."""
    return {
        name: {
            'wall_ms': {key: round(value / 1e6, 3) for key, value in result['wall_ns'].items()},
            'cpu_ms': round(result['cpu_ns']['median'] / 1e6, 3),
            'faults': result['faults']['median'],
        } for name, result in results.items()
    }


def bwrap_command(*command):
    """bubblewrap with a root like root: host, all of its namespaces, no cgroup and no seccomp."""
    argv = ['bwrap', '--unshare-all']
    for folder in SYSTEM_FOLDERS:
        path = '/' + folder
        if os.path.islink(path):
            argv += ['--symlink', os.readlink(path), path]
        elif os.path.isdir(path):
            argv += ['--ro-bind', path, path]
    return argv + ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--', *command]


class Prompted:
    """A command that runs once for each call: spawn -i, inside a sandbox or outside."""

    def __init__(self, prefix, command, cwd=None):
        self.process = subprocess.Popen([*prefix, SPAWN, '-i', *command], cwd=cwd, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def run(self):
        """Wall time of one run in nanoseconds."""
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError('the runner has ended; see its message above')
        return int(line.split()[0])


def temporary_folder():
    """Removed at the end; readable by everyone, since the sandbox's ids are not ours."""
    folder = tempfile.TemporaryDirectory(prefix='foso-bench-')
    os.chmod(folder.name, 0o755)
    return folder
