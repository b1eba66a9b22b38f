/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.c - what one run leaves behind, as one line of JSON
 *
 * Names, arguments and notes may hold bytes that the sandbox chose.  They pass through
 * json_bytes(), which writes nothing that could end a string or a line, and each has a bound,
 * so that a record is one valid line of a known size whatever it is made from.
 */
#include "evidence/record.h"

#include <linux/audit.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/text.h"
#include "base/version.h"
#include "format/json.h"

#define NS_PER_S  1000000000u
#define S_PER_DAY 86400u

/* The longest piece of at most @max bytes that does not end inside a UTF-8 sequence. */
static size_t cut_length(const char *bytes, size_t len, size_t max)
{
	if (len <= max)
		return len;
	size_t cut = max;
	while (cut > 0 && max - cut < 3 && ((unsigned char)bytes[cut] & 0xc0) == 0x80)
		cut--;
	return text_utf8_next(bytes + cut, len - cut) > 0 ? cut : max;
}

static kept_apart void put_cut_text(struct json *json, const char *key, const char *text,
				    size_t len, size_t max)
{
	char piece[EVIDENCE_MAX_ROOT_BYTES + 4];
	assert(max < sizeof(piece) - 3);
	len = cut_length(text, len, max);
	(void)snprintf(piece, sizeof(piece), "%.*s...", (int)len, text);
	json_bytes(json, key, piece, len + 3);
}

/* A string of any bytes, with a bound; a cut one ends in "...". */
static kept_apart void put_text(struct json *json, const char *key, const char *text, size_t max)
{
	if (!text)
		return;
	size_t len = strnlen(text, max + 4); /* a whole UTF-8 sequence behind the cut */
	if (len <= max)
		json_bytes(json, key, text, len);
	else
		put_cut_text(json, key, text, len, max);
}

/*
 * A count or a size.  Values above INT64_MAX do not occur but as "unlimited", and readers of
 * JSON differ on them, so they are null.
 */
static void put_number(struct json *json, const char *key, uint64_t value)
{
	if (value > INT64_MAX)
		json_null(json, key);
	else
		json_u64(json, key, value);
}

/* Days since 1970-01-01 as a date of the Gregorian calendar, counted from 0000-03-01. */
static void date_of_days(uint64_t days, unsigned *ret_year, unsigned *ret_month, unsigned *ret_day)
{
	uint64_t shifted = days + 719468;
	uint64_t era = shifted / 146097, day_of_era = shifted % 146097;
	uint64_t year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	uint64_t day_of_year =
		day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	uint64_t month_from_march = (5 * day_of_year + 2) / 153;
	*ret_day = (unsigned)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
	*ret_month =
		(unsigned)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
	*ret_year = (unsigned)(year_of_era + era * 400 + (*ret_month <= 2 ? 1 : 0));
}

/* A moment twice: for people (RFC 3339, UTC, nanoseconds) and for arithmetic. */
static void put_time(struct json *json, const char *key, const char *key_ns, uint64_t realtime_ns)
{
	uint64_t seconds = realtime_ns / NS_PER_S;
	unsigned in_day = (unsigned)(seconds % S_PER_DAY), year, month, day;
	char text[64];
	date_of_days(seconds / S_PER_DAY, &year, &month, &day);
	(void)snprintf(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02u.%09uZ", year, month, day,
		       in_day / 3600, in_day / 60 % 60, in_day % 60,
		       (unsigned)(realtime_ns % NS_PER_S));
	json_string(json, key, text);
	put_number(json, key_ns, realtime_ns);
}

static void put_foso(struct json *json)
{
	json_object_open(json, "foso");
	json_string(json, "version", version_number());
	json_string(json, "build_id", version_build_id());
	json_object_close(json);
}

static void put_host(struct json *json, const struct evidence_record *record)
{
	struct utsname host;
	json_object_open(json, "host");
	if (uname(&host) == 0) {
		put_text(json, "kernel", host.release, EVIDENCE_MAX_TEXT_BYTES);
		put_text(json, "machine", host.machine, EVIDENCE_MAX_TEXT_BYTES);
	}
	json_array_open(json, "facts");
	for (size_t i = 0; i < MIN(record->n_host_facts, ARRAY_LEN(record->host_facts)); i++)
		put_text(json, NULL, record->host_facts[i], EVIDENCE_MAX_TEXT_BYTES);
	json_array_close(json);
	json_object_close(json);
}

/* One JSON object by its looks.  The text is foso's own, but a line break would forge a line. */
static bool is_embeddable(const char *json, size_t len)
{
	if (len < 2 || json[0] != '{' || json[len - 1] != '}')
		return false;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)json[i] < 0x20)
			return false;
	}
	return true;
}

static void put_policy(struct json *json, const struct evidence_record *record)
{
	char hex[DIGEST_HEX_BYTES];
	digest_hex(record->policy_digest, hex);
	json_string(json, "policy_sha256", hex);
	if (!record->policy_canonical)
		return;
	size_t len = strlen(record->policy_canonical);
	if (len <= EVIDENCE_MAX_POLICY_BYTES && is_embeddable(record->policy_canonical, len))
		json_raw(json, "policy", record->policy_canonical, len);
	else
		json_u64(json, "policy_left_out_bytes", len);
}

static void put_argv(struct json *json, const char *const *argv)
{
	if (!argv)
		return;
	size_t budget = EVIDENCE_MAX_ARGV_BYTES, n = 0;
	uint64_t n_cut_bytes = 0;
	json_array_open(json, "argv");
	for (; argv[n]; n++) {
		size_t len = strlen(argv[n]);
		size_t kept = n < EVIDENCE_MAX_ARGV_ITEMS ? cut_length(argv[n], len, budget) : 0;
		if (n < EVIDENCE_MAX_ARGV_ITEMS && (kept > 0 || len == 0))
			json_bytes(json, NULL, argv[n], kept);
		budget -= kept;
		n_cut_bytes += len - kept;
	}
	json_array_close(json);
	json_u64(json, "argv_count", n);
	json_u64(json, "argv_cut_bytes", n_cut_bytes);
}

static void put_end(struct json *json, const struct end *end)
{
	json_object_open(json, "end");
	json_string(json, "reason", end_reason_word(end->reason));
	if (end->limit)
		put_text(json, "limit", end->limit, EVIDENCE_MAX_TEXT_BYTES);
	if (end->signal > 0)
		json_i64(json, "signal", end->signal);
	else if (end->code >= 0)
		json_i64(json, "code", end->code);
	json_object_close(json);
}

static void put_commands(struct json *json, const struct evidence_record *record)
{
	if (!record->commands)
		return;
	json_array_open(json, "commands");
	for (size_t i = 0; i < MIN(record->n_commands, (size_t)EVIDENCE_MAX_COMMANDS); i++) {
		const struct evidence_command *command = &record->commands[i];
		json_object_open(json, NULL);
		json_u64(json, "number", command->number);
		put_text(json, "name", command->name, EVIDENCE_MAX_COMMAND_BYTES);
		put_end(json, &command->end);
		put_number(json, "started_ns", command->started_realtime_ns);
		put_number(json, "wall_ns", command->wall_ns);
		put_number(json, "stdout_bytes", command->stdout_bytes);
		put_number(json, "stderr_bytes", command->stderr_bytes);
		put_number(json, "lost_output_bytes", command->lost_bytes);
		json_object_close(json);
	}
	json_array_close(json);
	json_u64(json, "commands_count", record->n_commands);
}

static void put_usage(struct json *json, const struct evidence_usage *usage)
{
	json_object_open(json, "usage");
	put_number(json, "wall_ns", usage->wall_ns);
	put_number(json, "cpu_ns", usage->cpu_ns);
	put_number(json, "memory_peak_bytes", usage->memory_peak_bytes);
	put_number(json, "pids_peak", usage->pids_peak);
	put_number(json, "io_read_bytes", usage->io_read_bytes);
	put_number(json, "io_write_bytes", usage->io_write_bytes);
	put_number(json, "stdout_bytes", usage->stdout_bytes);
	put_number(json, "stderr_bytes", usage->stderr_bytes);
	put_number(json, "lost_output_bytes", usage->lost_output_bytes);
	put_number(json, "disk_bytes", usage->disk_bytes);
	put_number(json, "disk_inodes", usage->disk_inodes);
	json_object_close(json);
}

static void put_limits(struct json *json, const struct evidence_record *record)
{
	json_array_open(json, "limits");
	for (size_t i = 0; i < MIN(record->n_limits, ARRAY_LEN(record->limits)); i++) {
		const struct evidence_limit *limit = &record->limits[i];
		json_object_open(json, NULL);
		put_text(json, "field", limit->field, EVIDENCE_MAX_NAME_BYTES);
		put_number(json, "value", limit->value);
		put_text(json, "mechanism", limit->mechanism, EVIDENCE_MAX_NAME_BYTES);
		put_number(json, "hits", limit->n_hits);
		json_object_close(json);
	}
	json_array_close(json);
}

static void put_arch(struct json *json, uint32_t audit_arch)
{
	char text[16];
	switch (audit_arch) {
	case AUDIT_ARCH_X86_64:
		json_string(json, "arch", "x86_64");
		return;
	case AUDIT_ARCH_I386:
		json_string(json, "arch", "i386");
		return;
	case AUDIT_ARCH_AARCH64:
		json_string(json, "arch", "aarch64");
		return;
	default:
		(void)snprintf(text, sizeof(text), "0x%08x", audit_arch);
		json_string(json, "arch", text);
	}
}

static void put_denials(struct json *json, const struct seccomp_denials *denials)
{
	size_t n_items = denials ? MIN(denials->n_items, (size_t)SECCOMP_MAX_DENIALS) : 0;
	json_array_open(json, "denials");
	for (size_t i = 0; i < n_items; i++) {
		uint32_t arch = denials->items[i].audit_arch, number = denials->items[i].number;
		const char *name = seccomp_syscall_name(arch, number);
		json_object_open(json, NULL);
		if (name)
			put_text(json, "syscall", name, EVIDENCE_MAX_NAME_BYTES);
		else
			json_null(json, "syscall");
		json_u64(json, "number", number);
		put_arch(json, arch);
		put_number(json, "count", denials->items[i].n_calls);
		json_object_close(json);
	}
	json_array_close(json);
	put_number(json, "denials_other", denials ? denials->n_other : 0);
}

static void put_changes(struct json *json, const struct evidence_changes *changes)
{
	if (!changes)
		return;
	json_object_open(json, "changes");
	put_text(json, "id", changes->id, EVIDENCE_MAX_NAME_BYTES);
	json_bool(json, "kept", changes->is_kept);
	json_bool(json, "counted", changes->is_counted);
	put_number(json, "files", changes->n_changed);
	put_number(json, "bytes", changes->bytes);
	put_number(json, "inodes", changes->inodes);
	put_text(json, "mechanism", changes->mechanism, EVIDENCE_MAX_NAME_BYTES);
	json_object_close(json);
}

static void put_notes(struct json *json, const struct evidence_record *record)
{
	json_array_open(json, "notes");
	for (size_t i = 0; i < MIN(record->n_notes, (size_t)EVIDENCE_MAX_NOTES); i++)
		put_text(json, NULL, record->notes[i], EVIDENCE_MAX_TEXT_BYTES);
	json_array_close(json);
}

void evidence_record_format(const struct evidence_record *record, struct buf *out)
{
	struct json json;
	json_init(&json, out);
	json_object_open(&json, NULL);
	put_text(&json, "id", record->id, EVIDENCE_MAX_TEXT_BYTES);
	put_foso(&json);
	put_time(&json, "started", "started_ns", record->started_realtime_ns);
	put_time(&json, "ended", "ended_ns", record->ended_realtime_ns);
	put_end(&json, &record->end);
	put_text(&json, "level", record->level, EVIDENCE_MAX_TEXT_BYTES);
	put_text(&json, "level_why", record->level_why, EVIDENCE_MAX_TEXT_BYTES);
	put_text(&json, "engine", record->engine, EVIDENCE_MAX_TEXT_BYTES);
	put_text(&json, "root", record->root, EVIDENCE_MAX_ROOT_BYTES);
	put_text(&json, "root_sha256", record->root_digest, EVIDENCE_MAX_TEXT_BYTES);
	json_bool(&json, "rootless", record->is_rootless);
	json_bool(&json, "signed", record->is_signed);
	put_host(&json, record);
	put_argv(&json, record->argv);
	put_commands(&json, record);
	put_usage(&json, &record->usage);
	put_limits(&json, record);
	put_denials(&json, record->denials);
	json_u64(&json, "files_changed", record->n_files_changed);
	put_changes(&json, record->changes);
	put_notes(&json, record);
	put_policy(&json, record);
	json_object_close(&json);
}
