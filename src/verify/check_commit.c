/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_commit.c - what comes out of a workspace
 *
 * Each check begins with a fresh folder: "plain", a file, and "sub", an empty folder.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/act/act.h"
#include "verify/check.h"

#define PLAIN "as it was\n"

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	UNUSED(status);
	UNUSED(type);
	UNUSED(place);
	(void)remove(path);
	return 0;
}

static void path_in(const struct verify *verify, const char *name, char path[512])
{
	(void)snprintf(path, 512, "%s/%s", verify->world.tree, name);
}

static void remove_all(const char *path)
{
	(void)nftw(path, remove_one, 16, /* NOLINT(concurrency-mt-unsafe) */
		   FTW_DEPTH | FTW_PHYS);
}

/* False if the folder cannot be made, which then shows as a workspace that is not there. */
static bool make_project(const struct verify *verify)
{
	char path[512];
	remove_all(verify->world.tree);
	path_in(verify, "sub", path);
	if (mkdir(verify->world.tree, 0755) < 0 || mkdir(path, 0755) < 0)
		return false;
	path_in(verify, "plain", path);
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd >= 0 && write(fd, PLAIN, sizeof(PLAIN) - 1) == (ssize_t)sizeof(PLAIN) - 1;
}

static bool is_there(const struct verify *verify, const char *name, mode_t *ret_mode)
{
	char path[512];
	struct stat status;
	path_in(verify, name, path);
	*ret_mode = 0;
	if (lstat(path, &status) < 0)
		return false;
	*ret_mode = status.st_mode;
	return true;
}

static bool is_as_it_was(const struct verify *verify)
{
	char path[512], bytes[64];
	mode_t mode;
	path_in(verify, "plain", path);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	return n == (ssize_t)sizeof(PLAIN) - 1 && memcmp(bytes, PLAIN, (size_t)n) == 0 &&
	       !is_there(verify, "made", &mode) && !is_there(verify, ".git", &mode);
}

/* foso commit of what the sandbox left; its output goes to @run, which the caller ends. */
static bool commit(struct verify *verify, const struct sandbox_run *sandbox, bool allows,
		   struct run *run, struct finding *finding)
{
	struct words words = { 0 };
	struct error err = { 0 };
	int r = words_add_whole(&words, verify->foso, &err);
	if (r == 0)
		r = words_add(&words, verify, allows ? "commit --allow-exec-paths" : "commit",
			      &err);
	if (r == 0)
		r = words_add_whole(&words, sandbox->id, &err);
	if (r == 0)
		r = run_whole(run, verify, words.items, false, &err);
	words_fini(&words);
	if (r < 0)
		check_failed(finding, &err);
	return r == 0;
}

/* The sandbox's part; false if *finding has its verdict. */
static bool begin(struct verify *verify, const struct row *row, struct sandbox_run *sandbox,
		  struct finding *finding)
{
	char line[300];
	(void)snprintf(finding->expected, sizeof(finding->expected), "%s", row->expected);
	if (!make_project(verify)) {
		*sandbox = (struct sandbox_run){ .run = RUN_INIT };
		finding_skip(finding, "a folder for the workspace cannot be made");
		return false;
	}
	if (!check_begin(verify, row, sandbox, finding))
		return false;
	run_line(&sandbox->run.out, line, sizeof(line));
	if (sandbox->run.status == ACT_DONE)
		return true;
	finding_skip(finding, "nothing could be written inside: %s", line);
	return false;
}

/* The change set goes with the row, and the folder: the control begins with a fresh one. */
static void end(struct verify *verify, struct sandbox_run *sandbox, struct run *run)
{
	struct words words = { 0 };
	struct error err = { 0 };
	struct run discard = RUN_INIT;
	if (sandbox->id[0] && words_add_whole(&words, verify->foso, &err) == 0 &&
	    words_add_whole(&words, "discard", &err) == 0 &&
	    words_add_whole(&words, sandbox->id, &err) == 0)
		(void)!run_whole(&discard, verify, words.items, false, &err);
	words_fini(&words);
	run_fini(&discard);
	run_fini(run);
	sandbox_fini(sandbox);
	remove_all(verify->world.tree);
}

void check_commit_waits(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct run run = RUN_INIT;
	if (begin(verify, row, &sandbox, finding)) {
		bool is_held = is_as_it_was(verify);
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN, "the folder is %s",
			    is_held ? "as it was" : "changed");
		if (is_held && make_project(verify) && check_control(verify, row, finding) &&
		    is_as_it_was(verify))
			finding_skip(finding, "a writable workspace is not changed either");
	}
	end(verify, &sandbox, &run);
}

void check_commit_hook(struct verify *verify, const struct row *row, struct finding *finding)
{
	static const char hook[] = ".git/hooks/post-checkout";
	struct sandbox_run sandbox;
	struct run run = RUN_INIT;
	mode_t mode;
	if (begin(verify, row, &sandbox, finding) &&
	    commit(verify, &sandbox, false, &run, finding)) {
		bool is_named = memmem(run.out.data, run.out.len, hook, sizeof(hook) - 1) != NULL;
		bool is_held = run.status == 0 && is_named && !is_there(verify, hook, &mode);
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN,
			    "foso commit exits with %d, the hook is %s", run.status,
			    is_held ? "named and not made" : "made, or not named");
		if (is_held && check_control(verify, row, finding) &&
		    !is_there(verify, hook, &mode))
			finding_skip(finding, "a writable workspace does not get it either");
	}
	end(verify, &sandbox, &run);
}

void check_commit_setuid(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct run run = RUN_INIT;
	mode_t mode;
	char path[512];
	if (begin(verify, row, &sandbox, finding) &&
	    commit(verify, &sandbox, true, &run, finding)) {
		bool is_made = is_there(verify, "made", &mode);
		bool is_held = run.status == 0 && is_made && (mode & 06000) == 0;
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN,
			    "foso commit exits with %d, the file has mode %04o", run.status,
			    (unsigned)mode & 07777);
		path_in(verify, "made", path);
		(void)unlink(path);
		if (is_held && check_control(verify, row, finding) &&
		    (!is_there(verify, "made", &mode) || (mode & 06000) == 0))
			finding_skip(finding, "a writable workspace does not get one either");
	}
	end(verify, &sandbox, &run);
}

/* The folder is exchanged for a link to elsewhere between the run and the commit. */
static bool swap(const struct verify *verify, char elsewhere[512])
{
	char sub[512], real[512];
	path_in(verify, "sub", sub);
	path_in(verify, "real", real);
	(void)snprintf(elsewhere, 512, "%s/elsewhere", verify->world.folder);
	return rename(sub, real) == 0 &&
	       (mkdir(elsewhere, 0755) == 0 || access(elsewhere, F_OK) == 0) &&
	       symlink(elsewhere, sub) == 0;
}

static bool is_made_in(const char *folder)
{
	char path[600];
	struct stat status;
	(void)snprintf(path, sizeof(path), "%s/made", folder);
	bool is_made = lstat(path, &status) == 0;
	(void)unlink(path);
	return is_made;
}

void check_commit_link(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	struct run run = RUN_INIT;
	char elsewhere[512] = "";
	if (begin(verify, row, &sandbox, finding) && swap(verify, elsewhere) &&
	    commit(verify, &sandbox, true, &run, finding)) {
		bool is_held = !is_made_in(elsewhere) && run.status != 0;
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN,
			    "foso commit exits with %d, elsewhere %s", run.status,
			    is_held ? "nothing is made" : "something is made");
		if (is_held && check_control(verify, row, finding) && !is_made_in(elsewhere))
			finding_skip(finding, "open(2) does not follow the link either");
	}
	end(verify, &sandbox, &run);
	(void)rmdir(elsewhere);
}
