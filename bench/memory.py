#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memory.py - what foso-monitor and foso-init hold while a command sleeps

The figure is the sum of both programs' VmHWM: the most that was ever resident, pages of the
program files included, although the files' pages are shared by all sandboxes.  Pss, which divides
shared pages among those who share them, is given beside it.
"""
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import measure  # noqa: E402


def status_kb(path, key):
    with open(path, encoding='ascii') as file:
        for line in file:
            if line.startswith(key + ':'):
                return int(line.split()[1])
    raise measure.Skip(f'{path} has no {key}')


def text(path):
    """Of a process's file; "" once the process has ended."""
    try:
        with open(path, encoding='ascii') as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ''


def children(pid):
    return [int(word) for word in text(f'/proc/{pid}/task/{pid}/children').split()]


def sleeper(monitor):
    """foso-init's pid, once its command is a sleeping one."""
    for _ in range(1000):
        for init in children(monitor):
            if any(text(f'/proc/{command}/comm') == 'sleep\n' for command in children(init)):
                return init
        time.sleep(0.005)  # Polling with a bound: nothing tells of an exec.
    raise measure.Skip('the command did not start')


def look(pid):
    return {'hwm_kb': status_kb(f'/proc/{pid}/status', 'VmHWM'),
            'pss_kb': status_kb(f'/proc/{pid}/smaps_rollup', 'Pss'),
            'private_kb': status_kb(f'/proc/{pid}/smaps_rollup', 'Private_Dirty')}


def measure_once():
    process = subprocess.Popen([measure.FOSO, 'run', '-q', '--', 'sleep', '60'],
                               stdin=subprocess.DEVNULL)
    try:
        init = sleeper(process.pid)
        return look(process.pid), look(init)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=10)


def claims(runs):
    if not os.path.exists(f'/proc/{os.getpid()}/smaps_rollup'):
        raise measure.Skip('this kernel has no smaps_rollup')
    samples = [measure_once() for _ in range(runs)]

    def median(program, key):
        return measure.median([sample[program][key] for sample in samples])

    facts = {
        program: {key: median(i, key) for key in ('hwm_kb', 'pss_kb', 'private_kb')}
        for i, program in enumerate(('foso-monitor', 'foso-init'))
    }
    total = sum(program['hwm_kb'] for program in facts.values()) / 1024
    pss = sum(program['pss_kb'] for program in facts.values()) / 1024
    return [measure.Claim('peak memory of monitor + init', total, 2, 'MiB', runs=runs,
                          pss_mib=round(pss, 3), **facts)]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 50))
