/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-image: brings images into the store, lists, removes and exports them
 *
 * `foso image ...` is this program.  It holds the rights to the store and reads no byte of an
 * image for what it means: that is foso-unpack's, which has none (image/write/spawn.h).
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "base/programs.h"
#include "base/version.h"
#include "imagetool/commands.h"

#define STATUS_FAILED 125

static const struct command commands[] = {
	{ "import", COMMAND_IMPORT, "[OPTION]... FILE|FOLDER|-",
	  "Bring an image into the store.\n"
	  "It may be an OCI image layout (a folder, or a tar of one), what docker save writes, or\n"
	  "the tar of a root file system; the file may be packed with gzip, zstd, xz or bzip2. All digests\n"
	  "are verified, and the image is there whole or not at all.",
	  1, 1, command_import },
	{ "list", COMMAND_LIST, "[OPTION]...", "List the images of the store, by name.", 0, 0,
	  command_list },
	{ "inspect", COMMAND_INSPECT, "[OPTION]... NAME",
	  "Show what is known of one image: its digests, layers and what it runs.", 1, 1,
	  command_inspect },
	{ "rm", COMMAND_RM, "[OPTION]... NAME...",
	  "Remove images, and what no other image needs.\n"
	  "Layers on which a sandbox runs stay until it ends; foso image gc then removes them.",
	  1, ARGS_MAX_POSITIONAL, command_rm },
	{ "gc", COMMAND_GC, "[OPTION]...",
	  "Remove what no image needs.\n"
	  "That is layers and blobs without a name, and what interrupted imports left.",
	  0, 0, command_gc },
	{ "export", COMMAND_EXPORT, "[OPTION]... NAME FILE|-",
	  "Write an image as a tar: an OCI image layout, and a docker-save archive.\n"
	  "podman, skopeo, umoci and foso image import read it.",
	  2, 2, command_export },
	{ "erofs", COMMAND_EROFS, "[OPTION]... NAME",
	  "Make one EROFS file of an image's layers, by mkfs.erofs.", 1, 1, command_erofs },
};

/* What foso-build does: it starts other programs, and hands what they made to "import". */
static const struct {
	char name[12];
	char meaning[80];
} makers[] = {
	{ "build", "Build an image by a Dockerfile, each step in a sandbox." },
	{ "pull", "Fetch an image from a registry, through skopeo." },
	{ "bootstrap", "Make an image from a distribution's packages, through mmdebstrap." },
};

static int become_maker(char **argv, struct error *err)
{
	char path[PROGRAM_PATH_BYTES];
	int r = program_path("foso-build", path, err);
	if (r < 0)
		return r;
	argv[0] = path;
	(void)execv(path, argv);
	r = error_set(err, ERR_SYSTEM, errno, path, "cannot be started");
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}

static bool is_maker(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(makers); i++)
		if (strcmp(makers[i].name, name) == 0)
			return true;
	return false;
}

static void print_help(void)
{
	printf("usage: foso image COMMAND [OPTION]...\n\n"
	       "Bring images into the store, list, remove and export them.\n\n"
	       "Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		int len = (int)strcspn(commands[i].meaning, "\n");
		printf("  %-9s  %.*s\n", commands[i].name, len, commands[i].meaning);
	}
	for (size_t i = 0; i < ARRAY_LEN(makers); i++)
		printf("  %-9s  %s\n", makers[i].name, makers[i].meaning);
	printf("\nA sandbox runs in an image with foso run --root image:NAME.\n"
	       "foso image COMMAND --help says more about one of them.\n");
}

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int refuse_command(const char *name, struct error *err)
{
	int r = name ? error_set(err, ERR_INVALID, 0, name, "is not a command of foso image")
		     : error_set(err, ERR_INVALID, 0, "image", "no command is given");
	return error_remedy(err, r, "foso image --help lists them");
}

static int run(char **argv, struct error *err)
{
	struct args args;
	const char *name = argv[0] ? argv[1] : NULL;
	if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)) {
		print_help();
		return 0;
	}
	if (name && strcmp(name, "--version") == 0) {
		printf("foso-image %s (%s)\n", version_number(), version_build_id());
		return 0;
	}
	if (name && strcmp(name, "--scdoc") == 0) { /* for tools/man-page */
		for (size_t i = 0; i < ARRAY_LEN(commands); i++)
			args_print_scdoc(&commands[i]);
		return 0;
	}
	if (is_maker(name))
		return become_maker(argv, err);
	const struct command *command = name ? command_find(name) : NULL;
	if (!command)
		return refuse_command(name, err);
	int r = args_parse(&args, command, argv + 2, err);
	if (r < 0)
		return r;
	if (args.is_help) {
		args_print_help(command);
		return 0;
	}
	return command->run(&args, err);
}

int main(int argc, char **argv)
{
	static const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct error err = { .code = ERR_NONE };
	UNUSED(argc);
	/* A reader that went away is an error of the write that met it. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	int r = run(argv, &err);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? STATUS_FAILED : 0;
}
