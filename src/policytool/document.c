/* SPDX-License-Identifier: Apache-2.0 */
/* document.c - a policy document, read without rights */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "confine/seccomp.h"
#include "policytool/tool.h"

void document_fini(struct document *document)
{
	policy_text_fini(&document->text);
	policy_fini(&document->policy);
}

void errors_print(const struct error_list *errors)
{
	for (size_t i = 0; i < errors->n_errors; i++)
		error_print(stderr, &errors->items[i]);
	if (errors->n_errors == ERROR_LIST_MAX)
		(void)fprintf(stderr, "foso: there may be more; mend these first\n");
}

/* The file becomes stdin, so that no other descriptor is needed. */
static int open_as_stdin(const char *file, struct error *err)
{
	if (strcmp(file, "-") == 0)
		return 0;
	auto_fd int fd = open(file, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		enum error_code code = errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM;
		int result = error_set(err, code, errno, file, "cannot be opened");
		return error_remedy(err, result,
				    "name a policy file that you may read, or - for stdin");
	}
	if (fd == STDIN_FILENO) {
		(void)take_fd(&fd);
		return 0;
	}
	if (dup3(fd, STDIN_FILENO, O_CLOEXEC) < 0) {
		int result = error_set(err, ERR_SYSTEM, errno, file, "cannot become stdin");
		return error_remedy(err, result, "pass it on stdin: foso-policy check - <FILE");
	}
	return 0;
}

int document_read(struct document *document, const char *file, const char *name)
{
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_TEXT_BYTES + 1);
	memset(document, 0, sizeof(*document));
	document->text = (struct policy_text)POLICY_TEXT_INIT(name);
	struct error *err = error_list_next(&document->errors);
	int result = open_as_stdin(file, err);
	if (result == 0)
		result = rights_drop(err);
	if (result == 0)
		result = policy_init(&document->policy, err);
	if (result == 0)
		result = policy_text_read(&document->text, STDIN_FILENO, &bytes, err);
	if (result != 0)
		return result;
	document->errors.n_errors = 0;
	return policy_text_parse(&document->text, buf_string(&bytes), bytes.len, &document->policy,
				 &document->errors);
}

/* Names that this build's filters do not know: all of them, where the filter stops at one. */
static size_t check_names(struct document *document, const char *name,
			  const struct policy_list *list)
{
	char subject[64];
	size_t n_unknown = 0;
	for (size_t i = 0; i < list->n_items; i++) {
		if (seccomp_syscall_number(list->items[i]) >= 0)
			continue;
		struct error *err = error_list_next(&document->errors);
		(void)snprintf(subject, sizeof(subject), "%s[%zu]", name, i);
		int result = error_set(err, ERR_INVALID, 0, subject,
				       "'%s' is not a system call that this build knows",
				       list->items[i]);
		(void)error_remedy(err, result,
				   "use a name of foso-syscalls(7), as strace prints it");
		n_unknown++;
	}
	return n_unknown;
}

/* The vocabulary does not know which system calls there are; this build's filters do. */
static void check_calls(struct document *document)
{
	const struct policy *policy = &document->policy;
	struct seccomp_program program = { .instructions = NULL };
	struct error err = { .code = ERR_NONE };
	size_t n_unknown = check_names(document, "syscalls.allow", &policy->syscalls.allow) +
			   check_names(document, "syscalls.deny", &policy->syscalls.deny);
	if (n_unknown > 0)
		return;
	if (seccomp_program_build(&program, policy, false, &err) != 0)
		*error_list_next(&document->errors) = err;
	seccomp_program_fini(&program);
}

int document_check(struct document *document, enum policy_level level)
{
	size_t n_before = document->errors.n_errors;
	(void)!policy_check(&document->policy, level, &document->errors);
	check_calls(document);
	for (size_t i = n_before; i < document->errors.n_errors; i++)
		policy_text_place(&document->text, &document->errors.items[i]);
	return document->errors.n_errors > n_before ? -(int)document->errors.items[n_before].code
						    : 0;
}
