/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - the table of policy fields, and the search in it */
#include "policy/fields.h"

#include <stdlib.h>
#include <string.h>

const struct policy_field policy_fields[POLICY_N_FIELDS] = {
#define FIELD_ROW(id, name_, type_, owner_, member_, initial_, flags_, min_, max_, levels_, ...) \
	[POLICY_FIELD_##id] = {                                                                  \
		.name = name_,                                                                   \
		.initial = initial_,                                                             \
		.levels = levels_,                                                               \
		.type = POLICY_TYPE_##type_,                                                     \
		.owner = POLICY_OWNER_##owner_,                                                  \
		.flags = flags_,                                                                 \
		.offset = offsetof(struct owner_, member_),                                      \
		.min = min_,                                                                     \
		.max = max_,                                                                     \
	},
	POLICY_FIELDS(FIELD_ROW)
#undef FIELD_ROW
};

static_assert(sizeof(enum policy_level) == sizeof(unsigned), "enums are stored as unsigned");
static_assert(sizeof(struct policy) < UINT16_MAX, "offsets fit into 16 bits");

#define MAX_NAME_BYTES sizeof(policy_fields[0].name)

/* strcmp() of a name that may not be terminated with one that is. */
static int compare_name(const char *name, size_t len, const char *row)
{
	int order = strncmp(name, row, len);
	return order != 0 ? order : -(int)(row[len] != '\0');
}

const struct policy_field *policy_field_find(const char *name, size_t len)
{
	size_t low = 0, high = POLICY_N_FIELDS;
	if (len >= MAX_NAME_BYTES || memchr(name, '\0', len))
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_name(name, len, policy_fields[middle].name);
		if (order == 0)
			return &policy_fields[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

bool policy_field_is_group(const char *name, size_t len)
{
	for (size_t i = 0; i < POLICY_N_FIELDS; i++) {
		const char *row = policy_fields[i].name;
		if (len < MAX_NAME_BYTES && strncmp(row, name, len) == 0 && row[len] == '.')
			return true;
	}
	return false;
}

/*
 * Edits (insert, remove, replace, swap of neighbours) that make one name of the other, each
 * counted 2, a change of case 1.  Two strings of at most MAX_NAME_BYTES * 2 bytes.
 */
static unsigned count_edits(const char *from, size_t n_from, const char *to, size_t n_to)
{
	unsigned rows[3][2 * MAX_NAME_BYTES + 1];
	for (size_t j = 0; j <= n_to; j++)
		rows[0][j] = (unsigned)(2 * j);
	for (size_t i = 1; i <= n_from; i++) {
		const unsigned *before = rows[(i - 1) % 3], *before_that = rows[(i + 1) % 3];
		unsigned *row = rows[i % 3];
		row[0] = (unsigned)(2 * i);
		for (size_t j = 1; j <= n_to; j++) {
			char a = from[i - 1], b = to[j - 1];
			unsigned replace = a == b ? 0 : (a | 0x20) == b ? 1 : 2;
			row[j] = MIN(before[j - 1] + replace, MIN(before[j], row[j - 1]) + 2);
			if (i > 1 && j > 1 && a == to[j - 2] && from[i - 2] == b)
				row[j] = MIN(row[j], before_that[j - 2] + 2);
		}
	}
	return rows[n_from % 3][n_to];
}

/* How far @name is from a row: 0 is the same; a row that @name is a clear part of is near. */
static unsigned measure(const char *name, size_t len, const char *row)
{
	const char *leaf = strrchr(row, '.');
	leaf = leaf ? leaf + 1 : row;
	unsigned whole = count_edits(name, len, row, strlen(row));
	unsigned part = leaf == row ? whole : 1 + count_edits(name, len, leaf, strlen(leaf));
	if (len >= 3 && strncmp(row, name, len) == 0)
		part = MIN(part, 2u);
	return MIN(whole, part);
}

/* The one group that has no row of its own, because no word can stand for it. */
static const char plain_group[] = "limits";

const char *policy_field_nearest(const char *name)
{
	size_t len = strlen(name);
	if (len >= 2 * MAX_NAME_BYTES)
		return NULL;
	/* A third of the letters may be wrong; more is another word, and a guess would mislead. */
	unsigned best = (unsigned)(2 * (len / 3)) + 1;
	const char *nearest = NULL;
	unsigned distance = count_edits(name, len, plain_group, sizeof(plain_group) - 1);
	if (distance < best) {
		best = distance;
		nearest = plain_group;
	}
	for (size_t i = 0; i < POLICY_N_FIELDS; i++) {
		distance = measure(name, len, policy_fields[i].name);
		if (distance < best) {
			best = distance;
			nearest = policy_fields[i].name;
		}
	}
	return nearest;
}

const char *policy_field_remedy(enum policy_field_id id)
{
	switch (id) {
#define FIELD_REMEDY(id_, name, type, owner, member, initial, flags, min, max, levels, remedy, \
		     help)                                                                     \
	case POLICY_FIELD_##id_:                                                               \
		return remedy;
		POLICY_FIELDS(FIELD_REMEDY)
#undef FIELD_REMEDY
	case POLICY_N_FIELDS:
		break;
	}
	return "";
}
