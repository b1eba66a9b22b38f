/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doc.c - the table of system calls as text
 *
 * For each group, first the calls that both profiles allow, in one paragraph; then one entry for
 * each call about which there is more to say.
 */
#include "doc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "confine/seccomp_rules.h"
#include "confine/syscalls.h"

struct row {
	const char *group; /* title, of the rows that begin one; else NULL */
	const char *name;
	enum seccomp_action by_default, strict;
	const char *why;
};

static const struct row rows[] = {
#define GROUP_ROW(title) { .group = title },
#define CALL_ROW(name_, default_, strict_, monitor, why_) \
	{ .name = #name_,                                 \
	  .by_default = SECCOMP_ACTION_##default_,        \
	  .strict = SECCOMP_ACTION_##strict_,             \
	  .why = why_ },
	SYSCALLS(GROUP_ROW, CALL_ROW)
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const meanings[SECCOMP_N_ACTIONS] = {
	[SECCOMP_ACTION_yes] = "allowed",
	[SECCOMP_ACTION_no] = "denied",
	[SECCOMP_ACTION_gone] = "denied: Linux itself no longer has it",
	[SECCOMP_ACTION_enosys] = "ENOSYS, and not counted",
#define RULE_ROW(name, meaning) [SECCOMP_ACTION_##name] = meaning,
	SECCOMP_RULES(RULE_ROW)
};

/* Names hold underscores, which scdoc would take for markup. */
static void print_escaped(const char *text)
{
	for (; *text; text++) {
		if (strchr("*_\\<~#", *text))
			(void)putchar('\\');
		(void)putchar(*text);
	}
}

static bool is_plain(const struct row *row)
{
	return row->by_default == SECCOMP_ACTION_yes && row->strict == SECCOMP_ACTION_yes &&
	       !row->why[0];
}

static size_t group_end(size_t first)
{
	size_t end = first;
	while (end < N_ROWS && !rows[end].group)
		end++;
	return end;
}

static void print_plain(size_t first, size_t end)
{
	const char *between = "Allowed by both profiles: ";
	for (size_t i = first; i < end; i++) {
		if (!is_plain(&rows[i]))
			continue;
		(void)printf("%s", between);
		print_escaped(rows[i].name);
		between = ", ";
	}
	(void)printf("%s", strcmp(between, ", ") == 0 ? ".\n\n" : "");
}

static bool is_rule(enum seccomp_action action)
{
	return action > SECCOMP_ACTION_enosys;
}

static void print_action(enum seccomp_action action)
{
	(void)printf(is_rule(action) ? "allowed for some arguments: " : "");
	print_escaped(meanings[action]);
}

/* The same is said of both: in the same words, or the second refers to the first by name. */
static bool is_alike(const struct row *row, const struct row *other)
{
	return row->by_default == other->by_default && row->strict == other->strict &&
	       (strcmp(row->why, other->why) == 0 ||
		(strncmp(other->why, "as ", 3) == 0 && strcmp(other->why + 3, row->name) == 0));
}

/* One entry for as many rows as are alike; returns how many. */
static size_t print_entry(const struct row *row, size_t n_left)
{
	size_t n_rows = 0;
	do {
		(void)printf(n_rows ? ", *" : "*");
		print_escaped(row[n_rows].name);
		(void)printf("*");
		n_rows++;
	} while (n_rows < n_left && is_alike(row, &row[n_rows]));
	(void)printf("\n\t");
	if (row->by_default == row->strict) {
		(void)printf("both: ");
		print_action(row->by_default);
	} else {
		(void)printf("default: ");
		print_action(row->by_default);
		(void)printf("; strict: ");
		print_action(row->strict);
	}
	if (row->why[0]) {
		(void)printf(". Why: ");
		print_escaped(row->why);
	}
	(void)printf(".\n\n");
	return n_rows;
}

void doc_print(void)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!rows[i].group)
			continue;
		(void)printf("## %s\n\n", rows[i].group);
		size_t end = group_end(i + 1);
		print_plain(i + 1, end);
		for (size_t j = i + 1; j < end;)
			j += is_plain(&rows[j]) ? 1 : print_entry(&rows[j], end - j);
	}
}
