/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h - bytes that grow up to a bound stated where the buffer is made
 *
 * A failed append (bound reached, or no memory) marks the buffer; later appends do nothing, and
 * the maker checks buf_is_whole() once at the end.  data is always NUL-terminated past len, so
 * it can be used as a string when its content is one.
 *
 * A buffer may begin in storage of its maker (BUF_ON): what usually fits there is not allocated,
 * and what does not moves to the heap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/macros.h"

struct buf {
	char *data;       /* NULL while empty, unless there is storage */
	size_t len;       /* bytes in use, the closing NUL not counted */
	size_t size;      /* bytes at data */
	size_t max_bytes; /* len never exceeds it */
	bool is_broken;   /* an append did not fit */
	bool is_borrowed; /* data is the maker's storage, and is not freed */
};

#define BUF_INIT(max) ((struct buf){ .max_bytes = (max) })

/* @storage is an array of char that outlives the buffer; it need not be initialised. */
#define BUF_ON(storage, max)                    \
	((struct buf){ .data = (storage),       \
		       .size = sizeof(storage), \
		       .max_bytes = (max),      \
		       .is_borrowed = true })

void buf_init(struct buf *buf, size_t max_bytes);
void buf_fini(struct buf *buf);  /* may be called twice and on zeroed memory; gives up storage */
void buf_clear(struct buf *buf); /* len 0, keeps the memory and the bound, mends is_broken */

void buf_append(struct buf *buf, const void *bytes, size_t len);
void buf_append_string(struct buf *buf, const char *text);
void buf_append_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) printf_like(2, 3);

/* buf_is_whole() - true if every append fitted. */
bool buf_is_whole(const struct buf *buf) must_check;

/* buf_string() - the content as a string; "" while empty; borrowed until the next append. */
const char *buf_string(const struct buf *buf);

#define auto_buf CLEANUP(buf_fini)
