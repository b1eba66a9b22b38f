/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - the bytes of a policy document, bounded */
#include <errno.h>
#include <unistd.h>

#include "policy/text/lines.h"

int policy_text_read(const struct policy_text *text, int fd, struct buf *out, struct error *err)
{
	char bytes[16 * 1024];
	size_t n_left = POLICY_MAX_TEXT_BYTES + 1;
	while (n_left > 0) {
		ssize_t n = read(fd, bytes, MIN(n_left, sizeof(bytes)));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int result =
				error_set(err, ERR_SYSTEM, errno, text->name, "cannot be read");
			return error_remedy(err, result, "name a file, or - for standard input");
		}
		if (n == 0)
			break;
		buf_append(out, bytes, (size_t)n);
		n_left -= (size_t)n;
	}
	if (n_left == 0) {
		int result = error_set(err, ERR_LIMIT, 0, text->name, "is larger than 1 MiB");
		return error_remedy(err, result, "a policy is short; was another file meant?");
	}
	if (!buf_is_whole(out)) {
		int result = error_set(err, ERR_SYSTEM, 0, text->name, "out of memory");
		return error_remedy(err, result, "free memory, and try again");
	}
	return 0;
}
