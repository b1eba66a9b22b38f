/* SPDX-License-Identifier: Apache-2.0 */
/* rundir.c - what is known of running sandboxes outside their monitors */
#include "wire/rundir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "base/text.h"

static int failed(struct error *err, const char *subject, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, subject, "%s", what);
	return error_remedy(err, r, "check the folder's owner, mode and free space");
}

/* Where the sandboxes of this user are listed. */
static void default_path(char *path, size_t size)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR"); /* NOLINT(concurrency-mt-unsafe) */
	/* The root of a user namespace is not the root whose folder /run is. */
	if (geteuid() == 0 && faccessat(AT_FDCWD, "/run", W_OK, AT_EACCESS) == 0)
		(void)snprintf(path, size, "/run/foso");
	else if (runtime && runtime[0] == '/')
		(void)snprintf(path, size, "%s/foso", runtime);
	else
		(void)snprintf(path, size, "/tmp/foso-%u", (unsigned)geteuid());
}

int rundir_open(int *ret_dir_fd, struct error *err)
{
	char path[4096];
	struct stat status;
	default_path(path, sizeof(path));
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return failed(err, path, "the folder of running sandboxes cannot be made");
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return failed(err, path, "the folder of running sandboxes cannot be opened");
	/* In /tmp somebody else can be first: his folder would decide what gc removes. */
	if (status.st_uid != geteuid() || (status.st_mode & 077) != 0) {
		int r = error_set(err, ERR_DENIED, 0, path,
				  "belongs to uid %u with mode %03o, which others can change",
				  (unsigned)status.st_uid, status.st_mode & 0777);
		return error_remedy(err, r, "remove it, or chown it to yourself and chmod 700");
	}
	*ret_dir_fd = take_fd(&fd);
	return 0;
}

bool rundir_id_is_valid(const char *id)
{
	size_t len = strlen(id);
	return len > 0 && len < RUNDIR_ID_BYTES &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789") == len;
}

/* All of it, or false and errno: what a full disk leaves out is no success. */
static bool write_at(int fd, const void *bytes, size_t len, off_t at)
{
	ssize_t n = pwrite(fd, bytes, len, at);
	if (n >= 0 && n != (ssize_t)len)
		errno = ENOSPC;
	return n == (ssize_t)len;
}

int rundir_create(int dir_fd, const char *id, const struct rundir_state *state, int *ret_state_fd,
		  struct error *err)
{
	auto_fd int fd =
		openat(dir_fd, id, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno == EEXIST) {
		int exists = error_set(err, ERR_EXISTS, 0, id, "a sandbox of this id exists");
		return error_remedy(err, exists, "run foso gc, or choose another id");
	}
	if (fd < 0)
		return failed(err, id, "the sandbox's state cannot be made");
	/* Waits: a foso ps that looks just now holds the lock for a moment. */
	if (flock(fd, LOCK_EX) < 0 || !write_at(fd, state, sizeof(*state), 0)) {
		int r = failed(err, id, "the sandbox's state cannot be written");
		unlinkat(dir_fd, id, 0);
		return r;
	}
	*ret_state_fd = take_fd(&fd);
	return 0;
}

int rundir_will_write(int state_fd, const char *bytes, size_t len, struct error *err)
{
	if (!write_at(state_fd, bytes, len, sizeof(struct rundir_state)))
		return failed(err, "state", "the sandbox's state cannot be written");
	return 0;
}

int rundir_will_read(int dir_fd, const char *id, struct buf *ret, struct error *err)
{
	char bytes[4096];
	off_t at = sizeof(struct rundir_state);
	auto_fd int fd = openat(dir_fd, id, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	for (ssize_t n = 1; fd >= 0 && n > 0; at += n) {
		n = pread(fd, bytes, sizeof(bytes), at);
		if (n < 0)
			return failed(err, id, "cannot be read");
		buf_append(ret, bytes, (size_t)n);
	}
	return fd < 0 ? failed(err, id, "cannot be opened") : 0;
}

int rundir_update(int state_fd, const struct rundir_state *state, struct error *err)
{
	if (!write_at(state_fd, state, sizeof(*state), 0))
		return failed(err, "state", "the sandbox's state cannot be written");
	return 0;
}

void rundir_output_name(const char *id, char ret_name[RUNDIR_NAME_BYTES])
{
	/* The dot keeps it apart from the ids. */
	(void)snprintf(ret_name, RUNDIR_NAME_BYTES, "%s.output", id);
}

int rundir_remove(int dir_fd, const char *id, struct error *err)
{
	char output[RUNDIR_NAME_BYTES];
	rundir_output_name(id, output);
	const char *const names[] = { output, id };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (unlinkat(dir_fd, names[i], 0) < 0 && errno != ENOENT)
			return failed(err, names[i], "cannot be removed");
	}
	return 0;
}

/* Fills @ret; false if there is no such sandbox (it went away meanwhile). */
static bool look(int dir_fd, const char *id, struct rundir_entry *ret)
{
	struct stat now;
	*ret = (struct rundir_entry){ 0 };
	(void)snprintf(ret->id, sizeof(ret->id), "%s", id);
	auto_fd int fd = openat(dir_fd, id, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ret->is_alive = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	/* Unlocked, because its monitor has just removed it and ended: that is no leftover. */
	if (!ret->is_alive && (fstat(fd, &now) < 0 || now.st_nlink == 0 || !S_ISREG(now.st_mode)))
		return false;
	if (pread(fd, &ret->state, sizeof(ret->state), 0) == (ssize_t)sizeof(ret->state))
		ret->has_state =
			ret->state.magic == RUNDIR_MAGIC && ret->state.size == sizeof(ret->state);
	ret->state.level[sizeof(ret->state.level) - 1] = '\0';
	ret->state.command[sizeof(ret->state.command) - 1] = '\0';
	return true;
}

int rundir_scan(int dir_fd, int (*found)(const struct rundir_entry *entry, void *context),
		void *context, struct error *err)
{
	auto_fd int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return failed(err, ".", "the folder of running sandboxes cannot be read");
	DIR_READER(reader, fd);
	for (const struct dir_entry *item; (item = dir_next(&reader));) {
		struct rundir_entry entry;
		if (!rundir_id_is_valid(item->name) || !look(dir_fd, item->name, &entry))
			continue;
		int r = found(&entry, context);
		if (r != 0)
			return r;
	}
	return 0;
}

/* The name in the second field can hold anything, blanks and parentheses included. */
uint64_t rundir_start_ticks(pid_t pid)
{
	char path[32], text[1024];
	(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return 0;
	text[len] = '\0';
	char *field = strrchr(text, ')');
	for (int number = 2; field && number < 22; number++)
		field = strchr(field + 1, ' ');
	if (!field)
		return 0;
	field++;
	field[strcspn(field, " \n")] = '\0';
	uint64_t ticks = 0;
	return text_parse_u64(field, &ticks) ? ticks : 0;
}
