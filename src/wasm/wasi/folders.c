/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folders.c - fd_readdir: what lies in a folder
 *
 * A cookie is the place that the kernel gives to an entry, so it stays right while others come
 * and go, as far as the file system keeps it.  A name that is not UTF-8 cannot be said in WASI
 * and is left out: there is no path by which it could be opened either.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/text.h"
#include "wasm/wasi/paths.h"

#define ENTRY_BYTES                                                                  \
	24 /* u64 next cookie, u64 ino at 8, u32 length of name at 16, u8 type at 20 \
	    */
#define BATCH_BYTES 32768

/* What getdents64() writes; no header has it. */
struct host_entry {
	uint64_t inode;
	int64_t next;
	uint16_t len;
	uint8_t type;
	char name[];
};

struct listing {
	uint8_t *at; /* the guest's buffer */
	uint64_t len, used;
};

static uint8_t type_of(uint8_t type)
{
	return wasi_filetype((mode_t)DTTOIF(type));
}

/* As much of @len bytes as fits. */
static void put_bytes(struct listing *listing, const void *bytes, uint64_t len)
{
	uint64_t n = MIN(len, listing->len - listing->used);
	memcpy(listing->at + listing->used, bytes, n);
	listing->used += n;
}

static void put_entry(struct listing *listing, const struct host_entry *entry)
{
	uint8_t header[ENTRY_BYTES] = { 0 };
	size_t len = strlen(entry->name);
	if (!text_is_utf8(entry->name, len))
		return;
	guest_put_u64(header, (uint64_t)entry->next);
	guest_put_u64(header + 8, entry->inode);
	guest_put_u32(header + 16, (uint32_t)len);
	header[20] = type_of(entry->type);
	put_bytes(listing, header, sizeof(header));
	put_bytes(listing, entry->name, len);
}

/* Fills the buffer to its end, or with all there is: the guest tells the end by that. */
static uint32_t list(const struct wasi *wasi, int fd, struct listing *listing)
{
	static char batch[BATCH_BYTES] __attribute__((__aligned__(8)));
	while (listing->used < listing->len) {
		if (!wasi_pay(wasi, WASI_UNITS_PER_LOOKUP))
			return WASI_OUT_OF_FUEL;
		/* Not more than needed: the kernel makes each entry anew at the next call. */
		uint64_t wanted = MIN(MAX(listing->len - listing->used, UINT64_C(1024)),
				      (uint64_t)sizeof(batch));
		long n = syscall(SYS_getdents64, fd, batch, wanted);
		if (n < 0)
			return wasi_errno_of(errno);
		if (n == 0)
			return WASI_SUCCESS;
		for (long at = 0; at < n && listing->used < listing->len;) {
			const struct host_entry *entry = (const void *)(batch + at);
			put_entry(listing, entry);
			at += entry->len;
		}
	}
	return WASI_SUCCESS;
}

/* A place in a folder that others list too would not stay where it was put. */
static uint32_t own_place(struct wasi_file *folder)
{
	if (!folder->is_shared)
		return WASI_SUCCESS;
	int fd = wasi_lookup(folder->fd, ".", O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return (uint32_t)-fd;
	folder->fd = fd; /* The other one stays open: it is not this command's alone. */
	folder->is_shared = false;
	return WASI_SUCCESS;
}

/* args: folder, buffer, its length, cookie, where to say how much of it is used. */
uint32_t wasi_fd_readdir(struct wasi *wasi, const uint64_t *args)
{
	struct listing listing = { .at = guest_at(wasi, args[1], args[2]), .len = args[2] };
	struct wasi_file *folder;
	uint32_t r = wasi_folder_with(wasi, args[0], WASI_RIGHT_FD_READDIR, &folder);
	if (r != WASI_SUCCESS)
		return r;
	if (!listing.at || !guest_at(wasi, args[4], 4))
		return WASI_EFAULT;
	if (!wasi_pay(wasi, listing.len / WASI_BYTES_PER_UNIT))
		return WASI_OUT_OF_FUEL;
	if ((r = own_place(folder)) != WASI_SUCCESS)
		return r;
	if (lseek(folder->fd, (off_t)args[3], SEEK_SET) < 0)
		return wasi_errno_of(errno);
	r = list(wasi, folder->fd, &listing);
	return r == WASI_SUCCESS ? guest_store_u32(wasi, args[4], (uint32_t)listing.used) : r;
}
