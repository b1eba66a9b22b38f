/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h - SHA-256 of what passes by, by OpenSSL */
#pragma once

#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

struct hash {
	void *context; /* owned */
};

int hash_init(struct hash *hash, struct error *err) must_check;
void hash_update(struct hash *hash, const void *bytes, size_t len);
void hash_final(struct hash *hash, uint8_t ret_digest[DIGEST_BYTES]);
void hash_fini(struct hash *hash); /* may be called twice and on zeroed memory */

#define auto_hash CLEANUP(hash_fini)
