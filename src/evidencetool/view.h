/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - records for people: nothing that a sandbox chose can drive the terminal */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define VIEW_TEXT_BYTES 32

/* view_parse() - one record; NULL and *ret_error if it is no JSON object.  Owned by the caller. */
json_t *view_parse(const char *record, size_t len, json_error_t *ret_error);

/* view_print_text() - hostile bytes to stdout, escaped; at most @max of what comes out. */
void view_print_text(const char *bytes, size_t len, size_t max);

/*
 * view_print_json() - one line of JSON to stdout, as it stands
 *
 * On a terminal, what JSON allows but a terminal acts on (DEL, U+0080 to U+009F) is written as
 * \u00NN, and bytes that are no UTF-8 become U+FFFD.
 */
void view_print_json(const char *bytes, size_t len);

/* view_terminal_init() - looks whether stdout is a terminal; before rights_drop(). */
void view_terminal_init(void);

/* view_duration() - "12.3ms", "4.56s", "3m07s", "2h05m". */
void view_duration(uint64_t ns, char ret_text[VIEW_TEXT_BYTES]);

/* view_bytes() - "512B", "1.5KiB", "30.0MiB". */
void view_bytes(uint64_t n_bytes, char ret_text[VIEW_TEXT_BYTES]);

/* view_print_record() - every field on a line of its own, nested ones with their path. */
void view_print_record(json_t *record);
