/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.c - a file with an ext4 of exactly the quota, attached to a loop device and mounted
 *
 * mke2fs costs 40 ms, so it runs once per size: its result is kept as templates/BYTES-INODES-b and
 * copied (some 700 KiB; the rest are holes).  Exact is what it has left over: the template is made
 * larger than needed, then mounted once, and the surplus is taken by a folder .reserve, which no
 * overlay ever shows: empty files for inodes, one preallocated file for bytes.  What a sandbox
 * finds available is then the limit, to the block.
 *
 * There is no journal, and no write is waited for: after a crash of the host a set that was in
 * use may be damaged, as /tmp would be.  The inode tables are not zeroed in the background, as
 * they lie in holes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "workspace/private.h"

#define KIB              UINT64_C(1024)
#define MIB              (1024 * KIB)
#define BLOCK_BYTES      UINT64_C(4096)
#define GROUP_BYTES      (128 * MIB) /* what one group of an ext4 with 4 KiB blocks spans */
#define MAX_GROUP_INODES UINT64_C(32000)
#define MAX_DISK_BYTES   (1024 * 1024 * MIB)
#define MAX_DISK_INODES  (UINT64_C(1) << 24)
/* Another letter for another way of making them: old ones are then not used any more. */
#define TEMPLATE_KIND "-b"
#define LOOP_TRIES    64
#define SAFE          (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME)

static const char *const makers[] = { "/sbin/mkfs.ext4", "/usr/sbin/mkfs.ext4",
				      "/usr/local/sbin/mkfs.ext4" };

static const char *find_maker(void)
{
	for (size_t i = 0; i < ARRAY_LEN(makers); i++) {
		if (faccessat(AT_FDCWD, makers[i], X_OK, AT_EACCESS) == 0)
			return makers[i];
	}
	return NULL;
}

const char *changes_disk_lack(void)
{
	if (geteuid() != 0)
		return "foso was not started by root";
	if (!find_maker())
		return "mkfs.ext4 is missing";
	auto_fd int control_fd = openat(AT_FDCWD, "/dev/loop-control", O_RDWR | O_CLOEXEC);
	return control_fd < 0 ? "no loop devices can be had" : NULL;
}

/* Without a limit: what the host has free, in a power of two, so that few templates are made. */
void disk_size(int store_fd, uint64_t *bytes, uint64_t *inodes)
{
	struct statfs space;
	if (*bytes == UINT64_MAX) {
		*bytes = 1024 * MIB;
		uint64_t n_free = 0;
		if (fstatfs(store_fd, &space) == 0)
			n_free = (uint64_t)space.f_bavail * (uint64_t)space.f_bsize;
		while (*bytes * 2 <= n_free)
			*bytes *= 2;
	}
	*bytes = MIN(*bytes, MAX_DISK_BYTES) / BLOCK_BYTES * BLOCK_BYTES;
	if (*inodes == UINT64_MAX)
		*inodes = MAX(*bytes / (16 * KIB), UINT64_C(262144));
	*inodes = MIN(*inodes, MAX_DISK_INODES);
}

static int failed(struct error *err, int errnum, const char *subject, const char *what)
{
	int r = error_set(err, errnum == ENOSPC ? ERR_LIMIT : ERR_SYSTEM, errnum, subject, "%s",
			  what);
	return error_remedy(err, r, "see foso doctor, and the free space of the store");
}

/* Free space for the quota, the inode tables, what ext4 keeps for itself (2 %), and a surplus. */
static uint64_t whole_bytes(uint64_t bytes, uint64_t inodes)
{
	uint64_t n_groups = inodes / MAX_GROUP_INODES + 1;
	uint64_t whole = bytes + bytes / 32 + inodes * 288 + 32 * MIB;
	return MAX(whole, n_groups * GROUP_BYTES);
}

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EIO;
}

/* mke2fs reads nothing but our own empty file. */
static int format(int file_fd, uint64_t inodes)
{
	static const char features[] =
		"none,dir_index,dir_nlink,ext_attr,extent,extra_isize,filetype,flex_bg,huge_file,"
		"large_dir,large_file,metadata_csum,sparse_super2";
	char path[32], count[24];
	const char *maker = find_maker();
	if (!maker)
		return ENOENT;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", file_fd);
	(void)snprintf(count, sizeof(count), "%llu", (unsigned long long)inodes);
	const char *argv[] = { maker,    "-q",   "-F",
			       "-b",     "4096", "-I",
			       "256",    "-m",   "0",
			       "-N",     count,  "-O",
			       features, "-E",   "lazy_itable_init=1,nodiscard,num_backup_sb=0",
			       path,     NULL };
	char *envp[] = { (char[]){ "PATH=/usr/sbin:/usr/bin:/sbin:/bin" },
			 (char[]){ "MKE2FS_CONFIG=/dev/null" }, NULL };
	pid_t pid = fork();
	if (pid == 0) {
		int null_fd = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd < 3; fd++)
			(void)dup3(null_fd, fd, 0);
		(void)fcntl(file_fd, F_SETFD, 0);
		(void)execve(maker, (char *const *)(uintptr_t)argv, envp);
		_exit(127);
	}
	return pid < 0 ? errno : wait_for(pid);
}

/* 0, or an errno; ENXIO: no loop device. */
static int attach(int file_fd, bool is_read_only, int *ret_loop_fd, int *ret_loop)
{
	auto_fd int control_fd = openat(AT_FDCWD, "/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control_fd < 0)
		return ENXIO;
	struct loop_config config = {
		.fd = (uint32_t)file_fd,
		.block_size = (uint32_t)BLOCK_BYTES,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | (is_read_only ? LO_FLAGS_READ_ONLY : 0),
	};
	/* Somebody else can take the free one first. */
	for (int i = 0; i < LOOP_TRIES; i++) {
		char path[32];
		int number = sys_ioctl(control_fd, LOOP_CTL_GET_FREE, NULL);
		if (number < 0)
			return errno;
		(void)snprintf(path, sizeof(path), "/dev/loop%d", number);
		auto_fd int fd =
			openat(AT_FDCWD, path, (is_read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
		if (fd < 0)
			return ENXIO;
		if (sys_ioctl(fd, LOOP_CONFIGURE, &config) == 0) {
			*ret_loop_fd = take_fd(&fd);
			*ret_loop = number;
			return 0;
		}
		if (errno != EBUSY)
			return errno;
	}
	return EBUSY;
}

static int mount_loop(int loop, bool is_read_only, int *ret_mount_fd)
{
	static const char *const flags[] = { "noinit_itable", "nobarrier", "ro" };
	char path[32];
	(void)snprintf(path, sizeof(path), "/dev/loop%d", loop);
	auto_fd int context = sys_fsopen("ext4", FSOPEN_CLOEXEC);
	if (context < 0 || sys_fsconfig(context, FSCONFIG_SET_STRING, "source", path, 0) < 0)
		return errno;
	for (size_t i = 0; i < (is_read_only ? 3 : 2); i++) {
		if (sys_fsconfig(context, FSCONFIG_SET_FLAG, flags[i], NULL, 0) < 0)
			return errno;
	}
	if (sys_fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return errno;
	int fd = sys_fsmount(context, FSMOUNT_CLOEXEC,
			     SAFE | (is_read_only ? MOUNT_ATTR_RDONLY : 0));
	if (fd < 0)
		return errno;
	*ret_mount_fd = fd;
	return 0;
}

static int mount_file(int file_fd, bool is_read_only, int *ret_mount_fd, int *ret_loop)
{
	auto_fd int loop_fd = -1;
	*ret_loop = -1;
	int r = attach(file_fd, is_read_only, &loop_fd, ret_loop);
	return r != 0 ? r : mount_loop(*ret_loop, is_read_only, ret_mount_fd);
}

int disk_mount_again(int loop, int *ret_mount_fd)
{
	return mount_loop(loop, false, ret_mount_fd);
}

/* Empty files, until exactly @wanted inodes are free. */
static int take_inodes(int reserve_fd, uint64_t wanted)
{
	struct statfs space;
	if (fstatfs(reserve_fd, &space) < 0)
		return errno;
	if (space.f_ffree < wanted)
		return EOVERFLOW;
	for (uint64_t i = 0, n = space.f_ffree - wanted; i < n; i++) {
		char name[24];
		(void)snprintf(name, sizeof(name), "%llu", (unsigned long long)i);
		if (mknodat(reserve_fd, name, S_IFREG | 0400, 0) < 0)
			return errno;
	}
	return 0;
}

/* One file, until exactly @wanted bytes are available; its own map of blocks takes some, too. */
static int take_bytes(int reserve_fd, uint64_t wanted)
{
	auto_fd int fd = openat(reserve_fd, "bytes", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
	uint64_t size = 0;
	struct statfs space;
	if (fd < 0)
		return errno;
	for (int i = 0; i < 8; i++) {
		if (fstatfs(fd, &space) < 0)
			return errno;
		uint64_t available = (uint64_t)space.f_bavail * (uint64_t)space.f_bsize;
		if (available == wanted)
			return 0;
		if (available < wanted && wanted - available > size)
			return EOVERFLOW;
		uint64_t next = available < wanted ? size - (wanted - available)
						   : size + (available - wanted);
		int r = next < size ? ftruncate(fd, (off_t)next)
				    : fallocate(fd, 0, (off_t)size, (off_t)(next - size));
		if (r < 0 && errno == ENOSPC && next > size + 64 * BLOCK_BYTES)
			r = fallocate(fd, 0, (off_t)size,
				      (off_t)((next -= 64 * BLOCK_BYTES) - size));
		if (r < 0)
			return errno;
		size = next;
	}
	return EOVERFLOW;
}

/* An overlay makes one folder of its own in work/, which is not the sandbox's. */
static int fit(int mount_fd, uint64_t bytes, uint64_t inodes)
{
	static const char *const folders[] = { "upper", "work", ".reserve" };
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if (mkdirat(mount_fd, folders[i], i == 2 ? 0700 : 0755) < 0)
			return errno;
	}
	auto_fd int reserve_fd = openat(mount_fd, ".reserve", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (reserve_fd < 0)
		return errno;
	/* The file that takes the bytes is an inode as well. */
	int r = take_inodes(reserve_fd, inodes + 2);
	return r != 0 ? r : take_bytes(reserve_fd, bytes + BLOCK_BYTES);
}

static int make_template(int file_fd, uint64_t bytes, uint64_t inodes)
{
	auto_fd int mount_fd = -1;
	int loop = -1, r;
	if (ftruncate(file_fd, (off_t)whole_bytes(bytes, inodes)) < 0)
		return errno;
	if ((r = format(file_fd, inodes + 64)) != 0 ||
	    (r = mount_file(file_fd, false, &mount_fd, &loop)) != 0)
		return r;
	return fit(mount_fd, bytes, inodes);
}

int disk_copy(int from_fd, int to_fd)
{
	struct stat status;
	off_t at = 0;
	if (fstat(from_fd, &status) < 0 || ftruncate(to_fd, status.st_size) < 0)
		return errno;
	while ((at = lseek(from_fd, at, SEEK_DATA)) >= 0) {
		off_t end = lseek(from_fd, at, SEEK_HOLE);
		off_t to = at;
		if (end < 0)
			return errno;
		while (at < end) {
			ssize_t n =
				copy_file_range(from_fd, &at, to_fd, &to, (size_t)(end - at), 0);
			if (n <= 0)
				return n < 0 ? errno : EIO;
		}
	}
	return errno == ENXIO ? 0 : errno;
}

static int open_templates(int store_fd, int *ret_fd)
{
	if (mkdirat(store_fd, "templates", 0700) < 0 && errno != EEXIST)
		return errno;
	*ret_fd = openat(store_fd, "templates", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret_fd < 0 ? errno : 0;
}

/* Made under a name of its own; two makers at once do the work twice, and either result serves. */
static int open_template(int store_fd, uint64_t bytes, uint64_t inodes, int *ret_fd)
{
	char name[64], fresh[64];
	auto_fd int dir_fd = -1;
	int r = open_templates(store_fd, &dir_fd);
	if (r != 0)
		return r;
	(void)snprintf(name, sizeof(name), "%llu-%llu" TEMPLATE_KIND, (unsigned long long)bytes,
		       (unsigned long long)inodes);
	*ret_fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_fd >= 0 || errno != ENOENT)
		return *ret_fd < 0 ? errno : 0;
	(void)snprintf(fresh, sizeof(fresh), ".%d", (int)getpid());
	(void)unlinkat(dir_fd, fresh, 0);
	auto_fd int fd = openat(dir_fd, fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r = fd < 0 ? errno : make_template(fd, bytes, inodes);
	if (r == 0 && renameat(dir_fd, fresh, dir_fd, name) < 0)
		r = errno;
	if (r != 0)
		(void)unlinkat(dir_fd, fresh, 0);
	else
		*ret_fd = take_fd(&fd);
	return r;
}

static void name_spare(char name[64], uint64_t bytes, uint64_t inodes)
{
	(void)snprintf(name, 64, "%llu-%llu" TEMPLATE_KIND ".spare", (unsigned long long)bytes,
		       (unsigned long long)inodes);
}

void changes_prepare(int store_fd, const struct changes_record *record, int *ret_fd)
{
	char name[64], fresh[64];
	auto_fd int template_fd = -1, dir_fd = -1;
	*ret_fd = -1;
	if (record->mechanism != CHANGES_DISK || open_templates(store_fd, &dir_fd) != 0)
		return;
	name_spare(name, record->disk_bytes, record->disk_inodes);
	if (faccessat(dir_fd, name, F_OK, 0) == 0 ||
	    open_template(store_fd, record->disk_bytes, record->disk_inodes, &template_fd) != 0)
		return;
	(void)snprintf(fresh, sizeof(fresh), ".%d", (int)getpid());
	(void)unlinkat(dir_fd, fresh, 0);
	auto_fd int fd = openat(dir_fd, fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || disk_copy(template_fd, fd) != 0 || renameat(dir_fd, fresh, dir_fd, name) < 0)
		(void)unlinkat(dir_fd, fresh, 0);
	else
		*ret_fd = take_fd(&fd);
}

/* One that somebody made ready is taken by its name, which only one can take. */
static bool take_spare(int store_fd, int dir_fd, uint64_t bytes, uint64_t inodes)
{
	char name[64], path[80];
	name_spare(name, bytes, inodes);
	(void)snprintf(path, sizeof(path), "templates/%s", name);
	return renameat(store_fd, path, dir_fd, "disk") == 0;
}

int disk_make(int store_fd, int dir_fd, uint64_t bytes, uint64_t inodes, const char *subject,
	      struct error *err)
{
	auto_fd int template_fd = -1;
	if (take_spare(store_fd, dir_fd, bytes, inodes))
		return 0;
	int r = open_template(store_fd, bytes, inodes, &template_fd);
	if (r != 0)
		return failed(err, r, subject, "the disk of a change set cannot be made");
	auto_fd int fd = openat(dir_fd, "disk", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r = fd < 0 ? errno : disk_copy(template_fd, fd);
	return r == 0 ? 0 : failed(err, r, subject, "the disk of the change set cannot be written");
}

int disk_mount(int dir_fd, bool is_read_only, int *ret_mount_fd, int *ret_loop, const char *subject,
	       struct error *err)
{
	auto_fd int fd =
		openat(dir_fd, "disk", (is_read_only ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC);
	int r = fd < 0 ? errno : mount_file(fd, is_read_only, ret_mount_fd, ret_loop);
	return r == 0 ? 0 : failed(err, r, subject, "the disk of the change set cannot be mounted");
}

int changes_disk_unnamed(int store_fd, uint64_t bytes, uint64_t inodes, int *ret_mount_fd,
			 struct error *err)
{
	auto_fd int template_fd = -1;
	int loop;
	disk_size(store_fd, &bytes, &inodes);
	int r = open_template(store_fd, bytes, inodes, &template_fd);
	auto_fd int fd = r != 0 ? -1 : openat(store_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (r == 0)
		r = fd < 0 ? errno : disk_copy(template_fd, fd);
	if (r == 0)
		r = mount_file(fd, false, ret_mount_fd, &loop);
	return r == 0 ? 0 : failed(err, r, "root", "a disk for its changes cannot be made");
}
