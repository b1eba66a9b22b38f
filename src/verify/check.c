/* SPDX-License-Identifier: Apache-2.0 */
/* check.c - the two ways in which most rows are tried, and the control */
#include "verify/check.h"

#include <stdarg.h>
#include <string.h>

#include "verify/act/act.h"

#define STATUS_LIMIT   124
#define STATUS_REFUSED 125

void finding_set(struct finding *finding, enum verdict verdict, const char *format, ...)
{
	va_list arguments;
	finding->verdict = verdict;
	va_start(arguments, format);
	(void)vsnprintf(finding->observed, sizeof(finding->observed), format, arguments);
	va_end(arguments);
}

void finding_skip(struct finding *finding, const char *format, ...)
{
	va_list arguments;
	finding->verdict = VERDICT_SKIPPED;
	va_start(arguments, format);
	(void)vsnprintf(finding->reason, sizeof(finding->reason), format, arguments);
	va_end(arguments);
}

void check_failed(struct finding *finding, const struct error *err)
{
	char text[sizeof(finding->reason)];
	error_format(err, text, sizeof(text));
	finding_skip(finding, "%s", text);
}

void check_ended(const struct sandbox_run *sandbox, struct finding *finding)
{
	(void)snprintf(finding->policy_sha256, sizeof(finding->policy_sha256), "%s",
		       sandbox->policy_sha256);
	(void)snprintf(finding->root_sha256, sizeof(finding->root_sha256), "%s",
		       sandbox->root_sha256);
	finding->duration_ns = sandbox->run.duration_ns;
}

bool check_begin(struct verify *verify, const struct row *row, struct sandbox_run *sandbox,
		 struct finding *finding)
{
	struct error err = { 0 };
	char line[sizeof(finding->reason) - 16];
	const char *lack = world_lack(&verify->world, row->options);
	*sandbox = (struct sandbox_run){ .run = RUN_INIT };
	if (!lack)
		lack = world_lack(&verify->world, row->act);
	if (lack) {
		finding_skip(finding, "%s", lack);
		return false;
	}
	if (sandbox_run(verify, row->options, row->act, row->flags, sandbox, &err) < 0) {
		check_failed(finding, &err);
		return false;
	}
	check_ended(sandbox, finding);
	if (sandbox->run.is_late) {
		finding_set(finding, VERDICT_BROKEN, "no end after %d s", RUN_MAX_MS / 1000);
		return false;
	}
	if (!sandbox->has_record || strcmp(sandbox->reason, "refused") == 0) {
		run_line(&sandbox->run.err, line, sizeof(line));
		finding_skip(finding, "no sandbox: %s", line);
		return false;
	}
	return true;
}

/* ---- the control ---- */

/* A sandbox with weaker options: the act must work there. */
static bool control_policy(struct verify *verify, const struct row *row, char *line, size_t size)
{
	struct sandbox_run sandbox;
	struct error err = { 0 };
	const char *act = row->control_act ? row->control_act : row->act;
	int r = sandbox_run(verify, row->weak, act, 0, &sandbox, &err);
	bool is_done = r == 0 && sandbox.has_record && sandbox.run.status == ACT_DONE;
	if (r < 0) {
		error_format(&err, line, size);
	} else {
		run_line(&sandbox.run.out, line, size);
		if (!line[0])
			run_line(&sandbox.run.err, line, size);
	}
	sandbox_fini(&sandbox);
	return is_done;
}

/* Without a sandbox: on the host, or below @before ("own-namespaces"). */
static bool control_outside(struct verify *verify, const struct row *row, const char *before,
			    char *line, size_t size)
{
	struct words words = { 0 };
	struct run run = RUN_INIT;
	struct error err = { 0 };
	int r = words_add_whole(&words, verify->act, &err);
	if (r == 0)
		r = words_add(&words, verify, before, &err);
	if (r == 0)
		r = words_add(&words, verify, row->control_act ? row->control_act : row->act, &err);
	if (r == 0)
		r = run_whole(&run, verify, words.items, row->flags, &err);
	words_fini(&words);
	if (r < 0)
		error_format(&err, line, size);
	else
		run_line(&run.out, line, size);
	bool is_done = r == 0 && run.status == ACT_DONE;
	run_fini(&run);
	return is_done;
}

bool check_control(struct verify *verify, const struct row *row, struct finding *finding)
{
	char line[300] = "nothing was tried", what[64];
	bool is_done = false;
	if (!is_done && row->controls & CONTROL_HOST)
		is_done = control_outside(verify, row, NULL, line, sizeof(line));
	if (!is_done && row->controls & CONTROL_NAMESPACES)
		is_done = control_outside(verify, row, "own-namespaces", line, sizeof(line));
	if (!is_done && row->controls & CONTROL_POLICY)
		is_done = control_policy(verify, row, line, sizeof(line));
	/* The control may well kill the victim; the next row finds a new one. */
	(void)world_is_intact(&verify->world, what, sizeof(what));
	if (!is_done)
		finding_skip(finding, "the act does not work without the boundary either: %s",
			     line);
	return is_done;
}

/* ---- acts that are denied ---- */

/* Is @word one of those in @list? */
static bool is_listed(const char *list, const char *word, size_t len)
{
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, " ");
		if (n == len && len > 0 && strncmp(at, word, len) == 0)
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

/* The act came to its end: what did it say? */
static void judge_act(const struct row *row, const struct sandbox_run *sandbox,
		      struct finding *finding)
{
	char line[300];
	run_line(&sandbox->run.out, line, sizeof(line));
	const char *name = strncmp(line, "denied: ", 8) == 0 ? line + 8 : "";
	if (sandbox->run.status == ACT_CANNOT)
		finding_skip(finding, "it could not be tried: %s", line);
	else if (sandbox->run.status == ACT_DENIED &&
		 is_listed(row->expected, name, strcspn(name, " ")))
		finding_set(finding, VERDICT_HELD, "%s", line);
	else
		finding_set(finding, VERDICT_BROKEN, "%s (exit status %d)",
			    line[0] ? line : "no answer", sandbox->run.status);
}

static void judge_end(const struct row *row, const struct sandbox_run *sandbox,
		      struct finding *finding)
{
	const char *reason = sandbox->reason;
	bool is_right = is_listed(row->expected, reason, strlen(reason)) && sandbox->limit[0] &&
			sandbox->run.status == STATUS_LIMIT;
	finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
		    "ended: %s %s, exit status %d, after %llu ms", reason, sandbox->limit,
		    sandbox->run.status, (unsigned long long)(sandbox->run.duration_ns / 1000000));
}

static void judge(struct verify *verify, const struct row *row, const struct sandbox_run *sandbox,
		  struct finding *finding)
{
	char what[64];
	if (strcmp(sandbox->reason, "exit") == 0)
		judge_act(row, sandbox, finding);
	else
		judge_end(row, sandbox, finding);
	if (row->most_ms != 0 && sandbox->run.duration_ns / 1000000 > row->most_ms)
		finding_set(finding, VERDICT_BROKEN, "ended only after %llu ms",
			    (unsigned long long)(sandbox->run.duration_ns / 1000000));
	if (!world_is_intact(&verify->world, what, sizeof(what)))
		finding_set(finding, VERDICT_BROKEN, "%s", what);
}

void check_denied(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	(void)snprintf(finding->expected, sizeof(finding->expected), "%s", row->expected);
	if (check_begin(verify, row, &sandbox, finding)) {
		judge(verify, row, &sandbox, finding);
		if (finding->verdict == VERDICT_HELD)
			(void)check_control(verify, row, finding);
	}
	sandbox_fini(&sandbox);
}

/* ---- requests that are refused ---- */

static void judge_refusal(const struct row *row, const struct sandbox_run *sandbox,
			  struct finding *finding)
{
	char line[400];
	const char *expected = row->expected;
	run_line(&sandbox->run.err, line, sizeof(line));
	const char *found = strstr(line, expected + (expected[0] == '*'));
	bool is_named = strncmp(line, "foso: ", 6) == 0 && found &&
			(expected[0] == '*' || found == line + 6);
	/* A record, or a word of the act, would mean that something was started. */
	bool is_refused = sandbox->run.status == STATUS_REFUSED && sandbox->run.out.len == 0 &&
			  (!sandbox->has_record || strcmp(sandbox->reason, "refused") == 0);
	if (is_refused && is_named)
		finding_set(finding, VERDICT_HELD, "refused: %s", line + 6);
	else
		finding_set(finding, VERDICT_BROKEN, "exit status %d: %s", sandbox->run.status,
			    line);
}

void check_refused(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct error err = { 0 };
	(void)snprintf(finding->expected, sizeof(finding->expected), "refused, naming '%s'",
		       row->expected);
	int r = sandbox_run(verify, row->options, row->act, row->flags, &sandbox, &err);
	check_ended(&sandbox, finding);
	if (r < 0) {
		check_failed(finding, &err);
	} else {
		judge_refusal(row, &sandbox, finding);
		/* Where nothing runs at all, a refusal of something else says nothing either way.
		 */
		if (finding->verdict == VERDICT_HELD || sandbox.run.status == STATUS_REFUSED)
			(void)check_control(verify, row, finding);
	}
	sandbox_fini(&sandbox);
}
