/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.h - what a sandbox changed, path by path, and the file that says what was shown
 *
 * A set holds an entry for each name of the upper side, whether or not it is a change, and for
 * each name of the host that is deleted by it.  Sorted by path, a folder before what is in it.
 * foso diff stores the set it showed; foso commit walks again and applies it only if each entry
 * is the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"
#include "workspacetool/node.h"

#define SET_MAX_ENTRIES    4000000
#define SET_MAX_PATH_BYTES 4000
#define SET_NO_ENTRY       UINT32_MAX

/* What has become of the host's path. */
enum change {
	CHANGE_NONE, /* looked at, and the same; also a folder that is only passed through */
	CHANGE_CREATED,
	CHANGE_CHANGED, /* content, target or type */
	CHANGE_MODE,
	CHANGE_DELETED,
	CHANGE_N_KINDS
};

enum entry_flag {
	ENTRY_CONFLICT = 1u << 0, /* the host's side was changed since the sandbox started */
	ENTRY_EXECUTES = 1u << 1, /* runs on the host; .reason says why */
	ENTRY_SPECIAL = 1u << 2,  /* FIFO, socket, device: never committed */
	ENTRY_HIDDEN = 1u << 3,   /* redacted: the sandbox did not see the host's */
	ENTRY_TOO_LONG = 1u << 4, /* path too long for most programs: not entered, not committed */
	ENTRY_MOUNT = 1u << 5,    /* on the host another file system lies there */
	ENTRY_OPAQUE = 1u << 6,   /* nothing of the host's folder shows through */
	ENTRY_ORIGIN = 1u << 7,   /* upper: copied up from the host's file */
	ENTRY_PRIVILEGE =
		1u << 8, /* upper: setuid, setgid, or security.* attributes; not committed */
	ENTRY_ATTRIBUTES = 1u << 9, /* file, new folder: attributes of user.* that are committed */
	ENTRY_FOLDER_ATTRIBUTES =
		1u << 10, /* a folder on both sides, with other attributes: not committed */
};

/* For these, nothing is written to the host whatever the options are. */
#define ENTRY_NEVER (ENTRY_SPECIAL | ENTRY_HIDDEN | ENTRY_TOO_LONG | ENTRY_MOUNT)

struct entry {
	struct node upper, host;
	char *path; /* owned by the set; ends with a NUL */
	uint32_t path_len;
	uint32_t renamed_from; /* index of a deleted entry of equal content; else SET_NO_ENTRY */
	uint16_t flags;        /* enum entry_flag */
	uint16_t reason;       /* enum exec_reason, with ENTRY_EXECUTES */
	uint8_t change;        /* enum change */
};

struct set_block;

struct set {
	struct entry *entries;
	size_t n_entries, n_room;
	struct set_block *blocks; /* memory of the paths */
};

void set_init(struct set *set);
void set_fini(struct set *set); /* may be called twice, and on zeroed memory */

/*
 * set_add() - an entry at the end, zeroed but for the path and renamed_from; borrowed until the
 * next one is added
 *
 * -ERR_LIMIT above SET_MAX_ENTRIES, -ERR_SYSTEM without memory.
 */
int set_add(struct set *set, const char *path, size_t len, struct entry **ret, struct error *err)
	must_check;

/* set_sort() - by path; a folder, then what is in it, then its next neighbour. */
void set_sort(struct set *set);

/* set_is_in_order() - whether entry @at comes behind the one before it. */
bool set_is_in_order(const struct set *set, size_t at);

/* set_end_of() - index behind the last entry that lies in the folder of entry @at. */
size_t set_end_of(const struct set *set, size_t at);

/* set_find() - index of a path, or SET_NO_ENTRY; the set is sorted. */
size_t set_find(const struct set *set, const char *path, size_t len);

/* The stored form: fixed records, a digest of all of it at the end. */
void set_encode(const struct set *set, struct buf *out);

/* set_digest() - SHA-256 of the stored form. */
void set_digest(const struct set *set, uint8_t ret_digest[DIGEST_BYTES]);

/* set_decode() - hostile bytes to a set; -ERR_CORRUPT, subject @subject. */
int set_decode(struct set *ret, const char *bytes, size_t len, const char *subject,
	       struct error *err) must_check;

/* set_save() - replaces the file @name in @dir_fd; set_load(): -ERR_NOT_FOUND if it is not there.
 */
int set_save(const struct set *set, int dir_fd, const char *name, struct error *err) must_check;
int set_load(struct set *ret, int dir_fd, const char *name, struct error *err) must_check;
