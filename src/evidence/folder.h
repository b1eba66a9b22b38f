/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h - the files of a log, opened only if nobody else can change them */
#pragma once

#include "base/error.h"

/*
 * evidence_file_open() - one file of the folder, made with mode 0600 if it is missing
 * @flags:  O_RDWR, perhaps with O_APPEND or O_TRUNC
 *
 * Subject is @name.  -ERR_DENIED for a symbolic link, a file of another kind, one that belongs
 * to someone else or may be written by others; -ERR_SYSTEM otherwise.
 */
int evidence_file_open(int dir_fd, const char *name, int flags, int *ret_fd, struct error *err)
	must_check;
