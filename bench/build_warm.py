#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""build_warm.py - foso image build when the cache has every step

Ten steps on an empty base, a thousand files in the context that have to be read each time, since
the cache goes by their content.  No sandbox starts.
"""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import measure  # noqa: E402

BUSYBOX = '/bin/busybox'
N_FILES = 1000


def make_context(folder):
    os.makedirs(f'{folder}/src')
    shutil.copy(BUSYBOX, f'{folder}/busybox')
    for i in range(N_FILES):
        with open(f'{folder}/src/file-{i}', 'w', encoding='ascii') as file:
            file.write(f'{i}\n' * 200)
    with open(f'{folder}/Dockerfile', 'w', encoding='ascii') as file:
        file.write('FROM scratch\nCOPY busybox /bin/\n'
                   'RUN ["/bin/busybox", "--install", "-s", "/bin"]\nENV PATH=/bin\n'
                   'WORKDIR /src\nCOPY src ./\n' + ''.join(f'RUN echo {i} >/{i}\n' for i in range(6)))
    return folder


def claims(runs):
    if not os.path.exists(BUSYBOX):
        raise measure.Skip('busybox-static is needed')
    with measure.temporary_folder() as folder:
        os.environ['FOSO_IMAGES'] = f'{folder}/images'
        build = [measure.FOSO, 'image', 'build', '-q', '-t', 'warm', '--evidence',
                 f'{folder}/evidence', make_context(f'{folder}/context')]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        results = measure.in_turn({'warm': build}, runs)
    return [measure.Claim('image build, 10 steps in the cache, 1000 files',
                          results['warm']['wall_ns']['median'] / 1e6, 100, 'ms', runs=runs,
                          times=measure.times(results))]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 30))
