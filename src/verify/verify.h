/* SPDX-License-Identifier: Apache-2.0 */
/*
 * verify.h - what the files of foso-verify share
 *
 * Theory of operation.  The boundary matrix is a table of rows.  A row holds only if two things
 * were seen in this run on this host: the forbidden act failed inside a sandbox, in the way that
 * the row names, with nothing changed outside; and the same act worked where the boundary was not
 * (the control).  A row whose control does not work proves nothing: it is skipped, with what was
 * seen as the reason, and never counted as held.  An act that works inside is a broken row,
 * whatever its control says.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "verify/world.h"

enum verdict { VERDICT_HELD, VERDICT_BROKEN, VERDICT_SKIPPED, N_VERDICTS };

/* Where the control of an act is run; tried in this order until it works. */
enum control {
	CONTROL_HOST = 1u << 0,       /* on this host, as the caller */
	CONTROL_NAMESPACES = 1u << 1, /* as root of new namespaces, where the host is not touched */
	CONTROL_POLICY = 1u << 2,     /* in a sandbox, with the options row->weak */
};

enum row_flag {
	ROW_INHERIT = 1u << 0, /* foso is started with a folder at 7 and a file at 2048 open */
	ROW_SILENT = 1u << 1,  /* its stdin is open and never written */
};

struct verify;
struct finding;

/* In options and acts, words are split at spaces, {name} stands for an object of the world. */
struct row {
	const char *id;            /* "p07": never given to another claim */
	const char *claim;         /* what holds, in one line */
	const char *forbidden;     /* the act that would show the opposite, in words */
	const char *control_words; /* what shows that the act works without the boundary */
	void (*check)(struct verify *verify, const struct row *row, struct finding *finding);
	const char *options;     /* of foso run, for the forbidden act; NULL for none */
	const char *act;         /* of foso-act, inside; NULL if the check has its own */
	const char *expected;    /* as the check says (check.h) */
	const char *weak;        /* options of the control, for CONTROL_POLICY */
	const char *control_act; /* NULL: the same act */
	unsigned controls;       /* enum control */
	unsigned flags;          /* enum row_flag */
	unsigned most_ms;        /* the forbidden act is over within this; 0: no such claim */
};

/* One theme of the matrix: a heading, and rows that belong together. */
struct row_group {
	const char *heading;
	const struct row *rows;
	size_t n_rows;
};

extern const struct row_group rows_files, rows_processes, rows_limits, rows_network, rows_kernel,
	rows_fresh, rows_images, rows_workspace, rows_commit, rows_refusals, rows_life;

extern const struct row_group rows_wasm_ends, rows_wasm_memory, rows_wasm_host, rows_wasm_folders,
	rows_wasm_modules, rows_wasm_refusals;

/* matrix.c: the groups of the chosen level in order, and the rows of all of them, from 0. */
void matrix_choose(bool is_wasm);                   /* level process until it is called */
const struct row_group *matrix_group(size_t index); /* NULL at the end */
size_t matrix_count(void);
const struct row *matrix_row(size_t index);

/* What a row came to. */
struct finding {
	bool is_there; /* false: the row was not tried */
	enum verdict verdict;
	char policy_sha256[65]; /* of the sandbox in which the act was tried; "" if it was refused
				 */
	char root_sha256[65];   /* of the module, at level wasm; "" if nothing was run */
	char expected[256];
	char observed[512];
	char reason[512]; /* why it was skipped; "" otherwise */
	uint64_t duration_ns;
};

/* finding_set() - the verdict and what was observed; both texts are cut to fit. */
void finding_set(struct finding *finding, enum verdict verdict, const char *format, ...)
	printf_like(3, 4);

/* finding_skip() - skipped, for a reason; what was observed stays. */
void finding_skip(struct finding *finding, const char *format, ...) printf_like(2, 3);

struct verify {
	struct world world;
	bool is_wasm;               /* level wasm: acts are modules, <folder>/<name>.wasm */
	char foso[4096], act[4096]; /* paths of the programs */
	char evidence[192];         /* folder of the log of all sandboxes that are started */
	char **environment;         /* of every program that is started; owned, the strings too */
	unsigned n_runs;            /* sandboxes started, for the names of files */
};

/* report.c: all but report_json() write to stdout at once. */
void report_line(const struct row *row, const struct finding *finding);
void report_count(FILE *stream, const struct finding *findings);
void report_claims(bool is_wasm);
int report_json(const struct verify *verify, const struct finding *findings, struct error *err)
	must_check;
