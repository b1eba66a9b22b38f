/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_folders_test.c - libfoso at level wasm: limits.disk is one for all commands of a sandbox
 *
 * usage: wasm_folders_test PROGRAMS
 */
#include <fcntl.h>
#include <foso/foso.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"

#define N_COMMANDS 4

/* Writes 512 KiB to the file in the workspace that the first letter of argv[1] names. */
static const char text[] =
	"(module (import \"wasi_snapshot_preview1\" \"args_get\""
	" (func $args (param i32 i32) (result i32)))"
	"(import \"wasi_snapshot_preview1\" \"path_open\""
	" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))"
	"(import \"wasi_snapshot_preview1\" \"fd_write\""
	" (func $write (param i32 i32 i32 i32) (result i32)))"
	"(import \"wasi_snapshot_preview1\" \"proc_exit\" (func $exit (param i32)))"
	"(memory (export \"memory\") 2)"
	"(func (export \"_start\") (local $n i32) (local $r i32)"
	"(drop (call $args (i32.const 0) (i32.const 64)))"
	"(if (local.tee $r (call $open (i32.const 3) (i32.const 0) (i32.load (i32.const 4))"
	" (i32.const 1) (i32.const 1) (i64.const 64) (i64.const 0) (i32.const 0) (i32.const 16)))"
	" (then (call $exit (local.get $r))))"
	"(i32.store (i32.const 24) (i32.const 65536)) (i32.store (i32.const 28) (i32.const 65536))"
	"(loop $l (if (local.tee $r (call $write (i32.load (i32.const 16)) (i32.const 24)"
	" (i32.const 1) (i32.const 32))) (then (call $exit (local.get $r))))"
	"(br_if $l (i32.lt_u (local.tee $n (i32.add (local.get $n) (i32.load (i32.const 32))))"
	" (i32.const 524288))))))";

static char folder[] = "/tmp/foso-wasm-XXXXXX";
static char module[64], source[64], top[64];
static struct foso_error *err;
static struct foso_policy *policy;

static bool make_module(const char *programs)
{
	char program[4096], assemble[] = "assemble";
	char *argv[] = { program, assemble, source, module, NULL }, *envp[] = { NULL };
	int status = 1;
	pid_t pid;
	(void)snprintf(program, sizeof(program), "%s/libwasmtime.so", programs);
	if (access(program, R_OK) < 0 || !mkdtemp(folder))
		return false;
	(void)snprintf(program, sizeof(program), "%s/foso-wasm", programs);
	(void)snprintf(module, sizeof(module), "%s/m.wasm", folder);
	(void)snprintf(source, sizeof(source), "%s/m.wat", folder);
	(void)snprintf(top, sizeof(top), "%s/top", folder);
	int fd = open(source, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	bool is_there = fd >= 0 && write(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1 &&
			mkdir(top, 0700) == 0;
	close(fd);
	return is_there && posix_spawn(&pid, program, NULL, NULL, argv, envp) == 0 &&
	       waitpid(pid, &status, 0) == pid && status == 0;
}

static void make_policy(void)
{
	const char *const fields[][2] = { { "level", "wasm" },       { "root", "none" },
					  { "module", module },      { "evidence", "off" },
					  { "workspace.path", top }, { "workspace.access", "rw" },
					  { "limits.disk", "1MiB" } };
	EQ(foso_policy_new(&policy, err), 0);
	for (size_t i = 0; i < 7; i++)
		EQ(foso_policy_set(policy, fields[i][0], fields[i][1], err), 0);
}

static struct foso_run *begin(struct foso_sandbox *sandbox, const char *word)
{
	const char *argv[] = { "m", word, NULL };
	struct foso_order *order = NULL;
	struct foso_run *run = NULL;
	EQ(foso_order_new(argv, &order, err), 0);
	EQ(foso_sandbox_exec(sandbox, order, &run, err), 0);
	foso_order_free(order);
	return run;
}

static void remove_files(void)
{
	static const char *const names[N_COMMANDS] = { "a", "b", "c", "d" };
	char path[80];
	for (int i = 0; i < N_COMMANDS; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", top, names[i]);
		(void)unlink(path);
	}
}

static long long written(void)
{
	static const char *const names[N_COMMANDS] = { "a", "b", "c", "d" };
	struct stat status;
	long long sum = 0;
	char path[80];
	for (int i = 0; i < N_COMMANDS; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", top, names[i]);
		sum += stat(path, &status) == 0 ? status.st_size : 0;
	}
	return sum;
}

static void test_one_after_the_other(void)
{
	static const char *const words[] = { "a", "b", "c" };
	struct foso_sandbox *sandbox = NULL;
	EQ(foso_sandbox_open(policy, &sandbox, err), 0);
	for (int i = 0; i < 3; i++) {
		struct foso_run *run = begin(sandbox, words[i]);
		EQ(foso_run_wait(run, 20000, err), FOSO_WAIT_OVER);
		EQ(foso_run_reason(run), i < 2 ? FOSO_REASON_EXIT : FOSO_REASON_DISK);
		EQ(foso_run_exit_status(run), i < 2 ? 0 : 124);
		foso_run_free(run);
	}
	EQ(written(), 1 << 20);
	EQ(foso_sandbox_close(sandbox, err), 0);
	foso_sandbox_free(sandbox);
	remove_files();
}

/* Four of them want twice of what there is. */
static void test_all_at_once(void)
{
	static const char *const words[N_COMMANDS] = { "a", "b", "c", "d" };
	struct foso_sandbox *sandbox = NULL;
	struct foso_run *runs[N_COMMANDS];
	int n_failed = 0;
	EQ(foso_sandbox_open(policy, &sandbox, err), 0);
	for (int i = 0; i < N_COMMANDS; i++)
		runs[i] = begin(sandbox, words[i]);
	for (int i = 0; i < N_COMMANDS; i++) {
		EQ(foso_run_wait(runs[i], 20000, err), FOSO_WAIT_OVER);
		n_failed += foso_run_exit_status(runs[i]) != 0;
		foso_run_free(runs[i]);
	}
	OK(n_failed >= 2);
	OK(written() <= 1 << 20);
	EQ(foso_sandbox_close(sandbox, err), 0);
	foso_sandbox_free(sandbox);
	remove_files();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	err = foso_error_new();
	(void)setenv("FOSO_MODULES", "", 1); /* NOLINT(concurrency-mt-unsafe): one thread */
	if (!make_module(argv[1])) {
		printf("1..0 # SKIP libwasmtime.so is not there: tools/fetch-wasmtime\n");
		return 0;
	}
	EQ(foso_programs_set(argv[1], err), 0);
	make_policy();
	RUN(test_one_after_the_other);
	RUN(test_all_at_once);
	foso_policy_free(policy);
	foso_error_free(err);
	(void)unlink(module);
	(void)unlink(source);
	(void)rmdir(top);
	(void)rmdir(folder);
	return tap_done();
}
