/* SPDX-License-Identifier: Apache-2.0 */
/* fake.c - an engine without a sandbox, for tests of what stands above engines */
#include "levels/fake/fake.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

#define FAKE_MAX_EVENTS   256
#define FAKE_MAX_COMMANDS 64

struct fake_command {
	unsigned number; /* 0: the slot is free */
	int out_fd;
};

/* struct sandbox.impl */
struct fake {
	struct level_event events[FAKE_MAX_EVENTS]; /* a ring */
	size_t first, n_events;
	struct fake_command commands[FAKE_MAX_COMMANDS];
	bool is_killed;
};

static int not_there(struct error *err)
{
	int r = error_set(err, ERR_UNAVAILABLE, 0, "sandbox", "it does not stand");
	return error_remedy(err, r, "open another one");
}

static int fail(struct error *err, int errnum, const char *message)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "sandbox", "%s", message);
	return error_remedy(err, r, "see foso doctor");
}

/* More than it can hold is dropped: the suites stay below that. */
static void push(const struct sandbox *sandbox, struct level_event event)
{
	struct fake *fake = sandbox->impl;
	uint64_t one = 1;
	if (fake->n_events == FAKE_MAX_EVENTS)
		return;
	fake->events[(fake->first + fake->n_events++) % FAKE_MAX_EVENTS] = event;
	(void)!write(sandbox->event_fd, &one, sizeof(one));
}

static int fake_probe(const struct policy *policy, struct error_list *errors)
{
	return policy_check(policy, POLICY_LEVEL_PROCESS, errors);
}

static int fake_provision(struct sandbox *sandbox, struct error *err)
{
	if (sandbox->impl) {
		int r = error_set(err, ERR_EXISTS, 0, "sandbox", "it stands already");
		return error_remedy(err, r, "open another one");
	}
	struct fake *fake = calloc(1, sizeof(*fake));
	if (!fake)
		return fail(err, ENOMEM, "no memory");
	sandbox->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (sandbox->event_fd < 0) {
		int r = fail(err, errno, "its events cannot be watched");
		free(fake);
		return r;
	}
	sandbox->impl = fake;
	int r = sandbox->announce ? sandbox->announce(sandbox, err) : 0;
	if (r < 0) {
		fd_close(&sandbox->event_fd);
		free(take_ptr(&sandbox->impl));
		return r;
	}
	push(sandbox, (struct level_event){ .type = LEVEL_EVENT_READY, .pty_fd = -1 });
	return 0;
}

static struct fake_command *find(struct fake *fake, unsigned number)
{
	for (size_t i = 0; i < FAKE_MAX_COMMANDS; i++) {
		if (fake->commands[i].number == number)
			return &fake->commands[i];
	}
	return NULL;
}

static void end(struct sandbox *sandbox, struct fake_command *command, int code, int signal_number)
{
	push(sandbox, (struct level_event){ .type = LEVEL_EVENT_EXITED,
					    .command = command->number,
					    .code = code,
					    .signal = signal_number,
					    .pty_fd = -1 });
	fd_close(&command->out_fd);
	command->number = 0;
}

static void lose(struct sandbox *sandbox)
{
	struct level_event event = { .type = LEVEL_EVENT_LOST, .pty_fd = -1 };
	int r = error_set(&event.err, ERR_PROTOCOL, 0, "sandbox", "the fake engine died");
	(void)error_remedy(&event.err, r, "run it again");
	push(sandbox, event);
}

/* What the command's words say. */
static void act(struct sandbox *sandbox, struct fake_command *command,
		const struct policy_list *args)
{
	const char *word = args->items[0];
	const char *operand = args->n_items > 1 ? args->items[1] : "";
	uint64_t number = 0;
	(void)text_parse_u64(operand, &number);
	if (strcmp(word, "echo") == 0)
		(void)!write(command->out_fd, operand, strlen(operand));
	if (strcmp(word, "lost") == 0) {
		lose(sandbox);
	} else if (strcmp(word, "limit") == 0) {
		push(sandbox, (struct level_event){ .type = LEVEL_EVENT_LIMIT,
						    .reason = END_MEMORY,
						    .limit = "limits.memory",
						    .pty_fd = -1 });
	} else if (strcmp(word, "signal") == 0) {
		end(sandbox, command, -1, (int)number);
	} else if (strcmp(word, "wait") != 0) {
		end(sandbox, command, (int)number, 0);
	}
}

static int fake_execute(struct sandbox *sandbox, struct exec_plan *plan, struct error *err)
{
	struct fake *fake = sandbox->impl;
	if (!fake || fake->is_killed)
		return not_there(err);
	struct fake_command *command = find(fake, 0);
	if (!command)
		return fail(err, EAGAIN, "too many commands");
	if (strcmp(plan->args->items[0], "missing") == 0) {
		push(sandbox, (struct level_event){ .type = LEVEL_EVENT_NOT_STARTED,
						    .command = plan->command,
						    .code = 127,
						    .errnum = ENOENT,
						    .pty_fd = -1 });
		for (int i = 0; i < 3; i++)
			fd_close(&plan->stdio[i]);
		return 0;
	}
	*command = (struct fake_command){ plan->command, take_fd(&plan->stdio[1]) };
	fd_close(&plan->stdio[0]);
	fd_close(&plan->stdio[2]);
	push(sandbox, (struct level_event){ .type = LEVEL_EVENT_STARTED,
					    .command = plan->command,
					    .pid = 2,
					    .pty_fd = -1 });
	act(sandbox, command, plan->args);
	return 0;
}

static int fake_dispatch(struct sandbox *sandbox, struct level_event *ret, struct error *err)
{
	struct fake *fake = sandbox->impl;
	uint64_t count;
	UNUSED(err);
	if (!fake || fake->n_events == 0)
		return 0;
	*ret = fake->events[fake->first];
	fake->first = (fake->first + 1) % FAKE_MAX_EVENTS;
	if (--fake->n_events == 0)
		(void)!read(sandbox->event_fd, &count, sizeof(count));
	return 1;
}

static int fake_signal(struct sandbox *sandbox, unsigned command, pid_t pid, int signal_number,
		       struct error *err)
{
	struct fake *fake = sandbox->impl;
	UNUSED(pid);
	if (!fake || fake->is_killed)
		return not_there(err);
	struct fake_command *found = command != 0 ? find(fake, command) : NULL;
	if (found)
		end(sandbox, found, -1, signal_number);
	return 0;
}

static int fake_kill_command(struct sandbox *sandbox, unsigned command, struct error *err)
{
	struct fake *fake = sandbox->impl;
	if (!fake)
		return not_there(err);
	for (size_t i = 0; i < FAKE_MAX_COMMANDS; i++) {
		struct fake_command *item = &fake->commands[i];
		if (item->number != 0 && (command == 0 || item->number == command))
			end(sandbox, item, -1, SIGKILL);
	}
	return 0;
}

static int fake_list(struct sandbox *sandbox, struct error *err)
{
	struct fake *fake = sandbox->impl;
	if (!fake || fake->is_killed)
		return not_there(err);
	for (size_t i = 0; i < FAKE_MAX_COMMANDS; i++) {
		if (fake->commands[i].number == 0)
			continue;
		push(sandbox, (struct level_event){ .type = LEVEL_EVENT_PROCESS,
						    .pid = (pid_t)(i + 2),
						    .name = "fake",
						    .pty_fd = -1 });
	}
	push(sandbox, (struct level_event){ .type = LEVEL_EVENT_LIST_END, .pty_fd = -1 });
	return 0;
}

static int fake_kill(struct sandbox *sandbox, struct error *err)
{
	struct fake *fake = sandbox->impl;
	if (!fake)
		return not_there(err);
	if (fake->is_killed)
		return 0;
	int r = fake_kill_command(sandbox, 0, err);
	fake->is_killed = true;
	push(sandbox, (struct level_event){ .type = LEVEL_EVENT_GONE, .pty_fd = -1 });
	return r;
}

static void fake_describe(struct sandbox *sandbox, struct evidence_record *record)
{
	if (sandbox->impl && record->n_host_facts < ARRAY_LEN(record->host_facts))
		record->host_facts[record->n_host_facts++] = "no sandbox";
}

static void fake_teardown(struct sandbox *sandbox, struct error_list *leftovers)
{
	struct fake *fake = sandbox->impl;
	UNUSED(leftovers);
	if (!fake)
		return;
	for (size_t i = 0; i < FAKE_MAX_COMMANDS; i++) {
		if (fake->commands[i].number != 0)
			fd_close(&fake->commands[i].out_fd);
	}
	fd_close(&sandbox->event_fd);
	free(fake);
	sandbox->impl = NULL;
}

const struct level level_fake = {
	.name = "fake",
	.id = POLICY_LEVEL_PROCESS,
	.features = LEVEL_BACKGROUND | LEVEL_SIGNALS,
	.probe = fake_probe,
	.provision = fake_provision,
	.execute = fake_execute,
	.dispatch = fake_dispatch,
	.signal = fake_signal,
	.kill_command = fake_kill_command,
	.list = fake_list,
	.kill = fake_kill,
	.describe = fake_describe,
	.teardown = fake_teardown,
};
