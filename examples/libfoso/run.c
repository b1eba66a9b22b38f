/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - libfoso from beginning to end: one command, then three in one sandbox
 *
 * usage: run [PROGRAMS]   PROGRAMS: folder of foso-monitor, if it is not the installed one
 *
 * Build: cc run.c $(pkg-config --cflags --libs libfoso) -o run
 */
#include <foso/foso.h>
#include <stdio.h>

static struct foso_error *err;

static int fail(const char *what)
{
	do
		(void)fprintf(stderr, "run: %s: %s\n", what, foso_error_text(err));
	while (foso_error_next(err));
	return 1;
}

static void report(const struct foso_run *run)
{
	size_t len = 0;
	const char *output = foso_run_output(run, FOSO_STDOUT, &len);
	printf("%s, code %d: %.*s", foso_reason_word(foso_run_reason(run)), foso_run_code(run),
	       (int)len, output ? output : "");
	if (len == 0 || output[len - 1] != '\n')
		printf("\n");
}

/* An order for the shell whose output is kept in memory. */
static struct foso_order *shell(const char *script)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct foso_order *order = NULL;
	if (foso_order_new(argv, &order, err) < 0 ||
	    foso_order_capture(order, FOSO_STDOUT, 64 * 1024, err) < 0)
		return foso_order_free(order);
	return order;
}

/* A sandbox of its own, which is gone with the command. */
static int run_one(const struct foso_policy *policy, const char *script)
{
	struct foso_order *order = shell(script);
	struct foso_run *run = NULL;
	if (!order || foso_run_start(policy, order, &run, err) < 0 ||
	    foso_run_wait(run, -1, err) < 0) {
		foso_order_free(order);
		foso_run_free(run);
		return fail("one");
	}
	report(run);
	foso_order_free(order);
	foso_run_free(run);
	return 0;
}

/* The file that the first command leaves is there for the second. */
static int run_three(const struct foso_policy *policy)
{
	static const char *const scripts[] = { "echo kept >/tmp/note", "cat /tmp/note",
					       "sleep 60" };
	struct foso_sandbox *sandbox = NULL;
	if (foso_sandbox_open(policy, &sandbox, err) < 0)
		return fail("sandbox");
	int status = 0;
	for (size_t i = 0; i < 3 && status == 0; i++) {
		struct foso_order *order = shell(scripts[i]);
		struct foso_run *run = NULL;
		if (!order || foso_order_wall(order, 1000, err) < 0 ||
		    foso_sandbox_exec(sandbox, order, &run, err) < 0 ||
		    foso_run_wait(run, -1, err) < 0)
			status = fail("three");
		else
			report(run);
		foso_order_free(order);
		foso_run_free(run);
	}
	if (foso_sandbox_close(sandbox, err) < 0)
		status = fail("close");
	foso_sandbox_free(sandbox);
	return status;
}

int main(int argc, char **argv)
{
	static const char text[] = "limits:\n  memory: 128MiB\n  wall: 10s\nevidence: off\n";
	struct foso_policy *policy = NULL;
	err = foso_error_new();
	if (!err || (argc > 1 && foso_programs_set(argv[1], err) < 0))
		return 1;
	if (foso_policy_from_text(text, sizeof(text) - 1, "example", &policy, err) < 0)
		return fail("policy");
	int status = run_one(policy, "echo hello from $(id -un)");
	if (status == 0)
		status = run_three(policy);
	foso_policy_free(policy);
	foso_error_free(err);
	return status;
}
