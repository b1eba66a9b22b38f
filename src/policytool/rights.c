/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights.c - foso-policy gives up its rights before it reads a byte
 *
 * The document is a stranger's and libyaml is a parser of a rich format.
 */
#include <unistd.h>

#include "confine/confine.h"
#include "confine/reader.h"
#include "policytool/tool.h"

#define MAX_MEMORY_BYTES (UINT64_C(256) << 20)
#define MAX_CPU_SECONDS  5

int rights_drop(struct error *err)
{
	static const struct confine_reader limits = {
		.memory_bytes = MAX_MEMORY_BYTES,
		.cpu_seconds = MAX_CPU_SECONDS,
		.output_bytes = POLICY_MAX_ENCODED_BYTES,
	};
	int errnum = confine_close_fds(STDERR_FILENO + 1);
	if (errnum == 0)
		errnum = confine_reader(&limits);
	if (errnum == 0)
		return 0;
	int result = error_set(err, ERR_SYSTEM, errnum, "foso-policy", "cannot give up its rights");
	return error_remedy(err, result,
			    "nothing was read; see whether an outer sandbox forbids it");
}
