/* SPDX-License-Identifier: Apache-2.0 */
/* order.c - what is to run, gathered piece by piece */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/client.h"

static const char *const stream_names[] = { "stdin", "stdout", "stderr" };

static int invalid(struct foso_error *err, const char *subject, const char *message,
		   const char *remedy)
{
	struct error failure = { 0 };
	int r = error_set(&failure, ERR_INVALID, 0, subject, "%s", message);
	return client_fail(err, error_remedy(&failure, r, "%s", remedy), &failure);
}

static int no_memory(struct foso_error *err)
{
	struct error failure = { 0 };
	return client_fail(err, client_no_memory(&failure), &failure);
}

static bool copy_args(const char *const argv[], struct policy_list *args)
{
	size_t n_args = 0;
	while (argv[n_args])
		n_args++;
	args->items = calloc(n_args + 1, sizeof(char *));
	for (; args->items && args->n_items < n_args; args->n_items++) {
		args->items[args->n_items] = strdup(argv[args->n_items]);
		if (!args->items[args->n_items])
			return false;
	}
	return args->items != NULL;
}

int foso_order_new(const char *const argv[], struct foso_order **ret_order, struct foso_error *err)
{
	if (!argv || !argv[0] || argv[0][0] == '\0')
		return invalid(err, "args", "no program is named", "name a program in argv[0]");
	struct foso_order *order = calloc(1, sizeof(*order));
	if (!order)
		return no_memory(err);
	order->exec.wall_ns = order->exec.output_bytes = POLICY_UNLIMITED;
	order->exec.cwd = strdup("");
	order->exec.user = strdup("");
	if (!order->exec.cwd || !order->exec.user || !copy_args(argv, &order->exec.args)) {
		(void)foso_order_free(order);
		return no_memory(err);
	}
	*ret_order = order;
	return 0;
}

static void stream_clear(struct order_stream *stream)
{
	free(stream->bytes);
	*stream = (struct order_stream){ .kind = ORDER_NOTHING };
}

struct foso_order *foso_order_free(struct foso_order *order)
{
	if (!order)
		return NULL;
	control_exec_fini(&order->exec);
	for (size_t i = 0; i < ARRAY_LEN(order->streams); i++)
		stream_clear(&order->streams[i]);
	free(order);
	return NULL;
}

static struct policy_env *find_env(struct control_exec *exec, const char *name)
{
	for (size_t i = 0; i < exec->n_env; i++) {
		if (strcmp(exec->env[i].name, name) == 0)
			return &exec->env[i];
	}
	return NULL;
}

int foso_order_env(struct foso_order *order, const char *name, const char *value,
		   struct foso_error *err)
{
	struct control_exec *exec = &order->exec;
	if (name[0] == '\0' || strchr(name, '='))
		return invalid(err, "env", "a name is empty or has a '='",
			       "pass name and value apart");
	auto_free char *new_value = strdup(value);
	struct policy_env *env = find_env(exec, name);
	if (!new_value)
		return no_memory(err);
	if (!env) {
		if (exec->n_env == POLICY_MAX_ENV)
			return invalid(err, "env", "there are 1024 already", "leave some out");
		auto_free char *new_name = strdup(name);
		env = realloc(exec->env, (exec->n_env + 1) * sizeof(*env));
		if (env)
			exec->env = env;
		if (!env || !new_name)
			return no_memory(err);
		env = &exec->env[exec->n_env++];
		*env = (struct policy_env){ .name = take_ptr(&new_name) };
	}
	free(env->value);
	env->value = take_ptr(&new_value);
	return 0;
}

static int set_text(char **field, const char *text, struct foso_error *err)
{
	char *copy = strdup(text);
	if (!copy)
		return no_memory(err);
	free(*field);
	*field = copy;
	return 0;
}

int foso_order_cwd(struct foso_order *order, const char *path, struct foso_error *err)
{
	return set_text(&order->exec.cwd, path, err);
}

int foso_order_user(struct foso_order *order, const char *user, struct foso_error *err)
{
	return set_text(&order->exec.user, user, err);
}

int foso_order_wall(struct foso_order *order, uint64_t wall_ms, struct foso_error *err)
{
	if (wall_ms == 0 || wall_ms > UINT64_MAX / 1000000)
		return invalid(err, "wall", "is no time within which anything could run",
			       "write milliseconds, from 1");
	order->exec.wall_ns = wall_ms * 1000000;
	return 0;
}

int foso_order_output(struct foso_order *order, uint64_t max_bytes, struct foso_error *err)
{
	UNUSED(err);
	order->exec.output_bytes = max_bytes;
	return 0;
}

int foso_order_keep(struct foso_order *order, bool keeps, struct foso_error *err)
{
	UNUSED(err);
	order->has_background = true;
	order->exec.background = keeps ? POLICY_BACKGROUND_KEEP : POLICY_BACKGROUND_KILL;
	return 0;
}

int foso_order_terminal(struct foso_order *order, uint16_t rows, uint16_t columns,
			struct foso_error *err)
{
	UNUSED(err);
	order->exec.is_tty = true;
	order->exec.rows = rows;
	order->exec.columns = columns;
	return 0;
}

int foso_order_stream(struct foso_order *order, enum foso_stream stream, int fd,
		      struct foso_error *err)
{
	if ((unsigned)stream >= ARRAY_LEN(order->streams))
		return invalid(err, "stream", "there are three", "write stdin, stdout or stderr");
	if (fcntl(fd, F_GETFD) < 0)
		return invalid(err, stream_names[stream], "is not an open descriptor",
			       "open it before the order names it");
	stream_clear(&order->streams[stream]);
	order->streams[stream] = (struct order_stream){ .kind = ORDER_FD, .fd = fd };
	return 0;
}

int foso_order_input(struct foso_order *order, const void *bytes, size_t len,
		     struct foso_error *err)
{
	char *copy = malloc(len > 0 ? len : 1);
	if (!copy)
		return no_memory(err);
	memcpy(copy, bytes, len);
	stream_clear(&order->streams[FOSO_STDIN]);
	order->streams[FOSO_STDIN] =
		(struct order_stream){ .kind = ORDER_BYTES, .bytes = copy, .len = len };
	return 0;
}

int foso_order_capture(struct foso_order *order, enum foso_stream stream, size_t max_bytes,
		       struct foso_error *err)
{
	if (stream != FOSO_STDOUT && stream != FOSO_STDERR)
		return invalid(err, "stream", "only what a command writes can be captured",
			       "write stdout or stderr");
	stream_clear(&order->streams[stream]);
	order->streams[stream] =
		(struct order_stream){ .kind = ORDER_CAPTURE, .max_bytes = max_bytes };
	return 0;
}
