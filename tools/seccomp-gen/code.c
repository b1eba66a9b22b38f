/* SPDX-License-Identifier: Apache-2.0 */
/* code.c - an assembler for seccomp programs that works from the end to the beginning */
#include "code.h"

#include <assert.h>

#define REACH 255 /* sock_filter.jt and .jf are 8 bits wide */

static code_label code_emit(struct code *code, struct sock_filter instruction)
{
	assert(code->n_instructions < CODE_MAX);
	code->instructions[code->n_instructions] = instruction;
	return code->n_instructions++;
}

/* How far a jump must go if @n_between further instructions come before it. */
static size_t code_distance(const struct code *code, code_label label, size_t n_between)
{
	return code->n_instructions + n_between - label - 1;
}

static code_label code_jump_always(struct code *code, code_label label)
{
	size_t distance = code_distance(code, label, 0);
	return code_emit(code, (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, (uint32_t)distance));
}

code_label code_return_here(struct code *code, uint32_t value)
{
	return code_emit(code, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value));
}

/* Returns of the same value are shared while they are in reach. */
code_label code_return(struct code *code, uint32_t value)
{
	for (size_t i = code->n_instructions; i > 0 && code_distance(code, i - 1, 2) <= REACH;
	     i--) {
		const struct sock_filter *at = &code->instructions[i - 1];
		if (at->code == (BPF_RET | BPF_K) && at->k == value)
			return i - 1;
	}
	return code_return_here(code, value);
}

/* The same continuation, near enough for a conditional jump that follows within two. */
static code_label code_near(struct code *code, code_label label)
{
	if (code_distance(code, label, 2) <= REACH)
		return label;
	if (code->instructions[label].code == (BPF_RET | BPF_K))
		return code_return(code, code->instructions[label].k);
	return code_jump_always(code, label);
}

code_label code_jump(struct code *code, uint16_t test, uint32_t value, code_label if_true,
		     code_label if_false)
{
	if (if_true == if_false)
		return if_true;
	code_label near_true = code_near(code, if_true);
	code_label near_false = code_near(code, if_false);
	return code_emit(code,
			 (struct sock_filter)BPF_JUMP((uint16_t)(BPF_JMP | test | BPF_K), value,
						      (uint8_t)code_distance(code, near_true, 0),
						      (uint8_t)code_distance(code, near_false, 0)));
}

/* Loads and arithmetic have no target: they continue with what was emitted last. */
static void code_continue_with(struct code *code, code_label next)
{
	if (next + 1 != code->n_instructions)
		code_jump_always(code, next);
}

code_label code_load(struct code *code, size_t offset, code_label next)
{
	code_continue_with(code, next);
	return code_emit(code,
			 (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

code_label code_and(struct code *code, uint32_t mask, code_label next)
{
	code_continue_with(code, next);
	return code_emit(code, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
}

code_label code_in(struct code *code, const uint32_t *values, size_t n_values, code_label if_true,
		   code_label if_false)
{
	code_label label = if_false;
	for (size_t i = n_values; i > 0; i--)
		label = code_jump(code, BPF_JEQ, values[i - 1], if_true, label);
	return label;
}
