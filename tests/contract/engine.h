/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - a sandbox of any engine in a test's own process, and what may be left of it
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "levels/level.h"
#include "support/policy.h"
#include "support/tap.h"

struct engine {
	struct sandbox sandbox;
	struct policy policy;
	char id[32];
	int n_fds; /* before it began */
	int n_mounts;
};

static inline int engine_count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;
	while (dir && readdir(dir)) /* NOLINT(concurrency-mt-unsafe) */
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static inline int engine_count_mounts(void)
{
	int n = 0, c;
	FILE *file = fopen("/proc/self/mountinfo", "re");
	while (file && (c = getc(file)) != EOF)
		n += c == '\n';
	if (file)
		(void)fclose(file);
	return n;
}

static inline void engine_open(struct engine *engine, const struct level *level,
			       const char *const *pairs)
{
	static unsigned number;
	memset(engine, 0, sizeof(*engine));
	policy_make(&engine->policy, pairs);
	(void)snprintf(engine->id, sizeof(engine->id), "test%dx%u", (int)getpid(), number++);
	engine->n_fds = engine_count_fds();
	engine->n_mounts = engine_count_mounts();
	engine->sandbox = (struct sandbox){
		.level = level,
		.policy = &engine->policy,
		.id = engine->id,
		.event_fd = -1,
		.has_many_commands = true,
	};
}

static inline bool engine_has_group(const struct engine *engine)
{
	static const char *const folders[] = { "", "memory/", "pids/", "freezer/", "cpuacct/" };
	char path[256];
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		(void)snprintf(path, sizeof(path), "/sys/fs/cgroup/%sfoso-%s", folders[i],
			       engine->id);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

/* Tears down, twice, and looks for what is left: children, descriptors, mounts, groups. */
static inline void engine_close(struct engine *engine)
{
	static struct error_list leftovers;
	memset(&leftovers, 0, sizeof(leftovers));
	engine->sandbox.level->teardown(&engine->sandbox, &leftovers);
	engine->sandbox.level->teardown(&engine->sandbox, &leftovers);
	EQ(leftovers.n_errors, 0);
	OK(engine->sandbox.impl == NULL);
	EQ(engine->sandbox.event_fd, -1);
	EQ(waitpid(-1, NULL, WNOHANG), -1);
	EQ(errno, ECHILD);
	EQ(engine_count_fds(), engine->n_fds);
	EQ(engine_count_mounts(), engine->n_mounts);
	OK(!engine_has_group(engine));
	policy_fini(&engine->policy);
}

/* The next event within 10 s; false if none comes. */
static inline bool engine_next(struct engine *engine, struct level_event *ret, struct error *err)
{
	struct pollfd ready = { .fd = engine->sandbox.event_fd, .events = POLLIN };
	for (int i = 0; i < 1000; i++) {
		int r = engine->sandbox.level->dispatch(&engine->sandbox, ret, err);
		if (r != 0)
			return r > 0;
		(void)poll(&ready, 1, 10);
	}
	return false;
}

/* Events until one is of @type; false if LOST, or nothing, comes instead. */
static inline bool engine_await(struct engine *engine, enum level_event_type type,
				struct level_event *ret)
{
	struct error err = { 0 };
	while (engine_next(engine, ret, &err)) {
		if (ret->pty_fd >= 0)
			close(ret->pty_fd);
		if (ret->type == type)
			return true;
		if (ret->type == LEVEL_EVENT_LOST)
			return false;
	}
	return false;
}

/* A typed error: code, subject and remedy are there. */
static inline bool engine_is_typed(int result, const struct error *err)
{
	return result < 0 && result == -(int)err->code && err->code < ERR_N_CODES &&
	       err->subject[0] != '\0' && err->message[0] != '\0' && err->remedy[0] != '\0';
}

/* Starts a command whose streams are /dev/null, but stdout if @out_fd is one. */
static inline int engine_execute(struct engine *engine, unsigned number, const char *const *words,
				 int out_fd, struct error *err)
{
	char *items[8] = { NULL };
	struct policy_list args = { .items = items };
	for (; words[args.n_items]; args.n_items++)
		items[args.n_items] = (char *)(uintptr_t)words[args.n_items];
	struct exec_plan plan = {
		.command = number,
		.args = &args,
		.cwd = "",
		.user = "",
		.stdio = { open("/dev/null", O_RDWR | O_CLOEXEC), out_fd,
			   open("/dev/null", O_RDWR | O_CLOEXEC) },
	};
	if (out_fd < 0)
		plan.stdio[1] = open("/dev/null", O_RDWR | O_CLOEXEC);
	int r = engine->sandbox.level->execute(&engine->sandbox, &plan, err);
	/* Taken on success, and all of them. */
	for (int i = 0; i < 3; i++) {
		if (r == 0 && plan.stdio[i] != -1)
			FAIL("stream %d was not taken", i);
		if (plan.stdio[i] >= 0)
			close(plan.stdio[i]);
	}
	return r;
}
