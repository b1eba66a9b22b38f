/* SPDX-License-Identifier: Apache-2.0 */
/* init_messages.c - encoding and decoding of what the engine and foso-init say */
#include "wire/init_messages.h"

#include <stdlib.h>
#include <string.h>

#include "wire/list.h"

static const struct {
	const char *field, *words, *remedy;
} stages[INIT_N_STAGES] = {
#define INIT_STAGE_ROW(name, field_, words_, remedy_) [STAGE_##name] = { field_, words_, remedy_ },
	INIT_STAGES(INIT_STAGE_ROW)
#undef INIT_STAGE_ROW
};

const char *init_stage_field(enum init_stage stage)
{
	return stage < INIT_N_STAGES ? stages[stage].field : "";
}

const char *init_stage_words(enum init_stage stage)
{
	return stage < INIT_N_STAGES ? stages[stage].words : "be set up";
}

const char *init_stage_remedy(enum init_stage stage)
{
	return stage < INIT_N_STAGES ? stages[stage].remedy : "see foso doctor";
}

void init_configure_encode(const struct init_configure *configure, struct buf *out)
{
	wire_put_u8(out, configure->has_many_ids);
	wire_put_u8(out, configure->needs_landlock);
	wire_put_u8(out, configure->is_installer);
	wire_put_u32(out, configure->default_uid);
	wire_put_u32(out, configure->default_gid);
	wire_put_u32(out, (uint32_t)configure->n_paths);
	for (size_t i = 0; i < configure->n_paths; i++) {
		wire_put_string(out, configure->paths[i].path);
		wire_put_u32(out, configure->paths[i].access);
	}
	wire_put_bytes(out, configure->filter, configure->n_filter_bytes);
}

bool init_configure_decode(struct init_configure *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->has_many_ids = wire_get_bool(&reader);
	ret->needs_landlock = wire_get_bool(&reader);
	ret->is_installer = wire_get_bool(&reader);
	ret->default_uid = wire_get_u32(&reader);
	ret->default_gid = wire_get_u32(&reader);
	size_t n_paths = wire_get_count(&reader, INIT_MAX_PATHS);
	for (; ret->n_paths < n_paths; ret->n_paths++) {
		ret->paths[ret->n_paths].path = wire_get_string(&reader);
		ret->paths[ret->n_paths].access = wire_get_u32(&reader);
	}
	ret->filter = wire_get_bytes(&reader, &ret->n_filter_bytes);
	if (wire_reader_is_done(&reader))
		return true;
	init_configure_fini(ret);
	return false;
}

void init_configure_fini(struct init_configure *configure)
{
	for (size_t i = 0; i < configure->n_paths; i++)
		free(configure->paths[i].path);
	configure->n_paths = 0;
}

void init_spawn_encode(const struct init_spawn *spawn, struct buf *out)
{
	wire_put_u32(out, spawn->command);
	wire_put_u8(out, spawn->is_tty);
	wire_put_u8(out, spawn->is_last);
	wire_put_u8(out, spawn->has_clone_fd);
	wire_put_u32(out, spawn->rows);
	wire_put_u32(out, spawn->columns);
	wire_put_u32(out, spawn->n_cpus);
	wire_put_u32(out, (uint32_t)spawn->n_rlimits);
	for (size_t i = 0; i < spawn->n_rlimits; i++) {
		wire_put_u32(out, spawn->rlimits[i].resource);
		wire_put_u64(out, spawn->rlimits[i].value);
	}
	wire_put_string(out, spawn->cwd);
	wire_put_string(out, spawn->user);
	wire_put_list(out, &spawn->args);
	wire_put_list(out, &spawn->env);
}

bool init_spawn_decode(struct init_spawn *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->command = wire_get_u32(&reader);
	ret->is_tty = wire_get_bool(&reader);
	ret->is_last = wire_get_bool(&reader);
	ret->has_clone_fd = wire_get_bool(&reader);
	ret->rows = (uint16_t)wire_get_count(&reader, UINT16_MAX);
	ret->columns = (uint16_t)wire_get_count(&reader, UINT16_MAX);
	ret->n_cpus = (uint16_t)wire_get_count(&reader, 1024);
	ret->n_rlimits = wire_get_count(&reader, INIT_MAX_RLIMITS);
	for (size_t i = 0; i < ret->n_rlimits; i++) {
		ret->rlimits[i].resource = wire_get_u32(&reader);
		ret->rlimits[i].value = wire_get_u64(&reader);
	}
	ret->cwd = wire_get_string(&reader);
	ret->user = wire_get_string(&reader);
	wire_get_list(&reader, &ret->args, POLICY_MAX_ARGS);
	wire_get_list(&reader, &ret->env, POLICY_MAX_ENV);
	if (wire_reader_is_done(&reader) && ret->args.n_items > 0)
		return true;
	init_spawn_fini(ret);
	return false;
}

void init_spawn_fini(struct init_spawn *spawn)
{
	free(spawn->cwd);
	free(spawn->user);
	wire_list_fini(&spawn->args);
	wire_list_fini(&spawn->env);
	memset(spawn, 0, sizeof(*spawn));
}

void init_event_encode(const struct init_event *event, struct buf *out)
{
	wire_put_u32(out, event->command);
	wire_put_u32(out, event->pid);
	wire_put_u32(out, (uint32_t)event->code);
	wire_put_u32(out, (uint32_t)event->signal);
	wire_put_u32(out, (uint32_t)event->errnum);
	wire_put_u32(out, event->stage);
	if (event->name[0])
		wire_put_string(out, event->name);
}

bool init_event_decode(struct init_event *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	ret->command = wire_get_u32(&reader);
	ret->pid = wire_get_u32(&reader);
	ret->code = (int32_t)wire_get_u32(&reader);
	ret->signal = (int32_t)wire_get_u32(&reader);
	ret->errnum = (int32_t)wire_get_u32(&reader);
	ret->stage = wire_get_count(&reader, INIT_N_STAGES - 1);
	if (!reader.is_broken && reader.at < reader.len) {
		size_t n_name = 0;
		const uint8_t *name = wire_get_bytes(&reader, &n_name);
		if (name && n_name < sizeof(ret->name))
			memcpy(ret->name, name, n_name);
		else
			reader.is_broken = true;
	}
	return wire_reader_is_done(&reader);
}
