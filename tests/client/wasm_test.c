/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_test.c - libfoso at level wasm: what ends a command does not end its sandbox
 *
 * usage: wasm_test PROGRAMS; the module is made here, in a folder of its own
 */
#include <fcntl.h>
#include <foso/foso.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"

/*
 * By the first letter of argv[1]: loop, trap, hello; grow and fail, grow and cope; use 24 MiB and
 * loop.
 */
static const char text[] =
	"(module (import \"wasi_snapshot_preview1\" \"args_get\""
	" (func $args (param i32 i32) (result i32)))"
	"(import \"wasi_snapshot_preview1\" \"fd_write\""
	" (func $write (param i32 i32 i32 i32) (result i32)))"
	"(memory (export \"memory\") 1) (global $c (mut i32) (i32.const 0))"
	"(data (i32.const 1000) \"hello\") (data (i32.const 2000) \"\\e8\\03\\00\\00\\05\")"
	"(func $guilty (unreachable))"
	"(func (export \"_start\") (drop (call $args (i32.const 0) (i32.const 64)))"
	"(global.set $c (i32.load8_u (i32.load (i32.const 4))))"
	"(if (i32.eq (global.get $c) (i32.const 108)) (then (loop $l (br $l))))"
	"(if (i32.eq (global.get $c) (i32.const 116)) (then (call $guilty)))"
	"(if (i32.eq (global.get $c) (i32.const 103)) (then"
	" (if (i32.eq (memory.grow (i32.const 16384)) (i32.const -1)) (then (call $guilty)))))"
	"(if (i32.eq (global.get $c) (i32.const 99)) (then"
	" (drop (memory.grow (i32.const 16384)))))"
	"(if (i32.eq (global.get $c) (i32.const 117)) (then (drop (memory.grow (i32.const 384)))"
	" (memory.fill (i32.const 65536) (i32.const 1) (i32.const 25165824)) (loop $u (br $u))))"
	"(drop (call $write (i32.const 1) (i32.const 2000) (i32.const 1) (i32.const 5000)))))";

static char folder[] = "/tmp/foso-wasm-XXXXXX";
static char module[64], source[64];
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
	int fd = open(source, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	bool is_there = fd >= 0 && write(fd, text, sizeof(text) - 1) == (ssize_t)sizeof(text) - 1;
	close(fd);
	return is_there && posix_spawn(&pid, program, NULL, NULL, argv, envp) == 0 &&
	       waitpid(pid, &status, 0) == pid && status == 0;
}

static void make_policy(void)
{
	const char *const fields[][2] = { { "level", "wasm" },
					  { "root", "none" },
					  { "module", module },
					  { "evidence", "off" },
					  { "limits.fuel", "1000000" } };
	EQ(foso_policy_new(&policy, err), 0);
	for (size_t i = 0; i < 5; i++)
		EQ(foso_policy_set(policy, fields[i][0], fields[i][1], err), 0);
}

static struct foso_order *order_of(const char *word)
{
	const char *argv[] = { "m", word, NULL };
	struct foso_order *order = NULL;
	EQ(foso_order_new(argv, &order, err), 0);
	EQ(foso_order_capture(order, FOSO_STDOUT, 4096, err), 0);
	return order;
}

/* Runs it to its end, in @sandbox or, if that is NULL, in one of its own. */
static struct foso_run *run_word(struct foso_sandbox *sandbox, const char *word)
{
	struct foso_order *order = order_of(word);
	struct foso_run *run = NULL;
	EQ(sandbox ? foso_sandbox_exec(sandbox, order, &run, err)
		   : foso_run_start(policy, order, &run, err),
	   0);
	EQ(foso_run_wait(run, 20000, err), FOSO_WAIT_OVER);
	foso_order_free(order);
	return run;
}

static void check_three(struct foso_sandbox *sandbox)
{
	size_t len = 0;
	struct foso_run *run = run_word(sandbox, "loop");
	EQ(foso_run_reason(run), FOSO_REASON_FUEL);
	STR_EQ(foso_run_limit(run), "limits.fuel");
	EQ(foso_run_exit_status(run), 124);
	foso_run_free(run);
	run = run_word(sandbox, "trap");
	EQ(foso_run_reason(run), FOSO_REASON_TRAP);
	STR_EQ(foso_reason_word(foso_run_reason(run)), "trap");
	EQ(foso_run_exit_status(run), 134);
	struct foso_error *failure = foso_error_new();
	(void)foso_run_failure(run, failure);
	OK(strstr(foso_error_text(failure), "unreachable in function 2 'guilty'") != NULL);
	foso_error_free(failure);
	foso_run_free(run);
	run = run_word(sandbox, "hello");
	EQ(foso_run_reason(run), FOSO_REASON_EXIT);
	EQ(foso_run_code(run), 0);
	const char *output = foso_run_output(run, FOSO_STDOUT, &len);
	OK(output && len == 5 && memcmp(output, "hello", 5) == 0);
	foso_run_free(run);
}

static void test_a_sandbox_for_each(void)
{
	check_three(NULL);
}

static void test_one_sandbox_for_all(void)
{
	struct foso_sandbox *sandbox = NULL;
	EQ(foso_sandbox_open(policy, &sandbox, err), 0);
	for (int i = 0; i < 3; i++)
		check_three(sandbox);
	OK(!foso_sandbox_is_over(sandbox));
	EQ(foso_sandbox_close(sandbox, err), 0);
	foso_sandbox_free(sandbox);
}

/* A worker each: one that loops for ever keeps no other waiting. */
static void test_commands_run_beside_each_other(void)
{
	struct foso_sandbox *sandbox = NULL;
	struct foso_run *waiting[4];
	EQ(foso_policy_set(policy, "limits.fuel", "9000000000000000", err), 0);
	EQ(foso_sandbox_open(policy, &sandbox, err), 0);
	for (size_t i = 0; i < ARRAY_LEN(waiting); i++) {
		struct foso_order *order = order_of("loop");
		EQ(foso_sandbox_exec(sandbox, order, &waiting[i], err), 0);
		foso_order_free(order);
	}
	struct foso_run *run = run_word(sandbox, "hello");
	EQ(foso_run_reason(run), FOSO_REASON_EXIT);
	foso_run_free(run);
	for (size_t i = 0; i < ARRAY_LEN(waiting); i++) {
		EQ(foso_run_signal(waiting[i], SIGTERM, err), 0);
		EQ(foso_run_wait(waiting[i], 20000, err), FOSO_WAIT_OVER);
		EQ(foso_run_reason(waiting[i]), FOSO_REASON_SIGNAL);
		foso_run_free(waiting[i]);
	}
	EQ(foso_sandbox_close(sandbox, err), 0);
	foso_sandbox_free(sandbox);
}

/* It may cope with less; if it fails instead, the reason is that it got no more. */
static void test_refused_memory_is_the_reason_of_a_failure(void)
{
	struct foso_run *run = run_word(NULL, "grow");
	struct foso_error *failure = foso_error_new();
	EQ(foso_run_reason(run), FOSO_REASON_MEMORY);
	STR_EQ(foso_run_limit(run), "limits.memory");
	EQ(foso_run_exit_status(run), 124);
	(void)foso_run_failure(run, failure);
	OK(strstr(foso_error_text(failure), "refused more memory, and then ended: trap: "
					    "unreachable in function 2 'guilty'") != NULL);
	foso_error_free(failure);
	foso_run_free(run);
	run = run_word(NULL, "cope");
	EQ(foso_run_reason(run), FOSO_REASON_EXIT);
	EQ(foso_run_code(run), 0);
	foso_run_free(run);
}

/* The limit is one of all commands together, where a control group holds it. */
static void test_commands_share_the_memory(void)
{
	struct foso_sandbox *sandbox = NULL;
	struct foso_run *runs[4];
	unsigned n_killed = 0;
	EQ(foso_policy_set(policy, "limits.memory", "32MiB", err), 0);
	EQ(foso_policy_set(policy, "limits.strict", "true", err), 0);
	if (foso_sandbox_open(policy, &sandbox, err) != 0) {
		SKIP("no control group for memory here");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		struct foso_order *order = order_of("use");
		EQ(foso_sandbox_exec(sandbox, order, &runs[i], err), 0);
		foso_order_free(order);
	}
	for (int round = 0; round < 500 && n_killed == 0; round++) {
		for (size_t i = 0; i < ARRAY_LEN(runs); i++)
			n_killed += foso_run_wait(runs[i], 10, err) == FOSO_WAIT_OVER;
	}
	OK(n_killed > 0);
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		bool is_over = foso_run_wait(runs[i], 0, err) == FOSO_WAIT_OVER;
		EQ(foso_run_signal(runs[i], SIGTERM, err), 0);
		EQ(foso_run_wait(runs[i], 20000, err), FOSO_WAIT_OVER);
		if (is_over)
			EQ(foso_run_reason(runs[i]), FOSO_REASON_MEMORY);
		foso_run_free(runs[i]);
	}
	/* And the sandbox stands. */
	struct foso_run *run = run_word(sandbox, "hello");
	EQ(foso_run_reason(run), FOSO_REASON_EXIT);
	foso_run_free(run);
	EQ(foso_sandbox_close(sandbox, err), 0);
	foso_sandbox_free(sandbox);
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
	RUN(test_a_sandbox_for_each);
	RUN(test_one_sandbox_for_all);
	RUN(test_commands_run_beside_each_other);
	RUN(test_refused_memory_is_the_reason_of_a_failure);
	RUN(test_commands_share_the_memory);
	foso_policy_free(policy);
	foso_error_free(err);
	(void)unlink(module);
	(void)unlink(source);
	(void)rmdir(folder);
	return tap_done();
}
