/* SPDX-License-Identifier: Apache-2.0 */
/* credentials.c - how foso image pull logs in */
#include "buildtool/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"

#define DEFAULT_REGISTRY   "docker.io"
#define MAX_PASSWORD_BYTES 16384

static int refuse(const char *option, const char *what, const char *remedy, struct error *err)
{
	int r = error_set(err, ERR_INVALID, 0, option, "%s", what);
	return error_remedy(err, r, "%s", remedy);
}

int credentials_check(const struct credentials *credentials, struct error *err)
{
	const char *name = credentials->username;
	if (name && credentials->authfile)
		return refuse("--authfile", "is given, and --username as well", "use one of them",
			      err);
	if (!name != !credentials->has_password_stdin)
		return refuse("--username", "and --password-stdin go together",
			      "write printf %s \"$TOKEN\" | foso image pull --username NAME "
			      "--password-stdin IMAGE",
			      err);
	if (name && (name[0] == '\0' || strchr(name, ':')))
		return refuse("--username", "is empty or has a colon in it",
			      "write the name that the registry knows", err);
	return 0;
}

/* "HOST/NAME" if the first part looks like a host, as registries' clients agree. */
static size_t registry_len(const char *reference)
{
	size_t n = strcspn(reference, "/");
	bool is_host =
		reference[n] == '/' && (memchr(reference, '.', n) || memchr(reference, ':', n) ||
					(n == 9 && memcmp(reference, "localhost", 9) == 0));
	return is_host ? n : 0;
}

/* RFC 4648, section 4. */
static void put_base64(struct buf *out, const unsigned char *bytes, size_t len)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < len; i += 3) {
		unsigned group = (unsigned)bytes[i] << 16;
		group |= i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0;
		group |= i + 2 < len ? bytes[i + 2] : 0;
		/* Three bytes are four letters; what is missing at the end is filled up. */
		size_t n_letters = MIN(len - i, (size_t)3) + 1;
		for (size_t j = 0; j < 4; j++, group <<= 6)
			buf_append(out, j < n_letters ? &letters[group >> 18 & 63] : "=", 1);
	}
}

static int read_all(int fd, const char *what, size_t max_bytes, struct buf *ret, struct error *err)
{
	char part[4096];
	ssize_t n;
	while ((n = read(fd, part, sizeof(part))) > 0 && ret->len <= max_bytes)
		buf_append(ret, part, (size_t)n);
	explicit_bzero(part, sizeof(part));
	if (n < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, what, "cannot be read");
		return error_remedy(err, r, "look at where it comes from");
	}
	return ret->len <= max_bytes && buf_is_whole(ret)
		       ? 0
		       : refuse(what, "is longer than any that a registry takes", "see what it is",
				err);
}

static int read_password(const struct credentials *credentials, const char *reference,
			 struct buf *ret, struct error *err)
{
	/* A buffer that grows leaves copies behind. */
	static char storage[MAX_PASSWORD_BYTES + 8192];
	size_t n_host = registry_len(reference);
	struct buf login = BUF_ON(storage, sizeof(storage) - 1);
	buf_printf(&login, "%s:", credentials->username);
	size_t n_name = login.len;
	int r = read_all(STDIN_FILENO, "--password-stdin", MAX_PASSWORD_BYTES, &login, err);
	while (r == 0 && login.len > n_name && strchr("\r\n", login.data[login.len - 1]))
		login.len--;
	if (r == 0 && login.len == n_name)
		r = refuse("--password-stdin", "is empty", "write the password to stdin", err);
	if (r == 0) {
		buf_printf(ret, "{\"auths\":{\"%.*s\":{\"auth\":\"",
			   n_host ? (int)n_host : (int)strlen(DEFAULT_REGISTRY),
			   n_host ? reference : DEFAULT_REGISTRY);
		put_base64(ret, (const unsigned char *)login.data, login.len);
		buf_append_string(ret, "\"}}}");
	}
	credentials_wipe(&login);
	return r;
}

/* A pipe is nobody else's either: --authfile /dev/fd/3. */
static int read_file(const char *path, struct buf *ret, struct error *err)
{
	struct stat status;
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0) {
		int r = error_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM, errno,
				  "--authfile", "'%.200s' cannot be opened", path);
		return error_remedy(err, r, "name what skopeo login --authfile wrote");
	}
	if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode))
		return refuse("--authfile", "is neither a file nor a pipe",
			      "name what skopeo login --authfile wrote", err);
	if (S_ISREG(status.st_mode) && status.st_mode & 077) {
		int r = error_set(err, ERR_DENIED, 0, "--authfile",
				  "others may read '%.200s', whose mode is %03o", path,
				  status.st_mode & 0777u);
		return error_remedy(err, r,
				    "chmod 600 it, and think of the secrets in it as known");
	}
	int r = read_all(fd, "--authfile", CREDENTIALS_MAX_BYTES - 1, ret, err);
	if (r == 0 && ret->len == 0)
		r = refuse("--authfile", "is empty", "name what skopeo login --authfile wrote",
			   err);
	return r;
}

int credentials_read(const struct credentials *credentials, const char *reference, struct buf *ret,
		     struct error *err)
{
	if (credentials->username)
		return read_password(credentials, reference, ret, err);
	return credentials->authfile ? read_file(credentials->authfile, ret, err) : 0;
}

void credentials_wipe(struct buf *auth)
{
	if (auth->data)
		explicit_bzero(auth->data, auth->len);
	buf_fini(auth);
}
