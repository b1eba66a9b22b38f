#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff_commit.py - foso diff and commit on a tree of 100,000 files, against git

The tree is a git repository of files of 1 KiB. A sandbox's change set is made of three changes, and
then of one in every file. git status is measured on the same changes in a copy, with a warm cache
and a fresh index: what a person waits for who looks at what he did. The two trees are compared at
the end.

FOSO_BEFORE names the folder of another build's programs: its diff and commit of all files are
measured in turn with this build's, on a tree of its own.
"""
import collections
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import measure  # noqa: E402

MAKE_SET = os.path.join(measure.BUILD, 'tests', 'workspacetool', 'make_set')
N = 100000
FEW = 'echo 1 >> 000/000; echo 2 >> 001/001; echo new > 002/new'
MANY = ('find . -path ./.git -prune -o -type f -print0 | '
        'xargs -0 -n 500 sed -i s/a/b/')
SWAP = MANY.replace('s/a/b/', 'y/ab/ba/')


Cost = collections.namedtuple('Cost', 'wall_s cpu_s peak_mib')


class Bench:
    def __init__(self, top):
        self.folder, self.copy = f'{top}/tree', f'{top}/copy'
        self.env = {'PATH': os.environ['PATH'], 'HOME': top, 'LC_ALL': 'C',
                    'FOSO_WORKSPACES': f'{top}/changes'}

    def once(self, words, folder):
        start = time.monotonic()
        with subprocess.Popen(words, cwd=folder, env=self.env, stdout=subprocess.DEVNULL) as child:
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError(f'{words} exits with {child.returncode}')
        return Cost(time.monotonic() - start, used.ru_utime + used.ru_stime,
                    used.ru_maxrss / 1024)

    def call(self, *words, folder, repeat=1):
        """Medians."""
        costs = [self.once(words, folder) for _ in range(repeat)]
        return Cost(*(measure.median(values) for values in zip(*costs)))

    def foso(self, *words, repeat=1):
        return self.call(measure.FOSO, *words, folder=self.folder, repeat=repeat)

    def status(self, repeat=1):
        return self.call('git', 'status', '--porcelain', folder=self.copy, repeat=repeat)

    def make(self):
        os.mkdir(self.folder)
        for i in range(N // 1000):
            os.mkdir(f'{self.folder}/{i:03}')
            for k in range(1000):
                with open(f'{self.folder}/{i:03}/{k:03}', 'w', encoding='ascii') as file:
                    file.write(f'{i} {k}\n' + 'a' * 1000 + '\n')
        for words in (('init', '-q'), ('config', 'gc.auto', '0'), ('add', '-A'),
                      ('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'all')):
            self.call('git', *words, folder=self.folder)
        self.call('cp', '-a', self.folder, self.copy, folder='/')
        self.status()

    def change(self, name, script):
        self.call(MAKE_SET, self.folder, name, script, folder='/')
        self.call('sh', '-c', script, folder=self.copy)

    def is_same(self):
        return subprocess.run(['diff', '-rq', '--exclude=.git', self.folder, self.copy],
                              check=False, stdout=subprocess.DEVNULL).returncode == 0


def compare_builds(bench, before, runs):
    """Medians of diff and commit of all files, (before, now), in turn on trees that are alike."""
    costs = {'diff': ([], []), 'commit': ([], [])}
    other = f'{bench.folder}-before'
    bench.call('cp', '-a', bench.folder, other, folder='/')
    for run in range(runs):
        for side, (foso, folder) in enumerate(((os.path.join(before, 'foso'), other),
                                               (measure.FOSO, bench.folder))):
            name = f'turn{run}x{side}'
            bench.call(MAKE_SET, folder, name, SWAP, folder='/')
            for verb, lists in costs.items():
                lists[side].append(bench.once([foso, verb, name], folder))
            bench.call(measure.FOSO, 'discard', name, folder=folder)
    return {verb: [Cost(*(measure.median(values) for values in zip(*side))) for side in sides]
            for verb, sides in costs.items()}


def build_claims(bench, runs):
    before = os.environ.get('FOSO_BEFORE')
    if not before:
        return []
    return [measure.Claim(f'processor time of foso {verb} of all files / before',
                          now.cpu_s / then.cpu_s, 1, runs=runs, before=then._asdict(),
                          now=now._asdict())
            for verb, (then, now) in compare_builds(bench, before, runs).items()]


def claims(runs):
    measure.need('git')
    if not os.path.exists(MAKE_SET):
        raise measure.Skip('the tests are not built')
    with measure.temporary_folder() as top:
        bench = Bench(top)
        bench.make()
        bench.change('few', FEW)
        few_git, few_diff = bench.status(runs), bench.foso('diff', 'few', repeat=runs)
        few_patch = bench.foso('diff', '--patch', 'few', repeat=runs)
        few_commit = bench.foso('commit', 'few')
        bench.change('many', MANY)
        many_git, many_diff = bench.status(3), bench.foso('diff', 'many', repeat=3)
        many_commit = bench.foso('commit', 'many')
        if not bench.is_same():
            raise RuntimeError('a commit did not make the tree that the sandbox saw')
        in_turn = build_claims(bench, 3)
    return in_turn + [
        measure.Claim('foso diff / git status, 3 of 100,000 files',
                      few_diff.wall_s / few_git.wall_s,
                      1, runs=runs, diff=few_diff._asdict(), patch=few_patch._asdict(),
                      git_status=few_git._asdict()),
        measure.Claim('foso commit / git status, 3 of 100,000 files',
                      few_commit.wall_s / few_git.wall_s, 1, commit=few_commit._asdict()),
        measure.Claim('foso diff / git status, all of 100,000 files',
                      many_diff.wall_s / many_git.wall_s, 2, diff=many_diff._asdict(),
                      git_status=many_git._asdict(),
                      cpu_ratio=round(many_diff.cpu_s / many_git.cpu_s, 2)),
        measure.Claim('foso commit of 100,000 changes', many_commit.wall_s, 60, 's',
                      commit=many_commit._asdict()),
        measure.Claim('peak memory of diff and commit of 100,000 changes',
                      max(many_diff.peak_mib, many_commit.peak_mib), 32, 'MiB'),
    ]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 5))
