/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tap.h - tests that print the Test Anything Protocol
 *
 * A test program calls RUN() for each of its functions, then returns tap_done().  A failed check
 * prints both sides, and the test goes on; the function is "not ok" if any of its checks failed.
 * A test that cannot run here calls SKIP() with the reason and returns.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* A sanitizer makes system calls of its own, which a seccomp filter under test would deny. */
#if defined(__SANITIZE_ADDRESS__)
#	define TAP_IS_SANITIZED 1
#elif defined(__has_feature)
#	if __has_feature(address_sanitizer)
#		define TAP_IS_SANITIZED 1
#	endif
#endif
#ifndef TAP_IS_SANITIZED
#	define TAP_IS_SANITIZED 0
#endif

static int tap_n_tests, tap_n_failed;
static bool tap_is_failing;
static const char *tap_skip_reason;

#define RUN(function)                                                                              \
	do {                                                                                       \
		tap_is_failing = false;                                                            \
		tap_skip_reason = NULL;                                                            \
		function();                                                                        \
		tap_n_tests++;                                                                     \
		tap_n_failed += tap_is_failing;                                                    \
		printf("%sok %d - %s%s%s\n", tap_is_failing ? "not " : "", tap_n_tests, #function, \
		       tap_skip_reason ? " # SKIP " : "", tap_skip_reason ? tap_skip_reason : ""); \
		fflush(stdout);                                                                    \
	} while (0)

#define SKIP(reason)                        \
	do {                                \
		tap_skip_reason = (reason); \
		return;                     \
	} while (0)

#define FAIL(...)                                        \
	do {                                             \
		tap_is_failing = true;                   \
		printf("# %s:%d: ", __FILE__, __LINE__); \
		printf(__VA_ARGS__);                     \
		printf("\n");                            \
	} while (0)

#define OK(condition)                                     \
	do {                                              \
		if (!(condition))                         \
			FAIL("not true: %s", #condition); \
	} while (0)

/* Whole numbers of any type, compared as long long. */
#define EQ(actual, expected)                                                                \
	do {                                                                                \
		long long actual_ = (long long)(actual), expected_ = (long long)(expected); \
		if (actual_ != expected_)                                                   \
			FAIL("%s is %lld, expected %lld", #actual, actual_, expected_);     \
	} while (0)

#define STR_EQ(actual, expected)                                                                 \
	do {                                                                                     \
		const char *actual_ = (actual), *expected_ = (expected);                         \
		if (!actual_ || strcmp(actual_, expected_) != 0)                                 \
			FAIL("%s is '%s', expected '%s'", #actual, actual_ ? actual_ : "(null)", \
			     expected_);                                                         \
	} while (0)

/* A call that must fail: exact code and subject. */
#define ERR(result, err, expected_code, expected_subject) \
	do {                                              \
		EQ(result, -(int)(expected_code));        \
		EQ((err)->code, expected_code);           \
		STR_EQ((err)->subject, expected_subject); \
	} while (0)

static inline int tap_done(void)
{
	printf("1..%d\n", tap_n_tests);
	return tap_n_failed ? 1 : 0;
}
