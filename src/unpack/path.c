/* SPDX-License-Identifier: Apache-2.0 */
/* path.c - the name of a member of an archive, checked and in one form */
#include "unpack/path.h"

#include <string.h>

#define MAX_NAME_BYTES 255

int path_normalize(struct unpack_fault *fault, const char *path, char ret_path[IMAGE_PATH_MAX + 1])
{
	size_t len = strlen(path), at = 0, n_parts = 0;
	if (len == 0)
		return fault_set(fault, IMAGE_FAULT_NO_NAME, "", 0, 0);
	if (path[0] == '/')
		return fault_set(fault, IMAGE_FAULT_ABSOLUTE, path, 0, 0);
	for (const char *part = path; *part;) {
		size_t n = strcspn(part, "/");
		const char *next = part + n + (part[n] == '/');
		bool is_nothing = n == 0 || (n == 1 && part[0] == '.');
		if (n == 2 && memcmp(part, "..", 2) == 0)
			return fault_set(fault, IMAGE_FAULT_UP, path, 0, 0);
		if (n > MAX_NAME_BYTES)
			return fault_set(fault, IMAGE_FAULT_NAME_LONG, path, n, 0);
		n_parts += !is_nothing;
		if (!is_nothing && at + n + 1 <= IMAGE_PATH_MAX) {
			if (at > 0)
				ret_path[at++] = '/';
			memcpy(ret_path + at, part, n);
			at += n;
		}
		part = next;
	}
	if (len > IMAGE_PATH_MAX || n_parts > PATH_MAX_PARTS)
		return fault_set(fault, IMAGE_FAULT_PATH_LONG, path, len, n_parts);
	ret_path[at] = '\0';
	return 0;
}
