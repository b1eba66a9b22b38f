/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire_fuzz.c - every decoder of messages between foso's programs
 *
 * The first byte names the decoder.  What one accepts is encoded and decoded once more, and
 * encoded again: the two encodings must be the same bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/control_messages.h"
#include "wire/errors.h"
#include "wire/init_messages.h"
#include "wire/plan.h"

#define MAX_BYTES (2 * PLAN_MAX_BYTES)

/* decode(again) must accept what encode() made of it, and mean the same. */
#define ROUND_TRIP(type, decode, encode, fini)                                            \
	do {                                                                              \
		static type first, second;                                                \
		struct buf one = BUF_INIT(MAX_BYTES), two = BUF_INIT(MAX_BYTES);          \
		if (decode(&first, bytes, len)) {                                         \
			encode(&first, &one);                                             \
			bool is_accepted = decode(&second, one.data, one.len);            \
			assert(is_accepted);                                              \
			encode(&second, &two);                                            \
			assert(one.len == two.len);                                       \
			assert(one.len == 0 || memcmp(one.data, two.data, one.len) == 0); \
			fini(&first);                                                     \
			fini(&second);                                                    \
		}                                                                         \
		buf_fini(&one);                                                           \
		buf_fini(&two);                                                           \
	} while (0)

static void nothing(const void *object)
{
	UNUSED(object);
}

static void try_configure(const uint8_t *bytes, size_t len)
{
	ROUND_TRIP(struct init_configure, init_configure_decode, init_configure_encode,
		   init_configure_fini);
}

static void try_spawn(const uint8_t *bytes, size_t len)
{
	ROUND_TRIP(struct init_spawn, init_spawn_decode, init_spawn_encode, init_spawn_fini);
}

static void try_event(const uint8_t *bytes, size_t len)
{
	ROUND_TRIP(struct init_event, init_event_decode, init_event_encode, nothing);
}

static bool decode_plan(struct plan *ret, const void *bytes, size_t len)
{
	struct error err = { 0 };
	int r = plan_decode(ret, bytes, len, &err);
	assert(r == 0 || (r < 0 && err.code != ERR_NONE && err.subject[0] && err.remedy[0]));
	return r == 0;
}

static void try_plan(const uint8_t *bytes, size_t len)
{
	ROUND_TRIP(struct plan, decode_plan, plan_encode, plan_fini);
}

static void try_exec(const uint8_t *bytes, size_t len)
{
	ROUND_TRIP(struct control_exec, control_exec_decode, control_exec_encode,
		   control_exec_fini);
}

static void try_end(const uint8_t *bytes, size_t len)
{
	ROUND_TRIP(struct control_end, control_end_decode, control_end_encode, nothing);
}

static void try_errors(const uint8_t *bytes, size_t len)
{
	ROUND_TRIP(struct error_list, errors_decode, errors_encode, nothing);
}

static void try_words(const uint8_t *bytes, size_t len)
{
	static const enum control_message numbers[] = { CONTROL_SIGNAL,  CONTROL_KILL,
							CONTROL_RESIZE,  CONTROL_READY,
							CONTROL_STARTED, CONTROL_PROCESS };
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct control_words words, again;
		struct buf out = BUF_INIT(MAX_BYTES);
		if (control_words_decode(numbers[i], &words, bytes, len)) {
			control_words_encode(numbers[i], &words, &out);
			bool is_accepted =
				control_words_decode(numbers[i], &again, out.data, out.len);
			assert(is_accepted);
		}
		buf_fini(&out);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const targets[])(const uint8_t *bytes, size_t len) = {
		try_configure, try_spawn, try_event,  try_plan,
		try_exec,      try_end,   try_errors, try_words,
	};
	if (size == 0 || size > 64 * 1024 || data[0] >= ARRAY_LEN(targets))
		return 0;
	targets[data[0]](data + 1, size - 1);
	return 0;
}
