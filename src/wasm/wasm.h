/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm.h - what the files of foso-wasm share
 *
 * Theory of operation.  The engine starts foso-wasm with its own id, without any capability, as
 * process 1 of a fresh process namespace, and hands it four descriptors: the channel, the library,
 * the module and the file of the compiled code.  It compiles if there is no code (in a process of
 * its own, under limits), loads the code, links the host functions, and gives up what it needed
 * for that.  From then on it is a zygote: it never runs an instruction of the guest, and forks a
 * worker for each command, which has the streams, a store of its own, a narrower filter, and ends
 * with the command.
 *
 *   foso-wasm --.-- compiler   may make executable memory, runs nothing of the module
 *               |-- worker     runs the guest; makes no executable memory
 *               '-- worker
 */
#pragma once

#include <sys/types.h>

#include "wasm/library.h"
#include "wasm/scan.h"
#include "wasm/wasi/wasi.h"
#include "wire/wasm_messages.h"

/* What a child tells the zygote, in a page that both share; the zygote trusts no field of it. */
struct wasm_report {
	bool is_done;
	struct wasm_failed failed; /* of the compiler */
	struct wasm_ended ended;   /* of a worker */
};

struct wasm_program {
	struct wasmtime wasmtime;
	struct wasm_engine *engine;
	struct wasmtime_instance_pre *linked;
	struct wasm_configure configure;
	const uint8_t *module; /* mapped until the code is loaded */
	size_t n_module_bytes;
	struct scan scan;
	/*
	 * The library's own descriptor of the code's file, from which each instance maps its
	 * memory as it begins; -1 if it keeps none.  Read-only, of a sealed file.
	 */
	int image_fd;
	/* What the commands have written together, shared with every worker; NULL: not counted. */
	struct wasi_disk *disk;
};

/* report_new(), report_free() - NULL if there is no memory. */
struct wasm_report *report_new(void);
void report_free(struct wasm_report *report);

/* wasm_fork() - as fork(), into a control group if one is given; with a descriptor of the child. */
pid_t wasm_fork(int group_fd, int *ret_pidfd);

/* fail_with() - fills @failed; returns -1. */
int fail_with(struct wasm_failed *failed, const char *subject, const char *remedy,
	      const char *format, ...) __attribute__((__format__(__printf__, 4, 5)));

/* compile.c: module to code; -1 and *failed.  compile_assemble(): text to module, for tests. */
int compile_module(const struct wasm_program *program, struct wasm_failed *failed);
int compile_assemble(void);

/* compile.c: stdin to stdout, for tools/fetch-runtimes: a trusted module of any size. */
int compile_ahead(void);

/* link.c: the code, with its imports. */
int link_module(struct wasm_program *program, struct wasm_failed *failed);

/* worker.c: runs one command; never returns. */
_Noreturn void worker_main(const struct wasm_program *program, const struct wasm_execute *execute,
			   const int streams[3], struct wasm_report *report);

/*
 * worker_warm() - in the zygote: run the interpreter up to where it asks for a command
 *
 * There @pause is called with @context; it comes back in a worker only, after worker_resume(), and
 * the worker ends here.  Returns in the zygote if the interpreter ended before.
 */
void worker_warm(const struct wasm_program *program, void (*pause)(void *context), void *context);

/* worker_resume() - in a worker: false if the command needs worker_main(). */
bool worker_resume(const struct wasm_program *program, const struct wasm_execute *execute,
		   const int streams[3], struct wasm_report *report);

/*
 * warm.c: the interpreter's words of the start, borrowed; whether a command can go on from there;
 * the command as it reads it, to be freed, or NULL if there is no memory: "files" or "none", the
 * number of arguments, the arguments, the variables, each with its NUL.
 */
void warm_begin(struct wasm_execute *ret);
bool warm_serves(const struct wasm_execute *execute);
char *warm_words(const struct wasm_execute *execute, bool has_files, size_t *ret_len);

/*
 * memory.c: the one linear memory of a store, and how often it was not allowed to grow.
 *
 * memory_configure() before the engine is made; memory_begin() where a command begins.
 */
void memory_configure(const struct wasmtime *wasmtime, struct wasm_config *config,
		      uint64_t max_bytes);
void memory_begin(void);
uint64_t memory_refusals(void);

/* host.c: WASI for the library; defines all of it. */
int host_define(const struct wasmtime *wasmtime, struct wasmtime_linker *linker,
		struct wasm_failed *failed);

/* host_begin() - the state behind the host functions, of this worker's one store. */
void host_begin(const struct wasm_program *program, const struct wasm_execute *execute,
		struct wasm_report *report);

/* host_pause() - call @pause at the guest's first read of stdin. */
void host_pause(void (*pause)(void *context), void *context);

/* host_resume() - as host_begin(), for a store that has run up to there; false: it has not. */
bool host_is_paused(void);
void host_resume(const struct wasm_program *program, const struct wasm_execute *execute,
		 struct wasm_report *report);

/* host_end() - of a worker that was resumed; else it comes back. */
void host_end(const struct wasmtime_context *context, const struct wasm_ended *ended);

/* host_finish() - the end is in the report but for the fuel; never returns. */
_Noreturn void host_finish(const struct wasmtime_context *context);

/* zygote.c: serves the channel until its other end is closed; an exit status. */
int zygote_serve(struct wasm_program *program);

/* man.c: a part of the man page on stdout: "functions", "traps" or "bounds"; an exit status. */
int man_print(const char *part);
