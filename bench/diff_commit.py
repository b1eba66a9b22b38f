#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff_commit.py - foso diff and commit on a tree of 100,000 files, against git

The tree is a git repository of files of 1 KiB. A sandbox's change set is made of three changes, and
then of one in every file. git status is measured on the same changes in a copy, with a warm cache
and a fresh index: what a person waits for who looks at what he did. The two trees are compared at
the end.
"""
import os
import resource
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


class Bench:
    def __init__(self, top):
        self.folder, self.copy = f'{top}/tree', f'{top}/copy'
        self.env = {'PATH': os.environ['PATH'], 'HOME': top, 'LC_ALL': 'C',
                    'FOSO_WORKSPACES': f'{top}/changes'}

    def call(self, *words, folder, repeat=1):
        """Median of seconds."""
        times = []
        for _ in range(repeat):
            start = time.monotonic()
            subprocess.run(words, cwd=folder, env=self.env, check=True,
                           stdout=subprocess.DEVNULL)
            times.append(time.monotonic() - start)
        return measure.median(times)

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
        many_git, many_diff = bench.status(), bench.foso('diff', 'many')
        many_commit = bench.foso('commit', 'many')
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        if not bench.is_same():
            raise RuntimeError('a commit did not make the tree that the sandbox saw')
    return [
        measure.Claim('foso diff / git status, 3 of 100,000 files', few_diff / few_git, 1,
                      runs=runs, diff_ms=few_diff * 1e3, patch_ms=few_patch * 1e3,
                      git_status_ms=few_git * 1e3),
        measure.Claim('foso commit / git status, 3 of 100,000 files', few_commit / few_git, 1,
                      commit_ms=few_commit * 1e3),
        measure.Claim('foso diff / git status, all of 100,000 files', many_diff / many_git, 2,
                      diff_s=many_diff, git_status_s=many_git),
        measure.Claim('foso commit of 100,000 changes', many_commit, 60, 's',
                      peak_mib_of_all=round(peak, 1)),
    ]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 5))
