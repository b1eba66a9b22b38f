/* SPDX-License-Identifier: Apache-2.0 */
/* hash.c - SHA-256 of what passes by, by OpenSSL */
#include "image/write/hash.h"

#include <openssl/evp.h>

int hash_init(struct hash *hash, struct error *err)
{
	hash->context = EVP_MD_CTX_new();
	if (hash->context && EVP_DigestInit_ex(hash->context, EVP_sha256(), NULL) == 1)
		return 0;
	hash_fini(hash);
	int r = error_set(err, ERR_SYSTEM, 0, "SHA-256", "OpenSSL does not have it");
	return error_remedy(err, r, "look at the machine's openssl.cnf");
}

void hash_update(struct hash *hash, const void *bytes, size_t len)
{
	(void)EVP_DigestUpdate(hash->context, bytes, len);
}

void hash_final(struct hash *hash, uint8_t ret_digest[DIGEST_BYTES])
{
	unsigned len = DIGEST_BYTES;
	(void)EVP_DigestFinal_ex(hash->context, ret_digest, &len);
}

void hash_fini(struct hash *hash)
{
	EVP_MD_CTX_free(hash->context);
	hash->context = NULL;
}
