#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start_bwrap.py - a cold start with the full boundary against bubblewrap without cgroup, seccomp

foso: all namespaces, cgroups, seccomp filter with listener, Landlock, masked overlay root,
evidence record.  bubblewrap: all namespaces, the same system folders read-only, /proc, /dev,
tmpfs on /tmp.
"""
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402


def claims(runs):
    measure.need('bwrap')
    results = measure.in_turn({
        'foso': [measure.FOSO, 'run', '--', '/bin/true'],
        'bwrap': measure.bwrap_command('/bin/true'),
        'plain': ['/bin/true'],
    }, runs)
    return [measure.Claim('start / bwrap', measure.wall_ratio(results, 'foso', 'bwrap'), 0.5,
                          runs=runs, times=measure.times(results))]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 200))
