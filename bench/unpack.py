#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unpack.py - an image of one layer into the store, against umoci unpack and tar

The layer is a part of this machine's /usr.  foso image import copies and verifies the blob, unpacks
it without rights, verifies the diff id, and flushes it to the disk; umoci unpack also writes an
mtree manifest; tar does nothing but unpack, and is the floor.  Bytes are those of the plain tar.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import measure  # noqa: E402

FOLDERS = ['usr/include', 'usr/share/perl', 'usr/lib/git-core', 'usr/lib/python3']


def blob(layout, data_path, media_type):
    with open(data_path, 'rb') as file:
        digest = hashlib.file_digest(file, 'sha256').hexdigest() \
            if hasattr(hashlib, 'file_digest') else hashlib.sha256(file.read()).hexdigest()
    target = f'{layout}/blobs/sha256/{digest}'
    if data_path != target:
        shutil.copyfile(data_path, target)
    return {'mediaType': media_type, 'digest': f'sha256:{digest}',
            'size': os.path.getsize(target)}


def text_blob(layout, content, media_type):
    path = f'{layout}/document'
    with open(path, 'w', encoding='ascii') as file:
        json.dump(content, file)
    descriptor = blob(layout, path, media_type)
    os.unlink(path)
    return descriptor


def make_layout(folder, layer, plain, suffix):
    oci = 'application/vnd.oci.image.'
    os.makedirs(f'{folder}/blobs/sha256')
    layers = [blob(folder, layer, f'{oci}layer.v1.tar{suffix}')]
    with open(plain, 'rb') as file:
        diff_id = hashlib.sha256(file.read()).hexdigest()
    config = text_blob(folder, {'architecture': 'amd64', 'os': 'linux', 'config': {}, 'rootfs': {
        'type': 'layers', 'diff_ids': [f'sha256:{diff_id}']}}, f'{oci}config.v1+json')
    manifest = text_blob(folder, {'schemaVersion': 2, 'config': config, 'layers': layers},
                         f'{oci}manifest.v1+json')
    manifest['annotations'] = {'org.opencontainers.image.ref.name': 'b'}
    with open(f'{folder}/index.json', 'w', encoding='ascii') as file:
        json.dump({'schemaVersion': 2, 'manifests': [manifest]}, file)
    with open(f'{folder}/oci-layout', 'w', encoding='ascii') as file:
        file.write('{"imageLayoutVersion": "1.0.0"}')


def seconds(command, leftover, **more):
    began = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   **more)
    lasted = time.monotonic() - began
    shutil.rmtree(leftover)
    # What the one before left to be written must not count for the next.
    os.sync()
    return lasted


def compare(folder, packing, runs):
    tar, layer, suffix, flag = f'{folder}/layer.tar', f'{folder}/layer.tar', '', '-x'
    if packing == 'gzip':
        layer, suffix, flag = f'{folder}/layer.tar.gz', '+gzip', '-xz'
        if not os.path.exists(layer):
            subprocess.run(['gzip', '-k', tar], check=True)
    layout = f'{folder}/{packing}'
    make_layout(layout, layer, tar, suffix)
    store, bundle, tree = f'{folder}/store', f'{folder}/bundle', f'{folder}/tree'
    times = {'foso': [], 'umoci': [], 'tar': []}
    for _ in range(runs):
        times['foso'].append(seconds(
            [measure.FOSO, 'image', 'import', '--store', store, '--name', 'b', layout], store))
        times['umoci'].append(seconds(['umoci', 'unpack', '--image', f'{layout}:b', bundle],
                                      bundle))
        os.mkdir(tree)
        times['tar'].append(seconds(['tar', '-C', tree, '--numeric-owner', '-p', '--xattrs', flag,
                                     '-f', layer], tree))
    megabytes = os.path.getsize(tar) / 1e6
    speeds = {name: megabytes / measure.median(values) for name, values in times.items()}
    return measure.Claim(f'import of an image, {packing}: MB/s / those of umoci unpack',
                         speeds['foso'] / speeds['umoci'], 1, higher=True, runs=runs,
                         megabytes=round(megabytes), **{f'{name}_mb_per_s': round(speed, 1)
                                                        for name, speed in speeds.items()})


def claims(runs):
    if os.geteuid() != 0:
        raise measure.Skip('owners are kept for root alone')
    measure.need('umoci')
    with measure.temporary_folder() as folder:
        folders = [name for name in FOLDERS if os.path.isdir(f'/{name}')]
        subprocess.run(['tar', '-C', '/', '-cf', f'{folder}/layer.tar', '--format=pax', *folders],
                       check=True)
        return [compare(folder, packing, runs) for packing in ('gzip', 'plain')]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 5))
