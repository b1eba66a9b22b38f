/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upper.c - foso image bootstrap --from: packages as one layer on top of an image
 *
 * Who has the network has no rights, and who installs has no network:
 *
 *   apt-get of this machine, in the jail of jail.h, is told what the image below has installed, and
 *   fetches and verifies what is missing;
 *   a step of a build, on top of the image, sees these packages read-only, and its own apt-get
 *   installs them.
 *
 * What the image says it has installed is a stranger's word; only the apt-get in the jail and the
 * one in the sandbox read it.
 */
#include "buildtool/upper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "buildtool/build.h"
#include "buildtool/jail.h"
#include "buildtool/names.h"
#include "buildtool/verbs.h"

#define APT_GET       "/usr/bin/apt-get"
#define MAX_BYTES     (UINT64_C(20) << 30)
#define DEADLINE_S    3600
#define MAX_STATUS    (64u * 1024 * 1024)
#define MAX_PACKAGES  4096
#define PACKAGES_SEEN "/.foso-packages"

/* Its keys; and what "awk" is here, by which apt-key reads them. */
static const char *const keys[] = { "etc/alternatives", "etc/apt/keyrings", "etc/apt/trusted.gpg.d",
				    NULL };
/* It warns if they are not there. */
static const char *const empty[] = { "etc/apt/apt.conf.d", "etc/apt/preferences.d", NULL };

/* Of apt's own: where everything lies, and that it is alone there. */
static const char configuration[] = "Dir::Etc::SourceList \"/work/sources.list\";\n"
				    "Dir::Etc::SourceParts \"/dev/null\";\n"
				    "Dir::Etc::Parts \"/dev/null\";\n"
				    "Dir::State \"/work/state\";\n"
				    "Dir::State::Status \"/work/status\";\n"
				    "Dir::Cache \"/work/cache\";\n"
				    "Dir::Log \"/work/state\";\n"
				    "Acquire::Languages \"none\";\n"
				    "APT::Install-Recommends \"false\";\n"
				    "APT::Sandbox::User \"root\";\n"
				    "Debug::NoLocking \"true\";\n";

/* The step; what apt and dpkg note down on the way is of no use in an image. */
static const char recipe[] =
	"RUN --mount=type=bind,source=archives,target=" PACKAGES_SEEN " \\\n"
	"    export DEBIAN_FRONTEND=noninteractive LC_ALL=C && \\\n"
	"    apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 \\\n"
	"        -o Dpkg::Options::=--force-unsafe-io -o Dpkg::Options::=--force-confnew \\\n"
	"        -o APT::Sandbox::User=root -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \\\n"
	"        install " PACKAGES_SEEN "/*.deb && \\\n"
	"    rm -rf /var/log/dpkg.log /var/log/alternatives.log /var/log/apt /var/cache/apt/*.bin \\\n"
	"        /var/cache/ldconfig/aux-cache /var/lib/apt/lists/lock /var/cache/debconf/*-old \\\n"
	"        /var/lib/dpkg/*-old /var/cache/apt/archives/lock\n";

static int fail(int errnum, const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "bootstrap", "%s", what);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

/* ---- the folder that apt works in ---- */

static int write_file(int dir_fd, const char *name, const char *text, size_t len, struct error *err)
{
	auto_fd int fd =
		openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	return fd < 0 || fd_write_all(fd, text, len) < 0 || fchmod(fd, 0644) < 0
		       ? fail(errno, "apt's files cannot be written", err)
		       : 0;
}

/* /var/lib/dpkg/status of the uppermost layer that has it. */
static int open_status(const struct upper *upper, const struct image_record *record)
{
	struct open_how how = { .flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	for (uint32_t i = record->n_layers; i-- > 0;) {
		char path[IMAGE_PATH_BYTES + 64], layer[IMAGE_PATH_BYTES];
		struct stat status;
		image_layer_path(record->layers[i].chain, layer);
		(void)snprintf(path, sizeof(path), "%s/fs/var/lib/dpkg/status", layer);
		int fd = sys_openat2(upper->store->dir_fd, path, &how);
		if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
		    status.st_size <= MAX_STATUS)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

static int copy_bytes(int from_fd, int to_fd)
{
	char part[65536];
	ssize_t n;
	while ((n = read(from_fd, part, sizeof(part))) > 0)
		if (fd_write_all(to_fd, part, (size_t)n) < 0)
			return errno;
	return n < 0 ? errno : 0;
}

static int copy_status(const struct upper *upper, int work_fd, struct error *err)
{
	static struct image image;
	int r = image_open(upper->store, upper->from, &image, err);
	if (r != 0)
		return error_under(err, r, "--from");
	auto_fd int from_fd = open_status(upper, &image.record);
	image_fini(&image);
	if (from_fd < 0) {
		r = error_set(err, ERR_NOT_FOUND, 0, "--from",
			      "the image '%.100s' has no /var/lib/dpkg/status", upper->from);
		return error_remedy(err, r,
				    "name one that foso image bootstrap made, or of Debian");
	}
	auto_fd int to_fd = openat(work_fd, "status",
				   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	int errnum = to_fd < 0 ? errno : copy_bytes(from_fd, to_fd);
	return errnum != 0 ? fail(errnum, "the list of packages cannot be copied", err) : 0;
}

static int make_folders(const struct upper *upper, int *ret_fd, struct error *err)
{
	static const char *const folders[] = { "apt",
					       "apt/state",
					       "apt/state/lists",
					       "apt/state/lists/partial",
					       "apt/cache",
					       "apt/cache/archives",
					       "apt/cache/archives/partial" };
	uid_t owner = jail_owner();
	int dir_fd = upper->staging->dir_fd;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		if (mkdirat(dir_fd, folders[i], 0755) < 0 ||
		    fchmodat(dir_fd, folders[i], 0755, 0) < 0 ||
		    (owner != geteuid() &&
		     fchownat(dir_fd, folders[i], owner, (gid_t)owner, AT_SYMLINK_NOFOLLOW) < 0))
			return fail(errno, "no folder can be made for apt", err);
	*ret_fd = openat(dir_fd, "apt", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret_fd < 0 ? fail(errno, "no folder can be made for apt", err) : 0;
}

static int prepare(const struct upper *upper, int *ret_work_fd, struct error *err)
{
	auto_buf struct buf text = BUF_INIT(1024 * 1024);
	int r = make_folders(upper, ret_work_fd, err);
	buf_append_string(&text, configuration);
	buf_append(&text, upper->options->data, upper->options->len);
	if (r == 0)
		r = copy_status(upper, *ret_work_fd, err);
	if (r == 0)
		r = write_file(*ret_work_fd, "apt.conf", buf_string(&text), text.len, err);
	return r == 0 ? write_file(*ret_work_fd, "sources.list", upper->sources->data,
				   upper->sources->len, err)
		      : r;
}

/* ---- apt ---- */

static int apt_get(int work_fd, const char *const *words, const char *output, struct error *err)
{
	const struct jail jail = {
		.program = APT_GET,
		.args = words,
		.folder_fd = work_fd,
		.max_bytes = MAX_BYTES,
		.deadline_s = DEADLINE_S,
		.name = "apt-get",
		.output = output,
		.shown = keys,
		.folders = empty,
	};
	int r = jail_run(&jail, err);
	if (r <= 0)
		return r;
	r = error_set(err, ERR_UNAVAILABLE, 0, "apt-get", "ended with status %d", r);
	return error_remedy(err, r, "see what it said above");
}

/* "apt-get ... install WORDS PACKAGE..." */
static int apt_install(const struct upper *upper, int work_fd, const char *how, const char *output,
		       struct error *err)
{
	size_t n = 0;
	int r;
	char *names = strdup(buf_string(upper->packages));
	const char **words = calloc(MAX_PACKAGES + 8, sizeof(*words));
	if (!names || !words) {
		r = fail(ENOMEM, "the packages cannot be listed", err);
	} else {
		static const char *const first[] = { "apt-get", "-qq", "-y", "-c=/work/apt.conf" };
		for (; n < ARRAY_LEN(first); n++)
			words[n] = first[n];
		words[n++] = how;
		words[n++] = "install";
		words[n++] = "--";
		for (char *rest = names; rest && n < MAX_PACKAGES;)
			words[n++] = strsep(&rest, ",");
		r = apt_get(work_fd, words, output, err);
	}
	free(words);
	free(names);
	return r;
}

/* ---- the cache ---- */

/* @name of one folder into another, if it is a file there and not here. */
static void copy_package(int from_fd, int to_fd, const char *name, uid_t owner)
{
	struct stat status;
	auto_fd int source = openat(from_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (source < 0 || fstat(source, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	auto_fd int target =
		openat(to_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (target < 0)
		return;
	if (copy_bytes(source, target) != 0 || fchmod(target, 0644) < 0 ||
	    (owner != geteuid() && fchown(target, owner, (gid_t)owner) < 0))
		(void)unlinkat(to_fd, name, 0);
}

/* A line of apt's: 'ADDRESS' NAME SIZE HASH; the name, or NULL. */
static const char *package_of(char *line)
{
	char *name = strchr(line, '\'');
	name = name ? strchr(name + 1, '\'') : NULL;
	if (!name || name[1] != ' ')
		return NULL;
	name += 2;
	name[strcspn(name, " \r\n")] = '\0';
	size_t len = strlen(name);
	return len > 4 && strcmp(name + len - 4, ".deb") == 0 && name[0] != '.' &&
			       !strchr(name, '/')
		       ? name
		       : NULL;
}

/* What apt would fetch and the cache has; apt verifies it as it would its own. */
static int take_from_cache(const struct upper *upper, int work_fd, int archives_fd, int cache_fd,
			   struct error *err)
{
	auto_buf struct buf list = BUF_INIT(4u * 1024 * 1024);
	int r = apt_install(upper, work_fd, "--print-uris", "list", err);
	if (r != 0)
		return r;
	auto_fd int fd = openat(work_fd, "list", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char part[16384];
	ssize_t n;
	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0)
		buf_append(&list, part, (size_t)n);
	if (list.len == 0 || !buf_is_whole(&list))
		return 0;
	for (char *rest = list.data; rest && *rest;) {
		const char *name = package_of(strsep(&rest, "\n"));
		if (name)
			copy_package(cache_fd, archives_fd, name, jail_owner());
	}
	return 0;
}

static int give_to_cache(int archives_fd, int cache_fd, struct error *err)
{
	auto_names struct names names = { .items = NULL };
	int r = names_read(&names, archives_fd, MAX_PACKAGES, "apt-get", err);
	for (size_t i = 0; r == 0 && i < names.n_items; i++) {
		size_t len = strlen(names.items[i]);
		if (len > 4 && strcmp(names.items[i] + len - 4, ".deb") == 0)
			copy_package(archives_fd, cache_fd, names.items[i], geteuid());
	}
	return r;
}

static int fetch(const struct upper *upper, int work_fd, struct error *err)
{
	static const char *const update[] = { "apt-get", "-qq", "-c=/work/apt.conf", "update",
					      NULL };
	auto_fd int cache_fd = -1;
	auto_fd int archives_fd =
		openat(work_fd, "cache/archives", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (upper->cache) {
		cache_fd = open(upper->cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (cache_fd < 0) {
			int r = error_set(err, ERR_NOT_FOUND, errno, "--cache",
					  "'%.200s' cannot be opened", upper->cache);
			return error_remedy(err, r, "name a folder that is there");
		}
	}
	int r = archives_fd < 0 ? fail(errno, "apt's folder went", err)
				: apt_get(work_fd, update, NULL, err);
	if (r == 0 && cache_fd >= 0)
		r = take_from_cache(upper, work_fd, archives_fd, cache_fd, err);
	if (r == 0)
		r = apt_install(upper, work_fd, "--download-only", NULL, err);
	return r == 0 && cache_fd >= 0 ? give_to_cache(archives_fd, cache_fd, err) : r;
}

/* ---- the build ---- */

static int check_fetched(const struct upper *upper, int work_fd, struct error *err)
{
	auto_names struct names names = { .items = NULL };
	auto_fd int fd =
		openat(work_fd, "cache/archives", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? fail(errno, "apt's folder went", err)
		       : names_read(&names, fd, MAX_PACKAGES, "apt-get", err);
	for (size_t i = 0; r == 0 && i < names.n_items; i++) {
		size_t len = strlen(names.items[i]);
		if (len > 4 && strcmp(names.items[i] + len - 4, ".deb") == 0)
			return 0;
	}
	if (r != 0)
		return r;
	r = error_set(err, ERR_EXISTS, 0, "--from", "the image '%.100s' has all of these packages",
		      upper->from);
	return error_remedy(err, r, "use it as it is");
}

static int build(const struct upper *upper, int work_fd, struct error *err)
{
	char from[IMAGE_NAME_BYTES], path[2][IMAGE_STORE_PATH_BYTES + 128];
	char text[sizeof(recipe) + IMAGE_NAME_BYTES + 16];
	int r = check_fetched(upper, work_fd, err);
	if (r == 0)
		r = image_name_parse(upper->from, from, err);
	(void)snprintf(text, sizeof(text), "FROM %s\n%s", from, recipe);
	if (r == 0)
		r = write_file(work_fd, "bootstrap", text, strlen(text), err);
	if (r != 0)
		return r;
	(void)snprintf(path[0], sizeof(path[0]), "%s/%s/apt/bootstrap", upper->store->path,
		       upper->staging->name);
	(void)snprintf(path[1], sizeof(path[1]), "%s/%s/apt/cache", upper->store->path,
		       upper->staging->name);
	static struct build_options options;
	options = (struct build_options){ .names = { upper->name },
					  .n_names = 1,
					  .file = path[0],
					  .context = path[1],
					  .has_cache = true };
	return build_make(&options, err);
}

int upper_make(const struct upper *upper, struct error *err)
{
	auto_fd int work_fd = -1;
	if (upper->packages->len == 0) {
		int r = error_set(err, ERR_INVALID, 0, "--include", "names no package");
		return error_remedy(err, r, "name what is to be on top of --from");
	}
	int r = prepare(upper, &work_fd, err);
	if (r == 0)
		r = fetch(upper, work_fd, err);
	return r == 0 ? build(upper, work_fd, err) : r;
}
