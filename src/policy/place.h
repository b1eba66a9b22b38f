/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - where a name of policy_set() points to; shared by set.c and compound.c alone */
#pragma once

#include "policy/store.h"

struct policy_place {
	const char *name;                 /* as the user wrote it: the subject of errors */
	const struct policy_field *items; /* MOUNTS or SECRETS if the field is one of an item's */
	size_t item;                      /* which */
	const struct policy_field *field;
	bool has_index; /* a position in the list that @field is */
	size_t index;
	const char *key; /* name of an environment variable */
};

/* policy_place_set() - the value of @place in @object, an owner of its field. */
int policy_place_set(const struct policy_place *place, void *object, const char *text,
		     struct error *err) must_check;

/*
 * policy_place_reserve() - room for an item in @array, at @index or at the end
 *
 * The item past the end is not counted yet: the caller fills it and counts it.
 */
int policy_place_reserve(const struct policy_place *place, const struct policy_field *field,
			 struct policy_array *array, size_t *ret_at, struct error *err) must_check;

/* policy_place_refuse_count() - -ERR_LIMIT: the field holds all it may. */
int policy_place_refuse_count(const struct policy_place *place, const struct policy_field *field,
			      struct error *err);

/* The texts that give several values at once. */
int policy_place_set_env(const struct policy_place *place, struct policy *policy, const char *text,
			 struct error *err) must_check;
int policy_place_set_root(const struct policy_place *place, struct policy *policy, const char *text,
			  struct error *err) must_check;
int policy_place_set_workspace(const struct policy_place *place, struct policy *policy,
			       const char *text, struct error *err) must_check;
int policy_place_set_network(const struct policy_place *place, struct policy *policy,
			     const char *text, struct error *err) must_check;
int policy_place_set_mount(const struct policy_place *place, struct policy *policy,
			   const char *text, struct error *err) must_check;
