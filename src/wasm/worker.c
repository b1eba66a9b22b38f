/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.c - one command: a fresh process with a fresh store
 *
 * It ends with the guest and frees nothing.  Whatever the guest does to it, what is around it has
 * been taken away before its first instruction: descriptors but the three streams, every call but
 * those of WALLS_WORKER, new executable memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "confine/confine.h"
#include "wasm/walls.h"
#include "wasm/wasm.h"

/* A timer of the kernel over this process's own processor time, exact where RLIMIT_CPU is not. */
static int limit_cpu(uint64_t cpu_ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU };
	struct itimerspec expiry = { .it_value = { (time_t)(cpu_ns / 1000000000),
						   (long)(cpu_ns % 1000000000) } };
	int timer;
	if (cpu_ns == POLICY_UNLIMITED)
		return 0;
	if (cpu_ns == 0)
		expiry.it_value.tv_nsec = 1;
	if (syscall(SYS_timer_create, CLOCK_PROCESS_CPUTIME_ID, &event, &timer) < 0 ||
	    syscall(SYS_timer_settime, timer, 0, &expiry, NULL) < 0)
		return errno;
	struct confine_rlimit rlimit = { RLIMIT_CPU, cpu_ns / 1000000000 + 2 };
	return confine_rlimits(&rlimit, 1);
}

static int limit_memory(uint64_t memory_bytes)
{
	struct confine_rlimit rlimit = { RLIMIT_DATA, memory_bytes + WASM_RUNTIME_BYTES };
	return memory_bytes == POLICY_UNLIMITED ? 0 : confine_rlimits(&rlimit, 1);
}

static int close_between(unsigned first, unsigned end)
{
	return first < end && syscall(SYS_close_range, first, end - 1, 0) < 0 ? errno : 0;
}

/* But the streams, the library's own and the folders. */
static int close_others(const struct wasm_program *program)
{
	unsigned first = 3, n_folders = (unsigned)program->configure.folders.n_items;
	int r = 0;
	if (program->image_fd >= 3) {
		r = close_between(first, (unsigned)program->image_fd);
		first = (unsigned)program->image_fd + 1;
	}
	if (r == 0 && n_folders > 0) {
		r = close_between(first, program->disk ? WASM_DISK_FD : WASM_FIRST_FOLDER_FD);
		first = WASM_FIRST_FOLDER_FD + n_folders;
	}
	if (r == 0 && syscall(SYS_close_range, first, ~0u, 0) < 0)
		r = errno;
	return r;
}

/* Without folders nothing is ever opened; with them, what the table of WASI has room for. */
static int limit_files(const struct wasm_configure *configure)
{
	bool has_folders = configure->folders.n_items > 0;
	const struct confine_rlimit rlimits[] = {
		{ RLIMIT_NPROC, 0 },
		{ RLIMIT_NOFILE,
		  has_folders ? WASM_FIRST_FOLDER_FD + WASM_MAX_FOLDERS + WASI_MAX_FILES : 3 },
		{ RLIMIT_FSIZE, configure->file_size_bytes },
	};
	bool has_size = configure->file_size_bytes != POLICY_UNLIMITED;
	return confine_rlimits(rlimits, ARRAY_LEN(rlimits) - (has_size ? 0 : 1));
}

static int confine(const struct wasm_program *program, uint64_t cpu_left_ns, const int streams[3])
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	for (int fd = 0; fd < 3; fd++) {
		if (dup3(streams[fd], fd, O_CLOEXEC) < 0)
			return errno;
	}
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGXFSZ, &ignore, NULL); /* The guest is told, as at any other limit. */
	int r = close_others(program);
	if (r == 0)
		r = limit_cpu(cpu_left_ns);
	if (r == 0)
		r = limit_memory(program->configure.memory_bytes);
	if (r == 0)
		r = limit_files(&program->configure);
	return r != 0 ? r : walls_raise(WALLS_WORKER, program->configure.folders.n_items > 0);
}

/* The innermost frame of the guest says where. */
static void tell_trap(const struct wasmtime *wasmtime, const struct wasm_trap *trap,
		      struct wasm_ended *ended)
{
	struct wasm_frames frames = { 0 };
	uint8_t code = WASM_TRAP_OTHER;
	bool has_code = wasmtime->wasmtime_trap_code(trap, &code);
	ended->trap =
		has_code && code < WASM_TRAP_OTHER ? (enum wasm_trap_kind)code : WASM_TRAP_OTHER;
	ended->end = ended->trap == WASM_TRAP_OUT_OF_FUEL ? WASM_END_FUEL : WASM_END_TRAP;
	ended->function = WASM_NO_FUNCTION;
	wasmtime->wasm_trap_trace(trap, &frames);
	if (frames.size == 0)
		return;
	const struct wasm_frame *frame = frames.data[0];
	ended->function = wasmtime->wasm_frame_func_index(frame);
	ended->offset = wasmtime->wasm_frame_module_offset(frame);
	const struct wasm_bytes *name = wasmtime->wasmtime_frame_func_name(frame);
	if (name)
		library_words(name, ended->name, sizeof(ended->name));
}

static struct wasmtime_context *make_store(const struct wasm_program *program, uint64_t fuel)
{
	const struct wasmtime *wasmtime = &program->wasmtime;
	const struct wasm_configure *configure = &program->configure;
	struct wasmtime_store *store = wasmtime->wasmtime_store_new(program->engine, NULL, NULL);
	int64_t tables = (int64_t)MIN(configure->tables, (uint64_t)WASM_MAX_TABLES);
	/* The memory's bound is held, and counted, by memory.c. */
	wasmtime->wasmtime_store_limiter(store, -1, WASM_MAX_TABLE_ENTRIES, 1, tables, 1);
	struct wasmtime_context *context = wasmtime->wasmtime_store_context(store);
	return wasmtime->wasmtime_context_set_fuel(context, fuel) ? NULL : context;
}

/* An error that is no trap: the store's limits at the start, or a module without _start. */
static void tell_error(const struct wasmtime *wasmtime, const struct wasmtime_error *error,
		       struct wasm_ended *ended)
{
	library_error_words(wasmtime, error, ended->name, sizeof(ended->name));
	ended->end = WASM_END_TRAP;
	ended->trap = WASM_TRAP_OTHER;
	ended->function = WASM_NO_FUNCTION;
}

static void run(const struct wasm_program *program, struct wasmtime_context *context,
		struct wasm_ended *ended)
{
	const struct wasmtime *wasmtime = &program->wasmtime;
	struct wasmtime_instance instance;
	struct wasmtime_extern start;
	union wasmtime_raw none;
	struct wasm_trap *trap = NULL;
	struct wasmtime_error *error =
		wasmtime->wasmtime_instance_pre_instantiate(program->linked, context, &instance,
							    &trap);
	if (!error && !trap) {
		if (wasmtime->wasmtime_instance_export_get(context, &instance, "_start", 6,
							   &start) &&
		    start.kind == WASMTIME_EXTERN_FUNC)
			error = wasmtime->wasmtime_func_call_unchecked(context, &start.of.func,
								       &none, 0, &trap);
	}
	if (trap)
		tell_trap(wasmtime, trap, ended);
	else if (error)
		tell_error(wasmtime, error, ended);
	else
		ended->end = WASM_END_EXIT;
}

_Noreturn void worker_main(const struct wasm_program *program, const struct wasm_execute *execute,
			   const int streams[3], struct wasm_report *report)
{
	uint64_t fuel = program->configure.fuel;
	if (confine(program, execute->cpu_left_ns, streams) != 0)
		_exit(1);
	host_begin(program, execute, report);
	struct wasmtime_context *context = make_store(program, fuel);
	if (!context)
		_exit(1);
	report->ended.end = WASM_END_TRAP;
	run(program, context, &report->ended);
	host_finish(context);
}

/* Of the interpreter's own start, which is no command's: enough for a second of it. */
#define START_FUEL UINT64_C(10000000000)

void worker_warm(const struct wasm_program *program, void (*pause)(void *context), void *context)
{
	static struct wasm_report report; /* nobody's: a command has its own */
	struct wasm_execute start;
	struct wasm_ended ended = { .end = WASM_END_TRAP };
	warm_begin(&start);
	host_begin(program, &start, &report);
	host_pause(pause, context);
	struct wasmtime_context *store = make_store(program, START_FUEL);
	if (!store)
		return;
	run(program, store, &ended);
	host_end(store, &ended);
}

bool worker_resume(const struct wasm_program *program, const struct wasm_execute *execute,
		   const int streams[3], struct wasm_report *report)
{
	if (!host_is_paused() || !warm_serves(execute))
		return false;
	if (confine(program, execute->cpu_left_ns, streams) != 0)
		_exit(1);
	host_resume(program, execute, report);
	return true;
}
