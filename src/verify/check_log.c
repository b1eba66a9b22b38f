/* SPDX-License-Identifier: Apache-2.0 */
/* check_log.c - the evidence that sandboxes leave, and what an edited log shows */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/act/act.h"
#include "verify/check.h"
#include "verify/host.h"

#define MAX_LOG_BYTES (64 * 1024 * 1024)

static void expect(struct finding *finding, const struct row *row)
{
	(void)snprintf(finding->expected, sizeof(finding->expected), "%s", row->expected);
}

static void log_path(const struct verify *verify, char path[256])
{
	(void)snprintf(path, 256, "%s/log.jsonl", verify->evidence);
}

static void read_log(const struct verify *verify, struct buf *out)
{
	char path[256], bytes[65536];
	ssize_t n;
	log_path(verify, path);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0)
		buf_append(out, bytes, (size_t)n);
}

static size_t count_lines(const struct verify *verify)
{
	auto_buf struct buf log = BUF_INIT(MAX_LOG_BYTES);
	size_t n = 0;
	read_log(verify, &log);
	for (size_t i = 0; i < log.len; i++)
		n += log.data[i] == '\n';
	return n;
}

/* ---- what a record says ---- */

static uint64_t n_denied(const struct sandbox_run *sandbox, const char *name)
{
	for (size_t i = 0; i < sandbox->n_denials; i++) {
		if (strcmp(sandbox->denials[i].name, name) == 0)
			return sandbox->denials[i].count;
	}
	return 0;
}

void check_denials(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox, other;
	struct error err = { 0 };
	expect(finding, row);
	if (check_begin(verify, row, &sandbox, finding)) {
		bool is_right = sandbox.n_denials == 1 && n_denied(&sandbox, "bpf") == 1;
		finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
			    "%zu names, bpf %llu times", sandbox.n_denials,
			    (unsigned long long)n_denied(&sandbox, "bpf"));
		if (is_right) {
			int r = sandbox_run(verify, NULL, row->control_act, 0, &other, &err);
			if (r < 0 || !other.has_record || other.n_denials != 0)
				finding_skip(finding, "a run without denied calls has %zu, too",
					     other.n_denials);
			sandbox_fini(&other);
		}
	}
	sandbox_fini(&sandbox);
}

void check_record(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox, other;
	struct error err = { 0 };
	char path[256];
	size_t n_before = count_lines(verify);
	log_path(verify, path);
	expect(finding, row);
	if (check_begin(verify, row, &sandbox, finding)) {
		size_t n_after = count_lines(verify);
		bool is_right = n_after == n_before + 1 && host_file_holds(path, sandbox.id);
		finding_set(finding, is_right ? VERDICT_HELD : VERDICT_BROKEN,
			    "%zu records before, %zu after, %s", n_before, n_after,
			    host_file_holds(path, sandbox.id) ? "its id among them" : "not its id");
		int r = sandbox_run(verify, row->weak, row->act, 0, &other, &err);
		if (is_right && (r < 0 || count_lines(verify) != n_after))
			finding_skip(finding, "a run without evidence leaves a record, too");
		sandbox_fini(&other);
	}
	sandbox_fini(&sandbox);
}

void check_secret_in_log(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox, other;
	struct error err = { 0 };
	char path[256];
	log_path(verify, path);
	expect(finding, row);
	if (check_begin(verify, row, &sandbox, finding)) {
		bool is_found = host_file_holds(path, verify->world.canary);
		finding_set(finding, is_found ? VERDICT_BROKEN : VERDICT_HELD,
			    is_found ? "the value is in the log" : "the value is not in the log");
		/* An argument is recorded, so a search that works finds it. */
		int r = sandbox_run(verify, NULL, row->control_act, 0, &other, &err);
		if (!is_found && (r < 0 || !host_file_holds(path, verify->world.canary)))
			finding_skip(finding, "an argument is not found in the log either");
		sandbox_fini(&other);
	}
	sandbox_fini(&sandbox);
}

/* ---- an edited log ---- */

/* Start of line @number, from 0. */
static size_t line_at(const struct buf *log, size_t number)
{
	size_t at = 0;
	for (; number > 0 && at < log->len; at++)
		number -= log->data[at] == '\n';
	return at;
}

static void copy_whole(const struct buf *log, struct buf *out)
{
	buf_append(out, log->data, log->len);
}

static void edit_byte(const struct buf *log, struct buf *out)
{
	copy_whole(log, out);
	char *at = memmem(out->data + line_at(log, 1), log->len - line_at(log, 1), "\"reason\":\"",
			  10);
	if (at)
		at[10] = at[10] == 'x' ? 'y' : 'x';
}

static void leave_out(const struct buf *log, struct buf *out)
{
	buf_append(out, log->data, line_at(log, 1));
	buf_append(out, log->data + line_at(log, 2), log->len - line_at(log, 2));
}

static void swap_two(const struct buf *log, struct buf *out)
{
	size_t first = line_at(log, 1), second = line_at(log, 2), third = line_at(log, 3);
	buf_append(out, log->data, first);
	buf_append(out, log->data + second, third - second);
	buf_append(out, log->data + first, second - first);
	buf_append(out, log->data + third, log->len - third);
}

static void cut_last(const struct buf *log, struct buf *out)
{
	size_t end = log->len - 1;
	while (end > 0 && log->data[end - 1] != '\n')
		end--;
	buf_append(out, log->data, end);
}

static const struct {
	const char *what;
	void (*edit)(const struct buf *log, struct buf *out);
	int status;
} edits[] = {
	{ "whole", copy_whole, 0 },        { "edited", edit_byte, 1 },
	{ "shortened", leave_out, 1 },     { "swapped", swap_two, 1 },
	{ "cut at its end", cut_last, 1 },
};

static int write_copy(const char *folder, const char *name, const char *bytes, size_t len)
{
	char path[256];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return fd < 0 || write(fd, bytes, len) != (ssize_t)len ? -1 : 0;
}

/* foso evidence verify on a folder; its exit status. */
static int verify_folder(struct verify *verify, const char *folder)
{
	struct words words = { 0 };
	struct run run = RUN_INIT;
	struct error err = { 0 };
	int r = words_add_whole(&words, verify->foso, &err);
	if (r == 0)
		r = words_add(&words, verify, "evidence verify", &err);
	if (r == 0)
		r = words_add_whole(&words, folder, &err);
	if (r == 0)
		r = run_whole(&run, verify, words.items, false, &err);
	int status = r < 0 ? -1 : run.status;
	words_fini(&words);
	run_fini(&run);
	return status;
}

static int verify_edit(struct verify *verify, size_t index, const struct buf *log)
{
	char folder[160], head_path[256], head[4096];
	auto_buf struct buf copy = BUF_INIT(MAX_LOG_BYTES);
	(void)snprintf(folder, sizeof(folder), "%s/log-%zu", verify->world.folder, index);
	(void)snprintf(head_path, sizeof(head_path), "%s/head", verify->evidence);
	auto_fd int fd = open(head_path, O_RDONLY | O_CLOEXEC);
	ssize_t n_head = fd < 0 ? -1 : read(fd, head, sizeof(head));
	edits[index].edit(log, &copy);
	if (n_head < 0 || mkdir(folder, 0700) < 0 || !buf_is_whole(&copy) ||
	    write_copy(folder, "log.jsonl", copy.data, copy.len) < 0 ||
	    write_copy(folder, "head", head, (size_t)n_head) < 0)
		return -1;
	return verify_folder(verify, folder);
}

void check_chain(struct verify *verify, const struct row *row, struct finding *finding)
{
	auto_buf struct buf log = BUF_INIT(MAX_LOG_BYTES);
	uint64_t started_ns = run_now_ns();
	struct sandbox_run sandbox;
	struct error err = { 0 };
	expect(finding, row);
	for (int i = 0; i < 4; i++) {
		int r = sandbox_run(verify, NULL, row->act, 0, &sandbox, &err);
		sandbox_fini(&sandbox);
		if (r < 0) {
			check_failed(finding, &err);
			return;
		}
	}
	size_t n_lines = count_lines(verify);
	read_log(verify, &log);
	if (n_lines < 4 || !buf_is_whole(&log)) {
		finding_skip(finding, "the log has only %zu records", n_lines);
		return;
	}
	finding_set(finding, VERDICT_HELD, "%zu records; every one of %zu edits was found", n_lines,
		    ARRAY_LEN(edits) - 1);
	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		int status = verify_edit(verify, i, &log);
		if (status != edits[i].status)
			finding_set(finding, VERDICT_BROKEN,
				    "a log that is %s: foso evidence verify exits with %d",
				    edits[i].what, status);
	}
	finding->duration_ns = run_now_ns() - started_ns;
}
