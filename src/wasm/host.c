/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - WASI's functions as the library calls them: types, memory, fuel, the end */
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"
#include "wasm/wasi/wasi.h"
#include "wasm/wasm.h"

#define WASI_MODULE "wasi_snapshot_preview1"

/* Of this process's one store.  A zygote has none, and so none of this is set there. */
static struct {
	const struct wasmtime *wasmtime;
	struct wasm_report *report;
	struct wasi wasi;
	struct wasmtime_context *context; /* during a call */
	struct wasmtime_memory memory;
	bool has_memory;
	uint64_t fuel; /* given */
	/* warm.c: the interpreter's start, and what it then reads. */
	void (*pause)(void *context);
	void *pause_context;
	bool is_paused, is_resumed;
	const char *command;
	size_t n_command_bytes;
} host;

static const struct wasmtime *library; /* for the callbacks; set before the fork */

static uint64_t fuel_left(const struct wasmtime_context *context)
{
	uint64_t left = 0;
	if (library->wasmtime_context_get_fuel(context, &left))
		return 0;
	return left;
}

static bool charge(void *context, uint64_t n_units)
{
	UNUSED(context);
	uint64_t left = fuel_left(host.context);
	if (left < n_units) {
		(void)!library->wasmtime_context_set_fuel(host.context, 0);
		return false;
	}
	return !library->wasmtime_context_set_fuel(host.context, left - n_units);
}

_Noreturn void host_finish(const struct wasmtime_context *context)
{
	struct wasm_ended *ended = &host.report->ended;
	ended->fuel = host.fuel - fuel_left(context);
	ended->n_memory_refusals = memory_refusals();
	if (host.wasi.disk)
		wasi_fini(&host.wasi);
	host.report->is_done = true;
	_exit(0);
}

/* The guest's memory can have moved or grown since the last call. */
static void find_memory(struct wasmtime_caller *caller)
{
	struct wasmtime_extern item;
	host.context = library->wasmtime_caller_context(caller);
	if (!host.has_memory && library->wasmtime_caller_export_get(caller, "memory", 6, &item) &&
	    item.kind == WASMTIME_EXTERN_MEMORY) {
		host.memory = item.of.memory;
		host.has_memory = true;
	}
	host.wasi.memory = NULL;
	host.wasi.memory_len = 0;
	if (host.has_memory) {
		host.wasi.memory = library->wasmtime_memory_data(host.context, &host.memory);
		host.wasi.memory_len =
			library->wasmtime_memory_data_size(host.context, &host.memory);
	}
}

/* The first one of the zygote comes back in its workers. */
static uint32_t read_command(struct wasmtime_caller *caller, const uint64_t *args)
{
	if (host.pause) {
		void (*pause)(void *context) = host.pause;
		host.pause = NULL;
		host.is_paused = true;
		pause(host.pause_context);
		find_memory(caller);
	}
	const uint8_t *vector = guest_at(&host.wasi, args[1], 8);
	if (!vector || args[2] == 0)
		return WASI_EFAULT;
	size_t len = MIN((size_t)guest_u32(vector + 4), host.n_command_bytes);
	uint8_t *at = guest_at(&host.wasi, guest_u32(vector), len);
	if (!at)
		return WASI_EFAULT;
	if (!wasi_pay(&host.wasi, len / WASI_BYTES_PER_UNIT))
		return WASI_OUT_OF_FUEL;
	memcpy(at, host.command, len);
	host.command += len;
	host.n_command_bytes -= len;
	if (len == 0)
		host.command = NULL; /* The next one is of its stdin. */
	return guest_store_u32(&host.wasi, args[3], (uint32_t)len);
}

static uint32_t serve(struct wasmtime_caller *caller, enum wasi_function function,
		      const uint64_t *args)
{
	if (function == WASI_fd_read && args[0] == STDIN_FILENO && (host.pause || host.command))
		return read_command(caller, args);
	return wasi_call(&host.wasi, function, args);
}

static struct wasm_trap *on_call(void *env, struct wasmtime_caller *caller,
				 union wasmtime_raw *raws, size_t n_raws)
{
	enum wasi_function function = (enum wasi_function)(uintptr_t)env;
	const char *params = wasi_function_params(function);
	uint64_t args[WASI_MAX_ARGS] = { 0 };
	UNUSED(n_raws);
	find_memory(caller);
	for (size_t i = 0; params[i]; i++)
		args[i] = params[i] == 'I' ? (uint64_t)raws[i].i64 : (uint32_t)raws[i].i32;
	uint32_t outcome = serve(caller, function, args);
	if (outcome == WASI_OUT_OF_FUEL)
		return library->wasmtime_trap_new_code(WASM_TRAP_OUT_OF_FUEL);
	if (outcome == WASI_EXITS && host.pause) /* before there was a command */
		return library->wasmtime_trap_new_code(WASM_TRAP_UNREACHABLE);
	if (outcome == WASI_EXITS) {
		host.report->ended.end = WASM_END_EXIT;
		host.report->ended.code = (int32_t)(host.wasi.exit_code & 0xff);
		host_finish(host.context);
	}
	raws[0].i32 = (int32_t)outcome;
	return NULL;
}

static struct wasm_functype *make_type(const struct wasmtime *wasmtime, const char *params,
				       bool has_result)
{
	struct wasm_valtype *types[WASI_MAX_ARGS];
	struct wasm_valtypes in, out;
	size_t n = 0;
	for (; params[n]; n++)
		types[n] = wasmtime->wasm_valtype_new(params[n] == 'I' ? WASM_I64 : WASM_I32);
	wasmtime->wasm_valtype_vec_new(&in, n, types);
	types[0] = has_result ? wasmtime->wasm_valtype_new(WASM_I32) : NULL;
	wasmtime->wasm_valtype_vec_new(&out, has_result ? 1 : 0, types);
	return wasmtime->wasm_functype_new(&in, &out);
}

int host_define(const struct wasmtime *wasmtime, struct wasmtime_linker *linker,
		struct wasm_failed *failed)
{
	library = wasmtime;
	for (unsigned i = 0; i < WASI_N_FUNCTIONS; i++) {
		enum wasi_function function = (enum wasi_function)i;
		const char *name = wasi_function_name(function);
		const struct wasm_functype *type =
			make_type(wasmtime, wasi_function_params(function),
				  function != WASI_proc_exit);
		if (wasmtime->wasmtime_linker_define_func_unchecked(linker, WASI_MODULE,
								    strlen(WASI_MODULE), name,
								    strlen(name), type, on_call,
								    (void *)(uintptr_t)i, NULL))
			return fail_with(failed, "level 'wasm'", "free some memory",
					 "'%s' cannot be defined", name);
	}
	return 0;
}

static void grant_folders(const struct wasm_configure *configure)
{
	for (size_t i = 0; i < configure->folders.n_items; i++) {
		if (wasi_grant_folder(&host.wasi, WASM_FIRST_FOLDER_FD + (int)i,
				      configure->folders.items[i], configure->is_read_only[i]) < 0)
			_exit(1);
	}
}

void host_begin(const struct wasm_program *program, const struct wasm_execute *execute,
		struct wasm_report *report)
{
	memory_begin();
	host.has_memory = false;
	host.wasmtime = &program->wasmtime;
	host.report = report;
	host.fuel = program->configure.fuel;
	wasi_init(&host.wasi);
	host.wasi.args = (const char *const *)execute->args.items;
	host.wasi.n_args = execute->args.n_items;
	host.wasi.env = (const char *const *)execute->env.items;
	host.wasi.n_env = execute->env.n_items;
	host.wasi.charge = charge;
	grant_folders(&program->configure);
	/* What was granted is there, however few it may open. */
	host.wasi.max_files = MAX(MIN(program->configure.files, (uint64_t)WASI_MAX_FILES),
				  (uint64_t)host.wasi.n_files);
	if (program->disk) {
		host.wasi.disk = program->disk;
		host.wasi.disk_fd = WASM_DISK_FD;
	}
}

void host_pause(void (*pause)(void *context), void *context)
{
	host.pause = pause;
	host.pause_context = context;
}

bool host_is_paused(void)
{
	return host.is_paused;
}

void host_resume(const struct wasm_program *program, const struct wasm_execute *execute,
		 struct wasm_report *report)
{
	host_begin(program, execute, report);
	host.is_resumed = true;
	report->ended.end = WASM_END_TRAP;
	host.command =
		warm_words(execute, program->configure.folders.n_items > 0, &host.n_command_bytes);
	if (!host.command || library->wasmtime_context_set_fuel(host.context, host.fuel))
		_exit(1);
}

void host_end(const struct wasmtime_context *context, const struct wasm_ended *ended)
{
	host.pause = NULL;
	if (!host.is_resumed)
		return;
	host.report->ended = *ended;
	host_finish(context);
}
