/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - encoding and decoding of what a sandbox's holder and its monitor say */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "wire/control_messages.h"
#include "wire/list.h"
#include "wire/packet.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static const struct packet_bound bounds[] = {
#define CONTROL_MESSAGE_BOUND(name, number, max, n_fds, states) { (number), (max), (n_fds) },
	CONTROL_MESSAGES(CONTROL_MESSAGE_BOUND)
#undef CONTROL_MESSAGE_BOUND
};

bool control_is_allowed(enum control_message number, enum control_state state)
{
	static const struct {
		enum control_message number;
		const char states[4];
	} rows[] = {
#define CONTROL_MESSAGE_STATES(name, number, max, n_fds, states) { (number), states },
		CONTROL_MESSAGES(CONTROL_MESSAGE_STATES)
#undef CONTROL_MESSAGE_STATES
	};
	static const char letters[] = { 'B', 'O', 'S' };
	if (state >= ARRAY_LEN(letters))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].number == number)
			return strchr(rows[i].states, letters[state]) != NULL;
	}
	return false;
}

int control_send(int socket_fd, enum control_message number, const struct buf *payload,
		 const int *fds, size_t n_fds)
{
	if (payload && !buf_is_whole(payload))
		return ENOMEM;
	return packet_send(socket_fd, number, payload ? payload->data : NULL,
			   payload ? payload->len : 0, fds, n_fds);
}

int control_recv(int socket_fd, struct control_packet *packet, int flags)
{
	struct packet_view view = { .bytes = packet->bytes,
				    .max_bytes = sizeof(packet->bytes),
				    .fds = packet->fds };
	int r = packet_recv(socket_fd, &view, bounds, ARRAY_LEN(bounds), flags);
	packet->n_fds = view.n_fds;
	if (r != 0)
		return r;
	packet->number = (enum control_message)view.number;
	packet->len = view.len;
	return 0;
}

void control_packet_close(struct control_packet *packet)
{
	packet_close_fds(packet->fds, &packet->n_fds);
}

void control_exec_encode(const struct control_exec *exec, struct buf *out)
{
	wire_put_u32(out, exec->command);
	wire_put_u8(out, exec->is_tty);
	wire_put_u32(out, exec->rows);
	wire_put_u32(out, exec->columns);
	wire_put_u8(out, (uint8_t)exec->background);
	wire_put_u64(out, exec->wall_ns);
	wire_put_u64(out, exec->output_bytes);
	wire_put_string(out, exec->cwd);
	wire_put_string(out, exec->user);
	wire_put_list(out, &exec->args);
	wire_put_u32(out, (uint32_t)exec->n_env);
	for (size_t i = 0; i < exec->n_env; i++) {
		wire_put_string(out, exec->env[i].name);
		wire_put_string(out, exec->env[i].value);
	}
}

static void get_env(struct wire_reader *reader, struct control_exec *exec)
{
	uint32_t n_env = wire_get_count(reader, POLICY_MAX_ENV);
	exec->env = calloc((size_t)n_env + 1, sizeof(*exec->env));
	if (!exec->env)
		reader->is_broken = true;
	for (; exec->n_env < n_env && !reader->is_broken; exec->n_env++) {
		struct policy_env *env = &exec->env[exec->n_env];
		env->name = wire_get_string(reader);
		env->value = wire_get_string(reader);
		/* Two readers must never see two names. */
		if (env->name && (env->name[0] == '\0' || strchr(env->name, '=')))
			reader->is_broken = true;
	}
}

bool control_exec_decode(struct control_exec *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->command = wire_get_u32(&reader);
	ret->is_tty = wire_get_bool(&reader);
	ret->rows = (uint16_t)wire_get_count(&reader, UINT16_MAX);
	ret->columns = (uint16_t)wire_get_count(&reader, UINT16_MAX);
	ret->background = wire_get_bool(&reader) ? POLICY_BACKGROUND_KEEP : POLICY_BACKGROUND_KILL;
	ret->wall_ns = wire_get_u64(&reader);
	ret->output_bytes = wire_get_u64(&reader);
	ret->cwd = wire_get_string(&reader);
	ret->user = wire_get_string(&reader);
	wire_get_list(&reader, &ret->args, POLICY_MAX_ARGS);
	get_env(&reader, ret);
	if (wire_reader_is_done(&reader) && ret->args.n_items > 0)
		return true;
	control_exec_fini(ret);
	return false;
}

void control_exec_fini(struct control_exec *exec)
{
	free(exec->cwd);
	free(exec->user);
	wire_list_fini(&exec->args);
	for (size_t i = 0; i < exec->n_env; i++) {
		free(exec->env[i].name);
		free(exec->env[i].value);
	}
	free(exec->env);
	memset(exec, 0, sizeof(*exec));
}

int control_exec_send(int socket_fd, const struct control_exec *exec, const int stdio[3])
{
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	auto_fd int file = -1;
	int fds[CONTROL_MAX_FDS] = { stdio[0], stdio[1], stdio[2], -1 };
	control_exec_encode(exec, &bytes);
	if (!buf_is_whole(&bytes))
		return E2BIG;
	if (bytes.len <= CONTROL_MAX_BYTES)
		return control_send(socket_fd, CONTROL_EXEC, &bytes, fds, 3);
	file = sys_memfd_create("foso-exec", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file < 0 || write(file, bytes.data, bytes.len) != (ssize_t)bytes.len ||
	    fcntl(file, F_ADD_SEALS, SEALS) < 0)
		return errno ? errno : EIO;
	fds[3] = file;
	return control_send(socket_fd, CONTROL_EXEC, NULL, fds, 4);
}

/* Only a file that nobody can shorten may be mapped: a shorter one would be a SIGBUS. */
static bool read_file(struct control_exec *ret, int fd)
{
	struct stat status;
	int seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &status) < 0 ||
	    status.st_size <= 0 || status.st_size > POLICY_MAX_ENCODED_BYTES)
		return false;
	void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	bool is_ok = control_exec_decode(ret, bytes, (size_t)status.st_size);
	munmap(bytes, (size_t)status.st_size);
	return is_ok;
}

bool control_exec_read(struct control_exec *ret, struct control_packet *packet)
{
	if (packet->len > 0)
		return packet->n_fds == 3 && control_exec_decode(ret, packet->bytes, packet->len);
	if (packet->n_fds != CONTROL_MAX_FDS)
		return false;
	bool is_ok = read_file(ret, packet->fds[3]);
	fd_close(&packet->fds[3]);
	packet->n_fds = 3;
	return is_ok;
}

void control_words_encode(enum control_message number, const struct control_words *words,
			  struct buf *out)
{
	if (number == CONTROL_READY) {
		wire_put_string(out, words->name);
		return;
	}
	if (number != CONTROL_PROCESS)
		wire_put_u32(out, words->command);
	if (number == CONTROL_SIGNAL || number == CONTROL_PROCESS)
		wire_put_u32(out, words->pid);
	if (number == CONTROL_SIGNAL)
		wire_put_u32(out, words->signal);
	if (number == CONTROL_RESIZE) {
		wire_put_u32(out, words->rows);
		wire_put_u32(out, words->columns);
	}
	if (number == CONTROL_PROCESS)
		wire_put_string(out, words->name);
}

static void get_name(struct wire_reader *reader, struct control_words *words)
{
	size_t len = 0;
	const uint8_t *name = wire_get_bytes(reader, &len);
	if (name && len < sizeof(words->name))
		memcpy(words->name, name, len);
	else
		reader->is_broken = true;
}

bool control_words_decode(enum control_message number, struct control_words *ret, const void *bytes,
			  size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	if (number != CONTROL_PROCESS && number != CONTROL_READY)
		ret->command = wire_get_u32(&reader);
	if (number == CONTROL_SIGNAL || number == CONTROL_PROCESS)
		ret->pid = wire_get_count(&reader, INT32_MAX);
	if (number == CONTROL_SIGNAL) {
		ret->signal = wire_get_count(&reader, 64);
		if (ret->signal == 0)
			return false;
	}
	if (number == CONTROL_RESIZE) {
		ret->rows = (uint16_t)wire_get_count(&reader, UINT16_MAX);
		ret->columns = (uint16_t)wire_get_count(&reader, UINT16_MAX);
	}
	if (number == CONTROL_PROCESS || number == CONTROL_READY)
		get_name(&reader, ret);
	return wire_reader_is_done(&reader);
}

/* A limit's name is a constant of ours on both sides: an unknown one breaks the reader. */
static const char *const limit_names[] = {
	"",
	"limits.wall",
	"limits.cpu_time",
	"limits.memory",
	"limits.pids",
	"limits.disk",
	"limits.files",
	"limits.file_size",
	"limits.output",
	"limits.fuel",
	"limits.tables",
	"lifetime",
	"idle",
	"limits.disk_inodes",
};

static uint8_t limit_number(const char *limit)
{
	for (size_t i = 1; limit && i < ARRAY_LEN(limit_names); i++) {
		if (strcmp(limit_names[i], limit) == 0)
			return (uint8_t)i;
	}
	return 0;
}

void control_end_encode(const struct control_end *end, struct buf *out)
{
	wire_put_u32(out, end->command);
	wire_put_u8(out, (uint8_t)end->end.reason);
	wire_put_u32(out, (uint32_t)end->end.code);
	wire_put_u32(out, (uint32_t)end->end.signal);
	wire_put_u8(out, limit_number(end->end.limit));
	wire_put_u32(out, (uint32_t)end->exit_status);
	wire_put_u64(out, end->stdout_bytes);
	wire_put_u64(out, end->stderr_bytes);
	wire_put_u64(out, end->lost_bytes);
	wire_put_u32(out, end->n_survivors);
	wire_put_u32(out, end->n_leftovers);
	wire_put_u8(out, (uint8_t)end->err.code);
	wire_put_u32(out, (uint32_t)end->err.errnum);
	wire_put_string(out, end->err.subject);
	wire_put_string(out, end->err.message);
	wire_put_string(out, end->err.remedy);
}

static void get_text(struct wire_reader *reader, char *text, size_t size)
{
	size_t len = 0;
	const uint8_t *bytes = wire_get_bytes(reader, &len);
	if (bytes && len < size)
		memcpy(text, bytes, len);
	else
		reader->is_broken = true;
}

bool control_end_decode(struct control_end *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->command = wire_get_u32(&reader);
	ret->end.reason = (enum end_reason)wire_get_enum(&reader, END_N_REASONS);
	ret->end.code = (int)wire_get_u32(&reader);
	ret->end.signal = (int)wire_get_u32(&reader);
	uint8_t limit = wire_get_enum(&reader, ARRAY_LEN(limit_names));
	ret->end.limit = limit > 0 ? limit_names[limit] : NULL;
	ret->exit_status = (int32_t)wire_get_u32(&reader);
	ret->stdout_bytes = wire_get_u64(&reader);
	ret->stderr_bytes = wire_get_u64(&reader);
	ret->lost_bytes = wire_get_u64(&reader);
	ret->n_survivors = wire_get_u32(&reader);
	ret->n_leftovers = wire_get_u32(&reader);
	ret->err.code = (enum error_code)wire_get_enum(&reader, ERR_N_CODES);
	ret->err.errnum = (int)wire_get_u32(&reader);
	get_text(&reader, ret->err.subject, sizeof(ret->err.subject));
	get_text(&reader, ret->err.message, sizeof(ret->err.message));
	get_text(&reader, ret->err.remedy, sizeof(ret->err.remedy));
	return wire_reader_is_done(&reader);
}
