/* SPDX-License-Identifier: Apache-2.0 */
/* policy_file.h - a policy out of a text file */
#pragma once

#include "base/error.h"
#include "policy/policy.h"

/* An outcome: foso-policy refused the file and has said why on stderr. */
#define POLICY_FILE_REFUSED 1

/*
 * policy_file_read() - have a policy file compiled
 * @file:    "-" for stdin
 * @policy:  initialised; what it held is replaced
 *
 * foso itself parses no text: foso-policy does, in a process of its own, and its answer is
 * decoded as if it were hostile.  Returns 0; POLICY_FILE_REFUSED; -ERR_SYSTEM, -ERR_NOT_FOUND
 * or -ERR_PROTOCOL, in which case @policy is still initialised.
 */
int policy_file_read(const char *file, struct policy *policy, struct error *err) must_check;
