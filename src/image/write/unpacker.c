/* SPDX-License-Identifier: Apache-2.0 */
/* unpacker.c - what is asked of foso-unpack, and its answers checked */
#include "image/write/unpacker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "image/write/hash.h"
#include "image/write/pump.h"
#include "image/write/spawn.h"

void unpack_reply_fini(struct unpack_reply *reply)
{
	buf_fini(&reply->bytes);
}

/* The answer of @child, or the fault that it tells, as an error. */
int unpack_reply(struct child *child, enum image_answer_kind kind, uint64_t deadline_ns,
		 const char *where, struct unpack_reply *ret, struct error *err)
{
	buf_init(&ret->bytes, IMAGE_ANSWER_BYTES);
	int r = child_answer(child, deadline_ns, &ret->bytes, err);
	if (r == 0)
		r = image_answer_decode(buf_string(&ret->bytes), ret->bytes.len, kind, &ret->answer,
					err);
	if (r < 0 && err->code == ERR_PROTOCOL)
		r = error_under(err, r, where);
	if (r == 0 && ret->answer.kind == IMAGE_ANSWER_FAULT)
		r = image_fault_error(&ret->answer.fault, where, err);
	if (r < 0)
		unpack_reply_fini(ret);
	return r;
}

static int rewind_input(int fd, const char *where, struct error *err)
{
	if (lseek(fd, 0, SEEK_SET) == 0)
		return 0;
	int r = error_set(err, ERR_SYSTEM, errno, where, "cannot be read from its beginning");
	return error_remedy(err, r, "give a file, not a pipe");
}

int unpack_ask(const char *const *words, int input_fd, enum image_answer_kind kind,
	       uint64_t deadline_ns, const char *where, struct unpack_reply *ret, struct error *err)
{
	struct child child = CHILD_NONE;
	int r = rewind_input(input_fd, where, err);
	if (r == 0)
		r = child_start(words, input_fd, -1, &child, err);
	return r < 0 ? r : unpack_reply(&child, kind, deadline_ns, where, ret, err);
}

int pump_start(int input_fd, enum image_compression compression, const char *where,
	       struct pump *ret, struct error *err)
{
	static const char *const names[] = { [IMAGE_COMPRESSION_NONE] = "",
					     [IMAGE_COMPRESSION_GZIP] = "gzip",
					     [IMAGE_COMPRESSION_ZSTD] = "zstd",
					     [IMAGE_COMPRESSION_XZ] = "xz",
					     [IMAGE_COMPRESSION_BZIP2] = "bzip2" };
	const char *const words[] = { "inflate", names[compression], NULL };
	int ends[2];
	*ret = (struct pump){ .child = CHILD_NONE, .fd = -1 };
	off_t n_packed = lseek(input_fd, 0, SEEK_END);
	ret->n_packed = n_packed < 0 ? 0 : (uint64_t)n_packed;
	int r = rewind_input(input_fd, where, err);
	if (r < 0)
		return r;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, where, "no pipe to foso-unpack can be made");
		return error_remedy(err, r, "raise the limit of open files");
	}
	/* A full megabyte where the system allows it: fewer switches between the three. */
	(void)fcntl(ends[1], F_SETPIPE_SZ, PUMP_PART_BYTES);
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	r = child_start(words, input_fd, ends[1], &ret->child, err);
	close(ends[1]);
	ret->fd = ends[0];
	if (r == 0)
		r = hash_init(&ret->hash, err);
	if (r < 0)
		pump_fini(ret);
	return r;
}

void pump_fini(struct pump *pump)
{
	child_fini(&pump->child);
	fd_close(&pump->fd);
	hash_fini(&pump->hash);
}

static int check_limits(const struct pump *pump, const struct unpack_limits *limits,
			const char *where, struct error *err)
{
	unsigned long long n = pump->n_bytes, packed = pump->n_packed;
	int r;
	if (n > limits->max_bytes + pump->n_free) {
		r = error_set(err, ERR_LIMIT, 0, where,
			      "unpacks to more than %llu bytes (limit: bytes)",
			      (unsigned long long)limits->max_bytes);
		return error_remedy(err, r, "if you trust the image, give a higher --max-bytes");
	}
	if (n > UNPACK_FREE_BYTES && n / limits->max_ratio > packed) {
		r = error_set(
			err, ERR_LIMIT, 0, where,
			"%llu bytes have unpacked to %llu, more than %llu times as many (limit: "
			"ratio)",
			packed, n, (unsigned long long)limits->max_ratio);
		return error_remedy(err, r, "if you trust the image, give a higher --max-ratio");
	}
	return 0;
}

/* All @len bytes to @fd; 1 if nobody reads it any more. */
static int write_all(int fd, const char *bytes, size_t len, uint64_t deadline_ns, struct error *err)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);
		if (n < 0 && errno == EAGAIN) {
			int r = wait_for(fd, POLLOUT, deadline_ns, err);
			if (r < 0)
				return r;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return 1;
		if (n < 0) {
			int r = error_set(err, ERR_SYSTEM, errno, "image store",
					  "cannot be written");
			return error_remedy(err, r, "look at the free space of its disk");
		}
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

int pump_run(struct pump *pump, int output_fd, const struct unpack_limits *limits,
	     const char *where, struct error *err)
{
	static char part[PUMP_PART_BYTES];
	for (;;) {
		ssize_t n = read(pump->fd, part, sizeof(part));
		int r = 0;
		if (n == 0)
			return 0;
		if (n < 0 && errno == EAGAIN) {
			r = wait_for(pump->fd, POLLIN, limits->deadline_ns, err);
		} else if (n < 0 && errno != EINTR) {
			r = error_set(err, ERR_SYSTEM, errno, where, "cannot be read");
			r = error_remedy(err, r, "try again");
		} else if (n > 0) {
			pump->n_bytes += (uint64_t)n;
			r = check_limits(pump, limits, where, err);
			if (r == 0)
				hash_update(&pump->hash, part, (size_t)n);
			if (r == 0 && output_fd >= 0)
				r = write_all(output_fd, part, (size_t)n, limits->deadline_ns, err);
		}
		if (r != 0)
			return r;
	}
}

int pump_finish(struct pump *pump, uint64_t deadline_ns, const char *where,
		uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	struct unpack_reply reply;
	int r = unpack_reply(&pump->child, IMAGE_ANSWER_LAYER, deadline_ns, where, &reply, err);
	if (r < 0)
		return r;
	unpack_reply_fini(&reply);
	hash_final(&pump->hash, ret_digest);
	return 0;
}

int unpack_inflate(int input_fd, enum image_compression compression, int output_fd,
		   const struct unpack_limits *limits, const char *where,
		   uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	struct pump pump;
	int r = pump_start(input_fd, compression, where, &pump, err);
	if (r < 0)
		return r;
	r = pump_run(&pump, output_fd, limits, where, err);
	if (r == 0)
		r = pump_finish(&pump, limits->deadline_ns, where, ret_digest, err);
	pump_fini(&pump);
	return r;
}
