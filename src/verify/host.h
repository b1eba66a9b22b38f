/* SPDX-License-Identifier: Apache-2.0 */
/* host.h - what this host shows of sandboxes: processes, control groups, mounts */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* host_count_named() - processes whose name (comm) is @name. */
size_t host_count_named(const char *name);

/* host_await_gone() - waits until there is none of that name, at most @ms; the number left. */
size_t host_await_gone(const char *name, int ms);

/* host_child() - a child of @parent, or 0. */
pid_t host_child(pid_t parent);

/*
 * host_holds_text() - is @text on the command line of any process, or in the environment of a
 * process named foso, foso-monitor or foso-init?
 */
bool host_holds_text(const char *text);

/* host_count_groups() - control groups of the sandbox @id, in all hierarchies. */
size_t host_count_groups(const char *id);

/* host_count_mounts() - mounts in our own namespace. */
size_t host_count_mounts(void);

/* host_file_holds() - is @text in the file? */
bool host_file_holds(const char *path, const char *text);
