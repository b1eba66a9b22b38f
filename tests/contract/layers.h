/* SPDX-License-Identifier: Apache-2.0 */
/* layers.h - an image of two layers for the engines: a busybox, and a layer above it */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "levels/level.h"
#include "support/stage.h"

#define LAYERS_BUSYBOX "/bin/busybox"

static char layers_folder[] = "/tmp/foso-contract-XXXXXX";
static struct level_image layers_image = { .layers_fd = -1 };

static inline int layers_remove_one(const char *path, const struct stat *status, int type,
				    struct FTW *place)
{
	UNUSED(status);
	UNUSED(type);
	UNUSED(place);
	return remove(path);
}

static inline void layers_close(void)
{
	if (layers_image.layers_fd < 0)
		return;
	close(layers_image.layers_fd);
	(void)nftw(layers_folder, layers_remove_one, 16, /* NOLINT(concurrency-mt-unsafe) */
		   FTW_DEPTH | FTW_PHYS);
}

/* NULL where there is no busybox, or it cannot be made. */
static inline const struct level_image *layers_open(void)
{
	static const char *const folders[] = { "low", "low/fs", "low/fs/bin", "high", "high/fs" };
	static const char *const applets[] = { "sh", "sleep", "echo", "true" };
	static const char *const layers[] = { "low/fs", "high/fs" };
	if (!mkdtemp(layers_folder) || chmod(layers_folder, 0755) < 0)
		return NULL;
	layers_image.layers_fd = open(layers_folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	layers_image.layers = layers;
	layers_image.n_layers = ARRAY_LEN(layers);
	char path[sizeof(layers_folder) + 32];
	bool is_made = layers_image.layers_fd >= 0;
	for (size_t i = 0; is_made && i < ARRAY_LEN(folders); i++)
		is_made = mkdirat(layers_image.layers_fd, folders[i], 0755) == 0;
	(void)snprintf(path, sizeof(path), "%s/low/fs/bin/busybox", layers_folder);
	is_made = is_made && stage_copy(LAYERS_BUSYBOX, path);
	for (size_t i = 0; is_made && i < ARRAY_LEN(applets); i++) {
		(void)snprintf(path, sizeof(path), "low/fs/bin/%s", applets[i]);
		is_made = symlinkat("busybox", layers_image.layers_fd, path) == 0;
	}
	if (is_made)
		return &layers_image;
	layers_close();
	return NULL;
}
