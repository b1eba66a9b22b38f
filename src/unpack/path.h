/* SPDX-License-Identifier: Apache-2.0 */
/* path.h - the name of a member of an archive, checked and in one form */
#pragma once

#include "unpack/unpack.h"

#define PATH_MAX_PARTS 255

/*
 * path_normalize() - "./a//b/" becomes "a/b", the root itself ""
 *
 * Refused: an absolute path, a part "..", a part of more than 255 bytes, more than 4095 bytes or
 * PATH_MAX_PARTS parts.
 */
int path_normalize(struct unpack_fault *fault, const char *path, char ret_path[IMAGE_PATH_MAX + 1]);
