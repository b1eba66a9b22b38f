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
 * One command runs at a time: its worker is held by limits of one process, which are those of the
 * whole sandbox only as long as there are no others.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/digest.h"
#include "levels/level.h"
#include "wire/wasm_messages.h"

/*
 * Ids of sandboxes that root starts: below those of level process, one each, chosen by the
 * sandbox's name.
 */
#define WASM_FIRST_UID 0x60000000u
#define WASM_N_UIDS    0x08000000u
#define WASM_INNER_ID  1000u

#define WASM_MAX_EVENTS 8 /* that wait for dispatch() */

/* struct sandbox.impl */
struct wasm {
	const struct policy *policy;
	int channel_fd; /* engine's end */
	int pidfd;      /* of foso-wasm */
	int epoll_fd;   /* what sandbox->event_fd is */
	int self_fd;    /* eventfd: events[] has something */
	int code_fd;    /* of the code that is being made; -1 once it is kept, or was there */
	int folder_fd;  /* of compiled modules; -1: nothing is kept */
	pid_t pid;
	bool is_ready, is_killed, is_gone, is_gone_told;
	struct level_event events[WASM_MAX_EVENTS];
	size_t n_events;
	unsigned command; /* that runs, or waits in order for READY; 0: none */
	bool is_started;
	struct buf order; /* EXECUTE, held back until READY */
	int order_fds[3];
	char key[DIGEST_HEX_BYTES]; /* names the code in the folder */
	char module_digest[DIGEST_HEX_BYTES];
	bool was_compiled, was_damaged;
	uint64_t fuel, cpu_ns, memory_peak_bytes, n_fuel_hits;
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

/* start.c */
int wasm_start(struct sandbox *sandbox, struct wasm *wasm, struct error *err) must_check;

/* events.c */
void wasm_push(struct wasm *wasm, const struct level_event *event);
int wasm_dispatch(struct sandbox *sandbox, struct level_event *ret, struct error *err) must_check;
int wasm_send_order(struct wasm *wasm);

/* describe.c */
void wasm_describe(struct sandbox *sandbox, struct evidence_record *record);
