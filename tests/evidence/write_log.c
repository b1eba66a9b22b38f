/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_log.c - makes evidence for tests
 *
 * usage: write_log FOLDER N [KEY]    appends N records, signed if KEY is given
 *        write_log --record          one record from strings on stdin, each with a NUL behind:
 *                                    id, root, engine, level_why, fact, note, then the command
 *
 * foso-evidence must lie beside it for KEY.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "evidence/log.h"
#include "evidence/record.h"
#include "evidence/signer.h"

#define START_NS     1795939200000000000u /* 2026-11-29T08:00:00Z */
#define MAX_STRINGS  4096
#define MAX_IN_BYTES (1024 * 1024)

static const struct end ends[] = {
	{ .reason = END_EXIT, .code = 0 },
	{ .reason = END_SIGNAL, .code = -1, .signal = 11 },
	{ .reason = END_DEADLINE, .code = -1, .signal = 9, .limit = "limits.wall" },
	{ .reason = END_MEMORY, .code = -1, .signal = 9, .limit = "limits.memory" },
};

static const char *const commands[][4] = {
	{ "python3", "-c", "print(sum(range(10**6)))", NULL },
	{ "./crash", "\x1b[2J\x1b[31m", NULL },
	{ "sleep", "300", NULL },
	{ "tail", "/dev/zero", "caf\xc3\xa9 \xff\xfe\n\xc2\x9b", NULL },
};

static void record_fill(struct evidence_record *record, const char *id, size_t number)
{
	size_t kind = number % ARRAY_LEN(ends);
	*record = (struct evidence_record){
		.id = id,
		.policy_canonical = "{\"evidence\":{\"sign\":\"\"},\"level\":\"process\"}",
		.level = "process",
		.level_why = "the strongest that this host has",
		.root = "host",
		.engine = "linux",
		.host_facts = { "landlock abi 7", "cgroup v1" },
		.n_host_facts = 2,
		.started_realtime_ns = START_NS + number * 60000000000u,
		.ended_realtime_ns = START_NS + number * 60000000000u + 1500000000u,
		.end = ends[kind],
		.usage = { .wall_ns = 1500000000,
			   .cpu_ns = 12000000,
			   .memory_peak_bytes = 3 << 20 },
		.limits = { { "limits.memory", "cgroup v1 memory.limit_in_bytes", 536870912, 0 } },
		.n_limits = 1,
		.argv = commands[kind],
	};
}

static int append(int dir_fd, size_t number, const char *key, struct error *err)
{
	CLEANUP(evidence_signer_stop) struct evidence_signer signer = EVIDENCE_SIGNER_INIT;
	auto_buf struct buf json = BUF_INIT(EVIDENCE_MAX_RECORD_BYTES);
	struct evidence_record record;
	char id[32];
	(void)snprintf(id, sizeof(id), "run%zu", number + 1);
	record_fill(&record, id, number);
	record.is_signed = key != NULL;
	evidence_record_format(&record, &json);
	int r = key ? evidence_signer_start(&signer, key, err) : 0;
	if (r == 0 && key)
		r = evidence_signer_await(&signer, err);
	if (r < 0)
		return r;
	return evidence_log_append(dir_fd, json.data, json.len, key ? evidence_signer_sign : NULL,
				   &signer, err);
}

static int write_log(const char *folder, const char *count, const char *key, struct error *err)
{
	auto_fd int dir_fd = -1;
	uint64_t n = 0;
	if (!text_parse_u64(count, &n))
		return error_set(err, ERR_INVALID, 0, "N", "'%s' is no number", count);
	int r = evidence_log_open(folder, &dir_fd, err);
	for (uint64_t i = 0; r == 0 && i < n; i++)
		r = append(dir_fd, i, key, err);
	return r;
}

static int write_record(struct error *err)
{
	static char bytes[MAX_IN_BYTES];
	static const char *strings[MAX_STRINGS + 1];
	auto_buf struct buf json = BUF_INIT(EVIDENCE_MAX_RECORD_BYTES);
	size_t len = fread(bytes, 1, sizeof(bytes) - 1, stdin), n = 0;
	for (size_t at = 0; at < len && n < MAX_STRINGS; at += strlen(bytes + at) + 1)
		strings[n++] = bytes + at;
	if (n < 6)
		return error_set(err, ERR_INVALID, 0, "stdin", "has %zu strings, not 6 or more", n);
	struct evidence_record record = {
		.id = strings[0],
		.root = strings[1],
		.engine = strings[2],
		.level_why = strings[3],
		.host_facts = { strings[4] },
		.n_host_facts = 1,
		.notes = { strings[5] },
		.n_notes = 1,
		.argv = strings + 6,
	};
	evidence_record_format(&record, &json);
	if (!buf_is_whole(&json))
		return error_set(err, ERR_INTERNAL, 0, "record", "does not fit");
	return fwrite(json.data, 1, json.len, stdout) == json.len ? 0 : -ERR_SYSTEM;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	int r = -ERR_INVALID;
	if (argc == 2 && strcmp(argv[1], "--record") == 0)
		r = write_record(&err);
	else if (argc == 3 || argc == 4)
		r = write_log(argv[1], argv[2], argc == 4 ? argv[3] : NULL, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? 1 : 0;
}
