#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wasm.py - level wasm: a fresh worker, a cold start, against new processes of the same library

The Python module is that of the pinned wheel, installed into a folder of its own.
"""
import json
import os
import subprocess
import sys

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


def session(module, runs):
    out = subprocess.run([os.path.join(measure.BUILD, 'bench', 'wasm_session'),
                          os.path.join(measure.BUILD, 'bin'), module, str(runs)],
                         stdout=subprocess.PIPE, check=True).stdout
    return json.loads(out)


def claims(runs):
    if not os.path.exists(bin_path('libwasmtime.so')):
        raise measure.Skip('libwasmtime.so is not there: tools/fetch-wasmtime')
    with measure.temporary_folder() as folder:
        os.environ['FOSO_MODULES'] = os.path.join(folder, 'modules')
        text, module = os.path.join(folder, 'hello.wat'), os.path.join(folder, 'hello.wasm')
        with open(text, 'w', encoding='utf-8') as file:
            file.write(HELLO)
        subprocess.run([bin_path('foso-wasm'), 'assemble', text, module], check=True)
        os.environ['PYTHONPATH'] = install_wheel(folder)
        code = f'CODE, MODULE = {os.path.join(folder, "hello.cwasm")!r}, {module!r}\n'
        subprocess.run([sys.executable, '-c', code + COMPILE], check=True)
        script = os.path.join(folder, 'hello.py')
        with open(script, 'w', encoding='utf-8') as file:
            file.write(code + PYTHON)
        subprocess.run([sys.executable, script], check=True, stdout=subprocess.DEVNULL)
        results = measure.in_turn({
            'foso': [measure.FOSO, 'run', '--level', 'wasm', '--set', 'evidence=off', '--limit',
                     'fuel=1000000', '--limit', 'memory=64MiB', module],
            'python': [sys.executable, script],
        }, runs)
        worker = session(module, 20 * runs)
        cold_us = results['foso']['wall_ns']['median'] / 1e3
        return [
            measure.Claim('fresh worker through libfoso', worker['median_us'], 700, 'us', **worker),
            measure.Claim('fresh worker / cold foso run --level wasm',
                          worker['median_us'] / cold_us, 0.25),
            measure.Claim('cold foso run --level wasm / python3 with wasmtime',
                          measure.wall_ratio(results, 'foso', 'python'), 0.3, runs=runs,
                          **measure.times(results)),
        ]


if __name__ == '__main__':
    sys.exit(measure.run_main(__doc__.split('\n', 1)[0], claims, 100))
