/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_messages.c - the messages of level `wasm`, as bytes */
#include "wire/wasm_messages.h"

#include <string.h>

#include "wire/list.h"
#include "wire/packet.h"

static const struct packet_bound bounds[] = {
#define WASM_MESSAGE_BOUND(name, number, max, n_fds) { (number), (max), (n_fds) },
	WASM_MESSAGES(WASM_MESSAGE_BOUND)
#undef WASM_MESSAGE_BOUND
};

int wasm_channel_send(int socket_fd, enum wasm_message number, const void *payload, size_t len,
		      const int *fds, size_t n_fds)
{
	return packet_send(socket_fd, number, payload, len, fds, n_fds);
}

int wasm_channel_recv(int socket_fd, struct wasm_packet *packet, int flags)
{
	static_assert(ARRAY_LEN(packet->fds) == PACKET_MAX_FDS, "room for all that can come");
	struct packet_view view = { .bytes = packet->bytes,
				    .max_bytes = sizeof(packet->bytes),
				    .fds = packet->fds };
	int r = packet_recv(socket_fd, &view, bounds, ARRAY_LEN(bounds), flags);
	packet->n_fds = view.n_fds;
	if (r != 0)
		return r;
	packet->number = (enum wasm_message)view.number;
	packet->len = view.len;
	return 0;
}

void wasm_packet_close(struct wasm_packet *packet)
{
	packet_close_fds(packet->fds, &packet->n_fds);
}

void wasm_configure_encode(const struct wasm_configure *configure, struct buf *out)
{
	wire_put_u8(out, configure->needs_compile);
	wire_put_u8(out, configure->is_warm);
	wire_put_u64(out, configure->fuel);
	wire_put_u64(out, configure->memory_bytes);
	wire_put_u64(out, configure->stack_bytes);
	wire_put_u64(out, configure->tables);
	wire_put_u64(out, configure->disk_bytes);
	wire_put_u64(out, configure->disk_inodes);
	wire_put_u64(out, configure->file_size_bytes);
	wire_put_u64(out, configure->files);
	wire_put_list(out, &configure->folders);
	for (size_t i = 0; i < configure->folders.n_items; i++)
		wire_put_u8(out, configure->is_read_only[i]);
}

bool wasm_configure_decode(struct wasm_configure *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->needs_compile = wire_get_bool(&reader);
	ret->is_warm = wire_get_bool(&reader);
	ret->fuel = wire_get_u64(&reader);
	ret->memory_bytes = wire_get_u64(&reader);
	ret->stack_bytes = wire_get_u64(&reader);
	ret->tables = wire_get_u64(&reader);
	ret->disk_bytes = wire_get_u64(&reader);
	ret->disk_inodes = wire_get_u64(&reader);
	ret->file_size_bytes = wire_get_u64(&reader);
	ret->files = wire_get_u64(&reader);
	wire_get_list(&reader, &ret->folders, WASM_MAX_FOLDERS);
	for (size_t i = 0; i < ret->folders.n_items; i++)
		ret->is_read_only[i] = wire_get_bool(&reader);
	if (wire_reader_is_done(&reader))
		return true;
	wasm_configure_fini(ret);
	return false;
}

void wasm_configure_fini(struct wasm_configure *configure)
{
	wire_list_fini(&configure->folders);
}

bool wasm_configure_has_writable(const struct wasm_configure *configure)
{
	for (size_t i = 0; i < configure->folders.n_items; i++) {
		if (!configure->is_read_only[i])
			return true;
	}
	return false;
}

void wasm_execute_encode(const struct wasm_execute *execute, struct buf *out)
{
	wire_put_u32(out, execute->command);
	wire_put_u64(out, execute->cpu_left_ns);
	wire_put_list(out, &execute->args);
	wire_put_list(out, &execute->env);
}

bool wasm_execute_decode(struct wasm_execute *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->command = wire_get_u32(&reader);
	ret->cpu_left_ns = wire_get_u64(&reader);
	wire_get_list(&reader, &ret->args, POLICY_MAX_ARGS);
	wire_get_list(&reader, &ret->env, POLICY_MAX_ENV);
	if (wire_reader_is_done(&reader))
		return true;
	wasm_execute_fini(ret);
	return false;
}

void wasm_execute_fini(struct wasm_execute *execute)
{
	wire_list_fini(&execute->args);
	wire_list_fini(&execute->env);
}

const char *wasm_trap_words(enum wasm_trap_kind kind)
{
	static const char *const words[WASM_N_TRAPS] = {
#define WASM_TRAP_WORDS(name, text) [WASM_TRAP_##name] = (text),
		WASM_TRAPS(WASM_TRAP_WORDS)
#undef WASM_TRAP_WORDS
	};
	return words[kind];
}

/* A string that fits into @text with its NUL; else the reader breaks. */
static void get_text(struct wire_reader *reader, char *text, size_t size)
{
	size_t len = 0;
	const uint8_t *bytes = wire_get_bytes(reader, &len);
	if (reader->is_broken || len >= size) {
		reader->is_broken = true;
		len = 0;
	}
	if (len > 0)
		memcpy(text, bytes, len);
	text[len] = '\0';
}

void wasm_ended_encode(const struct wasm_ended *ended, struct buf *out)
{
	wire_put_u32(out, ended->command);
	wire_put_u8(out, (uint8_t)ended->end);
	wire_put_u32(out, (uint32_t)ended->code);
	wire_put_u8(out, (uint8_t)ended->trap);
	wire_put_u32(out, ended->function);
	wire_put_u64(out, ended->offset);
	wire_put_u64(out, ended->fuel);
	wire_put_u64(out, ended->cpu_ns);
	wire_put_u64(out, ended->memory_peak_bytes);
	wire_put_u64(out, ended->disk_bytes);
	wire_put_u64(out, ended->disk_inodes);
	wire_put_u64(out, ended->n_disk_refused);
	wire_put_u64(out, ended->n_memory_refusals);
	wire_put_string(out, ended->name);
}

bool wasm_ended_decode(struct wasm_ended *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->command = wire_get_u32(&reader);
	ret->end = (enum wasm_end)wire_get_enum(&reader, WASM_N_ENDS);
	ret->code = (int32_t)wire_get_u32(&reader);
	ret->trap = (enum wasm_trap_kind)wire_get_enum(&reader, WASM_N_TRAPS);
	ret->function = wire_get_u32(&reader);
	ret->offset = wire_get_u64(&reader);
	ret->fuel = wire_get_u64(&reader);
	ret->cpu_ns = wire_get_u64(&reader);
	ret->memory_peak_bytes = wire_get_u64(&reader);
	ret->disk_bytes = wire_get_u64(&reader);
	ret->disk_inodes = wire_get_u64(&reader);
	ret->n_disk_refused = wire_get_u64(&reader);
	ret->n_memory_refusals = wire_get_u64(&reader);
	get_text(&reader, ret->name, sizeof(ret->name));
	return wire_reader_is_done(&reader);
}

void wasm_failed_encode(const struct wasm_failed *failed, struct buf *out)
{
	wire_put_string(out, failed->subject);
	wire_put_string(out, failed->message);
	wire_put_string(out, failed->remedy);
}

bool wasm_failed_decode(struct wasm_failed *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	get_text(&reader, ret->subject, sizeof(ret->subject));
	get_text(&reader, ret->message, sizeof(ret->message));
	get_text(&reader, ret->remedy, sizeof(ret->remedy));
	return wire_reader_is_done(&reader) && ret->subject[0] && ret->message[0] && ret->remedy[0];
}
