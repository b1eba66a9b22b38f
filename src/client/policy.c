/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - policies, field by field or out of a text */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "client/client.h"
#include "wire/errors.h"

static_assert(ERRORS_MAX_BYTES <= POLICY_MAX_ENCODED_BYTES, "one buffer serves both answers");

int foso_policy_new(struct foso_policy **ret_policy, struct foso_error *err)
{
	struct error failure = { 0 };
	struct foso_policy *policy = calloc(1, sizeof(*policy));
	int r = policy ? policy_init(&policy->policy, &failure) : client_no_memory(&failure);
	if (r < 0) {
		free(policy);
		return client_fail(err, r, &failure);
	}
	*ret_policy = policy;
	return 0;
}

struct foso_policy *foso_policy_free(struct foso_policy *policy)
{
	if (policy)
		policy_fini(&policy->policy);
	free(policy);
	return NULL;
}

int foso_policy_set(struct foso_policy *policy, const char *field, const char *value,
		    struct foso_error *err)
{
	struct error failure = { 0 };
	return client_fail(err, policy_set(&policy->policy, field, value, &failure), &failure);
}

int foso_policy_reset(struct foso_policy *policy, const char *field, struct foso_error *err)
{
	struct error failure = { 0 };
	return client_fail(err, policy_reset(&policy->policy, field, &failure), &failure);
}

int foso_policy_check(const struct foso_policy *policy, struct foso_error *err)
{
	struct error_list *list = calloc(1, sizeof(*list));
	struct error failure = { 0 };
	if (!list)
		return client_fail(err, client_no_memory(&failure), &failure);
	int r = policy_check(&policy->policy, policy->policy.level, list);
	if (r < 0)
		r = client_fail_list(err, list);
	free(list);
	return r;
}

int foso_policy_canonical(const struct foso_policy *policy, char **ret_json, struct foso_error *err)
{
	auto_buf struct buf json = BUF_INIT(2 * POLICY_MAX_ENCODED_BYTES);
	struct error failure = { 0 };
	policy_canonical(&policy->policy, &json);
	char *copy = buf_is_whole(&json) ? strdup(buf_string(&json)) : NULL;
	if (!copy)
		return client_fail(err, client_no_memory(&failure), &failure);
	*ret_json = copy;
	return 0;
}

static int start_failed(int errnum, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "foso-policy", "cannot be started");
	return error_remedy(err, r, "check that the file is executable and the machine has memory");
}

/* The text as a file: the compiler may stop reading, and no pipe of ours would then break. */
static int make_text_file(const char *text, size_t len, int *ret_fd, struct error *err)
{
	auto_fd int fd = sys_memfd_create("foso-policy", MFD_CLOEXEC);
	if (fd < 0)
		return start_failed(errno, err);
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, text + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return start_failed(errno, err);
		at += (size_t)n;
	}
	if (lseek(fd, 0, SEEK_SET) < 0)
		return start_failed(errno, err);
	*ret_fd = take_fd(&fd);
	return 0;
}

static int spawn(const char *path, char *const argv[], int text_fd, int answer_fd, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	char *envp[] = { NULL };
	int errnum = posix_spawn_file_actions_init(&actions);
	if (errnum != 0)
		return errnum;
	errnum = posix_spawn_file_actions_adddup2(&actions, text_fd, STDIN_FILENO);
	if (errnum == 0)
		errnum = posix_spawn_file_actions_adddup2(&actions, answer_fd, STDOUT_FILENO);
	if (errnum == 0)
		errnum = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
							  O_WRONLY, 0);
	if (errnum == 0)
		errnum = posix_spawn(ret_pid, path, &actions, NULL, argv, envp);
	(void)posix_spawn_file_actions_destroy(&actions);
	return errnum;
}

/* Descriptors 0 to 2 of the caller may be closed: ours must not lie where they are copied to. */
static int above_stdio(int *fd)
{
	int copy = *fd > 2 ? *fd : fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (copy >= 0 && copy != *fd)
		fd_close(fd);
	if (copy >= 0)
		*fd = copy;
	return copy < 0 ? -1 : 0;
}

static int start_compiler(const char *name, int text_fd, int answer_fd, pid_t *ret_pid,
			  struct error *err)
{
	char path[4096];
	char *copy = strdup(name);
	char *argv[] = { (char[]){ "foso-policy" },
			 (char[]){ "compile" },
			 (char[]){ "--for-program" },
			 (char[]){ "--name" },
			 copy,
			 NULL };
	(void)snprintf(path, sizeof(path), "%s/foso-policy", client_programs());
	int errnum = copy ? spawn(path, argv, text_fd, answer_fd, ret_pid) : ENOMEM;
	free(copy);
	if (errnum != ENOENT)
		return errnum == 0 ? 0 : start_failed(errnum, err);
	int r = error_set(err, ERR_NOT_FOUND, 0, "foso-policy", "not found in %s",
			  client_programs());
	return error_remedy(err, r, "install foso as a whole, or name the folder of its programs");
}

static void read_all(int fd, struct buf *out)
{
	char bytes[4096];
	while (buf_is_whole(out)) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		buf_append(out, bytes, (size_t)n);
	}
}

static int compile(const char *text, size_t len, const char *name, struct buf *answer,
		   struct error *err)
{
	auto_fd int text_fd = -1, in_fd = -1, out_fd = -1;
	int ends[2];
	pid_t pid;
	int r = make_text_file(text, len, &text_fd, err);
	if (r < 0)
		return r;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return start_failed(errno, err);
	in_fd = ends[0];
	out_fd = ends[1];
	if (above_stdio(&text_fd) < 0 || above_stdio(&out_fd) < 0)
		return start_failed(errno, err);
	r = start_compiler(name, text_fd, out_fd, &pid, err);
	if (r < 0)
		return r;
	fd_close(&out_fd);
	read_all(in_fd, answer);
	fd_close(&in_fd); /* A compiler that still writes ends by SIGPIPE. */
	/* What it says decides, so it does not matter if the kernel has reaped it already. */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	return 0;
}

static int broke_off(struct error *err)
{
	int r = error_set(err, ERR_PROTOCOL, 0, "foso-policy", "it gave no answer");
	return error_remedy(err, r, "install foso as a whole: library and programs of one version");
}

/* The answer is either a policy or a list of mistakes. */
static int take_answer(const struct buf *answer, struct policy *policy, struct error_list *list)
{
	struct error *err = error_list_next(list);
	if (!buf_is_whole(answer) || answer->len == 0)
		return broke_off(err);
	struct error_list *mistakes = calloc(1, sizeof(*mistakes));
	if (!mistakes)
		return client_no_memory(err);
	bool is_refusal = errors_decode(mistakes, answer->data, answer->len);
	if (is_refusal)
		*list = *mistakes;
	free(mistakes);
	return is_refusal ? -(int)list->items[0].code
			  : policy_decode(policy, answer->data, answer->len, err);
}

static int from_text(const char *text, size_t len, const char *name, struct policy *policy,
		     struct error_list *list)
{
	auto_buf struct buf answer = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	if (len > POLICY_MAX_TEXT_BYTES) {
		struct error *err = error_list_next(list);
		int r = error_set(err, ERR_LIMIT, 0, name, "exceeds %d bytes",
				  POLICY_MAX_TEXT_BYTES);
		return error_remedy(err, r, "pass large data as a file");
	}
	struct error failure = { 0 };
	int r = compile(text, len, name, &answer, &failure);
	if (r == 0)
		return take_answer(&answer, policy, list);
	*error_list_next(list) = failure;
	return r;
}

int foso_policy_from_text(const char *text, size_t len, const char *name,
			  struct foso_policy **ret_policy, struct foso_error *err)
{
	struct error failure = { 0 };
	struct error_list *list = calloc(1, sizeof(*list));
	struct foso_policy *policy = calloc(1, sizeof(*policy));
	int r;
	if (list && policy)
		r = from_text(text, len, name ? name : "policy", &policy->policy, list);
	else
		r = client_no_memory(&failure);
	if (r == 0)
		*ret_policy = take_ptr(&policy);
	else if (failure.code != ERR_NONE)
		(void)client_fail(err, r, &failure);
	else
		(void)client_fail_list(err, list);
	free(policy);
	free(list);
	return r;
}
