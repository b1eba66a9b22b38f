/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_alloc.h - let the n-th allocation fail, and count what is not given back
 *
 * Include it in one file of a program that is linked with fault_alloc_link_args (tests/
 * meson.build): the linker sends every allocation of statically linked code through here.  A
 * test arms 1, 2, 3, ... until a run ends without reaching the armed allocation.
 */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static unsigned long fault_countdown; /* 0: none fails; 1: the next one does */
static bool fault_was_hit;
static long fault_n_live; /* allocated and not freed yet */

static inline void fault_arm(unsigned long n)
{
	fault_countdown = n;
	fault_was_hit = false;
}

/* fault_disarm() - true if the armed allocation was reached. */
static inline bool fault_disarm(void)
{
	fault_countdown = 0;
	return fault_was_hit;
}

static inline bool fault_strikes(void)
{
	if (fault_countdown == 0 || --fault_countdown > 0)
		return false;
	fault_was_hit = true;
	return true;
}

static inline void *fault_count(void *pointer)
{
	fault_n_live += pointer != NULL;
	return pointer;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t n_items, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__real_reallocarray(void *pointer, size_t n_items, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t len);
void __real_free(void *pointer);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n_items, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void *__wrap_reallocarray(void *pointer, size_t n_items, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t len);
void __wrap_free(void *pointer);

void *__wrap_malloc(size_t size)
{
	return fault_strikes() ? NULL : fault_count(__real_malloc(size));
}

void *__wrap_calloc(size_t n_items, size_t size)
{
	return fault_strikes() ? NULL : fault_count(__real_calloc(n_items, size));
}

void *__wrap_realloc(void *pointer, size_t size)
{
	if (fault_strikes())
		return NULL;
	void *moved = __real_realloc(pointer, size);
	return pointer ? moved : fault_count(moved);
}

void *__wrap_reallocarray(void *pointer, size_t n_items, size_t size)
{
	if (fault_strikes())
		return NULL;
	void *moved = __real_reallocarray(pointer, n_items, size);
	return pointer ? moved : fault_count(moved);
}

char *__wrap_strdup(const char *text)
{
	return fault_strikes() ? NULL : fault_count(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t len)
{
	return fault_strikes() ? NULL : fault_count(__real_strndup(text, len));
}

void __wrap_free(void *pointer)
{
	fault_n_live -= pointer != NULL;
	__real_free(pointer);
}
