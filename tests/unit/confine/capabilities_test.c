/* SPDX-License-Identifier: Apache-2.0 */
/* capabilities_test.c - nothing is left in any set, and nothing brings it back */
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "acts.h"
#include "confined.h"

#define NOBODY 65534

/* The five sets as /proc shows them; 1 if any has a bit. */
static int has_capabilities(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	int has_any = 0, n_sets = 0;
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Cap", 3) != 0)
			continue;
		n_sets++;
		has_any |= strcmp(line + 7, "\t0000000000000000\n") != 0;
	}
	if (file)
		fclose(file);
	return n_sets == 5 ? has_any : ACT_BROKE;
}

static int all_dropped(void)
{
	int result = confine_capabilities();
	return result != 0 ? result : has_capabilities();
}

static void test_all_five_sets_are_empty(void)
{
	if (geteuid() != 0)
		SKIP("not root: there are no capabilities to drop");
	EQ(act_freely(all_dropped), 0);
	EQ(act_freely(has_capabilities), 1);
}

/* What each process that is executed says about itself, by the same lines of /proc. */
static int execute_and_look(void)
{
	const char *script = "while read -r key value; do case $key in "
			     "Cap*) [ $value = 0000000000000000 ] || exit 1;; esac; "
			     "done < /proc/self/status";
	execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	return ACT_BROKE;
}

static int dropped_then_executed(void)
{
	int result = confine_capabilities();
	return result != 0 ? result : execute_and_look();
}

static void test_exec_as_uid_0_brings_nothing_back(void)
{
	if (geteuid() != 0)
		SKIP("not root: exec brings nothing back anyway");
	EQ(act_freely(dropped_then_executed), 0);
	EQ(act_freely(execute_and_look), 1);
}

/* All five sets of what is executed are those of an installer; 1 if not. */
static int execute_and_look_for_installer(void)
{
	const char *script = "while read -r key value; do case $key in "
			     "Cap*) [ $value = 00000000000000db ] || exit 1;; esac; "
			     "done < /proc/self/status";
	execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	return ACT_BROKE;
}

static int kept_then_executed(void)
{
	int result = confine_no_new_privs();
	if (result == 0)
		result = confine_capabilities_keep(CONFINE_INSTALLER);
	return result != 0 ? ACT_BROKE : execute_and_look_for_installer();
}

static void test_an_installer_keeps_six_over_exec(void)
{
	if (geteuid() != 0)
		SKIP("not root: there are no capabilities to keep");
	EQ(act_freely(kept_then_executed), 0);
	EQ(act_freely(execute_and_look_for_installer), 1);
}

static int kept_then_another_user(void)
{
	if (confine_capabilities_keep(CONFINE_INSTALLER) != 0)
		return ACT_BROKE;
	if (prctl(PR_SET_SECUREBITS, 0, 0, 0, 0) == 0 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_CHOWN, 0, 0) == 0)
		return 1;
	if (syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) != 0)
		return ACT_BROKE;
	/* What is left is the bounding set, and the inheritable one, of which nothing comes. */
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	if (syscall(SYS_capget, &header, data) != 0)
		return ACT_BROKE;
	bool is_ambient = prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_CHOWN, 0, 0) == 1;
	return data[0].effective | data[0].permitted || is_ambient;
}

static void test_an_installer_that_becomes_a_user_has_none(void)
{
	if (geteuid() != 0)
		SKIP("not root: there are no capabilities to lose");
	EQ(act_freely(kept_then_another_user), 0);
}

static int setuid_to_root_and_look(void)
{
	int result = confine_ids(NOBODY, NOBODY);
	if (result == 0)
		result = confine_capabilities();
	if (result != 0)
		return ACT_BROKE;
	return setuid(0) == 0 || setgid(0) == 0 ? 1 : has_capabilities();
}

static void test_no_way_back_to_root(void)
{
	if (geteuid() != 0)
		SKIP("not root: cannot change ids");
	EQ(act_freely(setuid_to_root_and_look), 0);
}

/* A set-user-id-root program: the kernel ignores the bit under no_new_privs. */
static char setuid_program[] = "/tmp/foso-setuid-XXXXXX";

static int run_setuid_program(void)
{
	execl(setuid_program, "id", "-u", (char *)NULL);
	return ACT_BROKE;
}

static int output_is_root(bool with_no_new_privs)
{
	int pipe_fds[2];
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return -1;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		dup2(pipe_fds[1], 1);
		if (confine_ids(NOBODY, NOBODY) != 0 ||
		    (with_no_new_privs && confine_no_new_privs() != 0))
			_exit(ACT_BROKE);
		/* The sets are left alone here, so that it is no_new_privs that is tried. */
		_exit(run_setuid_program());
	}
	close(pipe_fds[1]);
	char text[16] = "";
	ssize_t len = read(pipe_fds[0], text, sizeof(text) - 1);
	close(pipe_fds[0]);
	EQ(child_status(child), 0);
	return len > 0 ? strcmp(text, "0\n") == 0 : -1;
}

static void test_no_new_privs_stops_setuid_programs(void)
{
	if (geteuid() != 0)
		SKIP("not root: cannot make a program that is set-user-id root");
	int source = open("/usr/bin/id", O_RDONLY | O_CLOEXEC);
	if (source < 0)
		SKIP("no /usr/bin/id to make one of");
	int fd = mkostemp(setuid_program, O_CLOEXEC);
	while (copy_file_range(source, NULL, fd, NULL, 1 << 20, 0) > 0)
		continue;
	EQ(fchmod(fd, 04755), 0);
	close(source);
	close(fd);
	EQ(output_is_root(true), 0);
	EQ(output_is_root(false), 1);
	unlink(setuid_program);
}

/* ---- securebits ---- */

static int securebits_after(void)
{
	int result = confine_capabilities();
	if (result != 0)
		return ACT_BROKE;
	int bits = prctl(PR_GET_SECUREBITS);
	const int expected = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
			     SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
			     SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
	if (bits != expected)
		return 1;
	return prctl(PR_SET_SECUREBITS, 0) < 0 && errno == EPERM ? 0 : 2;
}

static void test_securebits_are_locked(void)
{
	if (geteuid() != 0)
		SKIP("not root: securebits cannot be set");
	EQ(act_freely(securebits_after), 0);
}

static int without_right_to_empty(void)
{
	if (confine_ids(NOBODY, NOBODY) != 0)
		return ACT_BROKE;
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
	if (syscall(SYS_capset, &header, none) < 0)
		return ACT_BROKE;
	return confine_capabilities();
}

static void test_what_cannot_be_emptied_is_an_error(void)
{
	if (geteuid() != 0)
		SKIP("not root: cannot begin with a full bounding set and no right to empty it");
	EQ(act_freely(without_right_to_empty), EPERM);
}

/* ---- ids ---- */

static int ids_changed(void)
{
	gid_t groups[] = { 4, 27, 1000 };
	if (setgroups(ARRAY_LEN(groups), groups) < 0)
		return ACT_BROKE;
	int result = confine_ids(1234, 5678);
	if (result != 0)
		return result;
	uid_t uids[3];
	gid_t gids[3];
	if (getresuid(&uids[0], &uids[1], &uids[2]) < 0 ||
	    getresgid(&gids[0], &gids[1], &gids[2]) < 0)
		return ACT_BROKE;
	for (size_t i = 0; i < 3; i++) {
		if (uids[i] != 1234 || gids[i] != 5678)
			return 1;
	}
	return getgroups(0, NULL) == 0 ? 0 : 2;
}

static int ids_kept_capabilities(void)
{
	if (confine_ids(1234, 5678) != 0)
		return ACT_BROKE;
	return has_capabilities() == 1 && prctl(PR_GET_KEEPCAPS) == 0 ? 0 : 1;
}

/* The kernel alone forgets it. */
static int ids_forget_death_signal(void)
{
	int death_signal = 0;
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || syscall(SYS_setresuid, 1234, 1234, 1234) < 0 ||
	    prctl(PR_GET_PDEATHSIG, &death_signal) < 0)
		return ACT_BROKE;
	return death_signal == 0 ? 0 : 1;
}

static int ids_kept_death_signal(void)
{
	int death_signal = 0;
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0 || confine_ids(1234, 5678) != 0 ||
	    prctl(PR_GET_PDEATHSIG, &death_signal) < 0)
		return ACT_BROKE;
	return death_signal == SIGTERM ? 0 : 1;
}

static void test_ids_keep_the_signal_at_the_parents_death(void)
{
	if (geteuid() != 0)
		SKIP("needs root");
	EQ(act_freely(ids_forget_death_signal), 0);
	EQ(act_freely(ids_kept_death_signal), 0);
}

static void test_ids_all_three_of_each_and_no_groups(void)
{
	if (geteuid() != 0)
		SKIP("not root: cannot change ids");
	EQ(act_freely(ids_changed), 0);
	EQ(act_freely(ids_kept_capabilities), 0);
}

static int ids_without_right(void)
{
	if (confine_ids(NOBODY, NOBODY) != 0 || confine_capabilities() != 0)
		return ACT_BROKE;
	return confine_ids(1234, 1234);
}

static void test_ids_without_the_right_is_an_error(void)
{
	if (geteuid() != 0)
		SKIP("not root: cannot begin as somebody else");
	EQ(act_freely(ids_without_right), EPERM);
}

/* Rootless: one id is mapped, setgroups() is forbidden, the user's groups stay and mean nothing. */
static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, text, strlen(text));
	int result = outcome(len);
	if (fd >= 0)
		close(fd);
	return result;
}

static int rootless_ids(void)
{
	gid_t groups[] = { 4, 27 };
	if (setgroups(ARRAY_LEN(groups), groups) < 0 || setresgid(1000, 1000, 1000) < 0 ||
	    setresuid(1000, 1000, 1000) < 0)
		return ACT_BROKE;
	/* Changing ids made the process undumpable, and its files in /proc root's. */
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER) < 0)
		return ACT_BROKE - 1;
	if (write_file("/proc/self/setgroups", "deny") != 0 ||
	    write_file("/proc/self/uid_map", "0 1000 1\n") != 0 ||
	    write_file("/proc/self/gid_map", "0 1000 1\n") != 0)
		return ACT_BROKE;
	int result = confine_ids(0, 0);
	return result != 0 ? result : all_dropped();
}

static void test_rootless_groups_are_unmapped(void)
{
	if (geteuid() != 0)
		SKIP("not root: cannot take groups that are then not mapped");
	int result = act_freely(rootless_ids);
	if (result == ACT_BROKE - 1)
		SKIP("users may not make user namespaces here");
	EQ(result, 0);
}

/* ---- no_new_privs ---- */

static int no_new_privs_is_set(void)
{
	int result = confine_no_new_privs();
	return result != 0 ? result : prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 1;
}

static void test_no_new_privs(void)
{
	EQ(act_freely(no_new_privs_is_set), 0);
}

static int run_tests(void)
{
	RUN(test_all_five_sets_are_empty);
	RUN(test_exec_as_uid_0_brings_nothing_back);
	RUN(test_an_installer_keeps_six_over_exec);
	RUN(test_an_installer_that_becomes_a_user_has_none);
	RUN(test_no_way_back_to_root);
	RUN(test_no_new_privs_stops_setuid_programs);
	RUN(test_securebits_are_locked);
	RUN(test_what_cannot_be_emptied_is_an_error);
	RUN(test_ids_keep_the_signal_at_the_parents_death);
	RUN(test_ids_all_three_of_each_and_no_groups);
	RUN(test_ids_without_the_right_is_an_error);
	RUN(test_rootless_groups_are_unmapped);
	RUN(test_no_new_privs);
	return tap_done();
}

int main(void)
{
	return confined_main(run_tests);
}
