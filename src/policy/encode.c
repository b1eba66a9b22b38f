/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encode.c - a policy as bytes between two programs of one build, and back
 *
 * The bytes are a version, the number of rows, and then every stored row of the table in its
 * order.  The reader trusts nothing: foso-policy, which wrote them, has read a stranger's text.
 */
#include <stdlib.h>
#include <string.h>

#include "policy/store.h"
#include "policy/value.h"
#include "wire/codec.h"

#define ENCODING_VERSION 1

static void put_array(struct buf *out, const struct policy_field *field,
		      const struct policy_array *array)
{
	wire_put_u32(out, (uint32_t)array->n_items);
	for (size_t i = 0; i < array->n_items; i++) {
		if (field->type == POLICY_TYPE_ENV) {
			wire_put_string(out, ((const struct policy_env *)array->items)[i].name);
			wire_put_string(out, ((const struct policy_env *)array->items)[i].value);
		} else {
			wire_put_string(out, ((char *const *)array->items)[i]);
		}
	}
}

/* Every field but mounts and secrets, whose items have fields themselves. */
static void put_plain(struct buf *out, const struct policy_field *field, const void *object)
{
	const void *at = policy_field_at_const(field, object);
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_BOOL:
	case POLICY_STORAGE_NETWORK:
		wire_put_u8(out, *(const bool *)at);
		break;
	case POLICY_STORAGE_NUMBER:
		wire_put_u64(out, *(const uint64_t *)at);
		break;
	case POLICY_STORAGE_ENUM:
		wire_put_u8(out, (uint8_t) * (const unsigned *)at);
		break;
	case POLICY_STORAGE_STRING:
		wire_put_string(out, *(char *const *)at);
		break;
	case POLICY_STORAGE_ROOT:
		wire_put_u8(out, (uint8_t) * (const unsigned *)at);
		wire_put_string(out, ((const struct policy *)object)->root_path);
		break;
	case POLICY_STORAGE_LIST:
	case POLICY_STORAGE_ENV:
		put_array(out, field, at);
		break;
	case POLICY_STORAGE_ITEMS:
	case POLICY_STORAGE_NONE:
		break;
	}
}

static void put_items(struct buf *out, const struct policy_field *items,
		      const struct policy_array *array)
{
	enum policy_owner owner = policy_items_owner(items);
	wire_put_u32(out, (uint32_t)array->n_items);
	for (size_t i = 0; i < array->n_items; i++) {
		const char *item = (const char *)array->items + i * policy_array_item_bytes(items);
		for (const struct policy_field *field = policy_next_field(NULL, owner); field;
		     field = policy_next_field(field, owner))
			put_plain(out, field, item);
	}
}

void policy_encode(const struct policy *policy, struct buf *out)
{
	wire_put_u8(out, ENCODING_VERSION);
	wire_put_u8(out, POLICY_N_FIELDS);
	for (const struct policy_field *field = policy_next_field(NULL, POLICY_OWNER_policy); field;
	     field = policy_next_field(field, POLICY_OWNER_policy)) {
		if (policy_type_storage((enum policy_type)field->type) == POLICY_STORAGE_ITEMS)
			put_items(out, field, policy_field_at_const(field, policy));
		else
			put_plain(out, field, policy);
	}
}

/*
 * Room for as many items as the message says; how many that is.  The items are zeroed, and
 * counted one by one as they are read, so that policy_fini() finds all of them.
 */
static uint32_t get_count(struct wire_reader *reader, const struct policy_field *field,
			  struct policy_array *array)
{
	size_t item_bytes = policy_array_item_bytes(field);
	uint32_t n_items = wire_get_count(reader, (uint32_t)policy_array_max(field));
	/* An item takes four bytes at least, a length: no large array for a short message. */
	if (reader->is_broken || n_items > (reader->len - reader->at) / 4 ||
	    !policy_array_reserve(array, n_items, item_bytes)) {
		reader->is_broken = true;
		return 0;
	}
	if (n_items > 0)
		memset(array->items, 0, n_items * item_bytes);
	return n_items;
}

static void get_array(struct wire_reader *reader, const struct policy_field *field,
		      struct policy_array *array)
{
	uint32_t n_items = get_count(reader, field, array);
	while (array->n_items < n_items && !reader->is_broken) {
		size_t i = array->n_items++;
		if (field->type == POLICY_TYPE_ENV) {
			((struct policy_env *)array->items)[i].name = wire_get_string(reader);
			((struct policy_env *)array->items)[i].value = wire_get_string(reader);
		} else {
			((char **)array->items)[i] = wire_get_string(reader);
		}
	}
}

static void get_word(struct wire_reader *reader, enum policy_type type, unsigned *at)
{
	*at = wire_get_u8(reader);
	if (!policy_word_get(type, *at))
		reader->is_broken = true;
}

/* Every field but mounts and secrets, whose items have fields themselves. */
static void get_plain(struct wire_reader *reader, const struct policy_field *field, void *object)
{
	void *at = policy_field_at(field, object);
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_BOOL:
	case POLICY_STORAGE_NETWORK:
		*(bool *)at = wire_get_bool(reader);
		break;
	case POLICY_STORAGE_NUMBER:
		*(uint64_t *)at = wire_get_u64(reader);
		break;
	case POLICY_STORAGE_ENUM:
		get_word(reader, (enum policy_type)field->type, at);
		break;
	case POLICY_STORAGE_STRING:
		*(char **)at = wire_get_string(reader);
		break;
	case POLICY_STORAGE_ROOT:
		get_word(reader, POLICY_TYPE_ROOT, at);
		((struct policy *)object)->root_path = wire_get_string(reader);
		break;
	case POLICY_STORAGE_LIST:
	case POLICY_STORAGE_ENV:
		get_array(reader, field, at);
		break;
	case POLICY_STORAGE_ITEMS:
	case POLICY_STORAGE_NONE:
		break;
	}
}

static void get_items(struct wire_reader *reader, const struct policy_field *items,
		      struct policy_array *array)
{
	enum policy_owner owner = policy_items_owner(items);
	uint32_t n_items = get_count(reader, items, array);
	while (array->n_items < n_items && !reader->is_broken) {
		char *item =
			(char *)array->items + array->n_items++ * policy_array_item_bytes(items);
		for (const struct policy_field *field = policy_next_field(NULL, owner); field;
		     field = policy_next_field(field, owner))
			get_plain(reader, field, item);
	}
}

static void get_policy(struct wire_reader *reader, struct policy *policy)
{
	for (const struct policy_field *field = policy_next_field(NULL, POLICY_OWNER_policy);
	     field && !reader->is_broken; field = policy_next_field(field, POLICY_OWNER_policy)) {
		if (policy_type_storage((enum policy_type)field->type) == POLICY_STORAGE_ITEMS)
			get_items(reader, field, policy_field_at(field, policy));
		else
			get_plain(reader, field, policy);
	}
}

static int refuse_bytes(struct error *err, const char *message)
{
	int result = error_set(err, ERR_PROTOCOL, 0, "policy", "%s", message);
	return error_remedy(err, result, "use programs of one foso build together");
}

int policy_decode(struct policy *ret_policy, const void *bytes, size_t len, struct error *err)
{
	struct wire_reader reader;
	struct policy policy;
	memset(&policy, 0, sizeof(policy));
	memset(ret_policy, 0, sizeof(*ret_policy));
	if (len > POLICY_MAX_ENCODED_BYTES)
		return refuse_bytes(err, "is larger than 4 MiB");
	wire_reader_init(&reader, bytes, len);
	if (wire_get_u8(&reader) != ENCODING_VERSION || wire_get_u8(&reader) != POLICY_N_FIELDS)
		return refuse_bytes(err, "comes in another version of the encoding");
	get_policy(&reader, &policy);
	if (!wire_reader_is_done(&reader)) {
		policy_fini(&policy);
		return refuse_bytes(err, "breaks its encoding, or memory ran out");
	}
	if (policy_values_check(&policy, NULL) > 0) {
		policy_fini(&policy);
		return refuse_bytes(err, "holds a value that no text could give it");
	}
	*ret_policy = policy;
	return 0;
}
