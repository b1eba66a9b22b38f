/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-buildfile: the only program of foso that reads a Dockerfile
 *
 * foso-build starts "plan" with an encoded order on stdin and reads the encoded plan from its
 * stdout.  "show" is for people and tests.  Either gives up all rights before it reads a byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/version.h"
#include "buildfile/tool.h"
#include "confine/confine.h"
#include "confine/reader.h"

#define EXIT_REFUSED    125
#define MAX_ORDER_BYTES (RECIPE_MAX_PLAN_BYTES)

static const char usage[] =
	"usage: foso-buildfile show [--target STAGE] [--build-arg NAME=VALUE]... [--ignore FILE] FILE\n"
	"       foso-buildfile plan\n"
	"\n"
	"  show  say what the steps of a Dockerfile are (- is stdin), every image taken as empty\n"
	"  plan  turn the order on stdin into the plan that foso-build carries out\n"
	"\n"
	"Exit status: 0, or 125 if the file is wrong or the command line is.\n"
	"foso image build is what users call.\n";

static int refuse_usage(const char *subject, const char *message)
{
	struct error err = { .code = ERR_NONE };
	int result = error_set(&err, ERR_INVALID, 0, subject, "%s", message);
	(void)error_remedy(&err, result, "see foso-buildfile --help");
	error_print(stderr, &err);
	return EXIT_REFUSED;
}

static int refuse(const struct error *err)
{
	error_print(stderr, err);
	return EXIT_REFUSED;
}

static int drop_rights(struct error *err)
{
	static const struct confine_reader limits = {
		.memory_bytes = UINT64_C(512) << 20,
		.cpu_seconds = 10,
		.output_bytes = RECIPE_MAX_PLAN_BYTES,
	};
	int errnum = confine_reader(&limits);
	if (errnum == 0)
		return 0;
	int r = error_set(err, ERR_SYSTEM, errnum, "foso-buildfile", "cannot give up its rights");
	return error_remedy(err, r, "nothing was read; see whether an outer sandbox forbids it");
}

static int read_all(int fd, const char *name, struct buf *ret, struct error *err)
{
	not_zeroed char bytes[16 * 1024];
	ssize_t n;
	while ((n = read(fd, bytes, sizeof(bytes))) > 0)
		buf_append(ret, bytes, (size_t)n);
	if (n < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, name, "cannot be read");
		return error_remedy(err, r, "name a file that you may read");
	}
	if (buf_is_whole(ret))
		return 0;
	int r = error_set(err, ERR_LIMIT, 0, name, "is larger than %zu bytes", ret->max_bytes);
	return error_remedy(err, r, "put data into files of the context");
}

static int write_all(const struct buf *bytes, struct error *err)
{
	for (size_t at = 0; at < bytes->len;) {
		ssize_t n = write(STDOUT_FILENO, bytes->data + at, bytes->len - at);
		if (n <= 0) {
			int r = error_set(err, ERR_SYSTEM, errno, "stdout", "cannot be written");
			return error_remedy(err, r, "start it with a stdout that is read");
		}
		at += (size_t)n;
	}
	return 0;
}

static int make_plan(struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(MAX_ORDER_BYTES);
	auto_buf struct buf answer = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	struct recipe_arena arena = RECIPE_ARENA_INIT(RECIPE_MAX_ARENA_BYTES);
	struct recipe_order order;
	struct recipe_plan plan = { .n_stages = 0 };
	int r = confine_close_fds(STDERR_FILENO + 1) != 0 ? -(int)ERR_SYSTEM : 0;
	if (r == 0)
		r = drop_rights(err);
	if (r == 0)
		r = read_all(STDIN_FILENO, "stdin", &bytes, err);
	if (r == 0)
		r = recipe_order_decode(bytes.data, bytes.len, &arena, &order, err);
	if (r == 0)
		r = recipe_read(&order, &plan, err);
	if (r == 0) {
		recipe_plan_encode(&plan, &answer);
		if (!buf_is_whole(&answer)) {
			r = error_set(err, ERR_LIMIT, 0, order.name,
				      "its steps take more than %d bytes", RECIPE_MAX_PLAN_BYTES);
			r = error_remedy(err, r, "use fewer and shorter values");
		}
	}
	if (r == 0)
		r = write_all(&answer, err);
	recipe_plan_fini(&plan);
	recipe_arena_fini(&arena);
	return r;
}

struct show {
	struct recipe_order order;
	struct recipe_pair args[64];
	const char *ignore_file;
	const char *file;
};

static int open_input(const char *path, struct error *err)
{
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					: open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	int r = error_set(err, ERR_NOT_FOUND, errno, path, "cannot be opened");
	return error_remedy(err, r, "name a file that you may read, or - for stdin");
}

/* Images that are needed are taken as empty, so that the second reading is whole. */
static int read_with_empty_bases(struct show *show, struct recipe_plan *plan, struct error *err)
{
	int r = recipe_read(&show->order, plan, err);
	if (r != 0 || plan->needs.n_items == 0)
		return r;
	struct recipe_plan first = *plan;
	struct recipe_base *bases = calloc(first.needs.n_items, sizeof(*bases));
	if (!bases) {
		r = error_set(err, ERR_SYSTEM, ENOMEM, "foso-buildfile", "no memory");
		return error_remedy(err, r, "free some memory");
	}
	for (size_t i = 0; i < first.needs.n_items; i++) {
		bases[i].ref = first.needs.items[i];
		(void)printf("needs \"%s\"\n", bases[i].ref);
	}
	show->order.bases = bases;
	show->order.n_bases = first.needs.n_items;
	r = recipe_read(&show->order, plan, err);
	if (r == 0)
		show_plan(plan);
	recipe_plan_fini(plan);
	*plan = first;
	free(bases);
	return r < 0 ? r : 1;
}

static int show_files(struct show *show, struct error *err)
{
	auto_buf struct buf text = BUF_INIT(RECIPE_MAX_TEXT_BYTES);
	auto_buf struct buf ignore = BUF_INIT(RECIPE_MAX_TEXT_BYTES);
	struct recipe_plan plan = { .n_stages = 0 };
	int fd = open_input(show->file, err);
	int ignore_fd = fd >= 0 && show->ignore_file ? open_input(show->ignore_file, err) : -1;
	if (fd < 0 || (show->ignore_file && ignore_fd < 0))
		return -(int)err->code;
	int r = drop_rights(err);
	if (r == 0)
		r = read_all(fd, show->file, &text, err);
	if (r == 0 && ignore_fd >= 0)
		r = read_all(ignore_fd, show->ignore_file, &ignore, err);
	if (r != 0)
		return r;
	show->order.text = buf_string(&text);
	show->order.len = text.len;
	show->order.ignore = ignore_fd >= 0 ? buf_string(&ignore) : NULL;
	show->order.ignore_len = ignore.len;
	r = read_with_empty_bases(show, &plan, err);
	if (r == 0)
		show_plan(&plan);
	recipe_plan_fini(&plan);
	return MIN(r, 0);
}

/* "NAME=VALUE", split in place. */
static bool add_arg(struct show *show, char *text)
{
	char *equals = strchr(text, '=');
	if (!equals || show->order.args.n_items == ARRAY_LEN(show->args))
		return false;
	*equals = '\0';
	show->args[show->order.args.n_items++] = (struct recipe_pair){ text, equals + 1 };
	return true;
}

static int run_show(int argc, char **argv)
{
	struct error err = { .code = ERR_NONE };
	static struct show show;
	int i = 0;
	show.order = (struct recipe_order){ .target = "", .architecture = "amd64" };
	show.order.args.items = show.args;
	for (; i + 1 < argc && argv[i][0] == '-' && argv[i][1] != '\0'; i += 2) {
		if (strcmp(argv[i], "--target") == 0)
			show.order.target = argv[i + 1];
		else if (strcmp(argv[i], "--ignore") == 0)
			show.ignore_file = argv[i + 1];
		else if (strcmp(argv[i], "--build-arg") != 0 || !add_arg(&show, argv[i + 1]))
			return refuse_usage(argv[i], "is not an option of show with such a value");
	}
	if (argc - i != 1)
		return refuse_usage("show", "takes one FILE");
	show.file = argv[i];
	show.order.name = strcmp(show.file, "-") == 0 ? "Dockerfile" : show.file;
	show.order.ignore_name = show.ignore_file ? show.ignore_file : "";
	if (show_files(&show, &err) != 0)
		return refuse(&err);
	return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
}

int main(int argc, char **argv)
{
	struct error err = { .code = ERR_NONE };
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		(void)fputs(usage, stdout);
		return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
	}
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		(void)printf("foso-buildfile %s (%s)\n", version_number(), version_build_id());
		return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
	}
	if (argc == 2 && strcmp(argv[1], "plan") == 0)
		return make_plan(&err) == 0 ? 0 : refuse(&err);
	if (argc >= 2 && strcmp(argv[1], "show") == 0)
		return run_show(argc - 2, argv + 2);
	return argc < 2 ? refuse_usage("foso-buildfile", "needs a command")
			: refuse_usage(argv[1], "is not a command");
}
