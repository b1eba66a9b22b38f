/* SPDX-License-Identifier: Apache-2.0 */
/* wasi_test.c - the host functions of WASI over an array as the guest's memory */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/tap.h"
#include "wasm/wasi/guest.h"
#include "wasm/wasi/wasi.h"

#define MEMORY_BYTES 65536

static uint8_t memory[MEMORY_BYTES];
static uint64_t fuel;
static struct wasi wasi;

static bool pay(void *context, uint64_t n_units)
{
	UNUSED(context);
	if (n_units > fuel)
		return false;
	fuel -= n_units;
	return true;
}

static void begin(void)
{
	wasi_init(&wasi);
	memset(memory, 0xee, sizeof(memory));
	wasi.memory = memory;
	wasi.memory_len = sizeof(memory);
	wasi.charge = pay;
	fuel = UINT64_MAX;
}

#define CALL(name, ...) \
	wasi_call(&wasi, WASI_##name, (const uint64_t[WASI_MAX_ARGS]){ __VA_ARGS__ })

/* Streams of the test: a pipe of its own behind each. */
static void make_pipe(int stream, int *ret_other, bool is_input)
{
	int ends[2];
	OK(pipe2(ends, O_CLOEXEC) == 0);
	wasi.files[stream].fd = is_input ? ends[0] : ends[1];
	*ret_other = is_input ? ends[1] : ends[0];
}

static void test_all_46_functions_are_there(void)
{
	EQ(WASI_N_FUNCTIONS, 46);
	for (unsigned i = 0; i < WASI_N_FUNCTIONS; i++) {
		const char *params = wasi_function_params((enum wasi_function)i);
		OK(wasi_function_name((enum wasi_function)i)[0] != '\0');
		EQ(strspn(params, "iI"), strlen(params));
		OK(strlen(params) <= WASI_MAX_ARGS);
	}
}

static void test_strings_come_with_their_sizes(void)
{
	static const char *const args[] = { "prog", "", "a b" }, *const env[] = { "K=v" };
	begin();
	wasi.args = args;
	wasi.n_args = 3;
	wasi.env = env;
	wasi.n_env = 1;
	EQ(CALL(args_sizes_get, 0, 4), WASI_SUCCESS);
	EQ(guest_u32(memory), 3);
	EQ(guest_u32(memory + 4), 5 + 1 + 4);
	EQ(CALL(args_get, 16, 100), WASI_SUCCESS);
	EQ(guest_u32(memory + 16), 100);
	EQ(guest_u32(memory + 20), 105);
	EQ(guest_u32(memory + 24), 106);
	OK(memcmp(memory + 100, "prog\0\0a b\0\xee", 11) == 0);
	EQ(CALL(environ_sizes_get, 0, 4), WASI_SUCCESS);
	EQ(guest_u32(memory), 1);
	EQ(guest_u32(memory + 4), 4);
	EQ(CALL(environ_get, 16, 100), WASI_SUCCESS);
	STR_EQ((const char *)memory + 100, "K=v");
	/* Just not in the memory. */
	EQ(CALL(environ_get, 16, MEMORY_BYTES - 3), WASI_EFAULT);
	EQ(CALL(environ_get, 16, MEMORY_BYTES - 4), WASI_SUCCESS);
	EQ(CALL(args_sizes_get, MEMORY_BYTES - 4, MEMORY_BYTES - 3), WASI_EFAULT);
	EQ(CALL(args_get, UINT32_MAX, 0), WASI_EFAULT);
}

static void test_nothing_is_written_without_memory(void)
{
	begin();
	wasi.memory = NULL;
	wasi.memory_len = 0;
	EQ(CALL(args_sizes_get, 0, 4), WASI_EFAULT);
	EQ(CALL(random_get, 0, 1), WASI_EFAULT);
	EQ(CALL(clock_time_get, 0, 0, 0), WASI_EFAULT);
	EQ(CALL(fd_fdstat_get, 1, 0), WASI_EFAULT);
	EQ(CALL(poll_oneoff, 0, 0, 1, 0), WASI_EFAULT);
}

static void test_clocks(void)
{
	begin();
	EQ(CALL(clock_time_get, 0, 1, 0), WASI_SUCCESS);
	OK(llabs((long long)(guest_u64(memory) / 1000000000) - (long long)time(NULL)) < 5);
	for (uint64_t clock = 0; clock < 4; clock++) {
		EQ(CALL(clock_res_get, clock, 0), WASI_SUCCESS);
		OK(guest_u64(memory) > 0);
		EQ(CALL(clock_time_get, clock, 0, 0), WASI_SUCCESS);
	}
	EQ(CALL(clock_time_get, 4, 0, 0), WASI_EINVAL);
	EQ(CALL(clock_res_get, UINT32_MAX, 0), WASI_EINVAL);
	EQ(CALL(clock_time_get, 1, 0, MEMORY_BYTES - 7), WASI_EFAULT);
}

static void test_random_numbers_stay_inside(void)
{
	begin();
	EQ(CALL(random_get, 8, 100), WASI_SUCCESS);
	OK(memory[7] == 0xee && memory[108] == 0xee);
	EQ(CALL(random_get, 0, MEMORY_BYTES), WASI_SUCCESS);
	EQ(CALL(random_get, 1, MEMORY_BYTES), WASI_EFAULT);
	EQ(CALL(random_get, MEMORY_BYTES, 0), WASI_SUCCESS);
	EQ(CALL(random_get, UINT32_MAX, UINT32_MAX), WASI_EFAULT);
}

static void test_host_work_is_paid_before_it_is_done(void)
{
	begin();
	fuel = WASI_UNITS_PER_CALL + 999;
	EQ(CALL(random_get, 0, 1000), WASI_OUT_OF_FUEL);
	EQ(memory[0], 0xee);
	fuel = WASI_UNITS_PER_CALL + 1000;
	EQ(CALL(random_get, 0, 1000), WASI_SUCCESS);
	EQ(fuel, 0);
	EQ(CALL(sched_yield, 0), WASI_OUT_OF_FUEL);
}

static void test_reading_and_writing(void)
{
	int other;
	char bytes[16] = "";
	begin();
	make_pipe(1, &other, false);
	memcpy(memory + 100, "helloworld", 10);
	guest_put_u32(memory, 100);
	guest_put_u32(memory + 4, 5);
	guest_put_u32(memory + 8, 0);
	guest_put_u32(memory + 12, 0);
	guest_put_u32(memory + 16, 105);
	guest_put_u32(memory + 20, 5);
	EQ(CALL(fd_write, 1, 0, 3, 32), WASI_SUCCESS);
	EQ(guest_u32(memory + 32), 10);
	EQ(read(other, bytes, sizeof(bytes)), 10);
	OK(memcmp(bytes, "helloworld", 10) == 0);
	EQ(CALL(fd_write, 1, 0, 0, 32), WASI_SUCCESS);
	EQ(guest_u32(memory + 32), 0);
	EQ(CALL(fd_read, 1, 0, 1, 32), WASI_ENOTCAPABLE);
	EQ(CALL(fd_write, 0, 0, 1, 32), WASI_ENOTCAPABLE);
	close(wasi.files[1].fd);
	close(other);
	make_pipe(0, &other, true);
	EQ(write(other, "abc", 3), 3);
	close(other);
	EQ(CALL(fd_read, 0, 16, 1, 32), WASI_SUCCESS);
	EQ(guest_u32(memory + 32), 3);
	OK(memcmp(memory + 105, "abcld", 5) == 0);
	EQ(CALL(fd_read, 0, 16, 1, 32), WASI_SUCCESS);
	EQ(guest_u32(memory + 32), 0);
	close(wasi.files[0].fd);
}

static void test_vectors_are_checked_before_a_byte_moves(void)
{
	int other;
	begin();
	make_pipe(1, &other, false);
	(void)fcntl(other, F_SETFL, O_NONBLOCK);
	guest_put_u32(memory, 100);
	guest_put_u32(memory + 4, 5);
	guest_put_u32(memory + 8, MEMORY_BYTES - 4);
	guest_put_u32(memory + 12, 5);
	EQ(CALL(fd_write, 1, 0, 2, 32), WASI_EFAULT);
	EQ(CALL(fd_write, 1, 0, WASI_MAX_IOVECS + 1, 32), WASI_EINVAL);
	EQ(CALL(fd_write, 1, MEMORY_BYTES - 7, 1, 32), WASI_EFAULT);
	EQ(CALL(fd_write, 1, 0, 1, MEMORY_BYTES - 3), WASI_EFAULT);
	EQ(CALL(fd_write, 1, UINT32_MAX, UINT32_MAX, 32), WASI_EINVAL);
	EQ(read(other, memory, 1), -1);
	close(wasi.files[1].fd);
	close(other);
}

static void test_what_is_not_granted(void)
{
	begin();
	for (uint64_t fd = 0; fd < 10; fd++) {
		bool is_stream = fd < WASI_N_STREAMS;
		EQ(CALL(path_open, fd, 0, 0, 4), is_stream ? WASI_ENOTDIR : WASI_EBADF);
		EQ(CALL(path_unlink_file, fd, 0, 4), is_stream ? WASI_ENOTDIR : WASI_EBADF);
		EQ(CALL(path_symlink, 0, 4, fd, 8, 4), is_stream ? WASI_ENOTDIR : WASI_EBADF);
		EQ(CALL(fd_readdir, fd, 0, 64), is_stream ? WASI_ENOTDIR : WASI_EBADF);
		EQ(CALL(sock_send, fd, 0, 0, 0, 0), is_stream ? WASI_ENOTSOCK : WASI_EBADF);
		EQ(CALL(sock_accept, fd, 0, 0), is_stream ? WASI_ENOTSOCK : WASI_EBADF);
		EQ(CALL(fd_seek, fd, 0, 0, 0), is_stream ? WASI_ESPIPE : WASI_EBADF);
		EQ(CALL(fd_allocate, fd, 0, 1), is_stream ? WASI_ESPIPE : WASI_EBADF);
		EQ(CALL(fd_prestat_get, fd, 0), WASI_EBADF);
	}
	EQ(CALL(proc_raise, 9), WASI_ENOTSUP);
	EQ(CALL(fd_write, UINT32_MAX, 0, 0, 0), WASI_EBADF);
}

static void test_status_of_streams(void)
{
	int other;
	begin();
	make_pipe(1, &other, false);
	EQ(CALL(fd_fdstat_get, 1, 64), WASI_SUCCESS);
	EQ(memory[64], 0);
	EQ(guest_u16(memory + 66), 0);
	OK(guest_u64(memory + 72) & WASI_RIGHT_FD_WRITE);
	EQ(guest_u64(memory + 80), 0);
	EQ(CALL(fd_filestat_get, 1, 64), WASI_SUCCESS);
	EQ(guest_u64(memory + 64), 0); /* device and inode of the host stay the host's */
	EQ(guest_u64(memory + 72), 0);
	EQ(CALL(fd_fdstat_get, 1, MEMORY_BYTES - 23), WASI_EFAULT);
	close(wasi.files[1].fd);
	close(other);
}

static void test_rights_only_shrink(void)
{
	begin();
	uint64_t rights = wasi.files[0].rights;
	EQ(CALL(fd_fdstat_set_rights, 0, rights | WASI_RIGHT_FD_WRITE, 0), WASI_ENOTCAPABLE);
	EQ(CALL(fd_fdstat_set_rights, 0, 0, 0), WASI_SUCCESS);
	EQ(CALL(fd_read, 0, 0, 0, 0), WASI_ENOTCAPABLE);
	EQ(CALL(fd_fdstat_set_rights, 0, rights, 0), WASI_ENOTCAPABLE);
}

static void test_closing_and_renumbering(void)
{
	int first, second;
	begin();
	make_pipe(1, &first, false);
	make_pipe(2, &second, false);
	guest_put_u32(memory, 100);
	guest_put_u32(memory + 4, 1);
	EQ(CALL(fd_renumber, 2, 1), WASI_SUCCESS);
	EQ(CALL(fd_write, 2, 0, 1, 32), WASI_EBADF);
	EQ(CALL(fd_write, 1, 0, 1, 32), WASI_SUCCESS);
	EQ(read(first, memory, 1), 0); /* its other end is closed */
	EQ(read(second, memory, 1), 1);
	EQ(CALL(fd_renumber, 1, 5), WASI_EBADF);
	EQ(CALL(fd_renumber, 1, 1), WASI_SUCCESS);
	EQ(CALL(fd_close, 1), WASI_SUCCESS);
	EQ(CALL(fd_close, 1), WASI_EBADF);
	close(first);
	close(second);
}

static void subscribe(size_t i, uint8_t tag, uint32_t id, uint64_t timeout_ns, uint16_t flags)
{
	uint8_t *at = memory + 48 * i;
	memset(at, 0, 48);
	guest_put_u64(at, 100 + i);
	at[8] = tag;
	guest_put_u32(at + 16, id);
	guest_put_u64(at + 24, timeout_ns);
	guest_put_u16(at + 40, flags);
}

static void test_waiting(void)
{
	int other;
	begin();
	make_pipe(0, &other, true);
	subscribe(0, 1, 0, 0, 0);          /* stdin */
	subscribe(1, 0, 1, 10000000, 0);   /* 10 ms */
	subscribe(2, 0, 1, 1ull << 50, 0); /* for ever */
	EQ(CALL(poll_oneoff, 0, 1024, 3, 2048), WASI_SUCCESS);
	EQ(guest_u32(memory + 2048), 1);
	EQ(guest_u64(memory + 1024), 101);
	EQ(guest_u16(memory + 1032), WASI_SUCCESS);
	EQ(write(other, "x", 1), 1);
	EQ(CALL(poll_oneoff, 0, 1024, 1, 2048), WASI_SUCCESS);
	EQ(guest_u64(memory + 1024), 100);
	EQ(memory[1034], 1);
	/* What cannot be waited for is told at once, whatever else is waited for. */
	subscribe(0, 1, 77, 0, 0);
	subscribe(1, 0, 2, 0, 0);
	EQ(CALL(poll_oneoff, 0, 1024, 3, 2048), WASI_SUCCESS);
	EQ(guest_u32(memory + 2048), 2);
	EQ(guest_u16(memory + 1032), WASI_EBADF);
	EQ(guest_u16(memory + 1064), WASI_ENOTSUP);
	/* A point in the past. */
	subscribe(0, 0, 0, 1, 1);
	EQ(CALL(poll_oneoff, 0, 1024, 1, 2048), WASI_SUCCESS);
	EQ(guest_u32(memory + 2048), 1);
	EQ(CALL(poll_oneoff, 0, 1024, 0, 2048), WASI_EINVAL);
	EQ(CALL(poll_oneoff, 0, 1024, WASI_MAX_SUBSCRIPTIONS + 1, 2048), WASI_EINVAL);
	subscribe(0, 3, 0, 0, 0);
	EQ(CALL(poll_oneoff, 0, 1024, 1, 2048), WASI_EINVAL);
	EQ(CALL(poll_oneoff, 0, MEMORY_BYTES - 31, 1, 2048), WASI_EFAULT);
	close(other);
	close(wasi.files[0].fd);
}

static void test_the_flag_of_not_blocking_is_the_guests_own(void)
{
	int other;
	begin();
	make_pipe(0, &other, true);
	guest_put_u32(memory, 100);
	guest_put_u32(memory + 4, 1);
	EQ(CALL(fd_fdstat_set_flags, 0, 4), WASI_SUCCESS);
	EQ(CALL(fd_read, 0, 0, 1, 32), WASI_EAGAIN);
	EQ(fcntl(wasi.files[0].fd, F_GETFL) & O_NONBLOCK, 0);
	EQ(CALL(fd_fdstat_set_flags, 0, 1), WASI_ENOTSUP);
	EQ(CALL(fd_fdstat_set_flags, 0, 32), WASI_EINVAL);
	close(other);
	close(wasi.files[0].fd);
}

static void test_the_end(void)
{
	begin();
	EQ(CALL(proc_exit, UINT32_MAX), WASI_EXITS);
	EQ(wasi.exit_code, UINT32_MAX);
}

int main(void)
{
	RUN(test_all_46_functions_are_there);
	RUN(test_strings_come_with_their_sizes);
	RUN(test_nothing_is_written_without_memory);
	RUN(test_clocks);
	RUN(test_random_numbers_stay_inside);
	RUN(test_host_work_is_paid_before_it_is_done);
	RUN(test_reading_and_writing);
	RUN(test_vectors_are_checked_before_a_byte_moves);
	RUN(test_what_is_not_granted);
	RUN(test_status_of_streams);
	RUN(test_rights_only_shrink);
	RUN(test_closing_and_renumbering);
	RUN(test_waiting);
	RUN(test_the_flag_of_not_blocking_is_the_guests_own);
	RUN(test_the_end);
	return tap_done();
}
