/* SPDX-License-Identifier: Apache-2.0 */
/* What is hidden in a workspace, and that it is found under all of its names. */
#include "support/tap.h"
#include "workspace/redact.c"

static char top_path[] = "/tmp/foso-redact-XXXXXX";
static int top_fd = -1;

static void make_policy(struct policy *policy, const char *const *globs)
{
	struct error err = { 0 };
	EQ(policy_init(policy, &err), 0);
	for (; *globs; globs++)
		EQ(policy_set(policy, "workspace.redact", *globs, &err), 0);
}

static enum redact_class class_of(const struct redact *redact, const char *path, bool is_folder)
{
	return redact_class_of(redact, path, strlen(path), is_folder);
}

static void defaults_hide_secrets(void)
{
	static const char *const none[] = { NULL };
	static const struct {
		const char *path;
		bool is_folder;
		enum redact_class class;
	} rows[] = {
		{ "id_rsa", false, REDACT_HIDE },
		{ "a/ID_RSA", false, REDACT_HIDE },
		{ "id_rsa.pub", false, REDACT_SHOW },
		{ ".env", false, REDACT_HIDE },
		{ "x/.env.production", false, REDACT_HIDE },
		{ ".env.example", false, REDACT_SHOW },
		{ ".env", true, REDACT_SHOW },
		{ ".environment", true, REDACT_SHOW },
		{ "home/.aws", true, REDACT_HIDE },
		{ ".aws", false, REDACT_SHOW },
		{ ".npmrc", false, REDACT_HIDE },
		{ "a/.docker/config.json", false, REDACT_HIDE },
		{ "config.json", false, REDACT_SHOW },
		{ ".git/config", false, REDACT_GIT },
		{ "sub/.git/config", false, REDACT_GIT },
		{ ".git/modules/a/config", false, REDACT_GIT },
		{ "site-packages/certifi/cacert.pem", false, REDACT_SHOW },
		{ "x/Library/Application Support/Firefox", true, REDACT_HIDE },
		{ "main.c", false, REDACT_SHOW },
	};
	struct policy policy;
	static struct redact redact;
	make_policy(&policy, none);
	redact_init(&redact, &policy);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (class_of(&redact, rows[i].path, rows[i].is_folder) != rows[i].class)
			FAIL("%s: %d", rows[i].path,
			     class_of(&redact, rows[i].path, rows[i].is_folder));
	}
	policy.workspace.secrets = POLICY_SECRETS_SHOW;
	redact_init(&redact, &policy);
	EQ(class_of(&redact, "id_rsa", false), REDACT_SHOW);
	policy_fini(&policy);
}

static void a_policy_adds_and_takes_away(void)
{
	static const char *const globs[] = { "!.env.test", "*.secret", "config/prod.yml",
					     "private/", NULL };
	struct policy policy;
	static struct redact redact;
	make_policy(&policy, globs);
	redact_init(&redact, &policy);
	EQ(class_of(&redact, "a/b.secret", false), REDACT_HIDE);
	EQ(class_of(&redact, "b.secret", true), REDACT_HIDE);
	EQ(class_of(&redact, ".env.test", false), REDACT_SHOW);
	EQ(class_of(&redact, ".env", false), REDACT_HIDE);
	EQ(class_of(&redact, "config/prod.yml", false), REDACT_HIDE);
	EQ(class_of(&redact, "x/config/prod.yml", false), REDACT_SHOW);
	EQ(class_of(&redact, "x/private", true), REDACT_HIDE);
	EQ(class_of(&redact, "x/private", false), REDACT_SHOW);
	policy_fini(&policy);
}

static void make_file(const char *path)
{
	int fd = openat(top_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	OK(fd >= 0 && write(fd, "x", 1) == 1);
	close(fd);
}

static bool found_has(const struct redact_found *found, const char *path)
{
	struct redact_entry entry;
	for (size_t at = 0; redact_next(found, &at, &entry) == 1;) {
		if (entry.len == strlen(path) && memcmp(entry.path, path, entry.len) == 0)
			return true;
	}
	return false;
}

static void every_name_is_found(void)
{
	static const char *const none[] = { NULL };
	struct error err = { 0 };
	struct policy policy;
	static struct redact redact;
	struct redact_found found;
	OK(mkdtemp(top_path));
	top_fd = open(top_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	EQ(mkdirat(top_fd, "a\nb", 0755), 0);
	EQ(mkdirat(top_fd, "plain", 0755), 0);
	EQ(mkdirat(top_fd, ".aws", 0755), 0);
	make_file(".aws/credentials");
	make_file("a\nb/.env\xff");
	make_file("plain/ENV");
	make_file("plain/behind");
	make_file("plain/shown");
	EQ(linkat(top_fd, "a\nb/.env\xff", top_fd, "plain/other", 0), 0);
	EQ(symlinkat("plain/behind", top_fd, ".npmrc"), 0);
	EQ(symlinkat("/etc/hostname", top_fd, ".netrc"), 0);
	EQ(symlinkat(".", top_fd, "loop"), 0);
	make_policy(&policy, none);
	redact_init(&redact, &policy);
	EQ(redact_walk(top_fd, &redact, true, &found, &err), 0);
	OK(found_has(&found, "a\nb/.env\xff"));
	OK(found_has(&found, "plain/other"));
	OK(found_has(&found, ".npmrc"));
	OK(found_has(&found, "plain/behind"));
	OK(found_has(&found, ".netrc"));
	OK(found_has(&found, ".aws"));
	EQ(found.n_hidden, 6);
	struct stat status;
	EQ(fstatat(top_fd, "plain/shown", &status, 0), 0);
	OK(redact_inodes_have(found.shown, found.n_shown, status.st_ino));
	OK(!redact_inodes_have(found.hidden, found.n_hidden_inodes, status.st_ino));
	EQ(fstatat(top_fd, "plain/other", &status, 0), 0);
	OK(redact_inodes_have(found.hidden, found.n_hidden_inodes, status.st_ino));
	redact_found_fini(&found);
	policy_fini(&policy);
}

/* What would be hidden in a folder of that name is hidden behind a link of that name. */
static void links_to_folders_are_seen_through(void)
{
	static const char *const globs[] = { "alias/own.txt", NULL };
	static const char *const folders[] = { "dot", "dot/aws", "dot/config",
					       "dot/config/gcloud" };
	static const char *const files[] = { "dot/aws/c", "dot/config/gcloud/c", "dot/own.txt",
					     "dot/aws/own.txt" };
	static const struct {
		const char *target, *name;
	} links[] = { { "aws", "dot/.aws" },
		      { "dot/config", ".config" },
		      { "/workspace/dot", "alias" },
		      { "dot", "harmless" } };
	struct error err = { 0 };
	struct policy policy;
	static struct redact redact;
	struct redact_found found, again;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		EQ(mkdirat(top_fd, folders[i], 0755), 0);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		make_file(files[i]);
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		EQ(symlinkat(links[i].target, top_fd, links[i].name), 0);
	make_policy(&policy, globs);
	redact_init(&redact, &policy);
	EQ(redact_walk(top_fd, &redact, true, &found, &err), 0);
	OK(found_has(&found, "dot/.aws"));
	OK(found_has(&found, "dot/aws"));
	OK(found_has(&found, "dot/config/gcloud"));
	OK(found_has(&found, "dot/own.txt"));
	OK(!found_has(&found, "dot/aws/own.txt"));
	OK(!found_has(&found, ".config"));
	OK(!found_has(&found, "harmless"));
	EQ(found.n_hidden, 6 + 4);
	/* The same is hidden as long as no path and no file becomes another one. */
	EQ(redact_walk(top_fd, &redact, false, &again, &err), 0);
	OK(redact_is_same(&found, &again));
	redact_found_fini(&again);
	EQ(renameat(top_fd, "dot/config/gcloud", top_fd, "dot/config/other"), 0);
	EQ(redact_walk(top_fd, &redact, false, &again, &err), 0);
	OK(!redact_is_same(&found, &again));
	redact_found_fini(&again);
	EQ(renameat(top_fd, "dot/config/other", top_fd, "dot/config/gcloud"), 0);
	for (size_t i = 0; i < ARRAY_LEN(links); i++)
		EQ(unlinkat(top_fd, links[i].name, 0), 0);
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		EQ(unlinkat(top_fd, files[i], 0), 0);
	for (size_t i = ARRAY_LEN(folders); i-- > 0;)
		EQ(unlinkat(top_fd, folders[i], AT_REMOVEDIR), 0);
	redact_found_fini(&found);
	policy_fini(&policy);
}

/* A tree that cannot be searched to its end is not shown at all. */
static void what_cannot_be_searched_is_refused(void)
{
	static const char *const none[] = { NULL };
	struct error err = { 0 };
	struct policy policy;
	static struct redact redact;
	struct redact_found found;
	if (geteuid() == 0)
		SKIP("root can read every folder");
	EQ(fchmodat(top_fd, "plain", 0, 0), 0);
	make_policy(&policy, none);
	redact_init(&redact, &policy);
	ERR(redact_walk(top_fd, &redact, false, &found, &err), &err, ERR_SYSTEM,
	    "workspace.redact");
	EQ(fchmodat(top_fd, "plain", 0755, 0), 0);
	policy_fini(&policy);
}

static void clean_up(void)
{
	static const char *const names[] = { ".aws/credentials", "a\nb/.env\xff", "plain/ENV",
					     "plain/behind",     "plain/shown",   "plain/other",
					     ".npmrc",           ".netrc",        "loop" };
	static const char *const folders[] = { ".aws", "a\nb", "plain" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		(void)unlinkat(top_fd, names[i], 0);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		(void)unlinkat(top_fd, folders[i], AT_REMOVEDIR);
	OK(rmdir(top_path) == 0);
}

int main(void)
{
	RUN(defaults_hide_secrets);
	RUN(a_policy_adds_and_takes_away);
	RUN(every_name_is_found);
	RUN(links_to_folders_are_seen_through);
	RUN(what_cannot_be_searched_is_refused);
	RUN(clean_up);
	return tap_done();
}
