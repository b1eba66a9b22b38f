/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_host_test.c - which cgroup is used, on hosts of every make, from trees that are made up */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

/* The trees are folders of a disk; what the kernel says of their file system is made up, too. */
static int fake_fstatfs(int fd, struct statfs *info);
static int fake_statfs(const char *path, struct statfs *info);
#define fstatfs            fake_fstatfs
#define statfs(path, info) fake_statfs(path, info)
#include "limits/cgroup_host.c"
#undef fstatfs
#undef statfs

#include "support/tap.h"

static long fake_magic;
static char tree[64];

static int fake_fstatfs(int fd, struct statfs *info)
{
	(void)fd;
	memset(info, 0, sizeof(*info));
	info->f_type = (__typeof__(info->f_type))fake_magic;
	return 0;
}

static int fake_statfs(const char *path, struct statfs *info)
{
	int result = access(path, F_OK);
	return result < 0 ? result : fake_fstatfs(-1, info);
}

static void file_put(const char *name, const char *text)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s", tree, name);
	for (char *at = strchr(path + strlen(tree) + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		(void)mkdir(path, 0755);
		*at = '/';
	}
	FILE *file = fopen(path, "we");
	assert(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

/* A group of version 2 with the files that each one has. */
static void group_put(const char *group, const char *controllers, bool is_root)
{
	char name[256];
	(void)snprintf(name, sizeof(name), "%s/cgroup.controllers", group);
	file_put(name, controllers);
	(void)snprintf(name, sizeof(name), "%s/cgroup.procs", group);
	file_put(name, "");
	(void)snprintf(name, sizeof(name), "%s/cgroup.subtree_control", group);
	file_put(name, "");
	(void)snprintf(name, sizeof(name), "%s/cgroup.type", group);
	if (!is_root)
		file_put(name, "domain\n");
}

static void tree_make(void)
{
	(void)snprintf(tree, sizeof(tree), "/tmp/foso-host-XXXXXX");
	assert(mkdtemp(tree));
	assert(chmod(tree, 0755) == 0);
	fake_magic = CGROUP_V2_MAGIC;
}

static void tree_remove_all(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		(void)execlp("rm", "rm", "-rf", tree, (char *)NULL);
		_exit(127);
	}
	(void)waitpid(pid, NULL, 0);
}

/* Every %s in @mountinfo is the folder of the tree. */
static void probe(struct cgroup_host *ret, const char *mountinfo, const char *cgroup)
{
	char text[4096] = "", path[2][128];
	for (const char *at = mountinfo; *at;) {
		size_t used = strlen(text);
		if (at[0] == '%' && at[1] == 's') {
			(void)snprintf(text + used, sizeof(text) - used, "%s", tree);
			at += 2;
		} else {
			(void)snprintf(text + used, sizeof(text) - used, "%c", *at++);
		}
	}
	file_put("mountinfo", text);
	file_put("cgroup", cgroup);
	(void)snprintf(path[0], sizeof(path[0]), "%s/mountinfo", tree);
	(void)snprintf(path[1], sizeof(path[1]), "%s/cgroup", tree);
	host_probe(ret, path[0], path[1]);
}

/* Compares a path of the host record with one below the tree. */
static void is_below_tree(const char *actual, const char *expected)
{
	char path[256];
	(void)snprintf(path, sizeof(path), "%s%s", tree, expected);
	STR_EQ(actual, path);
}

#define V2  "1 2 0:3 / %s/v2 rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
#define ALL "cpuset cpu io memory hugetlb pids rdma misc\n"

#define NEED_ROOT()                                                         \
	do {                                                                \
		if (geteuid() != 0)                                         \
			SKIP("the choice depends on who asks: needs root"); \
	} while (0)

static void root_has_its_own_folder_at_the_top(void)
{
	NEED_ROOT();
	tree_make();
	group_put("v2", ALL, true);
	group_put("v2/system.slice/a.service", ALL, false);
	struct cgroup_host host;
	static const char *const own[] = { "0::/\n", "0::/system.slice/a.service\n", "0::/../x\n",
					   "0::/gone (deleted)\n" };
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		probe(&host, V2, own[i]);
		EQ(host.version, CGROUP_V2);
		is_below_tree(host.parent[CGROUP_MEMORY], "/v2/foso");
		STR_EQ(host.parent[CGROUP_IO], host.parent[CGROUP_MEMORY]);
		EQ(host.mount_len[0], strlen(tree) + 3);
		for (size_t at = 0; at < CGROUP_N_CONTROLLERS; at++)
			OK(host.has[at]);
		STR_EQ(host.lack, "");
		STR_EQ(host.remedy, "");
	}
	tree_remove_all();
}

static void the_mark_of_delegation_is_heeded(void)
{
	NEED_ROOT();
	tree_make();
	group_put("v2", ALL, true);
	group_put("v2/a.service", "memory pids cpu\n", false);
	group_put("v2/a.service/foso-self", "", false);
	char path[256];
	(void)snprintf(path, sizeof(path), "%s/v2/a.service", tree);
	if (setxattr(path, "trusted.delegate", "1", 1, 0) < 0) {
		tree_remove_all();
		SKIP("/tmp takes no extended attributes");
	}
	struct cgroup_host host;
	probe(&host, V2, "0::/a.service\n");
	EQ(host.version, CGROUP_V2);
	is_below_tree(host.parent[0], "/v2/a.service");
	char lack[256];
	(void)snprintf(lack, sizeof(lack), "cgroup v2 controllers not offered in %s: io", path);
	STR_EQ(host.lack, lack);
	OK(!host.has[CGROUP_IO]);
	probe(&host, V2, "0::/a.service/foso-self\n"); /* where an earlier start has moved it */
	is_below_tree(host.parent[0], "/v2/a.service");
	(void)setxattr(path, "trusted.delegate", "0", 1, 0);
	probe(&host, V2, "0::/a.service\n");
	is_below_tree(host.parent[0], "/v2/foso");
	tree_remove_all();
}

static void the_root_of_a_container_is_used(void)
{
	NEED_ROOT();
	tree_make();
	group_put("v2", ALL, false); /* it has a type, so it is not the root of the tree */
	group_put("v2/foso-self", ALL, false);
	struct cgroup_host host;
	probe(&host, V2, "0::/\n");
	is_below_tree(host.parent[0], "/v2");
	probe(&host, V2, "0::/foso-self\n");
	is_below_tree(host.parent[0], "/v2");
	/* Without a namespace of its own, a container's mount begins below the root. */
	probe(&host, "1 2 0:3 /docker/1 %s/v2 rw - cgroup2 none rw\n", "0::/docker/1\n");
	is_below_tree(host.parent[0], "/v2");
	/* It sees another group of the host: nothing that it may use. */
	probe(&host, "1 2 0:3 /docker/1 %s/v2 rw - cgroup2 none rw\n", "0::/docker/2\n");
	EQ(host.version, CGROUP_NONE);
	STR_EQ(host.lack, "the cgroup /docker/2 is not delegated to uid 0");
	tree_remove_all();
}

static void a_readonly_tree_is_told(void)
{
	tree_make();
	group_put("v2", ALL, false);
	struct cgroup_host host;
	probe(&host, "1 2 0:3 / %s/v2 ro - cgroup2 none rw\n", "0::/\n");
	EQ(host.version, CGROUP_NONE);
	char lack[256];
	(void)snprintf(lack, sizeof(lack), "%s/v2 is mounted read-only", tree);
	STR_EQ(host.lack, lack);
	STR_EQ(host.remedy, "mount it read-write (docker run --privileged does, for example)");
	tree_remove_all();
}

static void what_is_mounted_over_a_tree_is_not_taken_for_it(void)
{
	tree_make();
	group_put("v2", ALL, false);
	fake_magic = 0x01021994; /* a tmpfs */
	struct cgroup_host host;
	probe(&host, V2, "0::/\n");
	EQ(host.version, CGROUP_NONE);
	probe(&host, "1 2 0:3 / %s/v2 rw - cgroup none rw,memory,pids,cpu\n",
	      "1:memory,pids,cpu:/\n");
	EQ(host.version, CGROUP_NONE);
	tree_remove_all();
}

#define V1                                                   \
	"1 2 0:3 / %s/memory rw - cgroup cgroup rw,memory\n" \
	"1 2 0:4 / %s/pids rw - cgroup cgroup rw,pids\n"     \
	"1 2 0:5 / %s/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_OWN "3:memory:/job\n4:pids:/\n5:cpu,cpuacct:/job\n"

static void v1_uses_the_callers_own_groups(void)
{
	tree_make();
	fake_magic = CGROUP_V1_MAGIC;
	file_put("memory/job/memory.memsw.limit_in_bytes", "");
	file_put("pids/tasks", "");
	file_put("cpu,cpuacct/job/tasks", "");
	struct cgroup_host host;
	probe(&host, V1, V1_OWN);
	EQ(host.version, CGROUP_V1);
	is_below_tree(host.parent[CGROUP_MEMORY], "/memory/job");
	is_below_tree(host.parent[CGROUP_PIDS], "/pids");
	is_below_tree(host.parent[CGROUP_CPU], "/cpu,cpuacct/job");
	is_below_tree(host.parent[CGROUP_CPUACCT], "/cpu,cpuacct/job");
	EQ(host.mount_len[CGROUP_CPU], strlen(tree) + strlen("/cpu,cpuacct"));
	OK(!host.has[CGROUP_FREEZER]);
	OK(host.has_swap_limit);
	OK(!host.has_kill);
	char lack[256];
	(void)snprintf(lack, sizeof(lack),
		       "not mounted or not writable for uid %u as cgroup v1: freezer, blkio",
		       (unsigned)geteuid());
	STR_EQ(host.lack, lack);
	OK(host.remedy[0] != '\0');
	tree_remove_all();
}

static void the_tree_with_the_controllers_wins(void)
{
	NEED_ROOT();
	tree_make();
	group_put("v2", "", true);
	file_put("memory/job/tasks", "");
	file_put("pids/tasks", "");
	file_put("cpu,cpuacct/job/tasks", "");
	struct cgroup_host host;
	/* Hybrid: version 2 is there, and empty.  The magic cannot be both, so one at a time. */
	fake_magic = CGROUP_V1_MAGIC;
	probe(&host, V2 V1, V1_OWN "0::/\n");
	EQ(host.version, CGROUP_V1);
	/* The other way round: version 2 has them, and version 1 only names processes. */
	fake_magic = CGROUP_V2_MAGIC;
	group_put("v2", ALL, true);
	probe(&host, V2 "1 2 0:9 / %s/systemd rw - cgroup cgroup rw,name=systemd\n",
	      "0::/\n1:name=systemd:/\n");
	EQ(host.version, CGROUP_V2);
	/* Nothing of use in either: none, with a cause. */
	group_put("v2", "misc rdma\n", true);
	probe(&host, V2, "0::/\n");
	EQ(host.version, CGROUP_NONE);
	OK(strstr(host.lack, "memory, pids, cpu, io"));
	OK(host.remedy[0] != '\0');
	tree_remove_all();
}

static void a_host_without_any_is_told(void)
{
	tree_make();
	struct cgroup_host host;
	probe(&host, "1 2 0:3 / / rw - ext4 /dev/vda rw\n", "");
	EQ(host.version, CGROUP_NONE);
	STR_EQ(host.lack, "no cgroup file system is mounted");
	STR_EQ(host.remedy, "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	host_probe(&host, "/nonexistent", "/nonexistent");
	EQ(host.version, CGROUP_NONE);
	STR_EQ(host.lack, "/nonexistent cannot be read (errno 2)");
	STR_EQ(host.remedy, "mount /proc");
	tree_remove_all();
}

static int as_nobody(void (*check)(void))
{
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 &&
		    (setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0))
			_exit(9);
		check();
		(void)fflush(stdout);
		_exit(tap_is_failing);
	}
	int status = -1;
	(void)waitpid(pid, &status, 0);
	return status;
}

static void check_not_delegated(void)
{
	struct cgroup_host host;
	host_probe(&host, "mountinfo", "cgroup");
	EQ(host.version, CGROUP_NONE);
	STR_EQ(host.lack, "the cgroup /user.slice is not delegated to uid 65534");
	STR_EQ(host.remedy, "run foso in a cgroup of its own: "
			    "systemd-run --user --scope -p Delegate=yes -- foso ...");
}

static void check_delegated(void)
{
	struct cgroup_host host;
	host_probe(&host, "mountinfo", "cgroup");
	EQ(host.version, CGROUP_V2);
	is_below_tree(host.parent[0], "/v2/user.slice");
	STR_EQ(host.lack, "");
}

static void a_user_needs_a_group_that_he_may_write(void)
{
	NEED_ROOT();
	tree_make();
	group_put("v2", ALL, true);
	group_put("v2/user.slice", ALL, false);
	struct cgroup_host host;
	probe(&host, V2, "0::/user.slice\n");
	assert(chdir(tree) == 0);
	EQ(as_nobody(check_not_delegated), 0);
	/* All three are needed; the files without the folder are not enough, and so on. */
	static const char *const needed[] = { "v2/user.slice", "v2/user.slice/cgroup.procs",
					      "v2/user.slice/cgroup.subtree_control" };
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		assert(chown(needed[i], 65534, 65534) == 0);
		EQ(as_nobody(i + 1 < ARRAY_LEN(needed) ? check_not_delegated : check_delegated), 0);
	}
	assert(chdir("/") == 0);
	tree_remove_all();
}

/* On this host, whatever it is: either way finds the same, or the short one does not trust itself.
 */
static void the_usual_places_are_those_of_the_list(void)
{
	static const long magics[] = { CGROUP_V1_MAGIC, CGROUP_V2_MAGIC };
	for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
		static struct cgroup_host usual, listed;
		fake_magic = magics[i];
		if (!usual_probe(&usual))
			continue;
		host_probe(&listed, "/proc/self/mountinfo", "/proc/self/cgroup");
		EQ(usual.version, listed.version);
		for (size_t k = 0; k < CGROUP_N_CONTROLLERS; k++) {
			EQ(usual.has[k], listed.has[k]);
			EQ(usual.mount_len[k], listed.mount_len[k]);
			STR_EQ(usual.parent[k], listed.parent[k]);
		}
		STR_EQ(listed.lack, "");
	}
}

int main(void)
{
	RUN(root_has_its_own_folder_at_the_top);
	RUN(the_mark_of_delegation_is_heeded);
	RUN(the_root_of_a_container_is_used);
	RUN(a_readonly_tree_is_told);
	RUN(what_is_mounted_over_a_tree_is_not_taken_for_it);
	RUN(v1_uses_the_callers_own_groups);
	RUN(the_tree_with_the_controllers_wins);
	RUN(a_host_without_any_is_told);
	RUN(a_user_needs_a_group_that_he_may_write);
	RUN(the_usual_places_are_those_of_the_list);
	return tap_done();
}
