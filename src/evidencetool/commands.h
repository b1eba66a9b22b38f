/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - what foso-evidence does; each returns the exit status, or -code with *err filled */
#pragma once

#include "evidencetool/args.h"

int command_list(const struct args *args, struct error *err);
int command_show(const struct args *args, struct error *err);
int command_verify(const struct args *args, struct error *err);
int command_export(const struct args *args, struct error *err);
int command_keygen(const struct args *args, struct error *err);
int command_sign(const struct args *args, struct error *err);
