/* SPDX-License-Identifier: Apache-2.0 */
/* text_test.c - documents that are good, and where findings are placed; words are golden files */
#include <unistd.h>

#include "base/cleanup.h"
#include "policy/text/text.h"
#include "support/policy.h"
#include "support/tap.h"

static struct policy policy;
static struct policy_text text = POLICY_TEXT_INIT("p.yaml");
static struct error_list errors;

static int parse(const char *document)
{
	policy_fini(&policy);
	policy_text_fini(&text);
	policy_make(&policy, (const char *const[]){ NULL });
	memset(&errors, 0, sizeof(errors));
	int result = policy_text_parse(&text, document, strlen(document), &policy, &errors);
	EQ(result, errors.n_errors > 0 ? -(int)errors.items[0].code : 0);
	return result;
}

static void test_text_yaml_and_json_give_the_same(void)
{
	uint8_t yaml[32], json[32];
	struct error err = { 0 };
	EQ(parse("level: process\n"
		 "args:\n  - sh\n  - '-c'\n  - |\n    echo a\n    echo b\n"
		 "limits:\n  memory: 64MiB # a comment\n  cpus: 1.5\n"
		 "env: {A: 1, B: yes, C: \"\"}\n"
		 "mounts:\n- /a:/b\n- source: /c\n  target: /d\n  access: rw\n"),
	   0);
	STR_EQ(policy.args.items[2], "echo a\necho b\n");
	STR_EQ(policy.env[1].value, "yes");
	STR_EQ(policy.env[2].value, "");
	EQ(policy.mounts[1].access, POLICY_ACCESS_RW);
	EQ(policy_digest(&policy, yaml, &err), 0);
	EQ(parse("{\"level\": \"process\", \"args\": [\"sh\", \"-c\", \"echo a\\necho b\\n\"],\n"
		 "\"limits\": {\"memory\": \"64MiB\", \"cpus\": 1.5},\n"
		 "\"env\": {\"A\": 1, \"B\": \"yes\", \"C\": \"\"},\n"
		 "\"mounts\": [\"/a:/b\", {\"source\": \"/c\", \"target\": \"/d\", \"access\": \"rw\"}]}"),
	   0);
	EQ(policy_digest(&policy, json, &err), 0);
	OK(memcmp(yaml, json, 32) == 0);
}

static void test_text_takes_the_pairs_of_json(void)
{
	EQ(parse("\n{ \"env\": {\"A\": \"a\\ud83d\\ude00b\\\\ud83d\\u00e4\\\"\", "
		 "\"B\\uD834\\uDD1E\":[]}}"),
	   -ERR_INVALID);
	EQ(errors.items[0].code, ERR_INVALID); /* B is no text; its name is whole. */
	OK(strstr(errors.items[0].subject, "env.B\xf0\x9d\x84\x9e") != NULL);
	EQ(parse("{\"env\": {\"A\": \"a\\ud83d\\ude00b\\\\ud83d\\u00e4\\\"\"}}"), 0);
	STR_EQ(policy.env[0].value, "a\xf0\x9f\x98\x80"
				    "b\\ud83d\xc3\xa4\"");
	/* Where no quote opens a string the same letters are no escape. */
	EQ(parse("{env: {A: '\\ud83d\\ude00', B: x\"\\ud83d\\ude00}}"), 0);
	STR_EQ(policy.env[0].value, "\\ud83d\\ude00");
	STR_EQ(policy.env[1].value, "x\"\\ud83d\\ude00");
	EQ(parse("{\"env\": {\"A\": \"\\ud83d\"}}"), -ERR_INVALID);
	EQ(parse("{\"env\": {\"A\": \"\\ude00\\ud83d\"}}"), -ERR_INVALID);
	EQ(parse("{\"env\": {\"A\": \"\\ud83d\\u"), -ERR_INVALID);
}

static void test_text_scalars_are_never_guessed(void)
{
	EQ(parse("env: {A: no, B: 0x10, C: 1e3, D: 1_000, E: 2001-01-01, F: ~, G: 0o7}"), 0);
	STR_EQ(policy.env[0].value, "no");
	STR_EQ(policy.env[1].value, "0x10");
	STR_EQ(policy.env[2].value, "1e3");
	STR_EQ(policy.env[3].value, "1_000");
	STR_EQ(policy.env[4].value, "2001-01-01");
	STR_EQ(policy.env[5].value, "~");
	STR_EQ(policy.env[6].value, "0o7");
	EQ(parse("limits: {pids: 0x10}"), -ERR_INVALID);
	EQ(parse("limits: {pids: 1e3}"), -ERR_INVALID);
}

static void test_text_an_empty_mapping_is_all_defaults(void)
{
	EQ(parse("{}"), 0);
	EQ(parse("limits: {}\nmounts: []\nenv: {}\n"), 0);
	OK(!policy.network.is_present);
	EQ(parse("network: {}"), 0);
	OK(policy.network.is_present);
}

static void test_text_goes_on_after_a_refused_item(void)
{
	EQ(parse("mounts:\n- x\n- {source: /a, target: y}\n- {source: /a, target: /b}\n"
		 "secrets:\n- {nme: A}\n- {name: B, hosts: [c.com, 'd e', f.com]}\n"),
	   -ERR_INVALID);
	EQ(errors.n_errors, 4);
	STR_EQ(errors.items[0].subject, "p.yaml:2: mounts[0]");
	STR_EQ(errors.items[1].subject, "p.yaml:3: mounts[1].target");
	STR_EQ(errors.items[2].subject, "p.yaml:6: secrets[0].nme");
	STR_EQ(errors.items[3].subject, "p.yaml:7: secrets[1].hosts[1]");
}

static void test_text_places_what_check_finds(void)
{
	EQ(parse("level: process\n\nmounts:\n- /a:/b\n-\n  source: /c\nworkspace:\n  access: rw\n"),
	   0);
	EQ(policy_check(&policy, POLICY_LEVEL_MICROVM, &errors), -ERR_INVALID);
	for (size_t i = 0; i < errors.n_errors; i++)
		policy_text_place(&text, &errors.items[i]);
	EQ(errors.n_errors, 3);
	STR_EQ(errors.items[0].subject, "p.yaml:8: workspace.access");
	STR_EQ(errors.items[1].subject, "p.yaml:6: mounts[1].target");
	STR_EQ(errors.items[2].subject, "p.yaml: root");
}

static void test_text_shows_the_end_of_a_long_name(void)
{
	struct policy_text other = POLICY_TEXT_INIT(
		"/a/folder/whose/name/is/so/long/that/it/does/not/fit/in/front/of/policy.yaml");
	struct error err = { 0 };
	EQ(error_set(&err, ERR_INVALID, 0, "level", "is wrong"), -ERR_INVALID);
	policy_text_place(&other, &err);
	STR_EQ(err.subject, "...ong/that/it/does/not/fit/in/front/of/policy.yaml: level");
}

static void test_text_read_takes_at_most_the_bound(void)
{
	struct error err = { 0 };
	struct policy_text bound = POLICY_TEXT_INIT("big.yaml");
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_TEXT_BYTES + 1);
	FILE *file = tmpfile();
	if (!file)
		SKIP("no temporary file");
	EQ(ftruncate(fileno(file), 100L << 20), 0);
	ERR(policy_text_read(&bound, fileno(file), &bytes, &err), &err, ERR_LIMIT, "big.yaml");
	EQ(lseek(fileno(file), 0, SEEK_CUR), POLICY_MAX_TEXT_BYTES + 1);
	error_clear(&err);
	buf_clear(&bytes);
	EQ(ftruncate(fileno(file), POLICY_MAX_TEXT_BYTES), 0);
	EQ(lseek(fileno(file), 0, SEEK_SET), 0);
	EQ(policy_text_read(&bound, fileno(file), &bytes, &err), 0);
	EQ(bytes.len, POLICY_MAX_TEXT_BYTES);
	(void)fclose(file);
}

int main(void)
{
	RUN(test_text_yaml_and_json_give_the_same);
	RUN(test_text_takes_the_pairs_of_json);
	RUN(test_text_scalars_are_never_guessed);
	RUN(test_text_an_empty_mapping_is_all_defaults);
	RUN(test_text_goes_on_after_a_refused_item);
	RUN(test_text_places_what_check_finds);
	RUN(test_text_shows_the_end_of_a_long_name);
	RUN(test_text_read_takes_at_most_the_bound);
	policy_fini(&policy);
	policy_text_fini(&text);
	return tap_done();
}
