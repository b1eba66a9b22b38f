/* SPDX-License-Identifier: Apache-2.0 */
/* completion.h - what a shell offers after "foso", from the tables */
#pragma once

#include "base/error.h"

/*
 * completion_print() - the completion for "bash", "zsh" or "fish", on stdout
 *
 * -ERR_INVALID, subject "--completion", for another shell.
 */
int completion_print(const char *shell, struct error *err) must_check;
