#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start_oci.py - a cold start against crun and runc on the same unpacked root file system

The root holds a static busybox.  The configuration is the one that runc spec writes, with no
terminal.  crun refuses hosts whose cgroup v2 tree has controllers beside those of v1 (hybrid), with
every --cgroup-manager; there all competitors run in one private mount namespace from which that
tree is unmounted, and the claim says so.  Root only: both need it for this configuration.
"""
import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402

UNIFIED = '/sys/fs/cgroup/unified'


def make_root(folder):
    """A root file system of static busybox; returns its path."""
    root = os.path.join(folder, 'rootfs')
    busybox = shutil.which('busybox')
    if not busybox:
        raise measure.Skip('busybox is not installed')
    for name in ('bin', 'dev', 'etc', 'proc', 'sys', 'tmp'):
        os.makedirs(os.path.join(root, name))
    shutil.copy(busybox, os.path.join(root, 'bin', 'busybox'))
    for name in ('sh', 'true', 'sleep'):
        os.symlink('busybox', os.path.join(root, 'bin', name))
    return root


def make_bundle(folder):
    root = make_root(folder)
    subprocess.run(['runc', 'spec'], cwd=folder, check=True)
    path = os.path.join(folder, 'config.json')
    with open(path, encoding='utf-8') as file:
        config = json.load(file)
    config['process']['terminal'] = False
    config['process']['args'] = ['/bin/true']
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(config, file)
    return root


def without_hybrid_tree():
    """Words to put before a command where crun would refuse; none elsewhere."""
    controllers = os.path.join(UNIFIED, 'cgroup.controllers')
    if not os.path.exists(controllers):
        return (), 'cgroups as the host has them'
    with open(controllers, encoding='ascii') as file:
        if not file.read().strip():
            return (), 'cgroups as the host has them'
    prefix = ('unshare', '--mount', '--propagation', 'private', 'sh', '-c',
              f'umount {UNIFIED} && exec "$@"', 'sh')
    return prefix, f'{UNIFIED} unmounted in a private mount namespace, for crun'


def claims(runs):
    measure.need('crun', 'runc', 'unshare')
    if os.geteuid() != 0:
        raise measure.Skip('crun and runc need root for this configuration')
    prefix, note = without_hybrid_tree()
    with measure.temporary_folder() as folder:
        root = make_bundle(folder)
        results = measure.in_turn({
            'foso': [measure.FOSO, 'run', '--root', 'dir:' + root, '--', '/bin/true'],
            'crun': ['crun', 'run', '--bundle', folder, 'foso-bench-crun'],
            'runc': ['runc', 'run', '--bundle', folder, 'foso-bench-runc'],
        }, runs, prefix)
    facts = {'runs': runs, 'note': note, 'times': measure.times(results)}
    return [
        measure.Claim('start / crun', measure.wall_ratio(results, 'foso', 'crun'), 0.3, **facts),
        measure.Claim('start / runc', measure.wall_ratio(results, 'foso', 'runc'), 0.05),
    ]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 100))
