/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h - one foso run, and what its record says */
#pragma once

#include "verify/run.h"
#include "verify/verify.h"

#define SANDBOX_MAX_DENIALS 16

struct sandbox_run {
	struct run run;
	char result[256]; /* path of the record; removed once it is read */
	/* Of the record; empty and 0 if there is none. */
	bool has_record;
	char id[32], policy_sha256[65], root_sha256[65], reason[24], limit[32];
	int code, signal;
	uint64_t stdout_bytes, stderr_bytes, lost_bytes;
	size_t n_denials;
	struct {
		char name[32];
		uint64_t count;
	} denials[SANDBOX_MAX_DENIALS];
};

/*
 * sandbox_start() - foso run OPTIONS -- /foso-act ACT
 * @flags:  enum row_flag
 */
int sandbox_start(struct verify *verify, const char *options, const char *act, unsigned flags,
		  struct sandbox_run *ret, struct error *err) must_check;

/* sandbox_finish() - waits for its end and reads the record. */
void sandbox_finish(struct sandbox_run *sandbox);

/* sandbox_run() - both. */
int sandbox_run(struct verify *verify, const char *options, const char *act, unsigned flags,
		struct sandbox_run *ret, struct error *err) must_check;
void sandbox_fini(struct sandbox_run *sandbox);
