/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - one sandbox of libfoso, and a shell script after the other in it
 *
 *	session BIN ROOT SCRIPT...
 *	session BIN runtime:NAME SCRIPT...     with NAME -c in the place of the shell
 */
#include <foso/foso.h>
#include <stdio.h>
#include <string.h>

static int fail(struct foso_error *err)
{
	(void)fprintf(stderr, "%s\n", foso_error_text(err));
	return 1;
}

static int run_script(struct foso_sandbox *sandbox, const char *program, const char *script,
		      struct foso_error *err)
{
	const char *argv[] = { program, "-c", script, NULL };
	struct foso_order *order = NULL;
	struct foso_run *run = NULL;
	size_t len = 0;
	int r = foso_order_new(argv, &order, err);
	if (r == 0)
		r = foso_order_capture(order, FOSO_STDOUT, 4096, err);
	if (r == 0)
		r = foso_sandbox_exec(sandbox, order, &run, err);
	if (r == 0)
		r = foso_run_wait(run, -1, err);
	if (r >= 0) {
		const char *output = foso_run_output(run, FOSO_STDOUT, &len);
		(void)fwrite(output ? output : "", 1, len, stdout);
		if (foso_run_code(run) != 0 && strcmp(program, "/bin/sh") != 0)
			printf("status %d\n", foso_run_code(run));
	}
	foso_order_free(order);
	foso_run_free(run);
	return r < 0 ? fail(err) : 0;
}

int main(int argc, char **argv)
{
	struct foso_error *err = foso_error_new();
	struct foso_policy *policy = NULL;
	struct foso_sandbox *sandbox = NULL;
	if (argc < 4)
		return 2;
	const char *runtime = strncmp(argv[2], "runtime:", 8) == 0 ? argv[2] + 8 : NULL;
	if (foso_programs_set(argv[1], err) < 0 || foso_policy_new(&policy, err) < 0 ||
	    foso_policy_set(policy, "evidence", "off", err) < 0 ||
	    foso_policy_set(policy, "root", runtime ? "none" : argv[2], err) < 0 ||
	    (runtime && (foso_policy_set(policy, "level", "wasm", err) < 0 ||
			 foso_policy_set(policy, "runtime", runtime, err) < 0)) ||
	    foso_sandbox_open(policy, &sandbox, err) < 0)
		return fail(err);
	int status = 0;
	for (int i = 3; i < argc && status == 0; i++)
		status = run_script(sandbox, runtime ? runtime : "/bin/sh", argv[i], err);
	if (foso_sandbox_close(sandbox, err) < 0)
		status = fail(err);
	foso_sandbox_free(sandbox);
	foso_policy_free(policy);
	foso_error_free(err);
	return status;
}
