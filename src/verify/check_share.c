/* SPDX-License-Identifier: Apache-2.0 */
/* check_share.c - what two sandboxes, or a sandbox and the host, must not share */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verify/act/act.h"
#include "verify/check.h"
#include "verify/host.h"

#define READY_MS 5000

static void expect(struct finding *finding, const struct row *row)
{
	(void)snprintf(finding->expected, sizeof(finding->expected), "%s", row->expected);
}

/* An act on the host while a sandbox stands; its exit status, or -1. */
static int act_outside(struct verify *verify, const char *act, struct run *ret)
{
	struct words words = { 0 };
	struct error err = { 0 };
	int r = words_add_whole(&words, verify->act, &err);
	*ret = RUN_INIT;
	if (r == 0)
		r = words_add(&words, verify, act, &err);
	if (r == 0)
		r = run_whole(ret, verify, words.items, false, &err);
	words_fini(&words);
	return r < 0 ? -1 : ret->status;
}

/* Starts a sandbox and waits for its act to be ready; false if *finding has its verdict. */
static bool begin_ready(struct verify *verify, const char *options, const char *act,
			struct sandbox_run *sandbox, struct finding *finding)
{
	struct error err = { 0 };
	char line[300];
	if (sandbox_start(verify, options, act, 0, sandbox, &err) < 0) {
		check_failed(finding, &err);
		return false;
	}
	if (run_await(&sandbox->run, "done: ", READY_MS))
		return true;
	sandbox_finish(sandbox);
	run_line(sandbox->run.out.len > 0 ? &sandbox->run.out : &sandbox->run.err, line,
		 sizeof(line));
	finding_skip(finding, "no sandbox: %s", line);
	return false;
}

void check_no_host_file(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct words words = { 0 };
	struct error err = { 0 };
	struct stat status;
	char line[200], what[64];
	expect(finding, row);
	bool has_run = check_begin(verify, row, &sandbox, finding);
	if (has_run && words_add(&words, verify, row->act, &err) < 0) {
		check_failed(finding, &err);
		has_run = false;
	}
	if (has_run) {
		run_line(&sandbox.run.out, line, sizeof(line));
		finding_set(finding, VERDICT_HELD, "none of %zu names outside; inside: %s",
			    words.n_items - 1, line);
		for (size_t i = 1; i < words.n_items; i++) {
			if (lstat(words.items[i], &status) == 0)
				finding_set(finding, VERDICT_BROKEN, "%s is on the host",
					    words.items[i]);
		}
		if (!world_is_intact(&verify->world, what, sizeof(what)))
			finding_set(finding, VERDICT_BROKEN, "%s", what);
		if (finding->verdict == VERDICT_HELD && sandbox.run.status != ACT_DONE)
			finding_skip(finding, "nothing could be created inside: %s", line);
		else if (finding->verdict == VERDICT_HELD)
			(void)check_control(verify, row, finding);
	}
	words_fini(&words);
	sandbox_fini(&sandbox);
}

/* The source of an overlay: does it have the file that the act made? */
static bool source_changed(const struct verify *verify)
{
	char path[256];
	struct stat status;
	(void)snprintf(path, sizeof(path), "%s/made", verify->world.shown);
	bool is_there = lstat(path, &status) == 0;
	(void)unlink(path);
	return is_there;
}

void check_overlay(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	expect(finding, row);
	if (check_begin(verify, row, &sandbox, finding)) {
		bool is_held = !source_changed(verify) && sandbox.run.status == ACT_DONE;
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN,
			    "exit status %d, the source is %s", sandbox.run.status,
			    is_held ? "as it was" : "changed");
		if (is_held && check_control(verify, row, finding) && !source_changed(verify))
			finding_skip(finding, "a writable mount does not change its source either");
	}
	sandbox_fini(&sandbox);
}

/* Content and times of what stands for the whole layer. */
static bool image_is_whole(struct verify *verify, const struct stat *was)
{
	struct stat now;
	char path[sizeof(verify->world.low_layer) + 16];
	(void)snprintf(path, sizeof(path), "%s/file", verify->world.low_layer);
	return lstat(path, &now) == 0 && now.st_size == was->st_size &&
	       now.st_mode == was->st_mode && now.st_nlink == was->st_nlink &&
	       now.st_ino == was->st_ino && now.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == was->st_mtim.tv_nsec &&
	       now.st_ctim.tv_sec == was->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

void check_image_whole(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct stat was = { 0 };
	char path[sizeof(verify->world.low_layer) + 16];
	(void)snprintf(path, sizeof(path), "%s/file", verify->world.low_layer);
	(void)lstat(path, &was);
	expect(finding, row);
	if (check_begin(verify, row, &sandbox, finding)) {
		bool is_held = image_is_whole(verify, &was) && sandbox.run.status == ACT_DONE;
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN,
			    "exit status %d, the layer is %s", sandbox.run.status,
			    is_held ? "as it was" : "changed");
		if (is_held)
			(void)check_control(verify, row, finding);
	}
	sandbox_fini(&sandbox);
}

/* Somebody on the host calls a name on which the sandbox listens. */
static void judge_call(struct verify *verify, struct sandbox_run *sandbox, struct finding *finding)
{
	struct run call;
	char line[200];
	int status = act_outside(verify, "abstract {name}-in", &call);
	run_fini(&call);
	sandbox_finish(sandbox);
	check_ended(sandbox, finding);
	run_line(&sandbox->run.out, line, sizeof(line));
	bool was_called = strstr(buf_string(&sandbox->run.out), "was called") != NULL;
	finding_set(finding, status == ACT_DENIED && !was_called ? VERDICT_HELD : VERDICT_BROKEN,
		    "the caller's exit status %d; the sandbox %s", status,
		    was_called ? "was called" : "was not called");
}

static bool call_works_on_host(struct verify *verify)
{
	struct words words = { 0 };
	struct run listener = RUN_INIT, call;
	struct error err = { 0 };
	int status = -1;
	int r = words_add_whole(&words, verify->act, &err);
	if (r == 0)
		r = words_add(&words, verify, "listen {name}-in 1000", &err);
	if (r == 0)
		r = run_start(&listener, verify, words.items, false, &err);
	words_fini(&words);
	if (r == 0 && run_await(&listener, "done: ready", READY_MS)) {
		status = act_outside(verify, "abstract {name}-in", &call);
		run_fini(&call);
	}
	run_fini(&listener);
	return status == ACT_DONE;
}

void check_call_from_outside(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	expect(finding, row);
	if (begin_ready(verify, row->options, row->act, &sandbox, finding)) {
		judge_call(verify, &sandbox, finding);
		if (finding->verdict == VERDICT_HELD && !call_works_on_host(verify))
			finding_skip(finding, "the call does not work on the host either");
	}
	sandbox_fini(&sandbox);
}

/* Two on the host: the second must find the port taken. */
static bool ports_clash_on_host(struct verify *verify, const char *act)
{
	struct words words = { 0 };
	struct run first = RUN_INIT, second;
	struct error err = { 0 };
	int status = -1;
	int r = words_add_whole(&words, verify->act, &err);
	if (r == 0)
		r = words_add(&words, verify, act, &err);
	if (r == 0)
		r = run_start(&first, verify, words.items, false, &err);
	words_fini(&words);
	if (r == 0 && run_await(&first, "done: ready", READY_MS)) {
		status = act_outside(verify, act, &second);
		run_fini(&second);
	}
	run_fini(&first);
	return status == ACT_DENIED;
}

void check_same_port(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run first, second;
	struct error err = { 0 };
	struct run call = RUN_INIT;
	expect(finding, row);
	if (begin_ready(verify, row->options, row->act, &first, finding)) {
		int r = sandbox_run(verify, row->options, row->control_act, 0, &second, &err);
		int call_status = act_outside(verify, "tcp 48123", &call);
		sandbox_finish(&first);
		check_ended(&first, finding);
		bool is_right = r == 0 && second.run.status == ACT_DONE &&
				first.run.status == ACT_DONE && call_status == ACT_DENIED;
		finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
			    "exit statuses: first %d, second %d, a caller on the host %d",
			    first.run.status, second.run.status, call_status);
		if (is_right && !ports_clash_on_host(verify, row->act))
			finding_skip(finding, "two listeners on this host do not clash either");
		sandbox_fini(&second);
		run_fini(&call);
	}
	sandbox_fini(&first);
}

/* B looks while A lives, C when A is gone. */
void check_fresh(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run first, other;
	struct error err = { 0 };
	char lines[2][128] = { "", "" };
	bool is_right = true;
	expect(finding, row);
	if (!begin_ready(verify, row->options, row->act, &first, finding)) {
		sandbox_fini(&first);
		return;
	}
	for (int i = 0; i < 2; i++) {
		int r = sandbox_run(verify, row->options, "fresh-find {name}", 0, &other, &err);
		run_line(&other.run.out, lines[i], sizeof(lines[i]));
		is_right = is_right && r == 0 && other.run.status == ACT_DENIED;
		sandbox_fini(&other);
		if (i == 0)
			sandbox_finish(&first);
	}
	check_ended(&first, finding);
	finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
		    "beside it: %s; after it: %s", lines[0], lines[1]);
	if (is_right)
		(void)check_control(verify, row, finding);
	sandbox_fini(&first);
}

/* The kernel counts some things by user, and a sandbox can have its caller's id outside. */
void check_quota(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct run before, during;
	char line[200];
	expect(finding, row);
	int status_before = act_outside(verify, row->control_act, &before);
	run_fini(&before);
	if (begin_ready(verify, row->options, row->act, &sandbox, finding)) {
		int status = act_outside(verify, row->control_act, &during);
		run_fini(&during);
		sandbox_finish(&sandbox);
		check_ended(&sandbox, finding);
		run_line(&sandbox.run.out, line, sizeof(line));
		finding_set(finding, status == ACT_DONE ? VERDICT_HELD : VERDICT_BROKEN,
			    "inside: %s; the caller's own: exit status %d", line, status);
		if (status_before != ACT_DONE)
			finding_skip(finding, "the caller has none without a sandbox either");
	}
	sandbox_fini(&sandbox);
}

/* A value that the policy hands to the command is nowhere else on the host. */
void check_secret_on_host(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct words words = { 0 };
	struct run run = RUN_INIT;
	struct error err = { 0 };
	expect(finding, row);
	if (begin_ready(verify, row->options, row->act, &sandbox, finding)) {
		bool is_held = !host_holds_text(verify->world.canary);
		sandbox_finish(&sandbox);
		check_ended(&sandbox, finding);
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN,
			    is_held ? "on no command line, in no environment of foso"
				    : "a process of the host shows it");
		int r = words_add_whole(&words, verify->act, &err);
		if (r == 0)
			r = words_add(&words, verify, "pause 300 {canary}", &err);
		if (r == 0)
			r = run_start(&run, verify, words.items, false, &err);
		bool is_found = r == 0 && run_await(&run, "done: ", READY_MS) &&
				host_holds_text(verify->world.canary);
		if (is_held && !is_found)
			finding_skip(finding, "a value on a command line is not seen here either");
		run_fini(&run);
		words_fini(&words);
	}
	sandbox_fini(&sandbox);
}
