/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign.c - foso evidence keygen and sign
 *
 * sign is what the monitor starts, so that it never holds the key itself: the key is read first,
 * then every right is given up, and only then a byte is read from whoever asks.
 */
#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "evidencetool/commands.h"
#include "evidencetool/keys.h"
#include "evidencetool/rights.h"

int command_keygen(const struct args *args, struct error *err)
{
	CLEANUP(key_fini) struct key key = { 0 };
	if (!args->out) {
		int r = error_set(err, ERR_INVALID, 0, "--out", "is not given");
		return error_remedy(err, r, "write foso evidence keygen --out FILE");
	}
	int r = key_generate(&key, args->out, err);
	if (r == 0)
		printf("private key: %s\npublic key: %s" KEY_PUBLIC_SUFFIX "\nkey id: %s\n",
		       args->out, args->out, key.id);
	return r;
}

static int describe_stdout_failure(struct error *err, int errnum)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "stdout", "cannot be written");
	return error_remedy(err, r, "see where the output goes");
}

static int write_line(const char *text, struct error *err)
{
	size_t len = strlen(text);
	ssize_t n;
	do {
		n = write(STDOUT_FILENO, text, len);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)len ? 0 : describe_stdout_failure(err, n < 0 ? errno : ENOSPC);
}

/* Up to @size bytes, fewer only at the end of file. */
static int read_stdin(uint8_t *bytes, size_t size, size_t *ret_len, struct error *err)
{
	size_t len = 0;
	while (len < size) {
		ssize_t n = read(STDIN_FILENO, bytes + len, size - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int r = error_set(err, ERR_SYSTEM, errno, "stdin", "cannot be read");
			return error_remedy(err, r, "give the 32 bytes of a SHA-256 on stdin");
		}
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*ret_len = len;
	return 0;
}

/*
 * The hash.  Who waits for "ready" sends it and keeps the socket; who pipes it in closes the
 * pipe, so that 64 digits instead of 32 bytes are found out and not signed in part.
 */
static int read_hash(uint8_t ret_hash[DIGEST_BYTES], bool is_pipe, struct error *err)
{
	uint8_t bytes[DIGEST_BYTES + 1];
	size_t len = 0;
	int r = read_stdin(bytes, is_pipe ? sizeof(bytes) : DIGEST_BYTES, &len, err);
	if (r < 0)
		return r;
	if (len != DIGEST_BYTES) {
		r = error_set(err, ERR_INVALID, 0, "stdin", "has %s than the 32 bytes of a hash",
			      len < DIGEST_BYTES ? "less" : "more");
		return error_remedy(err, r, "give a SHA-256 as 32 raw bytes, not as digits");
	}
	memcpy(ret_hash, bytes, DIGEST_BYTES);
	return 0;
}

int command_sign(const struct args *args, struct error *err)
{
	CLEANUP(key_fini) struct key key = { 0 };
	char signature[EVIDENCE_SIGNATURE_CHARS + 1], line[256];
	uint8_t hash[DIGEST_BYTES];
	int r;
	if (args->n_keys != 1) {
		r = error_set(err, ERR_INVALID, 0, "--key", "is given %s",
			      args->n_keys == 0 ? "not at all" : "more than once");
		return error_remedy(err, r, "write foso evidence sign --key FILE");
	}
	/* Before the key is in memory: no other process may look at it, and no core may hold it. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return error_set(err, ERR_INTERNAL, errno, "sign", "PR_SET_DUMPABLE");
	r = key_read(&key, args->keys[0], err);
	/* Once before the rights are gone: OpenSSL sets itself up at the first signature. */
	if (r == 0)
		r = key_sign(&key, (const uint8_t[DIGEST_BYTES]){ 0 }, signature, err);
	if (r == 0)
		r = rights_drop(err);
	if (r == 0 && args->is_ready)
		r = write_line("ready\n", err);
	if (r == 0)
		r = read_hash(hash, !args->is_ready, err);
	if (r == 0)
		r = key_sign(&key, hash, signature, err);
	if (r < 0)
		return r;
	(void)snprintf(line, sizeof(line), "%s %s\n", key.id, signature);
	return write_line(line, err);
}
