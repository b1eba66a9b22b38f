/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_bind.c - RUN --mount: a COPY onto nothing, whose layer is mounted while a command runs
 *
 * So .dockerignore counts, no link leads out of the context, and the cache knows the sources by
 * their content, all as for COPY; and the command sees a tree of the store, which nothing changes,
 * and not the caller's folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "buildtool/build.h"

#define TARGET "/mount" /* in the layer that is nothing but the sources */

static int make_one(struct build *build, const struct recipe_step *step,
		    const struct recipe_mount *mount, struct build_bind *ret, struct error *err)
{
	static struct build_stage empty;
	char hex[DIGEST_HEX_BYTES], text[96];
	const char *paths[] = { mount->path };
	(void)snprintf(text, sizeof(text), "--mount %.80s", mount->target);
	const struct recipe_step copy = {
		.kind = RECIPE_COPY,
		.line = step->line,
		.text = text,
		.args = { paths, 1 },
		.cwd = "/",
		.user = "",
		.target = TARGET,
		.source = mount->source,
		.stage = mount->stage,
		.image = mount->image,
		.owner = "",
		.mode = RECIPE_NO_MODE,
	};
	empty = (struct build_stage){ .hold_fd = -1 };
	int r = build_step_make(build, &empty, &copy, NULL, err);
	free(empty.history);
	if (r == 0 && empty.n_layers == 0) {
		r = error_set(err, ERR_NOT_FOUND, 0, "--mount", "'%.100s' holds nothing",
			      mount->path);
		r = error_remedy(err, r, "name a folder or file that is there");
	}
	if (r == 0) {
		memcpy(ret->chain, empty.layers[0].chain, DIGEST_BYTES);
		digest_hex(ret->chain, hex);
		(void)snprintf(ret->path, sizeof(ret->path), "%s/layers/%s/fs" TARGET,
			       build->store.path, hex);
		ret->hold_fd = take_fd(&empty.hold_fd);
	}
	fd_close(&empty.hold_fd);
	return r;
}

int build_binds_make(struct build *build, const struct recipe_step *step, struct build_binds *ret,
		     struct error *err)
{
	int r = 0;
	ret->step = step;
	for (size_t i = 0; i < ARRAY_LEN(ret->items); i++)
		ret->items[i].hold_fd = -1;
	for (size_t i = 0; r == 0 && i < step->n_mounts; i++)
		if (step->mounts[i].kind != RECIPE_MOUNT_MEMORY)
			r = make_one(build, step, &step->mounts[i], &ret->items[i], err);
	return r;
}

void build_binds_fini(struct build_binds *binds)
{
	for (size_t i = 0; i < ARRAY_LEN(binds->items); i++)
		fd_close(&binds->items[i].hold_fd);
}

static int set_one(struct policy *policy, size_t number, const struct recipe_mount *mount,
		   const char *path, struct error *err)
{
	static const char *const accesses[RECIPE_N_MOUNT_KINDS] = {
		[RECIPE_MOUNT_BIND] = "ro",
		[RECIPE_MOUNT_SCRATCH] = "overlay",
		[RECIPE_MOUNT_MEMORY] = "tmpfs",
	};
	const char *const values[][2] = {
		{ "source", path },
		{ "target", mount->target },
		{ "access", accesses[mount->kind] },
	};
	int r = 0;
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(values); i++) {
		char name[48];
		(void)snprintf(name, sizeof(name), "mounts[%zu].%s", number, values[i][0]);
		if (values[i][1])
			r = policy_set(policy, name, values[i][1], err);
	}
	return r;
}

int build_binds_set(const struct build_binds *binds, struct policy *policy, struct error *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < binds->step->n_mounts; i++) {
		const struct recipe_mount *mount = &binds->step->mounts[i];
		bool has_path = mount->kind != RECIPE_MOUNT_MEMORY;
		r = set_one(policy, i, mount, has_path ? binds->items[i].path : NULL, err);
	}
	return r;
}

/*
 * The names that they were mounted on, made for that: an empty folder or file.  What the step left
 * is a stranger's, so no link is followed on the way there.
 */
void build_binds_unname(const struct build_binds *binds, int upper_fd)
{
	for (size_t i = 0; i < binds->step->n_mounts; i++) {
		const char *target = binds->step->mounts[i].target + 1,
			   *slash = strrchr(target, '/');
		struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
					.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
						   RESOLVE_NO_MAGICLINKS };
		char parent[4096];
		struct stat status;
		(void)snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - target) : 1,
			       slash ? target : ".");
		const char *name = slash ? slash + 1 : target;
		auto_fd int fd = sys_openat2(upper_fd, parent, &how);
		if (fd < 0 || fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISDIR(status.st_mode))
			(void)unlinkat(fd, name, AT_REMOVEDIR);
		else if (S_ISREG(status.st_mode) && status.st_size == 0)
			(void)unlinkat(fd, name, 0);
	}
}
