/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp-gen ARCH - makes the filters and the table of names, as a C header on stdout
 * seccomp-gen --scdoc - prints the table as text, for foso-syscalls(7)
 *
 * Runs at build time, so that no program of foso needs libseccomp or computes a filter at its
 * start.  libseccomp knows the numbers of each architecture.  The program is made here, though:
 * libseccomp's own (SCMP_FLTATR_CTL_OPTIMIZE=2) compares every allowed call for itself, whereas
 * numbers of allowed calls are mostly neighbours, so a search among runs of equal numbers needs
 * a third of the instructions; and install time goes with the instructions
 * (docs/decisions/0010-seccomp.md has the figures).  tests/unit/confine compares the two for
 * every number.
 */
#include <assert.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "confine/syscalls.h"
#include "doc.h"
#include "rules.h"

#define N_PROFILES 3
#define MAX_NUMBER 1024

/* Unknown to the table: denied as well, but with ENOSYS. */
#define ACTION_UNKNOWN SECCOMP_ACTION_no

struct call {
	const char *name;
	enum seccomp_action actions[N_PROFILES];
	int number; /* -1: this architecture does not have it */
};

static const char *const profile_names[N_PROFILES] = { "default", "strict", "monitor" };

static const struct arch {
	const char *name;
	uint32_t libseccomp;
	uint32_t audit;
} arches[] = {
	{ "x86_64", SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64 },
	{ "aarch64", SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64 },
};

static struct call calls[] = {
#define IGNORE_GROUP(title)
#define CALL_ROW(name_, default_, strict, monitor, why)                    \
	{ .name = #name_,                                                  \
	  .actions = { SECCOMP_ACTION_##default_, SECCOMP_ACTION_##strict, \
		       SECCOMP_ACTION_##monitor } },
	SYSCALLS(IGNORE_GROUP, CALL_ROW)
#undef CALL_ROW
};
#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

static const struct {
	const char *name;
	int number;
} new_calls[] = {
#define NUMBER_ROW(name_, number_) { #name_, number_ },
	SYSCALL_NUMBERS(NUMBER_ROW)
#undef NUMBER_ROW
};

static int fail(const char *subject, const char *message)
{
	(void)fprintf(stderr, "seccomp-gen: %s: %s\n", subject, message);
	exit(1);
}

static int call_number(const struct arch *arch, const char *name)
{
	for (size_t i = 0; i < sizeof(new_calls) / sizeof(new_calls[0]); i++) {
		if (strcmp(new_calls[i].name, name) == 0)
			return new_calls[i].number;
	}
	int number = seccomp_syscall_resolve_name_arch(arch->libseccomp, name);
	if (number == __NR_SCMP_ERROR)
		return fail(name, "libseccomp does not know it; add its number to SYSCALL_NUMBERS");
	return number < 0 ? -1 : number;
}

static int call_compare(const void *left, const void *right)
{
	return ((const struct call *)left)->number - ((const struct call *)right)->number;
}

/* A call that libseccomp knows and the table does not is an oversight, not a decision. */
static void calls_check_whole(const struct arch *arch)
{
	for (int number = 0; number < MAX_NUMBER; number++) {
		char *name = seccomp_syscall_resolve_num_arch(arch->libseccomp, number);
		bool is_found = name == NULL;
		for (size_t i = 0; i < N_CALLS && !is_found; i++)
			is_found = calls[i].number == number;
		if (!is_found)
			fail(name,
			     "not in confine/syscalls.h; decide what each profile does with it");
		free(name);
	}
}

/* ---- the search among runs of numbers ---- */

struct run {
	unsigned first; /* number; the run ends where the next one begins */
	code_label target;
};

struct profile {
	struct code code;
	code_label targets[SECCOMP_N_ACTIONS];
	bool has_target[SECCOMP_N_ACTIONS];
	uint32_t denied; /* SECCOMP_RET_... */
};

static code_label profile_target(struct profile *profile, enum seccomp_action action)
{
	if (profile->has_target[action])
		return profile->targets[action];
	code_label label;
	if (action == SECCOMP_ACTION_yes)
		label = code_return(&profile->code, SECCOMP_RET_ALLOW);
	else if (action == SECCOMP_ACTION_no || action == SECCOMP_ACTION_gone)
		label = code_return(&profile->code, profile->denied);
	else if (action == SECCOMP_ACTION_enosys)
		label = code_return(&profile->code, SECCOMP_RET_ERRNO | ENOSYS);
	else
		label = rule_emit(&profile->code, action,
				  profile_target(profile, SECCOMP_ACTION_yes),
				  profile_target(profile, SECCOMP_ACTION_no));
	profile->targets[action] = label;
	profile->has_target[action] = true;
	return label;
}

/*
 * A number between two others that are treated alike is tested for itself and does not split the
 * run, which saves one of two comparisons.  Chains are kept short: kernels before 5.11, which do
 * not cache what is always allowed, walk them at each call.
 */
#define MAX_CHAIN 3

static size_t runs_with_chains(struct code *code, const struct run *runs, size_t n_runs,
			       struct run *ret_runs)
{
	size_t n = 0, at = 0;
	while (at < n_runs) {
		struct run run = runs[at];
		code_label base = run.target;
		unsigned chained = 0;
		while (at + 2 < n_runs && chained < MAX_CHAIN && runs[at + 2].target == base &&
		       runs[at + 2].first == runs[at + 1].first + 1) {
			run.target = code_jump(code, BPF_JEQ, runs[at + 1].first,
					       runs[at + 1].target, run.target);
			chained++;
			at += 2;
		}
		ret_runs[n++] = run;
		at++;
	}
	return n;
}

static code_label runs_search(struct code *code, const struct run *runs, size_t n_runs)
{
	if (n_runs == 1)
		return runs[0].target;
	size_t middle = n_runs / 2;
	code_label upper = runs_search(code, runs + middle, n_runs - middle);
	code_label lower = runs_search(code, runs, middle);
	return code_jump(code, BPF_JGE, runs[middle].first, upper, lower);
}

static void profile_make(struct profile *profile, const struct arch *arch, size_t column)
{
	enum seccomp_action actions[MAX_NUMBER + 1];
	for (size_t i = 0; i <= MAX_NUMBER; i++)
		actions[i] = ACTION_UNKNOWN;
	for (size_t i = 0; i < N_CALLS; i++) {
		if (calls[i].number >= 0)
			actions[calls[i].number] = calls[i].actions[column];
	}
	/* Rules first: they are the end of the program.  Then the search in front of them. */
	struct run runs[MAX_NUMBER + 1], chained[MAX_NUMBER + 1];
	size_t n_runs = 0;
	for (unsigned i = 0; i <= MAX_NUMBER; i++) {
		code_label target = profile_target(profile, actions[i]);
		if (n_runs == 0 || runs[n_runs - 1].target != target)
			runs[n_runs++] = (struct run){ .first = i, .target = target };
	}
	size_t n_chained = runs_with_chains(&profile->code, runs, n_runs, chained);
	code_label label = runs_search(&profile->code, chained, n_chained);
	label = code_load(&profile->code, offsetof(struct seccomp_data, nr), label);
	/* A policy's lists are put behind these four (seccomp_program.c), so no jump leaves them.
	 */
	code_label denied = code_return_here(&profile->code, profile->denied);
	label = code_jump(&profile->code, BPF_JEQ, arch->audit, label, denied);
	code_load(&profile->code, offsetof(struct seccomp_data, arch), label);
}

/* ---- output ---- */

static void print_profile(const struct arch *arch, size_t column)
{
	static struct profile profile;
	memset(&profile, 0, sizeof(profile));
	/* The monitor has nobody who would answer a notification. */
	profile.denied = column < 2 ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | EPERM;
	profile_make(&profile, arch, column);
	printf("\nstatic const struct sock_filter seccomp_%s[] = {\n", profile_names[column]);
	for (size_t i = profile.code.n_instructions; i > 0; i--) {
		const struct sock_filter *at = &profile.code.instructions[i - 1];
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", at->code, at->jt, at->jf, at->k);
	}
	printf("};\n");
}

static bool is_gone(const struct call *call)
{
	return call->actions[0] == SECCOMP_ACTION_gone;
}

/* Offsets instead of pointers: no relocations when a static program starts. */
static void print_names(void)
{
	size_t offset = 0, n_calls = 0;
	printf("\nstatic const char seccomp_names[] =\n");
	for (size_t i = 0; i < N_CALLS; i++) {
		if (calls[i].number >= 0)
			printf("\t\"%s\\0\"\n", calls[i].name);
	}
	printf("\t;\n\nstatic const struct {\n\tuint16_t number, name_offset;\n"
	       "\tuint8_t is_gone;\n} seccomp_calls[] = {\n");
	for (size_t i = 0; i < N_CALLS; i++) {
		if (calls[i].number < 0)
			continue;
		printf("\t{ %d, %zu, %d },\n", calls[i].number, offset, is_gone(&calls[i]));
		offset += strlen(calls[i].name) + 1;
		n_calls++;
	}
	printf("};\n#define SECCOMP_N_CALLS %zu\n", n_calls);
}

static const struct arch *arch_find(const char *name)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++) {
		if (strcmp(arches[i].name, name) == 0)
			return &arches[i];
	}
	return NULL;
}

static void print_header(const struct arch *arch)
{
	for (size_t i = 0; i < N_CALLS; i++)
		calls[i].number = call_number(arch, calls[i].name);
	qsort(calls, N_CALLS, sizeof(calls[0]), call_compare);
	calls_check_whole(arch);
	printf("/* Generated by seccomp-gen %s from confine/syscalls.h. */\n", arch->name);
	printf("#define SECCOMP_AUDIT_ARCH 0x%08xu\n", arch->audit);
	for (size_t column = 0; column < N_PROFILES; column++)
		print_profile(arch, column);
	print_names();
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return fail("arguments", "want --scdoc or one of: x86_64, aarch64");
	const struct arch *arch = arch_find(argv[1]);
	if (arch)
		print_header(arch);
	else if (strcmp(argv[1], "--scdoc") == 0)
		doc_print();
	else
		return fail(argv[1], "want --scdoc or one of: x86_64, aarch64");
	return fflush(stdout) == 0 ? 0 : fail("stdout", "cannot be written");
}
