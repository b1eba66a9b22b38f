/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "recipe/recipe.h"
#include "support/tap.h"

static int read_text(const char *text, struct recipe_plan *plan, struct error *err)
{
	const struct recipe_order order = {
		.text = text,
		.len = strlen(text),
		.name = "Dockerfile",
		.ignore_name = "",
		.target = "",
		.architecture = "amd64",
	};
	return recipe_read(&order, plan, err);
}

static void test_a_pattern_matches_as_filepath_match_does(void)
{
	static const struct {
		const char *pattern, *path;
		bool is_match;
	} rows[] = {
		{ "*.c", "a.c", true },
		{ "*.c", "d/a.c", false },
		{ "**/*.c", "a.c", true },
		{ "**/*.c", "d/e/a.c", true },
		{ "d/**", "d/e/f", true },
		{ "d/**", "d", true },
		{ "**", "anything/at/all", true },
		{ "a/**/b", "a/b", true },
		{ "a/**/b", "a/x/y/b", true },
		{ "a/**/b", "a/x/y/c", false },
		{ "a/**/b/**/c", "a/b/x/b/y/c", true },
		{ "a?c", "abc", true },
		{ "a?c", "a/c", false },
		{ "[a-c]x", "bx", true },
		{ "[^a-c]x", "bx", false },
		{ "[!a-c]x", "dx", true },
		{ "[]]x", "]x", true },
		{ "[a-", "a", false },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "a\\", "a\\", true },
		{ "", "a", false },
		{ "a", "", false },
		{ "", "", true },
		{ "**", "", true },
		{ "a*b*c", "axxbyyc", true },
		{ "a*b*c", "axxbyyd", false },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (recipe_match(rows[i].pattern, rows[i].path) != rows[i].is_match)
			FAIL("'%s' and '%s'", rows[i].pattern, rows[i].path);
}

static void test_a_hostile_pattern_costs_no_more_than_a_product(void)
{
	char pattern[2001], path[4001];
	struct timespec begin, end;
	for (size_t i = 0; i < 2000; i += 2) {
		pattern[i] = '*';
		pattern[i + 1] = 'a';
	}
	pattern[2000] = '\0';
	memset(path, 'a', 4000);
	path[3999] = 'b';
	path[4000] = '\0';
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	OK(!recipe_match(pattern, path));
	for (size_t i = 0; i + 3 < 2000; i += 4)
		memcpy(pattern + i, "**/a", 4);
	OK(!recipe_match(pattern, path));
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	OK(end.tv_sec - begin.tv_sec <= 2);
}

static void test_the_last_pattern_that_matches_counts(void)
{
	static struct recipe_pattern patterns[] = {
		{ "*", false }, { "src", true }, { "src/**/*.o", false }, { "src/keep.o", true }
	};
	const struct recipe_plan plan = { .ignores = patterns, .n_ignores = ARRAY_LEN(patterns) };
	OK(recipe_is_ignored(&plan, "a"));
	OK(recipe_is_ignored(&plan, "a/b"));
	OK(!recipe_is_ignored(&plan, "src"));
	OK(!recipe_is_ignored(&plan, "src/a.c"));
	OK(recipe_is_ignored(&plan, "src/x/a.o"));
	OK(!recipe_is_ignored(&plan, "src/keep.o"));
	OK(recipe_may_keep_below(&plan));
}

static void test_a_plan_survives_its_encoding(void)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan plan, copy;
	auto_buf struct buf first = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	auto_buf struct buf second = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	OK(read_text("FROM scratch AS a\nENV A=1\nRUN x\nFROM a\nCOPY --from=a x /y/\nCOPY . .\n"
		     "COPY <<E /e\nx\nE\nADD --chown=1 --chmod=700 x /\nCMD [\"a\"]\n"
		     "RUN --mount=from=a,source=x,target=/y --mount=type=cache,target=/z c\n",
		     &plan, &err) == 0);
	recipe_plan_encode(&plan, &first);
	OK(buf_is_whole(&first));
	OK(recipe_plan_decode(first.data, first.len, &copy, &err) == 0);
	recipe_plan_encode(&copy, &second);
	OK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	recipe_plan_fini(&copy);
	for (size_t len = 0; len < first.len; len++) {
		struct error cut = { .code = ERR_NONE };
		OK(recipe_plan_decode(first.data, len, &copy, &cut) == -(int)ERR_PROTOCOL);
	}
	recipe_plan_fini(&plan);
}

/* What a taken-over foso-buildfile would like foso-build to do. */
static void test_a_plan_that_leads_out_is_refused(void)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan plan, copy;
	static const char *const paths[] = { "../x", "x/../../y", "/x", "x//y", "x/", "./x" };
	OK(read_text("FROM scratch\nCOPY x /y\n", &plan, &err) == 0);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		struct error refused = { .code = ERR_NONE };
		auto_buf struct buf bytes = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
		plan.stages[0].steps[0].args.items[0] = paths[i];
		recipe_plan_encode(&plan, &bytes);
		OK(recipe_plan_decode(bytes.data, bytes.len, &copy, &refused) ==
		   -(int)ERR_PROTOCOL);
	}
	plan.stages[0].steps[0].args.items[0] = "x";
	plan.stages[0].steps[0].source = RECIPE_STAGE;
	auto_buf struct buf bytes = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	recipe_plan_encode(&plan, &bytes);
	struct error refused = { .code = ERR_NONE };
	OK(recipe_plan_decode(bytes.data, bytes.len, &copy, &refused) == -(int)ERR_PROTOCOL);
	STR_EQ(refused.subject, "foso-buildfile");
	recipe_plan_fini(&plan);
}

static void test_a_mount_that_leads_out_is_refused(void)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan plan, copy;
	static const struct recipe_mount hostile[] = {
		{ RECIPE_MOUNT_BIND, "/", RECIPE_CONTEXT, 0, "", "x" },
		{ RECIPE_MOUNT_BIND, "x", RECIPE_CONTEXT, 0, "", "x" },
		{ RECIPE_MOUNT_BIND, "/x/../y", RECIPE_CONTEXT, 0, "", "x" },
		{ RECIPE_MOUNT_BIND, "/x", RECIPE_CONTEXT, 0, "", "../x" },
		{ RECIPE_MOUNT_BIND, "/x", RECIPE_STAGE, 0, "", "x" },
		{ RECIPE_MOUNT_BIND, "/x", RECIPE_INLINE, 0, "", "x" },
		{ RECIPE_N_MOUNT_KINDS, "/x", RECIPE_CONTEXT, 0, "", "x" },
	};
	OK(read_text("FROM scratch\nRUN --mount=source=x,target=/y true\n", &plan, &err) == 0);
	for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
		struct error refused = { .code = ERR_NONE };
		auto_buf struct buf bytes = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
		plan.stages[0].steps[0].mounts[0] = hostile[i];
		recipe_plan_encode(&plan, &bytes);
		OK(recipe_plan_decode(bytes.data, bytes.len, &copy, &refused) ==
		   -(int)ERR_PROTOCOL);
	}
	recipe_plan_fini(&plan);
}

static void test_values_that_double_end_at_a_bound(void)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan plan;
	auto_buf struct buf text = BUF_INIT(RECIPE_MAX_TEXT_BYTES);
	buf_append_string(&text, "FROM scratch\nENV A=aaaaaaaaaaaaaaaa\n");
	for (int i = 0; i < 64; i++)
		buf_append_string(&text, "ENV A=$A$A\n");
	OK(read_text(buf_string(&text), &plan, &err) == -(int)ERR_LIMIT);
	STR_EQ(err.message, "a value is longer than 131072 bytes");
	recipe_plan_fini(&plan);
}

static void test_a_second_reading_knows_the_base(void)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan plan;
	struct recipe_pair env = { "PATH", "/bin" };
	const struct recipe_base base = { "b", { .env = { &env, 1 }, .cwd = "/w", .user = "u" } };
	struct recipe_order order = {
		.text = "FROM b\nENV P=$PATH:/x\nRUN true\n",
		.name = "Dockerfile",
		.ignore_name = "",
		.target = "",
		.architecture = "amd64",
	};
	order.len = strlen(order.text);
	OK(recipe_read(&order, &plan, &err) == 0);
	OK(plan.n_stages == 0 && plan.needs.n_items == 1);
	STR_EQ(plan.needs.items[0], "b");
	recipe_plan_fini(&plan);
	order.bases = &base;
	order.n_bases = 1;
	OK(recipe_read(&order, &plan, &err) == 0);
	OK(plan.n_stages == 1 && plan.needs.n_items == 0);
	STR_EQ(plan.stages[0].config.env.items[1].value, "/bin:/x");
	STR_EQ(plan.stages[0].steps[1].cwd, "/w");
	STR_EQ(plan.stages[0].steps[1].user, "u");
	recipe_plan_fini(&plan);
}

int main(void)
{
	RUN(test_a_pattern_matches_as_filepath_match_does);
	RUN(test_a_hostile_pattern_costs_no_more_than_a_product);
	RUN(test_the_last_pattern_that_matches_counts);
	RUN(test_a_plan_survives_its_encoding);
	RUN(test_a_plan_that_leads_out_is_refused);
	RUN(test_a_mount_that_leads_out_is_refused);
	RUN(test_values_that_double_end_at_a_bound);
	RUN(test_a_second_reading_knows_the_base);
	return tap_done();
}
