/* SPDX-License-Identifier: Apache-2.0 */
/* property_test.c - policies from random calls of policy_set() hold, and find their way back */
#include <stdint.h>

#include "policy/fields.h"
#include "policy/value.h"
#include "support/policy.h"
#include "support/policy_property.h"
#include "support/tap.h"

#define N_POLICIES 300
#define N_SETS     40

static uint64_t state = 1;

/* xorshift64: the same policies in each run. */
static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static const char *pick(const char *const *items, size_t n_items)
{
	return items[next_random() % n_items];
}

/* A value for @field: often right, sometimes of another field. */
static void make_value(const struct policy_field *field, char text[64])
{
	static const char *const strings[] = {
		"a",         "/a/b",        "example.com", "10.0.0.0/8",
		"80",        "GET a.com/*", "fuse",        "env:A",
		"1000:1000", "/a:/b",       "tmpfs:/t",    "/c:/d:overlay",
		"host",      "dir:/r",      "image:i",     "none",
		"A=b",       "\xff\xfe",    "x y",         "*.pem",
		"",          ".:rw",        "ptrace",      "true",
		"off",
	};
	unsigned n_words;
	enum policy_type type = (enum policy_type)field->type;
	const struct policy_word *words = policy_type_words(type, &n_words);
	if (policy_type_storage(type) == POLICY_STORAGE_NUMBER && next_random() % 4 > 0) {
		uint64_t grain = type == POLICY_TYPE_DURATION ? POLICY_MSEC : 1;
		uint64_t n_steps = (field->max - field->min) / grain + 1;
		policy_number_format(type, field->min + next_random() % n_steps * grain, text);
	} else if (words && next_random() % 4 > 0) {
		(void)snprintf(text, 64, "%s", words[next_random() % n_words].word);
	} else {
		(void)snprintf(text, 64, "%s", pick(strings, ARRAY_LEN(strings)));
	}
}

/* "mounts[].size" becomes "mounts[2].size", a list sometimes "args[1]". */
static void make_name(const struct policy_field *field, char name[64])
{
	const char *point = strchr(field->name, '[');
	unsigned index = (unsigned)(next_random() % 4);
	if (point)
		(void)snprintf(name, 64, "%.*s[%u]%s", (int)(point - field->name), field->name,
			       index, point + 2);
	else if (field->type == POLICY_TYPE_ENV && next_random() % 2)
		(void)snprintf(name, 64, "env.%c", 'A' + (int)index);
	else if (next_random() % 4 == 0)
		(void)snprintf(name, 64, "%s[%u]", field->name, index);
	else
		(void)snprintf(name, 64, "%s", field->name);
}

static void test_random_policies_hold(void)
{
	size_t n_taken = 0;
	for (unsigned i = 0; i < N_POLICIES; i++) {
		struct policy policy;
		policy_make(&policy, (const char *const[]){ NULL });
		for (unsigned j = 0; j < N_SETS; j++) {
			const struct policy_field *field =
				&policy_fields[next_random() % POLICY_N_FIELDS];
			char name[64], text[64];
			struct error err = { 0 };
			make_name(field, name);
			make_value(field, text);
			n_taken += policy_set(&policy, name, text, &err) == 0;
		}
		assert_policy_holds(&policy);
		policy_fini(&policy);
	}
	printf("# %zu of %u values were taken\n", n_taken, N_POLICIES * N_SETS);
	OK(n_taken > N_POLICIES * N_SETS / 4);
}

int main(void)
{
	RUN(test_random_policies_hold);
	return tap_done();
}
