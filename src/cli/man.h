/* SPDX-License-Identifier: Apache-2.0 */
/* man.h - the parts of the man pages that come from the tables */
#pragma once

#include "base/error.h"
#include "cli/commands.h"

/*
 * man_print() - one part of a man page, in the language of scdoc(5), on stdout
 * @part:  "usage", "options", "commands" or "reasons" (ways in which a command ends)
 *
 * -ERR_INVALID, subject "--scdoc", for another part.
 */
int man_print(const char *part, enum command_id command, struct error *err) must_check;
