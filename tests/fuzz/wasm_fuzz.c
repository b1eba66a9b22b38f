/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_fuzz.c - the look at a module's sections, and the messages of level wasm */
#include <stdlib.h>

#include "wasm/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan scan;
	struct wasm_failed failed = { .subject = "" };
	struct wasm_configure configure;
	struct wasm_execute execute;
	struct wasm_ended ended;
	if (scan_module(&scan, data, size, &failed) < 0 &&
	    (!failed.subject[0] || !failed.message[0] || !failed.remedy[0]))
		abort();
	if (wasm_ended_decode(&ended, data, size) &&
	    (ended.end >= WASM_N_ENDS || ended.trap >= WASM_N_TRAPS))
		abort();
	if (wasm_configure_decode(&configure, data, size)) {
		if (configure.folders.n_items > WASM_MAX_FOLDERS)
			abort();
		wasm_configure_fini(&configure);
	}
	(void)!wasm_failed_decode(&failed, data, size);
	if (wasm_execute_decode(&execute, data, size))
		wasm_execute_fini(&execute);
	return 0;
}
