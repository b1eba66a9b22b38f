# SPDX-License-Identifier: Apache-2.0
"""compiled - how a build folder compiles each source, for tidy and analyze"""
import concurrent.futures
import json
import os
import shlex
import sys

sys.dont_write_bytecode = True
import lint  # noqa: E402


def commands(build):
    """{path: (folder, words)}: of each source of ours the hosted command, which analysers know
    best; that for musl if there is no other."""
    with open(os.path.join(build, 'compile_commands.json'), encoding='utf-8') as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        words = shlex.split(entry['command'])
        if os.path.basename(words[0]) == 'ccache':  # Meson takes it wherever it is installed.
            del words[0]
        path = os.path.relpath(os.path.join(entry['directory'], entry['file']), lint.ROOT)
        if path not in found or '-nostdinc' in found[path][1]:
            found[path] = (entry['directory'], words)
    return found


def each(build, arguments, look):
    """Runs look(path, folder, words) for each file named, or for all of src/; it returns what was
    found, or ''.  Prints TAP: one line for each file with findings, one for all others."""
    known = commands(build)
    paths = [os.path.relpath(os.path.abspath(p), lint.ROOT) for p in arguments]
    paths = paths or [p for p in lint.files('.c', under='src/') if p in known]
    n_bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, text in pool.map(lambda p: (p, look(p, *known[p])), paths):
            if text:
                n_bad += 1
                print('# ' + text.strip().replace('\n', '\n# '))
                print(f'not ok {n_bad} - {path}')
    print(f'ok {n_bad + 1} - {len(paths) - n_bad} files without findings')
    print(f'1..{n_bad + 1}')
    sys.exit(1 if n_bad else 0)
