/* SPDX-License-Identifier: Apache-2.0 */
/* sink.c - bytes that are digested, and written if there is where to */
#include "buildtool/sink.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define COPY_BYTES (256 * 1024)

int sink_init(struct sink *sink, int fd, const char *name, struct error *err)
{
	*sink = (struct sink){ .fd = fd, .max_bytes = UINT64_MAX, .name = name, .remedy = "" };
	return hash_init(&sink->hash, err);
}

void sink_fini(struct sink *sink)
{
	hash_fini(&sink->hash);
}

static int write_all(struct sink *sink, const char *bytes, size_t len, struct error *err)
{
	while (sink->fd >= 0 && len > 0) {
		ssize_t n = write(sink->fd, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE) {
			sink->is_gone = true;
			int r = error_set(err, ERR_UNAVAILABLE, 0, sink->name, "is no longer read");
			return error_remedy(err, r, "see what its reader said");
		}
		if (n <= 0) {
			int r = error_set(err, ERR_SYSTEM, errno, sink->name, "cannot be written");
			return error_remedy(err, r, "free space where the image store is");
		}
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

int sink_put(struct sink *sink, const void *bytes, const void *digested, size_t len,
	     struct error *err)
{
	if (len > sink->max_bytes || sink->n_bytes > sink->max_bytes - len) {
		int r = error_set(err, ERR_LIMIT, 0, sink->name, "becomes larger than %llu bytes",
				  (unsigned long long)sink->max_bytes);
		return error_remedy(err, r, "%s", sink->remedy);
	}
	if (sink->hash.context)
		hash_update(&sink->hash, digested ? digested : bytes, len);
	sink->n_bytes += len;
	return write_all(sink, bytes, len, err);
}

int sink_copy(struct sink *sink, int fd, uint64_t size, const char *path, struct error *err)
{
	static char bytes[COPY_BYTES];
	while (size > 0) {
		ssize_t n = read(fd, bytes, (size_t)MIN(size, (uint64_t)sizeof(bytes)));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int r = error_set(err, ERR_UNAVAILABLE, n < 0 ? errno : 0, path,
					  n < 0 ? "cannot be read" : "became shorter meanwhile");
			return error_remedy(err, r, "let nothing change it, and start again");
		}
		int r = sink_put(sink, bytes, NULL, (size_t)n, err);
		if (r != 0)
			return r;
		size -= (uint64_t)n;
	}
	return 0;
}

void sink_digest(struct sink *sink, uint8_t ret_digest[DIGEST_BYTES])
{
	hash_final(&sink->hash, ret_digest);
}
