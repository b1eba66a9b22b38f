/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c - Ed25519 keys in PEM, by OpenSSL */
#include "evidencetool/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MAX_PEM_BYTES   (16 * 1024)
#define SIGNATURE_BYTES 64
#define PUBLIC_BYTES    32

static void bio_fini(BIO **bio)
{
	(void)BIO_free(*bio);
}

#define auto_bio CLEANUP(bio_fini)

static int describe_open_failure(struct error *err, int errnum, const char *path)
{
	if (errnum == ENOENT) {
		int r = error_set(err, ERR_NOT_FOUND, errnum, path, "cannot be opened");
		return error_remedy(err, r, "make a key with foso evidence keygen --out FILE");
	}
	int r = error_set(err, errnum == EACCES ? ERR_DENIED : ERR_SYSTEM, errnum, path,
			  "cannot be opened");
	return error_remedy(err, r, "name a file that this user can read");
}

/* A private key that others can read, or put there, is nobody's own. */
static int check_private(const struct stat *status, const char *path, struct error *err)
{
	if (status->st_uid != geteuid() && status->st_uid != 0) {
		int r = error_set(err, ERR_DENIED, 0, path,
				  "belongs to uid %u, neither to uid %u, who signs, nor to root",
				  status->st_uid, geteuid());
		return error_remedy(err, r, "make a key of your own with foso evidence keygen");
	}
	if (status->st_mode & 0077) {
		int r = error_set(err, ERR_DENIED, 0, path,
				  "may be used by others than its owner (mode %04o)",
				  status->st_mode & 07777);
		return error_remedy(err, r,
				    "take the right away with chmod 600; if others have "
				    "read it, make a new key");
	}
	return 0;
}

/* The bytes of the file.  The caller erases them. */
static int read_pem(const char *path, bool is_private, char bytes[MAX_PEM_BYTES], size_t *ret_len,
		    struct error *err)
{
	struct stat status;
	size_t len = 0;
	auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return describe_open_failure(err, errno, path);
	if (!S_ISREG(status.st_mode)) {
		int r = error_set(err, ERR_INVALID, 0, path, "is not a file");
		return error_remedy(err, r, "name the PEM file of the key");
	}
	int r = is_private ? check_private(&status, path, err) : 0;
	if (r < 0)
		return r;
	while (len < MAX_PEM_BYTES) {
		ssize_t n = read(fd, bytes + len, MAX_PEM_BYTES - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return describe_open_failure(err, errno, path);
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*ret_len = len;
	return 0;
}

/* Nobody is there to type a passphrase. */
/* NOLINTNEXTLINE(readability-non-const-parameter): OpenSSL gives the type */
static int no_passphrase(char *text, int size, int is_writing, void *context)
{
	UNUSED(text);
	UNUSED(size);
	UNUSED(is_writing);
	*(bool *)context = true;
	return -1;
}

static int fill_id(struct key *key, const char *path, struct error *err)
{
	uint8_t public_key[PUBLIC_BYTES], digest[DIGEST_BYTES];
	size_t len = sizeof(public_key);
	if (EVP_PKEY_get_raw_public_key(key->pkey, public_key, &len) != 1 || len != PUBLIC_BYTES)
		return error_set(err, ERR_INTERNAL, 0, path, "OpenSSL gives no raw public key");
	digest_sha256(public_key, len, NULL, 0, digest);
	digest_hex(digest, key->id);
	return 0;
}

/* A file, as far as it has been read. */
struct pem {
	const char *path;
	const char *bytes;
	size_t len;
	bool has_passphrase;
};

/* What is wrong with a file that is not the key that was asked for. */
static int refuse_pem(const struct pem *pem, bool is_private, struct error *err)
{
	static const char mark[] = "PRIVATE KEY-----";
	int r;
	if (pem->has_passphrase) {
		r = error_set(err, ERR_INVALID, 0, pem->path, "is encrypted with a passphrase");
		return error_remedy(err, r,
				    "make a key without one, as nobody is there to type "
				    "it: foso evidence keygen --out FILE");
	}
	if (!is_private && memmem(pem->bytes, pem->len, mark, sizeof(mark) - 1)) {
		r = error_set(err, ERR_INVALID, 0, pem->path,
			      "holds a private key, and verifying takes the public one");
		return error_remedy(err, r,
				    "name the file that keygen wrote beside it, "
				    "FILE" KEY_PUBLIC_SUFFIX);
	}
	r = error_set(err, ERR_INVALID, 0, pem->path, "holds no Ed25519 %s key in PEM",
		      is_private ? "private" : "public");
	return error_remedy(err, r, "make a key with foso evidence keygen --out FILE");
}

static int key_load(struct key *ret, const char *path, bool is_private, struct error *err)
{
	char bytes[MAX_PEM_BYTES];
	struct pem pem = { .path = path, .bytes = bytes };
	struct key key = { 0 };
	int r = read_pem(path, is_private, bytes, &pem.len, err);
	if (r < 0)
		return r;
	auto_bio BIO *bio = BIO_new_mem_buf(bytes, (int)pem.len);
	if (bio && is_private)
		key.pkey = PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, &pem.has_passphrase);
	else if (bio)
		key.pkey = PEM_read_bio_PUBKEY(bio, NULL, no_passphrase, &pem.has_passphrase);
	if (!key.pkey || EVP_PKEY_get_id(key.pkey) != EVP_PKEY_ED25519)
		r = refuse_pem(&pem, is_private, err);
	else
		r = fill_id(&key, path, err);
	OPENSSL_cleanse(bytes, sizeof(bytes));
	if (r < 0) {
		key_fini(&key);
		return r;
	}
	*ret = key;
	return 0;
}

int key_read(struct key *ret, const char *path, struct error *err)
{
	return key_load(ret, path, true, err);
}

void key_fini(struct key *key)
{
	EVP_PKEY_free(key->pkey);
	key->pkey = NULL;
}

/* A new file with these bytes, on the disk: a lost key cannot be made again. */
static int write_new(const char *path, mode_t mode, const char *bytes, size_t len,
		     struct error *err)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0 && errno == EEXIST) {
		int r = error_set(err, ERR_EXISTS, 0, path,
				  "exists, and a key is never overwritten");
		return error_remedy(err, r, "name another file, or move this one away");
	}
	ssize_t n = fd < 0 ? -1 : write(fd, bytes, len);
	if (n == (ssize_t)len && fsync(fd) == 0)
		return 0;
	int errnum = n < 0 || n == (ssize_t)len ? errno : ENOSPC;
	if (fd >= 0)
		(void)unlink(path);
	int r = error_set(err, ERR_SYSTEM, errnum, path, "cannot be written");
	return error_remedy(err, r, "name a file in a folder that this user can write");
}

/* Both halves in PEM, in memory. */
static bool to_pem(EVP_PKEY *pkey, BIO *private_bio, BIO *public_bio)
{
	return private_bio && public_bio &&
	       PEM_write_bio_PrivateKey(private_bio, pkey, NULL, NULL, 0, NULL, NULL) == 1 &&
	       PEM_write_bio_PUBKEY(public_bio, pkey) == 1;
}

static int write_pair(const char *path, BIO *private_bio, BIO *public_bio, struct error *err)
{
	char public_path[PATH_MAX];
	char *bytes = NULL;
	if (snprintf(public_path, sizeof(public_path), "%s" KEY_PUBLIC_SUFFIX, path) >=
	    (int)sizeof(public_path)) {
		int r = error_set(err, ERR_LIMIT, 0, "--out", "is longer than a path can be");
		return error_remedy(err, r, "name a shorter path");
	}
	long len = BIO_get_mem_data(private_bio, &bytes);
	int r = write_new(path, 0600, bytes, (size_t)len, err);
	OPENSSL_cleanse(bytes, (size_t)len);
	if (r < 0)
		return r;
	len = BIO_get_mem_data(public_bio, &bytes);
	r = write_new(public_path, 0644, bytes, (size_t)len, err);
	if (r < 0)
		(void)unlink(path);
	return r;
}

int key_generate(struct key *ret, const char *path, struct error *err)
{
	auto_bio BIO *private_bio = BIO_new(BIO_s_mem());
	auto_bio BIO *public_bio = BIO_new(BIO_s_mem());
	struct key key = { .pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519") };
	int r;
	if (!key.pkey || !to_pem(key.pkey, private_bio, public_bio)) {
		r = error_set(err, ERR_SYSTEM, 0, path, "OpenSSL makes no Ed25519 key");
		r = error_remedy(err, r, "see openssl version; foso needs 3.0 or later");
	} else {
		r = fill_id(&key, path, err);
	}
	if (r == 0)
		r = write_pair(path, private_bio, public_bio, err);
	if (r < 0) {
		key_fini(&key);
		return r;
	}
	*ret = key;
	return 0;
}

int key_sign(const struct key *key, const uint8_t hash[DIGEST_BYTES],
	     char ret_signature[EVIDENCE_SIGNATURE_CHARS + 1], struct error *err)
{
	uint8_t signature[SIGNATURE_BYTES];
	size_t len = sizeof(signature);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool is_signed = context && EVP_DigestSignInit(context, NULL, NULL, NULL, key->pkey) == 1 &&
			 EVP_DigestSign(context, signature, &len, hash, DIGEST_BYTES) == 1 &&
			 len == SIGNATURE_BYTES;
	EVP_MD_CTX_free(context);
	if (!is_signed)
		return error_set(err, ERR_INTERNAL, 0, "--key", "OpenSSL does not sign with it");
	(void)EVP_EncodeBlock((unsigned char *)ret_signature, signature, SIGNATURE_BYTES);
	return 0;
}

int keyring_add(struct keyring *keyring, const char *path, struct error *err)
{
	assert(keyring->n_items < ARRAY_LEN(keyring->items));
	int r = key_load(&keyring->items[keyring->n_items], path, false, err);
	if (r == 0)
		keyring->n_items++;
	return r;
}

void keyring_fini(struct keyring *keyring)
{
	while (keyring->n_items > 0)
		key_fini(&keyring->items[--keyring->n_items]);
}

/* Base64 to bytes; false unless the text is the one that these bytes are written as. */
static bool base64_decode(const char *text, uint8_t ret_signature[SIGNATURE_BYTES])
{
	unsigned char bytes[EVIDENCE_SIGNATURE_CHARS], again[EVIDENCE_SIGNATURE_CHARS + 1];
	if (EVP_DecodeBlock(bytes, (const unsigned char *)text, EVIDENCE_SIGNATURE_CHARS) < 0)
		return false;
	(void)EVP_EncodeBlock(again, bytes, SIGNATURE_BYTES);
	memcpy(ret_signature, bytes, SIGNATURE_BYTES);
	return memcmp(again, text, EVIDENCE_SIGNATURE_CHARS) == 0;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void hex_decode(const char *hex, uint8_t ret_hash[DIGEST_BYTES])
{
	for (size_t i = 0; i < DIGEST_BYTES; i++)
		ret_hash[i] = (uint8_t)(hex_digit(hex[2 * i]) * 16 + hex_digit(hex[2 * i + 1]));
}

static const struct key *keyring_find(const struct keyring *keyring, const char *id)
{
	for (size_t i = 0; i < keyring->n_items; i++) {
		if (strncmp(keyring->items[i].id, id, DIGEST_HEX_BYTES - 1) == 0)
			return &keyring->items[i];
	}
	return NULL;
}

enum keyring_answer keyring_check(const struct keyring *keyring, const struct evidence_line *line)
{
	uint8_t signature[SIGNATURE_BYTES], hash[DIGEST_BYTES];
	const struct key *key = keyring_find(keyring, line->key);
	if (!key)
		return KEYRING_UNKNOWN_KEY;
	if (!base64_decode(line->signature, signature))
		return KEYRING_BAD_SIGNATURE;
	hex_decode(line->hash, hash);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool is_good =
		context && EVP_DigestVerifyInit(context, NULL, NULL, NULL, key->pkey) == 1 &&
		EVP_DigestVerify(context, signature, sizeof(signature), hash, sizeof(hash)) == 1;
	EVP_MD_CTX_free(context);
	return is_good ? KEYRING_GOOD : KEYRING_BAD_SIGNATURE;
}
