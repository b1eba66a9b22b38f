/* SPDX-License-Identifier: Apache-2.0 */
/*
 * credentials.h - how foso image pull logs in
 *
 * A secret is never an argument and never a variable: both can be seen by others, and outlive
 * their use in histories.  It comes over stdin or from a file that nobody else can read, and
 * reaches skopeo as a file in the memory of its jail.
 */
#pragma once

#include "base/buf.h"
#include "base/error.h"

#define CREDENTIALS_MAX_BYTES (64u * 1024)

struct credentials {
	const char *username;    /* --username; NULL: none */
	bool has_password_stdin; /* --password-stdin */
	const char *authfile;    /* --authfile; NULL: none */
};

/* credentials_check() - which options go together. */
int credentials_check(const struct credentials *credentials, struct error *err) must_check;

/*
 * credentials_read() - what containers-auth.json(5) describes, for the registry of @reference
 *
 * Of a name and a password, for that registry alone; of a file, all that is in it.  Nothing is
 * appended if there are none.  The caller wipes @ret with credentials_wipe().
 */
int credentials_read(const struct credentials *credentials, const char *reference, struct buf *ret,
		     struct error *err) must_check;
void credentials_wipe(struct buf *auth);
