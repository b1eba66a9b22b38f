/* SPDX-License-Identifier: Apache-2.0 */
/* folders_test.c - the host functions of WASI for folders, files and paths, each way to fail too */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tap.h"
#include "wasm/wasi/guest.h"

#define MEMORY_BYTES 262144
#define FOLDER       3 /* granted, everything may be done */
#define READ_ONLY    4 /* the same one, to be read */
#define RESULT       64
#define BUFFER       8192
#define BUFFER_BYTES 131072

static uint8_t memory[MEMORY_BYTES];
static char top[64];
static int top_fd;
static uint64_t fuel;
static struct wasi wasi;
static struct wasi_disk disk;

static bool pay(void *context, uint64_t n_units)
{
	UNUSED(context);
	if (n_units > fuel)
		return false;
	fuel -= n_units;
	return true;
}

static int folder(void)
{
	return openat(top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void begin(void)
{
	(void)snprintf(top, sizeof(top), "/tmp/foso-wasi-XXXXXX");
	OK(mkdtemp(top) != NULL);
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	wasi_init(&wasi);
	memset(memory, 0xee, sizeof(memory));
	wasi.memory = memory;
	wasi.memory_len = sizeof(memory);
	wasi.charge = pay;
	fuel = UINT64_MAX;
	OK(wasi_grant_folder(&wasi, folder(), "/data", false) == 0);
	OK(wasi_grant_folder(&wasi, folder(), "/shown", true) == 0);
}

static void remove_all(int fd)
{
	DIR *dir = fdopendir(fd);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd(dir), entry->d_name, 0) == 0)
			continue;
		remove_all(openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		(void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
}

static void end(void)
{
	wasi_fini(&wasi);
	remove_all(top_fd);
	OK(rmdir(top) == 0);
}

#define CALL(name, ...) \
	wasi_call(&wasi, WASI_##name, (const uint64_t[WASI_MAX_ARGS]){ __VA_ARGS__ })

/* A path in the guest's memory: its address, and its length. */
static uint64_t put_at(uint64_t address, const char *text)
{
	memcpy(memory + address, text, strlen(text));
	return strlen(text);
}

#define PATH(text)  1024, put_at(1024, text)
#define OTHER(text) 6144, put_at(6144, text)

#define ALL  (WASI_RIGHTS_OF_FILE | WASI_RIGHTS_OF_FOLDER)
#define RDWR ((uint64_t)(WASI_RIGHT_FD_READ | WASI_RIGHT_FD_WRITE))

/* Its number, or minus the errno. */
static int open_in(int number, const char *path, uint64_t oflags, uint64_t rights, uint64_t fdflags)
{
	uint32_t r = CALL(path_open, (uint64_t)number, 0, PATH(path), oflags, rights, ALL, fdflags,
			  RESULT);
	return r == WASI_SUCCESS ? (int)guest_u32(memory + RESULT) : -(int)r;
}

static int make_file(const char *path)
{
	return open_in(FOLDER, path, WASI_OFLAG_CREAT, WASI_RIGHTS_OF_FILE, 0);
}

static uint32_t write_to(int number, const char *text)
{
	guest_put_u32(memory, BUFFER);
	guest_put_u32(memory + 4, (uint32_t)put_at(BUFFER, text));
	return CALL(fd_write, (uint64_t)number, 0, 1, RESULT);
}

/* Up to 4,096 bytes, as text. */
static const char *read_from(int number)
{
	static char text[4097];
	guest_put_u32(memory, BUFFER);
	guest_put_u32(memory + 4, 4096);
	uint32_t r = CALL(fd_read, (uint64_t)number, 0, 1, RESULT);
	size_t n = r == WASI_SUCCESS ? guest_u32(memory + RESULT) : 0;
	memcpy(text, memory + BUFFER, n);
	text[n] = '\0';
	return text;
}

static uint64_t size_of(int number)
{
	EQ(CALL(fd_filestat_get, (uint64_t)number, BUFFER), WASI_SUCCESS);
	return guest_u64(memory + BUFFER + 32);
}

static bool is_there(const char *name)
{
	struct stat status;
	return fstatat(top_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static void test_folders_that_were_granted(void)
{
	begin();
	EQ(CALL(fd_prestat_get, FOLDER, RESULT), WASI_SUCCESS);
	EQ(memory[RESULT], 0);
	EQ(guest_u32(memory + RESULT + 4), 5);
	EQ(CALL(fd_prestat_dir_name, FOLDER, BUFFER, 5), WASI_SUCCESS);
	OK(memcmp(memory + BUFFER, "/data\xee", 6) == 0);
	EQ(CALL(fd_prestat_dir_name, FOLDER, BUFFER, 4), WASI_ENAMETOOLONG);
	EQ(CALL(fd_prestat_get, 5, RESULT), WASI_EBADF);
	EQ(CALL(fd_prestat_get, 2, RESULT), WASI_EBADF);
	EQ(CALL(fd_fdstat_get, FOLDER, RESULT), WASI_SUCCESS);
	EQ(memory[RESULT], WASI_TYPE_FOLDER);
	EQ(guest_u64(memory + RESULT + 8), WASI_RIGHTS_OF_FOLDER);
	EQ(CALL(fd_fdstat_get, READ_ONLY, RESULT), WASI_SUCCESS);
	EQ(guest_u64(memory + RESULT + 8) & WASI_RIGHTS_TO_CHANGE, 0);
	EQ(guest_u64(memory + RESULT + 16) & WASI_RIGHTS_TO_CHANGE, 0);
	/* The guest's number goes, and the descriptor stays: the next command has it too. */
	int granted = wasi.files[FOLDER].fd, listed = wasi.files[READ_ONLY].fd;
	EQ(CALL(fd_close, FOLDER), WASI_SUCCESS);
	EQ(CALL(fd_prestat_get, FOLDER, RESULT), WASI_EBADF);
	EQ(CALL(fd_readdir, READ_ONLY, BUFFER, 300, 0, RESULT), WASI_SUCCESS);
	OK(fcntl(granted, F_GETFD) >= 0 && fcntl(listed, F_GETFD) >= 0);
	close(granted);
	close(listed);
	end();
}

static void test_a_file_is_made_written_and_read(void)
{
	begin();
	int number = make_file("a");
	EQ(number, 5);
	EQ(write_to(number, "hello"), WASI_SUCCESS);
	EQ(CALL(fd_tell, (uint64_t)number, RESULT), WASI_SUCCESS);
	EQ(guest_u64(memory + RESULT), 5);
	EQ(CALL(fd_seek, (uint64_t)number, (uint64_t)-4, 1, RESULT), WASI_SUCCESS);
	STR_EQ(read_from(number), "ello");
	STR_EQ(read_from(number), "");
	EQ(CALL(fd_seek, (uint64_t)number, (uint64_t)-1, 0, RESULT), WASI_EINVAL);
	EQ(CALL(fd_seek, (uint64_t)number, 0, 3, RESULT), WASI_EINVAL);
	EQ(CALL(fd_seek, (uint64_t)number, UINT64_C(1) << 40, 0, RESULT), WASI_SUCCESS);
	EQ(guest_u64(memory + RESULT), UINT64_C(1) << 40);
	EQ(CALL(fd_seek, (uint64_t)number, 0, 0, MEMORY_BYTES - 7), WASI_EFAULT);
	EQ(size_of(number), 5);
	EQ(CALL(fd_close, (uint64_t)number), WASI_SUCCESS);
	EQ(make_file("b"), number); /* the lowest that is free */
	end();
}

static void test_reading_and_writing_at_a_place(void)
{
	begin();
	int number = make_file("a");
	guest_put_u32(memory, BUFFER);
	guest_put_u32(memory + 4, 5);
	put_at(BUFFER, "world");
	EQ(CALL(fd_pwrite, (uint64_t)number, 0, 1, UINT64_C(1) << 33, RESULT), WASI_SUCCESS);
	EQ(size_of(number), (UINT64_C(1) << 33) + 5); /* sparse, beyond 4 GiB */
	memset(memory + BUFFER, 0, 5);
	EQ(CALL(fd_pread, (uint64_t)number, 0, 1, (UINT64_C(1) << 33) + 1, RESULT), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 4);
	OK(memcmp(memory + BUFFER, "orld", 4) == 0);
	EQ(CALL(fd_tell, (uint64_t)number, RESULT), WASI_SUCCESS);
	EQ(guest_u64(memory + RESULT), 0);
	EQ(CALL(fd_pread, (uint64_t)number, 0, 1, UINT64_MAX, RESULT), WASI_EINVAL);
	EQ(CALL(fd_pwrite, 1, 0, 1, 0, RESULT), WASI_ESPIPE);
	EQ(CALL(fd_pread, FOLDER, 0, 1, 0, RESULT), WASI_EISDIR);
	EQ(CALL(fd_read, FOLDER, 0, 1, RESULT), WASI_EISDIR);
	EQ(CALL(fd_write, FOLDER, 0, 1, RESULT), WASI_EISDIR);
	EQ(CALL(fd_seek, FOLDER, 0, 1, RESULT), WASI_EISDIR);
	EQ(CALL(fd_tell, FOLDER, RESULT), WASI_EISDIR);
	end();
}

static void test_size_times_and_space(void)
{
	struct stat status;
	begin();
	int number = make_file("a");
	uint64_t file = (uint64_t)number;
	EQ(CALL(fd_filestat_set_size, file, 100), WASI_SUCCESS);
	EQ(size_of(number), 100);
	EQ(CALL(fd_filestat_set_size, file, UINT64_MAX), WASI_EFBIG);
	EQ(CALL(fd_allocate, file, 50, 100), WASI_SUCCESS);
	EQ(size_of(number), 150);
	EQ(CALL(fd_allocate, file, 0, 10), WASI_SUCCESS);
	EQ(size_of(number), 150);
	EQ(CALL(fd_allocate, file, 0, 0), WASI_EINVAL);
	EQ(CALL(fd_allocate, file, INT64_MAX, 2), WASI_EFBIG);
	EQ(CALL(fd_allocate, FOLDER, 0, 1), WASI_EISDIR);
	EQ(CALL(fd_filestat_set_size, FOLDER, 0), WASI_EISDIR);
	EQ(CALL(fd_filestat_set_times, file, 7, 1000000009, WASI_TIME_ATIM | WASI_TIME_MTIM),
	   WASI_SUCCESS);
	OK(fstatat(top_fd, "a", &status, 0) == 0);
	EQ(status.st_mtim.tv_sec, 1);
	EQ(status.st_mtim.tv_nsec, 9);
	EQ(CALL(fd_filestat_get, file, BUFFER), WASI_SUCCESS);
	EQ(guest_u64(memory + BUFFER + 40), 7);
	EQ(guest_u64(memory + BUFFER + 48), 1000000009);
	EQ(guest_u64(memory + BUFFER + 8), status.st_ino);
	EQ(memory[BUFFER + 16], WASI_TYPE_FILE);
	EQ(CALL(fd_filestat_set_times, file, 0, 0, WASI_TIME_MTIM | WASI_TIME_MTIM_NOW),
	   WASI_EINVAL);
	EQ(CALL(fd_filestat_set_times, file, 0, 0, 16), WASI_EINVAL);
	EQ(CALL(path_filestat_set_times, FOLDER, 0, PATH("a"), 0, 5, WASI_TIME_MTIM), WASI_SUCCESS);
	EQ(CALL(path_filestat_get, FOLDER, 0, PATH("a"), BUFFER), WASI_SUCCESS);
	EQ(guest_u64(memory + BUFFER + 48), 5);
	EQ(guest_u64(memory + BUFFER + 40), 7);
	EQ(CALL(fd_sync, file), WASI_SUCCESS);
	EQ(CALL(fd_datasync, file), WASI_SUCCESS);
	EQ(CALL(fd_sync, 1), WASI_EINVAL);
	EQ(CALL(fd_advise, file, 0, 10, 3), WASI_SUCCESS);
	EQ(CALL(fd_advise, file, 0, 10, 6), WASI_EINVAL);
	EQ(CALL(fd_advise, 1, 0, 10, 0), WASI_ESPIPE);
	end();
}

static void test_flags(void)
{
	begin();
	int number =
		open_in(FOLDER, "a", WASI_OFLAG_CREAT, WASI_RIGHTS_OF_FILE, WASI_FDFLAG_APPEND);
	uint64_t file = (uint64_t)number;
	EQ(write_to(number, "one"), WASI_SUCCESS);
	EQ(CALL(fd_seek, file, 0, 0, RESULT), WASI_SUCCESS);
	EQ(write_to(number, "two"), WASI_SUCCESS);
	EQ(size_of(number), 6);
	EQ(CALL(fd_fdstat_set_flags, file, 0), WASI_SUCCESS);
	EQ(CALL(fd_seek, file, 0, 0, RESULT), WASI_SUCCESS);
	EQ(write_to(number, "six"), WASI_SUCCESS);
	EQ(size_of(number), 6);
	EQ(CALL(fd_fdstat_set_flags, file, WASI_FDFLAG_SYNC), WASI_ENOTSUP);
	EQ(CALL(fd_fdstat_set_flags, file, 32), WASI_EINVAL);
	number = open_in(FOLDER, "a", 0, WASI_RIGHTS_OF_FILE, WASI_FDFLAG_SYNC);
	OK(fcntl(wasi.files[number].fd, F_GETFL) & O_SYNC);
	EQ(open_in(FOLDER, "a", 16, RDWR, 0), -WASI_EINVAL);
	EQ(open_in(FOLDER, "a", 0, RDWR, 32), -WASI_EINVAL);
	EQ(open_in(FOLDER, "x", WASI_OFLAG_CREAT | WASI_OFLAG_DIRECTORY, 0, 0), -WASI_EINVAL);
	EQ(open_in(FOLDER, "a", WASI_OFLAG_CREAT | WASI_OFLAG_EXCL, 0, 0), -WASI_EEXIST);
	EQ(open_in(FOLDER, "x", 0, 0, 0), -WASI_ENOENT);
	OK(open_in(FOLDER, "a", WASI_OFLAG_TRUNC, 0, 0) > 0);
	EQ(size_of(number), 0);
	EQ(open_in(FOLDER, ".", WASI_OFLAG_DIRECTORY, RDWR, 0), -WASI_EISDIR);
	EQ(open_in(FOLDER, ".", 0, RDWR, 0), -WASI_EISDIR);
	EQ(open_in(FOLDER, "a", WASI_OFLAG_DIRECTORY, 0, 0), -WASI_ENOTDIR);
	EQ(open_in(number, "x", 0, 0, 0), -WASI_ENOTDIR);
	EQ(open_in(99, "x", 0, 0, 0), -WASI_EBADF);
	EQ(CALL(path_open, FOLDER, 2, PATH("a"), 0, 0, 0, 0, RESULT), WASI_EINVAL);
	EQ(CALL(path_open, FOLDER, 0, PATH("new"), 1, 0, 0, 0, MEMORY_BYTES - 3), WASI_EFAULT);
	OK(!is_there("new"));
	end();
}

static void test_rights_only_shrink(void)
{
	begin();
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	uint64_t few = WASI_RIGHT_PATH_OPEN | WASI_RIGHT_FD_READDIR;
	EQ(CALL(path_open, FOLDER, 0, PATH("d"), WASI_OFLAG_DIRECTORY, few, WASI_RIGHT_FD_READ, 0,
		RESULT),
	   WASI_SUCCESS);
	int number = (int)guest_u32(memory + RESULT);
	uint64_t opened = (uint64_t)number;
	EQ(open_in(number, "a", WASI_OFLAG_CREAT, 0, 0), -WASI_ENOTCAPABLE);
	EQ(CALL(path_create_directory, opened, PATH("e")), WASI_ENOTCAPABLE);
	EQ(CALL(path_unlink_file, opened, PATH("e")), WASI_ENOTCAPABLE);
	EQ(CALL(fd_filestat_get, opened, BUFFER), WASI_ENOTCAPABLE);
	EQ(CALL(fd_close, (uint64_t)make_file("d/a")), WASI_SUCCESS);
	EQ(open_in(number, "a", 0, RDWR, 0), -WASI_ENOTCAPABLE);
	int file = open_in(number, "a", 0, WASI_RIGHT_FD_READ, 0);
	EQ(wasi.files[file].rights, WASI_RIGHT_FD_READ);
	EQ(write_to(file, "x"), WASI_ENOTCAPABLE);
	EQ(CALL(fd_seek, (uint64_t)file, 0, 0, RESULT), WASI_ENOTCAPABLE);
	EQ(CALL(fd_tell, (uint64_t)file, RESULT), WASI_ENOTCAPABLE);
	EQ(CALL(fd_filestat_set_size, (uint64_t)file, 0), WASI_ENOTCAPABLE);
	EQ(CALL(fd_allocate, (uint64_t)file, 0, 1), WASI_ENOTCAPABLE);
	EQ(CALL(fd_sync, (uint64_t)file), WASI_ENOTCAPABLE);
	EQ(CALL(fd_fdstat_set_rights, opened, few, WASI_RIGHT_FD_WRITE), WASI_ENOTCAPABLE);
	EQ(CALL(fd_fdstat_set_rights, opened, 0, 0), WASI_SUCCESS);
	EQ(open_in(number, "a", 0, 0, 0), -WASI_ENOTCAPABLE);
	EQ(CALL(fd_readdir, opened, BUFFER, 100, 0, RESULT), WASI_ENOTCAPABLE);
	end();
}

static void test_a_folder_to_be_read(void)
{
	begin();
	EQ(CALL(fd_close, (uint64_t)make_file("a")), WASI_SUCCESS);
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	OK(open_in(READ_ONLY, "a", 0, WASI_RIGHT_FD_READ, 0) > 0);
	OK(open_in(READ_ONLY, "a", WASI_OFLAG_CREAT, WASI_RIGHT_FD_READ, 0) > 0);
	EQ(open_in(READ_ONLY, "a", WASI_OFLAG_CREAT | WASI_OFLAG_EXCL, 0, 0), -WASI_EEXIST);
	EQ(open_in(READ_ONLY, "b", WASI_OFLAG_CREAT, 0, 0), -WASI_EROFS);
	EQ(open_in(READ_ONLY, "a", 0, RDWR, 0), -WASI_EROFS);
	EQ(open_in(READ_ONLY, "a", WASI_OFLAG_TRUNC, 0, 0), -WASI_EROFS);
	EQ(CALL(path_create_directory, READ_ONLY, PATH("e")), WASI_EROFS);
	EQ(CALL(path_remove_directory, READ_ONLY, PATH("d")), WASI_EROFS);
	EQ(CALL(path_unlink_file, READ_ONLY, PATH("a")), WASI_EROFS);
	EQ(CALL(path_rename, READ_ONLY, PATH("a"), FOLDER, OTHER("b")), WASI_EROFS);
	EQ(CALL(path_rename, FOLDER, PATH("a"), READ_ONLY, OTHER("b")), WASI_EROFS);
	EQ(CALL(path_link, READ_ONLY, 0, PATH("a"), FOLDER, OTHER("b")), WASI_EROFS);
	EQ(CALL(path_symlink, OTHER("a"), READ_ONLY, PATH("b")), WASI_EROFS);
	EQ(CALL(path_filestat_set_times, READ_ONLY, 0, PATH("a"), 0, 0, WASI_TIME_MTIM_NOW),
	   WASI_EROFS);
	EQ(CALL(fd_filestat_set_times, READ_ONLY, 0, 0, WASI_TIME_MTIM_NOW), WASI_EROFS);
	int inner = open_in(READ_ONLY, "d", WASI_OFLAG_DIRECTORY, WASI_RIGHTS_OF_FOLDER, 0);
	EQ(open_in(inner, "x", WASI_OFLAG_CREAT, 0, 0), -WASI_EROFS);
	EQ(CALL(path_filestat_get, READ_ONLY, 0, PATH("a"), BUFFER), WASI_SUCCESS);
	OK(is_there("a") && is_there("d") && !is_there("b") && !is_there("e"));
	end();
}

/* What lies beside the folder, and ways to it that would work without the boundary. */
static void test_no_path_leads_out(void)
{
	char outside[128], up[160];
	begin();
	(void)snprintf(outside, sizeof(outside), "%s.decoy", top);
	(void)snprintf(up, sizeof(up), "../%s", strrchr(outside, '/') + 1);
	int decoy = open(outside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	OK(write(decoy, "secret", 6) == 6);
	close(decoy);
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	OK(symlinkat(outside, top_fd, "absolute") == 0 && symlinkat(up, top_fd, "up") == 0 &&
	   symlinkat("..", top_fd, "above") == 0 && symlinkat("/", top_fd, "root") == 0);
	OK(faccessat(top_fd, up, R_OK, 0) == 0 && faccessat(top_fd, "up", R_OK, 0) == 0 &&
	   faccessat(top_fd, "absolute", R_OK, 0) == 0);
	char deep[256], above[256], rooted[256];
	(void)snprintf(deep, sizeof(deep), "d/../%s", up);
	(void)snprintf(above, sizeof(above), "above/%s", up + 3);
	(void)snprintf(rooted, sizeof(rooted), "root%s", outside);
	const char *ways[] = { outside,    up,   deep, above,     rooted,
			       "absolute", "up", "..", "d/../..", "/" };
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		uint64_t len = put_at(1024, ways[i]);
		for (uint64_t oflags = 0; oflags < 16; oflags++) {
			if ((oflags & 3) == 3)
				continue;
			uint32_t r = CALL(path_open, FOLDER, 1, 1024, len, oflags,
					  WASI_RIGHT_FD_READ, 0, 0, RESULT);
			OK(r == WASI_ENOTCAPABLE || (oflags & WASI_OFLAG_EXCL && r == WASI_EEXIST));
		}
		EQ(CALL(path_filestat_get, FOLDER, 1, 1024, len, BUFFER), WASI_ENOTCAPABLE);
		EQ(CALL(path_filestat_set_times, FOLDER, 1, 1024, len, 0, 0, WASI_TIME_MTIM),
		   WASI_ENOTCAPABLE);
	}
	for (size_t i = 0; i < 5; i++) {
		uint64_t len = put_at(1024, ways[i]);
		EQ(CALL(path_unlink_file, FOLDER, 1024, len), WASI_ENOTCAPABLE);
		EQ(CALL(path_remove_directory, FOLDER, 1024, len), WASI_ENOTCAPABLE);
		EQ(CALL(path_create_directory, FOLDER, 1024, len), WASI_ENOTCAPABLE);
		EQ(CALL(path_readlink, FOLDER, 1024, len, BUFFER, 100, RESULT), WASI_ENOTCAPABLE);
		EQ(CALL(path_rename, FOLDER, 1024, len, FOLDER, OTHER("got")), WASI_ENOTCAPABLE);
		EQ(CALL(path_rename, FOLDER, OTHER("d"), FOLDER, 1024, len), WASI_ENOTCAPABLE);
		EQ(CALL(path_link, FOLDER, 0, 1024, len, FOLDER, OTHER("got")), WASI_ENOTCAPABLE);
		EQ(CALL(path_link, FOLDER, 0, OTHER("up"), FOLDER, 1024, len), WASI_ENOTCAPABLE);
		EQ(CALL(path_symlink, OTHER("d"), FOLDER, 1024, len), WASI_ENOTCAPABLE);
	}
	/* With a slash behind it, a link would be followed. */
	EQ(CALL(path_readlink, FOLDER, PATH("above/"), BUFFER, 100, RESULT), WASI_ENOTCAPABLE);
	EQ(CALL(path_link, FOLDER, 0, PATH("above/"), FOLDER, OTHER("got")), WASI_ENOTCAPABLE);
	EQ(CALL(path_filestat_get, FOLDER, 0, PATH("above/"), BUFFER), WASI_ENOTCAPABLE);
	EQ(CALL(path_remove_directory, FOLDER, PATH("above/")), WASI_ENOTDIR);
	EQ(CALL(path_symlink, OTHER("/etc"), FOLDER, PATH("link")), WASI_ENOTCAPABLE);
	OK(is_there("d") && !is_there("got") && !is_there("link"));
	struct stat status;
	OK(stat(outside, &status) == 0 && status.st_size == 6 && status.st_nlink == 1);
	OK(unlink(outside) == 0);
	end();
}

static void test_what_paths_may_be(void)
{
	static char many[WASI_MAX_PATH_BYTES + 2], long_name[300];
	begin();
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	EQ(CALL(path_create_directory, FOLDER, PATH("d/nested")), WASI_SUCCESS);
	EQ(CALL(fd_close, (uint64_t)make_file("d/nested/f")), WASI_SUCCESS);
	OK(open_in(FOLDER, "d/.//nested/../../d/nested/../nested///./f", 0, 0, 0) > 0);
	OK(open_in(FOLDER, "d/nested///", 0, 0, 0) > 0);
	EQ(open_in(FOLDER, "d/nested/f/", 0, 0, 0), -WASI_ENOTDIR);
	EQ(open_in(FOLDER, "", 0, 0, 0), -WASI_ENOENT);
	memcpy(memory + 1024, "d\0x", 3);
	EQ(CALL(path_open, FOLDER, 0, 1024, 3, 0, 0, 0, 0, RESULT), WASI_EINVAL);
	EQ(open_in(FOLDER, "\xff", WASI_OFLAG_CREAT, 0, 0), -WASI_EILSEQ);
	EQ(open_in(FOLDER, "\xc0\xaf", WASI_OFLAG_CREAT, 0, 0), -WASI_EILSEQ);
	EQ(CALL(path_symlink, OTHER("\xff"), FOLDER, PATH("l")), WASI_EILSEQ);
	OK(make_file("new\nline \xc3\xa4") > 0);
	OK(is_there("new\nline \xc3\xa4"));
	memset(many, 'x', sizeof(many) - 1);
	memset(long_name, 'x', sizeof(long_name) - 1);
	EQ(open_in(FOLDER, many, 0, 0, 0), -WASI_ENAMETOOLONG);
	EQ(open_in(FOLDER, long_name, WASI_OFLAG_CREAT, 0, 0), -WASI_ENAMETOOLONG);
	EQ(CALL(path_create_directory, FOLDER, PATH(long_name)), WASI_ENAMETOOLONG);
	EQ(CALL(path_open, FOLDER, 0, MEMORY_BYTES - 3, 4, 0, 0, 0, 0, RESULT), WASI_EFAULT);
	EQ(CALL(path_unlink_file, FOLDER, UINT32_MAX, UINT32_MAX), WASI_EFAULT);
	end();
}

static void test_links(void)
{
	begin();
	int number = make_file("target");
	EQ(write_to(number, "x"), WASI_SUCCESS);
	EQ(CALL(path_symlink, OTHER("target"), FOLDER, PATH("link")), WASI_SUCCESS);
	EQ(CALL(path_symlink, OTHER("nowhere"), FOLDER, PATH("dangling")), WASI_SUCCESS);
	EQ(CALL(path_symlink, OTHER("loop"), FOLDER, PATH("loop")), WASI_SUCCESS);
	EQ(CALL(path_symlink, OTHER("x"), FOLDER, PATH("link")), WASI_EEXIST);
	EQ(CALL(path_symlink, OTHER("x"), FOLDER, PATH("new/")), WASI_ENOENT);
	EQ(CALL(path_symlink, 6144, 0, FOLDER, PATH("new")), WASI_ENOENT);
	EQ(open_in(FOLDER, "link", 0, 0, 0), -WASI_ELOOP);
	EQ(open_in(FOLDER, "link", WASI_OFLAG_DIRECTORY, 0, 0), -WASI_ENOTDIR);
	EQ(open_in(FOLDER, "dangling", 0, 0, 0), -WASI_ELOOP);
	EQ(CALL(path_open, FOLDER, 1, PATH("link"), 0, 0, 0, 0, RESULT), WASI_SUCCESS);
	EQ(CALL(path_open, FOLDER, 1, PATH("dangling"), 0, 0, 0, 0, RESULT), WASI_ENOENT);
	EQ(CALL(path_open, FOLDER, 1, PATH("loop"), 0, 0, 0, 0, RESULT), WASI_ELOOP);
	EQ(CALL(path_open, FOLDER, 1, PATH("dangling"), 1, 0, 0, 0, RESULT), WASI_SUCCESS);
	OK(is_there("nowhere"));
	EQ(CALL(path_readlink, FOLDER, PATH("link"), BUFFER, 100, RESULT), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 6);
	OK(memcmp(memory + BUFFER, "target", 6) == 0);
	EQ(CALL(path_readlink, FOLDER, PATH("link"), BUFFER, 3, RESULT), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 3);
	EQ(CALL(path_readlink, FOLDER, PATH("link"), BUFFER, 0, RESULT), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 0);
	EQ(CALL(path_readlink, FOLDER, PATH("target"), BUFFER, 100, RESULT), WASI_EINVAL);
	EQ(CALL(path_filestat_get, FOLDER, 0, PATH("link"), BUFFER), WASI_SUCCESS);
	EQ(memory[BUFFER + 16], WASI_TYPE_LINK);
	EQ(CALL(path_filestat_get, FOLDER, 1, PATH("link"), BUFFER), WASI_SUCCESS);
	EQ(memory[BUFFER + 16], WASI_TYPE_FILE);
	EQ(CALL(path_filestat_set_times, FOLDER, 0, PATH("link"), 0, 9, WASI_TIME_MTIM),
	   WASI_SUCCESS);
	EQ(CALL(path_filestat_get, FOLDER, 0, PATH("link"), BUFFER), WASI_SUCCESS);
	EQ(guest_u64(memory + BUFFER + 48), 9);
	EQ(CALL(path_filestat_get, FOLDER, 1, PATH("link"), BUFFER), WASI_SUCCESS);
	OK(guest_u64(memory + BUFFER + 48) != 9);
	/* Another name, of the link and not of what it leads to. */
	EQ(CALL(path_link, FOLDER, 0, PATH("dangling"), FOLDER, OTHER("again")), WASI_SUCCESS);
	EQ(CALL(path_link, FOLDER, 0, PATH("target"), FOLDER, OTHER("hard")), WASI_SUCCESS);
	EQ(CALL(path_filestat_get, FOLDER, 0, PATH("hard"), BUFFER), WASI_SUCCESS);
	EQ(guest_u64(memory + BUFFER + 24), 2);
	EQ(CALL(path_link, FOLDER, 1, PATH("target"), FOLDER, OTHER("more")), WASI_EINVAL);
	EQ(CALL(path_link, FOLDER, 0, PATH("target"), FOLDER, OTHER("hard")), WASI_EEXIST);
	EQ(CALL(path_link, FOLDER, 0, PATH("target"), FOLDER, OTHER("more/")), WASI_ENOENT);
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	EQ(CALL(path_link, FOLDER, 0, PATH("d"), FOLDER, OTHER("more")), WASI_EPERM);
	EQ(CALL(path_link, FOLDER, 0, PATH("d/"), FOLDER, OTHER("more")), WASI_EPERM);
	EQ(CALL(path_link, FOLDER, 0, PATH("target/"), FOLDER, OTHER("more")), WASI_ENOTDIR);
	end();
}

static void test_names(void)
{
	begin();
	EQ(CALL(path_create_directory, FOLDER, PATH("d/")), WASI_SUCCESS);
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_EEXIST);
	EQ(CALL(path_create_directory, FOLDER, PATH("x/y")), WASI_ENOENT);
	EQ(CALL(path_create_directory, FOLDER, PATH(".")), WASI_EEXIST);
	EQ(CALL(path_create_directory, FOLDER, PATH("d/..")), WASI_EEXIST);
	EQ(CALL(fd_close, (uint64_t)make_file("d/f")), WASI_SUCCESS);
	EQ(CALL(path_remove_directory, FOLDER, PATH("d")), WASI_ENOTEMPTY);
	EQ(CALL(path_remove_directory, FOLDER, PATH("d/f")), WASI_ENOTDIR);
	EQ(CALL(path_remove_directory, FOLDER, PATH("d/f/")), WASI_ENOTDIR);
	EQ(CALL(path_remove_directory, FOLDER, PATH("d/.")), WASI_EINVAL);
	EQ(CALL(path_unlink_file, FOLDER, PATH("d")), WASI_EISDIR);
	EQ(CALL(path_unlink_file, FOLDER, PATH("d/")), WASI_EISDIR);
	EQ(CALL(path_unlink_file, FOLDER, PATH("d/f/")), WASI_ENOTDIR);
	EQ(CALL(path_unlink_file, FOLDER, PATH("nothing")), WASI_ENOENT);
	EQ(CALL(path_rename, FOLDER, PATH("d/"), FOLDER, OTHER("e/")), WASI_SUCCESS);
	EQ(CALL(path_rename, FOLDER, PATH("e/f"), FOLDER, OTHER("f")), WASI_SUCCESS);
	EQ(CALL(path_rename, FOLDER, PATH("f"), FOLDER, OTHER("e")), WASI_EISDIR);
	EQ(CALL(path_rename, FOLDER, PATH("e"), FOLDER, OTHER("f")), WASI_ENOTDIR);
	EQ(CALL(path_rename, FOLDER, PATH("e"), FOLDER, OTHER("e/inside")), WASI_EINVAL);
	EQ(CALL(path_rename, FOLDER, PATH("nothing"), FOLDER, OTHER("x")), WASI_ENOENT);
	EQ(CALL(path_rename, FOLDER, PATH("f"), 1, OTHER("x")), WASI_ENOTDIR);
	EQ(CALL(path_remove_directory, FOLDER, PATH("e/")), WASI_SUCCESS);
	EQ(CALL(path_unlink_file, FOLDER, PATH("f")), WASI_SUCCESS);
	end();
}

/* Whoever waits for its other end would wait for ever; the alarm ends the test then. */
static void test_what_is_no_file_is_refused_at_once(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	begin();
	(void)alarm(20);
	OK(mkfifoat(top_fd, "fifo", 0666) == 0);
	int socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s/socket", top);
	OK(bind(socket_fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	close(socket_fd);
	bool has_device = mknodat(top_fd, "null", S_IFCHR | 0666, 0x0103) == 0;
	const char *names[] = { "fifo", "socket", "null" };
	for (size_t i = 0; i < (has_device ? 3 : 2); i++) {
		EQ(open_in(FOLDER, names[i], 0, WASI_RIGHT_FD_READ, 0), -WASI_ENOTSUP);
		EQ(open_in(FOLDER, names[i], 0, WASI_RIGHT_FD_WRITE, 0), -WASI_ENOTSUP);
		EQ(open_in(FOLDER, names[i], 0, RDWR, 0), -WASI_ENOTSUP);
		EQ(open_in(FOLDER, names[i], WASI_OFLAG_CREAT, RDWR, 0), -WASI_ENOTSUP);
		EQ(open_in(FOLDER, names[i], WASI_OFLAG_TRUNC, RDWR, 0), -WASI_ENOTSUP);
		EQ(CALL(path_filestat_get, FOLDER, 0, PATH(names[i]), BUFFER), WASI_SUCCESS);
	}
	EQ(wasi.n_files, 5);
	(void)alarm(0);
	end();
}

/* Names of the folder @number in @out, sorted as they come; how many, or minus an errno. */
static int list(int number, uint64_t buffer_bytes, char out[][256], int max)
{
	uint64_t cookie = 0;
	int n = 0;
	for (;;) {
		uint32_t r =
			CALL(fd_readdir, (uint64_t)number, BUFFER, buffer_bytes, cookie, RESULT);
		if (r != WASI_SUCCESS)
			return -(int)r;
		uint64_t used = guest_u32(memory + RESULT), at = 0;
		while (used - at >= 24) {
			const uint8_t *entry = memory + BUFFER + at;
			uint64_t len = guest_u32(entry + 16);
			if (used - at < 24 + len)
				break;
			if (n < max) {
				memcpy(out[n], entry + 24, len);
				out[n][len] = '\0';
			}
			n++;
			cookie = guest_u64(entry);
			at += 24 + len;
		}
		if (used < buffer_bytes)
			return n;
		if (at == 0)
			return -1;
	}
}

static void test_listing(void)
{
	static char names[400][256];
	begin();
	EQ(list(FOLDER, 4096, names, 400), 2);
	for (int i = 0; i < 300; i++) {
		char name[32];
		(void)snprintf(name, sizeof(name), "file-%d", i);
		close(openat(top_fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	}
	close(openat(top_fd, "\xff\xfe", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	for (uint64_t bytes = 64; bytes <= 65536; bytes *= 4) {
		bool seen[300] = { false };
		int n = list(FOLDER, bytes, names, 400);
		EQ(n, 302); /* and not the name that cannot be said */
		for (int i = 0; i < MIN(n, 400); i++) {
			int number;
			if (sscanf(names[i], "file-%d", &number) == 1) {
				OK(!seen[number]);
				seen[number] = true;
			}
		}
	}
	/* A cookie stays right while others go. */
	EQ(CALL(fd_readdir, FOLDER, BUFFER, 2048, 0, RESULT), WASI_SUCCESS);
	uint64_t second = guest_u64(memory + BUFFER + 24 + guest_u32(memory + BUFFER + 16));
	EQ(CALL(fd_readdir, FOLDER, BUFFER, 300, second, RESULT), WASI_SUCCESS);
	uint64_t inode = guest_u64(memory + BUFFER + 8);
	EQ(CALL(fd_readdir, READ_ONLY, BUFFER, 300, second, RESULT), WASI_SUCCESS);
	EQ(guest_u64(memory + BUFFER + 8), inode);
	EQ(CALL(fd_readdir, FOLDER, BUFFER, 0, 0, RESULT), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 0);
	EQ(CALL(fd_readdir, FOLDER, BUFFER, 300, UINT64_MAX, RESULT), WASI_EINVAL);
	EQ(CALL(fd_readdir, FOLDER, MEMORY_BYTES - 10, 11, 0, RESULT), WASI_EFAULT);
	EQ(CALL(fd_readdir, 1, BUFFER, 300, 0, RESULT), WASI_ENOTDIR);
	end();
}

static void test_the_table_is_bounded(void)
{
	begin();
	wasi.max_files = 8;
	EQ(make_file("a"), 5);
	EQ(make_file("b"), 6);
	EQ(make_file("c"), 7);
	EQ(make_file("d"), -WASI_EMFILE);
	OK(!is_there("d"));
	EQ(CALL(fd_renumber, 7, 3), WASI_SUCCESS);
	EQ(CALL(fd_prestat_get, 3, RESULT), WASI_EBADF);
	EQ(CALL(fd_close, 7), WASI_EBADF);
	EQ(CALL(fd_renumber, 3, 7), WASI_EBADF);
	end();
}

static void test_host_work_is_paid_before_it_is_done(void)
{
	begin();
	fuel = WASI_UNITS_PER_CALL + WASI_UNITS_PER_LOOKUP - 1;
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_OUT_OF_FUEL);
	fuel = WASI_UNITS_PER_CALL + WASI_UNITS_PER_LOOKUP - 1;
	EQ(CALL(path_open, FOLDER, 0, PATH("f"), WASI_OFLAG_CREAT, 0, 0, 0, RESULT),
	   WASI_OUT_OF_FUEL);
	OK(!is_there("d") && !is_there("f"));
	fuel = WASI_UNITS_PER_CALL + WASI_UNITS_PER_LOOKUP;
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	fuel = UINT64_MAX;
	uint64_t file = (uint64_t)make_file("f");
	fuel = 1 << 20;
	EQ(CALL(fd_allocate, file, 0, 1 << 30), WASI_OUT_OF_FUEL);
	fuel = 1000;
	EQ(CALL(fd_sync, file), WASI_OUT_OF_FUEL);
	fuel = 1000;
	EQ(CALL(fd_readdir, FOLDER, BUFFER, 65536, 0, RESULT), WASI_OUT_OF_FUEL);
	end();
}

static void limit_disk(uint64_t bytes, uint64_t inodes)
{
	disk = (struct wasi_disk){ .max_bytes = bytes, .max_inodes = inodes };
	wasi.disk = &disk;
}

/* What the file system says that lies there, in the same blocks. */
static uint64_t measure(void)
{
	struct stat status;
	uint64_t bytes = 0;
	char names[64][256];
	int n = list(FOLDER, 65536, names, 64);
	for (int i = 0; i < MIN(n, 64); i++) {
		if (names[i][0] != '.' &&
		    fstatat(top_fd, names[i], &status, AT_SYMLINK_NOFOLLOW) == 0)
			bytes += ((uint64_t)status.st_size + 4095) / 4096 * 4096;
	}
	return bytes;
}

#define KIB 1024u

static uint32_t write_len(int number, uint32_t len)
{
	guest_put_u32(memory, BUFFER);
	guest_put_u32(memory + 4, len);
	return CALL(fd_write, (uint64_t)number, 0, 1, RESULT);
}

static void test_disk_writing(void)
{
	begin();
	limit_disk(64 * KIB, UINT64_MAX);
	int number = make_file("a");
	EQ(disk.bytes, 0);
	EQ(disk.inodes, 1);
	EQ(write_len(number, 1), WASI_SUCCESS);
	EQ(disk.bytes, 4 * KIB);
	EQ(write_len(number, 4095), WASI_SUCCESS);
	EQ(disk.bytes, 4 * KIB);
	/* What still fits is written, and then nothing more. */
	EQ(write_len(number, 100 * KIB), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 60 * KIB);
	EQ(disk.bytes, 64 * KIB);
	EQ(disk.n_refused, 0);
	EQ(write_len(number, 1), WASI_ENOSPC);
	EQ(disk.n_refused, 1);
	EQ(CALL(fd_seek, (uint64_t)number, 0, 0, RESULT), WASI_SUCCESS);
	EQ(write_len(number, 64 * KIB), WASI_SUCCESS); /* what is there may be written anew */
	EQ(measure(), disk.bytes);
	EQ(CALL(fd_filestat_set_size, (uint64_t)number, 10), WASI_SUCCESS);
	EQ(disk.bytes, 4 * KIB);
	EQ(CALL(fd_close, (uint64_t)number), WASI_SUCCESS);
	number = open_in(FOLDER, "a", WASI_OFLAG_TRUNC, RDWR, 0);
	EQ(disk.bytes, 0);
	/* Behind all that is there, wherever the place is. */
	int appending = open_in(FOLDER, "a", 0, RDWR, WASI_FDFLAG_APPEND);
	EQ(write_len(number, 8 * KIB), WASI_SUCCESS);
	EQ(write_len(appending, 100 * KIB), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 56 * KIB);
	EQ(disk.bytes, 64 * KIB);
	EQ(measure(), disk.bytes);
	end();
}

static void test_disk_holes(void)
{
	begin();
	limit_disk(64 * KIB, UINT64_MAX);
	int number = make_file("a");
	uint64_t file = (uint64_t)number;
	EQ(CALL(fd_filestat_set_size, file, 65 * KIB), WASI_ENOSPC);
	EQ(CALL(fd_filestat_set_size, file, 40 * KIB), WASI_SUCCESS);
	EQ(disk.bytes, 40 * KIB);
	EQ(write_len(number, 40 * KIB), WASI_SUCCESS); /* a hole was counted when it was made */
	EQ(disk.bytes, 40 * KIB);
	EQ(CALL(fd_allocate, file, 0, 65 * KIB), WASI_ENOSPC);
	EQ(CALL(fd_allocate, file, 0, 44 * KIB), WASI_SUCCESS);
	EQ(disk.bytes, 44 * KIB);
	guest_put_u32(memory + 4, 4 * KIB);
	EQ(CALL(fd_pwrite, file, 0, 1, 64 * KIB, RESULT), WASI_ENOSPC);
	EQ(CALL(fd_pwrite, file, 0, 1, UINT64_C(1) << 50, RESULT), WASI_ENOSPC);
	EQ(CALL(fd_pwrite, file, 0, 1, 60 * KIB, RESULT), WASI_SUCCESS);
	EQ(disk.bytes, 64 * KIB);
	EQ(CALL(fd_close, file), WASI_SUCCESS);
	/* Holes of a file that was there before count when it is opened to be written. */
	EQ(CALL(path_unlink_file, FOLDER, PATH("a")), WASI_SUCCESS);
	EQ(disk.bytes, 0);
	int sparse = openat(top_fd, "sparse", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	OK(ftruncate(sparse, 1 << 20) == 0);
	EQ(open_in(FOLDER, "sparse", 0, RDWR, 0), -WASI_ENOSPC);
	OK(open_in(FOLDER, "sparse", 0, WASI_RIGHT_FD_READ, 0) > 0);
	OK(ftruncate(sparse, 32 * KIB) == 0);
	close(sparse);
	OK(open_in(FOLDER, "sparse", 0, RDWR, 0) > 0);
	EQ(disk.bytes, 32 * KIB);
	OK(open_in(FOLDER, "sparse", 0, RDWR, 0) > 0);
	EQ(disk.bytes, 32 * KIB);
	end();
}

static void test_disk_names(void)
{
	begin();
	limit_disk(UINT64_MAX, 4);
	OK(make_file("a") > 0);
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	EQ(CALL(path_symlink, OTHER("a"), FOLDER, PATH("l")), WASI_SUCCESS);
	EQ(CALL(path_link, FOLDER, 0, PATH("a"), FOLDER, OTHER("b")), WASI_SUCCESS);
	EQ(disk.inodes, 3);
	OK(make_file("c") > 0);
	EQ(make_file("e"), -WASI_ENOSPC);
	EQ(CALL(path_create_directory, FOLDER, PATH("e")), WASI_ENOSPC);
	EQ(CALL(path_symlink, OTHER("a"), FOLDER, PATH("e")), WASI_ENOSPC);
	OK(!is_there("e"));
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_ENOSPC);
	EQ(CALL(path_remove_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	EQ(CALL(path_unlink_file, FOLDER, PATH("l")), WASI_SUCCESS);
	EQ(disk.inodes, 2);
	EQ(CALL(path_create_directory, FOLDER, PATH("x/y")), WASI_ENOENT);
	EQ(CALL(path_symlink, OTHER("a"), FOLDER, PATH("a")), WASI_EEXIST);
	EQ(disk.inodes, 2);
	EQ(CALL(path_unlink_file, FOLDER, PATH("a")), WASI_SUCCESS);
	EQ(disk.inodes, 2); /* it has another name */
	EQ(CALL(path_rename, FOLDER, PATH("c"), FOLDER, OTHER("b")), WASI_SUCCESS);
	EQ(disk.inodes, 2); /* what it took the name of is still open */
	wasi_fini(&wasi);
	EQ(disk.inodes, 1);
	OK(is_there("b"));
	remove_all(top_fd);
	OK(rmdir(top) == 0);
}

static void test_disk_bytes_come_back_when_nobody_has_them(void)
{
	begin();
	limit_disk(68 * KIB, UINT64_MAX);
	for (int i = 0; i < 5; i++) {
		int number = make_file("a");
		OK(number > 0);
		EQ(write_len(number, i < 2 ? 32 * KIB : 8 * KIB), WASI_SUCCESS);
		EQ(guest_u32(memory + RESULT), i < 2 ? 32 * KIB : 4 * KIB);
		if (i >= 2)
			EQ(CALL(fd_close, (uint64_t)number), WASI_SUCCESS);
		EQ(CALL(path_unlink_file, FOLDER, PATH("a")), WASI_SUCCESS);
	}
	EQ(disk.bytes, 64 * KIB); /* without a name, but open */
	EQ(CALL(fd_close, 5), WASI_SUCCESS);
	EQ(disk.bytes, 32 * KIB);
	EQ(CALL(fd_close, 6), WASI_SUCCESS);
	EQ(disk.bytes, 0);
	/* What the run did not make gives nothing. */
	int old = openat(top_fd, "old", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	OK(write(old, memory, 100 * KIB) == 100 * KIB);
	close(old);
	EQ(CALL(path_unlink_file, FOLDER, PATH("old")), WASI_SUCCESS);
	EQ(disk.bytes, 0);
	end();
}

/* Many names make a folder grow, and moving them makes others grow. */
static void test_disk_folders_count_as_they_grow(void)
{
	struct stat status;
	begin();
	limit_disk(1 << 20, UINT64_MAX);
	EQ(CALL(path_create_directory, FOLDER, PATH("d")), WASI_SUCCESS);
	OK(fstatat(top_fd, "d", &status, 0) == 0);
	uint64_t first = ((uint64_t)status.st_size + 4095) / 4096 * 4096;
	EQ(disk.bytes, first);
	for (int i = 0; i < 300; i++) {
		char name[240];
		(void)snprintf(name, sizeof(name), "d/%0200d", i);
		EQ(CALL(fd_close, (uint64_t)make_file(name)), WASI_SUCCESS);
	}
	OK(fstatat(top_fd, "d", &status, 0) == 0);
	EQ(disk.bytes, ((uint64_t)status.st_size + 4095) / 4096 * 4096);
	end();
}

static void test_disk_is_one_for_all_commands(void)
{
	begin();
	int lock = openat(top_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	limit_disk(64 * KIB, UINT64_MAX);
	wasi.disk_fd = lock;
	int number = make_file("a");
	EQ(write_len(number, 4 * KIB), WASI_SUCCESS);
	/* Somebody counts: who wants to write waits for him, and he goes with his process. */
	int ends[2];
	OK(pipe2(ends, O_CLOEXEC) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		wasi_disk_lock(&wasi);
		(void)!write(ends[1], "l", 1);
		pause();
		_exit(0);
	}
	char byte;
	OK(read(ends[0], &byte, 1) == 1);
	struct flock asked = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	OK(fcntl(lock, F_GETLK, &asked) == 0 && asked.l_type == F_WRLCK && asked.l_pid == pid);
	(void)kill(pid, SIGKILL);
	EQ(write_len(number, 4 * KIB), WASI_SUCCESS);
	EQ(disk.bytes, 8 * KIB);
	(void)waitpid(pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	close(lock);
	end();
}

static void test_file_size(void)
{
	struct rlimit old, few = { 8192, RLIM_INFINITY };
	begin();
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	OK(getrlimit(RLIMIT_FSIZE, &old) == 0 && setrlimit(RLIMIT_FSIZE, &few) == 0);
	int number = make_file("a");
	EQ(write_len(number, 100 * KIB), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 8192);
	EQ(write_len(number, 1), WASI_EFBIG);
	EQ(CALL(fd_filestat_set_size, (uint64_t)number, 8193), WASI_EFBIG);
	OK(setrlimit(RLIMIT_FSIZE, &old) == 0);
	end();
}

static void test_waiting_for_a_file(void)
{
	begin();
	int number = make_file("a");
	memset(memory, 0, 48);
	memory[8] = 1;
	guest_put_u32(memory + 16, (uint32_t)number);
	EQ(CALL(poll_oneoff, 0, BUFFER, 1, RESULT), WASI_SUCCESS);
	EQ(guest_u32(memory + RESULT), 1);
	EQ(guest_u16(memory + BUFFER + 8), WASI_SUCCESS);
	end();
}

int main(void)
{
	RUN(test_folders_that_were_granted);
	RUN(test_a_file_is_made_written_and_read);
	RUN(test_reading_and_writing_at_a_place);
	RUN(test_size_times_and_space);
	RUN(test_flags);
	RUN(test_rights_only_shrink);
	RUN(test_a_folder_to_be_read);
	RUN(test_no_path_leads_out);
	RUN(test_what_paths_may_be);
	RUN(test_links);
	RUN(test_names);
	RUN(test_what_is_no_file_is_refused_at_once);
	RUN(test_listing);
	RUN(test_the_table_is_bounded);
	RUN(test_host_work_is_paid_before_it_is_done);
	RUN(test_disk_writing);
	RUN(test_disk_holes);
	RUN(test_disk_names);
	RUN(test_disk_bytes_come_back_when_nobody_has_them);
	RUN(test_disk_folders_count_as_they_grow);
	RUN(test_disk_is_one_for_all_commands);
	RUN(test_file_size);
	RUN(test_waiting_for_a_file);
	return tap_done();
}
