/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/digest.h"
#include "policy/policy.h"
#include "support/policy.h"
#include "support/tap.h"

static void canonical(const char *const *pairs, struct buf *out)
{
	struct policy policy;
	policy_make(&policy, pairs);
	buf_clear(out);
	policy_canonical(&policy, out);
	OK(buf_is_whole(out));
	policy_fini(&policy);
}

#define PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* True if both policies have the same canonical form, and the same digest. */
static bool is_same(const char *const *first, const char *const *second)
{
	auto_buf struct buf a = BUF_INIT(1 << 20), b = BUF_INIT(1 << 20);
	canonical(first, &a);
	canonical(second, &b);
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static void test_canonical_of_the_defaults(void)
{
	auto_buf struct buf text = BUF_INIT(1 << 20);
	canonical((const char *const[]){ NULL }, &text);
	STR_EQ(text.data,
	       "{\"args\":[],\"background\":\"kill\",\"cwd\":\"\",\"devices\":[],\"env\":{},"
	       "\"evidence\":{\"enabled\":true,\"path\":\"\",\"sign\":\"\"},\"hostname\":\"\","
	       "\"idle\":null,\"level\":\"auto\",\"lifetime\":null,\"limits\":{\"cpu_time\":null,"
	       "\"cpus\":1000,\"disk\":1073741824,\"disk_inodes\":262144,\"file_size\":null,"
	       "\"files\":1024,\"fuel\":null,\"instances\":null,\"memory\":536870912,"
	       "\"output\":1073741824,\"pids\":128,\"stack\":null,\"strict\":false,\"tables\":null,"
	       "\"wall\":60000000000},\"module\":\"\",\"mounts\":[],\"network\":null,"
	       "\"on_expiry\":\"kill\",\"root\":\"host\",\"runtime\":\"none\",\"secrets\":[],\"syscalls\":{\"allow\":[],"
	       "\"deny\":[],\"namespaces\":false,\"profile\":\"default\"},\"user\":\"\","
	       "\"workspace\":null}");
}

static void test_canonical_of_everything(void)
{
	auto_buf struct buf text = BUF_INIT(1 << 20);
	canonical(PAIRS("args", "sh", "args", "a\"\\\n\x7f", "args", "\xff", "env.B", "2", "env.A",
			"", "root", "dir:/srv", "workspace", ".:rw", "workspace.redact", "*.pem",
			"mounts", "tmpfs:/z:1MiB", "mounts", "/a:/b:overlay", "network.allow",
			"b.com", "network.allow", "a.com", "network.allow", "b.com",
			"secrets[0].name", "T", "secrets[0].from", "env:T", "secrets[0].hosts",
			"a.com"),
		  &text);
	STR_EQ(text.data,
	       "{\"args\":[\"sh\",\"a\\\"\\\\\\n\\u007f\",{\"hex\":\"ff\"}],\"background\":\"kill\","
	       "\"cwd\":\"\",\"devices\":[],\"env\":{\"A\":"
	       "\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"B\":"
	       "\"d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35\"},"
	       "\"evidence\":{\"enabled\":true,\"path\":\"\",\"sign\":\"\"},\"hostname\":\"\","
	       "\"idle\":null,\"level\":\"auto\",\"lifetime\":null,\"limits\":{\"cpu_time\":null,"
	       "\"cpus\":1000,\"disk\":1073741824,\"disk_inodes\":262144,\"file_size\":null,"
	       "\"files\":1024,\"fuel\":null,\"instances\":null,\"memory\":536870912,"
	       "\"output\":1073741824,\"pids\":128,\"stack\":null,\"strict\":false,\"tables\":null,"
	       "\"wall\":60000000000},\"module\":\"\",\"mounts\":[{\"access\":\"overlay\","
	       "\"size\":null,\"source\":\"/a\",\"target\":\"/b\"},{\"access\":\"tmpfs\","
	       "\"size\":1048576,\"source\":\"\",\"target\":\"/z\"}],\"network\":{\"allow\":["
	       "\"a.com\",\"b.com\"],\"deny\":[],\"http\":[],\"ports\":[],\"private\":[]},"
	       "\"on_expiry\":\"kill\",\"root\":\"dir:/srv\",\"runtime\":\"none\",\"secrets\":[{\"from\":\"env:T\","
	       "\"header\":\"Authorization\",\"hosts\":[\"a.com\"],\"name\":\"T\",\"ttl\":null}],"
	       "\"syscalls\":{\"allow\":[],\"deny\":[],\"namespaces\":false,\"profile\":\"default\"},"
	       "\"user\":\"\",\"workspace\":{\"access\":\"rw\",\"changes\":\"\",\"path\":\".\","
	       "\"placeholders\":[],\"redact\":[\"*.pem\"],\"redact_as\":\"empty\","
	       "\"secrets\":\"hide\"}}");
}

static void test_canonical_same_meaning_same_bytes(void)
{
	OK(is_same(PAIRS("limits.memory", "1GiB"), PAIRS("limits.memory", "1024MiB")));
	OK(is_same(PAIRS("limits.wall", "60s"), PAIRS("limits.wall", "1min")));
	OK(is_same(PAIRS("network", "none"), PAIRS("level", "auto")));
	OK(is_same(PAIRS("env.A", "1", "env.B", "2"),
		   PAIRS("env.B", "2", "env.A", "0", "env.A", "1")));
	OK(is_same(PAIRS("mounts", "/a:/b", "mounts", "/c:/d/"),
		   PAIRS("mounts", "/c:/d", "mounts", "/a:/b")));
	OK(is_same(PAIRS("syscalls.deny", "a", "syscalls.deny", "b"),
		   PAIRS("syscalls.deny", "b", "syscalls.deny", "a", "syscalls.deny", "a")));
	OK(is_same(PAIRS("network.allow", "A.com"), PAIRS("network.allow", "a.com")));
}

static void test_canonical_other_meaning_other_bytes(void)
{
	OK(!is_same(PAIRS("args", "a", "args", "b"), PAIRS("args", "b", "args", "a")));
	OK(!is_same(PAIRS("args", "a", "args", "a"), PAIRS("args", "a")));
	OK(!is_same(PAIRS("args", "\xff"), PAIRS("args", "\\xff")));
	OK(!is_same(PAIRS("args", "\xff"), PAIRS("args", "\xef\xbf\xbd")));
	OK(!is_same(PAIRS("args", "a,b"), PAIRS("args", "a", "args", "b")));
	OK(!is_same(PAIRS("env.A", "1"), PAIRS("env.A", "2")));
	OK(!is_same(PAIRS("root", "dir:/a"), PAIRS("root", "image:/a")));
	OK(!is_same(PAIRS("limits.disk", "0"), PAIRS("limits.disk", "none")));
	OK(!is_same(PAIRS("network.allow", "a.com"), PAIRS("network.deny", "a.com")));
	OK(!is_same(PAIRS("secrets[0].hosts", "a.com"), PAIRS("secrets[0].hosts", "b.com")));
}

static void test_digest_is_of_the_canonical_form(void)
{
	struct policy policy;
	struct error err = { 0 };
	uint8_t digest[32], expected[32];
	auto_buf struct buf text = BUF_INIT(1 << 20);
	policy_make(&policy, PAIRS("args", "x"));
	policy_canonical(&policy, &text);
	digest_sha256(text.data, text.len, NULL, 0, expected);
	EQ(policy_digest(&policy, digest, &err), 0);
	OK(memcmp(digest, expected, 32) == 0);
	policy_fini(&policy);
}

int main(void)
{
	RUN(test_canonical_of_the_defaults);
	RUN(test_canonical_of_everything);
	RUN(test_canonical_same_meaning_same_bytes);
	RUN(test_canonical_other_meaning_other_bytes);
	RUN(test_digest_is_of_the_canonical_form);
	return tap_done();
}
