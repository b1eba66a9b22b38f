/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.c - orders and plans as bytes
 *
 * One walk for both directions would hide what is checked; so the two stand below each other.
 */
#include "wire/codec.h"

#include <string.h>

#include "base/macros.h"
#include "recipe/recipe.h"

#define ORDER_MAGIC 0x6f636572u
#define PLAN_MAGIC  0x70636572u

struct decoder {
	struct wire_reader wire;
	struct recipe_arena *arena;
};

static void put_list(struct buf *out, const struct recipe_list *list)
{
	wire_put_u32(out, (uint32_t)list->n_items);
	for (size_t i = 0; i < list->n_items; i++)
		wire_put_string(out, list->items[i]);
}

static void put_pairs(struct buf *out, const struct recipe_pairs *pairs)
{
	wire_put_u32(out, (uint32_t)pairs->n_items);
	for (size_t i = 0; i < pairs->n_items; i++) {
		wire_put_string(out, pairs->items[i].name);
		wire_put_string(out, pairs->items[i].value);
	}
}

static void put_config(struct buf *out, const struct recipe_config *config)
{
	put_pairs(out, &config->env);
	put_pairs(out, &config->labels);
	put_list(out, &config->entrypoint);
	put_list(out, &config->cmd);
	put_list(out, &config->ports);
	put_list(out, &config->volumes);
	wire_put_string(out, config->cwd ? config->cwd : "");
	wire_put_string(out, config->user ? config->user : "");
	wire_put_string(out, config->stop_signal ? config->stop_signal : "");
}

static void put_mounts(struct buf *out, const struct recipe_step *step)
{
	wire_put_u32(out, (uint32_t)step->n_mounts);
	for (size_t i = 0; i < step->n_mounts; i++) {
		const struct recipe_mount *mount = &step->mounts[i];
		wire_put_u8(out, (uint8_t)mount->kind);
		wire_put_string(out, mount->target);
		wire_put_u8(out, (uint8_t)mount->source);
		wire_put_u32(out, mount->stage);
		wire_put_string(out, mount->image);
		wire_put_string(out, mount->path);
	}
}

static void put_step(struct buf *out, const struct recipe_step *step)
{
	wire_put_u8(out, (uint8_t)step->kind);
	wire_put_u32(out, step->line);
	wire_put_string(out, step->text);
	put_list(out, &step->args);
	put_pairs(out, &step->env);
	wire_put_string(out, step->cwd);
	wire_put_string(out, step->user);
	wire_put_string(out, step->target);
	wire_put_u8(out, step->is_folder);
	wire_put_u8(out, step->is_add);
	wire_put_u8(out, (uint8_t)step->source);
	wire_put_u32(out, step->stage);
	wire_put_string(out, step->image);
	put_pairs(out, &step->files);
	wire_put_string(out, step->owner);
	wire_put_u32(out, step->mode);
	put_mounts(out, step);
}

static void put_stage(struct buf *out, const struct recipe_stage *stage)
{
	wire_put_string(out, stage->name);
	wire_put_u32(out, stage->line);
	wire_put_u8(out, stage->is_needed);
	wire_put_u8(out, (uint8_t)stage->source);
	wire_put_u32(out, stage->stage);
	wire_put_string(out, stage->image);
	wire_put_u32(out, (uint32_t)stage->n_steps);
	for (size_t i = 0; i < stage->n_steps; i++)
		put_step(out, &stage->steps[i]);
	put_config(out, &stage->config);
}

void recipe_plan_encode(const struct recipe_plan *plan, struct buf *out)
{
	wire_put_u32(out, PLAN_MAGIC);
	put_list(out, &plan->needs);
	put_list(out, &plan->notices);
	wire_put_u32(out, (uint32_t)plan->n_stages);
	for (size_t i = 0; i < plan->n_stages; i++)
		put_stage(out, &plan->stages[i]);
	wire_put_u32(out, plan->target);
	wire_put_u32(out, (uint32_t)plan->n_ignores);
	for (size_t i = 0; i < plan->n_ignores; i++) {
		wire_put_string(out, plan->ignores[i].text);
		wire_put_u8(out, plan->ignores[i].is_kept);
	}
}

void recipe_order_encode(const struct recipe_order *order, struct buf *out)
{
	wire_put_u32(out, ORDER_MAGIC);
	wire_put_bytes(out, order->text, order->len);
	wire_put_string(out, order->name);
	wire_put_u8(out, order->ignore != NULL);
	wire_put_bytes(out, order->ignore, order->ignore ? order->ignore_len : 0);
	wire_put_string(out, order->ignore_name ? order->ignore_name : "");
	wire_put_string(out, order->target);
	wire_put_string(out, order->architecture);
	put_pairs(out, &order->args);
	wire_put_u32(out, (uint32_t)order->n_bases);
	for (size_t i = 0; i < order->n_bases; i++) {
		wire_put_string(out, order->bases[i].ref);
		put_config(out, &order->bases[i].config);
	}
}

static const char *get_string(struct decoder *decoder)
{
	size_t len;
	const uint8_t *bytes = wire_get_bytes(&decoder->wire, &len);
	if (!bytes || memchr(bytes, '\0', len)) {
		decoder->wire.is_broken = true;
		return "";
	}
	const char *copy = recipe_copy(decoder->arena, (const char *)bytes, len);
	if (!copy)
		decoder->wire.is_broken = true;
	return copy ? copy : "";
}

static void *get_array(struct decoder *decoder, size_t n_items, size_t size)
{
	/* Every item takes at least a byte, so a lie about the number costs nothing. */
	if (n_items > decoder->wire.len - decoder->wire.at)
		decoder->wire.is_broken = true;
	void *items = decoder->wire.is_broken ? NULL : recipe_alloc(decoder->arena, n_items * size);
	if (!items)
		decoder->wire.is_broken = true;
	return items;
}

static void get_list(struct decoder *decoder, struct recipe_list *ret)
{
	size_t n = wire_get_count(&decoder->wire, RECIPE_MAX_ITEMS);
	ret->items = get_array(decoder, n, sizeof(*ret->items));
	for (size_t i = 0; ret->items && i < n && !decoder->wire.is_broken; i++)
		ret->items[i] = get_string(decoder);
	ret->n_items = decoder->wire.is_broken ? 0 : n;
}

static void get_pairs(struct decoder *decoder, struct recipe_pairs *ret)
{
	size_t n = wire_get_count(&decoder->wire, RECIPE_MAX_ITEMS);
	ret->items = get_array(decoder, n, sizeof(*ret->items));
	for (size_t i = 0; ret->items && i < n && !decoder->wire.is_broken; i++) {
		ret->items[i].name = get_string(decoder);
		ret->items[i].value = get_string(decoder);
	}
	ret->n_items = decoder->wire.is_broken ? 0 : n;
}

/* Absolute, or relative if @is_relative; no empty, "." or ".." segment; "/" and "" are fine. */
static const char *get_path(struct decoder *decoder, bool is_relative)
{
	const char *path = get_string(decoder);
	const char *at = path + !is_relative;
	bool is_good = is_relative || path[0] == '/';
	while (is_good && *at) {
		size_t n = strcspn(at, "/");
		is_good = n > 0 && !(n == 1 && at[0] == '.') &&
			  !(n == 2 && at[0] == '.' && at[1] == '.');
		at += n;
		is_good = is_good && (at[0] == '\0' || at[1] != '\0');
		at += *at == '/';
	}
	if (!is_good)
		decoder->wire.is_broken = true;
	return is_good ? path : "";
}

static void get_config(struct decoder *decoder, struct recipe_config *ret)
{
	get_pairs(decoder, &ret->env);
	get_pairs(decoder, &ret->labels);
	get_list(decoder, &ret->entrypoint);
	get_list(decoder, &ret->cmd);
	get_list(decoder, &ret->ports);
	get_list(decoder, &ret->volumes);
	ret->cwd = get_string(decoder);
	ret->user = get_string(decoder);
	ret->stop_signal = get_string(decoder);
}

static void get_sources(struct decoder *decoder, struct recipe_step *ret)
{
	size_t n = wire_get_count(&decoder->wire, RECIPE_MAX_ITEMS);
	ret->args.items = get_array(decoder, n, sizeof(*ret->args.items));
	for (size_t i = 0; i < n && !decoder->wire.is_broken; i++)
		ret->args.items[i] =
			ret->kind == RECIPE_COPY ? get_path(decoder, true) : get_string(decoder);
	ret->args.n_items = decoder->wire.is_broken ? 0 : n;
}

static void get_mounts(struct decoder *decoder, uint32_t number, struct recipe_step *ret)
{
	struct wire_reader *wire = &decoder->wire;
	size_t n = wire_get_count(wire, RECIPE_MAX_MOUNTS);
	ret->mounts = get_array(decoder, n, sizeof(*ret->mounts));
	for (size_t i = 0; i < n && !wire->is_broken; i++) {
		struct recipe_mount *mount = &ret->mounts[i];
		mount->kind = (enum recipe_mount_kind)wire_get_enum(wire, RECIPE_N_MOUNT_KINDS);
		mount->target = get_path(decoder, false);
		mount->source = (enum recipe_source)wire_get_enum(wire, RECIPE_N_SOURCES);
		mount->stage = wire_get_u32(wire);
		mount->image = get_string(decoder);
		mount->path = get_path(decoder, true);
		if (mount->target[0] == '\0' || mount->target[1] == '\0' ||
		    mount->source == RECIPE_INLINE ||
		    (mount->source == RECIPE_STAGE && mount->stage >= number))
			wire->is_broken = true;
	}
	ret->n_mounts = wire->is_broken ? 0 : n;
}

static void get_step(struct decoder *decoder, uint32_t number, struct recipe_step *ret)
{
	struct wire_reader *wire = &decoder->wire;
	ret->kind = (enum recipe_step_kind)wire_get_enum(wire, RECIPE_N_KINDS);
	ret->line = wire_get_u32(wire);
	ret->text = get_string(decoder);
	get_sources(decoder, ret);
	get_pairs(decoder, &ret->env);
	ret->cwd = get_path(decoder, false);
	ret->user = get_string(decoder);
	ret->target = ret->kind == RECIPE_COPY ? get_path(decoder, false) : get_string(decoder);
	ret->is_folder = wire_get_bool(wire);
	ret->is_add = wire_get_bool(wire);
	ret->source = (enum recipe_source)wire_get_enum(wire, RECIPE_N_SOURCES);
	ret->stage = wire_get_u32(wire);
	ret->image = get_string(decoder);
	get_pairs(decoder, &ret->files);
	ret->owner = get_string(decoder);
	ret->mode = wire_get_u32(wire);
	get_mounts(decoder, number, ret);
	for (size_t i = 0; i < ret->files.n_items; i++)
		if (strchr(ret->files.items[i].name, '/') || ret->files.items[i].name[0] == '.')
			wire->is_broken = true;
	if ((ret->source == RECIPE_STAGE && ret->stage >= number) ||
	    (ret->mode > 07777 && ret->mode != RECIPE_NO_MODE) ||
	    (ret->kind == RECIPE_RUN && ret->args.n_items == 0) ||
	    (ret->kind != RECIPE_RUN && ret->n_mounts > 0))
		wire->is_broken = true;
}

static void get_stage(struct decoder *decoder, uint32_t number, struct recipe_stage *ret)
{
	struct wire_reader *wire = &decoder->wire;
	ret->name = get_string(decoder);
	ret->line = wire_get_u32(wire);
	ret->is_needed = wire_get_bool(wire);
	ret->source = (enum recipe_source)wire_get_enum(wire, RECIPE_N_SOURCES);
	ret->stage = wire_get_u32(wire);
	ret->image = get_string(decoder);
	if (ret->source == RECIPE_CONTEXT || (ret->source == RECIPE_STAGE && ret->stage >= number))
		wire->is_broken = true;
	size_t n = wire_get_count(wire, RECIPE_MAX_STEPS);
	ret->steps = get_array(decoder, n, sizeof(*ret->steps));
	for (size_t i = 0; i < n && !wire->is_broken; i++)
		get_step(decoder, number, &ret->steps[i]);
	ret->n_steps = wire->is_broken ? 0 : n;
	get_config(decoder, &ret->config);
}

static void get_ignores(struct decoder *decoder, struct recipe_plan *plan)
{
	size_t n = wire_get_count(&decoder->wire, RECIPE_MAX_ITEMS);
	plan->ignores = get_array(decoder, n, sizeof(*plan->ignores));
	for (size_t i = 0; i < n && !decoder->wire.is_broken; i++) {
		plan->ignores[i].text = get_path(decoder, true);
		plan->ignores[i].is_kept = wire_get_bool(&decoder->wire);
	}
	plan->n_ignores = decoder->wire.is_broken ? 0 : n;
}

static int broken(struct error *err, const char *subject)
{
	int r = error_set(err, ERR_PROTOCOL, 0, subject, "its answer is not a plan");
	return error_remedy(err, r, "use programs of one version of foso (./x build)");
}

int recipe_plan_decode(const void *bytes, size_t len, struct recipe_plan *ret_plan,
		       struct error *err)
{
	struct recipe_plan *plan = ret_plan;
	*plan = (struct recipe_plan){ .arena = RECIPE_ARENA_INIT(RECIPE_MAX_ARENA_BYTES) };
	struct decoder decoder = { .arena = &plan->arena };
	struct wire_reader *wire = &decoder.wire;
	wire_reader_init(wire, bytes, len);
	wire->is_broken = wire_get_u32(wire) != PLAN_MAGIC || wire->is_broken;
	get_list(&decoder, &plan->needs);
	get_list(&decoder, &plan->notices);
	size_t n = wire_get_count(wire, RECIPE_MAX_STAGES);
	plan->stages = get_array(&decoder, n, sizeof(*plan->stages));
	for (size_t i = 0; i < n && !wire->is_broken; i++)
		get_stage(&decoder, (uint32_t)i, &plan->stages[i]);
	plan->n_stages = n;
	plan->target = wire_get_u32(wire);
	get_ignores(&decoder, plan);
	bool has_target = n > 0 ? plan->target < n : plan->needs.n_items > 0;
	if (wire_reader_is_done(wire) && has_target)
		return 0;
	recipe_plan_fini(plan);
	return broken(err, "foso-buildfile");
}

int recipe_order_decode(const void *bytes, size_t len, struct recipe_arena *arena,
			struct recipe_order *ret_order, struct error *err)
{
	struct recipe_order order = { .text = "" };
	struct decoder decoder = { .arena = arena };
	struct wire_reader *wire = &decoder.wire;
	wire_reader_init(wire, bytes, len);
	wire->is_broken = wire_get_u32(wire) != ORDER_MAGIC || wire->is_broken;
	order.text = (const char *)wire_get_bytes(wire, &order.len);
	order.name = get_string(&decoder);
	bool has_ignore = wire_get_bool(wire);
	order.ignore = (const char *)wire_get_bytes(wire, &order.ignore_len);
	if (!has_ignore)
		order.ignore = NULL;
	order.ignore_name = get_string(&decoder);
	order.target = get_string(&decoder);
	order.architecture = get_string(&decoder);
	get_pairs(&decoder, &order.args);
	order.n_bases = wire_get_count(wire, RECIPE_MAX_ITEMS);
	struct recipe_base *bases = get_array(&decoder, order.n_bases, sizeof(*bases));
	for (size_t i = 0; i < order.n_bases && !wire->is_broken; i++) {
		bases[i].ref = get_string(&decoder);
		get_config(&decoder, &bases[i].config);
	}
	order.bases = bases;
	if (!wire_reader_is_done(wire))
		return broken(err, "foso-build");
	*ret_order = order;
	return 0;
}
