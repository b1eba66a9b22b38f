#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""throughput.py - bytes of stdout through foso against a plain pipe

head -c 4G /dev/zero | cat >/dev/null, with head outside and inside; the sandbox's start is
counted.  The number of bytes that arrive is checked once, on a run that is not timed.
"""
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import measure  # noqa: E402

N_BYTES = 4 << 30


def pipe_ns(command):
    """From the start of both ends to the end of both."""
    began = time.monotonic_ns()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as source:
        with subprocess.Popen(['cat'], stdin=source.stdout, stdout=subprocess.DEVNULL) as reader:
            source.stdout.close()
            if source.wait() != 0 or reader.wait() != 0:
                raise RuntimeError(f'{command[0]} failed')
    return time.monotonic_ns() - began


def check_bytes(command):
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as source:
        counted = subprocess.run(['wc', '-c'], stdin=source.stdout, capture_output=True, check=True)
    if int(counted.stdout) != N_BYTES:
        raise RuntimeError(f'{int(counted.stdout)} bytes arrived of {N_BYTES}')


def claims(runs):
    head = ['head', '-c', str(N_BYTES), '/dev/zero']
    foso = [measure.FOSO, 'run', '-q', '--limit', 'output=none', '--', *head]
    check_bytes(foso)
    inside, outside = [], []
    for _ in range(runs):
        inside.append(pipe_ns(foso))
        outside.append(pipe_ns(head))
    speeds = [N_BYTES / measure.median(times) for times in (inside, outside)]
    return [measure.Claim('stdout through foso / pipe', speeds[0] / speeds[1], 0.8, higher=True,
                          runs=runs, foso_gb_per_s=round(speeds[0], 3),
                          pipe_gb_per_s=round(speeds[1], 3))]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 50))
