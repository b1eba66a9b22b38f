/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the options of foso image, as tables of rows that options/options.h describes */
#pragma once

/* clang-format off */
#define IMAGE_STORE_OPTIONS(OPTION)                                                               \
	OPTION(STORE, "store", '\0', "FOLDER", "<folder>", "",                                    \
	       "the image store; by default $FOSO_IMAGES, /var/lib/foso/images for root, "        \
	       "$XDG_DATA_HOME/foso/images or ~/.local/share/foso/images for others")

#define IMAGE_IMPORT_OPTIONS(OPTION)                                                              \
	IMAGE_STORE_OPTIONS(OPTION)                                                               \
	OPTION(NAME,        "name",        '\0', "NAME", "", "",                                  \
	       "what the image is to be called, such as base or tools/node:20; an image of that " \
	       "name is replaced")                                                                \
	OPTION(FORMAT,      "format",      '\0', "FORMAT", "oci docker rootfs", "",               \
	       "oci (an OCI image layout), docker (written by docker save) or rootfs (the tar of " \
	       "a root file system); by default what the file looks like")                        \
	OPTION(REF,         "ref",         '\0', "REF", "", "",                                   \
	       "which image of an OCI layout that has several")                                   \
	OPTION(MAX_BYTES,   "max-bytes",   '\0', "SIZE", "", "",                                  \
	       "how much the image may unpack to; by default 16GiB")                              \
	OPTION(MAX_ENTRIES, "max-entries", '\0', "N", "", "",                                     \
	       "how many files, folders and links it may have; by default 1000000")               \
	OPTION(MAX_RATIO,   "max-ratio",   '\0', "N", "", "",                                     \
	       "how many times its packed size a layer may unpack to, beyond 64MiB; by default 200") \
	OPTION(MAX_TIME,    "max-time",    '\0', "TIME", "", "",                                  \
	       "how long it may take; by default 30min")

#define IMAGE_SHOW_OPTIONS(OPTION)                                                                \
	IMAGE_STORE_OPTIONS(OPTION)                                                               \
	OPTION(JSON, "json", 'j', "", "", "", "write JSON instead of text")

#define IMAGE_GC_OPTIONS(OPTION)                                                                  \
	IMAGE_STORE_OPTIONS(OPTION)                                                               \
	OPTION(DRY_RUN, "dry-run", 'n', "", "", "", "say what would be removed, remove nothing")
/* clang-format on */
