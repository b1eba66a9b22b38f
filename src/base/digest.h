/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h - SHA-256, by libmd (docs/decisions/0003-digests.md) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIGEST_BYTES     32
#define DIGEST_HEX_BYTES 65 /* with the NUL */

/* digest_sha256() - SHA-256 of two runs of bytes, one after the other; either may be empty. */
void digest_sha256(const void *first, size_t n_first, const void *second, size_t n_second,
		   uint8_t ret_digest[DIGEST_BYTES]);

/* The same of any number of runs, one after the other.  May be copied at any point. */
struct digest {
	uint64_t state[26];
};
void digest_begin(struct digest *digest);
void digest_add(struct digest *digest, const void *bytes, size_t n);
void digest_end(struct digest *digest, uint8_t ret_digest[DIGEST_BYTES]);

/* digest_hex() - lower-case hexadecimal, NUL-terminated. */
void digest_hex(const uint8_t digest[DIGEST_BYTES], char ret_text[DIGEST_HEX_BYTES]);

/* digest_parse() - from DIGEST_HEX_BYTES - 1 digits of the lower case; what follows is not read. */
bool digest_parse(const char *text, uint8_t ret_digest[DIGEST_BYTES]);
