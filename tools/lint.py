# SPDX-License-Identifier: Apache-2.0
"""lint - what the check-* tools share: the list of files, C source without comments, TAP"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def files(*suffixes, under=''):
    """Paths below the root, sorted: what git tracks or would track; without git, all sources."""
    try:
        listing = subprocess.run(
            ['git', '-C', ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
            check=True, capture_output=True).stdout.decode().split('\0')
    except (OSError, subprocess.CalledProcessError):
        listing = []
        for folder, folders, names in os.walk(ROOT):
            folders[:] = [f for f in folders if not f.startswith('build') and f != '.git']
            listing += [os.path.relpath(os.path.join(folder, n), ROOT) for n in names]
    return sorted({p for p in listing
                   if p.startswith(under) and (not suffixes or p.endswith(suffixes))
                   and os.path.isfile(os.path.join(ROOT, p))})


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8', errors='surrogateescape') as file:
        return file.read()


TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def _blank(text):
    return '\n'.join(' ' * len(line) for line in text.split('\n'))


def split_c(text):
    """(code, comments, strings): each with all else blanked, so that offsets and lines agree."""
    code, comments, strings = [], [], []
    at = 0
    for match in TOKEN.finditer(text):
        between, token = text[at:match.start()], match.group()
        code.append(between)
        comments.append(_blank(between))
        strings.append(_blank(between))
        is_comment = token.startswith('/')
        code.append(_blank(token))
        comments.append(token if is_comment else _blank(token))
        strings.append(_blank(token) if is_comment else token)
        at = match.end()
    code.append(text[at:])
    return ''.join(code), ''.join(comments), ''.join(strings)


def line_of(text, offset):
    return text.count('\n', 0, offset) + 1


class Tap:
    """Collects findings by rule; finish() prints one TAP line for each rule."""

    def __init__(self, *rules):
        self.findings = {rule: [] for rule in rules}
        self.skips = {}

    def add(self, rule, where, message):
        self.findings[rule].append(f'{where}: {message}')

    def skip(self, rule, reason):
        self.findings.setdefault(rule, [])
        self.skips[rule] = reason

    def finish(self):
        for number, (rule, findings) in enumerate(self.findings.items(), 1):
            for finding in findings:
                print(f'# {finding}')
            if rule in self.skips:
                print(f'ok {number} - {rule} # SKIP {self.skips[rule]}')
            else:
                print(f'{"not " if findings else ""}ok {number} - {rule}')
        print(f'1..{len(self.findings)}')
        sys.exit(1 if any(self.findings.values()) else 0)
