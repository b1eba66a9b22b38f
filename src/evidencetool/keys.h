/* SPDX-License-Identifier: Apache-2.0 */
/* keys.h - Ed25519 keys in PEM, by OpenSSL */
#pragma once

#include <openssl/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"
#include "evidence/line.h"
#include "evidencetool/args.h"

#define KEY_PUBLIC_SUFFIX ".pub"

/* A private or public key.  id: SHA-256 of the raw public key, as lines of the log name it. */
struct key {
	EVP_PKEY *pkey; /* owned */
	char id[DIGEST_HEX_BYTES];
};

/*
 * key_read() - a private key
 *
 * -ERR_DENIED if the file may be used by others than its owner or belongs to neither the caller
 * nor root; -ERR_NOT_FOUND; -ERR_INVALID if it holds no Ed25519 private key, or one with a
 * passphrase, which nobody is there to type.
 */
int key_read(struct key *ret, const char *path, struct error *err) must_check;

/* key_generate() - writes @path (0600) and @path.pub (0644); -ERR_EXISTS if either is there. */
int key_generate(struct key *ret, const char *path, struct error *err) must_check;

/* key_sign() - in base64, NUL-terminated. */
int key_sign(const struct key *key, const uint8_t hash[DIGEST_BYTES],
	     char ret_signature[EVIDENCE_SIGNATURE_CHARS + 1], struct error *err) must_check;

void key_fini(struct key *key);

/* The public keys that a log may be signed with. */
struct keyring {
	struct key items[ARGS_MAX_KEYS];
	size_t n_items;
};

/* keyring_add() - a public key; errors as for key_read(), but who may read it does not matter. */
int keyring_add(struct keyring *keyring, const char *path, struct error *err) must_check;
void keyring_fini(struct keyring *keyring);

enum keyring_answer { KEYRING_GOOD, KEYRING_UNKNOWN_KEY, KEYRING_BAD_SIGNATURE };

/* keyring_check() - the signature of a line over the hash that the line states. */
enum keyring_answer keyring_check(const struct keyring *keyring, const struct evidence_line *line);
