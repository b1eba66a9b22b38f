#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start_workspace.py - what a workspace adds to a start and an end, and the walk for secrets

A run of /bin/true without a workspace, with one of each access, and with one of 100,000 files in
which secrets are looked for.  A run with access overlay makes a change set, mounts it, and removes
it again, as nothing was changed.
"""
import os
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402

N_FILES = 100000


def make_tree(path, n_files):
    for i in range(n_files):
        if i % 100 == 0:
            os.makedirs(f'{path}/d{i // 100}')
        with open(f'{path}/d{i // 100}/f{i}', 'w', encoding='ascii'):
            pass
    with open(f'{path}/.env', 'w', encoding='ascii') as file:
        file.write('KEY=secret\n')
    return path


def start(*options):
    return [measure.FOSO, 'run', *options, '--', '/bin/true']


def more(results, name):
    return (results[name]['wall_ns']['median'] - results['none']['wall_ns']['median']) / 1e6


def claims(runs):
    with measure.temporary_folder() as folder:
        os.environ['FOSO_WORKSPACES'] = f'{folder}/workspaces'
        small = make_tree(f'{folder}/small', 100)
        large = make_tree(f'{folder}/large', N_FILES)
        shown = ('--set', 'workspace.secrets=show')
        results = measure.in_turn({
            'none': start(),
            'ro, nothing hidden': start('-w', small, *shown),
            'ro': start('-w', small),
            'rw': start('-w', f'{small}:rw'),
            'overlay': start('-w', f'{small}:overlay'),
            f'ro of {N_FILES} files': start('-w', large),
        }, runs)
        times = measure.times(results)
        return [
            measure.Claim('run with a workspace, overlay - without one', more(results, 'overlay'),
                          15, 'ms', runs=runs, times=times),
            measure.Claim('run with a workspace, ro - without one', more(results, 'ro'), 5, 'ms',
                          runs=runs),
            measure.Claim(f'looking for secrets in {N_FILES} files',
                          more(results, f'ro of {N_FILES} files') - more(results, 'ro'), 300, 'ms',
                          runs=runs),
        ]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 30))
