/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_process.c - a new process of the same library that runs a compiled module once
 *
 * usage: wasm_process LIBRARY CODE
 *
 * What a fresh worker is measured against: the same engine, the same configuration and limits, no
 * walls; of WASI only fd_write, as simple as it can be.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/library.h"

#define WASI "wasi_snapshot_preview1"

static struct wasmtime library;

static struct wasm_trap *on_write(void *env, struct wasmtime_caller *caller,
				  union wasmtime_raw *raws, size_t n_raws)
{
	struct wasmtime_context *context = library.wasmtime_caller_context(caller);
	struct wasmtime_extern item;
	uint32_t at, len;
	UNUSED(env);
	UNUSED(n_raws);
	if (!library.wasmtime_caller_export_get(caller, "memory", 6, &item))
		return NULL;
	const uint8_t *memory = library.wasmtime_memory_data(context, &item.of.memory);
	memcpy(&at, memory + (uint32_t)raws[1].i32, sizeof(at));
	memcpy(&len, memory + (uint32_t)raws[1].i32 + 4, sizeof(len));
	raws[0].i32 = write(raws[0].i32, memory + at, len) == (ssize_t)len ? 0 : 29;
	return NULL;
}

static int define_write(struct wasmtime_linker *linker)
{
	struct wasm_valtype *types[4];
	struct wasm_valtypes in, out;
	for (int i = 0; i < 4; i++)
		types[i] = library.wasm_valtype_new(WASM_I32);
	library.wasm_valtype_vec_new(&in, 4, types);
	types[0] = library.wasm_valtype_new(WASM_I32);
	library.wasm_valtype_vec_new(&out, 1, types);
	return library.wasmtime_linker_define_func_unchecked(linker, WASI, strlen(WASI), "fd_write",
							     8,
							     library.wasm_functype_new(&in, &out),
							     on_write, NULL, NULL) == NULL
		       ? 0
		       : -1;
}

static int run(struct wasm_engine *engine, const char *code)
{
	struct wasmtime_module *module = NULL;
	struct wasmtime_instance_pre *linked = NULL;
	struct wasmtime_instance instance;
	struct wasmtime_extern start;
	struct wasm_trap *trap = NULL;
	union wasmtime_raw none;
	struct wasmtime_linker *linker = library.wasmtime_linker_new(engine);
	struct wasmtime_store *store = library.wasmtime_store_new(engine, NULL, NULL);
	struct wasmtime_context *context = library.wasmtime_store_context(store);
	library.wasmtime_store_limiter(store, -1, 1 << 20, 1, 8, 1);
	if (library.wasmtime_context_set_fuel(context, 1000000) || define_write(linker) < 0 ||
	    library.wasmtime_module_deserialize_file(engine, code, &module) ||
	    library.wasmtime_linker_instantiate_pre(linker, module, &linked) ||
	    library.wasmtime_instance_pre_instantiate(linked, context, &instance, &trap) || trap ||
	    !library.wasmtime_instance_export_get(context, &instance, "_start", 6, &start))
		return 1;
	return library.wasmtime_func_call_unchecked(context, &start.of.func, &none, 0, &trap) ||
			       trap
		       ? 1
		       : 0;
}

int main(int argc, char **argv)
{
	const char *lack = argc == 3 ? library_load(&library, argv[1]) : "two arguments";
	if (lack) {
		(void)fprintf(stderr, "wasm_process: %s\n", lack);
		return 2;
	}
	_exit(run(library_engine(&library, 0, 64u << 20), argv[2]));
}
