/* SPDX-License-Identifier: Apache-2.0 */
/* programs.h - where foso's other programs are */
#pragma once

#include <stddef.h>

#include "base/error.h"

#define PROGRAM_PATH_BYTES 4096

/*
 * program_path() - the sibling program @name
 *
 * Looks beside the running program, then in ../libexec/foso and ../../bin from there, so that
 * programs of an installed foso find each other; never in $PATH, which the caller's environment
 * controls.  -ERR_NOT_FOUND with the name as subject.
 */
int program_path(const char *name, char ret_path[PROGRAM_PATH_BYTES], struct error *err) must_check;
