/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - the one sealed document that starts a monitor */
#include "wire/plan.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"
#include "wire/codec.h"

#define PLAN_MAGIC 0x344e4c50u /* "PLN4" */
#define PLAN_SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int plan_init(struct plan *plan, struct error *err)
{
	*plan = (struct plan){ .result_fd = -1,
			       .status_fd = -1,
			       .control_fd = -1,
			       .root_changes_fd = -1,
			       .root_image_fd = -1 };
	plan->level_why = strdup("");
	if (!plan->level_why) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "plan", "no memory");
		return error_remedy(err, r, "free some memory");
	}
	int r = policy_init(&plan->policy, err);
	if (r < 0)
		plan_fini(plan);
	return r;
}

void plan_fini(struct plan *plan)
{
	policy_fini(&plan->policy);
	free(plan->level_why);
	plan->level_why = NULL;
}

void plan_encode(const struct plan *plan, struct buf *out)
{
	not_zeroed char storage[1024];
	auto_buf struct buf policy = BUF_ON(storage, POLICY_MAX_ENCODED_BYTES);
	policy_encode(&plan->policy, &policy);
	wire_put_u32(out, PLAN_MAGIC);
	wire_put_u8(out, plan->is_tty);
	wire_put_u8(out, plan->is_quiet);
	wire_put_u8(out, plan->is_debug);
	wire_put_u32(out, (uint32_t)(plan->result_fd + 1));
	wire_put_u32(out, (uint32_t)(plan->status_fd + 1));
	wire_put_u32(out, (uint32_t)(plan->control_fd + 1));
	wire_put_u32(out, (uint32_t)(plan->root_changes_fd + 1));
	wire_put_u32(out, (uint32_t)(plan->root_image_fd + 1));
	wire_put_u8(out, plan->is_session);
	wire_put_u32(out, plan->rows);
	wire_put_u32(out, plan->columns);
	wire_put_string(out, plan->level_why);
	wire_put_bytes(out, policy.data, policy.len);
	if (!buf_is_whole(&policy))
		out->is_broken = true;
}

int plan_decode(struct plan *ret_plan, const void *bytes, size_t len, struct error *err)
{
	struct wire_reader reader;
	struct plan plan = { .result_fd = -1,
			     .status_fd = -1,
			     .control_fd = -1,
			     .root_changes_fd = -1,
			     .root_image_fd = -1 };
	size_t n_policy = 0;

	wire_reader_init(&reader, bytes, len);
	bool is_ours = wire_get_u32(&reader) == PLAN_MAGIC;
	plan.is_tty = wire_get_bool(&reader);
	plan.is_quiet = wire_get_bool(&reader);
	plan.is_debug = wire_get_bool(&reader);
	plan.result_fd = (int)wire_get_count(&reader, 1024) - 1;
	plan.status_fd = (int)wire_get_count(&reader, 1024) - 1;
	plan.control_fd = (int)wire_get_count(&reader, 1024) - 1;
	plan.root_changes_fd = (int)wire_get_count(&reader, 1024) - 1;
	plan.root_image_fd = (int)wire_get_count(&reader, 1024) - 1;
	plan.is_session = wire_get_bool(&reader);
	plan.rows = (uint16_t)wire_get_count(&reader, UINT16_MAX);
	plan.columns = (uint16_t)wire_get_count(&reader, UINT16_MAX);
	plan.level_why = wire_get_string(&reader);
	const uint8_t *policy = wire_get_bytes(&reader, &n_policy);
	if (!is_ours || !wire_reader_is_done(&reader)) {
		free(plan.level_why);
		int r = error_set(err, ERR_PROTOCOL, 0, "plan",
				  "not a plan of this version of foso");
		return error_remedy(err, r, "start sandboxes with foso run or libfoso");
	}
	int r = policy_decode(&plan.policy, policy, n_policy, err);
	if (r < 0) {
		free(plan.level_why);
		return r;
	}
	*ret_plan = plan;
	return 0;
}

/* Writes all of @buf into a fresh memory file and seals it. */
static int seal(const struct buf *buf, int *ret_fd)
{
	auto_fd int fd = sys_memfd_create("foso-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	for (size_t at = 0; at < buf->len;) {
		ssize_t n = write(fd, buf->data + at, buf->len - at);
		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	if (fcntl(fd, F_ADD_SEALS, PLAN_SEALS) < 0)
		return -1;
	*ret_fd = take_fd(&fd);
	return 0;
}

static int keep_open(int fd)
{
	return fd < 0 ? 0 : fcntl(fd, F_SETFD, 0);
}

bool plan_keeps_variable(const char *variable)
{
	static const char names[PLAN_N_KEPT_VARIABLES][20] = {
		"HOME=",          "XDG_RUNTIME_DIR=", "FOSO_WORKSPACES=",
		"XDG_DATA_HOME=", "FOSO_IMAGES=",     "FOSO_MODULES=",
	};
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strncmp(variable, names[i], strlen(names[i])) == 0)
			return true;
	}
	return false;
}

static void keep_environment(char *envp[])
{
	size_t n = 0;
	for (char **variable = environ; *variable; variable++) {
		if (plan_keeps_variable(*variable) && n < PLAN_N_KEPT_VARIABLES)
			envp[n++] = *variable;
	}
	envp[n] = NULL;
}

static int find_monitor(const char *folder, char path[PROGRAM_PATH_BYTES], struct error *err)
{
	if (!folder)
		return program_path("foso-monitor", path, err);
	int n = snprintf(path, PROGRAM_PATH_BYTES, "%s/foso-monitor", folder);
	if (n > 0 && n < PROGRAM_PATH_BYTES && access(path, X_OK) == 0)
		return 0;
	int r = error_set(err, ERR_NOT_FOUND, 0, "foso-monitor", "not found in %s", folder);
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}

static int not_started(const char *path, int errnum, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, path, "the monitor cannot be started");
	return error_remedy(err, r, "check that the file is executable and the machine has memory");
}

int plan_start_prepare(const struct plan *plan, const char *folder, struct plan_start *ret,
		       struct error *err)
{
	static_assert(sizeof(ret->path) == PROGRAM_PATH_BYTES, "");
	not_zeroed char storage[2048];
	auto_buf struct buf bytes = BUF_ON(storage, PLAN_MAX_BYTES);
	ret->plan_fd = -1;
	ret->fds[0] = plan->result_fd;
	ret->fds[1] = plan->status_fd;
	ret->fds[2] = plan->control_fd;
	ret->fds[3] = plan->root_changes_fd;
	ret->fds[4] = plan->root_image_fd;
	int r = find_monitor(folder, ret->path, err);
	if (r < 0)
		return r;
	plan_encode(plan, &bytes);
	if (!buf_is_whole(&bytes)) {
		r = error_set(err, ERR_LIMIT, 0, "args",
			      "policy, arguments and environment exceed %d bytes", PLAN_MAX_BYTES);
		return error_remedy(err, r, "pass large data through a file or stdin");
	}
	if (seal(&bytes, &ret->plan_fd) < 0)
		return not_started(ret->path, errno, err);
	keep_environment(ret->envp);
	return 0;
}

int plan_start_exec(const struct plan_start *start)
{
	char *argv[] = { (char[]){ "foso-monitor" }, NULL };
	/* dup3 refuses equal numbers, and a descriptor born at PLAN_FD only loses close-on-exec. */
	if (start->plan_fd == PLAN_FD ? keep_open(PLAN_FD) < 0
				      : dup3(start->plan_fd, PLAN_FD, 0) < 0)
		return errno;
	for (size_t i = 0; i < ARRAY_LEN(start->fds); i++) {
		if (keep_open(start->fds[i]) < 0)
			return errno;
	}
	execve(start->path, argv, (char *const *)start->envp);
	return errno;
}

int plan_launch(const struct plan *plan, struct error *err)
{
	struct plan_start start not_zeroed;
	int r = plan_start_prepare(plan, NULL, &start, err);
	if (r == 0)
		r = not_started(start.path, plan_start_exec(&start), err);
	fd_close(&start.plan_fd);
	return r;
}

int plan_receive(struct plan *ret_plan, struct error *err)
{
	auto_fd int fd = PLAN_FD;
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & PLAN_SEALS) != PLAN_SEALS || fstat(fd, &status) < 0 ||
	    status.st_size <= 0 || status.st_size > PLAN_MAX_BYTES) {
		int r = error_set(err, ERR_PROTOCOL, 0, "plan",
				  "descriptor %d holds no sealed plan", PLAN_FD);
		return error_remedy(err, r, "foso-monitor is started by foso run and libfoso only");
	}
	size_t len = (size_t)status.st_size;
	void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED) {
		int r = error_set(err, ERR_SYSTEM, errno, "plan", "cannot be mapped");
		return error_remedy(err, r, "free some memory");
	}
	int r = plan_decode(ret_plan, bytes, len, err);
	munmap(bytes, len);
	return r;
}
