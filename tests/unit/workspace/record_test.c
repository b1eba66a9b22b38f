/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a change set: back and forth, and every way to break it. */
#include "support/tap.h"
#include "workspace/record.c"

static const struct changes_record sample = {
	.id = "abc2",
	.parent = "def3",
	.kind = CHANGES_WORKSPACE,
	.state = CHANGES_STOPPED,
	.mechanism = CHANGES_DISK,
	.was_lost = true,
	.path = "/srv/a\nb",
	.dev = 1,
	.inode = 2,
	.mount_id = 3,
	.started_realtime_ns = 4,
	.ended_realtime_ns = 5,
	.policy_digest = { 6 },
	.host_uid = 7,
	.disk_uid = 8,
	.host_gid = 9,
	.disk_gid = 10,
	.disk_bytes = UINT64_MAX,
	.disk_inodes = 12,
	.n_changed = 13,
};

static void a_record_comes_back(void)
{
	struct buf bytes = BUF_INIT(CHANGES_MAX_RECORD_BYTES);
	struct changes_record record = { .id = "" };
	struct error err = { 0 };
	changes_record_encode(&sample, &bytes);
	EQ(changes_record_decode(&record, bytes.data, bytes.len, &err), 0);
	EQ(memcmp(&record, &sample, sizeof(record)), 0);
	buf_fini(&bytes);
}

/* Cut anywhere, or with a byte too many, it is refused. */
static void a_cut_record_is_refused(void)
{
	struct buf bytes = BUF_INIT(CHANGES_MAX_RECORD_BYTES);
	changes_record_encode(&sample, &bytes);
	buf_append_char(&bytes, 'x');
	for (size_t len = 0; len <= bytes.len; len++) {
		struct changes_record record = { .id = "" };
		struct error err = { 0 };
		if (len == bytes.len - 1)
			continue;
		ERR(changes_record_decode(&record, bytes.data, len, &err), &err, ERR_CORRUPT,
		    "record");
		EQ(record.id[0], 0);
	}
	buf_fini(&bytes);
}

static int try(const struct changes_record *record)
{
	struct buf bytes = BUF_INIT(CHANGES_MAX_RECORD_BYTES);
	struct changes_record read;
	struct error err = { 0 };
	changes_record_encode(record, &bytes);
	int r = changes_record_decode(&read, bytes.data, bytes.len, &err);
	buf_fini(&bytes);
	return r;
}

static void what_makes_no_sense_is_refused(void)
{
	struct changes_record record = sample;
	record.kind = CHANGES_N_KINDS;
	EQ(try(&record), -ERR_CORRUPT);
	record = sample;
	record.state = CHANGES_N_STATES;
	EQ(try(&record), -ERR_CORRUPT);
	record = sample;
	record.path[0] = 'x';
	EQ(try(&record), -ERR_CORRUPT);
	record = sample;
	record.id[0] = '/';
	EQ(try(&record), -ERR_CORRUPT);
	record = sample;
	record.parent[0] = '.';
	EQ(try(&record), -ERR_CORRUPT);
	record = sample;
	record.kind = CHANGES_ROOT;
	EQ(try(&record), -ERR_CORRUPT);
	record.path[0] = '\0';
	EQ(try(&record), 0);
}

int main(void)
{
	RUN(a_record_comes_back);
	RUN(a_cut_record_is_refused);
	RUN(what_makes_no_sense_is_refused);
	return tap_done();
}
