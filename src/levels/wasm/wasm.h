/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm.h - what the files of level `wasm` share
 *
 * Theory of operation.  The engine copies the module into a sealed memory file and names it by its
 * SHA-256.  It looks for compiled code in the caller's folder, under a name made of library,
 * configuration and module, and takes it only if its own SHA-256, kept beside it, still fits; the
 * code goes into a sealed memory file too, so nothing that is checked can change afterwards.
 * foso-wasm (src/wasm) is started with these files in fresh user and process namespaces, under an
 * id of its own and without capabilities; what it says is checked like any stranger's word.
 *
 * Each command has a worker of its own, which is held by limits of one process.  Where the host
 * offers control groups, all workers are in those of the sandbox, which hold them together;
 * foso-wasm itself stays outside, so that what ends a worker does not end the sandbox.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/digest.h"
#include "levels/level.h"
#include "levels/wasm/folders.h"
#include "limits/cgroup.h"
#include "wire/wasm_messages.h"

/*
 * Ids of sandboxes that root starts: below those of level process, two each, chosen by the
 * sandbox's name: foso-wasm's, and that of id 0 inside, which owns what foso makes in its root.
 */
#define WASM_FIRST_UID 0x60000000u
#define WASM_N_UIDS    0x08000000u
#define WASM_INNER_ID  1000u

#define WASM_MAX_COMMANDS 64 /* at once; as many as foso-wasm has workers */

/*
 * What list() calls a worker: its real number inside is nobody's business, and would be a word of
 * foso-wasm.
 */
#define WASM_FIRST_PID 1u

/* A command that is ordered or runs. */
struct wasm_command {
	unsigned number; /* 0: the slot is free */
	bool is_started;
	uint64_t oom_kills; /* of the groups, when it was ordered */
	struct buf order;   /* EXECUTE, held back until READY */
	int fds[3];         /* its streams, until then */
};

/* struct sandbox.impl */
struct wasm {
	const struct policy *policy;
	int channel_fd; /* engine's end */
	int pidfd;      /* of foso-wasm */
	int epoll_fd;   /* what sandbox->event_fd is */
	int self_fd;    /* eventfd: dispatch() has something to say by itself */
	int code_fd;    /* of the code that is being made; -1 once it is kept, or was there */
	int folder_fd;  /* of compiled modules; -1: nothing is kept */
	pid_t pid;
	bool is_ready, is_killed, is_gone, is_gone_told;
	struct wasm_command commands[WASM_MAX_COMMANDS];
	bool is_listing;
	struct cgroup groups;
	bool has_groups, shares_cpu; /* cpu: its limit is one of many commands together */
	struct cgroup_entry entry;   /* until READY */
	int cpu_timer_fd;            /* looks at the processor time of all; -1 */
	size_t list_at;              /* slot that the next row of the list is looked for in */
	char key[DIGEST_HEX_BYTES];  /* names the code in the folder */
	char module_digest[DIGEST_HEX_BYTES];
	bool was_compiled, was_damaged;
	struct wasm_folders folders;
	uint64_t disk_bytes, disk_inodes, n_disk_refused;
	uint64_t fuel, cpu_ns, memory_peak_bytes, n_fuel_hits, n_memory_hits;
};

/* module.c: the policy's module as a sealed memory file. */
int wasm_module_open(const char *path, int *ret_fd, char ret_digest[DIGEST_HEX_BYTES],
		     struct error *err) must_check;

/* wasm_copy() - @from_fd to a sealed memory file, with its digest.  0 or an errno; EFBIG. */
int wasm_copy(int from_fd, uint64_t max_bytes, int *ret_fd, char ret_digest[DIGEST_HEX_BYTES]);

/*
 * cache.c: compiled code by key.
 *
 * wasm_cache_open() returns 0 and *ret_fd, -1 where there is no folder to be had; -ERR_DENIED if
 * others could change what is in it.  wasm_cache_find() returns 1 and *ret_fd, a sealed memory
 * file; 0 if there is none, and *ret_is_damaged if there was one that is not what was kept.
 */
int wasm_cache_open(int *ret_fd, struct error *err) must_check;
void wasm_cache_key(const char *module_digest, char ret_key[DIGEST_HEX_BYTES]);
int wasm_cache_find(int folder_fd, const char *key, int *ret_fd, bool *ret_is_damaged);
void wasm_cache_keep(int folder_fd, const char *key, int code_fd);

/* As wasm_cache_open(), but makes no folder. */
int wasm_cache_open_existing(int *ret_fd, struct error *err) must_check;

/*
 * cache_trim.c: removes what was used longest ago until @max_bytes are left, and what a killed run
 * left half written.
 */
#define WASM_CACHE_BYTES (1ull << 30)
struct wasm_cache_trimmed {
	size_t n_modules; /* that were removed, or would be */
	uint64_t bytes;
};
void wasm_cache_trim(int folder_fd, uint64_t max_bytes, bool is_dry_run,
		     struct wasm_cache_trimmed *ret);

/*
 * runtime.c: the policy's runtime, and its code; also fills module_digest and key.
 *
 * -ERR_UNAVAILABLE if it is not there, or not for this foso.
 */
int wasm_runtime_open(struct wasm *wasm, int *ret_module_fd, int *ret_code_fd, struct error *err)
	must_check;

/* start.c */
int wasm_start(struct sandbox *sandbox, struct wasm *wasm, struct error *err) must_check;

/* events.c */
int wasm_dispatch(struct sandbox *sandbox, struct level_event *ret, struct error *err) must_check;

/* commands.c: @number 0 finds a free slot; NULL. */
struct wasm_command *wasm_command_find(struct wasm *wasm, unsigned number);
bool wasm_command_any(const struct wasm *wasm);
int wasm_command_order(struct wasm *wasm, struct exec_plan *plan, struct error *err) must_check;
int wasm_command_send(struct wasm *wasm, struct wasm_command *command); /* 0 or an errno */
void wasm_command_free(struct wasm_command *command);
void wasm_signal_send(struct wasm *wasm, unsigned number, int signal_number);

/* groups.c: control groups, where there are any. */
int wasm_groups_check(const struct policy *policy, struct error_list *errors) must_check;
int wasm_groups_make(struct sandbox *sandbox, struct wasm *wasm, unsigned uid, unsigned gid,
		     struct error *err) must_check;
int wasm_groups_send(struct wasm *wasm); /* 0 or an errno */
bool wasm_groups_hold(const struct wasm *wasm, enum cgroup_controller controller);
uint64_t wasm_cpu_left_ns(struct wasm *wasm);
void wasm_cpu_watch(struct wasm *wasm); /* after each order */
int wasm_cpu_check(struct wasm *wasm, struct level_event *ret) must_check;
uint64_t wasm_groups_oom_kills(struct wasm *wasm);
void wasm_groups_remove(struct wasm *wasm, struct error_list *leftovers);

/* start.c: who foso-wasm is outside. */
void wasm_choose_ids(const char *id, unsigned *ret_uid, unsigned *ret_gid);

/* describe.c */
void wasm_describe(struct sandbox *sandbox, struct evidence_record *record);
