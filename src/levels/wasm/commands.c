/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the commands of a sandbox: a slot each, from the order to the end */
#include <errno.h>
#include <linux/memfd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "levels/wasm/wasm.h"
#include "wire/codec.h"

static int fail(struct error *err, int errnum, const char *message)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "sandbox", "%s", message);
	return error_remedy(err, r, "see foso doctor");
}

struct wasm_command *wasm_command_find(struct wasm *wasm, unsigned number)
{
	for (size_t i = 0; i < WASM_MAX_COMMANDS; i++) {
		if (wasm->commands[i].number == number)
			return &wasm->commands[i];
	}
	return NULL;
}

bool wasm_command_any(const struct wasm *wasm)
{
	for (size_t i = 0; i < WASM_MAX_COMMANDS; i++) {
		if (wasm->commands[i].number != 0)
			return true;
	}
	return false;
}

static void forget_order(struct wasm_command *command)
{
	buf_fini(&command->order);
	for (int i = 0; i < 3; i++)
		fd_close(&command->fds[i]);
}

void wasm_command_free(struct wasm_command *command)
{
	forget_order(command);
	memset(command, 0, sizeof(*command));
}

static int encode_order(struct wasm *wasm, struct wasm_command *command,
			const struct exec_plan *plan, struct error *err)
{
	struct wasm_execute execute = {
		.command = plan->command,
		.cpu_left_ns = wasm_cpu_left_ns(wasm),
	};
	int r = policy_env_join(plan->env, plan->n_env, &execute.env);
	execute.args = *plan->args;
	if (r == 0)
		wasm_execute_encode(&execute, &command->order);
	execute.args = (struct policy_list){ 0 };
	wasm_execute_fini(&execute);
	if (r == 0 && buf_is_whole(&command->order))
		return 0;
	return fail(err, E2BIG, "the order does not fit");
}

int wasm_command_send(struct wasm *wasm, struct wasm_command *command)
{
	int fds[4] = { command->fds[0], command->fds[1], command->fds[2], -1 };
	const struct buf *order = &command->order;
	int r;
	if (order->len <= WASM_MAX_MESSAGE_BYTES) {
		r = wasm_channel_send(wasm->channel_fd, WASM_EXECUTE, order->data, order->len, fds,
				      3);
	} else {
		auto_fd int file = sys_memfd_create("foso-order", MFD_CLOEXEC);
		if (file < 0 || write(file, order->data, order->len) != (ssize_t)order->len)
			return errno;
		fds[3] = file;
		r = wasm_channel_send(wasm->channel_fd, WASM_EXECUTE, NULL, 0, fds, 4);
	}
	forget_order(command);
	return r;
}

int wasm_command_order(struct wasm *wasm, struct exec_plan *plan, struct error *err)
{
	struct wasm_command *command = wasm_command_find(wasm, 0);
	if (!command) {
		int full = error_set(err, ERR_LIMIT, 0, "sandbox", "%d commands run in it already",
				     WASM_MAX_COMMANDS);
		return error_remedy(err, full, "wait for one of them, or open another sandbox");
	}
	buf_init(&command->order, POLICY_MAX_ENCODED_BYTES);
	for (int i = 0; i < 3; i++)
		command->fds[i] = -1;
	int r = encode_order(wasm, command, plan, err);
	if (r < 0) {
		wasm_command_free(command);
		return r;
	}
	command->number = plan->command;
	command->oom_kills = wasm_groups_oom_kills(wasm);
	for (int i = 0; i < 3; i++)
		command->fds[i] = take_fd(&plan->stdio[i]);
	if (wasm->is_ready && (r = wasm_command_send(wasm, command)) != 0) {
		wasm_command_free(command);
		return fail(err, r, "foso-wasm is gone");
	}
	wasm_cpu_watch(wasm);
	return 0;
}

/* Before READY there is nobody to signal; what was ordered comes first on the same way. */
void wasm_signal_send(struct wasm *wasm, unsigned number, int signal_number)
{
	char storage[16];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	wire_put_u32(&bytes, number);
	wire_put_u32(&bytes, (uint32_t)signal_number);
	if (wasm->is_ready)
		(void)wasm_channel_send(wasm->channel_fd, WASM_SIGNAL, bytes.data, bytes.len, NULL,
					0);
}
