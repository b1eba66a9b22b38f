/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unpack.h - what foso-unpack is made of
 *
 * Each verb reads stdin and fills an answer, or a fault; main.c writes it to ANSWER_FD.  A
 * function that fails fills the fault once and returns -1; everybody above just returns.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "image/answer.h"

#define UNPACK_ANSWER_FD 3
#define UNPACK_TOP_FD    4 /* layer: the folder that holds fs/ and work/, a mount */
#define UNPACK_LOWER_FD  5 /* layer: the folder of all layers, a mount, read-only */

struct unpack_fault {
	enum image_fault_id id;
	uint64_t numbers[2];
	char name[IMAGE_PATH_MAX + 1];
};

/* fault_set() - returns -1; the name is cut to fit. */
int fault_set(struct unpack_fault *fault, enum image_fault_id id, const char *name, uint64_t first,
	      uint64_t second);
int fault_system(struct unpack_fault *fault, int errnum, const char *name);

/* What one run of foso-unpack works on. */
struct unpack {
	struct unpack_fault fault;
	struct image_answer *answer;
	struct buf storage; /* strings of the answer */
};

/* documents.c: JSON of stdin. */
int unpack_index(struct unpack *unpack);
int unpack_manifest(struct unpack *unpack);
int unpack_config(struct unpack *unpack);
int unpack_docker(struct unpack *unpack);

/* The same for @len bytes at @text; what the four above are made of, and fuzzed. */
int document_read(struct unpack *unpack, enum image_answer_kind kind, const char *text, size_t len);

/* archive.c: which members the tar on stdin has.  @format is a word, "auto" to look. */
int unpack_archive(struct unpack *unpack, const char *format);

/* inflate.c: stdin, packed with @packing ("gzip", "zstd", "xz", "bzip2"), to stdout. */
int unpack_inflate(struct unpack *unpack, const char *packing);

struct layer_limits {
	uint64_t max_entries, max_bytes;
	bool is_flat; /* owners are not kept: there is one id */
};

/* layer.c: the tar on stdin into the tree below @root_fd. */
int unpack_layer(struct unpack *unpack, int root_fd, const struct layer_limits *limits);

/* rights.c: for all verbs but layer. */
int rights_of_reader(struct unpack *unpack);

/*
 * rights.c: for layer; the tree in which it works, and nothing else
 * @chains:  folders of the layers below, the lowest first; NULL-terminated
 */
int rights_of_layer(struct unpack *unpack, char *const *chains, const struct layer_limits *limits,
		    int *ret_root_fd);
