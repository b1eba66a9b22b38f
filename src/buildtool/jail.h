/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jail.h - a tool of the distribution that talks to the network, run without rights
 *
 * For skopeo and apt-get, which read what registries and mirrors send.  It has the machine's
 * network and no other part of the machine: its root is a fresh file system with the system's
 * programs read-only and the few files of /etc that names and certificates need; one folder can be
 * written; it is a user without rights, in pid, mount, IPC and UTS namespaces of its own, without a
 * capability, under the seccomp filter of a sandbox.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* A file in memory, which the tool alone can read, and which goes with it. */
#define JAIL_SECRET "/auth.json"

struct jail {
	const char *program;     /* absolute path, below /usr */
	const char *const *args; /* argv, NULL at the end */
	int folder_fd;           /* seen as /work; borrowed; nobody else writes to it meanwhile */
	uint64_t max_bytes;      /* of everything below the folder */
	unsigned deadline_s;
	const char *name;         /* for errors: "skopeo" */
	const char *output;       /* file below the folder that stdout goes to; NULL: stderr */
	const char *const *shown; /* further paths of the host, relative to /, NULL at the end */
	const char *secret;       /* @secret_len bytes of JAIL_SECRET, in memory; NULL: none */
	size_t secret_len;
	const char *const *folders; /* and folders that are there and empty, the same */
};

/*
 * jail_run() - run it to its end
 *
 * Returns its exit status; -ERR_NOT_FOUND if it is not installed, -ERR_TIMEOUT, -ERR_LIMIT,
 * -ERR_SYSTEM.  Whatever it started is dead when this returns.
 */
int jail_run(const struct jail *jail, struct error *err) must_check;

/* jail_owner() - whom the folder must belong to: nobody else's id, or the caller's own. */
uid_t jail_owner(void);
