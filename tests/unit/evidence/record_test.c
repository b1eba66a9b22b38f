/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/audit.h>
#include <stdlib.h>

#include "evidence/line.h"
#include "evidence/record.h"
#include "support/tap.h"

/* Weak: the real table wins where it is linked. */
__attribute__((weak)) const char *seccomp_syscall_name(uint32_t audit_arch, uint32_t number)
{
	UNUSED(audit_arch);
	return number == 165 ? "mount" : NULL;
}

static const char *formatted(const struct evidence_record *record)
{
	static struct buf out = BUF_INIT(EVIDENCE_MAX_RECORD_BYTES);
	buf_clear(&out);
	evidence_record_format(record, &out);
	OK(buf_is_whole(&out));
	return buf_string(&out);
}

#define HAS(text, piece)                                        \
	do {                                                    \
		if (!strstr(text, piece))                       \
			FAIL("'%s' is not in %s", piece, text); \
	} while (0)

#define HAS_NOT(text, piece)                                \
	do {                                                \
		if (strstr(text, piece))                    \
			FAIL("'%s' is in %s", piece, text); \
	} while (0)

static void test_record_times_are_rfc3339_and_integers(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} times[] = {
		{ 0, "\"started\":\"1970-01-01T00:00:00.000000000Z\",\"started_ns\":0," },
		{ 951782399999999999, "\"started\":\"2000-02-28T23:59:59.999999999Z\"," },
		{ 951782400000000000, "\"started\":\"2000-02-29T00:00:00.000000000Z\"," },
		{ 951868800000000001, "\"started\":\"2000-03-01T00:00:00.000000001Z\"," },
		{ 4107542400000000000, "\"started\":\"2100-03-01T00:00:00.000000000Z\"," },
		{ 1735689599000000000, "\"started\":\"2024-12-31T23:59:59.000000000Z\"," },
		{ 1735689600000000000, "\"started\":\"2025-01-01T00:00:00.000000000Z\"," },
	};
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		struct evidence_record record = { .started_realtime_ns = times[i].ns };
		HAS(formatted(&record), times[i].text);
	}
}

static void test_record_end_has_code_or_signal_and_limit(void)
{
	struct evidence_record record = { .end = { .reason = END_EXIT, .code = 3 } };
	HAS(formatted(&record), "\"end\":{\"reason\":\"exit\",\"code\":3}");
	record.end = (struct end){ .reason = END_SIGNAL, .code = -1, .signal = 11 };
	HAS(formatted(&record), "\"end\":{\"reason\":\"signal\",\"signal\":11}");
	record.end = (struct end){ .reason = END_MEMORY, .code = -1, .limit = "limits.memory" };
	HAS(formatted(&record), "\"end\":{\"reason\":\"memory\",\"limit\":\"limits.memory\"}");
	record.end = (struct end){
		.reason = END_DEADLINE, .code = -1, .signal = 9, .limit = "limits.wall"
	};
	HAS(formatted(&record),
	    "\"end\":{\"reason\":\"deadline\",\"limit\":\"limits.wall\",\"signal\":9}");
}

static void test_record_null_strings_are_left_out(void)
{
	struct evidence_record record = { .level = "process" };
	const char *text = formatted(&record);
	HAS(text, "\"level\":\"process\",\"rootless\":false,\"signed\":false,");
	HAS_NOT(text, "\"id\"");
	HAS_NOT(text, "level_why");
	HAS_NOT(text, "root_sha256");
	HAS_NOT(text, "argv");
	HAS_NOT(text, "\"policy\"");
}

static void test_record_hostile_bytes_stay_inside_their_string(void)
{
	const char *argv[] = { "a\n\"}\x1b[31m", "\xff\xfe", "", "caf\xc3\xa9", NULL };
	struct evidence_record record = { .argv = argv, .id = "\",\"hash\":\"x" };
	const char *text = formatted(&record);
	HAS(text, "\"id\":\"\\\",\\\"hash\\\":\\\"x\"");
	HAS(text, "\"argv\":[\"a\\n\\\"}\\u001b[31m\",\"\\\\xff\\\\xfe\",\"\",\"caf\xc3\xa9\"],"
		  "\"argv_count\":4,\"argv_cut_bytes\":0");
	OK(!strchr(text, '\n'));
}

static void test_record_long_argv_is_cut_with_the_count(void)
{
	size_t len = EVIDENCE_MAX_ARGV_BYTES + 100;
	char *big = malloc(len + 1);
	const char *argv[] = { "sh", big, "lost", "", NULL };
	struct evidence_record record = { .argv = argv };
	OK(big != NULL);
	memset(big, 'x', len);
	big[len] = '\0';
	const char *text = formatted(&record);
	HAS(text, "\"argv\":[\"sh\",\"xxxx");
	HAS(text, "x\",\"\"],\"argv_count\":4,\"argv_cut_bytes\":106");
	free(big);
}

static void test_record_many_arguments_are_cut_with_the_count(void)
{
	static const char *argv[EVIDENCE_MAX_ARGV_ITEMS + 3];
	for (size_t i = 0; i + 1 < ARRAY_LEN(argv); i++)
		argv[i] = "a";
	struct evidence_record record = { .argv = argv };
	HAS(formatted(&record), "\"a\"],\"argv_count\":1026,\"argv_cut_bytes\":2");
}

static void test_record_cut_keeps_utf8_whole(void)
{
	char text[EVIDENCE_MAX_TEXT_BYTES + 8];
	memset(text, 'y', sizeof(text));
	memcpy(text + EVIDENCE_MAX_TEXT_BYTES - 1, "\xe2\x82\xac", 3);
	text[sizeof(text) - 1] = '\0';
	struct evidence_record record = { .notes = { text }, .n_notes = 1 };
	HAS(formatted(&record), "yyy...\"]");
}

static void test_record_policy_is_embedded_or_left_out_with_its_size(void)
{
	struct evidence_record record = { .policy_canonical = "{\"a\":{\"b\":1}}" };
	record.policy_digest[0] = 0xab;
	HAS(formatted(&record), "\"policy_sha256\":\"ab00");
	HAS(formatted(&record), ",\"policy\":{\"a\":{\"b\":1}}}");
	record.policy_canonical = "{\"a\":\n1}";
	HAS(formatted(&record), ",\"policy_left_out_bytes\":8}");
	char *big = malloc(EVIDENCE_MAX_POLICY_BYTES + 2);
	OK(big != NULL);
	memset(big, 'z', EVIDENCE_MAX_POLICY_BYTES + 1);
	big[0] = '{';
	big[EVIDENCE_MAX_POLICY_BYTES] = '}';
	big[EVIDENCE_MAX_POLICY_BYTES + 1] = '\0';
	record.policy_canonical = big;
	HAS(formatted(&record), ",\"policy_left_out_bytes\":196609}");
	free(big);
}

static void test_record_unlimited_is_null(void)
{
	struct evidence_record record = {
		.limits = { { "limits.pids", "cgroup v1 pids.max", 64, 2 },
			    { "limits.wall", "timer", UINT64_MAX, 0 } },
		.n_limits = 2,
	};
	HAS(formatted(&record),
	    "\"limits\":[{\"field\":\"limits.pids\",\"value\":64,\"mechanism\":\"cgroup v1 pids.max\","
	    "\"hits\":2},{\"field\":\"limits.wall\",\"value\":null,\"mechanism\":\"timer\","
	    "\"hits\":0}]");
}

static void test_record_denials_have_name_architecture_and_count(void)
{
	struct seccomp_denials denials = { .n_items = 2, .n_other = 7 };
	denials.items[0].audit_arch = AUDIT_ARCH_X86_64;
	denials.items[0].number = 165;
	denials.items[0].n_calls = 3;
	denials.items[1].audit_arch = 0x12345678;
	denials.items[1].number = 4000;
	denials.items[1].n_calls = 1;
	struct evidence_record record = { .denials = &denials };
	HAS(formatted(&record),
	    "\"denials\":[{\"syscall\":\"mount\",\"number\":165,\"arch\":\"x86_64\",\"count\":3},"
	    "{\"syscall\":null,\"number\":4000,\"arch\":\"0x12345678\",\"count\":1}],"
	    "\"denials_other\":7");
}

/* Every string at its longest and made of the bytes that take most room. */
static void test_record_worst_case_fits(void)
{
	static char worst[EVIDENCE_MAX_POLICY_BYTES + 1], policy[EVIDENCE_MAX_POLICY_BYTES + 1];
	static const char *argv[EVIDENCE_MAX_ARGV_ITEMS + 2];
	static struct seccomp_denials denials;
	struct evidence_record record = {
		.id = worst,
		.policy_canonical = policy,
		.level = worst,
		.level_why = worst,
		.root = worst,
		.root_digest = worst,
		.engine = worst,
		.n_host_facts = 8,
		.n_limits = 16,
		.denials = &denials,
		.n_notes = EVIDENCE_MAX_NOTES,
		.argv = argv,
		.n_files_changed = UINT64_MAX,
		.end.limit = worst,
	};
	memset(worst, 1, sizeof(worst) - 1);
	memset(policy, 'p', sizeof(policy) - 1);
	policy[0] = '{';
	policy[sizeof(policy) - 2] = '}';
	for (size_t i = 0; i < EVIDENCE_MAX_ARGV_ITEMS; i++)
		argv[i] = i == 0 ? worst + sizeof(worst) - EVIDENCE_MAX_ARGV_BYTES : "";
	denials.n_items = SECCOMP_MAX_DENIALS;
	for (size_t i = 0; i < SECCOMP_MAX_DENIALS; i++) {
		denials.items[i].audit_arch = denials.items[i].number = UINT32_MAX;
		denials.items[i].n_calls = INT64_MAX;
	}
	for (size_t i = 0; i < 16; i++)
		record.limits[i] = (struct evidence_limit){ worst, worst, INT64_MAX, INT64_MAX };
	for (size_t i = 0; i < 8; i++)
		record.host_facts[i] = worst;
	for (size_t i = 0; i < EVIDENCE_MAX_NOTES; i++)
		record.notes[i] = worst;
	OK(strlen(formatted(&record)) > EVIDENCE_MAX_RECORD_BYTES / 2);
}

static void test_record_without_room_is_marked(void)
{
	struct evidence_record record = { .id = "x" };
	struct buf out = BUF_INIT(100);
	evidence_record_format(&record, &out);
	OK(!buf_is_whole(&out));
	buf_fini(&out);
}

int main(void)
{
	RUN(test_record_times_are_rfc3339_and_integers);
	RUN(test_record_end_has_code_or_signal_and_limit);
	RUN(test_record_null_strings_are_left_out);
	RUN(test_record_hostile_bytes_stay_inside_their_string);
	RUN(test_record_long_argv_is_cut_with_the_count);
	RUN(test_record_many_arguments_are_cut_with_the_count);
	RUN(test_record_cut_keeps_utf8_whole);
	RUN(test_record_policy_is_embedded_or_left_out_with_its_size);
	RUN(test_record_unlimited_is_null);
	RUN(test_record_denials_have_name_architecture_and_count);
	RUN(test_record_worst_case_fits);
	RUN(test_record_without_room_is_marked);
	return tap_done();
}
