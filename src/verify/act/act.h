/* SPDX-License-Identifier: Apache-2.0 */
/*
 * act.h - the forbidden acts of the boundary matrix, as functions of one static program
 *
 * foso-act NAME [ARGUMENT]... tries one act and tells how it went: one line on stdout, "done",
 * "denied" or "cannot", then words; and the exit status.  It runs inside a sandbox, where it
 * must be denied, and without the boundary, where it must work: static, so that no tool or
 * library of the host has a say in it.
 *
 * ACTS(ACT): ACT(name, function, least number of arguments, what it does)
 */
#pragma once

#include <stdbool.h>

#include "base/macros.h"

enum act_status {
	ACT_DONE = 0,    /* the act worked */
	ACT_DENIED = 10, /* the kernel refused it, or its object was not there */
	ACT_CANNOT = 20, /* it could not be tried: nothing is shown either way */
};

/* clang-format off */
#define ACTS(ACT)                                                                                 \
	/* files */                                                                               \
	ACT("read",         act_read,         1, "read each PATH")                                \
	ACT("await-read",   act_await_read,   1, "read PATH once it is there, within 5 s")       \
	ACT("rename-read",  act_rename_read,  2, "rename PATH to OTHER and read that")            \
	ACT("read-link",    act_read_link,    2, "make a link at PATH to TARGET and read it")     \
	ACT("climb",        act_climb,        1, "read PATH after going up from / by ..")         \
	ACT("magic",        act_magic,        1, "read PATH through the links of /proc/self and /proc/1") \
	ACT("spoil",        act_spoil,        1, "write, truncate, chmod, rename or unlink each PATH") \
	ACT("create",       act_create,       1, "create each PATH")                              \
	ACT("plant",        act_plant,        1, "make a set-user-id program at each PATH, and folders for it") \
	ACT("exists",       act_exists,       1, "find any PATH")                                 \
	ACT("list",         act_list,         1, "list what is below any PATH")                   \
	ACT("open-write",   act_open_write,   1, "open any PATH for writing, and write nothing")  \
	ACT("mknod",        act_mknod,        1, "make a device node at PATH and open it")        \
	ACT("unknown-mount", act_unknown_mount, 1, "find a mount at none of PATH...")             \
	ACT("exec",         act_exec,         2, "execute PATH ARGUMENT...")                      \
	ACT("euid",         act_euid,         0, "have another effective id than the real one")   \
	ACT("setuid-copy",  act_setuid_copy,  1, "make a set-user-id copy of this program at PATH, execute it as another user") \
	ACT("fresh-mark",   act_fresh_mark,   1, "leave TAG in every shared place; MS: and wait")  \
	ACT("fresh-find",   act_fresh_find,   1, "find TAG in any shared place; mark: leave it first") \
	ACT("ipc-find",     act_ipc_find,     2, "find shared memory KEY or message queue NAME")  \
	/* processes */                                                                           \
	ACT("kill",         act_kill,         1, "kill process PID")                              \
	ACT("ptrace",       act_ptrace,       1, "trace process PID")                             \
	ACT("readv",        act_readv,        2, "read the memory of process PID at ADDRESS")     \
	ACT("steal-fd",     act_steal_fd,     1, "take a descriptor of process PID")              \
	ACT("proc-find",    act_proc_find,    1, "find a process whose name is NAME")             \
	ACT("text-find",    act_text_find,    1, "find a text, given backwards, in any environment or command line") \
	ACT("variable",     act_variable,     1, "have the environment variable NAME")            \
	ACT("fds",          act_fds,          0, "have a descriptor beyond 0, 1 and 2")           \
	ACT("privileges",   act_privileges,   0, "lack no_new_privs")                             \
	ACT("capabilities", act_capabilities, 0, "have a capability in any set")                  \
	ACT("init-kill",    act_init_kill,    0, "end process 1 by a signal")                     \
	ACT("init-read",    act_init_read,    0, "read or trace process 1")                       \
	ACT("init-limit",   act_init_limit,   1, "change limits, processors or priority of process PID") \
	ACT("own-kill",     act_own_kill,     0, "kill a child of one's own")                     \
	ACT("zombies",      act_zombies,      2, "orphan N processes and find a zombie; keep: be their reaper") \
	ACT("daemon",       act_daemon,       1, "leave a process named NAME behind")             \
	ACT("hide",         act_hide,         1, "spread processes named NAME that try not to be ended") \
	ACT("block",        act_block,        1, "block in a read for MS, every signal blocked")  \
	ACT("pause",        act_pause,        1, "say that it is ready, wait for MS")             \
	ACT("own-namespaces", act_own_namespaces, 1, "do an act in new namespaces, as their root") \
	/* limits */                                                                              \
	ACT("spin",         act_spin,         1, "use MS of processor time")                      \
	ACT("grow",         act_grow,         2, "use MIB of memory in each of N processes")      \
	ACT("grow-shm",     act_grow_shm,     1, "use MIB of shared memory")                      \
	ACT("fill",         act_fill,         2, "write MIB to the file PATH")                    \
	ACT("inodes",       act_inodes,       2, "create N files below PATH")                     \
	ACT("forks",        act_forks,        1, "have N children at once")                       \
	ACT("threads",      act_threads,      1, "have N threads at once")                        \
	ACT("bomb",         act_bomb,         1, "fork without end, under NAME")                  \
	ACT("opens",        act_opens,        1, "have N open files")                             \
	ACT("watches",      act_watches,      1, "have N inotify instances, or all there are; MS: and wait") \
	ACT("signals",      act_signals,      1, "have N signals queued, or all there are; MS: and wait") \
	ACT("terminals",    act_terminals,    1, "have N terminals")                              \
	ACT("flood",        act_flood,        2, "write N bytes to stdout and M to stderr")       \
	ACT("processors",   act_processors,   1, "see more than N processors")                    \
	/* sockets */                                                                             \
	ACT("tcp",          act_tcp,          1, "connect to PORT of the loopback addresses")     \
	ACT("udp",          act_udp,          2, "send to PORT of ADDRESS")                       \
	ACT("abstract",     act_abstract,     1, "connect to the abstract socket NAME")           \
	ACT("unix",         act_unix,         1, "connect to any socket PATH")                    \
	ACT("socket",       act_socket,       3, "make a socket of FAMILY TYPE PROTOCOL")         \
	ACT("interfaces",   act_interfaces,   0, "see another interface than lo")                 \
	ACT("listen",       act_listen,       2, "listen on the abstract NAME for MS, be called") \
	ACT("listen-tcp",   act_listen_tcp,   2, "listen on PORT for MS")                         \
	/* the kernel's surface */                                                                \
	ACT("mount",        act_mount,        0, "mount a tmpfs")                                 \
	ACT("mount-new",    act_mount_new,    0, "make a tmpfs by the new mount calls")           \
	ACT("remount",      act_remount,      1, "make the read-only mount at PATH writable")     \
	ACT("unmask",       act_unmask,       1, "unmount what covers PATH")                      \
	ACT("unshare",      act_unshare,      0, "make a user namespace by unshare()")            \
	ACT("clone",        act_clone,        0, "make a user namespace by clone()")              \
	ACT("clone3",       act_clone3,       0, "make a user namespace by clone3()")             \
	ACT("setns",        act_setns,        0, "enter a network namespace")                     \
	ACT("chroot",       act_chroot,       0, "change the root")                               \
	ACT("type-ahead",   act_type_ahead,   0, "type into the controlling terminal")            \
	ACT("type-ahead-64", act_type_ahead_64, 0, "the same, with a bit in the upper half")      \
	ACT("int80",        act_int80,        0, "call the kernel by int 0x80")                   \
	ACT("x32",          act_x32,          0, "call the kernel by the x32 numbers")            \
	ACT("io_uring",     act_io_uring,     0, "make an io_uring")                              \
	ACT("bpf",          act_bpf,          0, "make a BPF map")                                \
	ACT("requests",     act_requests,     0, "have the kernel keep an asynchronous request")  \
	ACT("attach-filter", act_attach_filter, 0, "have the kernel run a program for a socket")  \
	ACT("perf",         act_perf,         0, "count processor cycles or page faults")         \
	ACT("userfaultfd",  act_userfaultfd,  0, "handle page faults")                            \
	ACT("keys",         act_keys,         0, "add a key to a keyring")                        \
	ACT("module",       act_module,       0, "ask the kernel to load a module")               \
	ACT("reboot",       act_reboot,       0, "ask for a reboot, by wrong numbers")            \
	ACT("swap",         act_swap,         0, "swap to a file that is not there")              \
	ACT("kernel-log",   act_kernel_log,   0, "read the kernel's log")                         \
	ACT("ports",        act_ports,        0, "reach the machine's I/O ports")                 \
	ACT("clock",        act_clock,        0, "set the clock's frequency to what it is")       \
	ACT("handle",       act_handle,       1, "open PATH by its handle")                       \
	ACT("personality",  act_personality,  0, "turn off address randomisation")                \
	ACT("core",         act_core,         0, "raise the size of core dumps")                  \
	ACT("hostname",     act_hostname,     1, "see the host name NAME")                        \
	ACT("set-hostname", act_set_hostname, 0, "give the machine the name that it has")
/* clang-format on */

#define ACT_DECLARE(name, function, n_arguments, what) int function(int argc, char **argv);
ACTS(ACT_DECLARE)
#undef ACT_DECLARE

/* Each prints the line and returns the status. */
int act_done(const char *format, ...) printf_like(1, 2);
int act_denied(int errnum, const char *format, ...) printf_like(2, 3);
int act_cannot(int errnum, const char *format, ...) printf_like(2, 3);

/* act_outcome() - of a call that returns -1 and sets errno on failure. */
int act_outcome(long result, const char *what);

/* act_number() - an argument as a whole number; ends the program if it is none. */
long act_number(const char *text);

/* act_run() - the act of that name; ACT_CANNOT if there is none. */
int act_run(int argc, char **argv);

/* A short wait of a loop that is bounded elsewhere. */
void act_wait_ms(long ms);
