/* SPDX-License-Identifier: Apache-2.0 */
/* buf.c - bytes that grow up to a bound */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST_BYTES 256

void buf_init(struct buf *buf, size_t max_bytes)
{
	*buf = (struct buf)BUF_INIT(max_bytes);
}

void buf_fini(struct buf *buf)
{
	if (!buf->is_borrowed)
		free(buf->data);
	*buf = (struct buf)BUF_INIT(buf->max_bytes);
}

void buf_clear(struct buf *buf)
{
	buf->len = 0;
	buf->is_broken = false;
	if (buf->data)
		buf->data[0] = '\0';
}

/* Makes room for @more bytes and a NUL; false marks the buffer. */
static bool reserve(struct buf *buf, size_t more)
{
	if (buf->is_broken || more > buf->max_bytes || buf->len > buf->max_bytes - more) {
		buf->is_broken = true;
		return false;
	}
	size_t needed = buf->len + more + 1;
	if (needed <= buf->size)
		return true;
	size_t size = MAX(needed, MAX(buf->size * 2, (size_t)BUF_FIRST_BYTES));
	char *data = realloc(buf->is_borrowed ? NULL : buf->data, size);
	if (!data) {
		buf->is_broken = true;
		return false;
	}
	if (buf->is_borrowed)
		memcpy(data, buf->data, buf->len);
	buf->is_borrowed = false;
	buf->data = data;
	buf->size = size;
	return true;
}

void buf_append(struct buf *buf, const void *bytes, size_t len)
{
	if (!reserve(buf, len))
		return;
	if (len > 0)
		memcpy(buf->data + buf->len, bytes, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void buf_append_string(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

void buf_append_char(struct buf *buf, char c)
{
	buf_append(buf, &c, 1);
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || !reserve(buf, (size_t)len)) {
		buf->is_broken = true;
		return;
	}
	va_start(args, format);
	(void)vsnprintf(buf->data + buf->len, (size_t)len + 1, format, args);
	va_end(args);
	buf->len += (size_t)len;
}

bool buf_is_whole(const struct buf *buf)
{
	return !buf->is_broken;
}

const char *buf_string(const struct buf *buf)
{
	return buf->len > 0 ? buf->data : "";
}
