#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""parallel.py - 200 sandboxes, 16 at a time: sandboxes per second against bubblewrap's"""
import json
import subprocess
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402

N_SANDBOXES, N_AT_ONCE = 200, 16


def seconds(command):
    out = subprocess.run([measure.SPAWN, '-n', str(N_SANDBOXES), '-j', str(N_AT_ONCE), *command],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)['wall_ns'] / 1e9


def claims(runs):
    measure.need('bwrap')
    commands = {'foso': [measure.FOSO, 'run', '--', '/bin/true'],
                'bwrap': measure.bwrap_command('/bin/true')}
    taken = {name: [] for name in commands}
    for run in range(runs + 1):
        for name, command in commands.items():
            value = seconds(command)
            if run > 0:
                taken[name].append(value)
    rates = {name: N_SANDBOXES / measure.median(values) for name, values in taken.items()}
    return [measure.Claim('sandboxes per second / bwrap', rates['foso'] / rates['bwrap'], 2,
                          higher=True, runs=runs, at_once=N_AT_ONCE,
                          per_second={name: round(rate, 1) for name, rate in rates.items()})]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 50))
