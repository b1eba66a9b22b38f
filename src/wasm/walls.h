/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walls.h - what a process of foso-wasm may still ask of the kernel
 *
 * Each set is a seccomp filter; what it does not name is answered EPERM, and a call of another
 * architecture kills.  They lie behind each other: a worker is under the loader's and its own.
 */
#pragma once

#include <stdbool.h>

enum walls {
	WALLS_COMPILER, /* memory, also executable: the library makes code in place; one file */
	WALLS_ZYGOTE,   /* messages, processes, waiting; memory that is not executable */
	WALLS_WORKER,   /* reading, writing, waiting, clocks, memory that is not executable */
};

/*
 * walls_raise() - needs no_new_privs; 0 or an errno
 * @has_folders:  also what opens, makes, moves and removes files below a descriptor
 *
 * A filter sees no text, so that a path stays below its descriptor is not its to hold: the root
 * that the process has, which shows the granted folders and nothing else, and Landlock do that.
 */
int walls_raise(enum walls walls, bool has_folders);
