/* SPDX-License-Identifier: Apache-2.0 */
/* memory_test.c - every allocation of policy and policy/text fails once; nothing is left over */
#include "policy/text/text.h"
#include "support/fault_alloc.h"
#include "support/policy.h"
#include "support/tap.h"

#define MAX_ALLOCATIONS 5000

/* Memory of the test itself is taken before and given back after, so the count must return. */
static long n_live_before;

/* @result of a run under fault @n: refused for memory if the fault was reached, else done. */
static bool is_over(unsigned long n, int result, const struct error *err)
{
	bool was_hit = fault_disarm();
	if (fault_n_live != n_live_before) {
		FAIL("allocation %lu: %ld are not given back", n, fault_n_live - n_live_before);
		return true;
	}
	if (!was_hit) {
		EQ(result, 0);
		OK(n > 1);
		printf("# %lu allocations\n", n - 1);
		return true;
	}
	if (result == 0 || (err->code != ERR_SYSTEM && err->code != ERR_PROTOCOL)) {
		FAIL("allocation %lu: result %d, code %d", n, result, (int)err->code);
		return true;
	}
	return n == MAX_ALLOCATIONS;
}

static void test_init_survives_every_failed_allocation(void)
{
	n_live_before = fault_n_live;
	for (unsigned long n = 1;; n++) {
		struct policy policy;
		struct error err = { 0 };
		fault_arm(n);
		int result = policy_init(&policy, &err);
		policy_fini(&policy);
		if (is_over(n, result, &err))
			break;
	}
}

static void encode(const struct policy *policy, struct buf *out)
{
	buf_clear(out);
	policy_encode(policy, out);
	OK(buf_is_whole(out));
}

/* A call that fails leaves the policy as it was, whichever allocation failed. */
static void set_fails_without_a_trace(const char *name, const char *text)
{
	for (unsigned long n = 1;; n++) {
		struct policy policy;
		struct error err = { 0 };
		struct buf before = BUF_INIT(1 << 16), after = before;
		n_live_before = fault_n_live;
		policy_make(&policy, (const char *const[]){ "args", "a", "env.B", "b", "mounts",
							    "/a:/b", "root", "dir:/r", NULL });
		encode(&policy, &before);
		fault_arm(n);
		int result = policy_set(&policy, name, text, &err);
		bool was_hit = fault_disarm();
		encode(&policy, &after);
		bool is_same =
			before.len == after.len && memcmp(before.data, after.data, after.len) == 0;
		if (is_same != (result != 0))
			FAIL("%s=%s, allocation %lu: result %d", name, text, n, result);
		fault_was_hit = was_hit;
		buf_fini(&before);
		buf_fini(&after);
		policy_fini(&policy);
		if (is_over(n, result, &err))
			break;
	}
}

static void test_set_survives_every_failed_allocation(void)
{
	static const char *const pairs[][2] = {
		{ "args", "b" },
		{ "args[0]", "b" },
		{ "env.A", "a" },
		{ "env.B", "c" },
		{ "env", "C=d" },
		{ "cwd", "/x" },
		{ "root", "image:x" },
		{ "workspace", ".:rw" },
		{ "mounts", "/c:/d:overlay" },
		{ "mounts[0]", "tmpfs:/e:1MiB" },
		{ "mounts[0].target", "/f" },
		{ "mounts[1].source", "/g" },
		{ "secrets[0].name", "T" },
		{ "secrets[0].hosts", "a.com" },
		{ "network.allow", "a.com" },
		{ "user", "nobody" },
	};
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		set_fails_without_a_trace(pairs[i][0], pairs[i][1]);
}

static const char *const full[] = { "args",
				    "a",
				    "env.A",
				    "a",
				    "mounts",
				    "/a:/b",
				    "network.allow",
				    "a.com",
				    "secrets[0].hosts",
				    "b.com",
				    "root",
				    "dir:/r",
				    NULL };

static void test_reset_survives_every_failed_allocation(void)
{
	static const char *const names[] = { "args",   "root",    "cwd",      "env",
					     "mounts", "network", "workspace" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		for (unsigned long n = 1; n < 10; n++) {
			struct policy policy;
			struct error err = { 0 };
			n_live_before = fault_n_live;
			policy_make(&policy, full);
			fault_arm(n);
			int result = policy_reset(&policy, names[i], &err);
			bool was_hit = fault_disarm();
			policy_fini(&policy);
			EQ(result, was_hit ? -ERR_SYSTEM : 0);
			EQ(fault_n_live, n_live_before);
		}
	}
}

static void test_decode_survives_every_failed_allocation(void)
{
	struct policy policy;
	struct buf bytes = BUF_INIT(1 << 16);
	policy_make(&policy, full);
	encode(&policy, &bytes);
	policy_fini(&policy);
	n_live_before = fault_n_live;
	for (unsigned long n = 1;; n++) {
		struct error err = { 0 };
		fault_arm(n);
		int result = policy_decode(&policy, bytes.data, bytes.len, &err);
		policy_fini(&policy);
		if (is_over(n, result, &err))
			break;
	}
	buf_fini(&bytes);
}

static void test_digest_survives_every_failed_allocation(void)
{
	struct policy policy;
	uint8_t digest[32];
	policy_make(&policy, full);
	n_live_before = fault_n_live;
	for (unsigned long n = 1;; n++) {
		struct error err = { 0 };
		fault_arm(n);
		int result = policy_digest(&policy, digest, &err);
		if (is_over(n, result, &err))
			break;
	}
	policy_fini(&policy);
}

static void test_text_survives_every_failed_allocation(void)
{
	static const char document[] = "args: [sh, -c, \"echo hello\"]\n"
				       "env: {A: 1, B: two}\n"
				       "mounts:\n  - /a:/b:overlay\n  - {source: /c, target: /d}\n"
				       "limits: {memory: 64MiB, wall: 5s}\n"
				       "network:\n  allow:\n    - a.com\n"
				       "root: dir:/srv\n";
	static struct error_list errors;
	n_live_before = fault_n_live;
	for (unsigned long n = 1;; n++) {
		struct policy policy;
		struct error err = { 0 };
		struct policy_text text = POLICY_TEXT_INIT("p.yaml");
		memset(&errors, 0, sizeof(errors));
		EQ(policy_init(&policy, &err), 0);
		fault_arm(n);
		int result =
			policy_text_parse(&text, document, sizeof(document) - 1, &policy, &errors);
		policy_text_fini(&text);
		policy_fini(&policy);
		EQ(errors.n_errors, result == 0 ? 0 : 1);
		if (is_over(n, result, &errors.items[0]))
			break;
	}
}

int main(void)
{
	RUN(test_init_survives_every_failed_allocation);
	RUN(test_set_survives_every_failed_allocation);
	RUN(test_reset_survives_every_failed_allocation);
	RUN(test_decode_survives_every_failed_allocation);
	RUN(test_digest_survives_every_failed_allocation);
	RUN(test_text_survives_every_failed_allocation);
	return tap_done();
}
