/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foso.h - run code that nobody trusts, from a C program
 *
 * A policy says what a sandbox may do; an order says what is to run and where its streams go.
 * foso_run_start() makes a sandbox for one command; foso_sandbox_open() makes one for many.
 * Either way the sandbox is held by a process of its own, foso-monitor, which the library
 * starts; it has the caller's rights, never more, and ends the sandbox when the caller does.
 *
 * Returns.  Every fallible function returns 0, a positive outcome that its comment names, or
 * -enum foso_error_code with *err filled; err may be NULL.  Outputs are written on success only.
 *
 * Threads.  Objects are not locked: use a policy, or a sandbox with its runs, in one thread at a
 * time.  Different objects can be used at once.  No function touches signals, the working
 * directory, the environment or standard streams of the caller.  Children other than the
 * library's own are never waited for; a caller that waits for all children must leave the
 * library's alone (SIGCHLD may be ignored: then the kernel reaps them).
 *
 * Units are in names: _ms, _bytes.  Strings are UTF-8 or any bytes but NUL, as Linux has them.
 * libfoso(3) has a whole program.
 */
#pragma once

#include <foso/error.h>
#include <foso/order.h>
#include <foso/policy.h>
#include <foso/run.h>
#include <foso/sandbox.h>

#ifdef __cplusplus
extern "C" {
#endif

/* foso_version() - "0.1.0", of the library; static. */
const char *foso_version(void);

/*
 * foso_programs_set() - where foso-monitor, foso-init and foso-policy are
 * @folder:  absolute path, copied; NULL for where they were installed, which is the default
 *
 * For a program that brings its own copy of foso.  The environment is never asked: it may
 * belong to somebody else.  Call it before other threads use the library.
 * -FOSO_ERROR_INVALID, subject "programs": not an absolute path, or longer than 3000 bytes.
 */
int foso_programs_set(const char *folder, struct foso_error *err);

#ifdef __cplusplus
}
#endif
