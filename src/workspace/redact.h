/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redact.h - which files of a workspace are hidden from the sandbox, and where they are
 *
 * The rules are those of secrets.h, unless the policy switches them off, and then the policy's
 * globs: GLOB hides, !GLOB shows again and wins over all others.  A glob with a slash in it is
 * counted from the top of the workspace.
 *
 * One bounded walk finds every path that is hidden.  It fails closed: a tree that cannot be read
 * to its end, or is too large, is an error and not a guess.  What is hidden is hidden by all its
 * names: further names of the same file (hard links), and, where the hidden name is a symbolic
 * link, what it leads to inside the workspace.  A link in the place of a folder counts as that
 * folder: what would be hidden in .aws is hidden in what .aws leads to.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "policy/policy.h"

#define REDACT_MAX_ENTRIES (UINT64_C(4) << 20) /* files and folders of a workspace */
#define REDACT_MAX_NS      (UINT64_C(30) * 1000000000)
#define REDACT_MAX_HIDDEN  65536
#define REDACT_MAX_RULES   512

enum redact_class {
	REDACT_SHOW,
	REDACT_HIDE,
	REDACT_GIT, /* a configuration of git: credentials are taken out */
	REDACT_ENV, /* hidden, unless the policy names variables to be replaced */
	REDACT_N_CLASSES
};

struct redact_rule {
	const char *glob; /* borrowed from the policy or the table */
	uint16_t len;
	uint8_t class;           /* enum redact_class */
	bool is_anchored;        /* compared with the whole path, else with its last part */
	bool is_folder, is_file; /* fits folders only, or all but folders */
	/* What a name must begin and end with, in lower case; 0: anything.  Most names fail here.
	 */
	unsigned char first, last;
};

struct redact {
	struct redact_rule rules[REDACT_MAX_RULES];
	size_t n_rules;
};

/* redact_init() - the rules of a policy's workspace. */
void redact_init(struct redact *ret, const struct policy *policy);

/* redact_class_of() - what becomes of @path, which is relative to the workspace. */
enum redact_class redact_class_of(const struct redact *redact, const char *path, size_t len,
				  bool is_folder);

/* redact_looks_below() - whether a rule names something below @path, were it a folder. */
bool redact_looks_below(const struct redact *redact, const char *path, size_t len);

/* What a walk found: hidden paths as entries, read with redact_next(). */
struct redact_found {
	struct buf entries;
	size_t n_hidden;
	uint64_t *shown; /* inodes of files that are not hidden, sorted; NULL unless asked for */
	size_t n_shown;
	uint64_t *hidden; /* inodes of the hidden ones, sorted */
	size_t n_hidden_inodes;
	uint64_t *harmless; /* of them, sorted: those that were parsed, and hold no secret */
	size_t n_harmless;
	uint64_t n_entries; /* files and folders that were looked at */
};

struct redact_entry {
	enum redact_class class;
	unsigned char type; /* DT_DIR, DT_REG, DT_LNK, ... */
	const char *path;   /* relative, not terminated */
	size_t len;
};

/*
 * redact_walk() - every hidden path below the folder @top_fd
 * @wants_shown:  also keep the inodes of what is not hidden
 *
 * -ERR_LIMIT (subject "workspace.redact") if the tree has more than REDACT_MAX_ENTRIES entries,
 * takes longer than REDACT_MAX_NS, or hides more than REDACT_MAX_HIDDEN; -ERR_SYSTEM if a folder
 * cannot be read.
 */
int redact_walk(int top_fd, const struct redact *redact, bool wants_shown, struct redact_found *ret,
		struct error *err) must_check;

/* redact_next() - 1 and the entry at *at, which moves on; 0 at the end. */
int redact_next(const struct redact_found *found, size_t *at, struct redact_entry *ret);

/* redact_note_harmless() - a hidden one that turned out to hold no secret; 0 or ENOMEM. */
int redact_note_harmless(struct redact_found *found, uint64_t inode);

/* redact_is_hidden_inode() - one of a file that was hidden, and is not harmless. */
bool redact_is_hidden_inode(const struct redact_found *found, uint64_t inode);

/* redact_is_shown_inode() - one of a file that was there, and is shown. */
bool redact_is_shown_inode(const struct redact_found *found, uint64_t inode);

/* redact_is_same() - the same paths and files are hidden in both. */
bool redact_is_same(const struct redact_found *found, const struct redact_found *other);

bool redact_inodes_have(const uint64_t *inodes, size_t n_inodes, uint64_t inode);

void redact_found_fini(struct redact_found *found);
