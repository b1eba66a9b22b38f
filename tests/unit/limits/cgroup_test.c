/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_test.c - the life of a sandbox's cgroup: made whole or not at all, removed without a trace
 */
#include "unit/limits/box.h"

static int work_nothing(void)
{
	return 0;
}

static void the_probe_says_what_is_there(void)
{
	if (host.version == CGROUP_NONE) {
		OK(host.lack[0] != '\0');
		OK(host.remedy[0] != '\0');
		return;
	}
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		if (!host.has[i])
			continue;
		OK(host.mount_len[i] > 0 && host.mount_len[i] <= strlen(host.parent[i]));
		OK(host.parent[i][0] == '/');
	}
	/* A second look sees the same: the first left nothing behind. */
	struct cgroup_host again;
	cgroup_host_probe(&again);
	EQ(memcmp(&again, &host, sizeof(host)), 0);
}

static void without_a_cgroup_creation_names_cause_and_remedy(void)
{
	struct cgroup_host none = { .lack = "no cgroup file system is mounted",
				    .remedy = "mount it" };
	struct policy_limits limits = limits_none();
	struct cgroup_options options = { .id = "a1", .limits = &limits };
	struct cgroup cgroup;
	struct error err = { 0 };
	ERR(cgroup_create(&cgroup, &none, &options, &err), &err, ERR_UNSUPPORTED, "cgroup");
	STR_EQ(err.message, "no cgroup file system is mounted");
	STR_EQ(err.remedy, "mount it");
}

static void the_empty_cgroup_takes_every_call(void)
{
	struct cgroup cgroup;
	cgroup_init(&cgroup);
	struct cgroup_entry entry;
	struct cgroup_usage usage;
	struct error_list leftovers = { 0 };
	struct error err = { 0 };
	EQ(cgroup_entry_open(&cgroup, 1, &entry, &err), 0);
	EQ(entry.clone_fd, -1);
	EQ(entry.n_task_fds, 0);
	EQ(cgroup_entry_join(&entry), 0);
	cgroup_entry_close(&entry);
	cgroup_usage_read(&cgroup, &usage);
	EQ(usage.cpu_ns, 0);
	EQ(cgroup_cpu_ns(&cgroup), 0);
	EQ(cgroup_watch(&cgroup, -1, 0, &err), 0);
	EQ(cgroup_kill(&cgroup, 0, &err), 0);
	EQ(cgroup_command_remove(&cgroup, 1), 0);
	EQ(cgroup_pids(&cgroup, 0, NULL, 0), 0);
	cgroup_destroy(&cgroup, 0, &leftovers);
	EQ(leftovers.n_errors, 0);
	EQ(err.code, ERR_NONE);
}

static void an_id_that_is_no_file_name_is_refused(void)
{
	static const char *const bad[] = {
		"",    "..",   "../x", "a/b",    "self",
		"a b", "a\nb", "a.b",  "a\377b", "01234567890123456789012345678901",
	};
	struct policy_limits limits = limits_none();
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct cgroup_options options = { .id = bad[i], .limits = &limits };
		struct cgroup cgroup;
		struct error err = { 0 };
		ERR(cgroup_create(&cgroup, &host, &options, &err), &err, ERR_INVALID, bad[i]);
		STR_EQ(err.remedy, "use 1 to 31 letters, digits, '-' and '_'");
	}
}

static void box_set_all(struct box *box)
{
	box->limits.memory_bytes = 64 << 20;
	box->limits.pids = 20;
	box->limits.cpus_milli = 1000;
	box->limits.cpu_time_ns = 1000000000;
	box->options.needs_kill = box->options.needs_cpu = box->options.needs_io = true;
}

static void creation_and_removal_leave_nothing(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box_set_all(&box);
	OK(!is_on_disk(box.id));
	if (!box_open(&box))
		return;
	OK(is_on_disk(box.id));
	EQ(n_pids(&box, 0), 0);
	EQ(run_inside(&box, work_nothing), 0);
	box_close(&box);
	OK(!is_on_disk(box.id));
	box_close(&box); /* twice is allowed */
}

static void an_id_in_use_is_refused_and_not_harmed(void)
{
	NEED_CGROUP();
	struct box box, other;
	box_init(&box);
	box.limits.pids = 20;
	if (!box_open(&box))
		return;
	box_init(&other);
	other.options.id = box.id;
	other.limits.pids = 20;
	other.limits.memory_bytes = 64 << 20; /* v1: in a hierarchy that the first is not in */
	struct error err = { 0 };
	EQ(cgroup_create(&other.cgroup, &host, &other.options, &err), -ERR_EXISTS);
	STR_EQ(err.message, "there is such a group already");
	STR_EQ(err.remedy, "run 'foso gc' or use another sandbox id");
	EQ(run_inside(&box, work_nothing), 0);
	box_close(&box);
	OK(!is_on_disk(box.id));
}

static void a_value_that_the_kernel_refuses_names_the_field(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box_set_all(&box);
	box.limits.cpus_milli = 0;
	struct error err = { 0 };
	ERR(cgroup_create(&box.cgroup, &host, &box.options, &err), &err, ERR_REFUSED,
	    "limits.cpus");
	OK(err.remedy[0] != '\0');
	OK(!is_on_disk(box.id));
}

static void extreme_values_are_taken(void)
{
	NEED_CGROUP();
	static const uint64_t cpus[] = { 1, 9, 10, 8192000, 8192001, POLICY_UNLIMITED - 1 };
	static const uint64_t pids[] = { 0, 1, 4194303, 4194304, 1ULL << 40, POLICY_UNLIMITED - 1 };
	for (size_t i = 0; i < ARRAY_LEN(cpus); i++) {
		struct box box;
		box_init(&box);
		box.limits.cpus_milli = cpus[i];
		box.limits.pids = pids[i];
		box.limits.memory_bytes = POLICY_UNLIMITED - 1;
		if (!box_open(&box))
			printf("# cpus_milli %llu, pids %llu\n", (unsigned long long)cpus[i],
			       (unsigned long long)pids[i]);
		box_close(&box);
	}
}

static void only_what_is_needed_is_made(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.pids = 20;
	if (!box_open(&box))
		return;
	OK(box.cgroup.is_used[CGROUP_PIDS]);
	OK(!box.cgroup.is_used[CGROUP_MEMORY]);
	OK(!box.cgroup.is_used[CGROUP_CPU]);
	OK(!box.cgroup.is_used[CGROUP_IO]);
	struct cgroup_entry entry;
	struct error err = { 0 };
	EQ(cgroup_entry_open(&box.cgroup, 0, &entry, &err), 0);
	EQ(entry.n_task_fds, host.version == CGROUP_V1 ? 1 : 0);
	OK((entry.clone_fd >= 0) == (host.version == CGROUP_V2));
	for (size_t i = 0; i < entry.n_task_fds; i++)
		OK(fcntl(entry.task_fds[i], F_GETFD) & FD_CLOEXEC);
	if (entry.clone_fd >= 0)
		OK(fcntl(entry.clone_fd, F_GETFD) & FD_CLOEXEC);
	cgroup_entry_close(&entry);
	cgroup_entry_close(&entry);
	box_close(&box);
}

/* Lets the n-th descriptor of the process fail; in a child, since the limit stays lowered. */
static int work_create_with_few_fds(void)
{
	struct box box;
	box_init(&box);
	box_set_all(&box);
	int first = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	close(first);
	for (unsigned n = 0; n < 64; n++) {
		struct rlimit few = { .rlim_cur = (rlim_t)first + n,
				      .rlim_max = (rlim_t)first + 64 };
		struct error err = { 0 };
		(void)setrlimit(RLIMIT_NOFILE, &few);
		int result = cgroup_create(&box.cgroup, &host, &box.options, &err);
		few.rlim_cur = few.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &few);
		if (result == 0) {
			box_close(&box);
			return tap_is_failing || is_on_disk(box.id) ? 1 : (int)n;
		}
		if (result != -ERR_SYSTEM && result != -ERR_REFUSED)
			FAIL("fd %u: result %d", n, result);
		if (err.errnum != EMFILE || is_on_disk(box.id))
			FAIL("fd %u: errno %d, left: %d", n, err.errnum, is_on_disk(box.id));
	}
	return 1;
}

static void every_descriptor_that_fails_leaves_nothing(void)
{
	NEED_CGROUP();
	int status = run_outside(work_create_with_few_fds);
	OK(WIFEXITED(status));
	/* How many it took to succeed: enough for all groups, so each opening has failed once. */
	printf("# creation needs %d descriptors\n", WEXITSTATUS(status));
	OK(WEXITSTATUS(status) > 4);
}

static void a_group_in_use_stays_and_is_named(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.pids = 20;
	if (!box_open(&box))
		return;
	pid_t pid = box_start(&box, 0, work_sleep);
	OK(EVENTUALLY(n_pids(&box, 0) == 1));
	struct error_list leftovers = { 0 };
	cgroup_destroy(&box.cgroup, 1, &leftovers);
	EQ(leftovers.n_errors, 1);
	EQ(leftovers.items[0].code, ERR_SYSTEM);
	EQ(leftovers.items[0].errnum, EBUSY);
	char name[64];
	(void)snprintf(name, sizeof(name), "/foso-%s", box.id);
	OK(strstr(leftovers.items[0].subject, name));
	STR_EQ(leftovers.items[0].remedy, "run 'foso gc' when its processes have ended");
	OK(is_on_disk(box.id));

	struct error err = { 0 };
	EQ(cgroup_kill(&box.cgroup, 0, &err), 0);
	EQ(WTERMSIG(wait_status(pid)), SIGKILL);
	box_close(&box);
	OK(!is_on_disk(box.id));
}

int main(void)
{
	RUN(host_is_as_expected);
	RUN(the_probe_says_what_is_there);
	RUN(without_a_cgroup_creation_names_cause_and_remedy);
	RUN(the_empty_cgroup_takes_every_call);
	RUN(an_id_that_is_no_file_name_is_refused);
	RUN(creation_and_removal_leave_nothing);
	RUN(an_id_in_use_is_refused_and_not_harmed);
	RUN(a_value_that_the_kernel_refuses_names_the_field);
	RUN(extreme_values_are_taken);
	RUN(only_what_is_needed_is_made);
	RUN(every_descriptor_that_fails_leaves_nothing);
	RUN(a_group_in_use_stays_and_is_named);
	return tap_done();
}
