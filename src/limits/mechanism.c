/* SPDX-License-Identifier: Apache-2.0 */
/* mechanism.c - by what each limit is held on this host; the words are in limit_table.h */
#include "limits/mechanism.h"

#include "limits/limit_table.h"

enum mechanism_situation {
	MECHANISM_ANY,     /* the same on every host */
	MECHANISM_V2,      /* the controller of version 2 is usable */
	MECHANISM_V2_SWAP, /* it is, but the kernel does not count swap */
	MECHANISM_V1,
	MECHANISM_V1_SWAP,
	MECHANISM_NONE, /* no controller */
};

static const struct mechanism_row {
	enum limit_id limit;
	enum mechanism_situation situation;
	struct limit_mechanism mechanism;
} rows[] = {
#define MECHANISM_ROW(id, situation_, is_whole, name_, remedy_) \
	{ .limit = LIMIT_##id,                                  \
	  .situation = MECHANISM_##situation_,                  \
	  .mechanism = { .field = LIMIT_FIELD_##id,             \
			 .name = (name_),                       \
			 .is_whole_tree = (is_whole),           \
			 .remedy = (remedy_) } },
	LIMIT_MECHANISMS(MECHANISM_ROW)
#undef MECHANISM_ROW
};

/* The controller that holds the limit, or CGROUP_N_CONTROLLERS if none does on any host. */
static enum cgroup_controller controller_of(enum limit_id limit)
{
	switch (limit) {
	case LIMIT_CPU_TIME:
		return CGROUP_CPUACCT;
	case LIMIT_CPUS:
		return CGROUP_CPU;
	case LIMIT_MEMORY:
		return CGROUP_MEMORY;
	case LIMIT_PIDS:
		return CGROUP_PIDS;
	case LIMIT_WALL:
	case LIMIT_DISK:
	case LIMIT_DISK_INODES:
	case LIMIT_FILES:
	case LIMIT_FILE_SIZE:
	case LIMIT_OUTPUT:
	case LIMIT_N:
		break;
	}
	return CGROUP_N_CONTROLLERS;
}

static enum mechanism_situation situation_of(const struct cgroup_host *host, enum limit_id limit)
{
	enum cgroup_controller controller = controller_of(limit);
	if (controller == CGROUP_N_CONTROLLERS)
		return MECHANISM_ANY;
	if (host->version == CGROUP_NONE || !host->has[controller])
		return MECHANISM_NONE;
	bool lacks_swap = controller == CGROUP_MEMORY && !host->has_swap_limit;
	if (host->version == CGROUP_V2)
		return lacks_swap ? MECHANISM_V2_SWAP : MECHANISM_V2;
	return lacks_swap ? MECHANISM_V1_SWAP : MECHANISM_V1;
}

const struct limit_mechanism *limit_mechanism_get(const struct cgroup_host *host,
						  enum limit_id limit)
{
	enum mechanism_situation situation = situation_of(host, limit);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].limit == limit && rows[i].situation == situation)
			return &rows[i].mechanism;
	}
	assert(false && "every limit has a row for each situation it can be in");
	return &rows[0].mechanism;
}

static bool limit_is_set(const struct policy_limits *limits, enum limit_id limit)
{
	switch (limit) {
#define LIMIT_CASE(id, member) \
	case LIMIT_##id:       \
		return limits->member != POLICY_UNLIMITED;
		LIMITS(LIMIT_CASE)
#undef LIMIT_CASE
	case LIMIT_N:
		break;
	}
	return false;
}

int limit_check_strict(const struct cgroup_host *host, const struct policy_limits *limits,
		       struct error_list *errors)
{
	int result = 0;
	for (int i = 0; i < LIMIT_N && limits->is_strict; i++) {
		enum limit_id limit = (enum limit_id)i;
		const struct limit_mechanism *mechanism = limit_mechanism_get(host, limit);
		if (mechanism->is_whole_tree || !limit_is_set(limits, limit))
			continue;
		struct error *err = error_list_next(errors);
		result = error_set(err, ERR_REFUSED, 0, mechanism->field,
				   "limits.strict is set, but this host holds it only by %s",
				   mechanism->name);
		const char *host_remedy = host->remedy[0] ? host->remedy : "see foso doctor";
		result = error_remedy(err, result, "%s (%.120s), or set limits.strict: false",
				      mechanism->remedy, host_remedy);
	}
	return result;
}
