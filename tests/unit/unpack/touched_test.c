/* SPDX-License-Identifier: Apache-2.0 */
/* touched_test.c - the set of paths that a layer made */
#include "support/tap.h"
#include "unpack/touched.h"

#define N_PATHS 100000

static void known_and_unknown(void)
{
	struct touched_set set;
	touched_init(&set);
	EQ(touched_get(&set, "a"), TOUCHED_NOT);
	OK(touched_add(&set, "a", TOUCHED_FOLDER));
	OK(touched_add(&set, "a/b", TOUCHED_OTHER));
	EQ(touched_get(&set, "a"), TOUCHED_FOLDER);
	EQ(touched_get(&set, "a/b"), TOUCHED_OTHER);
	EQ(touched_get(&set, "a/"), TOUCHED_NOT);
	EQ(touched_get(&set, "b"), TOUCHED_NOT);
	EQ(touched_get(&set, ""), TOUCHED_NOT);
	EQ(set.n_used, 2);
	OK(touched_add(&set, "a", TOUCHED_OTHER));
	EQ(touched_get(&set, "a"), TOUCHED_OTHER);
	EQ(set.n_used, 2);
	touched_fini(&set);
	touched_fini(&set);
}

static void many(void)
{
	struct touched_set set;
	char path[64];
	size_t n_wrong = 0;
	touched_init(&set);
	for (unsigned i = 0; i < N_PATHS; i++) {
		(void)snprintf(path, sizeof(path), "folder/%u/file", i);
		OK(touched_add(&set, path, i % 2 == 0 ? TOUCHED_FOLDER : TOUCHED_OTHER));
	}
	EQ(set.n_used, N_PATHS);
	for (unsigned i = 0; i < 2 * N_PATHS; i++) {
		(void)snprintf(path, sizeof(path), "folder/%u/file", i);
		enum touched expected = i % 2 == 0 ? TOUCHED_FOLDER : TOUCHED_OTHER;
		if (i >= N_PATHS)
			expected = TOUCHED_NOT;
		n_wrong += touched_get(&set, path) != expected;
	}
	EQ(n_wrong, 0);
	touched_fini(&set);
}

int main(void)
{
	RUN(known_and_unknown);
	RUN(many);
	return tap_done();
}
