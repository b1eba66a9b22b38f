/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_run.c - a step in a sandbox
 *
 * The level is process, the root the layers so far, the network none, the limits those of a build
 * unless --limit says otherwise.  foso-monitor writes the evidence, as for any run.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "buildtool/build.h"
#include "confine/confine.h"
#include "wire/plan.h"
#include "wire/rundir.h"

/* What a build may use if nobody says otherwise; field and value. */
static const char *const default_limits[][2] = {
	{ "limits.wall", "30min" },  { "limits.memory", "4GiB" },
	{ "limits.pids", "4096" },   { "limits.cpus", "none" },
	{ "limits.disk", "10GiB" },  { "limits.files", "65536" },
	{ "limits.output", "none" }, { "limits.disk_inodes", "1000000" }
};

#define COPIER_TARGET "/.foso-copy"

static int set_limits(struct policy *policy, const struct build_options *options, struct error *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(default_limits); i++)
		r = policy_set(policy, default_limits[i][0], default_limits[i][1], err);
	for (size_t i = 0; r == 0 && i < options->n_limits; i++) {
		char name[160];
		const char *equals = strchr(options->limits[i], '=');
		size_t n = (size_t)(equals - options->limits[i]);
		(void)snprintf(name, sizeof(name), "limits.%.*s", (int)MIN(n, (size_t)128),
			       options->limits[i]);
		r = policy_set(policy, name, equals + 1, err);
		if (r < 0)
			return error_under(err, r, "--limit");
	}
	return r;
}

int build_limits(const struct build_options *options, struct policy *ret_policy, struct error *err)
{
	int r = policy_init(ret_policy, err);
	return r == 0 ? set_limits(ret_policy, options, err) : r;
}

/* What other builders give a command that says nothing of it. */
static int set_default_env(struct policy *policy, const struct recipe_step *step, struct error *err)
{
	bool is_root = step->user[0] == '\0' || strcmp(step->user, "root") == 0 ||
		       strcmp(step->user, "0") == 0;
	int r = policy_set(policy, "env.PATH",
			   "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", err);
	return r == 0 && is_root ? policy_set(policy, "env.HOME", "/root", err) : r;
}

static int set_env(struct policy *policy, const struct recipe_step *step, struct error *err)
{
	const struct recipe_pairs *env = &step->env;
	int r = set_default_env(policy, step, err);
	for (size_t i = 0; r == 0 && i < env->n_items; i++) {
		auto_buf struct buf name = BUF_INIT(POLICY_MAX_STRING_BYTES);
		buf_printf(&name, "env.%s", env->items[i].name);
		r = policy_set(policy, buf_string(&name), env->items[i].value, err);
	}
	return r;
}

static int set_copier(struct policy *policy, const char *path, struct error *err)
{
	int r = policy_set(policy, "mounts[0].source", path, err);
	if (r == 0)
		r = policy_set(policy, "mounts[0].target", COPIER_TARGET, err);
	return r == 0 ? policy_set(policy, "user", "0:0", err) : r;
}

static int fill_policy(const struct build *build, const struct build_run *run,
		       struct policy *policy, struct error *err)
{
	const struct recipe_step *step = run->step;
	int r = policy_set(policy, "level", "process", err);
	if (r == 0)
		r = policy_set(policy, "root", "image:foso-build", err);
	if (r == 0)
		r = set_limits(policy, build->options, err);
	if (r == 0 && build->options->evidence)
		r = policy_set(policy, "evidence.path", build->options->evidence, err);
	if (r == 0 && !run->is_copy)
		r = set_env(policy, step, err);
	if (r == 0)
		r = policy_set(policy, "cwd", run->is_copy ? "/" : step->cwd, err);
	if (r == 0 && !run->is_copy && step->user[0])
		r = policy_set(policy, "user", step->user, err);
	if (r == 0 && run->binds)
		r = build_binds_set(run->binds, policy, err);
	for (size_t i = 0; r == 0 && run->args[i]; i++)
		r = policy_set(policy, "args", run->args[i], err);
	return r == 0 && run->is_copy ? set_copier(policy, build->copier, err) : r;
}

/* The root of the step as a record in memory; it says nothing but which layers there are. */
static int make_record(const struct build_stage *stage, int *ret_fd, struct error *err)
{
	static struct image_record record;
	auto_buf struct buf bytes = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	record = (struct image_record){
		.name = "foso-build:latest",
		.architecture = "",
		.os = "linux",
		.user = "",
		.cwd = "",
		.stop_signal = "",
		.n_layers = (uint32_t)stage->n_layers,
	};
	memcpy(record.layers, stage->layers, stage->n_layers * sizeof(record.layers[0]));
	image_record_encode(&record, &bytes);
	auto_fd int fd = sys_memfd_create("foso-image", MFD_CLOEXEC);
	if (fd < 0 || !buf_is_whole(&bytes) ||
	    write(fd, bytes.data, bytes.len) != (ssize_t)bytes.len) {
		int r = error_set(err, ERR_SYSTEM, errno, "the step's root",
				  "cannot be written down");
		return error_remedy(err, r, "free some memory");
	}
	*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, PLAN_FD + 8);
	return 0;
}

/* In the child: output goes to stderr, so that stdout stays foso's own. */
static _Noreturn void become_monitor(const struct plan_start *start, int stdin_fd, pid_t build)
{
	confine_signals();
	/* A build that is killed takes the sandbox of its step with it. */
	if (prctl(PR_SET_PDEATHSIG, RUNDIR_KILL_SIGNAL) < 0 || getppid() != build)
		_exit(125);
	if (dup2(stdin_fd, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		_exit(125);
	(void)plan_start_exec(start);
	_exit(125);
}

static int wait_for(pid_t pid, int *ret_status)
{
	int status = 0;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 125;
	return 0;
}

static int cannot_start(int errnum, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "the step", "cannot be started");
	return error_remedy(err, r, "raise the limits of open files and processes");
}

static int start(const struct plan_start *plan_start, const struct build_run *run, int *ret_status,
		 struct error *err)
{
	int fds[2] = { -1, -1 };
	if (run->feed ? pipe2(fds, O_CLOEXEC) < 0
		      : (fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0)
		return cannot_start(errno, err);
	pid_t build = getpid();
	pid_t pid = fork();
	if (pid == 0)
		become_monitor(plan_start, fds[0], build);
	int errnum = pid < 0 ? errno : 0;
	fd_close(&fds[0]);
	int r = errnum != 0 ? cannot_start(errnum, err) : 0;
	if (r == 0 && run->feed)
		r = run->feed(run->context, fds[1], err);
	fd_close(&fds[1]);
	if (pid > 0 && (errnum = wait_for(pid, ret_status)) != 0 && r == 0)
		r = cannot_start(errnum, err);
	return r;
}

static int run_plan(const struct build *build, const struct build_run *run, struct plan *plan,
		    int *ret_status, struct error *err)
{
	static struct error_list errors;
	struct plan_start prepared = { .plan_fd = -1 };
	int r = fill_policy(build, run, &plan->policy, err);
	if (r != 0)
		return r;
	errors.n_errors = 0;
	if (policy_check(&plan->policy, POLICY_LEVEL_PROCESS, &errors) != 0) {
		*err = errors.items[0];
		return -(int)err->code;
	}
	r = plan_start_prepare(plan, NULL, &prepared, err);
	if (r == 0)
		r = start(&prepared, run, ret_status, err);
	fd_close(&prepared.plan_fd);
	return r;
}

int build_run(const struct build *build, const struct build_run *run, int *ret_status,
	      struct error *err)
{
	struct plan plan;
	auto_fd int record_fd = -1,
		    changes_fd = fcntl(run->changes_fd, F_DUPFD_CLOEXEC, PLAN_FD + 8);
	int r = plan_init(&plan, err);
	if (r != 0)
		return r;
	r = changes_fd < 0 ? cannot_start(errno, err) : make_record(run->stage, &record_fd, err);
	plan.root_changes_fd = changes_fd;
	plan.root_image_fd = record_fd;
	if (r == 0)
		r = run_plan(build, run, &plan, ret_status, err);
	plan_fini(&plan);
	return r;
}
