/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_mounts_test.c - what the kernel writes is read, what others could have written is not */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"
#include "support/tap.h"

/* A file that holds @text, by a path. */
static int file_make(const char *text, size_t len, char path[64])
{
	int fd = memfd_create("mounts", MFD_CLOEXEC);
	assert(fd >= 0);
	assert(write(fd, text, len) == (ssize_t)len);
	(void)snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static struct cgroup_mounts read_text(const char *mountinfo, const char *cgroup)
{
	struct cgroup_mounts mounts;
	char mountinfo_path[64], cgroup_path[64];
	auto_fd int first = file_make(mountinfo, strlen(mountinfo), mountinfo_path);
	auto_fd int second = file_make(cgroup, strlen(cgroup), cgroup_path);
	UNUSED(first);
	UNUSED(second);
	EQ(cgroup_mounts_read(&mounts, mountinfo_path, cgroup_path), 0);
	return mounts;
}

static void a_v2_host_is_read(void)
{
	struct cgroup_mounts mounts = read_text(
		"22 29 0:20 / /sys rw,nosuid - sysfs sysfs rw\n"
		"35 24 0:30 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 "
		"cgroup2 rw,nsdelegate,memory_recursiveprot\n",
		"0::/user.slice/user-1000.slice/session-3.scope\n");
	OK(mounts.v2.is_mounted);
	OK(!mounts.v2.is_readonly);
	STR_EQ(mounts.v2.mount, "/sys/fs/cgroup");
	STR_EQ(mounts.v2.root, "/");
	STR_EQ(mounts.v2.own, "/user.slice/user-1000.slice/session-3.scope");
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++)
		OK(!mounts.v1[i].is_mounted);
	char path[CGROUP_PATH_BYTES];
	OK(cgroup_own_path(&mounts.v2, path));
	STR_EQ(path, "/sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope");
}

static void a_v1_host_with_shared_hierarchies_is_read(void)
{
	struct cgroup_mounts mounts = read_text(
		"30 25 0:26 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
		"31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
		"32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		"33 25 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
		"34 25 0:31 / /sys/fs/cgroup/named rw - cgroup cgroup rw,name=pids\n",
		"12:cpu,cpuacct:/a\n11:memory:/b:c\n1:name=systemd:/d\n2:pids:/e\n");
	STR_EQ(mounts.v1[CGROUP_CPU].mount, "/sys/fs/cgroup/cpu,cpuacct");
	STR_EQ(mounts.v1[CGROUP_CPUACCT].mount, "/sys/fs/cgroup/cpu,cpuacct");
	STR_EQ(mounts.v1[CGROUP_CPU].own, "/a");
	STR_EQ(mounts.v1[CGROUP_CPUACCT].own, "/a");
	STR_EQ(mounts.v1[CGROUP_MEMORY].own, "/b:c"); /* a name may hold the separator */
	OK(!mounts.v1[CGROUP_PIDS].is_mounted);       /* a name is no controller */
	OK(!mounts.v1[CGROUP_FREEZER].is_mounted);
	OK(!mounts.v2.is_mounted);
}

static void escapes_are_undone(void)
{
	struct cgroup_mounts mounts = read_text(
		"1 2 0:3 /a\\040b /mnt/x\\040-\\040cgroup2\\134\\011\\012y rw - cgroup2 a\\040b rw\n",
		"0::/a b/c d\n");
	STR_EQ(mounts.v2.mount, "/mnt/x - cgroup2\\\t\ny");
	STR_EQ(mounts.v2.root, "/a b");
	char path[CGROUP_PATH_BYTES];
	OK(cgroup_own_path(&mounts.v2, path));
	STR_EQ(path, "/mnt/x - cgroup2\\\t\ny/c d");
}

static void lines_of_another_form_are_passed_over(void)
{
	static const char *const lines[] = {
		"",
		"\n",
		" - cgroup2 \n",
		"1 2 0:3 / /m rw cgroup2 none rw\n",        /* no separator */
		"1 2 0:3 / /m rw - cgroup2\n",              /* cut short */
		"1 2 0:3 / /m rw - cgroup2 none\n",         /* the same */
		"1 2 0:3 / /m rw - cgroup2 none rw more\n", /* more than there is */
		"1 2 0:3 / m rw - cgroup2 none rw\n",       /* no absolute path */
		"1 2 0:3 / /m\\9 rw - cgroup2 none rw\n",   /* no escape of the kernel's */
		"1 2 0:3 / /m\\04 rw - cgroup2 none rw\n",  /* the same */
		"1 2 0:3 / /m\\777 rw - cgroup2 none rw\n", /* no byte */
		"1 2 0:3 / /m rw - fuse.cgroup2 none rw\n", /* a stranger's file system */
		"1 2 0:3 / /m rw - cgroup2x none rw\n",
		"1 2 0:3 / /m rw - tmpfs - cgroup2 none rw\n", /* a source that looks like a type */
	};
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct cgroup_mounts mounts = read_text(lines[i], "0::/\n");
		if (mounts.v2.is_mounted)
			FAIL("taken: %s", lines[i]);
	}
	/* The last is almost the first; with the kernel's form it is taken. */
	struct cgroup_mounts mounts = read_text("1 2 0:3 / /m rw - cgroup2  rw\n", "0::/\n");
	OK(mounts.v2.is_mounted);
}

static void a_line_of_any_length_hides_nothing(void)
{
	static char text[40000];
	static const char last[] = "\n1 2 0:3 / /m rw - cgroup2 none rw\n";
	static const size_t lengths[] = { 4000, 8150, 8190, 8191, 8192, 8193, 16384, 30000 };
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		size_t len = lengths[i];
		memset(text, 'x', len);
		(void)snprintf(text + len, sizeof(text) - len, "%s", last);
		struct cgroup_mounts mounts = read_text(text, "0::/\n");
		if (!mounts.v2.is_mounted)
			FAIL("hidden by a line of %zu bytes", len);
		/* What follows at the end of an overlong line is not a line of its own. */
		(void)snprintf(text + len, sizeof(text) - len, "%s", last + 1);
		mounts = read_text(text, "0::/\n");
		if (len >= 8192 - sizeof(last) && mounts.v2.is_mounted)
			FAIL("taken from the end of a line of %zu bytes", len);
	}
}

static void a_mount_point_that_is_too_long_is_passed_over(void)
{
	char text[1024], path[700];
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[CGROUP_PATH_BYTES - 1] = '\0'; /* the longest that fits */
	(void)snprintf(text, sizeof(text), "1 2 0:3 / %s rw - cgroup2 none rw\n", path);
	OK(read_text(text, "0::/\n").v2.is_mounted);
	path[CGROUP_PATH_BYTES - 1] = 'x';
	path[CGROUP_PATH_BYTES] = '\0';
	(void)snprintf(text, sizeof(text), "1 2 0:3 / %s rw - cgroup2 none rw\n", path);
	OK(!read_text(text, "0::/\n").v2.is_mounted);

	/* An own group that fits, below a mount point that fits, together too long. */
	path[300] = '\0';
	(void)snprintf(text, sizeof(text), "1 2 0:3 / %s rw - cgroup2 none rw\n", path);
	char own[400];
	(void)snprintf(own, sizeof(own), "0::%s\n", path);
	struct cgroup_mounts mounts = read_text(text, own);
	char joined[CGROUP_PATH_BYTES];
	OK(mounts.v2.is_mounted);
	OK(!cgroup_own_path(&mounts.v2, joined));
}

static void a_writable_mount_is_preferred(void)
{
	struct cgroup_mounts mounts =
		read_text("1 2 0:3 / /a ro - cgroup2 none rw\n1 2 0:3 / /b rw - cgroup2 none rw\n"
			  "1 2 0:3 / /c rw - cgroup2 none rw\n",
			  "0::/\n");
	STR_EQ(mounts.v2.mount, "/b");
	mounts = read_text("1 2 0:3 / /a rw - cgroup2 none ro\n", "0::/\n");
	OK(mounts.v2.is_readonly);
}

static void bytes_of_nothing_are_no_text(void)
{
	static const char text[] = "1 2 0:3 / /m rw - cgroup2 none rw\0x\n1 2 3\0\n";
	char mountinfo[64], cgroup[64];
	struct cgroup_mounts mounts;
	auto_fd int first = file_make(text, sizeof(text) - 1, mountinfo);
	auto_fd int second = file_make("0::/\0/a\n", 8, cgroup);
	UNUSED(first);
	UNUSED(second);
	EQ(cgroup_mounts_read(&mounts, mountinfo, cgroup), 0);
	OK(!mounts.v2.is_mounted);
	STR_EQ(mounts.v2.own, "");
}

static void the_own_group_is_told_or_refused(void)
{
	static const struct {
		const char *root, *own, *path; /* NULL: not visible */
	} rows[] = {
		{ "/", "/", "/m" },
		{ "/", "/a/b", "/m/a/b" },
		{ "/docker/1", "/docker/1", "/m" },
		{ "/docker/1", "/docker/1/x", "/m/x" },
		{ "/docker/1", "/docker/12", NULL },
		{ "/docker/1", "/", NULL },
		{ "/", "/..", NULL },
		{ "/", "/../a", NULL },
		{ "/", "/..a", "/m/..a" },
		{ "/", "", NULL },
		{ "/", "a", NULL },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char mountinfo[128], cgroup[128], path[CGROUP_PATH_BYTES] = "";
		(void)snprintf(mountinfo, sizeof(mountinfo), "1 2 0:3 %s /m rw - cgroup2 none rw\n",
			       rows[i].root);
		(void)snprintf(cgroup, sizeof(cgroup), "0::%s\n", rows[i].own);
		struct cgroup_mounts mounts = read_text(mountinfo, cgroup);
		EQ(cgroup_own_path(&mounts.v2, path), rows[i].path != NULL);
		if (rows[i].path)
			STR_EQ(path, rows[i].path);
	}
}

static void a_file_that_is_not_there_is_told(void)
{
	struct cgroup_mounts mounts;
	EQ(cgroup_mounts_read(&mounts, "/nonexistent", "/proc/self/cgroup"), ENOENT);
	EQ(cgroup_mounts_read(&mounts, "/proc/self/mountinfo", "/nonexistent"), ENOENT);
}

int main(void)
{
	RUN(a_v2_host_is_read);
	RUN(a_v1_host_with_shared_hierarchies_is_read);
	RUN(escapes_are_undone);
	RUN(lines_of_another_form_are_passed_over);
	RUN(a_line_of_any_length_hides_nothing);
	RUN(a_mount_point_that_is_too_long_is_passed_over);
	RUN(a_writable_mount_is_preferred);
	RUN(bytes_of_nothing_are_no_text);
	RUN(the_own_group_is_told_or_refused);
	RUN(a_file_that_is_not_there_is_told);
	return tap_done();
}
