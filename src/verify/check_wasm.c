/* SPDX-License-Identifier: Apache-2.0 */
/* check_wasm.c - how the rows of level wasm are tried */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/programs.h"
#include "limits/cgroup.h"
#include "verify/check.h"
#include "verify/wasm_modules.h"

#define REFUSAL_MS    5
#define REFUSAL_TRIES 20

static int write_file(const char *path, const char *bytes, size_t len)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	return fd >= 0 && write(fd, bytes, len) == (ssize_t)len ? 0 : -1;
}

#define MAX_MODULES 96

static struct {
	char source[DIGEST_HEX_BYTES], module[DIGEST_HEX_BYTES];
} digests[MAX_MODULES]; /* in the order of wasm_modules */

bool wasm_module_digests(const char *act, const char **ret_source, const char **ret_module)
{
	size_t len = strcspn(act, " ");
	for (size_t i = 0; i < MIN(n_wasm_modules, (size_t)MAX_MODULES); i++) {
		const char *name = wasm_modules[i].name;
		if (strlen(name) != len || memcmp(name, act, len) != 0 || !digests[i].module[0])
			continue;
		*ret_source = digests[i].source;
		*ret_module = digests[i].module;
		return true;
	}
	return false;
}

static void digest_bytes(const void *bytes, size_t len, char ret_hex[DIGEST_HEX_BYTES])
{
	uint8_t digest[DIGEST_BYTES];
	digest_sha256(bytes, len, NULL, 0, digest);
	digest_hex(digest, ret_hex);
}

static void remember_digests(size_t index, const char *path)
{
	struct stat status;
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (index >= MAX_MODULES || fd < 0 || fstat(fd, &status) < 0 || status.st_size == 0)
		return;
	size_t len = (size_t)status.st_size;
	void *bytes = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return;
	digest_bytes(bytes, len, digests[index].module);
	digest_bytes(wasm_modules[index].content, wasm_modules[index].len, digests[index].source);
	(void)munmap(bytes, len);
}

static int not_made(struct error *err, const char *name)
{
	int r = error_set(err, ERR_SYSTEM, 0, name, "the module of this row cannot be made");
	return error_remedy(err, r, "see whether libwasmtime.so is there: ./x build");
}

static int make_module(struct verify *verify, const struct wasm_module *module,
		       const char *assembler, struct error *err)
{
	char path[256], text[256];
	struct words words = { 0 };
	struct run run = RUN_INIT;
	(void)snprintf(path, sizeof(path), "%s/%s.wasm", verify->world.folder, module->name);
	(void)snprintf(text, sizeof(text), "%s/module.wat", verify->world.folder);
	if (write_file(module->is_text ? text : path, module->content, module->len) < 0)
		return not_made(err, module->name);
	if (!module->is_text) {
		remember_digests((size_t)(module - wasm_modules), path);
		return 0;
	}
	const char *const command[] = { assembler, "assemble", text, path };
	int r = 0;
	for (size_t i = 0; i < ARRAY_LEN(command) && r == 0; i++)
		r = words_add_whole(&words, command[i], err);
	if (r == 0)
		r = run_whole(&run, verify, words.items, false, err);
	if (r == 0 && run.status != 0)
		r = not_made(err, module->name);
	if (r == 0)
		remember_digests((size_t)(module - wasm_modules), path);
	words_fini(&words);
	run_fini(&run);
	return r;
}

int check_wasm_prepare(struct verify *verify, struct error *err)
{
	not_zeroed char assembler[PROGRAM_PATH_BYTES];
	int r = program_path("foso-wasm", assembler, err);
	for (size_t i = 0; i < n_wasm_modules && r == 0; i++)
		r = make_module(verify, &wasm_modules[i], assembler, err);
	return r;
}

/* "exit 8", "fuel", "trap division by zero": the reason, then the code or words on stderr. */
static bool is_expected(const struct sandbox_run *sandbox, const char *expected)
{
	size_t n_reason = strcspn(expected, " ");
	const char *rest = expected[n_reason] ? expected + n_reason + 1 : "";
	char code[16];
	if (strlen(sandbox->reason) != n_reason ||
	    strncmp(sandbox->reason, expected, n_reason) != 0)
		return false;
	if (strcmp(sandbox->reason, "exit") == 0) {
		(void)snprintf(code, sizeof(code), "%d", sandbox->code);
		return strcmp(code, rest) == 0;
	}
	return !rest[0] || strstr(buf_string(&sandbox->run.err), rest) != NULL;
}

static void judge(struct verify *verify, const struct row *row, const struct sandbox_run *sandbox,
		  struct finding *finding)
{
	char line[300], what[64];
	unsigned long long ms = sandbox->run.duration_ns / 1000000;
	run_line(&sandbox->run.err, line, sizeof(line));
	finding_set(finding, is_expected(sandbox, row->expected) ? VERDICT_HELD : VERDICT_BROKEN,
		    "ended: %s, exit status %d, after %llu ms%s%s", sandbox->reason,
		    sandbox->run.status, ms, line[0] ? "; " : "", line);
	if (row->most_ms != 0 && ms > row->most_ms)
		finding_set(finding, VERDICT_BROKEN, "ended only after %llu ms", ms);
	if (!world_is_intact(&verify->world, what, sizeof(what)))
		finding_set(finding, VERDICT_BROKEN, "%s", what);
}

/* Skipped where the sandbox was refused: then nothing of it was tried. */
static bool run_once(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run sandbox;
	bool is_run = check_begin(verify, row, &sandbox, finding);
	if (is_run)
		judge(verify, row, &sandbox, finding);
	sandbox_fini(&sandbox);
	return is_run && finding->verdict == VERDICT_HELD;
}

void check_wasm_end(struct verify *verify, const struct row *row, struct finding *finding)
{
	(void)snprintf(finding->expected, sizeof(finding->expected), "%s", row->expected);
	if (run_once(verify, row, finding))
		(void)check_control(verify, row, finding);
}

void check_wasm_again(struct verify *verify, const struct row *row, struct finding *finding)
{
	(void)snprintf(finding->expected, sizeof(finding->expected), "%s, each time",
		       row->expected);
	for (int i = 0; i < 3; i++) {
		if (!run_once(verify, row, finding))
			return;
	}
	(void)check_control(verify, row, finding);
}

/* Fast, at least once: a loaded machine is slow at times and proves nothing. */
void check_wasm_refused(struct verify *verify, const struct row *row, struct finding *finding)
{
	uint64_t fastest_ns = UINT64_MAX;
	check_refused(verify, row, finding);
	for (int i = 0; i < REFUSAL_TRIES && finding->verdict == VERDICT_HELD; i++) {
		struct sandbox_run sandbox;
		struct error err = { 0 };
		if (sandbox_run(verify, row->options, row->act, row->flags, &sandbox, &err) == 0)
			fastest_ns = MIN(fastest_ns, sandbox.run.duration_ns);
		sandbox_fini(&sandbox);
		if (fastest_ns / 1000000 < REFUSAL_MS)
			return;
	}
	if (finding->verdict == VERDICT_HELD)
		finding_set(finding, VERDICT_BROKEN, "refused only after %llu us",
			    (unsigned long long)(fastest_ns / 1000));
}

/* Root hides the host's control groups for as long as the row is tried: under an empty folder. */
static int hide_groups(int *ret_ns_fd)
{
	*ret_ns_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (*ret_ns_fd < 0 || unshare(CLONE_NEWNS) < 0)
		return -1;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	return mount("none", "/sys/fs/cgroup", "tmpfs", MS_NOSUID | MS_NODEV, NULL);
}

void check_wasm_ungrouped(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct cgroup_host host;
	auto_fd int ns_fd = -1;
	auto_fd int here_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	cgroup_host_probe(&host);
	bool is_hidden = host.version == CGROUP_NONE || !host.has[CGROUP_MEMORY];
	if (!is_hidden && (geteuid() != 0 || hide_groups(&ns_fd) < 0))
		finding_set(finding, VERDICT_SKIPPED,
			    "this host's control groups can be hidden by root alone");
	else
		check_wasm_refused(verify, row, finding);
	if (ns_fd >= 0 && (setns(ns_fd, CLONE_NEWNS) < 0 || fchdir(here_fd) < 0))
		finding_set(finding, VERDICT_BROKEN, "the host's mounts cannot be had back");
}

void check_wasm_random(struct verify *verify, const struct row *row, struct finding *finding)
{
	struct sandbox_run first, second;
	(void)snprintf(finding->expected, sizeof(finding->expected), "32 bytes, others each time");
	bool is_run = check_begin(verify, row, &first, finding);
	struct error err = { 0 };
	int r = sandbox_run(verify, row->options, row->act, 0, &second, &err);
	if (is_run && r < 0)
		check_failed(finding, &err);
	else if (is_run)
		finding_set(finding,
			    first.run.out.len == 32 && second.run.out.len == 32 &&
					    memcmp(first.run.out.data, second.run.out.data, 32) != 0
				    ? VERDICT_HELD
				    : VERDICT_BROKEN,
			    "%zu and %zu bytes", first.run.out.len, second.run.out.len);
	if (finding->verdict == VERDICT_HELD && is_run)
		(void)check_control(verify, row, finding);
	sandbox_fini(&first);
	sandbox_fini(&second);
}

/* Overwrites the middle of each kept code; the number of files, or -1. */
static int tamper(const char *folder)
{
	static const char traps[64] = { [0 ... 63] = (char)0xcc };
	auto_dir DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;
	while (dir && (entry = readdir(dir))) { /* NOLINT(concurrency-mt-unsafe): one thread */
		struct stat status;
		const char *end = strrchr(entry->d_name, '.');
		if (!end || strcmp(end, ".cwasm") != 0)
			continue;
		auto_fd int fd = openat(dirfd(dir), entry->d_name, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &status) < 0 ||
		    pwrite(fd, traps, sizeof(traps), status.st_size / 2) != sizeof(traps))
			return -1;
		n++;
	}
	return dir ? n : -1;
}

void check_wasm_tampered(struct verify *verify, const struct row *row, struct finding *finding)
{
	char folder[256];
	(void)snprintf(folder, sizeof(folder), "%s/modules", verify->world.folder);
	(void)snprintf(finding->expected, sizeof(finding->expected),
		       "exit 0, the code compiled anew");
	/* The control comes first: it makes the code, and then it is taken. */
	if (!check_control(verify, row, finding))
		return;
	int n = tamper(folder);
	if (n <= 0) {
		finding_skip(finding, "no compiled code is kept in %s", folder);
		return;
	}
	struct sandbox_run sandbox;
	if (check_begin(verify, row, &sandbox, finding)) {
		bool is_held = sandbox.run.status == 0 &&
			       strcmp(buf_string(&sandbox.run.out), "hello\n") == 0;
		finding_set(finding, is_held ? VERDICT_HELD : VERDICT_BROKEN,
			    "%d files changed; ended: %s, exit status %d", n, sandbox.reason,
			    sandbox.run.status);
	}
	sandbox_fini(&sandbox);
}
