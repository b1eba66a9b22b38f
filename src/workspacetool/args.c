/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - the options of foso-workspace */
#include "workspacetool/args.h"

#include "workspacetool/commands.h"
#include "workspacetool/glob.h"
#include "workspacetool/options.h"

enum option_id {
	OPTION_STAT = OPTION_HELP + 1,
	OPTION_PATCH,
	OPTION_JSON,
	OPTION_LIST,
	OPTION_EXEC_PATHS,
	OPTION_ONLY,
	OPTION_EXCEPT,
	OPTION_ALLOW_EXEC_PATHS,
	OPTION_OVERWRITE,
	OPTION_RESUME,
	OPTION_ROLLBACK,
	OPTION_NUMBER,
};

static const struct option_row diff_rows[] = { WORKSPACE_DIFF_OPTIONS(OPTION_ROW) };
static const struct option_row commit_rows[] = { WORKSPACE_COMMIT_OPTIONS(OPTION_ROW) };
static const struct option_row fork_rows[] = { WORKSPACE_FORK_OPTIONS(OPTION_ROW) };

static const struct verb verbs[] = {
	{ "foso diff", "[OPTION]... [ID]",
	  "Show what a sandbox changed in its workspace.\n\n"
	  "ID is that of a run with --workspace PATH:overlay; without it, the last one on this\n"
	  "folder or on one that it lies in.  What is shown is what foso commit applies.",
	  OPTION_TABLE_OF(diff_rows), 0, 1, command_diff },
	{ "foso commit", "[OPTION]... [ID]",
	  "Apply what foso diff showed to the host's folder.\n\n"
	  "Nothing is applied if either side was changed since.  What executes on the host stays\n"
	  "out, unless --allow-exec-paths is given.",
	  OPTION_TABLE_OF(commit_rows), 0, 1, command_commit },
	{ "foso discard",
	  "[ID]",
	  "Remove what a sandbox changed; the host's folder stays as it is.",
	  { NULL, 0 },
	  0,
	  1,
	  command_discard },
	{ "foso fork", "[OPTION]... ID",
	  "Copy the changes of a stopped sandbox, to go on in several ways.",
	  OPTION_TABLE_OF(fork_rows), 1, 1, command_fork },
};

const struct verbs workspace_verbs = { "foso", verbs, ARRAY_LEN(verbs) };

static int add_glob(const char **globs, size_t *n_globs, const struct option *option,
		    struct error *err)
{
	const char *subject = option->spelling, *value = option->value;
	int r = 0;
	if (*n_globs == ARGS_MAX_GLOBS) {
		r = error_set(err, ERR_LIMIT, 0, subject, "is given more than %d times",
			      ARGS_MAX_GLOBS);
		return error_remedy(err, r, "name a folder instead of its files");
	}
	if (!glob_is_valid(value)) {
		r = error_set(err, ERR_INVALID, 0, subject, "'%s' is no pattern", value);
		return error_remedy(err, r, "write a path with * ? [a-z] or **, as src/**");
	}
	globs[(*n_globs)++] = value;
	return 0;
}

static int set(void *into, const struct option *option, struct error *err)
{
	struct args *args = into;
	switch (option->row->id) {
	case OPTION_STAT:
		args->is_stat = true;
		return 0;
	case OPTION_PATCH:
		args->is_patch = true;
		return 0;
	case OPTION_JSON:
		args->is_json = true;
		return 0;
	case OPTION_LIST:
		args->is_list = true;
		return 0;
	case OPTION_EXEC_PATHS:
		args->is_exec_paths = true;
		return 0;
	case OPTION_ALLOW_EXEC_PATHS:
		args->allows_exec_paths = true;
		return 0;
	case OPTION_OVERWRITE:
		args->is_overwrite = true;
		return 0;
	case OPTION_RESUME:
		args->is_resume = true;
		return 0;
	case OPTION_ROLLBACK:
		args->is_rollback = true;
		return 0;
	case OPTION_ONLY:
		return add_glob(args->only, &args->n_only, option, err);
	case OPTION_EXCEPT:
		return add_glob(args->except, &args->n_except, option, err);
	default:
		return option_once(&args->number, option, err);
	}
}

static int check_whole(const struct args *args, const struct verb *verb, struct error *err)
{
	int r = 0;
	if (args->is_json + args->is_patch + args->is_stat > 1) {
		r = error_set(err, ERR_INVALID, 0, verb->name,
			      "--json, --patch and --stat exclude each other");
		return error_remedy(err, r, "give one of them");
	}
	if (args->is_resume && args->is_rollback) {
		r = error_set(err, ERR_INVALID, 0, verb->name,
			      "--resume and --rollback exclude each other");
		return error_remedy(err, r, "give one of them");
	}
	return 0;
}

int args_parse(struct args *ret, const struct verb *verb, char **words, struct error *err)
{
	char *const *operands = NULL;
	*ret = (struct args){ 0 };
	int r = verb_parse(verb, words, set, ret, &operands, err);
	if (r != 0)
		return r;
	ret->id = operands[0];
	return check_whole(ret, verb, err);
}
