/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull.c - foso image pull: an image from a registry, through skopeo
 *
 * skopeo (jail.h) fetches the raw manifest or index, then the image by the digest of that, so that
 * nobody can move a tag in between.  What it left is put into an OCI layout and goes the way of
 * any import: skopeo is believed nothing.  A digest in the name is compared with the bytes of
 * the raw document; an index vouches for the manifest whose digest stands in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/text.h"
#include "buildtool/credentials.h"
#include "buildtool/jail.h"
#include "buildtool/names.h"
#include "buildtool/verbs.h"
#include "image/image.h"
#include "image/write/remove.h"

#define SKOPEO              "/usr/bin/skopeo"
#define MAX_DOCUMENT_BYTES  (4u * 1024 * 1024)
#define DEFAULT_MAX_BYTES   (UINT64_C(20) << 30)
#define DEFAULT_DEADLINE_S  3600
#define MAX_REFERENCE_BYTES 512
#define MAX_FILES           1024
#define DOCKER_MANIFEST     "application/vnd.docker.distribution.manifest.v2+json"
#define OCI_MANIFEST        "application/vnd.oci.image.manifest.v1+json"

struct pull {
	const char *reference; /* as given */
	const char *name;      /* in the store; NULL: the reference's own */
	bool is_plain;
	struct credentials credentials;
	struct buf auth; /* what skopeo is told of them */
	uint64_t max_bytes, deadline_s;
	char repository[MAX_REFERENCE_BYTES]; /* without tag and digest */
	char tagged[MAX_REFERENCE_BYTES];     /* without digest */
	uint8_t pinned[DIGEST_BYTES];
	bool is_pinned;
	struct image_store store;
	char folder[64]; /* below the store */
	int folder_fd;   /* "work" is skopeo's, "layout" is ours */
	int work_fd;
};

static int refuse(const char *subject, const char *value, const char *what, struct error *err)
{
	int r = error_set(err, ERR_INVALID, 0, subject, "'%.100s' %s", value, what);
	return error_remedy(err, r, "see foso image pull --help");
}

static int fail(int errnum, const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "pull", "%s", what);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

/* ---- the reference ---- */

/* Letters that a reference has; a leading dash would be an option of skopeo. */
static bool is_reference(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				"._-/:@");
	return n > 0 && text[n] == '\0' && n < MAX_REFERENCE_BYTES && text[0] != '-' &&
	       text[0] != '/';
}

static int read_reference(struct pull *pull, struct error *err)
{
	char full[IMAGE_NAME_BYTES];
	const char *text = pull->reference, *at = strchr(text, '@');
	size_t n = at ? (size_t)(at - text) : strlen(text);
	if (!is_reference(text))
		return refuse("pull", text, "is not a name of an image", err);
	if (at) {
		if (strncmp(at, "@sha256:", 8) != 0 || strlen(at) != 8 + DIGEST_HEX_BYTES - 1 ||
		    !digest_parse(at + 8, pull->pinned))
			return refuse("pull", at, "is not @sha256: and 64 hexadecimal digits", err);
		pull->is_pinned = true;
	}
	(void)snprintf(pull->tagged, sizeof(pull->tagged), "%.*s", (int)n, text);
	(void)snprintf(pull->repository, sizeof(pull->repository), "%s", pull->tagged);
	char *slash = strrchr(pull->repository, '/');
	char *colon = strrchr(slash ? slash : pull->repository, ':');
	if (colon)
		*colon = '\0';
	return image_name_parse(pull->name ? pull->name : pull->tagged, full, err);
}

/* ---- the folders ---- */

static int make_folder(struct pull *pull, struct error *err)
{
	uint64_t random;
	auto_fd int lock_fd = -1;
	/* A sweep takes what nobody holds; while we hold the store, none begins. */
	int r = image_store_lock(&pull->store, false, &lock_fd, err);
	if (r < 0)
		return r;
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return fail(errno, "there is no random number", err);
	(void)snprintf(pull->folder, sizeof(pull->folder), "staging/pull-%016llx",
		       (unsigned long long)random);
	if (mkdirat(pull->store.dir_fd, pull->folder, 0700) < 0)
		return fail(errno, "no folder can be made in the store", err);
	pull->folder_fd = openat(pull->store.dir_fd, pull->folder,
				 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (pull->folder_fd < 0 || flock(pull->folder_fd, LOCK_EX | LOCK_NB) < 0 ||
	    mkdirat(pull->folder_fd, "work", 0700) < 0 ||
	    mkdirat(pull->folder_fd, "layout", 0700) < 0 ||
	    mkdirat(pull->folder_fd, "layout/blobs", 0700) < 0 ||
	    mkdirat(pull->folder_fd, "layout/blobs/sha256", 0700) < 0)
		return fail(errno, "no folder can be made in the store", err);
	pull->work_fd =
		openat(pull->folder_fd, "work", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	uid_t owner = jail_owner();
	if (pull->work_fd < 0 ||
	    (owner != geteuid() && fchown(pull->work_fd, owner, (gid_t)owner) < 0))
		return fail(errno, "the folder cannot be given to skopeo", err);
	return 0;
}

/* ---- skopeo ---- */

static int skopeo(const struct pull *pull, const char *const *args, const char *output,
		  struct error *err)
{
	const struct jail jail = {
		.program = SKOPEO,
		.args = args,
		.folder_fd = pull->work_fd,
		.max_bytes = pull->max_bytes,
		.deadline_s = (unsigned)pull->deadline_s,
		.name = "skopeo",
		.output = output,
		.secret = pull->auth.len > 0 ? pull->auth.data : NULL,
		.secret_len = pull->auth.len,
	};
	int r = jail_run(&jail, err);
	if (r <= 0)
		return r;
	r = error_set(err, ERR_UNAVAILABLE, 0, pull->reference, "skopeo ended with status %d", r);
	return error_remedy(err, r, "see what it said above");
}

/* A document of skopeo's, digested. */
static int read_document(const struct pull *pull, const char *path, struct buf *ret,
			 uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	char part[16384];
	ssize_t n = -1;
	struct stat status;
	auto_fd int fd =
		openat(pull->work_fd, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		while ((n = read(fd, part, sizeof(part))) > 0)
			buf_append(ret, part, (size_t)n);
	if (n != 0 || !buf_is_whole(ret)) {
		int r = error_set(err, ERR_PROTOCOL, 0, "skopeo",
				  "left no manifest of at most 4 MiB");
		return error_remedy(err, r, "see what it said above");
	}
	digest_sha256(ret->data, ret->len, NULL, 0, ret_digest);
	return 0;
}

static int check_pin(const struct pull *pull, const uint8_t raw[DIGEST_BYTES], struct error *err)
{
	char hex[DIGEST_HEX_BYTES];
	if (!pull->is_pinned || memcmp(raw, pull->pinned, DIGEST_BYTES) == 0)
		return 0;
	digest_hex(raw, hex);
	int r = error_set(err, ERR_CORRUPT, 0, pull->repository,
			  "the registry sent sha256:%s, which is not the digest asked for", hex);
	return error_remedy(err, r, "do not use this registry before somebody looked at it");
}

/* The raw document is the manifest, or an index that names it. */
static int check_chain(const struct pull *pull, const struct buf *raw,
		       const uint8_t raw_digest[DIGEST_BYTES], const uint8_t manifest[DIGEST_BYTES],
		       struct error *err)
{
	char text[8 + DIGEST_HEX_BYTES] = "sha256:";
	digest_hex(manifest, text + 7);
	if (memcmp(raw_digest, manifest, DIGEST_BYTES) == 0 ||
	    memmem(raw->data, raw->len, text, strlen(text)))
		return 0;
	int r = error_set(err, ERR_CORRUPT, 0, pull->repository,
			  "the image that came is not one of its index");
	return error_remedy(err, r, "do not use this registry before somebody looked at it");
}

/* ---- from what skopeo left to a layout ---- */

static int write_file(const struct pull *pull, const char *path, const char *text, size_t len,
		      struct error *err)
{
	auto_fd int fd = openat(pull->folder_fd, path,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return fail(errno, "the layout cannot be written", err);
	return 0;
}

/* Files called by a digest; what they hold is checked by the import. */
static int move_blobs(const struct pull *pull, struct error *err)
{
	auto_names struct names names = { .items = NULL };
	auto_fd int fd =
		openat(pull->work_fd, "image", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "skopeo left no image", err);
	int r = names_read(&names, fd, MAX_FILES, "skopeo", err);
	for (size_t i = 0; r == 0 && i < names.n_items; i++) {
		uint8_t digest[DIGEST_BYTES];
		char path[128];
		struct stat status;
		const char *name = names.items[i];
		if (strlen(name) != DIGEST_HEX_BYTES - 1 || !digest_parse(name, digest) ||
		    fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(status.st_mode) || status.st_nlink != 1)
			continue;
		(void)snprintf(path, sizeof(path), "layout/blobs/sha256/%s", name);
		if (renameat(fd, name, pull->folder_fd, path) < 0)
			r = fail(errno, "a blob cannot be moved", err);
	}
	return r;
}

static int make_layout(const struct pull *pull, const struct buf *manifest,
		       const uint8_t digest[DIGEST_BYTES], struct error *err)
{
	static const char layout[] = "{\"imageLayoutVersion\":\"1.0.0\"}";
	char hex[DIGEST_HEX_BYTES], path[128], index[512];
	digest_hex(digest, hex);
	/* Which of the two it is decides only how it is read; the reader checks it. */
	bool is_docker = memmem(manifest->data, manifest->len, DOCKER_MANIFEST,
				strlen(DOCKER_MANIFEST)) != NULL;
	(void)snprintf(index, sizeof(index),
		       "{\"schemaVersion\":2,\"manifests\":[{\"mediaType\":\"%s\","
		       "\"digest\":\"sha256:%s\",\"size\":%zu}]}",
		       is_docker ? DOCKER_MANIFEST : OCI_MANIFEST, hex, manifest->len);
	(void)snprintf(path, sizeof(path), "layout/blobs/sha256/%s", hex);
	int r = move_blobs(pull, err);
	if (r == 0)
		r = write_file(pull, path, manifest->data, manifest->len, err);
	if (r == 0)
		r = write_file(pull, "layout/index.json", index, strlen(index), err);
	return r == 0 ? write_file(pull, "layout/oci-layout", layout, strlen(layout), err) : r;
}

static int fetch(struct pull *pull, struct error *err)
{
	char source[MAX_REFERENCE_BYTES + 128], hex[DIGEST_HEX_BYTES];
	uint8_t raw_digest[DIGEST_BYTES], digest[DIGEST_BYTES];
	auto_buf struct buf raw = BUF_INIT(MAX_DOCUMENT_BYTES);
	auto_buf struct buf manifest = BUF_INIT(MAX_DOCUMENT_BYTES);
	const char *tls = pull->is_plain ? "--tls-verify=false" : "--tls-verify=true";
	const char *src_tls = pull->is_plain ? "--src-tls-verify=false" : "--src-tls-verify=true";
	bool has_auth = pull->auth.len > 0;
	const char *auth = has_auth ? "--authfile=" JAIL_SECRET : "--no-creds";
	const char *src_auth = has_auth ? "--src-authfile=" JAIL_SECRET : "--src-no-creds";
	/* A name with a tag and a digest is none that skopeo takes. */
	digest_hex(pull->pinned, hex);
	if (pull->is_pinned)
		(void)snprintf(source, sizeof(source), "docker://%s@sha256:%s", pull->repository,
			       hex);
	else
		(void)snprintf(source, sizeof(source), "docker://%s", pull->tagged);
	const char *const inspect[] = {
		"skopeo", "inspect", "--raw", tls, auth, "--", source, NULL
	};
	int r = skopeo(pull, inspect, "raw", err);
	if (r == 0)
		r = read_document(pull, "raw", &raw, raw_digest, err);
	if (r == 0)
		r = check_pin(pull, raw_digest, err);
	if (r != 0)
		return r;
	digest_hex(raw_digest, hex);
	(void)snprintf(source, sizeof(source), "docker://%s@sha256:%s", pull->repository, hex);
	const char *const copy[] = { "skopeo",
				     "--insecure-policy",
				     "--tmpdir",
				     "/work",
				     "copy",
				     "--quiet",
				     src_tls,
				     src_auth,
				     "--",
				     source,
				     "dir:/work/image",
				     NULL };
	r = skopeo(pull, copy, NULL, err);
	if (r == 0)
		r = read_document(pull, "image/manifest.json", &manifest, digest, err);
	if (r == 0)
		r = check_chain(pull, &raw, raw_digest, digest, err);
	return r == 0 ? make_layout(pull, &manifest, digest, err) : r;
}

static int import(const struct pull *pull, struct error *err)
{
	char path[IMAGE_STORE_PATH_BYTES + 96];
	(void)snprintf(path, sizeof(path), "%s/%s/layout", pull->store.path, pull->folder);
	return import_path(path, pull->name ? pull->name : pull->tagged, err);
}

/* ---- options ---- */

static int set_number(uint64_t *member, const struct option *option, struct error *err)
{
	if (text_parse_u64(option->value, member) && *member > 0 && *member <= UINT64_C(1) << 50)
		return 0;
	return refuse(option->spelling, option->value, "is not a number that it takes", err);
}

static int set_option(void *into, const struct option *option, struct error *err)
{
	struct pull *pull = into;
	switch (option->row->id) {
	case OPTION_PLAIN_HTTP:
		pull->is_plain = true;
		return 0;
	case OPTION_PASSWORD_STDIN:
		pull->credentials.has_password_stdin = true;
		return 0;
	case OPTION_TIMEOUT:
		return set_number(&pull->deadline_s, option, err);
	case OPTION_MAX_BYTES:
		return set_number(&pull->max_bytes, option, err);
	case OPTION_USERNAME:
		return option_once(&pull->credentials.username, option, err);
	case OPTION_AUTHFILE:
		return option_once(&pull->credentials.authfile, option, err);
	default:
		return option_once(&pull->name, option, err);
	}
}

static int read_options(struct pull *pull, const struct args *args, struct error *err)
{
	char *const *operands = NULL;
	int r = verb_parse(args->verb, args->words, set_option, pull, &operands, err);
	if (r != 0)
		return r;
	pull->reference = operands[0];
	pull->deadline_s = MIN(pull->deadline_s, (uint64_t)UINT32_MAX);
	r = read_reference(pull, err);
	return r == 0 ? credentials_check(&pull->credentials, err) : r;
}

int verb_pull(const struct args *args, struct error *err)
{
	static struct pull pull;
	static char auth[2 * CREDENTIALS_MAX_BYTES];
	struct error ignored = { .code = ERR_NONE };
	pull = (struct pull){ .max_bytes = DEFAULT_MAX_BYTES,
			      .deadline_s = DEFAULT_DEADLINE_S,
			      .folder_fd = -1,
			      .work_fd = -1,
			      .auth = BUF_ON(auth, sizeof(auth) - 1) };
	int r = read_options(&pull, args, err);
	if (r == 0)
		r = credentials_read(&pull.credentials, pull.reference, &pull.auth, err);
	if (r == 0)
		r = image_store_create(&pull.store, NULL, err);
	if (r == 0)
		r = make_folder(&pull, err);
	if (r == 0)
		r = fetch(&pull, err);
	credentials_wipe(&pull.auth);
	if (r == 0)
		r = import(&pull, err);
	fd_close(&pull.work_fd);
	fd_close(&pull.folder_fd);
	if (pull.folder[0])
		(void)!tree_remove(pull.store.dir_fd, pull.folder, &ignored);
	image_store_fini(&pull.store);
	return r;
}
