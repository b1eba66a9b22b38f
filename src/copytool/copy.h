/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - what the files of foso-copy share */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "wire/files.h"

/*
 * owner_find() - the ids of "USER" or "USER:GROUP", by the root's own /etc/passwd and /etc/group
 *
 * "" is 0:0; a number is itself, and the group of a user without an entry its own number.
 * -ERR_NOT_FOUND, subject "--chown".
 */
int owner_find(const char *text, uid_t *ret_uid, gid_t *ret_gid, struct error *err) must_check;

/* Where the entries of the source go that is being read. */
struct place {
	const struct files_order *order;
	uid_t uid;
	gid_t gid;
	int parent_fd;                       /* owned */
	char name[FILES_MAX_NAME_BYTES + 1]; /* of the source itself, below parent_fd */
};

/*
 * place_begin() - find out where a source goes, as COPY has it
 *
 * The content of a folder goes into the target; a file becomes the target, or goes into it if
 * it is a folder or was written as one.  Missing folders above are made, 0755, of the owner.
 * Links of the root are followed: nothing but this root can be reached.
 */
int place_begin(struct place *place, const char *source, bool is_folder, struct error *err)
	must_check;
void place_end(struct place *place);

/*
 * place_put() - one entry
 * @name:  relative to the source; "" is the source itself
 *
 * A folder joins the one that is there; whatever else is there is replaced, except a folder by
 * what is none.  The content of a file is read from @input_fd.
 */
int place_put(struct place *place, const struct files_header *header, const char *name,
	      int input_fd, struct error *err) must_check;

/* read_whole() - exactly @len bytes; false at an early end. */
bool read_whole(int fd, void *bytes, size_t len) must_check;
