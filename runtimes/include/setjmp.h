/* SPDX-License-Identifier: Apache-2.0 */
/* setjmp.h - which the C library of Debian 12 lacks for WASI: over exceptions, see ../setjmp.c */
#pragma once

struct wasm_jump {
	void *frame; /* of the call of setjmp() that filled it */
	unsigned label;
	struct {
		void *buffer;
		int value;
	} thrown;
};
typedef struct wasm_jump jmp_buf[1];

int setjmp(jmp_buf buffer) __attribute__((__returns_twice__));
_Noreturn void longjmp(jmp_buf buffer, int value);
