/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract_test.c - what level.h promises, asked of every engine
 *
 * usage: contract_test FOSO-INIT
 *
 * Every stage twice, in the wrong order, after a kill; teardown after every prefix of a life.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include "contract/engine.h"
#include "contract/layers.h"
#include "contract/wasm.h"
#include "levels/fake/fake.h"
#include "support/stage.h"

/* What the commands of the suite are called at this engine. */
struct row {
	const char *name;
	const struct level *level;
	const char *root;
	const char *wait[4], *exit3[4], *missing[2], *echo[4];
	const char *module; /* that understands these words */
};

static const struct row rows[] = {
	{ "process",
	  &level_process,
	  "host",
	  { "/bin/sleep", "60" },
	  { "/bin/sh", "-c", "exit 3" },
	  { "/no/such" },
	  { "/bin/echo", "-n", "hello" } },
	{ "process, root: image",
	  &level_process,
	  "image:of-layers",
	  { "/bin/sleep", "60" },
	  { "/bin/sh", "-c", "exit 3" },
	  { "/no/such" },
	  { "/bin/echo", "-n", "hello" } },
	{ "fake",
	  &level_fake,
	  "host",
	  { "wait" },
	  { "exit", "3" },
	  { "missing" },
	  { "echo", "hello" } },
	{ "wasm",
	  &level_wasm,
	  "none",
	  { "m", "wait" },
	  { "m", "exit" },
	  { NULL },
	  { "m", "hello" },
	  WASM_MODULE },
};

static const struct row *row;
static const struct level_image *image; /* of root: image */

static void open_one(struct engine *engine)
{
	const char *const pairs[] = { "evidence",
				      "off",
				      "root",
				      row->root,
				      "level",
				      row->module ? "wasm" : "process",
				      row->module ? "module" : NULL,
				      row->module,
				      NULL };
	engine_open(engine, row->level, pairs);
	engine->sandbox.image = image;
}

static void stand(struct engine *engine)
{
	struct level_event event;
	struct error err = { 0 };
	open_one(engine);
	EQ(engine->sandbox.level->provision(&engine->sandbox, &err), 0);
	OK(engine_await(engine, LEVEL_EVENT_READY, &event));
}

static void test_before_provision_all_is_refused_by_type(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct evidence_record record = { 0 };
	struct level_event event;
	open_one(&engine);
	const struct level *level = engine.sandbox.level;
	ERR(engine_execute(&engine, 1, row->wait, -1, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	ERR(level->signal(&engine.sandbox, 1, 0, SIGTERM, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	ERR(level->list(&engine.sandbox, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	ERR(level->kill_command(&engine.sandbox, 1, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	ERR(level->kill(&engine.sandbox, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	EQ(level->dispatch(&engine.sandbox, &event, &err), 0);
	level->describe(&engine.sandbox, &record);
	EQ(record.n_host_facts, 0);
	engine_close(&engine);
}

static void test_provision_twice_exists(void)
{
	struct engine engine;
	struct error err = { 0 };
	stand(&engine);
	ERR(engine.sandbox.level->provision(&engine.sandbox, &err), &err, ERR_EXISTS, "sandbox");
	/* And what stands goes on. */
	error_clear(&err);
	struct level_event event;
	EQ(engine_execute(&engine, 1, row->exit3, -1, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.code, 3);
	engine_close(&engine);
}

static void test_a_command_runs_from_start_to_exit(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct level_event event;
	char bytes[16] = { 0 };
	int ends[2];
	stand(&engine);
	OK(pipe2(ends, O_CLOEXEC) == 0);
	EQ(engine_execute(&engine, 1, row->echo, ends[1], &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_STARTED, &event));
	EQ(event.command, 1);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.command, 1);
	EQ(event.code, 0);
	EQ(event.signal, 0);
	EQ(read(ends[0], bytes, sizeof(bytes)), 5);
	STR_EQ(bytes, "hello");
	EQ(read(ends[0], bytes, sizeof(bytes)), 0);
	close(ends[0]);
	engine_close(&engine);
}

static void test_a_missing_program_is_not_started(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct level_event event;
	stand(&engine);
	EQ(engine_execute(&engine, 1, row->missing, -1, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_NOT_STARTED, &event));
	EQ(event.command, 1);
	EQ(event.code, 127);
	EQ(event.errnum, ENOENT);
	EQ(event.err.code, ERR_NONE);
	engine_close(&engine);
}

static void test_a_signal_ends_one_command_alone(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct level_event event;
	stand(&engine);
	EQ(engine_execute(&engine, 1, row->wait, -1, &err), 0);
	EQ(engine_execute(&engine, 2, row->wait, -1, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_STARTED, &event));
	OK(engine_await(&engine, LEVEL_EVENT_STARTED, &event));
	EQ(engine.sandbox.level->signal(&engine.sandbox, 2, 0, SIGTERM, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.command, 2);
	EQ(event.code, -1);
	EQ(event.signal, SIGTERM);
	/* To one that is over, and to one that never was. */
	EQ(engine.sandbox.level->signal(&engine.sandbox, 2, 0, SIGTERM, &err), 0);
	EQ(engine.sandbox.level->signal(&engine.sandbox, 77, 0, SIGTERM, &err), 0);
	EQ(engine.sandbox.level->signal(&engine.sandbox, 1, 0, SIGINT, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.command, 1);
	EQ(event.signal, SIGINT);
	engine_close(&engine);
}

static void test_kill_command_is_for_one_or_all(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct level_event event;
	stand(&engine);
	for (unsigned i = 1; i <= 3; i++) {
		EQ(engine_execute(&engine, i, row->wait, -1, &err), 0);
		OK(engine_await(&engine, LEVEL_EVENT_STARTED, &event));
	}
	/* The process may not be in its group yet, so its own signal comes first. */
	EQ(engine.sandbox.level->signal(&engine.sandbox, 2, 0, SIGKILL, &err), 0);
	EQ(engine.sandbox.level->kill_command(&engine.sandbox, 2, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.command, 2);
	EQ(event.signal, SIGKILL);
	EQ(engine.sandbox.level->kill_command(&engine.sandbox, 2, &err), 0);
	EQ(engine.sandbox.level->kill_command(&engine.sandbox, 99, &err), 0);
	EQ(engine.sandbox.level->list(&engine.sandbox, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_PROCESS, &event));
	OK(event.pid > 1);
	OK(engine_await(&engine, LEVEL_EVENT_LIST_END, &event));
	EQ(engine.sandbox.level->kill_command(&engine.sandbox, 0, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	/* The sandbox stands. */
	EQ(engine_execute(&engine, 4, row->exit3, -1, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.command, 4);
	EQ(event.code, 3);
	engine_close(&engine);
}

static void test_after_a_kill_it_is_gone_once(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct level_event event;
	stand(&engine);
	const struct level *level = engine.sandbox.level;
	EQ(engine_execute(&engine, 1, row->wait, -1, &err), 0);
	EQ(level->kill(&engine.sandbox, &err), 0);
	EQ(level->kill(&engine.sandbox, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_GONE, &event));
	ERR(engine_execute(&engine, 2, row->wait, -1, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	ERR(level->signal(&engine.sandbox, 1, 0, SIGTERM, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	ERR(level->list(&engine.sandbox, &err), &err, ERR_UNAVAILABLE, "sandbox");
	error_clear(&err);
	EQ(level->kill(&engine.sandbox, &err), 0);
	EQ(level->dispatch(&engine.sandbox, &event, &err), 0);
	engine_close(&engine);
}

/* The stages of a life; each prefix of them is torn down. */
static void live_until(struct engine *engine, int n_stages)
{
	struct error err = { 0 };
	struct level_event event;
	struct evidence_record record = { 0 };
	open_one(engine);
	const struct level *level = engine->sandbox.level;
	if (n_stages > 0)
		EQ(level->provision(&engine->sandbox, &err), 0);
	if (n_stages > 1)
		OK(engine_await(engine, LEVEL_EVENT_READY, &event));
	if (n_stages > 2)
		EQ(engine_execute(engine, 1, row->wait, -1, &err), 0);
	if (n_stages > 3)
		OK(engine_await(engine, LEVEL_EVENT_STARTED, &event));
	if (n_stages > 4)
		EQ(level->signal(&engine->sandbox, 1, 0, SIGCONT, &err), 0);
	if (n_stages > 5)
		EQ(level->list(&engine->sandbox, &err), 0);
	if (n_stages > 6)
		EQ(level->kill_command(&engine->sandbox, 1, &err), 0);
	if (n_stages > 7)
		level->describe(&engine->sandbox, &record);
	if (n_stages > 8)
		EQ(level->kill(&engine->sandbox, &err), 0);
	if (n_stages > 9)
		OK(engine_await(engine, LEVEL_EVENT_GONE, &event));
}

static void test_teardown_after_every_prefix(void)
{
	for (int n_stages = 0; n_stages <= 10; n_stages++) {
		struct engine engine;
		live_until(&engine, n_stages);
		engine_close(&engine);
		if (tap_is_failing) {
			FAIL("after %d stages", n_stages);
			return;
		}
	}
}

static void test_an_order_before_ready_is_kept(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct level_event event;
	open_one(&engine);
	EQ(engine.sandbox.level->provision(&engine.sandbox, &err), 0);
	EQ(engine_execute(&engine, 1, row->exit3, -1, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_READY, &event));
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.code, 3);
	engine_close(&engine);
}

/* Each command finds the sandbox as the first one did; more than it holds are refused. */
static void test_a_module_runs_many_times_at_once(void)
{
	struct engine engine;
	struct error err = { 0 };
	struct level_event event;
	stand(&engine);
	const struct level *level = engine.sandbox.level;
	for (unsigned i = 1; i <= 64; i++)
		EQ(engine_execute(&engine, i, row->wait, -1, &err), 0);
	ERR(engine_execute(&engine, 65, row->exit3, -1, &err), &err, ERR_LIMIT, "sandbox");
	error_clear(&err);
	for (unsigned i = 1; i <= 64; i++)
		OK(engine_await(&engine, LEVEL_EVENT_STARTED, &event));
	/* By the number that list() gives. */
	EQ(level->list(&engine.sandbox, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_PROCESS, &event));
	EQ(level->signal(&engine.sandbox, 0, event.pid, SIGTERM, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.command, 1);
	EQ(event.signal, SIGTERM);
	EQ(engine_execute(&engine, 66, row->exit3, -1, &err), 0);
	OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
	EQ(event.command, 66);
	EQ(event.code, 3);
	EQ(level->kill_command(&engine.sandbox, 0, &err), 0);
	for (unsigned i = 2; i <= 64; i++) {
		OK(engine_await(&engine, LEVEL_EVENT_EXITED, &event));
		EQ(event.signal, SIGKILL);
	}
	engine_close(&engine);
}

static bool can_run(void)
{
	static struct error_list errors;
	struct engine engine;
	struct level_event event;
	struct error err = { 0 };
	open_one(&engine);
	memset(&errors, 0, sizeof(errors));
	bool is_fine = row->level->probe(&engine.policy, &errors) == 0 &&
		       row->level->provision(&engine.sandbox, &err) == 0 &&
		       engine_await(&engine, LEVEL_EVENT_READY, &event);
	engine_close(&engine);
	return is_fine;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	stage_enter(argv, argv[1]);
	image = layers_open();
	wasm_stage(argv[1]);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		row = &rows[i];
		printf("# level %s\n", row->name);
		if (!can_run() || (row->root[0] == 'i' && !image)) {
			printf("ok %d - level %s # SKIP it cannot run on this host\n",
			       ++tap_n_tests, row->name);
			continue;
		}
		RUN(test_before_provision_all_is_refused_by_type);
		RUN(test_provision_twice_exists);
		RUN(test_a_command_runs_from_start_to_exit);
		if (row->module)
			RUN(test_a_module_runs_many_times_at_once);
		else
			RUN(test_a_missing_program_is_not_started);
		RUN(test_a_signal_ends_one_command_alone);
		RUN(test_kill_command_is_for_one_or_all);
		RUN(test_after_a_kill_it_is_gone_once);
		RUN(test_teardown_after_every_prefix);
		RUN(test_an_order_before_ready_is_kept);
	}
	wasm_unstage();
	layers_close();
	return tap_done();
}
