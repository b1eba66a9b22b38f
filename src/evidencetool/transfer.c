/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - foso evidence export */
#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "evidencetool/commands.h"
#include "evidencetool/rights.h"
#include "evidencetool/store.h"

static int describe_write_failure(struct error *err, int errnum)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "stdout", "cannot be written");
	return error_remedy(err, r, "see where the output goes");
}

static int write_whole(const char *bytes, size_t len, struct error *err)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(STDOUT_FILENO, bytes + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return describe_write_failure(err, n < 0 ? errno : ENOSPC);
		done += (size_t)n;
	}
	return 0;
}

static int write_head(const struct store *store, struct error *err)
{
	char text[EVIDENCE_HEAD_BYTES];
	if (store->head_state == STORE_HEAD_READ) {
		evidence_head_format(&store->head, text);
		return write_whole(text, sizeof(text), err);
	}
	int r = error_set(err, ERR_NOT_FOUND, 0, store->path, "has no head");
	return error_remedy(err, r,
			    "name the folder of the log; foso evidence verify tells what "
			    "is wrong with it");
}

/* Byte for byte, as hashes cover bytes. */
static int write_log(const struct store *store, struct error *err)
{
	char bytes[64 * 1024];
	for (uint64_t offset = 0; offset < store->log_bytes;) {
		size_t want = (size_t)MIN((uint64_t)sizeof(bytes), store->log_bytes - offset);
		ssize_t n = pread(store->log_fd, bytes, want, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int r = error_set(err, ERR_SYSTEM, n < 0 ? errno : 0, store->path,
					  "cannot be read at byte %llu",
					  (unsigned long long)offset);
			return error_remedy(err, r, "look at the disk that holds it");
		}
		int r = write_whole(bytes, (size_t)n, err);
		if (r < 0)
			return r;
		offset += (uint64_t)n;
	}
	return 0;
}

int command_export(const struct args *args, struct error *err)
{
	CLEANUP(store_close) struct store store = { .log_fd = -1 };
	int r = store_open(&store, args->operands[0], err);
	if (r == 0)
		r = rights_drop(err);
	if (r < 0)
		return r;
	return args->is_head ? write_head(&store, err) : write_log(&store, err);
}
