/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-copy: puts the files of a COPY where they belong, inside the sandbox of the step
 *
 * It runs as the sandbox's uid 0 in the image's own root, so paths resolve as the image's links
 * have it and lead nowhere else.  Nothing of the image is executed.  The stream comes from
 * foso-image (wire/files.h).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "copytool/copy.h"

#define EXIT_REFUSED 125

static int broken(struct error *err)
{
	int r = error_set(err, ERR_PROTOCOL, 0, "foso-copy", "what it is told ended early");
	return error_remedy(err, r, "foso image build starts it; nobody else does");
}

/* @name has room for FILES_MAX_ORDER_BYTES and a NUL. */
static int next(struct files_header *header, char *name, struct error *err)
{
	uint8_t bytes[FILES_HEADER_BYTES];
	if (!read_whole(STDIN_FILENO, bytes, sizeof(bytes)) ||
	    !files_header_decode(header, bytes) ||
	    !read_whole(STDIN_FILENO, name, header->name_len))
		return broken(err);
	name[header->name_len] = '\0';
	return 0;
}

/* The entries up to the next source, whose header and name are left in @header and @name. */
static int copy_source(struct place *place, struct files_header *header, char *name,
		       struct error *err)
{
	int r = place_begin(place, name, S_ISDIR(header->mode), err);
	if (r == 0)
		r = next(header, name, err);
	while (r == 0 && header->type != FILES_SOURCE && header->type != FILES_END) {
		r = place_put(place, header, name, STDIN_FILENO, err);
		if (r == 0)
			r = next(header, name, err);
	}
	place_end(place);
	return r;
}

static int copy_all(struct files_order *order, char *name, struct error *err)
{
	static struct place place;
	struct files_header header;
	place.order = order;
	int r = owner_find(order->owner, &place.uid, &place.gid, err);
	if (r == 0)
		r = next(&header, name, err);
	/* WORKDIR: a folder, and nothing into it. */
	if (r == 0 && header.type == FILES_END) {
		r = place_begin(&place, "", true, err);
		place_end(&place);
		return r;
	}
	while (r == 0 && header.type == FILES_SOURCE)
		r = copy_source(&place, &header, name, err);
	if (r == 0 && header.type != FILES_END)
		r = broken(err);
	return r;
}

int main(void)
{
	static char name[FILES_MAX_ORDER_BYTES + 1];
	struct error err = { .code = ERR_NONE };
	struct files_header header;
	struct files_order order;
	(void)umask(0);
	int r = next(&header, name, &err);
	if (r == 0 &&
	    (header.type != FILES_ORDER || !files_order_decode(&order, name, header.name_len)))
		r = broken(&err);
	if (r == 0)
		r = copy_all(&order, name, &err);
	if (r == 0)
		return 0;
	error_print(stderr, &err);
	return EXIT_REFUSED;
}
