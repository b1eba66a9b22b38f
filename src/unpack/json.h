/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - members of JSON objects, of the kind that was asked for, or a fault that names them */
#pragma once

#include <jansson.h>

#include "unpack/unpack.h"

#define JSON_MAX_NESTING 32

static inline void json_free(json_t **json)
{
	json_decref(*json);
}
#define auto_json CLEANUP(json_free)

/* json_parse() - a whole document; names may not repeat; NULL and a fault. */
json_t *json_parse(struct unpack_fault *fault, const char *text, size_t len);

/*
 * json_need() - @parent's member @key, which must be there and be of @type; borrowed
 * @path:  of the parent, for the fault: "config" gives "config.Env"
 *
 * 0 and the member, or -1 and a fault.
 */
int json_need(struct unpack_fault *fault, const json_t *parent, const char *path, const char *key,
	      json_type type, json_t **ret_member);

/* json_may() - the same, but 1 if there is none or it is null. */
int json_may(struct unpack_fault *fault, const json_t *parent, const char *path, const char *key,
	     json_type type, json_t **ret_member);

int json_field_fault(struct unpack_fault *fault, const char *path, const char *key);
