/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_session.c - the time of one command in a sandbox of level wasm, through libfoso
 *
 * usage: wasm_session PROGRAMS MODULE N [BATCH]
 *
 * With BATCH, so many commands at once, and the next when all have ended.
 *
 * Each command is a fresh worker with a fresh store, fuel and all limits.  Prints JSON: the
 * median, the 10th and the 90th percentile, and the same of the first and the last tenth.
 */
#include <foso/foso.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

#define MAX_RUNS  100000
#define MAX_BATCH 32

static struct foso_error *err;
static double times[MAX_RUNS];

static int fail(const char *what)
{
	(void)fprintf(stderr, "wasm_session: %s: %s\n", what, foso_error_text(err));
	return 1;
}

static double now_us(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double median(const double *from, int n)
{
	static double sorted[MAX_RUNS];
	memcpy(sorted, from, sizeof(double) * (size_t)n);
	qsort(sorted, (size_t)n, sizeof(double), compare);
	return sorted[n / 2];
}

static struct foso_run *begin(struct foso_sandbox *sandbox, const char *module)
{
	const char *argv[] = { module, NULL };
	struct foso_order *order = NULL;
	struct foso_run *run = NULL;
	if (foso_order_new(argv, &order, err) < 0 ||
	    foso_order_capture(order, FOSO_STDOUT, 4096, err) < 0 ||
	    foso_sandbox_exec(sandbox, order, &run, err) < 0)
		(void)fail("exec");
	foso_order_free(order);
	return run;
}

static int finish(struct foso_run *run)
{
	size_t len = 0;
	int status = 0;
	if (!run || foso_run_wait(run, -1, err) < 0)
		status = fail("wait");
	else if (foso_run_reason(run) != FOSO_REASON_EXIT || foso_run_code(run) != 0 ||
		 !foso_run_output(run, FOSO_STDOUT, &len) || len != 6)
		status = fail("another end than was expected");
	foso_run_free(run);
	return status;
}

static int run_batch(struct foso_sandbox *sandbox, const char *module, int batch)
{
	struct foso_run *runs[MAX_BATCH];
	int status = 0;
	for (int i = 0; i < batch; i++)
		runs[i] = begin(sandbox, module);
	for (int i = 0; i < batch; i++)
		status |= finish(runs[i]);
	return status;
}

static int measure(const struct foso_policy *policy, const char *module, int n, int batch)
{
	struct foso_sandbox *sandbox = NULL;
	if (foso_sandbox_open(policy, &sandbox, err) < 0)
		return fail("open");
	int status = 0;
	for (int i = -10; i < n && status == 0; i++) {
		double start_us = now_us();
		status = run_batch(sandbox, module, batch);
		if (i >= 0)
			times[i] = now_us() - start_us;
	}
	foso_sandbox_free(sandbox);
	return status;
}

int main(int argc, char **argv)
{
	struct foso_policy *policy = NULL;
	uint64_t count = 0;
	int n = argc >= 4 && text_parse_u64(argv[3], &count) && count <= MAX_RUNS ? (int)count : 0;
	int batch = 1;
	if (argc == 5)
		batch = text_parse_u64(argv[4], &count) && count <= MAX_BATCH ? (int)count : 0;
	if (n < 10 || batch < 1 || argc > 5)
		return 2;
	const char *const fields[][2] = {
		{ "level", "wasm" },          { "root", "none" },
		{ "module", argv[2] },        { "evidence", "off" },
		{ "limits.fuel", "1000000" }, { "limits.memory", "64MiB" },
		{ "limits.tables", "8" },     { "limits.cpu_time", "5s" },
	};
	err = foso_error_new();
	if (foso_programs_set(argv[1], err) < 0 || foso_policy_new(&policy, err) < 0)
		return fail("begin");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (foso_policy_set(policy, fields[i][0], fields[i][1], err) < 0)
			return fail(fields[i][0]);
	}
	double start_us = now_us();
	if (measure(policy, argv[2], n, batch) != 0)
		return 1;
	double per_second = (n + 10) * batch / ((now_us() - start_us) / 1e6);
	double first = median(times, n / 10), last = median(times + n - n / 10, n / 10);
	qsort(times, (size_t)n, sizeof(double), compare);
	printf("{\"median_us\": %.1f, \"p10_us\": %.1f, \"p90_us\": %.1f, \"first_us\": %.1f, "
	       "\"last_us\": %.1f, \"per_second\": %.1f}\n",
	       times[n / 2], times[n / 10], times[n * 9 / 10], first, last, per_second);
	foso_policy_free(policy);
	foso_error_free(err);
	return 0;
}
