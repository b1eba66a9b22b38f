#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""front_door.py - what ./x run adds to build/bin/foso run once everything is built"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402


def claims(runs):
    x = os.path.join(os.path.dirname(measure.HERE), 'x')
    if measure.BUILD != os.path.join(os.path.dirname(measure.HERE), 'build'):
        raise measure.Skip('x runs what is in build/')
    subprocess.run([x, 'build'], check=True, stdout=subprocess.DEVNULL)
    results = measure.in_turn({
        'x': [x, 'run', '--', '/bin/true'],
        'foso': [measure.FOSO, 'run', '--', '/bin/true'],
    }, runs)
    medians = [results[name]['wall_ns']['median'] for name in ('x', 'foso')]
    return [measure.Claim('./x run - foso run', (medians[0] - medians[1]) / 1e6, 20, 'ms',
                          runs=runs, times=measure.times(results))]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 100))
