/* SPDX-License-Identifier: Apache-2.0 */
/* defaults.h - what the configuration of an image says where the policy says nothing */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "image/record.h"
#include "policy/policy.h"

/* What was not taken over, and why it was not. */
#define DEFAULTS_USER_IS_NAME 1

/*
 * defaults_apply() - fill what @policy leaves open
 * @has_command:   a command is wanted: the image's, unless the policy has args
 * @has_many_ids:  false: one id is mapped, before the image's user names can be read
 *
 * env name by name, user, cwd (unless there is a workspace, which is where a command starts
 * then), and args as a whole: a command that is given is the whole command, and the image's
 * entrypoint is not put before it.
 *
 * Returns 0; DEFAULTS_USER_IS_NAME; -ERR_INVALID with the policy's field as subject where the
 * image's value is none that a policy could have, or where neither names a command; -ERR_LIMIT;
 * -ERR_SYSTEM.
 */
int defaults_apply(struct policy *policy, const struct image_record *image, bool has_command,
		   bool has_many_ids, struct error *err) must_check;
