/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level.h - what an isolation engine offers the monitor
 *
 * One constant struct level per engine, one struct sandbox per sandbox.  The monitor owns the
 * sandbox, the engine owns sandbox->impl.  One thread; no call blocks: slow work is told through
 * dispatch().  Calls return 0 or a positive outcome named here, or -enum error_code with *err
 * filled, the policy field as its subject where a field caused it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "evidence/record.h"
#include "policy/policy.h"
#include "wire/end.h"

struct level;

#define LEVEL_MAX_LAYERS 127 /* as many as the other container engines take */

/*
 * The layers of root: image.  Whoever opened them holds the store's lock for as long as the
 * sandbox lives, so that nobody takes one away.  The names are our own, not a stranger's.
 */
struct level_image {
	int layers_fd;             /* O_PATH: the folder of the store that holds all layers */
	const char *const *layers; /* below it, in overlay form; the lowest first */
	size_t n_layers;           /* at most LEVEL_MAX_LAYERS */
};

struct sandbox {
	const struct level *level;
	const struct policy *policy; /* borrowed; outlives the sandbox */
	const char *id;              /* borrowed; unique on this host, [a-z0-9], at most 31 bytes */
	bool has_many_commands;      /* they come one by one, and each is ended alone */
	int event_fd;                /* readable when dispatch() has news; -1 before provision() */
	pid_t root_pid;              /* host pid of its first process; 0 before provision() */
	void *impl;                  /* the engine's own state; NULL before provision() */
	/*
	 * Called once by provision(), before anything is made that would outlive a killed
	 * monitor; root_pid is set by then if there is a process.  NULL: nobody wants to know.
	 */
	int (*announce)(struct sandbox *sandbox, struct error *err);
	void *context;                   /* of announce() */
	const struct level_image *image; /* borrowed; NULL unless root: image */
	/*
	 * Where the changes of root: image and dir: are kept, else they go with the sandbox: a
	 * folder, or the top of a detached mount, that holds the folders upper and work, with
	 * owners as the image has them.  Borrowed.
	 */
	bool keeps_changes;
	bool has_root_disk; /* changes_fd is such a mount too, but what it holds goes with it */
	int changes_fd;
	/*
	 * A step of an image build: commands of uid 0 keep the capabilities over files and ids that
	 * installing needs (CONFINE_INSTALLER), in the sandbox's own user namespace.
	 */
	bool is_installer;
};

enum level_feature {
	LEVEL_PTY = 1u << 0,
	LEVEL_BACKGROUND = 1u << 1, /* what outlives its command can be kept and listed */
	LEVEL_SIGNALS = 1u << 2,
};

/* One command to start.  Strings are borrowed for the call. */
struct exec_plan {
	unsigned command; /* its number, chosen by the monitor, from 1 */
	const struct policy_list *args;
	const struct policy_env *env;
	size_t n_env;
	const char *cwd, *user; /* as in the policy; "" for the default */
	int stdio[3];           /* taken on success; with is_tty all -1 */
	bool is_tty;            /* the engine makes a PTY; its master comes with STARTED */
	unsigned short rows, columns;
};

enum level_event_type {
	LEVEL_EVENT_READY,       /* the sandbox stands: boundary verified, commands may start */
	LEVEL_EVENT_STARTED,     /* command runs; pty_fd if it has one (taken by the monitor) */
	LEVEL_EVENT_NOT_STARTED, /* exec failed: errnum; status 126 or 127 in code */
	LEVEL_EVENT_EXITED,      /* the main process of a command ended: code or signal */
	LEVEL_EVENT_LIMIT,       /* a limit of the whole sandbox was reached: limit, reason */
	LEVEL_EVENT_PROCESS,     /* one row of an answer to list() */
	LEVEL_EVENT_LIST_END,
	LEVEL_EVENT_LOST, /* the engine died or broke its protocol: err tells */
	LEVEL_EVENT_GONE, /* every process of the sandbox is dead after kill() */
};

struct level_event {
	enum level_event_type type;
	unsigned command;
	int code, signal; /* EXITED: code -1 if a signal ended it */
	int errnum;       /* NOT_STARTED */
	int pty_fd;       /* STARTED; else -1 */
	pid_t pid;        /* PROCESS: as seen inside */
	char name[64];    /* PROCESS: hostile bytes; NOT_STARTED: what could not be started */
	/* LIMIT: of the sandbox.  EXITED: of the command alone, if limit is set; or END_TRAP. */
	enum end_reason reason;
	const char *limit; /* "limits.memory"; static */
	bool is_used_up;   /* LIMIT: no more can be had; whether it was asked for is not known */
	bool is_exceeded;  /* LIMIT: nothing refuses more, so somebody has to end it */
	bool may_have_run; /* LOST: a command had come to its exec, whether STARTED came or not */
	struct error err;  /* LOST; NOT_STARTED if foso failed; EXITED with a reason: where */
};

struct level {
	const char *name; /* "process", "kernel", "microvm", "wasm": the word used in policies */
	enum policy_level id;
	unsigned features; /* LEVEL_... */
	/* Can this host run it under this policy?  No side effects; every lack is an item. */
	int (*probe)(const struct policy *policy, struct error_list *errors) must_check;
	/*
	 * Starts to build the sandbox; READY or LOST follows.  On failure nothing is left, and
	 * -ERR_EXISTS if it stands already.  Before it, and after kill(), what follows is
	 * -ERR_UNAVAILABLE, but for dispatch(), describe(), teardown(), and kill() after kill().
	 */
	int (*provision)(struct sandbox *sandbox, struct error *err) must_check;
	/* Starts one command, after READY.  STARTED or NOT_STARTED follows. */
	int (*execute)(struct sandbox *sandbox, struct exec_plan *plan, struct error *err)
		must_check;
	/* 1: *ret is the next event; 0: none is left. */
	int (*dispatch)(struct sandbox *sandbox, struct level_event *ret, struct error *err)
		must_check;
	/* Sends a signal to a command's main process (or to one inner pid of list()). */
	int (*signal)(struct sandbox *sandbox, unsigned command, pid_t pid, int signal,
		      struct error *err) must_check;
	/*
	 * Ends every process of one command (0: of all; the sandbox stands), whatever it did to
	 * hide.  Needs has_many_commands.  A command that is not there is fine.  A host where
	 * the kernel keeps no groups is the exception: what left its command's process group
	 * there ends once no other command runs.
	 */
	int (*kill_command)(struct sandbox *sandbox, unsigned command, struct error *err)
		must_check;
	/* Asks for PROCESS events, then LIST_END. */
	int (*list)(struct sandbox *sandbox, struct error *err) must_check;
	/* Stops every process for good; GONE follows.  Idempotent. */
	int (*kill)(struct sandbox *sandbox, struct error *err) must_check;
	/* Adds what it knows to the record: usage, denials, host facts, mechanisms, notes. */
	void (*describe)(struct sandbox *sandbox, struct evidence_record *record);
	/* Undoes all, even a half-built sandbox; goes on after a failure and lists what is left. */
	void (*teardown)(struct sandbox *sandbox, struct error_list *leftovers);
};

extern const struct level level_process;
extern const struct level level_wasm;
