/* SPDX-License-Identifier: Apache-2.0 */
/*
 * torture_test.c - every allocation and every system call of an engine fails once
 *
 * usage: torture_test FOSO-INIT
 *
 * For n = 1, 2, 3, ... a whole life is led in which the n-th allocation, or the n-th system
 * call, fails, until one is led in which nothing is left to fail.  Each life ends in success, in
 * a typed error or in a loss that says why, and nothing is left of it.
 */
#include <fcntl.h>
#include <signal.h>

#include "contract/engine.h"
#include "contract/wasm.h"
#include "levels/fake/fake.h"
#include "support/fault_alloc.h"
#include "support/fault_syscall.h"
#include "support/stage.h"

#define MAX_FAULTS 4000

static const struct level *level;
static const char *const *words;
static bool is_wasm;

/* What came of a life: 0, or the stage that failed. */
static int live(struct engine *engine, struct error *err)
{
	struct level_event event = { .type = LEVEL_EVENT_GONE };
	struct evidence_record record = { 0 };
	int r = level->provision(&engine->sandbox, err);
	if (r == 0)
		r = engine_execute(engine, 1, words, -1, err);
	bool is_told = false;
	while (r == 0 && !is_told && engine_next(engine, &event, err)) {
		is_told = event.type == LEVEL_EVENT_LOST || event.type == LEVEL_EVENT_NOT_STARTED ||
			  event.type == LEVEL_EVENT_EXITED;
	}
	if (r == 0 && !is_told && err->code == ERR_NONE)
		FAIL("neither an end nor a loss is told");
	if (r == 0 && (event.type == LEVEL_EVENT_LOST ||
		       (event.type == LEVEL_EVENT_NOT_STARTED && event.err.code != ERR_NONE))) {
		*err = event.err;
		r = -(int)err->code;
	} else if (r == 0 && err->code != ERR_NONE) {
		r = -(int)err->code;
	} else if (r == 0 && event.type == LEVEL_EVENT_NOT_STARTED) {
		return 1; /* The program could not be executed; the errno tells. */
	}
	level->describe(&engine->sandbox, &record);
	return r;
}

static void check_end(int result, bool was_hit, const struct error *err, unsigned long n,
		      const char *what)
{
	if (!was_hit && result != 0)
		FAIL("%s %lu was not reached, and yet: %d, %s: %s", what, n, result, err->subject,
		     err->message);
	if (result < 0 && !engine_is_typed(result, err))
		FAIL("%s %lu: %d, '%s': '%s'; '%s'", what, n, result, err->subject, err->message,
		     err->remedy);
}

static void open_one(struct engine *engine)
{
	const char *const pairs[] = { "evidence", "off",       is_wasm ? "level" : NULL,
				      "wasm",     "root",      "none",
				      "module",   WASM_MODULE, NULL };
	engine_open(engine, level, pairs);
}

static void test_each_allocation_fails(void)
{
	unsigned long n = 0, n_hits = 0;
	int r = 1;
	/* An allocation of the child is not counted here, but ends the life all the same. */
	for (bool was_hit = true; (was_hit || r != 0) && !tap_is_failing && n < MAX_FAULTS;) {
		struct engine engine;
		struct error err = { 0 };
		open_one(&engine);
		fault_arm(++n);
		r = live(&engine, &err);
		was_hit = fault_disarm();
		n_hits += was_hit;
		check_end(r, true, &err, n, "allocation");
		engine_close(&engine);
		if (tap_is_failing)
			FAIL("with allocation %lu failing", n);
	}
	OK(n < MAX_FAULTS);
	printf("# %s: %lu allocations\n", level->name, n_hits);
}

static void fail_each_call(int errnum)
{
	unsigned long n = 0, n_hits = 0;
	for (bool was_hit = true; was_hit && !tap_is_failing && n < MAX_FAULTS;) {
		struct engine engine;
		struct error err = { 0 };
		open_one(&engine);
		fault_call_arm(++n, errnum);
		int r = live(&engine, &err);
		was_hit = fault_call_disarm();
		n_hits += was_hit;
		check_end(r, was_hit, &err, n, "call");
		engine_close(&engine);
		if (tap_is_failing)
			FAIL("with call %lu failing (errno %d)", n, errnum);
	}
	OK(n < MAX_FAULTS);
	printf("# %s: %lu calls with errno %d\n", level->name, n_hits, errnum);
}

static void test_each_call_fails_for_want_of_descriptors(void)
{
	fail_each_call(EMFILE);
}

static void test_each_call_fails_for_want_of_memory(void)
{
	fail_each_call(ENOMEM);
}

static void test_each_call_fails_for_want_of_rights(void)
{
	fail_each_call(EPERM);
}

/* The life is led without a fault, so that the faults are what ends the others. */
static bool can_run(void)
{
	struct engine engine;
	struct error err = { 0 };
	open_one(&engine);
	int r = live(&engine, &err);
	engine_close(&engine);
	if (r != 0)
		printf("# %s: %s\n", err.subject, err.message);
	return r == 0 && !tap_is_failing;
}

int main(int argc, char **argv)
{
	static const char *const process_words[] = { "/bin/true", NULL };
	static const char *const fake_words[] = { "exit", "0", NULL };
	static const char *const wasm_words[] = { "m", "hello", NULL };
	if (argc < 2)
		return 1;
	stage_enter(argv, argv[1]);
	wasm_stage(argv[1]);
	const struct {
		const struct level *level;
		const char *const *words;
	} rows[] = { { &level_fake, fake_words },
		     { &level_process, process_words },
		     { &level_wasm, wasm_words } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_is_failing = false; /* of the level before */
		level = rows[i].level;
		words = rows[i].words;
		is_wasm = level == &level_wasm;
		if (!can_run()) {
			printf("ok %d - level %s # SKIP it cannot run on this host\n",
			       ++tap_n_tests, level->name);
			continue;
		}
		RUN(test_each_allocation_fails);
		RUN(test_each_call_fails_for_want_of_descriptors);
		RUN(test_each_call_fails_for_want_of_memory);
		RUN(test_each_call_fails_for_want_of_rights);
	}
	wasm_unstage();
	return tap_done();
}
