/* SPDX-License-Identifier: Apache-2.0 */
/* module.c - files that are copied before anybody looks at them */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "levels/wasm/wasm.h"

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

/* What is read is what is digested: from the copy, which nobody else can change. */
static int digest_file(int fd, size_t len, char ret_digest[DIGEST_HEX_BYTES])
{
	uint8_t digest[DIGEST_BYTES];
	void *bytes = len > 0 ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	if (bytes == MAP_FAILED)
		return errno;
	digest_sha256(bytes, len, NULL, 0, digest);
	digest_hex(digest, ret_digest);
	if (len > 0)
		(void)munmap(bytes, len);
	return 0;
}

static int copy_bytes(int from_fd, int to_fd, uint64_t max_bytes, size_t *ret_len)
{
	static uint8_t buffer[64 * 1024];
	uint64_t len = 0;
	for (;;) {
		ssize_t n = pread(from_fd, buffer, sizeof(buffer), (off_t)len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		*ret_len = (size_t)len;
		if (n == 0)
			return 0;
		len += (uint64_t)n;
		if (len > max_bytes)
			return EFBIG;
		if (fd_write_all(to_fd, buffer, (size_t)n) < 0)
			return errno;
	}
}

int wasm_copy(int from_fd, uint64_t max_bytes, int *ret_fd, char ret_digest[DIGEST_HEX_BYTES])
{
	size_t len = 0;
	auto_fd int fd = sys_memfd_create("foso-wasm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int r = fd < 0 ? errno : copy_bytes(from_fd, fd, max_bytes, &len);
	if (r == 0 && fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		r = errno;
	if (r == 0)
		r = digest_file(fd, len, ret_digest);
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

static int refuse(struct error *err, int errnum, const char *path, const char *message,
		  const char *remedy)
{
	int r = error_set(err, errnum == ENOENT ? ERR_NOT_FOUND : ERR_INVALID, errnum, "module",
			  "'%.120s' %s", path, message);
	return error_remedy(err, r, "%s", remedy);
}

static int refuse_size(struct error *err, const char *path)
{
	int r = error_set(err, ERR_LIMIT, 0, "module", "'%.120s' has more than %u MiB", path,
			  WASM_MAX_MODULE_BYTES >> 20);
	return error_remedy(err, r, "strip it (wasm-opt -Oz --strip-debug)");
}

int wasm_module_open(const char *path, int *ret_fd, char ret_digest[DIGEST_HEX_BYTES],
		     struct error *err)
{
	struct stat status;
	/* Not to wait for the other end of a FIFO, and not to make a terminal ours. */
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return refuse(err, errno, path, "cannot be read",
			      "name a module that you may read");
	if (!S_ISREG(status.st_mode))
		return refuse(err, 0, path, "is no file", "name a WebAssembly module");
	if (status.st_size > (off_t)WASM_MAX_MODULE_BYTES)
		return refuse_size(err, path);
	int errnum = wasm_copy(fd, WASM_MAX_MODULE_BYTES, ret_fd, ret_digest);
	if (errnum == EFBIG)
		return refuse_size(err, path);
	return errnum == 0 ? 0
			   : refuse(err, errnum, path, "cannot be read",
				    "name a module that you may read");
}
