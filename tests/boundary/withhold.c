/* SPDX-License-Identifier: Apache-2.0 */
/*
 * withhold.c - runs a program on a host that has less
 *
 * withhold ERRNO NUMBER[,NUMBER]... -- PROGRAM [ARGUMENT]...: these system calls return ERRNO for
 * the program and all that it starts.  ENOSYS (38) is a kernel without them, EPERM (1) a container
 * or a security module that forbids them.  "NUMBER/MASK" withholds the call only if its first
 * argument has a bit of MASK (clone and its CLONE_NEWUSER).
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX_INSTRUCTIONS 256

static struct sock_filter code[MAX_INSTRUCTIONS];
static unsigned short n_code;

static void emit(uint16_t operation, uint32_t value, uint8_t if_true, uint8_t if_false)
{
	if (n_code == MAX_INSTRUCTIONS)
		_exit(2);
	code[n_code++] = (struct sock_filter)BPF_JUMP(operation, value, if_true, if_false);
}

static uint32_t read_number(char **text)
{
	uint32_t value = 0;
	for (; **text >= '0' && **text <= '9'; (*text)++)
		value = value * 10 + (uint32_t)(**text - '0');
	return value;
}

/* Loads the number anew for each call, since a mask replaces it. */
static void withhold(uint32_t number, uint32_t mask, uint32_t errnum)
{
	emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	emit(BPF_JMP | BPF_JEQ | BPF_K, number, 0, mask != 0 ? 3 : 1);
	if (mask != 0) {
		emit(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args), 0, 0);
		emit(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1);
	}
	emit(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | errnum, 0, 0);
}

int main(int argc, char **argv)
{
	if (argc < 5 || strcmp(argv[3], "--") != 0) {
		(void)fprintf(stderr, "usage: withhold ERRNO NUMBER[/MASK],... -- PROGRAM...\n");
		return 2;
	}
	uint32_t errnum = read_number(&argv[1]);
	for (char *at = argv[2]; *at;) {
		uint32_t mask = 0, number = read_number(&at);
		if (*at == '/') {
			at++;
			mask = read_number(&at);
		}
		withhold(number, mask, errnum);
		if (*at != ',')
			break;
		at++;
	}
	emit(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	struct sock_fprog program = { .len = n_code, .filter = code };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("withhold");
		return 2;
	}
	(void)execv(argv[4], argv + 4);
	perror(argv[4]);
	return 127;
}
