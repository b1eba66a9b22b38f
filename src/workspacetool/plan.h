/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - which entries of a set go into a commit, and the operations that bring them there
 *
 * An operation is one rename in the host's folder.  A new folder is made whole beside its place,
 * with all that goes into it; a deleted folder is moved away whole if nothing of it stays.
 */
#pragma once

#include "workspacetool/links.h"

enum choice {
	CHOICE_NONE,    /* no change */
	CHOICE_IN,      /* is committed */
	CHOICE_HELD,    /* executes on the host, and that was not allowed */
	CHOICE_NEVER,   /* ENTRY_NEVER */
	CHOICE_UNASKED, /* --only and --except leave it out */
	CHOICE_STAYS,   /* a folder that keeps something, or what lies in one that does not come */
	CHOICE_N_KINDS
};

struct choose {
	const char *const *only, *const *except; /* patterns of glob.h */
	size_t n_only, n_except;
	bool allows_exec_paths;
};

/* plan_choose() - a choice for each entry; @choices has room for all of them. */
void plan_choose(const struct set *set, const struct choose *choose, uint8_t *choices);

enum op_kind {
	OP_MAKE,    /* nothing was there */
	OP_REPLACE, /* something was */
	OP_REMOVE,
	OP_MODE, /* only the mode is changed */
	OP_N_KINDS
};

struct op {
	uint32_t entry, end; /* it does all chosen entries from the one to before the other */
	uint8_t kind;        /* enum op_kind */
	bool is_staged;
	uint64_t dev, inode; /* of what was staged */
};

struct plan {
	const struct set *set;
	const uint8_t *choices; /* borrowed, as the set is */
	struct op *ops;
	size_t n_ops;
	struct links links;
};

int plan_init(struct plan *plan, const struct set *set, const uint8_t *choices, struct error *err)
	must_check;
void plan_fini(struct plan *plan);

/* plan_op_of() - index of the operation that does a chosen entry. */
uint32_t plan_op_of(const struct plan *plan, uint32_t entry);

const char *plan_choice_words(enum choice choice); /* why it stayed out */
