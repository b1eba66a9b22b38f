/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bootstrap.c - foso image bootstrap: an image from a distribution's packages, by mmdebstrap
 *
 * mmdebstrap (mode unshare) downloads, verifies and unpacks in a user namespace of its own: what
 * packages run as root there is no root outside.  It writes a tar, which foso-image imports as it
 * would a stranger's.  Mirrors come from --mirror, or from the machine's own apt sources, as
 * apt-get(8) lists them: foso knows no address of any.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "buildtool/upper.h"
#include "buildtool/verbs.h"
#include "confine/confine.h"
#include "image/image.h"
#include "image/write/staging.h"

#define MMDEBSTRAP    "/usr/bin/mmdebstrap"
#define MAX_WORDS     128
#define MAX_LIST      (1024u * 1024)
#define MAX_COMPONENT 64

struct bootstrap {
	const char *name, *suite, *variant, *mirror, *cache, *from;
	bool has_docs;
	struct buf packages; /* with commas */
	struct buf sources;  /* lines of sources.list */
	struct buf options;  /* strings of further arguments, each with its NUL */
	struct buf proxies;  /* lines of apt.conf */
	struct image_store store;
	struct staging staging;
	char tar[IMAGE_STORE_PATH_BYTES + 128];
	char suite_storage[64];
};

static int refuse(const char *subject, const char *value, const char *what, struct error *err)
{
	int r = error_set(err, ERR_INVALID, 0, subject, "'%.80s' %s", value, what);
	return error_remedy(err, r, "see foso image bootstrap --help");
}

/* ---- what other programs say ---- */

/* The stdout of @words; they are the machine's own configuration, and trusted as it is. */
static int read_output(const char *const *words, struct buf *ret, struct error *err)
{
	int fds[2], status = 0;
	char part[4096];
	ssize_t n;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return refuse(words[0], "", "cannot be started", err);
	pid_t pid = fork();
	if (pid == 0) {
		confine_signals();
		if (dup2(fds[1], STDOUT_FILENO) >= 0)
			(void)execv(words[0], (char *const *)(uintptr_t)words);
		_exit(127);
	}
	close(fds[1]);
	while (pid > 0 && (n = read(fds[0], part, sizeof(part))) > 0)
		buf_append(ret, part, (size_t)n);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && buf_is_whole(ret))
		return 0;
	int r = error_set(err, ERR_UNAVAILABLE, 0, words[0], "does not say what is configured");
	return error_remedy(err, r, "name a mirror with --mirror URL");
}

/* "bookworm|main|URI", one index a line: those of the suite, its updates and its security. */
static void add_source(struct bootstrap *bootstrap, char *line)
{
	static const char *const components[] = { "main", "contrib", "non-free",
						  "non-free-firmware" };
	const char *release = strsep(&line, "|"), *component = strsep(&line, "|");
	const char *uri = line;
	size_t len = strlen(bootstrap->suite);
	bool is_wanted = false;
	if (!component || !uri || strncmp(release, bootstrap->suite, len) != 0 ||
	    (release[len] && strcmp(release + len, "-updates") != 0 &&
	     strcmp(release + len, "-security") != 0))
		return;
	for (size_t i = 0; i < ARRAY_LEN(components); i++)
		is_wanted = is_wanted || strcmp(component, components[i]) == 0;
	if (is_wanted)
		buf_printf(&bootstrap->sources, "deb %s %s %s\n", uri, release, component);
}

static int read_sources(struct bootstrap *bootstrap, struct error *err)
{
	static const char *const words[] = { "/usr/bin/apt-get",
					     "indextargets",
					     "--format",
					     "$(RELEASE)|$(COMPONENT)|$(REPO_URI)",
					     "Created-By: Packages",
					     NULL };
	auto_buf struct buf answer = BUF_INIT(MAX_LIST);
	if (bootstrap->mirror)
		return 0;
	int r = read_output(words, &answer, err);
	if (r != 0)
		return r;
	for (char *rest = answer.data; rest && *rest;)
		add_source(bootstrap, strsep(&rest, "\n"));
	if (bootstrap->sources.len > 0 && buf_is_whole(&bootstrap->sources))
		return 0;
	r = error_set(err, ERR_NOT_FOUND, 0, "--suite", "'%s' is in no apt source of this machine",
		      bootstrap->suite);
	return error_remedy(err, r, "name a mirror with --mirror URL");
}

static void add_option(struct bootstrap *bootstrap, const char *before, const char *value,
		       const char *after)
{
	buf_append_string(&bootstrap->options, before);
	buf_append_string(&bootstrap->options, value);
	buf_append_string(&bootstrap->options, after);
	buf_append_char(&bootstrap->options, '\0');
}

/* How this machine's apt reaches its mirrors counts in the new root as well. */
static int read_proxies(struct bootstrap *bootstrap, struct error *err)
{
	static const char *const words[] = { "/usr/bin/apt-config", "dump",    "--format",
					     "%F \"%v\";%n",        "Acquire", NULL };
	static const char *const kept[] = { "Acquire::http::Proxy ", "Acquire::https::Proxy ",
					    "Acquire::http::Timeout ", "Acquire::Retries " };
	auto_buf struct buf answer = BUF_INIT(MAX_LIST);
	int r = read_output(words, &answer, err);
	if (r != 0)
		return r;
	for (char *rest = answer.data; rest && *rest;) {
		const char *line = strsep(&rest, "\n");
		for (size_t i = 0; i < ARRAY_LEN(kept); i++)
			if (strncmp(line, kept[i], strlen(kept[i])) == 0) {
				add_option(bootstrap, "--aptopt=", line, "");
				buf_printf(&bootstrap->proxies, "%s\n", line);
			}
	}
	return 0;
}

/* VERSION_CODENAME of this machine. */
static int read_own_suite(struct bootstrap *bootstrap, struct error *err)
{
	char text[4096];
	auto_fd int fd = open("/etc/os-release", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len > 0) {
		text[len] = '\0';
		const char *at = strstr(text, "VERSION_CODENAME=");
		size_t n = at ? strcspn(at + 17, "\n\" ") : 0;
		if (n > 0 && n < sizeof(bootstrap->suite_storage)) {
			memcpy(bootstrap->suite_storage, at + 17, n);
			bootstrap->suite = bootstrap->suite_storage;
			return 0;
		}
	}
	return refuse("--suite", "", "is not given, and /etc/os-release names none", err);
}

/* ---- packages ---- */

static bool is_package_list(const char *text)
{
	return text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789+-.:,=~_ABCDEFGHIJKLMNOPQRSTU"
				 "VWXYZ")] == '\0';
}

static void add_packages(struct bootstrap *bootstrap, const char *text)
{
	if (bootstrap->packages.len > 0)
		buf_append_char(&bootstrap->packages, ',');
	buf_append_string(&bootstrap->packages, text);
}

static int read_packages(struct bootstrap *bootstrap, const char *path, struct error *err)
{
	char part[4096];
	ssize_t n = -1;
	auto_buf struct buf text = BUF_INIT(MAX_LIST);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0)
		buf_append(&text, part, (size_t)n);
	if (n < 0 || !buf_is_whole(&text)) {
		int r = error_set(err, ERR_NOT_FOUND, errno, path, "cannot be read");
		return error_remedy(err, r, "name a file with one package a line");
	}
	for (char *rest = text.data; rest && *rest;) {
		char *line = strsep(&rest, "\n");
		line[strcspn(line, "#\r")] = '\0';
		for (char *word; (word = strsep(&line, " \t,"));) {
			if (word[0] && !is_package_list(word))
				return refuse(path, word, "is no package", err);
			if (word[0])
				add_packages(bootstrap, word);
		}
	}
	return 0;
}

/* ---- running ---- */

static void add_own_options(struct bootstrap *bootstrap)
{
	static const char *const without_docs[] = {
		"--dpkgopt=path-exclude=/usr/share/man/*",
		"--dpkgopt=path-exclude=/usr/share/locale/*",
		"--dpkgopt=path-exclude=/usr/share/doc/*",
		"--dpkgopt=path-include=/usr/share/doc/*/copyright",
	};
	add_option(bootstrap, "--mode=", "unshare", "");
	add_option(bootstrap, "--format=", "tar", "");
	/* A sandbox has its own /dev, and an import takes no device nodes. */
	add_option(bootstrap, "--skip=", "output/dev", "");
	add_option(bootstrap, "--variant=", bootstrap->variant, "");
	/* It is a folder that goes if the power does. */
	add_option(bootstrap, "--dpkgopt=", "force-unsafe-io", "");
	if (bootstrap->packages.len > 0)
		add_option(bootstrap, "--include=", buf_string(&bootstrap->packages), "");
	for (size_t i = 0; i < ARRAY_LEN(without_docs) && !bootstrap->has_docs; i++)
		add_option(bootstrap, without_docs[i], "", "");
	if (!bootstrap->cache)
		return;
	add_option(bootstrap, "--skip=", "essential/unlink", "");
	add_option(bootstrap, "--setup-hook=", "mkdir -p \"$1\"/var/cache/apt/archives/", "");
	add_option(bootstrap, "--setup-hook=sync-in ", bootstrap->cache,
		   " /var/cache/apt/archives");
	add_option(bootstrap, "--customize-hook=sync-out /var/cache/apt/archives ",
		   bootstrap->cache, "");
}

static _Noreturn void become_mmdebstrap(struct bootstrap *bootstrap, int input_fd)
{
	const char *words[MAX_WORDS] = { "mmdebstrap" };
	size_t n = 1;
	const struct buf *options = &bootstrap->options;
	for (size_t at = 0; at < options->len && n + 5 < MAX_WORDS;
	     at += strlen(options->data + at) + 1)
		words[n++] = options->data + at;
	words[n++] = bootstrap->suite;
	words[n++] = bootstrap->tar;
	words[n++] = bootstrap->mirror ? bootstrap->mirror : "-";
	words[n] = NULL;
	confine_signals();
	if (dup2(input_fd, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		(void)execv(MMDEBSTRAP, (char *const *)(uintptr_t)words);
	_exit(127);
}

static int run_mmdebstrap(struct bootstrap *bootstrap, struct error *err)
{
	int fds[2], status = 0;
	if (access(MMDEBSTRAP, X_OK) < 0) {
		int r = error_set(err, ERR_NOT_FOUND, 0, "mmdebstrap", "is not installed");
		return error_remedy(err, r, "install it: apt-get install mmdebstrap");
	}
	if (pipe2(fds, O_CLOEXEC) < 0)
		return refuse("mmdebstrap", "", "cannot be started", err);
	pid_t pid = fork();
	if (pid == 0)
		become_mmdebstrap(bootstrap, fds[0]);
	close(fds[0]);
	/* A list of sources fits into a pipe; nobody waits for anybody. */
	ssize_t n = bootstrap->mirror ? 0
				      : write(fds[1], bootstrap->sources.data,
					      MIN(bootstrap->sources.len, (size_t)32768));
	close(fds[1]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && n >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	int r = error_set(err, ERR_UNAVAILABLE, 0, "mmdebstrap", "ended with status %d",
			  WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return error_remedy(err, r, "see what it said above");
}

/* ---- options ---- */

static int set_text(const char **member, const struct option *option, struct error *err)
{
	if (option->value[0] == '-' || option->value[0] == '\0')
		return refuse(option->spelling, option->value, "is no value of it", err);
	return option_once(member, option, err);
}

static int set_include(struct bootstrap *bootstrap, const char *value, struct error *err)
{
	if (!is_package_list(value))
		return refuse("--include", value, "is no list of packages", err);
	add_packages(bootstrap, value);
	return 0;
}

static int set_image_name(struct bootstrap *bootstrap, const struct option *option,
			  struct error *err)
{
	char full[IMAGE_NAME_BYTES];
	int r = set_text(&bootstrap->name, option, err);
	return r < 0 ? r : image_name_parse(option->value, full, err);
}

static int set_option(void *into, const struct option *option, struct error *err)
{
	struct bootstrap *bootstrap = into;
	switch (option->row->id) {
	case OPTION_DOCS:
		bootstrap->has_docs = true;
		return 0;
	case OPTION_NAME:
		return set_image_name(bootstrap, option, err);
	case OPTION_INCLUDE:
		return set_include(bootstrap, option->value, err);
	case OPTION_PACKAGES:
		return read_packages(bootstrap, option->value, err);
	case OPTION_SUITE:
		return set_text(&bootstrap->suite, option, err);
	case OPTION_VARIANT:
		return set_text(&bootstrap->variant, option, err);
	case OPTION_MIRROR:
		return set_text(&bootstrap->mirror, option, err);
	case OPTION_CACHE:
		return set_text(&bootstrap->cache, option, err);
	default:
		return set_text(&bootstrap->from, option, err);
	}
}

static int read_options(struct bootstrap *bootstrap, const struct args *args, struct error *err)
{
	char *const *operands = NULL;
	int r = verb_parse(args->verb, args->words, set_option, bootstrap, &operands, err);
	if (r == 0 && strcmp(operands[0], "debian") != 0)
		r = refuse("bootstrap", operands[0], "is no distribution that can be bootstrapped",
			   err);
	if (r == 0 && !bootstrap->name)
		r = refuse("--name", "", "names no image", err);
	/* They become part of hooks, which a shell reads. */
	if (r == 0 && bootstrap->cache &&
	    (bootstrap->cache[0] != '/' ||
	     bootstrap->cache[strcspn(bootstrap->cache, " \t\n'\"\\$`;&|<>*?()")] != '\0'))
		r = refuse("--cache", bootstrap->cache, "is no absolute path of plain letters",
			   err);
	if (r == 0 && !bootstrap->suite)
		r = read_own_suite(bootstrap, err);
	return r;
}

/* On top of an image other things are decided already. */
static int check_from(struct bootstrap *bootstrap, struct error *err)
{
	const char *mirror = bootstrap->mirror;
	if (bootstrap->has_docs || bootstrap->variant)
		return refuse(bootstrap->has_docs ? "--docs" : "--variant", "",
			      "is decided by the image of --from", err);
	if (mirror && (strncmp(mirror, "http", 4) != 0 || mirror[strcspn(mirror, " \t\n[]")]))
		return refuse("--mirror", mirror, "is no address of a mirror", err);
	if (mirror)
		buf_printf(&bootstrap->sources, "deb %s %s main\n", mirror, bootstrap->suite);
	return 0;
}

static int make_upper(const struct bootstrap *bootstrap, struct error *err)
{
	const struct upper upper = {
		.store = &bootstrap->store,
		.staging = &bootstrap->staging,
		.from = bootstrap->from,
		.name = bootstrap->name,
		.cache = bootstrap->cache,
		.packages = &bootstrap->packages,
		.sources = &bootstrap->sources,
		.options = &bootstrap->proxies,
	};
	return upper_make(&upper, err);
}

static int make_whole(struct bootstrap *bootstrap, struct error *err)
{
	int r = run_mmdebstrap(bootstrap, err);
	return r == 0 ? import_path(bootstrap->tar, bootstrap->name, err) : r;
}

static int prepare(struct bootstrap *bootstrap, struct error *err)
{
	int r = bootstrap->from ? check_from(bootstrap, err) : 0;
	if (!bootstrap->variant)
		bootstrap->variant = "minbase";
	if (r == 0)
		r = read_sources(bootstrap, err);
	if (r == 0)
		r = read_proxies(bootstrap, err);
	if (r == 0)
		r = image_store_create(&bootstrap->store, NULL, err);
	if (r == 0)
		r = staging_begin(&bootstrap->store, &bootstrap->staging, err);
	if (r != 0)
		return r;
	add_own_options(bootstrap);
	(void)snprintf(bootstrap->tar, sizeof(bootstrap->tar), "%s/%s/root.tar",
		       bootstrap->store.path, bootstrap->staging.name);
	if (buf_is_whole(&bootstrap->options) && buf_is_whole(&bootstrap->packages))
		return 0;
	return refuse("--include", "", "holds too many packages", err);
}

int verb_bootstrap(const struct args *args, struct error *err)
{
	static struct bootstrap bootstrap;
	bootstrap = (struct bootstrap){ .packages = BUF_INIT(MAX_LIST),
					.sources = BUF_INIT(MAX_LIST),
					.options = BUF_INIT(MAX_LIST),
					.proxies = BUF_INIT(MAX_LIST),
					.staging = { .dir_fd = -1 } };
	int r = read_options(&bootstrap, args, err);
	if (r == 0)
		r = prepare(&bootstrap, err);
	if (r == 0)
		r = bootstrap.from ? make_upper(&bootstrap, err) : make_whole(&bootstrap, err);
	staging_end(&bootstrap.staging);
	image_store_fini(&bootstrap.store);
	buf_fini(&bootstrap.packages);
	buf_fini(&bootstrap.sources);
	buf_fini(&bootstrap.options);
	buf_fini(&bootstrap.proxies);
	return r;
}
