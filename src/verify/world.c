/* SPDX-License-Identifier: Apache-2.0 */
/* world.c - the objects of this host that no sandbox may reach */
#include "verify/world.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

#define DECOY_TEXT "This file lies outside of every sandbox.\n"

static int failed(struct error *err, const char *subject, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, subject, "%s", what);
	return error_remedy(err, r, "name another folder in TMPDIR, or free some space");
}

/* ---- files ---- */

static int write_file(const char *path, const char *text, mode_t mode)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t len = (ssize_t)strlen(text);
	return fd < 0 || write(fd, text, (size_t)len) != len || fchmod(fd, mode) < 0 ? -1 : 0;
}

static void look_at_decoy(const struct world *world, struct world_file *ret)
{
	struct stat status = { 0 };
	*ret = (struct world_file){ 0 };
	if (lstat(world->decoy, &status) < 0)
		return;
	*ret = (struct world_file){
		.device = status.st_dev,
		.inode = status.st_ino,
		.size_bytes = (uint64_t)status.st_size,
		.mode = status.st_mode,
		.n_links = (unsigned)status.st_nlink,
		.modified_ns = status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
		.changed_ns = status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec,
	};
}

static bool decoy_is_whole(const struct world *world)
{
	char text[sizeof(DECOY_TEXT) + 8];
	struct world_file now;
	look_at_decoy(world, &now);
	if (memcmp(&now, &world->decoy_was, sizeof(now)) != 0)
		return false;
	auto_fd int fd = open(world->decoy, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	return n == (ssize_t)strlen(DECOY_TEXT) && memcmp(text, DECOY_TEXT, (size_t)n) == 0;
}

static int make_decoy(struct world *world)
{
	(void)unlink(world->decoy);
	int r = write_file(world->decoy, DECOY_TEXT, 0666);
	look_at_decoy(world, &world->decoy_was);
	return r;
}

/* The folder that rows show: a file, a link out of it, and a file that only root may write. */
static int make_shown(struct world *world)
{
	char path[256];
	(void)snprintf(path, sizeof(path), "%s/file", world->shown);
	if (mkdir(world->shown, 0700) < 0 || chmod(world->shown, 0777) < 0 ||
	    write_file(path, "shown\n", 0666) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/out", world->shown);
	if (symlink(world->decoy, path) < 0)
		return -1;
	if (!world->is_root)
		return 0;
	/* Folder and file are somebody else's, so root's file beside them is not the sandbox's. */
	(void)snprintf(path, sizeof(path), "%s/of-root", world->shown);
	if (write_file(path, "of root\n", 0644) < 0 || chown(world->shown, 65534, 65534) < 0)
		return -1;
	(void)snprintf(path, sizeof(path), "%s/file", world->shown);
	return chown(path, 65534, 65534);
}

/* A secret by its name, by a hard link, through a link and in a folder that is one. */
static int make_project(const struct world *world)
{
	static const char *const secrets[] = { ".env", ".aws/credentials" };
	char path[256], other[256];
	(void)snprintf(path, sizeof(path), "%s/.aws", world->project);
	if (mkdir(world->project, 0755) < 0 || mkdir(path, 0755) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(secrets); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", world->project, secrets[i]);
		if (write_file(path, "secret\n", 0644) < 0)
			return -1;
	}
	(void)snprintf(path, sizeof(path), "%s/.env", world->project);
	(void)snprintf(other, sizeof(other), "%s/hard", world->project);
	if (link(path, other) < 0)
		return -1;
	(void)snprintf(other, sizeof(other), "%s/link", world->project);
	return symlink(".env", other);
}

/* A policy of twice the size that foso reads. */
static int make_large_policy(const struct world *world)
{
	char path[256], line[1024];
	(void)snprintf(path, sizeof(path), "%s/large.yaml", world->folder);
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	memset(line, '#', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (int i = 0; i < 2048; i++) {
		if (fd < 0 || write(fd, line, sizeof(line)) != (ssize_t)sizeof(line))
			return -1;
	}
	return 0;
}

static int copy_setuid(struct world *world, const char *act)
{
	char bytes[65536];
	ssize_t n;
	auto_fd int from = open(act, O_RDONLY | O_CLOEXEC);
	auto_fd int to = open(world->setuid_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	if (from < 0 || to < 0)
		return -1;
	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		if (write(to, bytes, (size_t)n) != n)
			return -1;
	}
	return fchmod(to, 04755);
}

static void make_home_file(struct world *world)
{
	const char *home = getenv("HOME"); /* NOLINT(concurrency-mt-unsafe) */
	if (!home || home[0] != '/')
		return;
	int n = snprintf(world->home_path, sizeof(world->home_path), "%s/.%s", home, world->name);
	if (n < 0 || (size_t)n >= sizeof(world->home_path) ||
	    write_file(world->home_path, "at home\n", 0644) < 0)
		world->home_path[0] = '\0';
}

static int make_files(struct world *world, const char *act, struct error *err)
{
	if (make_decoy(world) < 0 || make_shown(world) < 0 || make_project(world) < 0 ||
	    make_large_policy(world) < 0)
		return failed(err, world->folder, "the decoys cannot be made");
	if (!world->is_root || copy_setuid(world, act) < 0)
		world->setuid_path[0] = '\0';
	make_home_file(world);
	return 0;
}

/* ---- sockets ---- */

static int listen_unix(const char *path, const char *abstract)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *name = path ? path : abstract;
	size_t len = strlen(name);
	char *at = address.sun_path + (path ? 0 : 1);
	if (len + 2 > sizeof(address.sun_path))
		return -1;
	memcpy(at, name, len); /* NOLINT(bugprone-not-null-terminated-result): zeroed above */
	socklen_t size = (socklen_t)(at + len - (char *)&address);
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, path ? sizeof(address) : size) < 0 ||
	    listen(fd, 8) < 0 || (path && chmod(path, 0666) < 0))
		return -1;
	return take_fd(&fd);
}

static int listen_tcp(unsigned *ret_port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(address);
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, 8) < 0 || getsockname(fd, (struct sockaddr *)&address, &size) < 0)
		return -1;
	*ret_port = ntohs(address.sin_port);
	return take_fd(&fd);
}

static void make_sockets(struct world *world)
{
	char path[256];
	(void)snprintf(path, sizeof(path), "%s/socket", world->folder);
	world->tcp_fd = listen_tcp(&world->port);
	world->abstract_fd = listen_unix(NULL, world->name);
	world->unix_fd = listen_unix(path, NULL);
	world->opt_fd = listen_unix(world->opt_path, NULL);
	if (world->opt_fd < 0)
		world->opt_path[0] = '\0';
}

/* Takes all calls; true if there were any. */
static bool was_called(int listen_fd)
{
	bool is_called = false;
	for (int fd; listen_fd >= 0 &&
		     (fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
		close(fd);
		is_called = true;
	}
	return is_called;
}

/* ---- processes and other objects ---- */

/* It may be traced by everybody, and ends with us.  Returns its pid or -1. */
static pid_t start_waiting(const char *name)
{
	pid_t parent = getpid();
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, name);
	(void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	(void)prctl(PR_SET_DUMPABLE, 1);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static void stop_waiting(pid_t *pid)
{
	if (*pid <= 0)
		return;
	(void)kill(*pid, SIGKILL);
	(void)waitpid(*pid, NULL, 0);
	*pid = 0;
}

static void make_ipc(struct world *world)
{
	struct {
		long flags, max_messages, message_bytes, n_messages, reserved[4];
	} attributes = { .max_messages = 1, .message_bytes = 8 };
	world->shm_key = (int)(getpid() | 0x46000000);
	world->shm_id = shmget(world->shm_key, 4096, IPC_CREAT | IPC_EXCL | 0666);
	long fd =
		syscall(SYS_mq_open, world->name, O_CREAT | O_RDWR | O_CLOEXEC, 0666, &attributes);
	if (fd >= 0)
		close((int)fd);
}

/* In a user namespace, uid 0 is not the host's: the map of the host's own covers all ids. */
static bool is_root_of_host(void)
{
	char text[128] = "";
	auto_fd int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	return geteuid() == 0 && n > 0 && strstr(text, "4294967295") != NULL;
}

static int name_all(struct world *world, struct error *err)
{
	uint64_t random[2];
	const char *base = getenv("TMPDIR"); /* NOLINT(concurrency-mt-unsafe) */
	if (!base || base[0] != '/' || strlen(base) > 64 || strpbrk(base, " :{},"))
		base = "/tmp";
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return failed(err, "verify", "no random numbers");
	(void)snprintf(world->canary, sizeof(world->canary), "canary%016llx%016llx",
		       (unsigned long long)random[0], (unsigned long long)random[1]);
	(void)snprintf(world->name, sizeof(world->name), "foso-verify-%d", (int)getpid());
	(void)snprintf(world->folder, sizeof(world->folder), "%s/foso-verify-XXXXXX", base);
	if (!mkdtemp(world->folder))
		return failed(err, world->folder, "cannot be made");
	/* Searchable for the sandbox's ids: it is the boundary that keeps them out. */
	if (chmod(world->folder, 0755) < 0)
		return failed(err, world->folder, "its mode cannot be set");
	(void)snprintf(world->decoy, sizeof(world->decoy), "%s/decoy", world->folder);
	(void)snprintf(world->tree, sizeof(world->tree), "%s/tree", world->folder);
	(void)snprintf(world->shown, sizeof(world->shown), "%s/shown", world->folder);
	(void)snprintf(world->project, sizeof(world->project), "%s/project", world->folder);
	(void)snprintf(world->workspaces, sizeof(world->workspaces), "%s/workspaces",
		       world->folder);
	(void)snprintf(world->setuid_path, sizeof(world->setuid_path), "%s/setuid", world->folder);
	(void)snprintf(world->opt_path, sizeof(world->opt_path), "/opt/.%s", world->name);
	return 0;
}

int world_open(struct world *world, const char *act, struct error *err)
{
	*world = (struct world){
		.tcp_fd = -1, .abstract_fd = -1, .unix_fd = -1, .opt_fd = -1, .shm_id = -1
	};
	world->is_root = is_root_of_host();
	int r = name_all(world, err);
	if (r == 0)
		r = make_files(world, act, err);
	if (r < 0) {
		world_close(world);
		return r;
	}
	world_make_images(world, act);
	make_sockets(world);
	make_ipc(world);
	world->victim = start_waiting(world->name + 5);
	world->prey = start_waiting("verify-prey");
	if (world->victim > 0 && world->prey > 0)
		return 0;
	r = failed(err, "verify", "no process can be started");
	world_close(world);
	return r;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	UNUSED(status);
	UNUSED(type);
	UNUSED(place);
	(void)remove(path);
	return 0;
}

void world_close(struct world *world)
{
	int *fds[] = { &world->tcp_fd, &world->abstract_fd, &world->unix_fd, &world->opt_fd };
	stop_waiting(&world->victim);
	stop_waiting(&world->prey);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(fds[i]);
	if (world->shm_id >= 0)
		(void)shmctl(world->shm_id, IPC_RMID, NULL);
	(void)syscall(SYS_mq_unlink, world->name);
	if (world->opt_path[0])
		(void)unlink(world->opt_path);
	if (world->home_path[0])
		(void)unlink(world->home_path);
	if (world->decoy[0])
		(void)nftw(world->folder, remove_one, 16, /* NOLINT(concurrency-mt-unsafe) */
			   FTW_DEPTH | FTW_PHYS);
	*world = (struct world){
		.tcp_fd = -1, .abstract_fd = -1, .unix_fd = -1, .opt_fd = -1, .shm_id = -1
	};
}

static void append_path(struct buf *out, const char *path)
{
	buf_append_string(out, path[0] ? path : "/nonexistent");
}

static void append_backwards(struct buf *out, const char *text)
{
	for (size_t i = strlen(text); i > 0; i--)
		buf_append_char(out, text[i - 1]);
}

static void append_host_name(struct buf *out)
{
	struct utsname name;
	buf_append_string(out, uname(&name) == 0 ? name.nodename : "localhost");
}

static void append_number(const struct world *world, const char *name, struct buf *out)
{
	if (strncmp(name, "port", 4) == 0)
		buf_printf(out, "%u", world->port);
	else if (name[0] == 'v' || name[0] == 'p')
		buf_printf(out, "%d", (int)(name[0] == 'v' ? world->victim : world->prey));
	else if (name[0] == 'k')
		buf_printf(out, "%d", world->shm_key);
	else /* The victim is a fork, so it has the same at the same address. */
		buf_printf(out, "%llu", (unsigned long long)(uintptr_t)world);
}

bool world_lookup(const struct world *world, const char *name, size_t len, struct buf *out)
{
	const struct {
		const char *name, *value;
	} paths[] = {
		{ "folder", world->folder },   { "decoy", world->decoy },
		{ "shown", world->shown },     { "opt", world->opt_path },
		{ "home", world->home_path },  { "setuid", world->setuid_path },
		{ "name", world->name },       { "comm", world->name + 5 },
		{ "canary", world->canary },   { "low", world->low_layer },
		{ "high", world->high_layer }, { "project", world->project },
		{ "tree", world->tree },
	};
	static const char *const numbers[] = { "port", "victim", "prey", "key", "address" };
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		if (strlen(paths[i].name) == len && strncmp(paths[i].name, name, len) == 0) {
			append_path(out, paths[i].value);
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		if (strlen(numbers[i]) == len && strncmp(numbers[i], name, len) == 0) {
			append_number(world, name, out);
			return true;
		}
	}
	if (len == 6 && strncmp(name, "yranac", len) == 0)
		append_backwards(out, world->canary);
	else if (len == 4 && strncmp(name, "host", len) == 0)
		append_host_name(out);
	else
		return false;
	return true;
}

const char *world_lack(const struct world *world, const char *text)
{
	const struct {
		const char *name, *path, *lack;
	} objects[] = {
		{ "{opt}", world->opt_path, "a socket in /opt can be made by root only" },
		{ "{home}", world->home_path, "the caller has no home that he may write to" },
		{ "{setuid}", world->setuid_path,
		  "a file that root owns can be made by root only" },
		{ "{project}:rw --set", world->is_root ? "/" : "",
		  "only root can have the kernel ask about files that appear later" },
		{ "image:foso-verify/high", world->high_layer, "no image can be made here" },
		{ "/root-", world->is_root ? "/" : "",
		  "a file that root owns can be made by root only" },
		{ "/of-root", world->is_root ? "/" : "",
		  "a file that root owns can be made by root only" },
	};
	for (size_t i = 0; text && i < ARRAY_LEN(objects); i++) {
		if (strstr(text, objects[i].name) && objects[i].path[0] == '\0')
			return objects[i].lack;
	}
	return NULL;
}

bool world_is_intact(struct world *world, char *what, size_t size)
{
	const struct {
		int fd;
		const char *name;
	} sockets[] = {
		{ world->tcp_fd, "the TCP port" },
		{ world->abstract_fd, "the abstract socket" },
		{ world->unix_fd, "the socket in the folder" },
		{ world->opt_fd, "the socket below /opt" },
	};
	what[0] = '\0';
	if (waitpid(world->victim, NULL, WNOHANG) != 0) {
		(void)snprintf(what, size, "the victim is dead");
		world->victim = start_waiting(world->name + 5);
	}
	if (!decoy_is_whole(world)) {
		(void)snprintf(what, size, "the decoy was changed");
		(void)make_decoy(world);
	}
	for (size_t i = 0; i < ARRAY_LEN(sockets); i++) {
		if (was_called(sockets[i].fd))
			(void)snprintf(what, size, "%s was called", sockets[i].name);
	}
	return what[0] == '\0';
}
