/* SPDX-License-Identifier: Apache-2.0 */
/* remove.c - foso image rm and gc */
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/programs.h"
#include "image/write/sweep.h"
#include "imagetool/commands.h"

static void print_sweep(const struct sweep *sweep, const char *verb)
{
	char size[FORMAT_BYTES_SIZE];
	format_bytes(sweep->n_bytes, size);
	printf("%s %llu layers, %llu blobs, %llu leftovers, %s\n", verb,
	       (unsigned long long)sweep->n_layers, (unsigned long long)sweep->n_blobs,
	       (unsigned long long)sweep->n_leftovers, size);
	if (sweep->n_held > 0)
		printf("%llu layers are in use and stay; foso image gc removes them later\n",
		       (unsigned long long)sweep->n_held);
}

static int sweep_and_say(const struct image_store *store, bool is_dry_run, struct error *err)
{
	struct sweep sweep;
	int r = image_sweep(store, is_dry_run, &sweep, err);
	if (r == 0)
		print_sweep(&sweep, is_dry_run ? "would remove" : "removed");
	return r;
}

int command_rm(const struct args *args, struct error *err)
{
	struct image_store store;
	char name[IMAGE_NAME_BYTES];
	int r = image_store_open(&store, args->store, err);
	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && args->operands[i]; i++) {
		r = image_name_parse(args->operands[i], name, err);
		if (r == 0)
			r = image_forget(&store, name, err);
		if (r == 0)
			printf("%s is removed\n", name);
	}
	if (r == 0)
		r = sweep_and_say(&store, false, err);
	image_store_fini(&store);
	return r;
}

/* What builds left, and what of their cache points to nothing: foso-build knows. */
static int sweep_builds(const struct image_store *store, struct error *err)
{
	char path[PROGRAM_PATH_BYTES];
	const char *const words[] = { "foso-build", "sweep", store->path, NULL };
	int status = 0, r = program_path("foso-build", path, err);
	if (r < 0)
		return r;
	pid_t pid = fork();
	if (pid == 0) {
		(void)execv(path, (char *const *)(uintptr_t)words);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	r = error_set(err, ERR_UNAVAILABLE, 0, "foso-build", "could not remove what builds left");
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}

int command_gc(const struct args *args, struct error *err)
{
	struct image_store store;
	int r = image_store_open(&store, args->store, err);
	if (r < 0)
		return r;
	r = sweep_and_say(&store, args->is_dry_run, err);
	if (r == 0 && !args->is_dry_run)
		r = sweep_builds(&store, err);
	image_store_fini(&store);
	return r;
}
