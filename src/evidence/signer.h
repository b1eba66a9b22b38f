/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signer.h - signatures by a separate program, so that the monitor never holds the key
 *
 * foso-evidence sign --ready --key FILE  reads the key, gives up its rights, and only then reads
 * the hash that it shall sign.  It is started before the sandbox, for two reasons: a key that
 * cannot be used refuses the run, and afterwards the monitor may start nothing any more.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

#define EVIDENCE_SIGNER_WAIT_S 5 /* for it to be ready, and for a signature */

struct evidence_signer {
	pid_t pid; /* a child of the caller, who must not wait for it himself; 0: none */
	int fd;    /* socket that is its stdin, stdout and stderr; -1: none */
};

#define EVIDENCE_SIGNER_INIT \
	{                    \
		.fd = -1     \
	}

/*
 * evidence_signer_start() - run it, with an empty environment, in a session of its own
 * @key_path:  the policy's evidence.sign
 *
 * Does not wait for it.  -ERR_NOT_FOUND without the program, -ERR_SYSTEM otherwise.
 */
int evidence_signer_start(struct evidence_signer *signer, const char *key_path, struct error *err)
	must_check;

/*
 * evidence_signer_await() - until it has the key
 *
 * -ERR_DENIED, subject "evidence.sign", with what it says is wrong with the key; -ERR_TIMEOUT.
 */
int evidence_signer_await(struct evidence_signer *signer, struct error *err) must_check;

/*
 * evidence_signer_sign() - an evidence_sign (log.h) for one hash; @context is the signer
 *
 * After evidence_signer_await().  Calls only sendto and read.  -ERR_TIMEOUT, -ERR_UNAVAILABLE.
 */
int evidence_signer_sign(void *context, const uint8_t hash[32], struct buf *ret, struct error *err);

/* evidence_signer_stop() - kills and reaps it.  May be called twice and on an unused signer. */
void evidence_signer_stop(struct evidence_signer *signer);
