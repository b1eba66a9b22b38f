#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""inside.py - work that makes many system calls, inside a sandbox against outside

One sandbox lives through the whole measurement, and a runner in it starts the command once for
each word from outside, so the start of the sandbox is not counted.  Inside and outside work on
the same folder, which is bind-mounted; both may use all processors (limits.cpus: none).
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402

SOURCE = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
\tfor (int i = 0; i < argc; i++)
\t\tprintf("%d %zu %s\\n", i, strlen(argv[i]), argv[i]);
\treturn argc > 3 ? EXIT_FAILURE : EXIT_SUCCESS;
}
"""

N_FILES = 2000


def git(folder, *words):
    subprocess.run(['git', '-C', folder, '-c', 'user.name=bench', '-c', 'user.email=bench@localhost',
                    *words], check=True, stdout=subprocess.DEVNULL)


def make_repository(folder):
    path = os.path.join(folder, 'repository')
    os.makedirs(path)
    for i in range(N_FILES):
        parent = os.path.join(path, f'd{i % 40:02}')
        os.makedirs(parent, exist_ok=True)
        with open(os.path.join(parent, f'file{i:04}.txt'), 'w', encoding='ascii') as file:
            file.write(f'line {i}\n' * 20)
    git(path, 'init', '-q')
    git(path, 'add', '.')
    git(path, 'commit', '-q', '-m', 'files')
    return path


def sandbox(*mounts):
    prefix = [measure.FOSO, 'run', '-q', '--user', 'root', '--limit', 'wall=1h',
              '--limit', 'cpus=none', '--limit', 'output=none', '--limit', 'memory=none',
              '--env', 'PATH=' + os.environ['PATH'], '--env', 'HOME=/tmp',
              '-v', f'{os.path.dirname(measure.SPAWN)}:{os.path.dirname(measure.SPAWN)}:ro']
    for mount in mounts:
        prefix += ['-v', mount]
    return [*prefix, '--']


def ratio(prefix, command, runs):
    """Median inside / median outside, run by run in turn."""
    inside_ns, outside_ns = [], []
    with measure.Prompted(prefix, command) as inside, measure.Prompted((), command) as outside:
        for run in range(runs + 3):
            pair = inside.run(), outside.run()
            if run >= 3:
                inside_ns.append(pair[0])
                outside_ns.append(pair[1])
    return {'inside_ms': round(measure.median(inside_ns) / 1e6, 3),
            'outside_ms': round(measure.median(outside_ns) / 1e6, 3),
            'runs': runs}, measure.median(inside_ns) / measure.median(outside_ns)


def claims(runs):
    measure.need('git', 'gcc', '/usr/bin/python3')
    results = []
    with measure.temporary_folder() as folder:
        repository = make_repository(folder)
        source = os.path.join(folder, 'work', 'small.c')
        os.makedirs(os.path.dirname(source))
        with open(source, 'w', encoding='ascii') as file:
            file.write(SOURCE)
        work = os.path.dirname(source)
        jobs = (
            ('git status', (f'{repository}:{repository}:rw',),
             ['/usr/bin/git', '-c', 'safe.directory=*', '-C', repository, 'status', '--porcelain']),
            ('compile', (f'{work}:{work}:rw',),
             ['/usr/bin/gcc', '-O2', '-pipe', '-c', source, '-o', os.path.join(work, 'small.o')]),
            ('python3 -c pass', (), ['/usr/bin/python3', '-c', 'pass']),
        )
        for name, mounts, command in jobs:
            facts, value = ratio(sandbox(*mounts), command, runs)
            results.append(measure.Claim(name + ' inside / outside', value, 1.05, **facts))
    return results


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 100))
