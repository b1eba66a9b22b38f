/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - how the rows of the matrix are tried
 *
 * Each fills *finding and always gives a verdict.  row->expected is read as each check says.
 */
#pragma once

#include "verify/sandbox.h"
#include "verify/verify.h"

/*
 * check_denied() - the act fails inside, the world stays intact, and the control works
 *
 * row->expected: the outcomes that are right, any of them: names of errno for an act that the
 * kernel refused ("EPERM ENOSYS"), words of enum end_reason for a sandbox that was ended by a
 * limit ("memory"; the record must name the limit, and foso exit with 124).
 */
void check_denied(struct verify *verify, const struct row *row, struct finding *finding);

/*
 * check_refused() - foso refuses the options and starts nothing; with row->weak it runs the act
 *
 * row->expected: how the first line on stderr goes on after "foso: "; "*TEXT": it holds TEXT.
 */
void check_refused(struct verify *verify, const struct row *row, struct finding *finding);

/*
 * Level wasm.  check_wasm_end() expects how the run ends: "exit 8", or a reason and words on
 * stderr; check_wasm_again() the same three times; check_wasm_refused() as check_refused(), and
 * within 5 ms; check_wasm_ungrouped() the same without control groups.  The control's module exits
 * with 0.
 */
void check_wasm_end(struct verify *verify, const struct row *row, struct finding *finding);
void check_wasm_again(struct verify *verify, const struct row *row, struct finding *finding);
void check_wasm_refused(struct verify *verify, const struct row *row, struct finding *finding);
void check_wasm_ungrouped(struct verify *verify, const struct row *row, struct finding *finding);
void check_wasm_random(struct verify *verify, const struct row *row, struct finding *finding);
void check_wasm_tampered(struct verify *verify, const struct row *row, struct finding *finding);

/* check_wasm_prepare() - the modules, below the world's folder. */
int check_wasm_prepare(struct verify *verify, struct error *err) must_check;

/* Checks of one row each: what is expected stands there in words. */
void check_no_host_file(struct verify *verify, const struct row *row, struct finding *finding);
void check_overlay(struct verify *verify, const struct row *row, struct finding *finding);
void check_late(struct verify *verify, const struct row *row, struct finding *finding);
void check_image_whole(struct verify *verify, const struct row *row, struct finding *finding);
void check_commit_waits(struct verify *verify, const struct row *row, struct finding *finding);
void check_commit_hook(struct verify *verify, const struct row *row, struct finding *finding);
void check_commit_setuid(struct verify *verify, const struct row *row, struct finding *finding);
void check_commit_link(struct verify *verify, const struct row *row, struct finding *finding);
void check_strict(struct verify *verify, const struct row *row, struct finding *finding);
void check_call_from_outside(struct verify *verify, const struct row *row, struct finding *finding);
void check_quota(struct verify *verify, const struct row *row, struct finding *finding);
void check_same_port(struct verify *verify, const struct row *row, struct finding *finding);
void check_fresh(struct verify *verify, const struct row *row, struct finding *finding);
void check_secret_on_host(struct verify *verify, const struct row *row, struct finding *finding);
void check_output(struct verify *verify, const struct row *row, struct finding *finding);
void check_tree_ends(struct verify *verify, const struct row *row, struct finding *finding);
void check_background(struct verify *verify, const struct row *row, struct finding *finding);
void check_bomb(struct verify *verify, const struct row *row, struct finding *finding);
void check_teardown(struct verify *verify, const struct row *row, struct finding *finding);
void check_init_killed(struct verify *verify, const struct row *row, struct finding *finding);
void check_monitor_killed(struct verify *verify, const struct row *row, struct finding *finding);
void check_denials(struct verify *verify, const struct row *row, struct finding *finding);
void check_record(struct verify *verify, const struct row *row, struct finding *finding);
void check_secret_in_log(struct verify *verify, const struct row *row, struct finding *finding);
void check_chain(struct verify *verify, const struct row *row, struct finding *finding);

/* ---- for the checks ---- */

/*
 * check_begin() - runs the forbidden act; false if *finding has its verdict already
 *
 * That is: foso could not be started, or refused (skipped: this host gives no sandbox), or took
 * too long.  The caller calls sandbox_fini() in any case.
 */
bool check_begin(struct verify *verify, const struct row *row, struct sandbox_run *sandbox,
		 struct finding *finding);

/* check_control() - row->controls in turn; false if none worked: *finding is then skipped. */
bool check_control(struct verify *verify, const struct row *row, struct finding *finding);

/* check_ended() - fills *finding from a sandbox that has ended: policy, time. */
void check_ended(const struct sandbox_run *sandbox, struct finding *finding);

/* check_failed() - a failure of our own: skipped, with its words. */
void check_failed(struct finding *finding, const struct error *err);
