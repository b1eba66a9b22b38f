/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recipe_fuzz.c - a Dockerfile of any bytes, and a plan of any bytes
 *
 * The first byte chooses: an even one reads the rest as a Dockerfile, then looks that the plan
 * survives its own encoding; an odd one decodes the rest as a plan, which is what foso-build does
 * with the answer of a foso-buildfile that was taken over.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "recipe/recipe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_encoding(const struct recipe_plan *plan)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan copy;
	auto_buf struct buf first = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	auto_buf struct buf second = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	recipe_plan_encode(plan, &first);
	if (!buf_is_whole(&first))
		return;
	assert(recipe_plan_decode(first.data, first.len, &copy, &err) == 0);
	recipe_plan_encode(&copy, &second);
	assert(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	for (size_t i = 0; i < copy.n_ignores; i++)
		(void)recipe_is_ignored(&copy, copy.ignores[i].text);
	recipe_plan_fini(&copy);
}

static void read_text(const char *text, size_t len)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan plan;
	struct recipe_pair arg = { "X", "value" };
	const struct recipe_base base = { "b", { .env = { &arg, 1 } } };
	/* What follows a NUL is .dockerignore. */
	const char *nul = memchr(text, '\0', len);
	const struct recipe_order order = {
		.text = text,
		.len = nul ? (size_t)(nul - text) : len,
		.name = "Dockerfile",
		.ignore = nul ? nul + 1 : NULL,
		.ignore_len = nul ? len - (size_t)(nul - text) - 1 : 0,
		.ignore_name = ".dockerignore",
		.target = "",
		.architecture = "amd64",
		.args = { &arg, 1 },
		.bases = &base,
		.n_bases = 1,
	};
	if (recipe_read(&order, &plan, &err) == 0)
		check_encoding(&plan);
	else
		assert(err.code != ERR_NONE && err.subject[0] && err.message[0] && err.remedy[0]);
	recipe_plan_fini(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { .code = ERR_NONE };
	struct recipe_plan plan;
	if (size < 1 || size > 64 * 1024)
		return 0;
	/* A copy of its exact size, so that a read past the end is seen. */
	char *copy = malloc(size);
	assert(copy);
	memcpy(copy, data + 1, size - 1);
	if (data[0] % 2 == 0)
		read_text(copy, size - 1);
	else if (recipe_plan_decode(copy, size - 1, &plan, &err) == 0)
		recipe_plan_fini(&plan);
	free(copy);
	return 0;
}
