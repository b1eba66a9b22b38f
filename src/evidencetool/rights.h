/* SPDX-License-Identifier: Apache-2.0 */
/* rights.h - what foso-evidence gives up before it reads what a stranger wrote */
#pragma once

#include "base/error.h"

/*
 * rights_drop() - for good: all but reading and writing open descriptors, and memory
 *
 * Another user where the caller is root, no capability, no new descriptor, no core, a seccomp
 * filter.  -ERR_SYSTEM if any of it cannot be done.  Everything must be open by then.
 */
int rights_drop(struct error *err) must_check;
