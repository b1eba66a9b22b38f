/* SPDX-License-Identifier: Apache-2.0 */
/* zygote.c - from the first message to the last worker */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "limits/cgroup.h"
#include "wasm/walls.h"
#include "wasm/wasm.h"
#include "wire/codec.h"

#define MAX_WORKERS 64

struct worker {
	uint32_t command;
	pid_t pid; /* 0: the slot is free */
	int pidfd;
	struct wasm_report *report;
};

struct zygote {
	const struct wasm_program *program;
	struct cgroup_entry groups; /* of the workers */
	struct worker workers[MAX_WORKERS];
};

static struct wasm_packet packet; /* each message is done with before the next */

struct wasm_report *report_new(void)
{
	void *page = mmap(NULL, sizeof(struct wasm_report), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return page == MAP_FAILED ? NULL : page;
}

void report_free(struct wasm_report *report)
{
	if (report)
		(void)munmap(report, sizeof(*report));
}

pid_t wasm_fork(int group_fd, int *ret_pidfd)
{
	int pidfd = -1;
	struct clone_args args = {
		.flags = CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
	};
	if (group_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (unsigned)group_fd;
	}
	pid_t pid = (pid_t)sys_clone3(&args);
	*ret_pidfd = pidfd;
	return pid;
}

static int say(enum wasm_message number, const struct buf *payload)
{
	return wasm_channel_send(WASM_CHANNEL_FD, number, payload ? payload->data : NULL,
				 payload ? payload->len : 0, NULL, 0);
}

static int say_failed(const struct wasm_failed *failed)
{
	auto_buf struct buf bytes = BUF_INIT(1024);
	wasm_failed_encode(failed, &bytes);
	(void)say(WASM_FAILED, &bytes);
	return 1;
}

/* Waits for one message of @number; anything else ends the process. */
static int await(enum wasm_message number)
{
	int r = wasm_channel_recv(WASM_CHANNEL_FD, &packet, 0);
	return r == 0 && packet.number == number ? 0 : -1;
}

static int map_module(struct wasm_program *program, struct wasm_failed *failed)
{
	struct stat status;
	void *bytes = MAP_FAILED;
	if (fstat(WASM_MODULE_FD, &status) == 0 && status.st_size > 0)
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, WASM_MODULE_FD,
			     0);
	if (bytes == MAP_FAILED)
		return fail_with(failed, "module", "name a WebAssembly module", "is empty");
	program->module = bytes;
	program->n_module_bytes = (size_t)status.st_size;
	return scan_module(&program->scan, program->module, program->n_module_bytes, failed);
}

static int load(struct wasm_program *program, struct wasm_failed *failed)
{
	char path[32];
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", WASM_LIBRARY_FD);
	const char *lack = library_load(&program->wasmtime, path);
	if (lack)
		return fail_with(failed, "level 'wasm'",
				 "build or install foso as a whole (./x build)",
				 "the library cannot be loaded: %.200s", lack);
	if (map_module(program, failed) < 0)
		return -1;
	uint64_t stack_bytes = program->configure.stack_bytes;
	program->engine = library_engine(&program->wasmtime,
					 stack_bytes == POLICY_UNLIMITED ? 0 : stack_bytes,
					 program->configure.memory_bytes);
	if (program->configure.needs_compile) {
		if (compile_module(program, failed) < 0)
			return -1;
		if (say(WASM_COMPILED, NULL) != 0)
			return fail_with(failed, "sandbox", "run it again", "the engine is gone");
	}
	if (await(WASM_LOAD) < 0)
		return fail_with(failed, "sandbox", "run it again",
				 "the engine said something else");
	return link_module(program, failed);
}

/* A page that all workers count in, as it is a limit of all commands together. */
static int share_disk(struct wasm_program *program)
{
	const struct wasm_configure *configure = &program->configure;
	size_t size = sizeof(struct wasi_disk);
	if (!wasm_configure_has_writable(configure) || (configure->disk_bytes == POLICY_UNLIMITED &&
							configure->disk_inodes == POLICY_UNLIMITED))
		return 0;
	auto_fd int fd = sys_memfd_create("foso-disk", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)size) < 0 || dup3(fd, WASM_DISK_FD, O_CLOEXEC) < 0)
		return errno;
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, WASM_DISK_FD, 0);
	if (page == MAP_FAILED)
		return errno;
	program->disk = page;
	program->disk->max_bytes = configure->disk_bytes;
	program->disk->max_inodes = configure->disk_inodes;
	return 0;
}

/* The helper takes away all of the host but the folders; its end is its word. */
static int enter_root(const struct wasm_configure *configure)
{
	char byte = 'r';
	int status = 0;
	if (configure->folders.n_items == 0)
		return 0;
	if (write(WASM_HELPER_FD, &byte, 1) != 1 || read(WASM_HELPER_FD, &byte, 1) != 1)
		return EPROTO;
	close(WASM_HELPER_FD);
	while (waitpid(-1, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 ? 0 : EPROTO;
}

/* Nothing but the folders, each as it was granted. */
static int restrict_paths(const struct wasm_configure *configure)
{
	struct confine_path paths[WASM_MAX_FOLDERS];
	size_t n = configure->folders.n_items;
	for (size_t i = 0; i < n; i++) {
		unsigned write = configure->is_read_only[i] ? 0 : CONFINE_PATH_WRITE;
		paths[i] = (struct confine_path){ WASM_FIRST_FOLDER_FD + (int)i,
						  CONFINE_PATH_READ | write };
	}
	return confine_landlock_if_any(paths, n, true);
}

/* What loading needed: paths of /proc, executable memory, three descriptors. */
static int confine(struct wasm_program *program, struct wasm_failed *failed)
{
	(void)munmap((void *)(uintptr_t)program->module, program->n_module_bytes);
	program->module = NULL;
	close(WASM_LIBRARY_FD);
	close(WASM_MODULE_FD);
	close(WASM_CODE_FD);
	int r = enter_root(&program->configure);
	if (r == 0)
		r = share_disk(program);
	if (r == 0)
		r = restrict_paths(&program->configure);
	if (r == 0)
		r = walls_raise(WALLS_ZYGOTE, program->configure.folders.n_items > 0);
	if (r != 0)
		return fail_with(failed, "level 'wasm'",
				 "use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)",
				 "the rights of foso-wasm cannot be given up (errno %d)", r);
	return 0;
}

static struct worker *find(struct zygote *zygote, uint32_t command)
{
	for (size_t i = 0; i < MAX_WORKERS; i++) {
		struct worker *worker = &zygote->workers[i];
		if (command == 0 ? worker->pid == 0
				 : worker->pid != 0 && worker->command == command)
			return worker;
	}
	return NULL;
}

static int say_number(enum wasm_message number, uint32_t value)
{
	not_zeroed char storage[16];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	wire_put_u32(&bytes, value);
	return say(number, &bytes);
}

/* The long form of an order lies in a file, which is the fourth descriptor. */
static bool read_order(struct wasm_execute *execute)
{
	if (packet.n_fds == 3)
		return wasm_execute_decode(execute, packet.bytes, packet.len);
	struct stat status;
	if (packet.n_fds != 4 || fstat(packet.fds[3], &status) < 0)
		return false;
	size_t len = (size_t)status.st_size;
	void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, packet.fds[3], 0);
	bool is_whole = bytes != MAP_FAILED && wasm_execute_decode(execute, bytes, len);
	if (bytes != MAP_FAILED)
		(void)munmap(bytes, len);
	return is_whole;
}

#define RESUMES 1 /* this process is a worker, which goes on where the interpreter waits */

static int execute_order(struct zygote *zygote)
{
	struct wasm_execute execute = { 0 };
	struct worker *worker = find(zygote, 0);
	if (!read_order(&execute) || execute.command == 0 || find(zygote, execute.command) ||
	    !worker)
		return -1;
	worker->report = report_new();
	worker->pid = worker->report ? wasm_fork(zygote->groups.clone_fd, &worker->pidfd) : -1;
	if (worker->pid == 0) {
		if (cgroup_entry_join(&zygote->groups) != 0)
			_exit(1);
		if (worker_resume(zygote->program, &execute, packet.fds, worker->report)) {
			packet.n_fds = 0; /* Their numbers are others' by now. */
			return RESUMES;
		}
		worker_main(zygote->program, &execute, packet.fds, worker->report);
	}
	worker->command = execute.command;
	wasm_execute_fini(&execute);
	wasm_packet_close(&packet);
	if (worker->pid < 0)
		return -1;
	return say_number(WASM_STARTED, worker->command) == 0 ? 0 : -1;
}

/* Once, and before there is a worker that would be outside of them. */
static int groups_order(struct zygote *zygote)
{
	struct cgroup_entry *groups = &zygote->groups;
	struct cgroup_entry own = { .clone_fd = -1 };
	struct wire_reader reader;
	wire_reader_init(&reader, packet.bytes, packet.len);
	bool is_cloned_into = wire_get_bool(&reader), has_worker_group = wire_get_bool(&reader);
	size_t at = 0, n_needed = (size_t)is_cloned_into + has_worker_group;
	if (!wire_reader_is_done(&reader) || groups->clone_fd >= 0 || groups->n_task_fds > 0 ||
	    packet.n_fds < n_needed)
		return -1;
	if (is_cloned_into)
		groups->clone_fd = take_fd(&packet.fds[at++]);
	if (has_worker_group)
		groups->task_fds[groups->n_task_fds++] = take_fd(&packet.fds[at++]);
	while (at < packet.n_fds && own.n_task_fds < CGROUP_MAX_ENTRY_FDS)
		own.task_fds[own.n_task_fds++] = packet.fds[at++];
	return cgroup_entry_join(&own) == 0 ? 0 : -1; /* The packet still has these. */
}

static int signal_order(struct zygote *zygote)
{
	struct wire_reader reader;
	wire_reader_init(&reader, packet.bytes, packet.len);
	uint32_t command = wire_get_u32(&reader);
	int number = (int)wire_get_count(&reader, 64);
	if (!wire_reader_is_done(&reader))
		return -1;
	for (size_t i = 0; i < MAX_WORKERS; i++) {
		const struct worker *worker = &zygote->workers[i];
		if (worker->pid != 0 && (command == 0 || worker->command == command))
			(void)sys_pidfd_send_signal(worker->pidfd, number);
	}
	return 0;
}

/* What the page says, if it can be so. */
static void read_report(const struct wasm_report *report, int status, struct wasm_ended *ended)
{
	struct wasm_report copy = *report;
	bool is_told = copy.is_done && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (is_told && copy.ended.end < WASM_N_ENDS && copy.ended.trap < WASM_N_TRAPS &&
	    copy.ended.end != WASM_END_SIGNAL) {
		*ended = copy.ended;
		ended->name[sizeof(ended->name) - 1] = '\0';
		return;
	}
	memset(ended, 0, sizeof(*ended));
	ended->end = WASM_END_SIGNAL;
	ended->code = WIFSIGNALED(status) ? WTERMSIG(status) : SIGABRT;
}

static int on_end(const struct wasi_disk *disk, struct worker *worker)
{
	auto_buf struct buf bytes = BUF_INIT(1024);
	struct wasm_ended ended;
	struct rusage usage = { 0 };
	int status = 0;
	if (wait4(worker->pid, &status, WNOHANG, &usage) != worker->pid)
		return 0;
	read_report(worker->report, status, &ended);
	report_free(worker->report);
	close(worker->pidfd);
	ended.command = worker->command;
	ended.cpu_ns =
		((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) * 1000000000u +
		((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) * 1000u;
	ended.memory_peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
	if (disk) {
		ended.disk_bytes = disk->bytes;
		ended.disk_inodes = disk->inodes;
		ended.n_disk_refused = disk->n_refused;
	}
	memset(worker, 0, sizeof(*worker));
	wasm_ended_encode(&ended, &bytes);
	return say(WASM_ENDED, &bytes) == 0 ? 0 : -1;
}

static int on_message(struct zygote *zygote)
{
	int r = wasm_channel_recv(WASM_CHANNEL_FD, &packet, MSG_DONTWAIT);
	if (r == EAGAIN)
		return 0;
	if (r != 0)
		return -1;
	if (packet.number == WASM_EXECUTE)
		r = execute_order(zygote);
	else if (packet.number == WASM_GROUPS)
		r = groups_order(zygote);
	else
		r = packet.number == WASM_SIGNAL ? signal_order(zygote) : -1;
	wasm_packet_close(&packet);
	return r;
}

static int turn(struct zygote *zygote)
{
	struct pollfd fds[MAX_WORKERS + 1];
	struct worker *owners[MAX_WORKERS + 1];
	nfds_t n = 1;
	fds[0] = (struct pollfd){ .fd = WASM_CHANNEL_FD, .events = POLLIN };
	for (size_t i = 0; i < MAX_WORKERS; i++) {
		if (zygote->workers[i].pid == 0)
			continue;
		owners[n] = &zygote->workers[i];
		fds[n++] = (struct pollfd){ .fd = zygote->workers[i].pidfd, .events = POLLIN };
	}
	if (poll(fds, n, -1) < 0)
		return errno == EINTR ? 0 : -1;
	for (nfds_t i = 1; i < n; i++) {
		if (fds[i].revents != 0 && on_end(zygote->program->disk, owners[i]) < 0)
			return -1;
	}
	return fds[0].revents != 0 ? on_message(zygote) : 0;
}

static int serve(struct zygote *zygote)
{
	int r = say(WASM_READY, NULL) == 0 ? 0 : -1;
	while (r == 0)
		r = turn(zygote);
	return r;
}

/* The interpreter has started: from here on it is forked, and only a worker goes on. */
static void wait_for_commands(void *context)
{
	if (serve(context) != RESUMES)
		_exit(1);
}

int zygote_serve(struct wasm_program *program)
{
	static struct wasm_failed failed;
	static struct zygote zygote;
	if (await(WASM_CONFIGURE) < 0 ||
	    !wasm_configure_decode(&program->configure, packet.bytes, packet.len))
		return 1;
	if (load(program, &failed) < 0 || confine(program, &failed) < 0)
		return say_failed(&failed);
	zygote.program = program;
	zygote.groups.clone_fd = -1;
	if (program->configure.is_warm)
		worker_warm(program, wait_for_commands, &zygote);
	(void)serve(&zygote);
	return 1;
}
