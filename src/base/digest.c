/* SPDX-License-Identifier: Apache-2.0 */
/* digest.c - SHA-256, by libmd */
#include "base/digest.h"

#include <sha2.h>
#include <string.h>
#include <sys/types.h>

void digest_sha256(const void *first, size_t n_first, const void *second, size_t n_second,
		   uint8_t ret_digest[DIGEST_BYTES])
{
	SHA2_CTX context;
	SHA256Init(&context);
	if (n_first > 0)
		SHA256Update(&context, first, n_first);
	if (n_second > 0)
		SHA256Update(&context, second, n_second);
	SHA256Final(ret_digest, &context);
}

_Static_assert(sizeof(SHA2_CTX) <= sizeof(struct digest), "what libmd keeps fits");

void digest_begin(struct digest *digest)
{
	SHA2_CTX context;
	SHA256Init(&context);
	memcpy(digest, &context, sizeof(context));
}

void digest_add(struct digest *digest, const void *bytes, size_t n)
{
	SHA2_CTX context;
	memcpy(&context, digest, sizeof(context));
	SHA256Update(&context, bytes, n);
	memcpy(digest, &context, sizeof(context));
}

void digest_end(struct digest *digest, uint8_t ret_digest[DIGEST_BYTES])
{
	SHA2_CTX context;
	memcpy(&context, digest, sizeof(context));
	SHA256Final(ret_digest, &context);
}

void digest_hex(const uint8_t digest[DIGEST_BYTES], char ret_text[DIGEST_HEX_BYTES])
{
	static const char hex[] = "0123456789abcdef";
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		ret_text[2 * i] = hex[digest[i] >> 4];
		ret_text[2 * i + 1] = hex[digest[i] & 15];
	}
	ret_text[DIGEST_HEX_BYTES - 1] = '\0';
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool digest_parse(const char *text, uint8_t ret_digest[DIGEST_BYTES])
{
	uint8_t digest[DIGEST_BYTES];
	for (size_t i = 0; i < DIGEST_BYTES; i++) {
		int high = hex_value(text[2 * i]);
		int low = high < 0 ? -1 : hex_value(text[2 * i + 1]);
		if (low < 0)
			return false;
		digest[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(ret_digest, digest, sizeof(digest));
	return true;
}
