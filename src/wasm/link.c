/* SPDX-License-Identifier: Apache-2.0 */
/* link.c - the compiled code, its imports and what it asks for at its start */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "wasm/wasm.h"

#define PAGE_BYTES        65536u
#define MAX_TABLE_ENTRIES WASM_MAX_TABLE_ENTRIES

static int check_limits(const struct wasm_program *program, struct wasm_failed *failed)
{
	const struct wasm_configure *configure = &program->configure;
	const struct scan *scan = &program->scan;
	if (scan->memory_pages > configure->memory_bytes / PAGE_BYTES)
		return fail_with(failed, "limits.memory", "raise it, or use a smaller module",
				 "the module begins with %" PRIu64
				 " pages of 64 KiB, which is more",
				 scan->memory_pages);
	if (configure->tables != POLICY_UNLIMITED && scan->n_tables > configure->tables)
		return fail_with(failed, "limits.tables", "raise it, or use another module",
				 "the module has %" PRIu64 " tables, which is more",
				 scan->n_tables);
	if (scan->table_entries > MAX_TABLE_ENTRIES)
		return fail_with(failed, "module", "use a smaller module",
				 "its tables begin with %" PRIu64 " entries, more than %u",
				 scan->table_entries, MAX_TABLE_ENTRIES);
	return 0;
}

/* The library says which import, and that it is not there or of another type. */
static int refuse_imports(const struct wasm_program *program, const struct wasmtime_error *error,
			  struct wasm_failed *failed)
{
	char words[200];
	library_error_words(&program->wasmtime, error, words, sizeof(words));
	return fail_with(
		failed, "module",
		"import functions of wasi_snapshot_preview1 only (docs/wasm.md lists them)",
		"cannot be linked: %s", words);
}

static int find_image(void)
{
	struct stat code, other;
	if (fstat(WASM_CODE_FD, &code) < 0)
		return -1;
	for (int fd = WASM_N_FDS; fd < WASM_N_FDS + 8; fd++) {
		if (fstat(fd, &other) == 0 && other.st_dev == code.st_dev &&
		    other.st_ino == code.st_ino)
			return fd;
	}
	return -1;
}

int link_module(struct wasm_program *program, struct wasm_failed *failed)
{
	const struct wasmtime *wasmtime = &program->wasmtime;
	struct wasmtime_module *module = NULL;
	char path[32], words[200];
	if (check_limits(program, failed) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", WASM_CODE_FD);
	struct wasmtime_error *error =
		wasmtime->wasmtime_module_deserialize_file(program->engine, path, &module);
	if (error) {
		library_error_words(wasmtime, error, words, sizeof(words));
		return fail_with(failed, "module", "remove foso's folder of compiled modules",
				 "its compiled code cannot be loaded: %s", words);
	}
	program->image_fd = find_image();
	struct wasmtime_linker *linker = wasmtime->wasmtime_linker_new(program->engine);
	if (host_define(wasmtime, linker, failed) < 0)
		return -1;
	error = wasmtime->wasmtime_linker_instantiate_pre(linker, module, &program->linked);
	return error ? refuse_imports(program, error, failed) : 0;
}
