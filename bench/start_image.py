#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""start_image.py - a start from an image against one from dir:, and the 1000th against the first

The same tree three times: as a folder, as an image of one layer, and spread over an image of
five.  The command is a static busybox.  Nothing of a start may stay behind and slow down the
next ones, so a thousand are made on one image, and the last hundred compared with the first.
"""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402

MAKE_IMAGE = os.path.join(measure.BUILD, 'tests', 'boundary', 'make_image')
BUSYBOX = '/bin/busybox'
N_STARTS = 1000


def make_tree(path, with_tools):
    os.makedirs(f'{path}/etc')
    for i in range(20):
        with open(f'{path}/etc/file-{os.path.basename(path)}-{i}', 'w', encoding='ascii') as file:
            file.write('x' * 100)
    if with_tools:
        os.mkdir(f'{path}/bin')
        shutil.copy(BUSYBOX, f'{path}/bin/busybox')
        os.symlink('busybox', f'{path}/bin/true')
    return path


def make_image(name, *layers):
    subprocess.run([MAKE_IMAGE, name, *layers], check=True, stdout=subprocess.DEVNULL)


def start(root):
    return [measure.FOSO, 'run', '--root', root, '--', '/bin/true']


def median_ms(result):
    return result['wall_ns']['median'] / 1e6


def claim_difference(folder, runs):
    tree = make_tree(f'{folder}/dir', True)
    make_image('one', make_tree(f'{folder}/one', True))
    make_image('five', make_tree(f'{folder}/five', True),
               *(make_tree(f'{folder}/{i}', False) for i in range(4)))
    make_image('many', make_tree(f'{folder}/many', True),
               *(make_tree(f'{folder}/m{i}', False) for i in range(126)))
    results = measure.in_turn({
        'dir': start(f'dir:{tree}'),
        'image of 1 layer': start('image:one'),
        'image of 5 layers': start('image:five'),
        'image of 127 layers': start('image:many'),
    }, runs)
    image, base = results['image of 5 layers'], results['dir']
    cpu_ms = (image['cpu_ns']['median'] - base['cpu_ns']['median']) / 1e6
    return [
        measure.Claim('start from an image of 5 layers - from dir:',
                      median_ms(image) - median_ms(base), 0.5, 'ms', runs=runs,
                      ratio=round(measure.wall_ratio(results, 'image of 5 layers', 'dir'), 3),
                      times=measure.times(results)),
        # What other programs do counts less here.
        measure.Claim('the same in processor time', cpu_ms, 0.5, 'ms', runs=runs),
    ]


def claim_thousandth():
    """Other programs disturb; the base runs between, so that what they do meets both alike."""
    batches = [measure.in_turn({'image': start('image:five'), 'base': ['/bin/true']},
                               N_STARTS // 10, warm=0) for _ in range(10)]
    medians = [median_ms(batch['image']) for batch in batches]
    return measure.Claim('starts 901-1000 / starts 1-100, one image', medians[-1] / medians[0], 1.1,
                         runs=N_STARTS, batches_ms=[round(value, 3) for value in medians])


def claims(runs):
    if not os.path.exists(BUSYBOX) or not os.path.exists(MAKE_IMAGE):
        raise measure.Skip('busybox-static and the tests of the build are needed')
    with measure.temporary_folder() as folder:
        os.environ['FOSO_IMAGES'] = f'{folder}/images'
        return [*claim_difference(folder, runs), claim_thousandth()]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 100))
