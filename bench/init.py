#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""init.py - foso-init: its size, and the time from its exec to its READY"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402


def size_bytes(path):
    """Of the file as it is installed: without symbols and debug sections."""
    with measure.temporary_folder() as folder:
        copy = os.path.join(folder, 'foso-init')
        subprocess.run(['strip', '-o', copy, path], check=True)
        return os.path.getsize(copy)


def claims(runs):
    measure.need('strip')
    init = os.path.join(measure.BUILD, 'bin', 'foso-init')
    out = subprocess.run([os.path.join(measure.BUILD, 'bench', 'init_ready'), init, str(runs)],
                         stdout=subprocess.PIPE, check=True).stdout
    ready = json.loads(out)
    return [
        measure.Claim('foso-init, size', os.path.getsize(init) / 1024, 200, 'KiB',
                      stripped_kib=round(size_bytes(init) / 1024, 1)),
        measure.Claim('foso-init, exec to READY', ready['median_ns'] / 1e6, 1, 'ms', runs=runs,
                      p10_ms=ready['p10_ns'] / 1e6, p90_ms=ready['p90_ns'] / 1e6),
    ]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 200))
