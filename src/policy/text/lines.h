/* SPDX-License-Identifier: Apache-2.0 */
/* lines.h - where each field of a document was given; shared by the files of policy/text */
#pragma once

#include "policy/text/text.h"

/* policy_text_line_add() - remembers a path; false: no memory. */
bool policy_text_line_add(struct policy_text *text, const char *path, unsigned line) must_check;

/* policy_text_line_find() - the line of exactly @path, or 0. */
unsigned policy_text_line_find(const struct policy_text *text, const char *path);

/* policy_text_place_at() - puts "FILE:LINE: " before the subject; line 0 is left out. */
void policy_text_place_at(const struct policy_text *text, unsigned line, struct error *err);
