/* SPDX-License-Identifier: Apache-2.0 */
/* check_life.c - how sandboxes end, whoever ends them, and what is left then */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "verify/act/act.h"
#include "verify/check.h"
#include "verify/host.h"

#define READY_MS     5000
#define GONE_MS      2000
#define GRACE_MS     1000
#define OUTPUT_BYTES 1000u

static void expect(struct finding *finding, const struct row *row)
{
	(void)snprintf(finding->expected, sizeof(finding->expected), "%s", row->expected);
}

/* Another command of foso; its exit status, or -1. */
static int foso(struct verify *verify, const char *command, struct run *ret)
{
	struct words words = { 0 };
	struct error err = { 0 };
	int r = words_add_whole(&words, verify->foso, &err);
	*ret = RUN_INIT;
	if (r == 0)
		r = words_add(&words, verify, command, &err);
	if (r == 0)
		r = run_whole(ret, verify, words.items, false, &err);
	words_fini(&words);
	return r < 0 ? -1 : ret->status;
}

/* The id of the sandbox whose line of `foso ps --json` holds @text; false if none is listed. */
static bool find_id(struct verify *verify, const char *text, char id[32])
{
	static const char key[] = "\"id\":\"";
	struct run run;
	bool is_found = false;
	(void)foso(verify, "ps --json", &run);
	for (const char *line = buf_string(&run.out); *line && !is_found;) {
		size_t len = strcspn(line, "\n");
		const char *at = memmem(line, len, key, sizeof(key) - 1);
		if (at && memmem(line, len, text, strlen(text))) {
			(void)snprintf(id, 32, "%.*s", (int)strcspn(at + sizeof(key) - 1, "\""),
				       at + sizeof(key) - 1);
			is_found = true;
		}
		line += len + (line[len] == '\n');
	}
	run_fini(&run);
	return is_found;
}

static bool find_by_monitor(struct verify *verify, pid_t monitor, char id[32])
{
	char text[48];
	(void)snprintf(text, sizeof(text), "\"monitor_pid\":%d,", (int)monitor);
	return find_id(verify, text, id);
}

/* The name under which the act of @row hides its processes. */
static void name_processes(const struct verify *verify, char letter, char name[20])
{
	(void)snprintf(name, 20, "%.14s%c", verify->world.name + 5, letter);
}

static bool begin(struct verify *verify, const struct row *row, struct sandbox_run *sandbox,
		  const char *until, struct finding *finding)
{
	struct error err = { 0 };
	char line[300];
	if (sandbox_start(verify, row->options, row->act, row->flags, sandbox, &err) < 0) {
		check_failed(finding, &err);
		return false;
	}
	if (run_await(&sandbox->run, until, READY_MS))
		return true;
	sandbox_finish(sandbox);
	run_line(&sandbox->run.err, line, sizeof(line));
	finding_skip(finding, "no sandbox: %s", line);
	return false;
}

/* ---- the deadline, and what outlives a command ---- */

void check_tree_ends(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	char name[20];
	name_processes(verify, 'h', name);
	expect(finding, row);
	if (begin(verify, row, &sandbox, "done: hidden", finding)) {
		size_t n_before = host_count_named(name);
		sandbox_finish(&sandbox);
		check_ended(&sandbox, finding);
		size_t n_after = host_count_named(name);
		unsigned ms = (unsigned)(sandbox.run.duration_ns / 1000000);
		bool is_right = strcmp(sandbox.reason, "deadline") == 0 &&
				sandbox.run.status == 124 && n_after == 0 && ms <= row->most_ms;
		finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
			    "ended: %s, exit status %d, after %u ms, %zu of %zu processes left",
			    sandbox.reason, sandbox.run.status, ms, n_after, n_before);
		if (is_right && n_before < 4)
			finding_skip(finding, "only %zu processes were seen before", n_before);
	}
	sandbox_fini(&sandbox);
}

/* With background: keep the process must live on, be listed, and end by foso kill. */
static bool keep_works(struct verify *verify, const struct row *row, const char *name,
		       struct finding *finding)
{
	struct sandbox_run sandbox;
	struct error err = { 0 };
	struct run kill_run;
	char id[32], command[64];
	int r = sandbox_run(verify, row->weak, row->act, 0, &sandbox, &err);
	size_t n_kept = host_count_named(name);
	bool is_listed = find_id(verify, name, id);
	/* Its record comes at its own end. */
	sandbox_fini(&sandbox);
	if (r < 0 || n_kept == 0 || !is_listed) {
		finding_skip(finding, "with %s: %zu processes live on, %s", row->weak, n_kept,
			     is_listed ? "listed" : "not listed");
		return false;
	}
	(void)snprintf(command, sizeof(command), "kill %s", id);
	int status = foso(verify, command, &kill_run);
	run_fini(&kill_run);
	size_t n_left = host_await_gone(name, GONE_MS);
	if (status == 0 && n_left == 0)
		return true;
	finding_set(finding, VERDICT_BROKEN, "foso kill: exit status %d, %zu kept processes left",
		    status, n_left);
	return false;
}

void check_background(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	char name[20];
	name_processes(verify, 'b', name);
	expect(finding, row);
	if (check_begin(verify, row, &sandbox, finding)) {
		size_t n_left = host_count_named(name);
		bool is_right = sandbox.run.status == ACT_DONE && n_left == 0;
		finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
			    "exit status %d, %zu processes left", sandbox.run.status, n_left);
		if (is_right)
			(void)keep_works(verify, row, name, finding);
	}
	sandbox_fini(&sandbox);
}

/* ---- limits that need a look from outside ---- */

void check_output(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	expect(finding, row);
	if (check_begin(verify, row, &sandbox, finding)) {
		/* Behind the flood come foso's own words. */
		const char *words = strstr(buf_string(&sandbox.run.err), "foso: ");
		size_t n_err = words ? (size_t)(words - sandbox.run.err.data) : sandbox.run.err.len;
		uint64_t n_passed = sandbox.run.out.len + n_err;
		bool is_right = strcmp(sandbox.reason, "output") == 0 &&
				sandbox.run.status == 124 && n_passed == OUTPUT_BYTES &&
				sandbox.stdout_bytes + sandbox.stderr_bytes == OUTPUT_BYTES &&
				sandbox.lost_bytes == 600;
		finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
			    "ended: %s, exit status %d, %llu bytes came, the record says %llu and "
			    "%llu cut",
			    sandbox.reason, sandbox.run.status, (unsigned long long)n_passed,
			    (unsigned long long)sandbox.stdout_bytes + sandbox.stderr_bytes,
			    (unsigned long long)sandbox.lost_bytes);
		if (is_right)
			(void)check_control(verify, row, finding);
	}
	sandbox_fini(&sandbox);
}

/* While the bomb goes off, a neighbour must start and end as ever. */
void check_bomb(struct verify *verify, const struct row *row, struct finding *finding)
{
	const struct timespec pause = { .tv_nsec = 500000000 };
	struct sandbox_run sandbox, neighbour;
	struct error err = { 0 };
	char name[20], id[32];
	name_processes(verify, 'f', name);
	expect(finding, row);
	if (sandbox_start(verify, row->options, row->act, row->flags, &sandbox, &err) < 0) {
		check_failed(finding, &err);
		sandbox_fini(&sandbox);
		return;
	}
	(void)nanosleep(&pause, NULL);
	size_t n_most = host_count_named(name);
	bool is_listed = find_by_monitor(verify, sandbox.run.pid, id);
	int r = sandbox_run(verify, NULL, "own-kill", 0, &neighbour, &err);
	unsigned neighbour_ms = (unsigned)(neighbour.run.duration_ns / 1000000);
	bool is_neighbour_right =
		r == 0 && neighbour.run.status == ACT_DONE && neighbour_ms < GRACE_MS;
	sandbox_fini(&neighbour);
	sandbox_finish(&sandbox);
	check_ended(&sandbox, finding);
	size_t n_left = host_count_named(name);
	bool is_right = strcmp(sandbox.reason, "pids") == 0 && sandbox.run.status == 124 &&
			is_neighbour_right && is_listed && n_most <= 32 && n_left == 0 &&
			sandbox.run.duration_ns / 1000000 <= row->most_ms;
	finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
		    "ended: %s, exit status %d; %zu processes at most, %zu left; a neighbour took "
		    "%u ms",
		    sandbox.reason[0] ? sandbox.reason : buf_string(&sandbox.run.err),
		    sandbox.run.status, n_most, n_left, neighbour_ms);
	if (strcmp(sandbox.reason, "refused") == 0 || !sandbox.has_record)
		finding_skip(finding, "no sandbox");
	else if (is_right && n_most < 4)
		finding_skip(finding, "only %zu processes were seen", n_most);
	else if (is_right)
		(void)check_control(verify, row, finding);
	sandbox_fini(&sandbox);
}

void check_strict(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct error err = { 0 };
	char line[300];
	expect(finding, row);
	int r = sandbox_run(verify, row->options, row->act, row->flags, &sandbox, &err);
	check_ended(&sandbox, finding);
	run_line(&sandbox.run.err, line, sizeof(line));
	bool is_refused = sandbox.run.status == 125 && sandbox.run.out.len == 0 &&
			  strncmp(line, "foso: limits.", 13) == 0;
	if (r < 0) {
		check_failed(finding, &err);
	} else if (is_refused) {
		finding_set(finding, VERDICT_HELD, "refused: %s", line + 6);
		(void)check_control(verify, row, finding);
	} else if (sandbox.run.status == ACT_DONE) {
		finding_set(finding, VERDICT_HELD, "it ran");
		finding_skip(finding, "this host's kernel holds every limit for the whole tree");
	} else {
		finding_set(finding, VERDICT_BROKEN, "exit status %d: %s", sandbox.run.status,
			    line);
	}
	sandbox_fini(&sandbox);
}

/* ---- nothing is left ---- */

/* What a sandbox has on this host: looked at while it stands, and when it is gone. */
struct traces {
	bool is_listed;
	size_t n_groups, n_mounts, n_processes;
};

static struct traces look(struct verify *verify, const char *id, const char *name)
{
	char text[48], other[32];
	(void)snprintf(text, sizeof(text), "\"id\":\"%s\"", id);
	return (struct traces){
		.is_listed = find_id(verify, text, other),
		.n_groups = host_count_groups(id),
		.n_mounts = host_count_mounts(),
		.n_processes = host_count_named(name),
	};
}

static void judge_traces(const struct traces *during, const struct traces *after, size_t n_mounts,
			 struct finding *finding)
{
	bool is_clean = !after->is_listed && after->n_groups == 0 && after->n_processes == 0 &&
			after->n_mounts == n_mounts && during->n_mounts == n_mounts;
	finding_set(finding, is_clean ? VERDICT_HELD : VERDICT_BROKEN,
		    "during: %slisted, %zu groups, %zu processes; after: %slisted, %zu groups, %zu "
		    "processes, %+ld mounts",
		    during->is_listed ? "" : "not ", during->n_groups, during->n_processes,
		    after->is_listed ? "" : "not ", after->n_groups, after->n_processes,
		    (long)after->n_mounts - (long)n_mounts);
	if (is_clean && (!during->is_listed || during->n_processes == 0))
		finding_skip(finding, "the sandbox was not seen while it stood");
}

void check_teardown(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	char name[20], id[32] = "";
	size_t n_mounts = host_count_mounts();
	name_processes(verify, 't', name);
	expect(finding, row);
	if (begin(verify, row, &sandbox, "done: hidden", finding)) {
		(void)find_by_monitor(verify, sandbox.run.pid, id);
		struct traces during = look(verify, id, name);
		sandbox_finish(&sandbox);
		check_ended(&sandbox, finding);
		struct traces after = look(verify, id, name);
		judge_traces(&during, &after, n_mounts, finding);
	}
	sandbox_fini(&sandbox);
}

void check_init_killed(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	char name[20];
	name_processes(verify, 'i', name);
	expect(finding, row);
	if (begin(verify, row, &sandbox, "done: hidden", finding)) {
		size_t n_before = host_count_named(name);
		pid_t init = host_child(sandbox.run.pid);
		int r = init > 0 ? kill(init, SIGKILL) : -1;
		sandbox_finish(&sandbox);
		check_ended(&sandbox, finding);
		size_t n_after = host_await_gone(name, GONE_MS);
		bool is_right = strcmp(sandbox.reason, "sandbox-lost") == 0 &&
				sandbox.run.status == 125 && n_after == 0;
		finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
			    "ended: %s, exit status %d, %zu of %zu processes left", sandbox.reason,
			    sandbox.run.status, n_after, n_before);
		if (r < 0 || n_before == 0)
			finding_skip(finding, "process 1 could not be found and killed");
	}
	sandbox_fini(&sandbox);
}

void check_monitor_killed(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct run gc;
	char name[20], id[32] = "";
	size_t n_mounts = host_count_mounts();
	name_processes(verify, 'm', name);
	expect(finding, row);
	if (begin(verify, row, &sandbox, "done: hidden", finding)) {
		(void)find_by_monitor(verify, sandbox.run.pid, id);
		struct traces during = look(verify, id, name);
		(void)kill(sandbox.run.pid, SIGKILL);
		run_finish(&sandbox.run);
		check_ended(&sandbox, finding);
		size_t n_left = host_await_gone(name, GONE_MS);
		int status = foso(verify, "gc", &gc);
		struct traces after = look(verify, id, name);
		judge_traces(&during, &after, n_mounts, finding);
		if (n_left > 0 || status != 0)
			finding_set(finding, VERDICT_BROKEN,
				    "%zu processes outlive the monitor; foso gc: exit status %d",
				    n_left, status);
		run_fini(&gc);
		(void)unlink(sandbox.result);
	}
	sandbox_fini(&sandbox);
}
