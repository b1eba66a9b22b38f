/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "policy/policy.h"
#include "support/policy.h"
#include "support/tap.h"

static const char *const full[] = { "level",
				    "process",
				    "root",
				    "dir:/srv/root",
				    "workspace",
				    ".:rw",
				    "workspace.redact",
				    "*.pem",
				    "mounts",
				    "/b:/data/b:rw",
				    "mounts",
				    "tmpfs:/scratch:1MiB",
				    "env.PATH",
				    "/bin",
				    "env.A",
				    "\xff",
				    "args",
				    "sh",
				    "args",
				    "-c",
				    "args",
				    "\xff\\xff",
				    "network.allow",
				    "example.com",
				    "secrets[0].name",
				    "TOKEN",
				    "secrets[0].from",
				    "env:TOKEN",
				    "secrets[0].hosts",
				    "example.com",
				    "limits.cpu_time",
				    "2s",
				    "syscalls.deny",
				    "ptrace",
				    "devices",
				    "fuse",
				    NULL };

static void test_encode_decode_gives_the_same_policy(void)
{
	struct policy policy, copy;
	struct error err = { 0 };
	uint8_t digests[2][32];
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	auto_buf struct buf again = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	policy_make(&policy, full);
	policy_encode(&policy, &bytes);
	OK(buf_is_whole(&bytes));
	EQ(policy_decode(&copy, bytes.data, bytes.len, &err), 0);
	policy_encode(&copy, &again);
	EQ(again.len, bytes.len);
	OK(memcmp(again.data, bytes.data, bytes.len) == 0);
	EQ(policy_digest(&policy, digests[0], &err), 0);
	EQ(policy_digest(&copy, digests[1], &err), 0);
	OK(memcmp(digests[0], digests[1], 32) == 0);
	/* A decoded policy can grow. */
	EQ(policy_set(&copy, "args", "more", &err), 0);
	EQ(copy.args.n_items, 4);
	policy_fini(&policy);
	policy_fini(&copy);
}

static void test_decode_every_cut_is_refused(void)
{
	struct policy policy, copy;
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	policy_make(&policy, full);
	policy_encode(&policy, &bytes);
	for (size_t len = 0; len < bytes.len; len++) {
		struct error err = { 0 };
		ERR(policy_decode(&copy, bytes.data, len, &err), &err, ERR_PROTOCOL, "policy");
		OK(copy.args.items == NULL);
	}
	buf_append_char(&bytes, '\0');
	struct error err = { 0 };
	ERR(policy_decode(&copy, bytes.data, bytes.len, &err), &err, ERR_PROTOCOL, "policy");
	policy_fini(&policy);
}

/* Whatever decode takes, it gives back: else two programs could see two policies. */
static void test_decode_of_changed_bytes_is_refused_or_faithful(void)
{
	struct policy policy;
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	policy_make(&policy, full);
	policy_encode(&policy, &bytes);
	for (size_t at = 0; at < bytes.len; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			struct policy copy;
			struct error err = { 0 };
			auto_buf struct buf again = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
			bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
			if (policy_decode(&copy, bytes.data, bytes.len, &err) == 0) {
				policy_encode(&copy, &again);
				OK(again.len == bytes.len &&
				   memcmp(again.data, bytes.data, again.len) == 0);
			}
			policy_fini(&copy);
			bytes.data[at] = (char)(bytes.data[at] ^ (1 << bit));
		}
	}
	policy_fini(&policy);
}

static void test_whole_way_takes_far_less_than_100_us(void)
{
	enum { N_ROUNDS = 200 };
	struct timespec from, to;
	struct error err = { 0 };
	uint64_t best_ns = UINT64_MAX;
	for (int i = 0; i < N_ROUNDS; i++) {
		struct policy policy, copy;
		struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
		uint8_t digest[32];
		clock_gettime(CLOCK_MONOTONIC, &from);
		policy_make(&policy, full);
		policy_encode(&policy, &bytes);
		EQ(policy_decode(&copy, bytes.data, bytes.len, &err), 0);
		EQ(policy_digest(&copy, digest, &err), 0);
		clock_gettime(CLOCK_MONOTONIC, &to);
		uint64_t took_ns = (uint64_t)(to.tv_sec - from.tv_sec) * 1000000000u +
				   (uint64_t)to.tv_nsec - (uint64_t)from.tv_nsec;
		best_ns = MIN(best_ns, took_ns);
		buf_fini(&bytes);
		policy_fini(&policy);
		policy_fini(&copy);
	}
	printf("# best of %d: %lu ns\n", N_ROUNDS, (unsigned long)best_ns);
	/* Times mean nothing under a sanitizer. */
	if (!TAP_IS_SANITIZED)
		OK(best_ns < 100000);
}

int main(void)
{
	RUN(test_encode_decode_gives_the_same_policy);
	RUN(test_decode_every_cut_is_refused);
	RUN(test_decode_of_changed_bytes_is_refused_or_faithful);
	RUN(test_whole_way_takes_far_less_than_100_us);
	return tap_done();
}
