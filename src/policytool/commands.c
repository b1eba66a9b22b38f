/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - check and compile */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "policytool/tool.h"
#include "wire/errors.h"

#define auto_document CLEANUP(document_fini)

static int refuse(const struct document *document)
{
	errors_print(&document->errors);
	return TOOL_EXIT_REFUSED;
}

int tool_check(const char *file, enum policy_level level)
{
	auto_document struct document document;
	uint8_t digest[DIGEST_BYTES];
	char hex[DIGEST_HEX_BYTES];
	if (document_read(&document, file, file) != 0)
		return refuse(&document);
	if (document_check(&document, level) != 0)
		return refuse(&document);
	if (policy_digest(&document.policy, digest, error_list_next(&document.errors)) != 0)
		return refuse(&document);
	digest_hex(digest, hex);
	(void)printf("%s: ok, sha256:%s\n", file, hex);
	return fflush(stdout) == 0 ? 0 : TOOL_EXIT_REFUSED;
}

static int write_all(const struct buf *bytes, struct error *err)
{
	for (size_t at = 0; at < bytes->len;) {
		ssize_t n = write(STDOUT_FILENO, bytes->data + at, bytes->len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int result =
				error_set(err, ERR_SYSTEM, errno, "stdout", "cannot be written");
			return error_remedy(err, result, "read the answer to its end");
		}
		at += (size_t)n;
	}
	return 0;
}

/* A program wants the mistakes one by one, and says them itself. */
static int refuse_to(const struct document *document, bool is_program)
{
	auto_buf struct buf bytes = BUF_INIT(ERRORS_MAX_BYTES);
	struct error err = { .code = ERR_NONE };
	if (!is_program)
		return refuse(document);
	errors_encode(&document->errors, &bytes);
	if (!buf_is_whole(&bytes) || write_all(&bytes, &err) < 0)
		return refuse(document);
	return TOOL_EXIT_REFUSED;
}

/*
 * Contradictions are not looked for here: options of the command line may still resolve them,
 * and foso checks the whole afterwards.
 */
int tool_compile(const char *name, bool for_program)
{
	auto_document struct document document;
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	if (document_read(&document, "-", name) != 0)
		return refuse_to(&document, for_program);
	policy_encode(&document.policy, &bytes);
	struct error *err = error_list_next(&document.errors);
	if (!buf_is_whole(&bytes)) {
		int result = error_set(err, ERR_LIMIT, 0, name, "is larger than 4 MiB as a whole");
		(void)error_remedy(err, result, "pass large data as a file");
		return refuse_to(&document, for_program);
	}
	return write_all(&bytes, err) == 0 ? 0 : refuse(&document);
}
