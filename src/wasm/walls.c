/* SPDX-License-Identifier: Apache-2.0 */
/* walls.c - the three filters, as lists of calls */
#include "wasm/walls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"

#define C 1u /* compiler */
#define Z 2u /* zygote */
#define W 4u /* worker */
#define F 8u /* zygote and worker, if folders are granted */

/*
 * Of the zygote, all that its workers need too, and what a worker does before its own filter.  No
 * set has a call that takes a path, makes a socket, or signals a process by its number.
 */
static const struct {
	uint16_t number;
	uint8_t sets;
} calls[] = {
	{ SYS_read, C | Z | W },
	{ SYS_pread64, C },
	{ SYS_readv, Z | W },
	{ SYS_write, C | Z | W },
	{ SYS_writev, Z | W },
	{ SYS_lseek, C },
	{ SYS_fstat, C | Z | W },
	{ SYS_close, C | Z | W },
	{ SYS_poll, Z | W },
	{ SYS_ppoll, Z | W },
	{ SYS_clock_gettime, C | Z | W },
	{ SYS_clock_getres, Z | W },
	{ SYS_getrandom, C | Z | W },
	{ SYS_sched_yield, C | Z | W },
	{ SYS_brk, C | Z | W },
	{ SYS_munmap, C | Z | W },
	{ SYS_mremap, C },
	{ SYS_madvise, C | Z | W },
	{ SYS_futex, C | Z | W },
	{ SYS_sigaltstack, C | Z | W },
	{ SYS_rt_sigreturn, C | Z | W },
	{ SYS_restart_syscall, C | Z | W },
	{ SYS_exit_group, C | Z | W },
	{ SYS_recvmsg, Z },
	{ SYS_sendmsg, Z },
	{ SYS_clone3, Z },
	{ SYS_wait4, Z },
	{ SYS_pidfd_send_signal, Z },
	{ SYS_dup3, Z },
	{ SYS_close_range, Z },
	{ SYS_prctl, Z },
	{ SYS_prlimit64, Z },
	{ SYS_timer_create, Z },
	{ SYS_timer_settime, Z },
	{ SYS_rt_sigaction, Z | W }, /* the library's handler gives up a fault that is no trap */
	{ SYS_rt_sigprocmask, C | Z },
	{ SYS_seccomp, Z },
	{ SYS_mmap, C },
	{ SYS_mprotect, C },
	{ SYS_lseek, F },
	{ SYS_preadv, F },
	{ SYS_pwritev, F },
	{ SYS_getdents64, F },
	{ SYS_ftruncate, F },
	{ SYS_fsync, F },
	{ SYS_fdatasync, F },
};

/* Of these, the argument must pass a test. */
enum test {
	NONE_OF,   /* no bit of the value is set */
	OTHER_THAN /* it is not the value */
};

static const struct {
	uint16_t number;
	uint8_t sets, argument;
	uint8_t test;
	uint32_t value;
} tested[] = {
	{ SYS_mmap, Z | W, 2, NONE_OF, PROT_EXEC },
	{ SYS_mprotect, Z | W, 2, NONE_OF, PROT_EXEC },
	/* Only below a folder that was granted, as far as a number can tell. */
	{ SYS_openat2, F, 0, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_newfstatat, F, 0, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_mkdirat, F, 0, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_unlinkat, F, 0, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_renameat, F, 2, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_linkat, F, 2, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_symlinkat, F, 1, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_readlinkat, F, 0, OTHER_THAN, (uint32_t)AT_FDCWD },
	{ SYS_utimensat, F, 0, OTHER_THAN, (uint32_t)AT_FDCWD },
	/* Allocating, and none of what punches holes, moves or unshares. */
	{ SYS_fallocate, F, 1, NONE_OF, UINT32_MAX },
};

/* fcntl() with these alone: whether a file appends, and the lock of what counts. */
static const uint32_t fcntls[] = { F_SETFL, F_SETLKW };

#define MAX_INSTRUCTIONS \
	(4 + 2 * ARRAY_LEN(calls) + 5 * ARRAY_LEN(tested) + 3 + 2 * ARRAY_LEN(fcntls) + 1)

struct program {
	struct sock_filter instructions[MAX_INSTRUCTIONS];
	unsigned short n;
};

static void add(struct program *program, uint16_t code, uint32_t value, uint8_t if_true,
		uint8_t if_false)
{
	program->instructions[program->n++] =
		(struct sock_filter){ code, if_true, if_false, value };
}

static void load(struct program *program, size_t offset)
{
	add(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void ret(struct program *program, uint32_t action)
{
	add(program, BPF_RET | BPF_K, action, 0, 0);
}

/* The number is loaded before, and after it if the call is another one. */
static void add_tested(struct program *program, size_t i)
{
	bool is_bits = tested[i].test == NONE_OF;
	add(program, BPF_JMP | BPF_JEQ | BPF_K, tested[i].number, 0, 4);
	load(program, offsetof(struct seccomp_data, args) + tested[i].argument * sizeof(uint64_t));
	add(program, BPF_JMP | BPF_K | (is_bits ? BPF_JSET : BPF_JEQ), tested[i].value, 1, 0);
	ret(program, SECCOMP_RET_ALLOW);
	ret(program, SECCOMP_RET_ERRNO | EPERM);
}

static void add_fcntls(struct program *program)
{
	add(program, BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 2 + 2 * ARRAY_LEN(fcntls));
	load(program, offsetof(struct seccomp_data, args[1]));
	for (size_t i = 0; i < ARRAY_LEN(fcntls); i++) {
		add(program, BPF_JMP | BPF_JEQ | BPF_K, fcntls[i], 0, 1);
		ret(program, SECCOMP_RET_ALLOW);
	}
	ret(program, SECCOMP_RET_ERRNO | EPERM);
}

int walls_raise(enum walls walls, bool has_folders)
{
	struct program program = { .n = 0 };
	unsigned set = 1u << walls | (has_folders && walls != WALLS_COMPILER ? F : 0);
	load(&program, offsetof(struct seccomp_data, arch));
	add(&program, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	ret(&program, SECCOMP_RET_KILL_PROCESS);
	load(&program, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		if (!(calls[i].sets & set))
			continue;
		add(&program, BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
		ret(&program, SECCOMP_RET_ALLOW);
	}
	for (size_t i = 0; i < ARRAY_LEN(tested); i++) {
		if (tested[i].sets & set)
			add_tested(&program, i);
	}
	if (set & F)
		add_fcntls(&program);
	ret(&program, SECCOMP_RET_ERRNO | EPERM);
	struct sock_fprog filter = { program.n, program.instructions };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0 ? errno : 0;
}
