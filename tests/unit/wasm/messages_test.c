/* SPDX-License-Identifier: Apache-2.0 */
/* messages_test.c - messages of level wasm: there and back, and what breaks them */
#include <string.h>

#include "support/tap.h"
#include "wire/wasm_messages.h"

static void test_configure(void)
{
	struct buf bytes = BUF_INIT(1024);
	char *names[] = { (char[]){ "/workspace" }, (char[]){ "/data" } };
	struct wasm_configure there = { true,         true,           1, 2, 3, 4, 5, 6, 7, 8,
					{ names, 2 }, { false, true } };
	struct wasm_configure back;
	wasm_configure_encode(&there, &bytes);
	OK(wasm_configure_decode(&back, bytes.data, bytes.len));
	OK(back.needs_compile && back.is_warm && back.fuel == 1 && back.memory_bytes == 2 &&
	   back.stack_bytes == 3 && back.tables == 4);
	OK(back.disk_bytes == 5 && back.disk_inodes == 6 && back.file_size_bytes == 7 &&
	   back.files == 8);
	EQ(back.folders.n_items, 2);
	STR_EQ(back.folders.items[1], "/data");
	OK(!back.is_read_only[0] && back.is_read_only[1]);
	OK(wasm_configure_has_writable(&back));
	wasm_configure_fini(&back);
	for (size_t len = 0; len < bytes.len; len++)
		OK(!wasm_configure_decode(&back, bytes.data, len));
	there.is_read_only[0] = true;
	OK(!wasm_configure_has_writable(&there));
	bytes.data[0] = 2;
	OK(!wasm_configure_decode(&back, bytes.data, bytes.len));
	buf_fini(&bytes);
}

static void test_execute(void)
{
	struct buf bytes = BUF_INIT(1024);
	char *args[] = { (char[]){ "a" }, (char[]){ "" } }, *env[] = { (char[]){ "K=v" } };
	struct wasm_execute there = { 7, 8, { args, 2 }, { env, 1 } }, back;
	wasm_execute_encode(&there, &bytes);
	OK(wasm_execute_decode(&back, bytes.data, bytes.len));
	EQ(back.command, 7);
	EQ(back.cpu_left_ns, 8);
	EQ(back.args.n_items, 2);
	STR_EQ(back.args.items[1], "");
	STR_EQ(back.env.items[0], "K=v");
	wasm_execute_fini(&back);
	for (size_t len = 0; len < bytes.len; len++)
		OK(!wasm_execute_decode(&back, bytes.data, len));
	buf_fini(&bytes);
}

static void test_ended(void)
{
	struct buf bytes = BUF_INIT(1024);
	struct wasm_ended there = { .command = 1,
				    .end = WASM_END_TRAP,
				    .code = -1,
				    .trap = WASM_TRAP_UNREACHABLE,
				    .function = 3,
				    .offset = 4,
				    .fuel = 5,
				    .cpu_ns = 6,
				    .memory_peak_bytes = 7,
				    .disk_bytes = 8,
				    .disk_inodes = 9,
				    .n_disk_refused = 10,
				    .name = "f" },
			  back;
	wasm_ended_encode(&there, &bytes);
	OK(wasm_ended_decode(&back, bytes.data, bytes.len));
	OK(memcmp(&there, &back, sizeof(back)) == 0);
	for (size_t len = 0; len < bytes.len; len++)
		OK(!wasm_ended_decode(&back, bytes.data, len));
	bytes.data[4] = WASM_N_ENDS;
	OK(!wasm_ended_decode(&back, bytes.data, bytes.len));
	bytes.data[4] = WASM_END_TRAP;
	bytes.data[9] = WASM_N_TRAPS;
	OK(!wasm_ended_decode(&back, bytes.data, bytes.len));
	buf_fini(&bytes);
}

static void test_failed(void)
{
	struct buf bytes = BUF_INIT(4096);
	struct wasm_failed there = { "s", "m", "r" }, back;
	char text[400];
	wasm_failed_encode(&there, &bytes);
	OK(wasm_failed_decode(&back, bytes.data, bytes.len));
	STR_EQ(back.message, "m");
	/* Whoever says that it failed says what, and what to do. */
	there.remedy[0] = '\0';
	buf_clear(&bytes);
	wasm_failed_encode(&there, &bytes);
	OK(!wasm_failed_decode(&back, bytes.data, bytes.len));
	/* Longer than there is room for. */
	memset(text, 'x', sizeof(text));
	buf_clear(&bytes);
	for (int i = 0; i < 3; i++) {
		buf_append(&bytes, "\x90\x01\0\0", 4);
		buf_append(&bytes, text, sizeof(text));
	}
	OK(!wasm_failed_decode(&back, bytes.data, bytes.len));
	buf_fini(&bytes);
}

int main(void)
{
	RUN(test_configure);
	RUN(test_execute);
	RUN(test_ended);
	RUN(test_failed);
	return tap_done();
}
