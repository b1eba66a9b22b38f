/* SPDX-License-Identifier: Apache-2.0 */
/* confine_test.c - keyring, limits, signals and dumps, and all of it in the documented order */
#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "acts.h"
#include "confined.h"

static const struct policy by_default;

/* ---- keyring ---- */

static long session_keyring(void)
{
	return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1);
}

/* 0 if a key of the parent's session keyring can be found. */
static int key_is_found(void)
{
	return outcome(syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user",
			       "foso-test-key", 0));
}

static int key_is_found_after(void)
{
	int result = confine_keyring();
	return result != 0 ? ACT_BROKE : key_is_found();
}

/* In a session of its own, so that the test leaves no key behind. */
static int keyring_test(void)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0)
		return ENOSYS;
	if (syscall(SYS_add_key, "user", "foso-test-key", "x", 1, KEY_SPEC_SESSION_KEYRING) < 0)
		return ENOSYS;
	EQ(act_freely(key_is_found), 0);
	EQ(act_freely(key_is_found_after), ENOKEY);
	return tap_is_failing ? 1 : 0;
}

static void test_keyring_is_new_and_empty(void)
{
	if (session_keyring() < 0)
		SKIP("this kernel has no keyrings");
	EQ(act_freely(keyring_test), 0);
}

/* ---- limits ---- */

static int limits_both(void)
{
	struct confine_rlimit limits[] = { { RLIMIT_NOFILE, 20 }, { RLIMIT_FSIZE, 4096 } };
	int result = confine_rlimits(limits, ARRAY_LEN(limits));
	if (result != 0)
		return result;
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur != 20 || limit.rlim_max != 20)
		return 1;
	return fcntl(0, F_DUPFD_CLOEXEC, 20) < 0 && errno == EINVAL ? 0 : 2;
}

static int limits_raised(void)
{
	struct confine_rlimit low = { RLIMIT_NOFILE, 20 }, high = { RLIMIT_NOFILE, 21 };
	if (confine_rlimits(&low, 1) != 0 || confine_capabilities() != 0)
		return ACT_BROKE;
	return confine_rlimits(&high, 1);
}

static void test_limits_are_soft_and_hard(void)
{
	EQ(act_freely(limits_both), 0);
	if (geteuid() == 0)
		EQ(act_freely(limits_raised), EPERM);
}

/* ---- signals ---- */

/* 0 if nothing is ignored or blocked, by what a program that is executed sees of itself. */
static int signals_look(void)
{
	execl("/bin/grep", "grep", "-qE", "^Sig(Blk|Ign):\t0*[1-9a-f]", "/proc/self/status",
	      (char *)NULL);
	return ACT_BROKE;
}

static void signals_spoil(void)
{
	const struct {
		uintptr_t handler, flags, restorer;
		uint64_t mask;
	} ignored = { .handler = (uintptr_t)SIG_IGN };
	for (int number = 1; number <= 64; number++)
		(void)syscall(SYS_rt_sigaction, number, &ignored, NULL, 8);
	const uint64_t all = UINT64_MAX;
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
}

static int signals_spoiled(void)
{
	signals_spoil();
	return signals_look();
}

static int signals_reset(void)
{
	signals_spoil();
	confine_signals();
	return signals_look();
}

static void test_signals_are_as_in_a_fresh_process(void)
{
	EQ(act_freely(signals_spoiled), 0); /* grep found some */
	EQ(act_freely(signals_reset), 1);
}

/* ---- dumps ---- */

static int dumpable_look(void)
{
	int result = confine_not_dumpable();
	if (result != 0)
		return result;
	struct stat stat_self;
	struct rlimit limit;
	if (prctl(PR_GET_DUMPABLE) != 0 || stat("/proc/self/environ", &stat_self) < 0 ||
	    stat_self.st_uid != 0 || getrlimit(RLIMIT_CORE, &limit) < 0)
		return 1;
	return limit.rlim_cur <= 1 && limit.rlim_max <= 1 ? 0 : 2;
}

/* A caller that sets the usual 0 must not open the way to the host's handler. */
static int core_limit_of_zero(void)
{
	struct confine_rlimit zero = { RLIMIT_CORE, 0 };
	struct rlimit limit;
	if (confine_not_dumpable() != 0 || confine_rlimits(&zero, 1) != 0 ||
	    getrlimit(RLIMIT_CORE, &limit) < 0)
		return ACT_BROKE;
	return limit.rlim_cur == 1 && limit.rlim_max == 1 ? 0 : 1;
}

static int core_limit_is_zero_already(void)
{
	struct rlimit zero = { 0, 0 };
	if (setrlimit(RLIMIT_CORE, &zero) < 0 || confine_capabilities() != 0)
		return ACT_BROKE;
	return confine_not_dumpable();
}

static void test_not_dumpable(void)
{
	EQ(act_freely(dumpable_look), 0);
	EQ(act_freely(core_limit_of_zero), 0);
	if (geteuid() == 0)
		EQ(act_freely(core_limit_is_zero_already), 0);
}

/* A crash leaves no file, though the directory is writable and the soft limit was unlimited. */
static int crash_with(bool is_confined)
{
	char folder[] = "/tmp/foso-core-XXXXXX";
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	if (!mkdtemp(folder) || chdir(folder) < 0 || setrlimit(RLIMIT_CORE, &unlimited) < 0)
		return ACT_BROKE;
	pid_t child = fork();
	if (child == 0) {
		if (is_confined && confine_not_dumpable() != 0)
			_exit(ACT_BROKE);
		/* As exec sets it. */
		prctl(PR_SET_DUMPABLE, 1);
		raise(SIGSEGV);
	}
	int status, has_core = 0;
	if (child > 0 && waitpid(child, &status, 0) == child)
		has_core = WCOREDUMP(status) ? 1 : 0;
	unlink("core");
	char numbered[32];
	(void)snprintf(numbered, sizeof(numbered), "core.%d", (int)child);
	unlink(numbered);
	rmdir(folder);
	return has_core;
}

static int crash_confined(void)
{
	return crash_with(true);
}

static int crash_free(void)
{
	return crash_with(false);
}

static void test_crash_leaves_no_core(void)
{
	EQ(act_freely(crash_confined), 0);
	if (act_freely(crash_free) != 1)
		SKIP("no core, but this host writes none without the limit either");
}

/* ---- all of it, in the order of confine.c ---- */

static int confine_in_order(void)
{
	struct confine_rlimit limit = { RLIMIT_NOFILE, 64 };
	int result;
	if ((result = confine_keyring()) != 0)
		return result;
	confine_signals();
	if ((result = confine_close_fds(3)) != 0 || (result = confine_rlimits(&limit, 1)) != 0 ||
	    (result = confine_ids(65534, 65534)) != 0 || (result = confine_capabilities()) != 0 ||
	    (result = confine_not_dumpable()) != 0 || (result = confine_no_new_privs()) != 0)
		return result;
	struct confine_path path = { open("/", O_PATH | O_DIRECTORY | O_CLOEXEC),
				     CONFINE_PATH_READ };
	result = confine_landlock(&path, 1, true);
	return result == ENOSYS || result == EOPNOTSUPP ? 0 : result;
}

static int confine_and_execute(void)
{
	struct error err = { .code = ERR_NONE };
	struct seccomp_program program;
	if (seccomp_program_build(&program, &by_default, false, &err) != 0)
		return ACT_BROKE;
	int result = confine_in_order();
	if (result != 0)
		return result;
	int listener_fd = seccomp_program_install(program.instructions, program.n_instructions);
	if (listener_fd < 0)
		return -listener_fd;
	/* Nobody serves it, so what is denied would be ENOSYS; this program needs none of it. */
	close(listener_fd);
	execl("/bin/true", "true", (char *)NULL);
	return ACT_BROKE;
}

static void test_the_documented_order_works(void)
{
	if (geteuid() != 0)
		SKIP("not root: cannot change ids");
	EQ(act_freely(confine_and_execute), 0);
}

static int run_tests(void)
{
	RUN(test_keyring_is_new_and_empty);
	RUN(test_limits_are_soft_and_hard);
	RUN(test_signals_are_as_in_a_fresh_process);
	RUN(test_not_dumpable);
	RUN(test_crash_leaves_no_core);
	RUN(test_the_documented_order_works);
	return tap_done();
}

int main(void)
{
	return confined_main(run_tests);
}
