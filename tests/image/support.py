# SPDX-License-Identifier: Apache-2.0
"""support - layers, OCI layouts and stores for the tests of images; TAP

A script calls run(globals()) at its end and is started as SCRIPT BIN MODE; its functions test_*
run in the order in which they stand, each with one Box.  MODE is root, or rootless: an ordinary
user, made of nothing but a number, with a copy of the programs.
"""
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import traceback

ROOTLESS_UID = 12346
SECONDS = 120


class Skip(Exception):
    """The test cannot be run here; the words are the reason."""


class Failed(Exception):
    """A check did not hold."""


def check(condition, *words):
    if not condition:
        raise Failed(' '.join(str(word) for word in words))


def check_equal(actual, expected, *words):
    check(actual == expected, f'{actual!r} and not {expected!r}', *words)


class Layer:
    """A tar that is built member by member."""

    def __init__(self, form=tarfile.PAX_FORMAT):
        self.file = io.BytesIO()
        self.tar = tarfile.open(fileobj=self.file, mode='w', format=form)

    def add(self, name, kind=tarfile.REGTYPE, data=b'', **more):
        info = tarfile.TarInfo(name)
        info.type = kind
        info.mode = 0o755 if kind == tarfile.DIRTYPE else 0o644
        info.mtime = 1600000000
        for key, value in more.items():
            setattr(info, key, value)
        if kind == tarfile.REGTYPE:
            info.size = len(data)
        self.tar.addfile(info, io.BytesIO(data) if kind == tarfile.REGTYPE else None)
        return self

    def folder(self, name, **more):
        return self.add(name, tarfile.DIRTYPE, **more)

    def link(self, name, target, **more):
        return self.add(name, tarfile.SYMTYPE, linkname=target, **more)

    def hard(self, name, target, **more):
        return self.add(name, tarfile.LNKTYPE, linkname=target, **more)

    def bytes(self):
        if not self.tar.closed:
            self.tar.close()
        return self.file.getvalue()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def layout(folder, layers, *, packing='gzip', ref='t', config=None, corrupt=None):
    """Writes an OCI image layout; layers are bytes of tars, or (packed bytes, tar bytes)."""
    os.makedirs(f'{folder}/blobs/sha256', exist_ok=True)

    def blob(data, media_type):
        with open(f'{folder}/blobs/sha256/{sha256(data)}', 'wb') as file:
            file.write(data)
        return {'mediaType': media_type, 'digest': 'sha256:' + sha256(data), 'size': len(data)}

    descriptors, diff_ids = [], []
    for layer in layers:
        packed, plain = layer if isinstance(layer, tuple) else (None, layer)
        suffix = {'gzip': '+gzip', 'zstd': '+zstd', 'none': ''}[packing]
        if packed is None:
            packed = {'gzip': lambda: gzip.compress(plain, 1, mtime=0),
                      'zstd': lambda: subprocess.run(['zstd', '-qc'], input=plain, check=True,
                                                     stdout=subprocess.PIPE).stdout,
                      'none': lambda: plain}[packing]()
        descriptors.append(blob(packed, 'application/vnd.oci.image.layer.v1.tar' + suffix))
        diff_ids.append('sha256:' + sha256(plain))
    full = {'architecture': 'amd64', 'os': 'linux', 'config': {},
            'rootfs': {'type': 'layers', 'diff_ids': diff_ids}, **(config or {})}
    config_blob = blob(json.dumps(full).encode(), 'application/vnd.oci.image.config.v1+json')
    manifest = blob(json.dumps({
        'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.manifest.v1+json',
        'config': config_blob, 'layers': descriptors}).encode(),
        'application/vnd.oci.image.manifest.v1+json')
    manifest['annotations'] = {'org.opencontainers.image.ref.name': ref}
    with open(f'{folder}/index.json', 'w', encoding='utf-8') as file:
        json.dump({'schemaVersion': 2, 'manifests': [manifest]}, file)
    with open(f'{folder}/oci-layout', 'w', encoding='utf-8') as file:
        file.write('{"imageLayoutVersion": "1.0.0"}')
    for item in {'config': [config_blob], 'manifest': [manifest],
                 'layer': descriptors[-1:]}.get(corrupt, []):
        with open(f'{folder}/blobs/sha256/{item["digest"][7:]}', 'r+b') as file:
            byte = file.read(1)
            file.seek(0)
            file.write(bytes([byte[0] ^ 1]))
    return folder


class Box:
    def __init__(self, binaries, folder):
        self.binaries, self.folder = binaries, folder
        self.store = f'{folder}/store'
        self.is_root = os.geteuid() == 0
        self.env = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': folder,
                    'FOSO_IMAGES': self.store}
        self.counter = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def fresh(self, name):
        self.counter += 1
        return self.path(f'{name}-{self.counter}')

    def image(self, *words, **more):
        more.setdefault('env', self.env)
        return subprocess.run([f'{self.binaries}/foso', 'image', *words], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                              **more)

    def imported(self, source, name, *options, **more):
        done = self.image('import', '--name', name, *options, source, **more)
        check_equal(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def refused(self, source, *options, **more):
        """The message; and the store is as it was."""
        before = self.listing()
        done = self.image('import', '--name', 'bad', *options, source, **more)
        check_equal(done.returncode, 125, done.stdout, done.stderr)
        check_equal(self.listing(), before, 'something stayed of', done.stderr)
        return done.stderr.decode()

    def inspect(self, name):
        done = self.image('inspect', '--json', name)
        check_equal(done.returncode, 0, done.stderr.decode())
        return json.loads(done.stdout)

    def listing(self):
        """Every path of the store that means something."""
        paths = []
        for top, folders, files in os.walk(self.store):
            below = os.path.relpath(top, self.store)
            if below.startswith('layers/'):
                folders.clear()
            paths += [os.path.join(below, name) for name in folders + files
                      if name not in ('lock',)]
        return sorted(paths)


def _become_ordinary(folder):
    copy = os.path.join(folder, 'bin')
    shutil.copytree(sys.argv[1], copy, ignore=shutil.ignore_patterns('*.p', 'meson*'))
    os.chmod(folder, 0o755)
    home = os.path.join(folder, 'home')
    os.mkdir(home, 0o700)
    os.chown(home, ROOTLESS_UID, ROOTLESS_UID)
    tests = os.path.join(folder, 'tests')
    shutil.copytree(os.path.dirname(os.path.abspath(sys.argv[0])), tests)
    done = subprocess.run(
        ['setpriv', '--reuid', str(ROOTLESS_UID), '--regid', str(ROOTLESS_UID), '--clear-groups',
         '--inh-caps=-all', sys.executable, os.path.join(tests, os.path.basename(sys.argv[0])),
         copy, 'rootless-now', home], check=False)
    return done.returncode


def _run_all(functions, binaries, folder):
    failed = 0
    for number, function in enumerate(functions, 1):
        name = (function.__doc__ or function.__name__).split('\n')[0]
        work = tempfile.mkdtemp(prefix='t-', dir=folder)
        try:
            function(Box(binaries, work))
            print(f'ok {number} - {name}')
        except Skip as reason:
            print(f'ok {number} - {name} # SKIP {reason}')
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            for line in traceback.format_exc().splitlines():
                print(f'# {line}')
            print(f'not ok {number} - {name}: {type(error).__name__}')
        finally:
            subprocess.run(['chmod', '-R', 'u+rwX', work], check=False,
                           stderr=subprocess.DEVNULL)
            shutil.rmtree(work, ignore_errors=True)
        sys.stdout.flush()
    print(f'1..{len(functions)}')
    return 1 if failed else 0


def run(names):
    functions = [value for name, value in names.items() if name.startswith('test_')]
    mode = sys.argv[2] if len(sys.argv) > 2 else 'root'
    if mode == 'rootless-now':
        sys.exit(_run_all(functions, sys.argv[1], sys.argv[3]))
    if os.geteuid() != 0 and mode == 'root':
        print('1..0 # SKIP not root')
        sys.exit(0)
    folder = tempfile.mkdtemp(prefix='foso-image-')
    try:
        if mode == 'rootless' and os.geteuid() == 0:
            status = _become_ordinary(folder)
        else:
            status = _run_all(functions, os.path.abspath(sys.argv[1]), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(status)
