/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - the objects of this host that no sandbox may reach
 *
 * Files, sockets, a process, shared memory: made before the first row, looked at after each act,
 * removed at the end.  Everybody may use them (mode 0666, no password), so that the boundary
 * alone keeps a sandbox away.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

/* What stat() says of the decoy: any change shows. */
struct world_file {
	uint64_t device, inode, size_bytes;
	unsigned mode, n_links;
	int64_t modified_ns, changed_ns;
};

struct world {
	char folder[128];      /* absolute; holds all files below */
	char name[32];         /* "foso-verify-1234": of abstract sockets, queues, processes */
	char decoy[192];       /* a file */
	char shown[192];       /* a folder that rows show to the sandbox */
	char project[192];     /* a workspace with secrets in it */
	char workspaces[160];  /* a store of change sets of our own */
	char canary[48];       /* a secret in the environment of every program that is started */
	char opt_path[96];     /* a socket below /opt, a folder that sandboxes see; "" if none */
	char home_path[512];   /* a file in the caller's home; "" if none */
	char setuid_path[192]; /* a set-user-id copy of foso-act that root owns; "" if none */
	char images[160];      /* a store of our own */
	char tree[160];        /* a folder that a row may make for a workspace */
	char low_layer[256], high_layer[256]; /* of foso-verify/high in it; "" if none */
	struct world_file decoy_was;
	int tcp_fd, abstract_fd, unix_fd, opt_fd; /* listening sockets; -1 if none */
	unsigned port;                            /* of tcp_fd, on 127.0.0.1 */
	pid_t victim;                             /* a process that waits */
	pid_t prey; /* another one, which may be killed by a control */
	int shm_key, shm_id;
	bool is_root; /* uid 0 of this host, and not only of a user namespace */
};

/* The folder is empty before; on failure nothing stays.  @act: path of foso-act. */
int world_open(struct world *world, const char *act, struct error *err) must_check;
void world_close(struct world *world);

/* world_make_images() - the images of the rows; low_layer stays "" if it cannot. */
void world_make_images(struct world *world, const char *act);

/*
 * world_lookup() - the value of {name}
 *
 * False if there is no such name; an object that could not be made on this host has the value
 * "/nonexistent", so that its control fails and the row is skipped.
 */
bool world_lookup(const struct world *world, const char *name, size_t len, struct buf *out);

/* world_lack() - why an object that @text names is not there, or NULL; @text may be NULL. */
const char *world_lack(const struct world *world, const char *text);

/*
 * world_is_intact() - true if nothing was changed, killed or called since the last time
 *
 * Otherwise @what tells, and the object is made anew.
 */
bool world_is_intact(struct world *world, char *what, size_t size);
