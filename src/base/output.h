/* SPDX-License-Identifier: Apache-2.0 */
/* output.h - what every program that talks to a person does with its stdout */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * output_wrap() - @text and a newline, broken between words so that no line exceeds 80 columns
 * @column:  where the cursor is, and where each further line begins
 *
 * Appended to @out; the program prints it.
 */
void output_wrap(struct buf *out, const char *text, size_t column);

/*
 * output_finish() - @result, or -ERR_SYSTEM if that is no failure and @out could not be written
 *
 * The subject is "stdout".
 */
int output_finish(FILE *out, int result, struct error *err) must_check;
