/* SPDX-License-Identifier: Apache-2.0 */
/*
 * name.h - what an image may be called, and how its name is written as a file name
 *
 * The rule is the registries' own: [HOST[:PORT]/]PART[/PART]...[:TAG].  A part is lower-case
 * letters and digits, with '.', '_', '__' or dashes between them; a tag is letters, digits, '_',
 * '.' and '-', does not begin with '.' or '-', and has at most 128 bytes.  Without a tag,
 * ":latest" is meant.  Source: distribution/reference of the Docker registry, "reference".
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

#define IMAGE_NAME_MAX   200
#define IMAGE_NAME_BYTES (IMAGE_NAME_MAX + 1)
#define IMAGE_TAG_MAX    128

/*
 * image_name_parse() - the full name that @text means: "base" is "base:latest"
 *
 * -ERR_INVALID, subject @text, with the rule that it breaks.  A full name is its own full name.
 */
int image_name_parse(const char *text, char ret_name[IMAGE_NAME_BYTES], struct error *err)
	must_check;

/*
 * image_name_escape() - a full name as the name of a file: '/' becomes '+', which no name has
 *
 * One name has one escape, no escape begins with '.', and it is never longer than the name.
 */
void image_name_escape(const char *name, char ret_file[IMAGE_NAME_BYTES]);

/* image_name_unescape() - the other way; false if no full name has that escape. */
bool image_name_unescape(const char *file, char ret_name[IMAGE_NAME_BYTES]);
