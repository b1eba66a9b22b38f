/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - foso run: a command line becomes a plan, and foso becomes the sandbox's monitor
 *
 * The policy's defaults come first, then the file of --policy, then the options in their order.
 * What is wrong with the policy is told before anything is created.  On the way with options
 * alone nothing is opened, started or printed before monitor_run().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/conceal.h"
#include "cli/keep.h"
#include "cli/policy_file.h"
#include "monitor/monitor.h"
#include "wire/plan.h"

struct run {
	struct plan plan;
	const char *policy_file; /* NULL if none; borrowed from the command line */
	const char *result_file; /* likewise */
};

/* An outcome: what is wrong has been printed. */
#define RUN_REFUSED 1

/* "NAME=VALUE": copies the name behind @prefix and returns the value; NULL if there is no "=". */
static const char *split_assignment(const char *text, const char *prefix, char *name, size_t size)
{
	const char *equals = strchr(text, '=');
	if (!equals)
		return NULL;
	(void)snprintf(name, size, "%s%.*s", prefix, (int)MIN(equals - text, 128), text);
	return equals + 1;
}

/* --limit NAME=VALUE, --set FIELD=VALUE */
static int set_below(struct policy *policy, const struct option *option, struct error *err)
{
	char name[160];
	const char *value = split_assignment(option->value, option->row->field, name, sizeof(name));
	if (!value) {
		int r = error_set(err, ERR_INVALID, 0, option->spelling, "'%s' has no value",
				  option->value);
		return error_remedy(err, r, "write %s %.60s=VALUE", option->spelling,
				    option->value);
	}
	int r = policy_set(policy, name, value, err);
	return r < 0 ? error_under(err, r, option->spelling) : r;
}

/* Gives a field its value; an error is told under the option, which is what the user wrote. */
static int set_field(struct policy *policy, const struct option *option, const char *value,
		     struct error *err)
{
	int r = policy_set(policy, option->row->field, value, err);
	if (r < 0)
		(void)snprintf(err->subject, sizeof(err->subject), "%s", option->spelling);
	return r;
}

/* --env NAME=VALUE, or --env NAME for the value that foso itself has */
static int set_env(struct policy *policy, const struct option *option, struct error *err)
{
	if (strchr(option->value, '='))
		return set_field(policy, option, option->value, err);
	const char *value = getenv(option->value); /* NOLINT(concurrency-mt-unsafe) */
	if (!value) {
		int r = error_set(err, ERR_INVALID, 0, option->spelling,
				  "'%s' is not set in foso's own environment", option->value);
		return error_remedy(err, r, "write %s %.60s=VALUE", option->spelling,
				    option->value);
	}
	size_t size = strlen(option->value) + strlen(value) + 2;
	auto_free char *text = malloc(size);
	if (!text) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, option->spelling, "cannot be kept");
		return error_remedy(err, r, "free some memory");
	}
	(void)snprintf(text, size, "%s=%s", option->value, value);
	return set_field(policy, option, text, err);
}

static int set_tty(struct plan *plan, const struct option *option, struct error *err)
{
	if (!isatty(STDIN_FILENO)) {
		int r = error_set(err, ERR_INVALID, 0, option->spelling, "stdin is not a terminal");
		return error_remedy(err, r, "start foso from a terminal, or leave %s out",
				    option->spelling);
	}
	plan->is_tty = true;
	return 0;
}

static int apply_option(struct run *run, const struct option *option, struct error *err)
{
	switch (option->row->id) {
	case OPTION_TTY:
		return set_tty(&run->plan, option, err);
	case OPTION_QUIET:
		run->plan.is_quiet = true;
		return 0;
	case OPTION_RESULT:
		run->result_file = option->value;
		return 0;
	case OPTION_ENV:
		return set_env(&run->plan.policy, option, err);
	case OPTION_LIMIT:
	case OPTION_SET:
		return set_below(&run->plan.policy, option, err);
	default:
		if (!option->row->field[0])
			return 0;
		return set_field(&run->plan.policy, option, option->value, err);
	}
}

static int apply_options(struct run *run, struct options *options, struct error *err)
{
	struct option option;
	int r;
	while ((r = options_next(options, &option, err)) == 0) {
		r = apply_option(run, &option, err);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

/* The file of --policy; it is read first wherever the option stands. */
static int find_policy_file(struct run *run, struct options options, struct error *err)
{
	struct option option;
	int r;
	while ((r = options_next(&options, &option, err)) == 0) {
		if (option.row->id != OPTION_POLICY)
			continue;
		if (run->policy_file) {
			r = error_set(err, ERR_INVALID, 0, option.spelling,
				      "'%s' would be a second policy", option.value);
			return error_remedy(err, r, "give one file; other options override it");
		}
		run->policy_file = option.value;
	}
	return r < 0 ? r : 0;
}

/* foso run --runtime NAME [ARGUMENT]...: the words are those behind the runtime's name. */
static int set_runtime(struct policy *policy, struct error *err)
{
	int r = 0;
	if (policy->args.n_items == 0)
		r = policy_set(policy, "args", policy_runtimes[policy->runtime].name, err);
	if (r == 0 && policy->root == POLICY_ROOT_HOST)
		r = policy_set(policy, "root", "none", err);
	return r;
}

/*
 * foso run --level wasm MODULE [ARGUMENT]...: the first word names the module, unless the policy
 * does, and there is no root file system.  The module's name is its argv[0].
 */
static int set_module(struct policy *policy, char **words, struct error *err)
{
	int r = 0;
	if (!policy->module[0] && words[0])
		r = policy_set(policy, "module", words[0], err);
	if (r == 0 && policy->root == POLICY_ROOT_HOST)
		r = policy_set(policy, "root", "none", err);
	if (r == 0 && policy->module[0] && policy->args.n_items == 0)
		r = policy_set(policy, "args", policy->module, err);
	return r;
}

/* A command on the command line replaces that of the policy as a whole. */
static int set_command(struct policy *policy, char **words, struct error *err)
{
	char **first = words;
	if (words[0]) {
		for (size_t i = 0; i < policy->args.n_items; i++)
			free(policy->args.items[i]);
		free(policy->args.items);
		policy->args = (struct policy_list){ .items = NULL };
	}
	if (words[0] && policy->runtime != POLICY_RUNTIME_NONE) {
		int r = policy_set(policy, "args", policy_runtimes[policy->runtime].name, err);
		if (r < 0)
			return r;
	}
	for (; *words; words++) {
		int r = policy_set(policy, "args", *words, err);
		if (r < 0)
			return r;
	}
	if (policy->runtime != POLICY_RUNTIME_NONE)
		return set_runtime(policy, err);
	if (policy->level == POLICY_LEVEL_WASM ||
	    (policy->level == POLICY_LEVEL_AUTO && policy->module[0]))
		return set_module(policy, first, err);
	bool has_default = policy->module[0] || policy->root == POLICY_ROOT_IMAGE;
	if (policy->args.n_items == 0 && !has_default) {
		int r = error_set(err, ERR_INVALID, 0, "run", "no command was given");
		return error_remedy(err, r, "write foso run [OPTION]... -- COMMAND [ARGUMENT]...");
	}
	return 0;
}

/*
 * The strongest level that this build has and whose table honours the policy; whether the host
 * can do it is the monitor's to find out.
 */
static int choose_level(struct plan *plan, struct error *err)
{
	static const char *const why[] = { "the strongest level of this build",
					   "the only level that runs a module" };
	bool is_module = plan->policy.module[0] || plan->policy.runtime != POLICY_RUNTIME_NONE;
	enum policy_level level = plan->policy.level;
	if (level == POLICY_LEVEL_PROCESS || level == POLICY_LEVEL_WASM)
		return 0;
	if (level != POLICY_LEVEL_AUTO) {
		int r = error_set(err, ERR_UNSUPPORTED, 0, "level",
				  "'%s' is not part of this version of foso",
				  policy_level_name(level));
		return error_remedy(err, r, "write process, wasm or auto");
	}
	char *copy = strdup(why[is_module]);
	if (!copy) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "level", "no memory");
		return error_remedy(err, r, "free some memory");
	}
	free(plan->level_why);
	plan->level_why = copy;
	plan->policy.level = is_module ? POLICY_LEVEL_WASM : POLICY_LEVEL_PROCESS;
	return 0;
}

/* Returns 0, or RUN_REFUSED after printing everything that is wrong. */
static int check_policy(const struct policy *policy)
{
	/* Not on the stack: stack-clash protection touches each page of a frame. */
	static struct error_list errors;
	if (policy_check(policy, policy->level, &errors) == 0)
		return 0;
	for (size_t i = 0; i < errors.n_errors; i++)
		error_print(stderr, &errors.items[i]);
	if (errors.n_lost > 0)
		(void)fprintf(stderr, "foso: and %zu more\n", errors.n_lost);
	return RUN_REFUSED;
}

static int refuse_result(const char *path, int errnum, struct error *err)
{
	if (errnum == ELOOP) {
		int r = error_set(err, ERR_DENIED, 0, "--result", "'%s' is a symbolic link", path);
		return error_remedy(err, r, "name the file that it points to");
	}
	if (errnum == ENXIO) {
		int r = error_set(err, ERR_UNAVAILABLE, 0, "--result", "nobody reads '%s'", path);
		return error_remedy(err, r, "start its reader first");
	}
	int r = error_set(err, ERR_SYSTEM, errnum, "--result", "'%s' cannot be written", path);
	return error_remedy(err, r, "name a file in a folder that you may write to");
}

/*
 * Made last, so that a refusal leaves no empty file behind.  The folder may be one that an earlier
 * sandbox wrote to: its link would have us empty another file, and its FIFO wait for ever.
 */
static int open_result(struct run *run, struct error *err)
{
	const char *path = run->result_file;
	if (!path)
		return 0;
	/* /dev/stdout and its like are links. */
	bool is_special = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC | O_NONBLOCK;
	auto_fd int fd = open(path, flags | (is_special ? 0 : O_NOFOLLOW), 0666);
	if (fd < 0 || fcntl(fd, F_SETFL, 0) < 0)
		return refuse_result(path, errno, err);
	/* PLAN_FD is overwritten on the way to the monitor. */
	run->plan.result_fd = fcntl(fd, F_DUPFD_CLOEXEC, PLAN_FD + 1);
	return run->plan.result_fd < 0 ? refuse_result(path, errno, err) : 0;
}

static int prepare(struct run *run, struct cli *cli, struct error *err)
{
	int r = find_policy_file(run, cli->options, err);
	if (r == 0 && run->policy_file)
		r = policy_file_read(run->policy_file, &run->plan.policy, err);
	if (r == 0)
		r = apply_options(run, &cli->options, err);
	if (r == 0)
		r = set_command(&run->plan.policy, cli->options.words + cli->options.at, err);
	if (r == 0)
		r = choose_level(&run->plan, err);
	if (r == 0)
		r = check_policy(&run->plan.policy);
	if (r == 0)
		r = open_result(run, err);
	return r;
}

/* Modes are what is written in the code, whoever calls: some masks take our own rights. */
static int become_monitor(struct plan *plan, char **argv)
{
	conceal_command_line(argv, "foso-monitor");
	(void)umask(022);
	return monitor_run(plan);
}

int command_run(struct cli *cli, int *ret_status, struct error *err)
{
	struct run run = { .policy_file = NULL };
	int r = plan_init(&run.plan, err);
	if (r < 0)
		return r;
	run.plan.is_debug = cli->is_debug;
	r = prepare(&run, cli, err);
	if (r == 0 && run.plan.policy.background == POLICY_BACKGROUND_KEEP) {
		conceal_command_line(cli->argv, "foso");
		r = keep_launch(&run.plan, ret_status, err);
	} else if (r == 0) {
		*ret_status = become_monitor(&run.plan, cli->argv);
	}
	if (r > 0) {
		*ret_status = error_code_exit_status(ERR_INVALID);
		r = 0;
	}
	fd_close(&run.plan.result_fd);
	plan_fini(&run.plan);
	return r;
}
