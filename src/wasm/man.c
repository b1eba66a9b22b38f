/* SPDX-License-Identifier: Apache-2.0 */
/* man.c - the parts of foso-wasm(7) that tables hold, in the language of scdoc(5) */
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "wasm/wasi/wasi.h"
#include "wasm/wasm.h"

/* In scdoc an underscore begins or ends emphasis. */
static void print_name(const char *name)
{
	for (; *name; name++)
		(void)printf("%s%c", *name == '_' ? "\\" : "", *name);
}

static void print_functions(void)
{
	for (unsigned i = 0; i < WASI_N_FUNCTIONS; i++) {
		print_name(wasi_function_name((enum wasi_function)i));
		(void)printf("%s", i + 1 < WASI_N_FUNCTIONS ? ", " : "\n");
	}
}

static void print_traps(void)
{
	for (unsigned i = 0; i < WASM_N_TRAPS; i++) {
		/* Fuel is an end of its own; the last is for what has no number. */
		if (i != WASM_TRAP_OUT_OF_FUEL && i != WASM_TRAP_OTHER)
			(void)printf("- %s\n", wasm_trap_words((enum wasm_trap_kind)i));
	}
}

static void print_bounds(void)
{
	static const struct {
		const char *what;
		uint64_t value;
		const char *unit;
	} bounds[] = {
		{ "a module", WASM_MAX_MODULE_BYTES >> 20, "MiB" },
		{ "its machine code", WASM_MAX_CODE_BYTES >> 20, "MiB" },
		{ "memory of the compiler", WASM_COMPILE_BYTES >> 20, "MiB" },
		{ "processor time of the compiler", WASM_COMPILE_SECONDS, "s" },
		{ "the stack", WASM_MAX_STACK_BYTES >> 20, "MiB" },
		{ "tables", WASM_MAX_TABLES, "" },
		{ "entries of one table", WASM_MAX_TABLE_ENTRIES, "" },
		{ "memory of a worker beside the module's", WASM_RUNTIME_BYTES >> 20, "MiB" },
		{ "bytes that one call moves", WASI_MAX_TRANSFER_BYTES >> 20, "MiB" },
	};
	for (size_t i = 0; i < ARRAY_LEN(bounds); i++)
		(void)printf("- %s: %llu%s%s\n", bounds[i].what,
			     (unsigned long long)bounds[i].value, bounds[i].unit[0] ? " " : "",
			     bounds[i].unit);
}

int man_print(const char *part)
{
	if (strcmp(part, "functions") == 0)
		print_functions();
	else if (strcmp(part, "traps") == 0)
		print_traps();
	else if (strcmp(part, "bounds") == 0)
		print_bounds();
	else
		return 125;
	return fflush(stdout) == 0 ? 0 : 125;
}
