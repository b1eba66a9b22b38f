/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - ID/record of a change set: a fixed format, read as if a stranger had written it */
#include <string.h>

#include "wire/codec.h"
#include "workspace/changes.h"
#include "workspace/private.h"

#define RECORD_MAGIC   0x31435346u /* "FSC1" */
#define RECORD_VERSION 1

bool changes_id_is_valid(const char *id)
{
	size_t len = strlen(id);
	return len > 0 && len < CHANGES_ID_BYTES &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789") == len;
}

void changes_record_encode(const struct changes_record *record, struct buf *out)
{
	wire_put_u32(out, RECORD_MAGIC);
	wire_put_u8(out, RECORD_VERSION);
	wire_put_string(out, record->id);
	wire_put_string(out, record->parent);
	wire_put_u8(out, (uint8_t)record->kind);
	wire_put_u8(out, (uint8_t)record->state);
	wire_put_u8(out, (uint8_t)record->mechanism);
	wire_put_u8(out, record->was_lost);
	wire_put_string(out, record->path);
	wire_put_u64(out, record->dev);
	wire_put_u64(out, record->inode);
	wire_put_u64(out, record->mount_id);
	wire_put_u64(out, record->started_realtime_ns);
	wire_put_u64(out, record->ended_realtime_ns);
	wire_put_bytes(out, record->policy_digest, sizeof(record->policy_digest));
	wire_put_u32(out, record->host_uid);
	wire_put_u32(out, record->disk_uid);
	wire_put_u32(out, record->host_gid);
	wire_put_u32(out, record->disk_gid);
	wire_put_u64(out, record->disk_bytes);
	wire_put_u64(out, record->disk_inodes);
	wire_put_u64(out, record->n_changed);
}

/* A string into room of @size bytes, NUL included; a NUL inside or too many bytes break it. */
static void get_string(struct wire_reader *reader, char *text, size_t size)
{
	size_t len = 0;
	const uint8_t *bytes = wire_get_bytes(reader, &len);
	if (!bytes || len >= size || memchr(bytes, '\0', len)) {
		reader->is_broken = true;
		return;
	}
	memcpy(text, bytes, len);
	text[len] = '\0';
}

static void get_digest(struct wire_reader *reader, uint8_t digest[DIGEST_BYTES])
{
	size_t len = 0;
	const uint8_t *bytes = wire_get_bytes(reader, &len);
	if (!bytes || len != DIGEST_BYTES)
		reader->is_broken = true;
	else
		memcpy(digest, bytes, DIGEST_BYTES);
}

static bool is_sound(const struct changes_record *record)
{
	bool has_path = record->kind == CHANGES_WORKSPACE;
	return changes_id_is_valid(record->id) &&
	       (record->parent[0] == '\0' || changes_id_is_valid(record->parent)) &&
	       (has_path ? record->path[0] == '/' : record->path[0] == '\0');
}

int changes_record_decode(struct changes_record *ret, const void *bytes, size_t len,
			  struct error *err)
{
	struct wire_reader reader;
	struct changes_record record = { .id = "" };
	wire_reader_init(&reader, bytes, len);
	bool is_known =
		wire_get_u32(&reader) == RECORD_MAGIC && wire_get_u8(&reader) == RECORD_VERSION;
	get_string(&reader, record.id, sizeof(record.id));
	get_string(&reader, record.parent, sizeof(record.parent));
	record.kind = wire_get_enum(&reader, CHANGES_N_KINDS);
	record.state = wire_get_enum(&reader, CHANGES_N_STATES);
	record.mechanism = wire_get_enum(&reader, CHANGES_N_MECHANISMS);
	record.was_lost = wire_get_bool(&reader);
	get_string(&reader, record.path, sizeof(record.path));
	record.dev = wire_get_u64(&reader);
	record.inode = wire_get_u64(&reader);
	record.mount_id = wire_get_u64(&reader);
	record.started_realtime_ns = wire_get_u64(&reader);
	record.ended_realtime_ns = wire_get_u64(&reader);
	get_digest(&reader, record.policy_digest);
	record.host_uid = wire_get_u32(&reader);
	record.disk_uid = wire_get_u32(&reader);
	record.host_gid = wire_get_u32(&reader);
	record.disk_gid = wire_get_u32(&reader);
	record.disk_bytes = wire_get_u64(&reader);
	record.disk_inodes = wire_get_u64(&reader);
	record.n_changed = wire_get_u64(&reader);
	if (is_known && wire_reader_is_done(&reader) && is_sound(&record)) {
		*ret = record;
		return 0;
	}
	int r = error_set(
		err, ERR_CORRUPT, 0, "record", "%s",
		is_known ? "of the change set breaks its format"
			 : "of the change set has a format that this version does not know");
	return error_remedy(err, r, "remove the change set with foso discard");
}
