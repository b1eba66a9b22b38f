/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setjmp.c - what clang's lowering of setjmp() to WebAssembly exceptions calls
 *
 * The compiler gives each call of setjmp() in a function a label, and each run of that function a
 * frame; longjmp() throws, and whoever catches asks whether the buffer is of his frame.
 */
#include <setjmp.h>

void __wasm_setjmp(jmp_buf buffer, unsigned label, void *frame);
unsigned __wasm_setjmp_test(jmp_buf buffer, void *frame);
_Noreturn void __wasm_longjmp(jmp_buf buffer, int value);

__asm__(".globl __c_longjmp\n"
	".tagtype __c_longjmp i32\n"
	"__c_longjmp:\n");

#define TAG_OF_LONGJMP 1

void __wasm_setjmp(jmp_buf buffer, unsigned label, void *frame)
{
	buffer[0].frame = frame;
	buffer[0].label = label;
}

unsigned __wasm_setjmp_test(jmp_buf buffer, void *frame)
{
	return buffer[0].frame == frame ? buffer[0].label : 0;
}

_Noreturn void __wasm_longjmp(jmp_buf buffer, int value)
{
	buffer[0].thrown.buffer = buffer;
	buffer[0].thrown.value = value != 0 ? value : 1;
	__builtin_wasm_throw(TAG_OF_LONGJMP, &buffer[0].thrown);
}
