/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm.h - what level wasm needs beside the test program, and a module that knows its words
 *
 * In the folder that stage_enter() made.  Where the library is not there, nor is the module, and
 * the level cannot run.
 */
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stage.h"

#define WASM_MODULE "contract.wasm"

/* By the first letter of argv[1]: wait a day, exit with 3, write hello. */
static const char wasm_text[] =
	"(module (import \"wasi_snapshot_preview1\" \"proc_exit\" (func $exit (param i32)))"
	"(import \"wasi_snapshot_preview1\" \"args_get\""
	" (func $args (param i32 i32) (result i32)))"
	"(import \"wasi_snapshot_preview1\" \"fd_write\""
	" (func $write (param i32 i32 i32 i32) (result i32)))"
	"(import \"wasi_snapshot_preview1\" \"poll_oneoff\""
	" (func $poll (param i32 i32 i32 i32) (result i32)))"
	"(memory (export \"memory\") 1) (global $c (mut i32) (i32.const 0))"
	"(data (i32.const 1000) \"hello\") (data (i32.const 2000) \"\\e8\\03\\00\\00\\05\")"
	"(data (i32.const 3016) \"\\01\") (data (i32.const 3029) \"\\4e\")"
	"(func (export \"_start\") (drop (call $args (i32.const 0) (i32.const 64)))"
	"(global.set $c (i32.load8_u (i32.load (i32.const 4))))"
	"(if (i32.eq (global.get $c) (i32.const 119)) (then (drop"
	" (call $poll (i32.const 3000) (i32.const 4000) (i32.const 1) (i32.const 5000)))))"
	"(if (i32.eq (global.get $c) (i32.const 104)) (then (drop"
	" (call $write (i32.const 1) (i32.const 2000) (i32.const 1) (i32.const 5000)))))"
	"(if (i32.eq (global.get $c) (i32.const 101)) (then (call $exit (i32.const 3))))))";

static const char *const wasm_programs[] = { "foso-wasm", "libwasmtime.so" };

static inline bool wasm_run(char **argv)
{
	char *envp[] = { NULL };
	int status = 1;
	pid_t pid;
	return posix_spawn(&pid, argv[0], NULL, NULL, argv, envp) == 0 &&
	       waitpid(pid, &status, 0) == pid && status == 0;
}

static inline void wasm_stage(const char *init_path)
{
	const char *folder = getenv(STAGE_VARIABLE); /* NOLINT(concurrency-mt-unsafe) */
	const char *slash = strrchr(init_path, '/');
	char target[4096];
	(void)setenv("FOSO_MODULES", "", 1); /* NOLINT(concurrency-mt-unsafe) */
	if (!folder || !slash || chdir(folder) < 0)
		return;
	for (size_t i = 0; i < 2; i++) {
		(void)snprintf(target, sizeof(target), "%.*s/%s", (int)(slash - init_path),
			       init_path, wasm_programs[i]);
		if (access(target, R_OK) < 0 || symlink(target, wasm_programs[i]) < 0)
			return;
	}
	int fd = open("contract.wat", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool is_there = fd >= 0 && write(fd, wasm_text, sizeof(wasm_text) - 1) ==
					   (ssize_t)sizeof(wasm_text) - 1;
	close(fd);
	(void)snprintf(target, sizeof(target), "%.*s/foso-wasm", (int)(slash - init_path),
		       init_path);
	char *argv[] = { target, (char[]){ "assemble" }, (char[]){ "contract.wat" },
			 (char[]){ WASM_MODULE }, NULL };
	if (is_there && !wasm_run(argv))
		(void)unlink(WASM_MODULE);
}

static inline void wasm_unstage(void)
{
	static const char *const names[] = { "foso-wasm", "libwasmtime.so", "contract.wat",
					     WASM_MODULE };
	for (size_t i = 0; i < 4; i++)
		(void)unlink(names[i]);
}
