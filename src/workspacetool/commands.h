/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - what foso-workspace does; each returns the exit status, or -code with *err filled */
#pragma once

#include "workspacetool/args.h"

int command_diff(const struct args *args, struct error *err);
int command_list(const struct args *args, struct error *err); /* diff --list */
int command_commit(const struct args *args, struct error *err);
int command_discard(const struct args *args, struct error *err);
int command_fork(const struct args *args, struct error *err);
