/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - the commands of foso-image and their options */
#include "imagetool/args.h"

#include "imagetool/commands.h"
#include "imagetool/options.h"
#include "policy/value.h"

enum option_id {
	OPTION_STORE = OPTION_HELP + 1,
	OPTION_NAME,
	OPTION_FORMAT,
	OPTION_REF,
	OPTION_MAX_BYTES,
	OPTION_MAX_ENTRIES,
	OPTION_MAX_RATIO,
	OPTION_MAX_TIME,
	OPTION_JSON,
	OPTION_DRY_RUN,
};

static const struct option_row store_rows[] = { IMAGE_STORE_OPTIONS(OPTION_ROW) };
static const struct option_row import_rows[] = { IMAGE_IMPORT_OPTIONS(OPTION_ROW) };
static const struct option_row show_rows[] = { IMAGE_SHOW_OPTIONS(OPTION_ROW) };
static const struct option_row gc_rows[] = { IMAGE_GC_OPTIONS(OPTION_ROW) };

static const struct verb verbs[] = {
	{ "foso image import", "[OPTION]... FILE|FOLDER|-",
	  "Bring an image into the store.\n"
	  "It may be an OCI image layout (a folder, or a tar of one), what docker save writes, or\n"
	  "the tar of a root file system; the file may be packed with gzip, zstd, xz or bzip2.\n"
	  "All digests are verified, and the image is there whole or not at all.",
	  OPTION_TABLE_OF(import_rows), 1, 1, command_import },
	{ "foso image list", "[OPTION]...", "List the images of the store, by name.",
	  OPTION_TABLE_OF(show_rows), 0, 0, command_list },
	{ "foso image inspect", "[OPTION]... NAME",
	  "Show what is known of one image: its digests, layers and what it runs.",
	  OPTION_TABLE_OF(show_rows), 1, 1, command_inspect },
	{ "foso image rm", "[OPTION]... NAME...",
	  "Remove images, and what no other image needs.\n"
	  "Layers on which a sandbox runs stay until it ends; foso image gc then removes them.",
	  OPTION_TABLE_OF(store_rows), 1, ARGS_MAX_NAMES, command_rm },
	{ "foso image gc", "[OPTION]...",
	  "Remove what no image needs.\n"
	  "That is layers and blobs without a name, and what interrupted imports left.",
	  OPTION_TABLE_OF(gc_rows), 0, 0, command_gc },
	{ "foso image export", "[OPTION]... NAME FILE|-",
	  "Write an image as a tar: an OCI image layout, and a docker-save archive.\n"
	  "podman, skopeo, umoci, docker load and foso image import read it.",
	  OPTION_TABLE_OF(store_rows), 2, 2, command_export },
	{ "foso image erofs", "[OPTION]... NAME",
	  "Make one EROFS file of an image's layers, by mkfs.erofs.", OPTION_TABLE_OF(store_rows),
	  1, 1, command_erofs },
};

const struct verbs image_verbs = { "foso image", verbs, ARRAY_LEN(verbs) };

/* Numbers are read as the limits of a policy are, whose ranges fit: "16GiB", "30min". */
static int set_number(const struct option *option, enum policy_field_id like, uint64_t *ret,
		      struct error *err)
{
	const struct policy_field *field = &policy_fields[like];
	int r = policy_number_parse(field, option->spelling, option->value, ret, err);
	return r < 0 ? r : policy_number_check(field, option->spelling, *ret, err);
}

static int set_text(const char **member, const struct option *option, struct error *err)
{
	if (!option->value[0]) {
		int r = error_set(err, ERR_INVALID, 0, option->spelling, "has no value");
		return error_remedy(err, r, "write %s %s", option->spelling, option->row->argument);
	}
	return option_once(member, option, err);
}

static int set(void *into, const struct option *option, struct error *err)
{
	struct args *args = into;
	switch (option->row->id) {
	case OPTION_JSON:
		args->is_json = true;
		return 0;
	case OPTION_DRY_RUN:
		args->is_dry_run = true;
		return 0;
	case OPTION_STORE:
		return set_text(&args->store, option, err);
	case OPTION_NAME:
		return set_text(&args->name, option, err);
	case OPTION_FORMAT:
		return set_text(&args->format, option, err);
	case OPTION_REF:
		return set_text(&args->ref, option, err);
	case OPTION_MAX_BYTES:
		return set_number(option, POLICY_FIELD_LIMITS_DISK, &args->max_bytes, err);
	case OPTION_MAX_ENTRIES:
		return set_number(option, POLICY_FIELD_LIMITS_DISK_INODES, &args->max_entries, err);
	case OPTION_MAX_RATIO:
		return set_number(option, POLICY_FIELD_LIMITS_DISK_INODES, &args->max_ratio, err);
	default:
		return set_number(option, POLICY_FIELD_LIMITS_WALL, &args->max_time_ns, err);
	}
}

int args_parse(struct args *ret, const struct verb *verb, char **words, struct error *err)
{
	*ret = (struct args){ .max_bytes = UINT64_C(16) << 30,
			      .max_entries = 1000000,
			      .max_ratio = 200,
			      .max_time_ns = UINT64_C(1800000) * POLICY_MSEC };
	return verb_parse(verb, words, set, ret, &ret->operands, err);
}
