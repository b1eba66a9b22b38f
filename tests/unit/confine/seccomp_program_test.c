/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_program_test.c - the generated programs against the table and against libseccomp
 *
 * The programs are run by an interpreter, so every number and every interesting argument can be
 * tried; seccomp_filter_test.c has the kernel's word.
 */
#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf.h"
#include "confine/seccomp.h"
#include "confine/seccomp_rules.h"
#include "confine/seccomp_table.h"
#include "confine/syscalls.h"
#include "support/tap.h"

#define N_PROFILES 3

static const struct call {
	const char *name;
	enum seccomp_action actions[N_PROFILES];
} calls[] = {
#define IGNORE_GROUP(title)
#define CALL_ROW(name_, default_, strict, monitor, why)                    \
	{ .name = #name_,                                                  \
	  .actions = { SECCOMP_ACTION_##default_, SECCOMP_ACTION_##strict, \
		       SECCOMP_ACTION_##monitor } },
	SYSCALLS(IGNORE_GROUP, CALL_ROW)
#undef CALL_ROW
};

static const struct policy by_default;

static uint32_t run(enum seccomp_filter_id id, uint32_t arch, uint32_t number,
		    const uint64_t args[6])
{
	struct seccomp_data data = { .nr = (int)number, .arch = arch };
	if (args)
		memcpy(data.args, args, sizeof(data.args));
	size_t n_instructions;
	const struct sock_filter *program = seccomp_table_filter(id, &n_instructions);
	return bpf_run(program, n_instructions, &data);
}

static uint32_t denied_by(enum seccomp_filter_id id)
{
	return id == SECCOMP_FILTER_DEFAULT || id == SECCOMP_FILTER_STRICT
		       ? SECCOMP_RET_USER_NOTIF
		       : SECCOMP_RET_ERRNO | EPERM;
}

/* Looked up once: the lookup by name walks through all of them. */
static int numbers[ARRAY_LEN(calls)];

static void numbers_fill(void)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++)
		numbers[i] = seccomp_syscall_number(calls[i].name);
}

static const struct call *call_of(uint32_t number)
{
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		if (numbers[i] == (int)number)
			return &calls[i];
	}
	return NULL;
}

static void check_number(enum seccomp_filter_id id, uint32_t number)
{
	uint32_t value = run(id, AUDIT_ARCH_X86_64, number, NULL);
	const struct call *call = call_of(number);
	enum seccomp_action action = call ? call->actions[id] : SECCOMP_ACTION_no;
	if (action == SECCOMP_ACTION_yes && value != SECCOMP_RET_ALLOW)
		FAIL("%u: %s is not allowed (0x%x)", id, call->name, value);
	if (action == SECCOMP_ACTION_enosys && value != (SECCOMP_RET_ERRNO | ENOSYS))
		FAIL("%u: %s is not ENOSYS (0x%x)", id, call->name, value);
	if ((action == SECCOMP_ACTION_no || action == SECCOMP_ACTION_gone) &&
	    value != denied_by(id))
		FAIL("%u: %u (%s) is not denied (0x%x)", id, number, call ? call->name : "?",
		     value);
}

static void test_every_number_is_treated_as_the_table_says(void)
{
	for (unsigned id = 0; id < N_PROFILES; id++) {
		for (uint32_t number = 0; number < 2048; number++)
			check_number(id, number);
		check_number(id, UINT32_MAX);
		check_number(id, INT32_MAX);
	}
}

static void test_other_architectures_are_denied(void)
{
	static const uint32_t others[] = { AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, 0 };
	for (unsigned id = 0; id < N_PROFILES; id++) {
		for (size_t i = 0; i < ARRAY_LEN(others); i++) {
			for (uint32_t number = 0; number < 512; number++)
				EQ(run(id, others[i], number, NULL), denied_by(id));
		}
		for (uint32_t number = 0; number < 1024; number++)
			EQ(run(id, AUDIT_ARCH_X86_64, 0x40000000u | number, NULL), denied_by(id));
	}
}

/* The same decisions by the library that others trust; arguments are not asked about. */
static void test_libseccomp_decides_alike(void)
{
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_KILL_PROCESS);
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		int number = seccomp_syscall_resolve_name(calls[i].name);
		if (number >= 0 && calls[i].actions[SECCOMP_FILTER_DEFAULT] == SECCOMP_ACTION_yes)
			EQ(seccomp_rule_add_exact(context, SCMP_ACT_ALLOW, number, 0), 0);
	}
	FILE *file = tmpfile();
	EQ(seccomp_export_bpf(context, fileno(file)), 0);
	seccomp_release(context);
	static struct sock_filter program[SECCOMP_MAX_INSTRUCTIONS];
	ssize_t n_bytes = pread(fileno(file), program, sizeof(program), 0);
	fclose(file);
	OK(n_bytes > 0);
	for (uint32_t number = 0; number < 2048; number++) {
		struct seccomp_data data = { .nr = (int)number, .arch = AUDIT_ARCH_X86_64 };
		uint32_t theirs = bpf_run(program, (size_t)n_bytes / sizeof(*program), &data);
		const struct call *call = call_of(number);
		bool is_plain = call && call->actions[0] == SECCOMP_ACTION_yes;
		/* Calls that libseccomp does not know by name are not in its program. */
		if (is_plain && seccomp_syscall_resolve_name(call->name) < 0)
			continue;
		EQ(theirs == SECCOMP_RET_ALLOW, is_plain);
	}
}

/* ---- arguments: what is equal in the half that the kernel reads is treated alike ---- */

struct argument_case {
	const char *name;
	enum seccomp_filter_id id;
	unsigned argument;
	uint64_t value;
	bool is_allowed;
};

static const struct argument_case argument_cases[] = {
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x5412, false },     /* TIOCSTI */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x541c, false },     /* TIOCLINUX */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x541d, false },     /* TIOCCONS */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x5423, false },     /* TIOCSETD */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x5413, true },      /* TIOCGWINSZ */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x40086602, false }, /* FS_IOC_SETFLAGS */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x401c5820, false }, /* FS_IOC_FSSETXATTR */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x80086601, true },  /* FS_IOC_GETFLAGS */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x40049409, true },  /* FICLONE */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x4020940d, true },  /* FICLONERANGE */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0xc0189436, true },  /* FIDEDUPERANGE */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x5000940e, false }, /* BTRFS_IOC_SUBVOL_CREATE */
	{ "ioctl", SECCOMP_FILTER_DEFAULT, 1, 0x50009401, false }, /* BTRFS_IOC_SNAP_CREATE */
	{ "ioctl", SECCOMP_FILTER_STRICT, 1, 0x5413, true },
	{ "ioctl", SECCOMP_FILTER_STRICT, 1, 0x5412, false },
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x003d0f00, true }, /* pthread_create() of glibc */
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x01200011, true }, /* fork() of glibc */
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x00020011, false },
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x02000011, false },
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x04000011, false },
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x08000011, false },
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x10000011, false },
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x20000011, false },
	{ "clone", SECCOMP_FILTER_DEFAULT, 0, 0x40000011, false },
	{ "personality", SECCOMP_FILTER_DEFAULT, 0, 0xffffffff, true },
	{ "personality", SECCOMP_FILTER_DEFAULT, 0, 8, true },
	{ "personality", SECCOMP_FILTER_DEFAULT, 0, 0x20008, true },
	{ "personality", SECCOMP_FILTER_DEFAULT, 0, 0x400000, false },
	{ "personality", SECCOMP_FILTER_STRICT, 0, 0xffffffff, true },
	{ "personality", SECCOMP_FILTER_STRICT, 0, 8, false },
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 15, true },         /* PR_SET_NAME */
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 38, true },         /* PR_SET_NO_NEW_PRIVS */
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 35, false },        /* PR_SET_MM */
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 53, false },        /* PR_SET_SPECULATION_CTRL */
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 62, false },        /* PR_SCHED_CORE */
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 67, false },        /* PR_SET_MEMORY_MERGE */
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 0x53564d41, true }, /* PR_SET_VMA */
	{ "prctl", SECCOMP_FILTER_DEFAULT, 0, 10000, false },
	{ "prctl", SECCOMP_FILTER_STRICT, 0, 15, true },
	{ "prctl", SECCOMP_FILTER_STRICT, 0, 36, false }, /* PR_SET_CHILD_SUBREAPER */
	{ "socketpair", SECCOMP_FILTER_DEFAULT, 0, 1, true },
	{ "socketpair", SECCOMP_FILTER_STRICT, 0, 1, true },
	{ "socketpair", SECCOMP_FILTER_DEFAULT, 0, 2, false },
	{ "socketpair", SECCOMP_FILTER_DEFAULT, 0, 30, false }, /* AF_TIPC */
	{ "setsockopt", SECCOMP_FILTER_DEFAULT, 1, 6, true }, /* IPPROTO_TCP, whatever the option */
	{ "mknod", SECCOMP_FILTER_DEFAULT, 1, 0010644, true },
	{ "mknod", SECCOMP_FILTER_DEFAULT, 1, 0100644, true },
	{ "mknod", SECCOMP_FILTER_DEFAULT, 1, 0644, true },
	{ "mknod", SECCOMP_FILTER_DEFAULT, 1, 0140644, true },
	{ "mknod", SECCOMP_FILTER_DEFAULT, 1, 0020644, false },
	{ "mknod", SECCOMP_FILTER_DEFAULT, 1, 0060644, false },
	{ "mknodat", SECCOMP_FILTER_DEFAULT, 2, 0020644, false },
	{ "chmod", SECCOMP_FILTER_STRICT, 1, 01777, true },
	{ "chmod", SECCOMP_FILTER_STRICT, 1, 04755, false },
	{ "chmod", SECCOMP_FILTER_STRICT, 1, 02755, false },
	{ "fchmodat2", SECCOMP_FILTER_STRICT, 2, 04755, false },
	{ "creat", SECCOMP_FILTER_STRICT, 1, 04755, false },
	{ "mprotect", SECCOMP_FILTER_MONITOR, 2, 3, true },
	{ "mprotect", SECCOMP_FILTER_MONITOR, 2, 5, false },
	{ "mmap", SECCOMP_FILTER_MONITOR, 2, 7, false },
};

static void test_arguments_are_compared_in_the_half_the_kernel_reads(void)
{
	static const uint64_t upper_halves[] = { 0, 1, 0xffffffff, 0x80000000 };
	for (size_t i = 0; i < ARRAY_LEN(argument_cases); i++) {
		const struct argument_case *row = &argument_cases[i];
		for (size_t j = 0; j < ARRAY_LEN(upper_halves); j++) {
			uint64_t args[6] = { 0 };
			args[row->argument] = upper_halves[j] << 32 | row->value;
			uint32_t value = run(row->id, AUDIT_ARCH_X86_64,
					     (uint32_t)seccomp_syscall_number(row->name), args);
			if (value != (row->is_allowed ? SECCOMP_RET_ALLOW : denied_by(row->id)))
				FAIL("%s(..0x%llx..) gives 0x%x", row->name,
				     (unsigned long long)args[row->argument], value);
		}
	}
}

static uint32_t run_default(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return run(SECCOMP_FILTER_DEFAULT, AUDIT_ARCH_X86_64,
		   (uint32_t)seccomp_syscall_number(name), (const uint64_t[6]){ a, b, c, d, 0, 0 });
}

/* An unsigned long: all 64 bits reach the kernel, and flags above 32 may mean more one day. */
static void test_unshare_is_compared_in_full(void)
{
	EQ(run_default("unshare", 0x400, 0, 0, 0), SECCOMP_RET_ALLOW); /* CLONE_FILES */
	EQ(run_default("unshare", 0x80, 0, 0, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("unshare", 0x10000000, 0, 0, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("unshare", 0x100000400, 0, 0, 0), SECCOMP_RET_USER_NOTIF);
}

/* Every domain, type and protocol, with the flags and the upper halves in all combinations. */
static bool socket_is_allowed(unsigned domain, unsigned type, unsigned protocol)
{
	if (domain == 1)
		return true;
	if (domain == 16)
		return protocol == 0;
	if (domain != 2 && domain != 10)
		return false;
	if (type == 1)
		return protocol == 0 || protocol == 6;
	return type == 2 && (protocol == 0 || protocol == 17 || protocol == 1 || protocol == 58);
}

static void test_sockets_are_allowed_by_domain_type_and_protocol(void)
{
	static const uint64_t type_flags[] = { 0, 02000000, 04000, 02004000, 0x100000000 };
	for (unsigned domain = 0; domain < 64; domain++) {
		for (unsigned type = 0; type < 16; type++) {
			for (unsigned protocol = 0; protocol < 300; protocol++) {
				uint32_t expected = socket_is_allowed(domain, type, protocol)
							    ? SECCOMP_RET_ALLOW
							    : SECCOMP_RET_USER_NOTIF;
				/* NETLINK_AUDIT: as a kernel without audit answers. */
				if (domain == AF_NETLINK && protocol == 9)
					expected = SECCOMP_RET_ERRNO | EPROTONOSUPPORT;
				uint64_t flags = type_flags[protocol % ARRAY_LEN(type_flags)];
				const uint64_t args[6] = { domain | 0x100000000, type | flags,
							   protocol };
				if (run(SECCOMP_FILTER_DEFAULT, AUDIT_ARCH_X86_64, SYS_socket,
					args) != expected)
					FAIL("socket(%u, %u, %u)", domain, type, protocol);
			}
		}
	}
}

static void test_core_limit_is_answered_and_left_alone(void)
{
	uint32_t done = SECCOMP_RET_ERRNO;
	EQ(run_default("setrlimit", RLIMIT_CORE, 1, 0, 0), done);
	EQ(run_default("setrlimit", 0x100000000 | RLIMIT_CORE, 1, 0, 0), done);
	EQ(run_default("setrlimit", RLIMIT_NOFILE, 1, 0, 0), SECCOMP_RET_ALLOW);
	EQ(run_default("prlimit64", 0, RLIMIT_CORE, 0, 1), SECCOMP_RET_ALLOW);
	EQ(run_default("prlimit64", 0, RLIMIT_CORE, 1, 0), done);
	EQ(run_default("prlimit64", 0, RLIMIT_CORE, 0x100000000, 0), done);
	EQ(run_default("prlimit64", 0, RLIMIT_CORE, 1, 0x100000000), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("prlimit64", 0, RLIMIT_CORE, 1, 1), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("prlimit64", 0, RLIMIT_NOFILE, 1, 1), SECCOMP_RET_ALLOW);
}

/* Process 1 is foso-init, which can have the uid of the workload. */
static void test_process_1_keeps_its_limits_and_priority(void)
{
	static const char *const by_pid[] = { "sched_setaffinity", "sched_setparam",
					      "sched_setscheduler", "sched_setattr" };
	EQ(run_default("prlimit64", 1, RLIMIT_NOFILE, 1, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("prlimit64", 0x100000001, RLIMIT_CPU, 1, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("prlimit64", 1, RLIMIT_CORE, 1, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("prlimit64", 1, RLIMIT_NOFILE, 0, 1), SECCOMP_RET_ALLOW);
	EQ(run_default("prlimit64", 2, RLIMIT_NOFILE, 1, 0), SECCOMP_RET_ALLOW);
	for (size_t i = 0; i < ARRAY_LEN(by_pid); i++) {
		EQ(run_default(by_pid[i], 0, 0, 0, 0), SECCOMP_RET_ALLOW);
		EQ(run_default(by_pid[i], 2, 0, 0, 0), SECCOMP_RET_ALLOW);
		EQ(run_default(by_pid[i], 1, 0, 0, 0), SECCOMP_RET_USER_NOTIF);
		EQ(run_default(by_pid[i], 0x700000001, 0, 0, 0), SECCOMP_RET_USER_NOTIF);
	}
	EQ(run_default("setpriority", PRIO_PROCESS, 0, 5, 0), SECCOMP_RET_ALLOW);
	EQ(run_default("setpriority", PRIO_PROCESS, 1, 5, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("setpriority", PRIO_PGRP, 1, 5, 0), SECCOMP_RET_ALLOW);
	EQ(run_default("setpriority", PRIO_USER, 0, 5, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("ioprio_set", 1, 0, 0, 0), SECCOMP_RET_ALLOW);
	EQ(run_default("ioprio_set", 1, 1, 0, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("ioprio_set", 3, 0, 0, 0), SECCOMP_RET_USER_NOTIF);
}

static void test_seccomp_is_allowed_without_a_listener(void)
{
	EQ(run_default("seccomp", 0, 0, 0, 0), SECCOMP_RET_ALLOW);
	EQ(run_default("seccomp", 1, 1, 0, 0), SECCOMP_RET_ALLOW);
	EQ(run_default("seccomp", 1, 8, 0, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("seccomp", 0x100000001, 0x100000008, 0, 0), SECCOMP_RET_USER_NOTIF);
	EQ(run_default("seccomp", 3, 8, 0, 0), SECCOMP_RET_ALLOW);
	EQ(run_default("seccomp", 4, 0, 0, 0), SECCOMP_RET_USER_NOTIF);
}

/* ---- names and errnos ---- */

static void test_names_and_numbers_agree(void)
{
	size_t n_calls = 0;
	for (uint32_t number = 0; number < 2048; number++) {
		const char *name = seccomp_syscall_name(AUDIT_ARCH_X86_64, number);
		if (!name)
			continue;
		n_calls++;
		EQ(seccomp_syscall_number(name), number);
		int theirs = seccomp_syscall_resolve_name(name);
		if (theirs >= 0)
			EQ(theirs, number);
	}
	EQ(n_calls, ARRAY_LEN(calls));
	EQ(seccomp_syscall_number("mount"), SYS_mount);
	STR_EQ(seccomp_syscall_name(AUDIT_ARCH_X86_64, SYS_mount), "mount");
	EQ(seccomp_syscall_number("mseal"), 462);
	EQ(seccomp_syscall_number("moun"), -1);
	EQ(seccomp_syscall_number(""), -1);
	OK(!seccomp_syscall_name(AUDIT_ARCH_I386, SYS_mount));
	OK(!seccomp_syscall_name(AUDIT_ARCH_X86_64, 400));
}

static void test_errno_is_what_libc_expects(void)
{
	EQ(seccomp_deny_errno(AUDIT_ARCH_X86_64, SYS_mount), EPERM);
	EQ(seccomp_deny_errno(AUDIT_ARCH_X86_64, SYS_socket), EPERM);
	EQ(seccomp_deny_errno(AUDIT_ARCH_X86_64, SYS_vserver), ENOSYS);
	EQ(seccomp_deny_errno(AUDIT_ARCH_X86_64, 470), ENOSYS);
	EQ(seccomp_deny_errno(AUDIT_ARCH_X86_64, UINT32_MAX), ENOSYS);
	EQ(seccomp_deny_errno(AUDIT_ARCH_X86_64, 0x40000000 | SYS_mount), ENOSYS);
	EQ(seccomp_deny_errno(AUDIT_ARCH_I386, 21), ENOSYS);
}

/* ---- policies ---- */

static uint32_t run_policy(const struct policy *policy, bool without_affinity, long number)
{
	struct error err = { .code = ERR_NONE };
	struct seccomp_program program;
	EQ(seccomp_program_build(&program, policy, without_affinity, &err), 0);
	OK(program.n_instructions <= SECCOMP_MAX_INSTRUCTIONS);
	struct seccomp_data data = { .nr = (int)number, .arch = AUDIT_ARCH_X86_64 };
	uint32_t value = bpf_run(program.instructions, program.n_instructions, &data);
	/* A list never lets another architecture through. */
	data.arch = AUDIT_ARCH_I386;
	EQ(bpf_run(program.instructions, program.n_instructions, &data), SECCOMP_RET_USER_NOTIF);
	seccomp_program_fini(&program);
	seccomp_program_fini(&program);
	return value;
}

static void test_affinity_is_denied_on_request(void)
{
	EQ(run_policy(&by_default, false, SYS_sched_setaffinity), SECCOMP_RET_ALLOW);
	EQ(run_policy(&by_default, true, SYS_sched_setaffinity), SECCOMP_RET_USER_NOTIF);
	EQ(run_policy(&by_default, true, SYS_sched_getaffinity), SECCOMP_RET_ALLOW);
	char *names[] = { (char[]){ "sched_setaffinity" } };
	struct policy policy = { .syscalls = { .allow = { names, 1 } } };
	EQ(run_policy(&policy, true, SYS_sched_setaffinity), SECCOMP_RET_USER_NOTIF);
}

static void test_full_lists_fit(void)
{
	char name[] = "ptrace", *names[POLICY_MAX_SYSCALLS];
	for (size_t i = 0; i < POLICY_MAX_SYSCALLS; i++)
		names[i] = name;
	struct policy policy = { .syscalls = { .profile = POLICY_PROFILE_STRICT,
					       .allow = { names, POLICY_MAX_SYSCALLS },
					       .may_nest = true } };
	EQ(run_policy(&policy, true, SYS_ptrace), SECCOMP_RET_ALLOW);
	EQ(run_policy(&policy, true, SYS_read), SECCOMP_RET_ALLOW);
	EQ(run_policy(&policy, true, SYS_setns), SECCOMP_RET_ALLOW);
	EQ(run_policy(&policy, true, SYS_bpf), SECCOMP_RET_USER_NOTIF);
}

static void test_too_many_names_are_refused(void)
{
	char name[] = "ptrace", *names[POLICY_MAX_SYSCALLS];
	for (size_t i = 0; i < POLICY_MAX_SYSCALLS; i++)
		names[i] = name;
	struct policy policy = { .syscalls = { .allow = { names, POLICY_MAX_SYSCALLS },
					       .deny = { names, 1 } } };
	struct error err = { .code = ERR_NONE };
	struct seccomp_program program;
	ERR(seccomp_program_build(&program, &policy, false, &err), &err, ERR_LIMIT, "syscalls");
	STR_EQ(err.message, "allow and deny name 129 system calls");
	STR_EQ(err.remedy, "name at most 128 together");
}

static void test_unknown_name_is_refused(void)
{
	char *names[] = { (char[]){ "ptrace" }, (char[]){ "mout" } };
	struct policy policy = { .syscalls = { .allow = { names, 2 } } };
	struct error err = { .code = ERR_NONE };
	struct seccomp_program program;
	ERR(seccomp_program_build(&program, &policy, false, &err), &err, ERR_INVALID,
	    "syscalls.allow[1]");
	STR_EQ(err.message, "'mout' is not a system call that this build knows");
	STR_EQ(err.remedy, "use a name of foso-syscalls(7), as strace prints it");
}

static void test_denying_what_a_start_needs_is_refused(void)
{
	static const char *const needed[] = { "execve", "exit_group", "write", "close", "sendmsg" };
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "%s", needed[i]);
		char *names[] = { name };
		struct policy policy = { .syscalls = { .deny = { names, 1 } } };
		struct error err = { .code = ERR_NONE };
		struct seccomp_program program;
		ERR(seccomp_program_build(&program, &policy, false, &err), &err, ERR_INVALID,
		    "syscalls.deny[0]");
		STR_EQ(err.remedy, "remove it from the list");
		EQ(run_policy(&by_default, false, seccomp_syscall_number(name)), SECCOMP_RET_ALLOW);
		policy = (struct policy){ .syscalls = { .profile = POLICY_PROFILE_STRICT } };
		EQ(run_policy(&policy, false, seccomp_syscall_number(name)), SECCOMP_RET_ALLOW);
	}
}

/* Install time goes with the length, and old kernels walk the search at each call. */
static void test_programs_are_short(void)
{
	size_t n_instructions;
	(void)seccomp_table_filter(SECCOMP_FILTER_DEFAULT, &n_instructions);
	OK(n_instructions <= 224);
	(void)seccomp_table_filter(SECCOMP_FILTER_STRICT, &n_instructions);
	OK(n_instructions <= 224);
}

int main(void)
{
	numbers_fill();
	RUN(test_every_number_is_treated_as_the_table_says);
	RUN(test_other_architectures_are_denied);
	RUN(test_libseccomp_decides_alike);
	RUN(test_arguments_are_compared_in_the_half_the_kernel_reads);
	RUN(test_unshare_is_compared_in_full);
	RUN(test_sockets_are_allowed_by_domain_type_and_protocol);
	RUN(test_core_limit_is_answered_and_left_alone);
	RUN(test_process_1_keeps_its_limits_and_priority);
	RUN(test_seccomp_is_allowed_without_a_listener);
	RUN(test_names_and_numbers_agree);
	RUN(test_errno_is_what_libc_expects);
	RUN(test_affinity_is_denied_on_request);
	RUN(test_full_lists_fit);
	RUN(test_too_many_names_are_refused);
	RUN(test_unknown_name_is_refused);
	RUN(test_denying_what_a_start_needs_is_refused);
	RUN(test_programs_are_short);
	return tap_done();
}
