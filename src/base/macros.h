/* SPDX-License-Identifier: Apache-2.0 */
/* macros.h - the few macros that every file may use */
#pragma once

#include <assert.h>
#include <stddef.h>

#define must_check             __attribute__((warn_unused_result))
#define printf_like(at, first) __attribute__((__format__(__printf__, at, first)))

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define UNUSED(variable) ((void)(variable))

/* A large variable that is written before it is read, on a path where clearing it would count. */
#define not_zeroed __attribute__((uninitialized))

/*
 * A function whose frame is large and whose path is rare.  Inlined into a common one, its frame
 * would be that one's, and stack-clash protection touches each page of a frame on entry.
 */
#define kept_apart __attribute__((noinline))
