/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_program.c - a policy's own filter: its lists, then the profile's program
 *
 * A list is a row of "is it this number? then return" between the profile's head, which has
 * checked the architecture and loaded the number, and the profile's search.  What is denied
 * comes first, so that syscalls.deny wins over syscalls.allow, and both over the profile.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "confine/seccomp.h"
#include "confine/seccomp_table.h"

/* Two instructions for each entry, those of may_nest and of the affinity included. */
#define MAX_LIST_INSTRUCTIONS (2 * (POLICY_MAX_SYSCALLS + 8))

struct list {
	struct sock_filter instructions[MAX_LIST_INSTRUCTIONS];
	size_t n_instructions;
};

static void list_add(struct list *list, int number, uint32_t action)
{
	assert(list->n_instructions + 2 <= MAX_LIST_INSTRUCTIONS);
	struct sock_filter *at = list->instructions + list->n_instructions;
	at[0] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
	at[1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	list->n_instructions += 2;
}

/* What foso-init calls between installing the filter and the start of the command. */
static bool is_needed_to_start(const char *name)
{
	static const char needed[][12] = { "execve", "exit_group", "write", "close", "sendmsg" };
	for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
		if (strcmp(needed[i], name) == 0)
			return true;
	}
	return false;
}

static int list_add_names(struct list *list, const struct policy_list *names, const char *field,
			  uint32_t action, struct error *err)
{
	for (size_t i = 0; i < names->n_items; i++) {
		char subject[32];
		(void)snprintf(subject, sizeof(subject), "%s[%zu]", field, i);
		int number = seccomp_syscall_number(names->items[i]);
		if (number < 0)
			return error_remedy(
				err,
				error_set(err, ERR_INVALID, 0, subject,
					  "'%s' is not a system call that this build knows",
					  names->items[i]),
				"use a name of foso-syscalls(7), as strace prints it");
		if (action != SECCOMP_RET_ALLOW && is_needed_to_start(names->items[i]))
			return error_remedy(err,
					    error_set(err, ERR_INVALID, 0, subject,
						      "without '%s' no command can start",
						      names->items[i]),
					    "remove it from the list");
		list_add(list, number, action);
	}
	return 0;
}

static int list_make(struct list *list, const struct policy *policy, bool without_affinity,
		     struct error *err)
{
	size_t n_names = policy->syscalls.allow.n_items + policy->syscalls.deny.n_items;
	if (n_names > POLICY_MAX_SYSCALLS)
		return error_remedy(err,
				    error_set(err, ERR_LIMIT, 0, "syscalls",
					      "allow and deny name %zu system calls", n_names),
				    "name at most %d together", POLICY_MAX_SYSCALLS);
	int result = list_add_names(list, &policy->syscalls.deny, "syscalls.deny",
				    SECCOMP_RET_USER_NOTIF, err);
	if (result < 0)
		return result;
	if (without_affinity)
		list_add(list, seccomp_syscall_number("sched_setaffinity"), SECCOMP_RET_USER_NOTIF);
	result = list_add_names(list, &policy->syscalls.allow, "syscalls.allow", SECCOMP_RET_ALLOW,
				err);
	if (result < 0)
		return result;
	if (policy->syscalls.may_nest) {
		list_add(list, seccomp_syscall_number("clone"), SECCOMP_RET_ALLOW);
		list_add(list, seccomp_syscall_number("unshare"), SECCOMP_RET_ALLOW);
		list_add(list, seccomp_syscall_number("setns"), SECCOMP_RET_ALLOW);
	}
	return 0;
}

int seccomp_program_build(struct seccomp_program *ret, const struct policy *policy,
			  bool without_affinity, struct error *err)
{
	struct list list = { .n_instructions = 0 };
	int result = list_make(&list, policy, without_affinity, err);
	if (result < 0)
		return result;
	size_t n_table;
	const struct sock_filter *table =
		seccomp_table_filter(policy->syscalls.profile == POLICY_PROFILE_STRICT
					     ? SECCOMP_FILTER_STRICT
					     : SECCOMP_FILTER_DEFAULT,
				     &n_table);
	size_t n_instructions = n_table + list.n_instructions;
	assert(n_instructions <= SECCOMP_MAX_INSTRUCTIONS);
	struct sock_filter *instructions = calloc(n_instructions, sizeof(*instructions));
	if (!instructions)
		return error_remedy(err,
				    error_set(err, ERR_SYSTEM, ENOMEM, "syscalls", "no memory"),
				    "free memory on this host");
	size_t n_head = SECCOMP_HEAD_INSTRUCTIONS;
	memcpy(instructions, table, n_head * sizeof(*table));
	memcpy(instructions + n_head, list.instructions,
	       list.n_instructions * sizeof(*instructions));
	memcpy(instructions + n_head + list.n_instructions, table + n_head,
	       (n_table - n_head) * sizeof(*table));
	*ret = (struct seccomp_program){ .instructions = instructions,
					 .n_instructions = n_instructions };
	return 0;
}

void seccomp_program_fini(struct seccomp_program *program)
{
	free(program->instructions);
	*program = (struct seccomp_program){ .instructions = NULL };
}
