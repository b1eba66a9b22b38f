/* SPDX-License-Identifier: Apache-2.0 */
/* bpf.h - runs a seccomp program as the kernel would, on made-up calls */
#pragma once

#include <assert.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int bpf_is_true(uint16_t test, uint32_t left, uint32_t right)
{
	switch (test) {
	case BPF_JEQ:
		return left == right;
	case BPF_JGE:
		return left >= right;
	case BPF_JGT:
		return left > right;
	case BPF_JSET:
		return (left & right) != 0;
	default:
		assert(false && "a jump of seccomp programs");
		return 0;
	}
}

/* The SECCOMP_RET_ value.  Asserts that the program stays inside itself. */
static inline uint32_t bpf_run(const struct sock_filter *program, size_t n_instructions,
			       const struct seccomp_data *data)
{
	uint32_t accumulator = 0;
	for (size_t at = 0; at < n_instructions; at++) {
		const struct sock_filter *now = &program[at];
		switch (BPF_CLASS(now->code)) {
		case BPF_LD:
			assert(now->code == (BPF_LD | BPF_W | BPF_ABS) && now->k % 4 == 0);
			assert(now->k + 4 <= sizeof(*data));
			memcpy(&accumulator, (const char *)data + now->k, sizeof(accumulator));
			break;
		case BPF_ALU:
			assert(now->code == (BPF_ALU | BPF_AND | BPF_K));
			accumulator &= now->k;
			break;
		case BPF_JMP:
			if (now->code == (BPF_JMP | BPF_JA))
				at += now->k;
			else
				at += bpf_is_true(BPF_OP(now->code), accumulator, now->k) ? now->jt
											  : now->jf;
			break;
		case BPF_RET:
			assert(now->code == (BPF_RET | BPF_K));
			return now->k;
		default:
			assert(false && "an instruction of seccomp programs");
		}
	}
	assert(false && "a program ends with a return");
	return 0;
}
