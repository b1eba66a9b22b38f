/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - the control groups of the workers
 *
 * What one process's own limits hold for one command (the store's limiter, RLIMIT_DATA, a timer
 * over its processor time) is held by the kernel for all of them here.  A group costs each worker
 * a write, so there are only those that add something: memory and pids always, cpu for a part of a
 * processor or for many commands, cpuacct for the record and for a limit that many commands
 * share.
 */
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "levels/wasm/wasm.h"
#include "limits/mechanism.h"
#include "wire/codec.h"

#define DYING_WAIT_MS 1000

static int refuse(struct error_list *errors, const char *field, const char *message,
		  const char *remedy)
{
	const char *lack = cgroup_this_host()->remedy;
	struct error *err = error_list_next(errors);
	int r = error_set(err, ERR_REFUSED, 0, field, "%s", message);
	return error_remedy(err, r, "%s (%.120s)", remedy, lack[0] ? lack : "see foso doctor");
}

/*
 * Of the limits that this level has, these are the ones that several processes share.  A whole
 * processor is all that one thread can use.
 */
int wasm_groups_check(const struct policy *policy, struct error_list *errors)
{
	static const enum limit_id shared[] = { LIMIT_MEMORY, LIMIT_CPU_TIME };
	const struct policy_limits *limits = &policy->limits;
	int r = 0;
	if (limits->cpus_milli < 1000 &&
	    (cgroup_this_host()->version == CGROUP_NONE || !cgroup_this_host()->has[CGROUP_CPU]))
		r = refuse(errors, "limits.cpus",
			   "a part of a processor is held by a control group, and there is none",
			   "give foso the cgroup controller cpu, or remove it");
	for (size_t i = 0; i < ARRAY_LEN(shared) && limits->is_strict; i++) {
		const struct limit_mechanism *mechanism =
			limit_mechanism_get(cgroup_this_host(), shared[i]);
		uint64_t value =
			shared[i] == LIMIT_MEMORY ? limits->memory_bytes : limits->cpu_time_ns;
		if (value == POLICY_UNLIMITED || mechanism->is_whole_tree)
			continue;
		r = refuse(errors, mechanism->field,
			   "limits.strict is set, but this host holds it only for each process",
			   mechanism->remedy);
	}
	return r;
}

int wasm_groups_make(struct sandbox *sandbox, struct wasm *wasm, unsigned uid, unsigned gid,
		     struct error *err)
{
	const struct policy *policy = sandbox->policy;
	struct policy_limits limits = policy->limits;
	bool has_many = sandbox->has_many_commands;
	if (cgroup_this_host()->version == CGROUP_NONE)
		return 0;
	if (limits.memory_bytes != POLICY_UNLIMITED)
		limits.memory_bytes += WASM_RUNTIME_BYTES;
	limits.pids = has_many ? WASM_MAX_COMMANDS : 1;
	if (cgroup_this_host()->version == CGROUP_V1) /* foso-wasm is in the group too. */
		limits.pids++;
	if (!has_many && limits.cpus_milli >= 1000)
		limits.cpus_milli = POLICY_UNLIMITED;
	if (!has_many)
		limits.cpu_time_ns = POLICY_UNLIMITED;
	const struct cgroup_options options = {
		.id = sandbox->id,
		.limits = &limits,
		.owner_uid = uid,
		.owner_gid = gid,
		/* A worker that is killed with foso-wasm is told of by nobody else. */
		.needs_cpu = policy->evidence.is_on,
		.needs_io = policy->workspace.path[0] != '\0' || policy->n_mounts > 0,
	};
	int r = cgroup_create(&wasm->groups, cgroup_this_host(), &options, err);
	wasm->has_groups = r == 0;
	wasm->shares_cpu =
		wasm->has_groups && limits.cpu_time_ns != POLICY_UNLIMITED &&
		(cgroup_this_host()->version == CGROUP_V2 || wasm->groups.is_used[CGROUP_CPUACCT]);
	return r < 0 ? r : cgroup_entry_open(&wasm->groups, 0, &wasm->entry, err);
}

/*
 * Once, before the first order.  On version 1 each entry costs a worker a write, so foso-wasm
 * enters all groups itself, which its workers are then born in, but that of the memory: there it
 * would be what the kernel ends for what they use.
 */
int wasm_groups_send(struct wasm *wasm)
{
	char storage[8];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	int fds[1 + CGROUP_MAX_ENTRY_FDS];
	size_t n_fds = 0;
	if (!wasm->has_groups)
		return 0;
	if (wasm->entry.clone_fd >= 0)
		fds[n_fds++] = wasm->entry.clone_fd;
	for (size_t i = 0; i < wasm->entry.n_task_fds; i++)
		fds[n_fds++] = wasm->entry.task_fds[i];
	wire_put_u8(&bytes, wasm->entry.clone_fd >= 0);
	wire_put_u8(&bytes, wasm_groups_hold(wasm, CGROUP_MEMORY) && wasm->entry.n_task_fds > 0);
	int r = wasm_channel_send(wasm->channel_fd, WASM_GROUPS, bytes.data, bytes.len, fds, n_fds);
	cgroup_entry_close(&wasm->entry);
	return r;
}

bool wasm_groups_hold(const struct wasm *wasm, enum cgroup_controller controller)
{
	return wasm->has_groups && wasm->groups.is_used[controller];
}

uint64_t wasm_groups_oom_kills(struct wasm *wasm)
{
	struct cgroup_usage usage = { 0 };
	if (wasm_groups_hold(wasm, CGROUP_MEMORY))
		cgroup_hits_read(&wasm->groups, &usage);
	return usage.oom_kills;
}

void wasm_groups_remove(struct wasm *wasm, struct error_list *leftovers)
{
	cgroup_entry_close(&wasm->entry);
	if (wasm->has_groups)
		cgroup_destroy(&wasm->groups, DYING_WAIT_MS, leftovers);
	wasm->has_groups = false;
}

static unsigned count_commands(const struct wasm *wasm)
{
	unsigned n = 0;
	for (size_t i = 0; i < WASM_MAX_COMMANDS; i++)
		n += wasm->commands[i].number != 0;
	return n;
}

uint64_t wasm_cpu_left_ns(struct wasm *wasm)
{
	uint64_t limit_ns = wasm->policy->limits.cpu_time_ns;
	uint64_t used_ns = wasm->shares_cpu ? cgroup_cpu_ns(&wasm->groups) : wasm->cpu_ns;
	return limit_ns == POLICY_UNLIMITED ? limit_ns : limit_ns - MIN(limit_ns, used_ns);
}

/*
 * A worker's own timer holds what was left when it began, which is right for one alone.  Of many,
 * the soonest that all of it can be used up is when each has a processor.
 */
void wasm_cpu_watch(struct wasm *wasm)
{
	unsigned n_commands = count_commands(wasm);
	if (!wasm->shares_cpu || wasm->cpu_timer_fd < 0 || n_commands < 2)
		return;
	uint64_t period_ns = MAX(wasm_cpu_left_ns(wasm) / n_commands, (uint64_t)1000000);
	struct itimerspec timer = { .it_value = { (time_t)(period_ns / 1000000000),
						  (long)(period_ns % 1000000000) } };
	(void)timerfd_settime(wasm->cpu_timer_fd, 0, &timer, NULL);
}

int wasm_cpu_check(struct wasm *wasm, struct level_event *ret)
{
	uint64_t count;
	(void)!read(wasm->cpu_timer_fd, &count, sizeof(count));
	if (!wasm_command_any(wasm))
		return 0;
	if (wasm_cpu_left_ns(wasm) > 0) {
		wasm_cpu_watch(wasm);
		return 0;
	}
	ret->type = LEVEL_EVENT_LIMIT;
	ret->reason = END_CPU;
	ret->limit = "limits.cpu_time";
	return 1;
}
