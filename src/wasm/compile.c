/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - the compiler, in a process that can do nothing else
 *
 * Compiling is where a stranger's module meets most of the library's code, and where a small one
 * can ask for minutes and gigabytes.  So it happens in a child with limits on memory and processor
 * time, which may read the module (it is mapped) and write the file of the code.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/macros.h"
#include "base/programs.h"
#include "confine/confine.h"
#include "confine/reader.h"
#include "wasm/walls.h"
#include "wasm/wasm.h"

int fail_with(struct wasm_failed *failed, const char *subject, const char *remedy,
	      const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(failed->message, sizeof(failed->message), format, args);
	va_end(args);
	(void)snprintf(failed->subject, sizeof(failed->subject), "%s", subject);
	(void)snprintf(failed->remedy, sizeof(failed->remedy), "%s", remedy);
	return -1;
}

static int confine(void)
{
	static const struct confine_rlimit rlimits[] = {
		{ RLIMIT_DATA, WASM_COMPILE_BYTES },
		{ RLIMIT_CPU, WASM_COMPILE_SECONDS },
		{ RLIMIT_FSIZE, WASM_MAX_CODE_BYTES },
		{ RLIMIT_NOFILE, WASM_N_FDS },
	};
	int r = confine_landlock_if_any(NULL, 0, true);
	if (r == 0)
		r = confine_rlimits(rlimits, ARRAY_LEN(rlimits));
	return r != 0 ? r : walls_raise(WALLS_COMPILER, false);
}

static int compile(const struct wasm_program *program, struct wasm_failed *failed)
{
	const struct wasmtime *wasmtime = &program->wasmtime;
	struct wasmtime_module *module = NULL;
	struct wasm_bytes code;
	char words[200];
	struct wasmtime_error *error =
		wasmtime->wasmtime_module_new(program->engine, program->module,
					      program->n_module_bytes, &module);
	if (error) {
		library_error_words(wasmtime, error, words, sizeof(words));
		return fail_with(failed, "module",
				 "mend the module (wasm-tools validate tells where)",
				 "is not valid: %s", words);
	}
	error = wasmtime->wasmtime_module_serialize(module, &code);
	if (error || fd_write_all(WASM_CODE_FD, code.data, code.size) < 0)
		return fail_with(failed, "module", "use a smaller module",
				 "has more than %u bytes of machine code", WASM_MAX_CODE_BYTES);
	return 0;
}

static _Noreturn void child_main(const struct wasm_program *program, struct wasm_report *report)
{
	/* The channel above all: whoever takes the compiler over could speak for the zygote. */
	close(WASM_CHANNEL_FD);
	close(WASM_LIBRARY_FD);
	close(WASM_MODULE_FD);
	/* And the folders: it may write to what it has. */
	(void)syscall(SYS_close_range, WASM_HELPER_FD, ~0u, 0);
	int errnum = confine();
	if (errnum != 0)
		(void)fail_with(&report->failed, "level 'wasm'", "see foso doctor",
				"the compiler's rights cannot be given up (errno %d)", errnum);
	else if (compile(program, &report->failed) == 0)
		report->is_done = true;
	_exit(0);
}

/* What the child could not say itself. */
static int explain(const struct wasm_report *report, int status, struct wasm_failed *failed)
{
	if (report->failed.message[0]) {
		*failed = report->failed;
		return -1;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return fail_with(failed, "module", "split it, or build it without inlining (-Oz)",
				 "needs more than %u s of processor time to compile",
				 WASM_COMPILE_SECONDS);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		return fail_with(failed, "module", "use a smaller module",
				 "has more than %u bytes of machine code", WASM_MAX_CODE_BYTES);
	return fail_with(failed, "module", "split it, or build it without inlining (-Oz)",
			 "ended its compiler, which may use %u MiB of memory",
			 WASM_COMPILE_BYTES >> 20);
}

int compile_module(const struct wasm_program *program, struct wasm_failed *failed)
{
	struct wasm_report *report = report_new();
	int pidfd, status = 0, r = 0;
	pid_t pid = report ? wasm_fork(-1, &pidfd) : -1;
	if (pid == 0)
		child_main(program, report);
	if (pid < 0) {
		report_free(report);
		return fail_with(failed, "level 'wasm'", "free some memory or processes",
				 "no process for the compiler (errno %d)", errno);
	}
	close(pidfd);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0 || !report->is_done)
		r = explain(report, status, failed);
	report_free(report);
	return r;
}

/* The library beside this program; 125 if it cannot be loaded, which has been told. */
static int load_library(struct wasmtime *wasmtime)
{
	static char path[PROGRAM_PATH_BYTES];
	struct error err = { 0 };
	if (program_path("libwasmtime.so", path, &err) < 0) {
		error_print(stderr, &err);
		return 125;
	}
	const char *lack = library_load(wasmtime, path);
	if (lack)
		(void)fprintf(stderr, "foso-wasm: %s\n", lack);
	return lack ? 125 : 0;
}

static int tell_error(const struct wasmtime *wasmtime, const struct wasmtime_error *error)
{
	char words[400];
	library_error_words(wasmtime, error, words, sizeof(words));
	(void)fprintf(stderr, "foso-wasm: %s\n", words);
	return 1;
}

/* Read-only, from the module's own file; stdout alone is written. */
static int confine_ahead(void)
{
	static const struct confine_rlimit rlimits[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_FSIZE, WASM_MAX_CODE_BYTES },
	};
	int r = confine_no_new_privs();
	if (r == 0)
		r = confine_landlock_if_any(NULL, 0, true);
	if (r == 0)
		r = confine_rlimits(rlimits, ARRAY_LEN(rlimits));
	return r != 0 ? r : walls_raise(WALLS_COMPILER, false);
}

int compile_ahead(void)
{
	struct wasmtime wasmtime;
	struct wasmtime_module *module = NULL;
	struct wasm_bytes code;
	struct stat status;
	if (load_library(&wasmtime) != 0)
		return 125;
	void *bytes = MAP_FAILED;
	if (fstat(STDIN_FILENO, &status) == 0 && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, STDIN_FILENO, 0);
	/* The engine installs its handlers of signals, which the walls would not let it. */
	struct wasm_engine *engine = library_engine(&wasmtime, 0, POLICY_UNLIMITED);
	if (bytes == MAP_FAILED || confine_ahead() != 0) {
		(void)fprintf(stderr, "foso-wasm: no module, or no walls\n");
		return 125;
	}
	struct wasmtime_error *error =
		wasmtime.wasmtime_module_new(engine, bytes, (size_t)status.st_size, &module);
	if (!error)
		error = wasmtime.wasmtime_module_serialize(module, &code);
	if (error)
		return tell_error(&wasmtime, error);
	return fd_write_all(STDOUT_FILENO, code.data, code.size) < 0 ? 125 : 0;
}

/* Text on stdin, a module on stdout. */
int compile_assemble(void)
{
	static char text[1 << 20];
	static const struct confine_reader limits = { .cpu_seconds = 10, .output_bytes = 1 << 20 };
	struct wasmtime wasmtime;
	size_t len = 0;
	ssize_t n;
	if (load_library(&wasmtime) != 0)
		return 125;
	if (confine_reader(&limits) != 0) {
		(void)fprintf(stderr, "foso-wasm: no walls\n");
		return 125;
	}
	while (len < sizeof(text) && (n = read(STDIN_FILENO, text + len, sizeof(text) - len)) > 0)
		len += (size_t)n;
	struct wasm_bytes module = { 0 };
	struct wasmtime_error *error = wasmtime.wasmtime_wat2wasm(text, len, &module);
	if (error)
		return tell_error(&wasmtime, error);
	return fd_write_all(STDOUT_FILENO, module.data, module.size) < 0 ? 125 : 0;
}
