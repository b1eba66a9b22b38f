/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lost.h - the record of a run whose monitor was killed
 *
 * The monitor writes its record at the end of the run.  What that needs and nobody else knows it
 * leaves with the run directory's state when the sandbox is made: the will.  Whoever finds the
 * sandbox without a monitor (foso gc, foso kill, the next start) writes the record in its place,
 * with the reason sandbox-lost.
 */
#pragma once

#include "base/buf.h"
#include "policy/policy.h"
#include "wire/rundir.h"

#define EVIDENCE_WILL_BYTES (POLICY_MAX_ENCODED_BYTES + 16384)

/*
 * evidence_will_format() - three strings with their NULs: evidence.path and evidence.sign, made
 * absolute or empty, and @canonical, the policy's canonical form; to be called by the monitor in
 * the directory from which the policy's paths count
 */
void evidence_will_format(const struct policy *policy, const struct buf *canonical,
			  struct buf *ret);

/*
 * evidence_lost_record() - append the record of the dead sandbox @entry to its log
 *
 * Does nothing for a sandbox without a will (evidence is off, or it died before it was made), and
 * for one whose own folder of evidence is gone.  Else as evidence_log_append() and signer.h; the
 * subject names what could not be used.
 */
int evidence_lost_record(int run_dir_fd, const struct rundir_entry *entry, struct error *err)
	must_check;
