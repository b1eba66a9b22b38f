/* SPDX-License-Identifier: Apache-2.0 */
/* walls.c - the three filters, as lists of calls */
#include "wasm/walls.h"

#include <errno.h>
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
	{ SYS_rt_sigaction, Z },
	{ SYS_rt_sigprocmask, C | Z },
	{ SYS_seccomp, Z },
	{ SYS_mmap, C },
	{ SYS_mprotect, C },
};

/* Of these, only without PROT_EXEC, their third argument. */
static const uint16_t not_executable[] = { SYS_mmap, SYS_mprotect };

#define MAX_INSTRUCTIONS (4 + 2 * ARRAY_LEN(calls) + 5 * ARRAY_LEN(not_executable) + 1)

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

int walls_raise(enum walls walls)
{
	struct program program = { .n = 0 };
	unsigned set = 1u << walls;
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
	for (size_t i = 0; walls != WALLS_COMPILER && i < ARRAY_LEN(not_executable); i++) {
		/* Another call skips all four, the number still loaded. */
		add(&program, BPF_JMP | BPF_JEQ | BPF_K, not_executable[i], 0, 4);
		load(&program, offsetof(struct seccomp_data, args[2]));
		add(&program, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
		ret(&program, SECCOMP_RET_ALLOW);
		ret(&program, SECCOMP_RET_ERRNO | EPERM);
	}
	ret(&program, SECCOMP_RET_ERRNO | EPERM);
	struct sock_fprog filter = { program.n, program.instructions };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) < 0 ? errno : 0;
}
