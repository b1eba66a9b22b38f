/* SPDX-License-Identifier: Apache-2.0 */
/* data.h - where foso keeps what outlives a run: images, change sets */
#pragma once

#include "base/error.h"

#define DATA_PATH_BYTES 4096

/*
 * data_path() - the folder of @name, such as "workspaces"
 *
 * $FOSO_WORKSPACES (the name in capitals) if that holds an absolute path; else /var/lib/foso/@name
 * for root, and $XDG_DATA_HOME/foso/@name or ~/.local/share/foso/@name for others.  -ERR_NOT_FOUND
 * if none of them can be told, -ERR_LIMIT if the path is too long; subject @name.
 */
int data_path(const char *name, char ret_path[DATA_PATH_BYTES], struct error *err) must_check;

/*
 * data_open() - that folder, made if it is missing (mode 0700, its parents 0755)
 *
 * Never follows a link at its end.  -ERR_DENIED if it belongs to somebody else or others may
 * write to it; -ERR_SYSTEM if it cannot be made or opened; subject: the path.
 */
int data_open(const char *name, int *ret_dir_fd, struct error *err) must_check;
