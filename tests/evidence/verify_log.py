#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""verify_log.py [--key RAW_PUBLIC_KEY_HEX]... [--signed-from SEQ] FOLDER

Verifies an evidence log by docs/evidence.md alone: nothing of foso's C code is used, so that the
page and the program can be held against each other.  Prints one problem a line, "KIND SEQ" (SEQ 0:
of the log as a whole), then "good" or "broken".  Exit status 0 or 1.
"""
import base64
import functools
import hashlib
import json
import os
import re
import sys

ZEROS = '0' * 64
HEX = b'[0-9a-f]{64}'
MAX_LINE_BYTES = 525312
LINE = re.compile(rb'\{"seq":([1-9][0-9]*),"prev":"(' + HEX + rb')","record":(\{[^\x00-\x1f]*\})'
                  rb',"hash":"(' + HEX + rb')"'
                  rb'(?:,"key":"(' + HEX + rb')","sig":"([A-Za-z0-9+/]{86}==)")?\}', re.S)
HEAD = re.compile(rb'\{"seq":(0|[1-9][0-9]*),"hash":"(' + HEX + rb')","bytes":(0|[1-9][0-9]*)\}'
                  rb'[ \n]*')

# Ed25519 as RFC 8032 section 5.1 defines it, verification only.
P = 2 ** 255 - 19
L = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_M1 = pow(2, (P - 1) // 4, P)


def point_add(a, b):
    k = (a[1] - a[0]) * (b[1] - b[0]) % P
    m = (a[1] + a[0]) * (b[1] + b[0]) % P
    n = 2 * a[3] * b[3] * D % P
    o = 2 * a[2] * b[2] % P
    e, f, g, h = m - k, o - n, o + n, m + k
    return e * f % P, g * h % P, f * g % P, e * h % P


def point_multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = point_add(result, point)
        point = point_add(point, point)
        scalar >>= 1
    return result


def point_equal(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


def recover_x(y, sign):
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if x2 == 0:
        return None if sign else 0
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P != 0:
        x = x * SQRT_M1 % P
    if (x * x - x2) % P != 0:
        return None
    return P - x if (x & 1) != sign else x


def point_decode(text):
    y = int.from_bytes(text, 'little')
    sign, y = y >> 255, y & (2 ** 255 - 1)
    x = recover_x(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = recover_x(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


@functools.lru_cache(maxsize=1024)
def ed25519_verify(public, message, signature):
    a, r = point_decode(public), point_decode(signature[:32])
    s = int.from_bytes(signature[32:], 'little')
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), 'little') % L
    return point_equal(point_multiply(s, BASE), point_add(r, point_multiply(h, a)))


def no_repeated_keys(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError('a repeated key')
    return dict(pairs)


def no_constant(word):
    raise ValueError(f'{word} is not JSON')


class Checker:
    """The rules of docs/evidence.md, section "How it is verified"."""

    def __init__(self, keys, signed_from):
        self.keys = {hashlib.sha256(key).hexdigest(): key for key in keys}
        self.signed_from = signed_from
        self.problems = []
        self.end = 0  # Where the newest whole line ends.
        self.seq, self.hash = 0, ZEROS  # The newest line in its place; hash None: not known.
        self.n_holes = 0

    def problem(self, kind, seq=0):
        self.problems.append((kind, seq))

    def check_signature(self, seq, digest, key, signature, is_wanted):
        if key is None:
            if (self.keys and seq >= self.signed_from) or is_wanted:
                self.problem('unsigned', seq)
        elif self.keys and key not in self.keys:
            self.problem('wrong-key', seq)
        elif self.keys:
            raw = base64.b64decode(signature)
            is_canonical = base64.b64encode(raw) == signature
            if not is_canonical or not ed25519_verify(self.keys[key], bytes.fromhex(digest), raw):
                self.problem('bad-signature', seq)

    def check_place(self, seq, prev, digest):
        if seq <= self.seq:
            self.problem('out-of-order', seq)
            return
        if seq - self.seq - 1 > self.n_holes:
            self.problem('missing', seq)
        elif seq == self.seq + 1 and self.hash is not None and prev != self.hash:
            self.problem('replaced' if self.seq else 'missing', self.seq or seq)
        self.seq, self.hash, self.n_holes = seq, digest, 0

    def take_line(self, line):
        match = LINE.fullmatch(line) if len(line) <= MAX_LINE_BYTES else None
        if not match or int(match[1]) >= 2 ** 64:
            self.problem('malformed')
            self.n_holes += 1
            return
        seq, prev, digest = int(match[1]), match[2].decode(), match[4].decode()
        key = match[5] and match[5].decode()
        if hashlib.sha256(line[:match.end(3)]).hexdigest() != digest:
            self.problem('edited', seq)
            if seq == self.seq + 1:
                self.seq, self.hash, self.n_holes = seq, None, 0
            else:
                self.n_holes += 1
            self.check_signature(seq, digest, key, match[6], False)
            return
        is_wanted = False
        try:
            record = json.loads(match[3].decode('utf-8', errors='strict'),
                                object_pairs_hook=no_repeated_keys, parse_constant=no_constant)
            evidence = record.get('policy', {}).get('evidence', {})
            is_wanted = record.get('signed') is True or bool(evidence.get('sign'))
        except (ValueError, AttributeError):
            self.problem('not-json', seq)
        self.check_place(seq, prev, digest)
        self.check_signature(seq, digest, key, match[6], is_wanted)

    def check_head(self, text, is_empty_log, has_torn_end):
        head = HEAD.fullmatch(text) if text else None
        is_empty_file = text == b''
        if not head and not is_empty_file:
            if has_torn_end:
                self.problem('unfinished')
            if text is not None or not is_empty_log:
                self.problem('no-head')
            return
        seq, digest = (int(head[1]), head[2].decode()) if head else (0, ZEROS)
        if seq > self.seq:
            self.problem('tail-cut')
        elif seq == self.seq and self.hash not in (None, digest):
            self.problem('head-differs')
        elif seq == self.seq and not self.problems and head and int(head[3]) != self.end:
            self.problem('head-differs')
        elif seq + 1 < self.seq:
            self.problem('head-differs')


def read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        return None


def verify(folder, keys=(), signed_from=1):
    """The problems of the log in a folder, as [(kind, seq)]."""
    log = read(os.path.join(folder, 'log.jsonl'))
    checker = Checker(keys, signed_from)
    lines = log.split(b'\n')
    torn = lines.pop()
    for line in lines:
        checker.take_line(line)
    checker.end = len(log) - len(torn)
    checker.check_head(read(os.path.join(folder, 'head')), not log, bool(torn))
    return checker.problems


def main():
    args, keys, signed_from = sys.argv[1:], [], 1
    while len(args) > 1:
        if args[0] == '--key':
            keys.append(bytes.fromhex(args[1]))
        elif args[0] == '--signed-from':
            signed_from = int(args[1])
        args = args[2:]
    problems = verify(args[0], keys, signed_from)
    for kind, seq in problems:
        print(kind, seq)
    print('broken' if problems else 'good')
    sys.exit(1 if problems else 0)


if __name__ == '__main__':
    main()
