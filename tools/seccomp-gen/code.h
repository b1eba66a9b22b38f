/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - an assembler for seccomp programs that works from the end to the beginning
 *
 * Classic BPF jumps forward only, and a conditional jump reaches 255 instructions.  So each
 * construct is emitted after what it continues with, and takes the labels of its continuations.
 * Where a label is out of reach, a copy of the return or an unconditional jump is put in between.
 */
#pragma once

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_MAX 4096 /* the kernel's BPF_MAXINSNS */

struct code {
	struct sock_filter instructions[CODE_MAX]; /* last one first */
	size_t n_instructions;
};

/* An instruction, counted from the end of the program. */
typedef size_t code_label;

/* Each returns the label of what it emitted; the program must not exceed CODE_MAX (asserted). */
code_label code_return(struct code *code, uint32_t value);      /* may be one that is there */
code_label code_return_here(struct code *code, uint32_t value); /* a new one */
code_label code_jump(struct code *code, uint16_t test, uint32_t value, code_label if_true,
		     code_label if_false);
code_label code_load(struct code *code, size_t offset, code_label next);
code_label code_and(struct code *code, uint32_t mask, code_label next);

/* code_in() - is the accumulator one of @values? */
code_label code_in(struct code *code, const uint32_t *values, size_t n_values, code_label if_true,
		   code_label if_false);

#define code_in_list(code, if_true, if_false, ...)       \
	code_in(code, (const uint32_t[]){ __VA_ARGS__ }, \
		sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), if_true, if_false)
