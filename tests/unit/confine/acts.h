/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acts.h - what a sandbox must not be able to do, as functions
 *
 * ACTS(ACT): ACT(name, call that is denied, "what it is").  Each function act_NAME() returns 0 if
 * the act worked and an errno if not.
 */
#pragma once

#define ACTS(ACT)                                                                               \
	ACT(tiocsti, ioctl, "type into the controlling terminal")                               \
	ACT(tiocsti_64, ioctl, "the same with a bit in the upper half of the request")          \
	ACT(tiocsti_sign, ioctl, "the same with a sign-extended request")                       \
	ACT(line_discipline, ioctl, "load a line discipline")                                   \
	ACT(set_flags, ioctl, "change a file's flags")                                          \
	ACT(vsock, socket, "talk to the hypervisor")                                            \
	ACT(packet, socket, "read the wire")                                                    \
	ACT(packet_64, socket, "the same with a bit in the upper half of the domain")           \
	ACT(alg, socket, "use the kernel's ciphers")                                            \
	ACT(raw, socket, "forge packets")                                                       \
	ACT(raw_flags, socket, "the same with flags in the type")                               \
	ACT(raw_64, socket, "the same with bits in upper halves")                               \
	ACT(attach_filter, setsockopt, "have the kernel run a program for a socket")            \
	ACT(attach_64, setsockopt, "the same with bits in upper halves")                        \
	ACT(io_setup, io_setup, "take asynchronous requests of the machine")                    \
	ACT(netlink_fib, socket, "other netlink families")                                      \
	ACT(netlink_uevent, socket, "kernel events")                                            \
	ACT(mptcp, socket, "multipath TCP")                                                     \
	ACT(udplite, socket, "UDP-Lite")                                                        \
	ACT(clone_user, clone, "new user namespace")                                            \
	ACT(clone_net, clone, "new network namespace")                                          \
	ACT(clone_64, clone, "new pid namespace, with a bit in the upper half of the flags")    \
	ACT(unshare_user, unshare, "new user namespace by unshare")                             \
	ACT(unshare_time, unshare, "new time namespace by unshare")                             \
	ACT(setns, setns, "enter a namespace")                                                  \
	ACT(mount, mount, "mount")                                                              \
	ACT(umount, umount2, "unmount")                                                         \
	ACT(chroot, chroot, "change root")                                                      \
	ACT(pivot_root, pivot_root, "change root for good")                                     \
	ACT(open_tree, open_tree, "open a mount")                                               \
	ACT(fsopen, fsopen, "open a file system")                                               \
	ACT(mount_setattr, mount_setattr, "change a mount")                                     \
	ACT(ptrace, ptrace, "trace a sibling")                                                  \
	ACT(process_vm_readv, process_vm_readv, "read a sibling's memory")                      \
	ACT(process_vm_writev, process_vm_writev, "write a sibling's memory")                   \
	ACT(pidfd_getfd, pidfd_getfd, "take a sibling's descriptor")                            \
	ACT(kcmp, kcmp, "compare with a sibling")                                               \
	ACT(io_uring, io_uring_setup, "make an io_uring")                                       \
	ACT(bpf, bpf, "make a BPF map")                                                         \
	ACT(keyctl, keyctl, "ask for the session keyring")                                      \
	ACT(add_key, add_key, "add a key")                                                      \
	ACT(perf_event_open, perf_event_open, "count events")                                   \
	ACT(userfaultfd, userfaultfd, "handle page faults")                                     \
	ACT(syslog, syslog, "ask about the kernel's log")                                       \
	ACT(modify_ldt, modify_ldt, "read the local descriptor table")                          \
	ACT(personality, personality, "turn address randomisation off")                         \
	ACT(personality_64, personality, "make reads executable, with a bit in the upper half") \
	ACT(adjtimex, adjtimex, "ask the clock's discipline")                                   \
	ACT(sethostname, sethostname, "rename the host (to the name it has)")                   \
	ACT(fanotify, fanotify_init, "watch mounts")                                            \
	ACT(name_to_handle, name_to_handle_at, "get a handle of a file")                        \
	ACT(speculation, prctl, "change speculation control")                                   \
	ACT(listener, seccomp, "listen to denied calls")                                        \
	ACT(mknod_device, mknodat, "make a device")

#define ACT_DECLARE(name, call, what) int act_##name(void);
ACTS(ACT_DECLARE)
#undef ACT_DECLARE

/* The errno of a call that returns -1, else 0. */
int outcome(long result);

int with_socket(long domain, long type, long protocol);

/* A file of its own that has no name. */
int temporary_file(void);
