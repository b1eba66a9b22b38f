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

/* digest_hex() - lower-case hexadecimal, NUL-terminated. */
void digest_hex(const uint8_t digest[DIGEST_BYTES], char ret_text[DIGEST_HEX_BYTES]);

/* digest_parse() - from DIGEST_HEX_BYTES - 1 digits of the lower case; what follows is not read. */
bool digest_parse(const char *text, uint8_t ret_digest[DIGEST_BYTES]);
