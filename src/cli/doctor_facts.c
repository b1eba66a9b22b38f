/* SPDX-License-Identifier: Apache-2.0 */
/* doctor_facts.c - what this host offers, as far as it can be read without trying */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/shmem.h"
#include "base/text.h"
#include "cli/doctor.h"
#include "confine/confine.h"
#include "limits/cgroup.h"

/* mount_setattr(2) is the newest call that level `process` cannot do without. */
#define KERNEL_MAJOR 5
#define KERNEL_MINOR 12

/* The head of a file of /proc as a string without its newline; "" if it cannot be read. */
static void read_head(const char *path, char *text, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? 0 : read(fd, text, size - 1);
	text[len > 0 ? len : 0] = '\0';
	len = (ssize_t)strlen(text);
	if (len > 0 && text[len - 1] == '\n')
		text[len - 1] = '\0';
}

static bool holds(const char *path, const char *content)
{
	char text[64];
	read_head(path, text, sizeof(text));
	return strcmp(text, content) == 0;
}

#define GOOD(fact, ...)                                                          \
	do {                                                                     \
		(fact)->is_good = true;                                          \
		(void)snprintf((fact)->text, sizeof((fact)->text), __VA_ARGS__); \
	} while (0)

#define LACKS(fact, remedy_, ...)                                                      \
	do {                                                                           \
		(fact)->is_good = false;                                               \
		(void)snprintf((fact)->text, sizeof((fact)->text), __VA_ARGS__);       \
		(void)snprintf((fact)->remedy, sizeof((fact)->remedy), "%s", remedy_); \
	} while (0)

/* "6.1.0-9-amd64" */
static bool is_kernel_new_enough(const char *release)
{
	char number[16];
	uint64_t major = 0, minor = 0;
	size_t len = strcspn(release, ".");
	(void)snprintf(number, sizeof(number), "%.*s", (int)MIN(len, (size_t)8), release);
	if (!text_parse_u64(number, &major) || release[len] == '\0')
		return false;
	release += len + 1;
	len = strspn(release, "0123456789");
	(void)snprintf(number, sizeof(number), "%.*s", (int)MIN(len, (size_t)8), release);
	if (!text_parse_u64(number, &minor))
		return false;
	return major > KERNEL_MAJOR || (major == KERNEL_MAJOR && minor >= KERNEL_MINOR);
}

static void look_at_kernel(struct doctor_fact *fact)
{
	struct utsname name;
	(void)uname(&name);
	if (is_kernel_new_enough(name.release))
		GOOD(fact, "Linux %s, %s", name.release, name.machine);
	else
		LACKS(fact, "boot Linux 5.12 or later", "Linux %s lacks mount_setattr(2)",
		      name.release);
}

static void look_at_namespaces(struct doctor_fact *fact)
{
	static const char names[][8] = { "user", "pid", "mnt", "net", "ipc", "uts", "cgroup" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char path[32];
		(void)snprintf(path, sizeof(path), "/proc/self/ns/%s", names[i]);
		if (access(path, F_OK) == 0)
			continue;
		LACKS(fact, "mount /proc, or use a kernel that has all namespaces",
		      "%s is not there", path);
		return;
	}
	bool has_time = access("/proc/self/ns/time", F_OK) == 0;
	GOOD(fact, "user, pid, mnt, net, ipc, uts, cgroup%s",
	     has_time ? ", time" : "; no time namespace (Linux 5.6)");
}

/* Three switches by which distributions turn user namespaces off, and their remedies. */
static void look_at_user_namespaces(struct doctor_fact *fact)
{
	bool is_root = geteuid() == 0;
	if (holds("/proc/sys/user/max_user_namespaces", "0"))
		LACKS(fact, "sysctl user.max_user_namespaces=10000",
		      "user.max_user_namespaces is 0");
	else if (!is_root && holds("/proc/sys/kernel/unprivileged_userns_clone", "0"))
		LACKS(fact, "sysctl kernel.unprivileged_userns_clone=1, or run foso as root",
		      "kernel.unprivileged_userns_clone is 0");
	else if (!is_root && holds("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
		LACKS(fact, "allow userns in an AppArmor profile for foso, or run foso as root",
		      "kernel.apparmor_restrict_unprivileged_userns is 1");
	else
		GOOD(fact, is_root ? "as root" : "as an ordinary user");
}

static void look_at_seccomp(struct doctor_fact *fact)
{
	char actions[256];
	read_head("/proc/sys/kernel/seccomp/actions_avail", actions, sizeof(actions));
	if (strstr(actions, "user_notif"))
		GOOD(fact, "filters, and notice of denied calls");
	else
		LACKS(fact, "use a kernel with CONFIG_SECCOMP_FILTER, Linux 5.0 or later",
		      "user_notif is not among the actions of this kernel (%s)",
		      actions[0] ? actions : "none");
}

static void look_at_overlay(struct doctor_fact *fact)
{
	char types[8192];
	read_head("/proc/filesystems", types, sizeof(types));
	if (strstr(types, "\toverlay\n") || strstr(types, "\toverlay"))
		GOOD(fact, "overlay file system%s",
		     shmem_has_attributes()
			     ? ""
			     : "; memory keeps no attributes: foso-policy(5), ROOTS");
	else
		LACKS(fact, "modprobe overlay", "the kernel has no overlay file system loaded");
}

static void look_at_landlock(struct doctor_fact *fact)
{
	int abi = confine_landlock_abi();
	if (abi > 0)
		GOOD(fact, "ABI %d%s", abi,
		     abi >= 6 ? ", signals and abstract sockets scoped" : "");
	else
		LACKS(fact, "boot with lsm=landlock,... (Linux 5.13 or later)",
		      "this kernel has no Landlock: the second wall is missing");
}

static void look_at_cgroups(struct doctor_fact *fact)
{
	static const char names[CGROUP_N_CONTROLLERS][10] = {
		[CGROUP_MEMORY] = " memory",   [CGROUP_PIDS] = " pids",       [CGROUP_CPU] = " cpu",
		[CGROUP_CPUACCT] = " cpuacct", [CGROUP_FREEZER] = " freezer", [CGROUP_IO] = " io",
	};
	struct cgroup_host host;
	char found[CGROUP_N_CONTROLLERS * 10] = "";
	cgroup_host_probe(&host);
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		size_t used = strlen(found);
		if (host.has[i])
			(void)snprintf(found + used, sizeof(found) - used, "%s", names[i]);
	}
	if (host.version == CGROUP_NONE)
		LACKS(fact, host.remedy, "none that this user may use: %s", host.lack);
	else if (host.lack[0])
		LACKS(fact, host.remedy, "version %d:%s; %s", host.version == CGROUP_V2 ? 2 : 1,
		      found, host.lack);
	else
		GOOD(fact, "version %d:%s", host.version == CGROUP_V2 ? 2 : 1, found);
}

void doctor_look(struct doctor_fact ret_facts[DOCTOR_N_FACTS])
{
#define LOOK(id, name_, essential, look)                    \
	ret_facts[DOCTOR_FACT_##id] = (struct doctor_fact){ \
		.name = name_,                              \
		.is_essential = essential,                  \
	};                                                  \
	look(&ret_facts[DOCTOR_FACT_##id]);
	DOCTOR_FACTS(LOOK)
#undef LOOK
}
