/* SPDX-License-Identifier: Apache-2.0 */
/* tool.h - the commands of foso-policy */
#pragma once

#include "policy/fields.h"
#include "policy/text/text.h"

#define TOOL_EXIT_REFUSED 125 /* as foso itself: error_code_exit_status() of every code */

/* A policy document that has been read, with what is needed to speak about it. */
struct document {
	struct policy_text text;
	struct policy policy;
	struct error_list errors;
};

void document_fini(struct document *document);

/*
 * document_read() - gives up all rights, then reads and parses a policy
 * @file:  path to open, or "-" for stdin; borrowed
 * @name:  what messages call it; borrowed
 *
 * Returns 0, or -code with every finding in document->errors.  To be called once.
 */
int document_read(struct document *document, const char *file, const char *name) must_check;

/* document_check() - policy_check() at @level, findings with their lines. */
int document_check(struct document *document, enum policy_level level) must_check;

/* errors_print() - one line each on stderr, and a hint if the list was full. */
void errors_print(const struct error_list *errors);

/*
 * rights_drop() - nothing but the descriptors that are open, 256 MiB and 5 s of CPU time
 *
 * Called before the first byte of a document is read.  From here on no file can be opened, no
 * process started, and nothing but stdin, stdout and stderr is open.
 */
int rights_drop(struct error *err) must_check;

/* The commands.  Each returns the exit status. */
/* tool_compile() - @for_program: mistakes go to stdout as well, in the form of wire/errors.h. */
int tool_compile(const char *name, bool for_program);
int tool_check(const char *file, enum policy_level level);
int tool_explain(const char *file);
int tool_schema(void);
int tool_fields(bool is_scdoc);

/* field_help() - the help sentence of a row. */
const char *field_help(enum policy_field_id id);

/* field_range() - "from 1MiB to 4PiB, or none"; "" for what has no range. */
#define FIELD_RANGE_BYTES 80
void field_range(const struct policy_field *field, char ret_text[FIELD_RANGE_BYTES]);
