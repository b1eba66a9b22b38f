/* SPDX-License-Identifier: Apache-2.0 */
/* touched.c - which paths the layer that is being unpacked has made */
#include "unpack/touched.h"

#include <stdlib.h>
#include <sys/random.h>

#define FIRST_SLOTS 4096

/* Two rounds of multiply and fold (as wyhash does) over each byte's worth of path. */
static uint64_t hash_path(uint64_t seed, const char *path)
{
	uint64_t hash = seed ^ UINT64_C(0x9e3779b97f4a7c15);
	for (const char *at = path; *at; at++) {
		hash ^= (unsigned char)*at;
		__uint128_t product = (__uint128_t)hash * UINT64_C(0xd6e8feb86659fd93);
		hash = (uint64_t)product ^ (uint64_t)(product >> 64);
		hash += seed;
	}
	__uint128_t product = (__uint128_t)(hash ^ seed) * UINT64_C(0xa0761d6478bd642f);
	hash = (uint64_t)product ^ (uint64_t)(product >> 64);
	return hash | 2; /* never 0, whatever the lowest bit is made */
}

void touched_init(struct touched_set *set)
{
	*set = (struct touched_set){ .seed = 1 };
	(void)!getrandom(&set->seed, sizeof(set->seed), 0);
	set->seed |= 1;
}

void touched_fini(struct touched_set *set)
{
	free(set->slots);
	*set = (struct touched_set){ 0 };
}

static uint64_t *find_slot(const struct touched_set *set, uint64_t hash)
{
	size_t mask = set->n_slots - 1;
	size_t at = (size_t)(hash >> 3) & mask;
	while (set->slots[at] != 0 && (set->slots[at] | 1) != (hash | 1))
		at = (at + 1) & mask;
	return &set->slots[at];
}

static bool grow(struct touched_set *set)
{
	struct touched_set larger = *set;
	larger.n_slots = set->n_slots == 0 ? FIRST_SLOTS : set->n_slots * 2;
	larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < set->n_slots; i++) {
		if (set->slots[i] != 0)
			*find_slot(&larger, set->slots[i]) = set->slots[i];
	}
	free(set->slots);
	*set = larger;
	return true;
}

bool touched_add(struct touched_set *set, const char *path, enum touched kind)
{
	if (set->n_used * 2 >= set->n_slots && !grow(set))
		return false;
	uint64_t hash = hash_path(set->seed, path);
	uint64_t *slot = find_slot(set, hash);
	set->n_used += *slot == 0;
	*slot = (hash & ~UINT64_C(1)) | (kind == TOUCHED_OTHER);
	return true;
}

enum touched touched_get(const struct touched_set *set, const char *path)
{
	if (set->n_slots == 0)
		return TOUCHED_NOT;
	uint64_t slot = *find_slot(set, hash_path(set->seed, path));
	if (slot == 0)
		return TOUCHED_NOT;
	return slot & 1 ? TOUCHED_OTHER : TOUCHED_FOLDER;
}
