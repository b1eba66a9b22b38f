/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.c - root: image, from a name to layers that nobody takes away and a policy that is whole
 *
 * The store is read by its fixed records alone; nothing that a stranger wrote is parsed here.
 */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "monitor/defaults.h"
#include "monitor/monitor.h"

#define LAYER_NAME_BYTES (DIGEST_HEX_BYTES + 4) /* "HEX/fs" */

/* NOLINTNEXTLINE(misc-redundant-expression): equal today */
static_assert((int)LEVEL_MAX_LAYERS >= (int)IMAGE_MAX_LAYERS, "every image can be a root");

/* Not on the stack: most of it is never touched. */
static struct {
	struct image_store store;
	struct image image;
	struct level_image level;
	char names[IMAGE_MAX_LAYERS][LAYER_NAME_BYTES];
	const char *layers[IMAGE_MAX_LAYERS];
	char digest[DIGEST_HEX_BYTES];
} opened;

/* How many letters differ (Levenshtein). */
static unsigned count_edits(const char *from, const char *to)
{
	unsigned rows[2][IMAGE_NAME_BYTES + 1];
	size_t n_from = strlen(from), n_to = strlen(to);
	for (size_t j = 0; j <= n_to; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n_from; i++) {
		const unsigned *above = rows[(i - 1) % 2];
		unsigned *row = rows[i % 2];
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= n_to; j++) {
			unsigned replaced = above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
			row[j] = MIN(replaced, MIN(above[j], row[j - 1]) + 1);
		}
	}
	return rows[n_from % 2][n_to];
}

/* Another tag of the same image is near, and so is a name that was spelt wrongly. */
static unsigned measure(const char *wanted, const char *name)
{
	size_t n_wanted = (size_t)(strrchr(wanted, ':') - wanted);
	size_t n_name = (size_t)(strrchr(name, ':') - name);
	bool is_same = n_wanted == n_name && strncmp(wanted, name, n_name) == 0;
	return is_same ? 1 : count_edits(wanted, name);
}

/* The name that was probably meant; false if none is near. */
static bool find_near(const char *wanted, char ret_name[IMAGE_NAME_BYTES])
{
	unsigned best = (unsigned)strlen(wanted) / 4 + 1;
	auto_fd int names_fd = openat(opened.store.dir_fd, "names",
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is_found = false;
	const struct dir_entry *entry;
	if (names_fd < 0)
		return false;
	DIR_READER(reader, names_fd);
	while ((entry = dir_next(&reader))) {
		char name[IMAGE_NAME_BYTES];
		if (!image_name_unescape(entry->name, name))
			continue;
		unsigned distance = measure(wanted, name);
		if (distance >= best)
			continue;
		best = distance;
		is_found = true;
		memcpy(ret_name, name, sizeof(name));
	}
	return is_found;
}

static int not_there(const char *name, struct error *err)
{
	char full[IMAGE_NAME_BYTES], near[IMAGE_NAME_BYTES];
	struct error unnamed = { 0 };
	bool has_near = opened.store.path[0] && image_name_parse(name, full, &unnamed) == 0 &&
			find_near(full, near);
	error_clear(err);
	int r = error_set(err, ERR_NOT_FOUND, 0, "root", "there is no image '%.100s'", name);
	if (has_near)
		return error_remedy(err, r, "did you mean image:%s? foso image list shows all",
				    near);
	return error_remedy(
		err, r, "bring it into the store with foso image import, pull, bootstrap or build");
}

/* @record_fd: of a step of a build, whose image has no name yet; else -1. */
static int open_image(const char *name, int record_fd, struct error *err)
{
	int r = image_store_open(&opened.store, NULL, err);
	if (r == 0 && record_fd >= 0)
		return image_open_record(&opened.store, record_fd, &opened.image, err);
	if (r == 0)
		r = image_open(&opened.store, name, &opened.image, err);
	if (r < 0 && err->code == ERR_NOT_FOUND)
		return not_there(name, err);
	return r < 0 ? error_under(err, r, "root") : 0;
}

/* An overlay would say of none of its folders which of them is not there. */
static int lacks_layer(const char *name, struct error *err)
{
	int r = error_set(err, ERR_CORRUPT, errno, "root", "the store has no %.80s", name);
	return error_remedy(err, r, "import the image anew");
}

static int fill_level_image(struct error *err)
{
	const struct image_record *record = &opened.image.record;
	int layers_fd = openat(opened.store.dir_fd, "layers",
			       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (layers_fd < 0)
		return lacks_layer("layers", err);
	for (size_t i = 0; i < record->n_layers; i++) {
		char hex[DIGEST_HEX_BYTES];
		digest_hex(record->layers[i].chain, hex);
		(void)snprintf(opened.names[i], sizeof(opened.names[i]), "%s/fs", hex);
		opened.layers[i] = opened.names[i];
		if (faccessat(layers_fd, opened.names[i], F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			return lacks_layer(opened.names[i], err);
	}
	digest_hex(record->manifest, opened.digest);
	opened.level = (struct level_image){ .layers_fd = layers_fd,
					     .layers = opened.layers,
					     .n_layers = record->n_layers };
	return 0;
}

int monitor_open_image(struct monitor *monitor, struct error *err)
{
	struct policy *policy = &monitor->plan->policy;
	if (policy->root != POLICY_ROOT_IMAGE)
		return 0;
	int r = open_image(policy->root_path, monitor->plan->root_image_fd, err);
	if (r < 0 || (r = fill_level_image(err)) < 0)
		return r;
	r = defaults_apply(policy, &opened.image.record, !monitor->plan->is_session, geteuid() == 0,
			   err);
	if (r < 0)
		return r;
	if (r == DEFAULTS_USER_IS_NAME)
		monitor_note(
			monitor,
			"root: one id is mapped, before the image's user can be looked up by name: commands run as 0");
	if (geteuid() != 0)
		monitor_note(monitor,
			     "root: one id is mapped, so all files of the image belong to it");
	monitor->sandbox.image = &opened.level;
	monitor->root_digest = opened.digest;
	return 0;
}
