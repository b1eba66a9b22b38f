/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_plan.c - foso-buildfile reads the Dockerfile, and this is what it is told and says
 *
 * Its answer is hostile: recipe_plan_decode() checks each field.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"
#include "buildtool/build.h"
#include "confine/confine.h"

#define MAX_BASES 128
#define EXIT_SAID 125 /* foso-buildfile has told on stderr what is wrong */

/* Everything that the order points to. */
struct order {
	struct recipe_order order;
	struct buf text, ignore;
	struct recipe_base bases[MAX_BASES];
	struct recipe_arena arena;
	char ignore_name[128];
};

static int read_file(int fd, const char *name, struct buf *ret, struct error *err)
{
	char part[16384];
	ssize_t n;
	while ((n = read(fd, part, sizeof(part))) > 0)
		buf_append(ret, part, (size_t)n);
	if (n == 0 && buf_is_whole(ret))
		return 0;
	int r = error_set(err, n < 0 ? ERR_SYSTEM : ERR_LIMIT, n < 0 ? errno : 0, name,
			  n < 0 ? "cannot be read" : "is larger than 1 MiB");
	return error_remedy(err, r, "name a Dockerfile; put data into files of the context");
}

static int open_below(int dir_fd, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	return sys_openat2(dir_fd, path, &how);
}

static int read_dockerfile(const struct build *build, struct order *order, struct error *err)
{
	const char *file = build->options->file;
	auto_fd int fd = file ? open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY)
			      : open_below(build->context_fd, "Dockerfile");
	if (fd >= 0)
		return read_file(fd, build->file_name, &order->text, err);
	int r = error_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM, errno,
			  file ? file : "Dockerfile",
			  file ? "cannot be opened" : "cannot be opened in the context");
	return error_remedy(err, r, "name the Dockerfile with -f FILE");
}

/* Beside a Dockerfile of another name may lie its own list; else that of the context counts. */
static int read_ignore(const struct build *build, struct order *order, struct error *err)
{
	char path[4096];
	auto_fd int fd = -1;
	if (build->options->file) {
		(void)snprintf(path, sizeof(path), "%s.dockerignore", build->options->file);
		(void)snprintf(order->ignore_name, sizeof(order->ignore_name), "%.120s", path);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	}
	if (fd < 0) {
		fd = open_below(build->context_fd, ".dockerignore");
		(void)snprintf(order->ignore_name, sizeof(order->ignore_name), ".dockerignore");
	}
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, order->ignore_name, "cannot be opened");
		return error_remedy(err, r, "make it a file of the context");
	}
	int r = read_file(fd, order->ignore_name, &order->ignore, err);
	order->order.ignore = r == 0 ? buf_string(&order->ignore) : NULL;
	order->order.ignore_len = order->ignore.len;
	return r;
}

/* ---- foso-buildfile ---- */

static int cannot_start(int errnum, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "foso-buildfile", "cannot be started");
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}

/* The whole order in a memory file, at its beginning. */
static int make_input(const struct recipe_order *order, int *ret_fd, struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	recipe_order_encode(order, &bytes);
	auto_fd int fd = sys_memfd_create("foso-order", MFD_CLOEXEC);
	if (fd < 0 || !buf_is_whole(&bytes))
		return cannot_start(fd < 0 ? errno : E2BIG, err);
	for (size_t at = 0; at < bytes.len;) {
		ssize_t n = write(fd, bytes.data + at, bytes.len - at);
		if (n <= 0)
			return cannot_start(errno, err);
		at += (size_t)n;
	}
	if (lseek(fd, 0, SEEK_SET) != 0)
		return cannot_start(errno, err);
	*ret_fd = take_fd(&fd);
	return 0;
}

static _Noreturn void become_reader(const char *path, int input_fd, int output_fd)
{
	char *argv[] = { (char[]){ "foso-buildfile" }, (char[]){ "plan" }, NULL };
	char *envp[] = { NULL };
	confine_signals();
	if (dup2(input_fd, STDIN_FILENO) >= 0 && dup2(output_fd, STDOUT_FILENO) >= 0)
		(void)execve(path, argv, envp);
	_exit(126);
}

static int exchange(const char *path, int input_fd, struct buf *answer, struct error *err)
{
	int fds[2], status = 0;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return cannot_start(errno, err);
	pid_t pid = fork();
	if (pid == 0)
		become_reader(path, input_fd, fds[1]);
	int errnum = errno;
	close(fds[1]);
	int r = pid < 0 ? cannot_start(errnum, err)
			: read_file(fds[0], "foso-buildfile", answer, err);
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r != 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return r;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SAID)
		return 1;
	r = error_set(err, ERR_UNAVAILABLE, 0, "foso-buildfile", "was ended by signal %d",
		      WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return error_remedy(err, r, "make the Dockerfile smaller");
}

static int ask(const struct order *order, struct recipe_plan *ret, struct error *err)
{
	char path[PROGRAM_PATH_BYTES];
	auto_fd int input_fd = -1;
	auto_buf struct buf answer = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	int r = program_path("foso-buildfile", path, err);
	if (r == 0)
		r = make_input(&order->order, &input_fd, err);
	if (r == 0)
		r = exchange(path, input_fd, &answer, err);
	return r == 0 ? recipe_plan_decode(answer.data, answer.len, ret, err) : r;
}

/* ---- the images that stages begin from ---- */

static int no_memory(struct error *err)
{
	int r = error_set(err, ERR_LIMIT, 0, "FROM", "the images say more than foso keeps");
	return error_remedy(err, r, "use images with smaller configurations");
}

/* Copies, since the record goes. */
static bool copy_list(struct recipe_arena *arena, const struct image_list *from,
		      struct recipe_list *ret)
{
	const char **items = recipe_alloc(arena, (from->n_strings + 1) * sizeof(*items));
	const char *item = NULL;
	size_t n = 0;
	if (!items)
		return false;
	while (n < from->n_strings && (item = image_list_next(from, item))) {
		items[n] = recipe_copy(arena, item, strlen(item));
		if (!items[n++])
			return false;
	}
	*ret = (struct recipe_list){ items, n };
	return true;
}

/* "NAME=VALUE" */
static bool copy_pairs(struct recipe_arena *arena, const struct image_list *from,
		       struct recipe_pairs *ret)
{
	struct recipe_pair *items = recipe_alloc(arena, (from->n_strings + 1) * sizeof(*items));
	const char *item = NULL;
	size_t n = 0;
	while (items && n < from->n_strings && (item = image_list_next(from, item))) {
		const char *equals = strchr(item, '=');
		size_t n_name = equals ? (size_t)(equals - item) : strlen(item);
		items[n].name = recipe_copy(arena, item, n_name);
		items[n].value = recipe_copy(arena, equals ? equals + 1 : "",
					     equals ? strlen(equals + 1) : 0);
		if (!items[n].name || !items[n].value)
			return false;
		n++;
	}
	*ret = (struct recipe_pairs){ items, n };
	return items != NULL;
}

static bool copy_config(struct recipe_arena *arena, const struct image_record *record,
			struct recipe_config *ret)
{
	ret->cwd = recipe_copy(arena, record->cwd, strlen(record->cwd));
	ret->user = recipe_copy(arena, record->user, strlen(record->user));
	ret->stop_signal = recipe_copy(arena, record->stop_signal, strlen(record->stop_signal));
	return ret->cwd && ret->user && ret->stop_signal &&
	       copy_pairs(arena, &record->env, &ret->env) &&
	       copy_pairs(arena, &record->labels, &ret->labels) &&
	       copy_list(arena, &record->entrypoint, &ret->entrypoint) &&
	       copy_list(arena, &record->cmd, &ret->cmd) &&
	       copy_list(arena, &record->exposed_ports, &ret->ports) &&
	       copy_list(arena, &record->volumes, &ret->volumes);
}

static int add_base(const struct build *build, struct order *order, const char *ref,
		    struct error *err)
{
	static struct image image;
	struct recipe_base *base = &order->bases[order->order.n_bases];
	if (order->order.n_bases == MAX_BASES)
		return no_memory(err);
	int r = image_open(&build->store, ref, &image, err);
	if (r != 0) {
		error_prefix(err, "FROM");
		return r;
	}
	base->ref = recipe_copy(&order->arena, ref, strlen(ref));
	bool is_whole = base->ref && copy_config(&order->arena, &image.record, &base->config);
	image_fini(&image);
	order->order.n_bases += is_whole;
	return is_whole ? 0 : no_memory(err);
}

static int read_twice(struct build *build, struct order *order, struct error *err)
{
	int r = ask(order, &build->plan, err);
	if (r != 0 || build->plan.needs.n_items == 0)
		return r;
	for (size_t i = 0; r == 0 && i < build->plan.needs.n_items; i++)
		r = add_base(build, order, build->plan.needs.items[i], err);
	recipe_plan_fini(&build->plan);
	if (r == 0)
		r = ask(order, &build->plan, err);
	if (r == 0 && build->plan.needs.n_items > 0) {
		r = error_set(err, ERR_PROTOCOL, 0, "foso-buildfile", "does not answer the same");
		return error_remedy(err, r, "use programs of one version of foso (./x build)");
	}
	return r;
}

int build_read_plan(struct build *build, struct error *err)
{
	static struct order order;
	const struct build_options *options = build->options;
	order = (struct order){ .text = BUF_INIT(RECIPE_MAX_TEXT_BYTES),
				.ignore = BUF_INIT(RECIPE_MAX_TEXT_BYTES),
				.arena = RECIPE_ARENA_INIT(RECIPE_MAX_ARENA_BYTES) };
	order.order = (struct recipe_order){ .name = build->file_name,
					     .ignore_name = order.ignore_name,
					     .target = options->target ? options->target : "",
					     .architecture = build_architecture(),
					     .bases = order.bases };
	order.order.args.items = (struct recipe_pair *)(uintptr_t)options->args;
	order.order.args.n_items = options->n_args;
	int r = read_dockerfile(build, &order, err);
	order.order.text = buf_string(&order.text);
	order.order.len = order.text.len;
	if (r == 0)
		r = read_ignore(build, &order, err);
	if (r == 0)
		r = read_twice(build, &order, err);
	buf_fini(&order.text);
	buf_fini(&order.ignore);
	recipe_arena_fini(&order.arena);
	return r;
}
