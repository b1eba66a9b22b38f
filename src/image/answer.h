/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.h - what foso-unpack says to the program that started it
 *
 * One message on its stdout, then it ends.  Whoever reads it believes nothing: the bytes that it
 * read were a stranger's, so it may have been taken over.  Words are not among what it can say:
 * a fault is a number of the table below, with at most a name and two numbers beside it.
 */
#pragma once

#include "image/record.h"

/*
 * FAULT(ID, error code, message, remedy)
 *
 * The message may use the two numbers as %1 and %2; SYSTEM's first one is an errno.
 */
/* clang-format off */
#define IMAGE_FAULTS(FAULT)                                                                       \
	FAULT(SYSTEM, SYSTEM, "cannot be unpacked",                                               \
	      "look at the free space and inodes of the image store's disk")                      \
	FAULT(RIGHTS, SYSTEM, "foso-unpack cannot give up its rights, so it read nothing",        \
	      "see whether an outer sandbox forbids it; foso doctor tells what this host can do") \
	FAULT(OVERLAY, UNSUPPORTED, "cannot be laid over the layers below it on this host",       \
	      "use Linux 5.19 or later, and a store on ext4, xfs or btrfs: set $FOSO_IMAGES")     \
	FAULT(MEMORY, LIMIT, "takes more memory than foso-unpack may use",                        \
	      "make the image with fewer files or smaller documents")                             \
	FAULT(JSON, INVALID, "is not JSON, has a name twice in an object, or is nested too deep", \
	      "make the image anew with a tool that follows the OCI image spec")                  \
	FAULT(FIELD, INVALID, "is missing, or is not what the OCI image spec says",               \
	      "make the image anew with a tool that follows the OCI image spec")                  \
	FAULT(MANY, LIMIT, "has more than %1 items",                                              \
	      "make an image with fewer")                                                         \
	FAULT(MEDIA_TYPE, UNSUPPORTED, "is a media type that foso does not read",                 \
	      "convert the image with skopeo copy to oci:FOLDER; layers are tar, gzip or zstd")   \
	FAULT(COMPRESSION, UNSUPPORTED, "is neither a tar nor one packed with gzip or zstd, or is damaged", \
	      "pack it again with gzip or zstd, or not at all")                                   \
	FAULT(TAR, INVALID, "is not a tar archive, or is damaged",                                \
	      "fetch or make it anew")                                                            \
	FAULT(CUT, INVALID, "ends too early",                                                     \
	      "fetch or make it anew")                                                            \
	FAULT(UP, REFUSED, "leads out of its folder by '..'",                                     \
	      "do not use this image: no builder writes such a name")                             \
	FAULT(ABSOLUTE, REFUSED, "is an absolute path",                                           \
	      "make the archive with names relative to its root")                                 \
	FAULT(NO_NAME, INVALID, "has an entry without a name",                                    \
	      "make the archive anew")                                                            \
	FAULT(NAME_LONG, REFUSED, "has a part of %1 bytes; a file name has at most 255",          \
	      "give the file a shorter name")                                                     \
	FAULT(PATH_LONG, REFUSED, "is a path of %1 bytes in %2 parts; at most 4095 bytes in 255 parts are taken", \
	      "give the file a shorter path")                                                     \
	FAULT(THROUGH_LINK, REFUSED, "lies behind a link that the same layer makes",              \
	      "do not use this image: no builder writes such an archive")                         \
	FAULT(LOOP, REFUSED, "lies behind links that lead in a circle",                           \
	      "make the image anew without the circle")                                           \
	FAULT(BELOW_FILE, REFUSED, "lies below something that is no folder",                      \
	      "make the image anew, with the folder before what is in it")                        \
	FAULT(TWICE, REFUSED, "is there twice, which the OCI image spec forbids",                 \
	      "make the layer anew, with each file once")                                         \
	FAULT(DEVICE, REFUSED, "is a device node, which no sandbox gets from an image",           \
	      "leave devices out of the image; a sandbox has its own /dev")                       \
	FAULT(KIND, UNSUPPORTED, "is of a kind that foso does not unpack",                        \
	      "leave it out: files, folders, links and FIFOs are taken")                          \
	FAULT(XATTR, REFUSED, "has an extended attribute that belongs to the overlay file system", \
	      "do not use this image: no builder writes such an attribute")                       \
	FAULT(OWNER, REFUSED, "belongs to user %1, group %2; ids from 0 to 65535 are kept",       \
	      "make the image with ordinary ids")                                                 \
	FAULT(LINK_TARGET, REFUSED, "is a hard link to something that is not there, or is a folder", \
	      "make the layer anew, with the file before the link to it")                         \
	FAULT(ROOT_KIND, REFUSED, "would replace the root folder by something else",              \
	      "do not use this image")                                                            \
	FAULT(WHITEOUT, INVALID, "removes nothing that has a name",                               \
	      "make the layer anew")                                                              \
	FAULT(N_ENTRIES, LIMIT, "is entry number %2; at most %1 are taken (limit: entries)",      \
	      "if you trust the image, give a higher --max-entries")                              \
	FAULT(N_BYTES, LIMIT, "makes %2 bytes; at most %1 are taken (limit: bytes)",              \
	      "if you trust the image, give a higher --max-bytes")
/* clang-format on */

enum image_fault_id {
#define IMAGE_FAULT_ENUM(id, ...) IMAGE_FAULT_##id,
	IMAGE_FAULTS(IMAGE_FAULT_ENUM)
#undef IMAGE_FAULT_ENUM
		IMAGE_N_FAULTS
};

struct image_fault {
	enum image_fault_id id;
	uint64_t numbers[2];
	const char *name; /* of a member, a field, a media type; "" if the whole is meant */
};

/* Forms of what can be imported. */
enum image_format {
	IMAGE_FORMAT_OCI,    /* OCI image layout */
	IMAGE_FORMAT_DOCKER, /* docker save */
	IMAGE_FORMAT_ROOTFS, /* the tar of a root file system */
	IMAGE_N_FORMATS
};

#define IMAGE_MAX_MEMBERS  1024       /* of an archive of blobs */
#define IMAGE_MAX_INDEX    256        /* manifests in one index */
#define IMAGE_PATH_MAX     4095       /* bytes of a member's path */
#define IMAGE_ANSWER_BYTES (1u << 20) /* of one answer */
#define IMAGE_JSON_BYTES   (4u << 20) /* of one JSON document; OCI's own bound of a manifest */

/* A file inside an archive: @n_bytes from @offset of the archive on. */
struct image_member {
	const char *name;
	uint64_t offset, n_bytes;
};

enum image_platform { IMAGE_PLATFORM_UNSAID, IMAGE_PLATFORM_OURS, IMAGE_PLATFORM_OTHER };

struct image_descriptor {
	uint8_t digest[DIGEST_BYTES];
	uint64_t n_bytes;
	bool is_index;  /* of an index: another index behind it */
	bool is_docker; /* of an index: a manifest in Docker's words */
	enum image_platform platform;
	enum image_compression compression; /* of a layer */
	const char *ref, *name; /* annotations: the reference in the layout; the full name */
};

enum image_answer_kind {
	IMAGE_ANSWER_FAULT,
	IMAGE_ANSWER_ARCHIVE,  /* format, members */
	IMAGE_ANSWER_INDEX,    /* descriptors */
	IMAGE_ANSWER_MANIFEST, /* is_docker, config, descriptors: the layers, the lowest first */
	IMAGE_ANSWER_CONFIG,   /* record: what the config says; diff ids of its layers */
	IMAGE_ANSWER_DOCKER,   /* config_path, layer_paths, tags */
	IMAGE_ANSWER_LAYER,    /* n_entries, n_bytes */
	IMAGE_N_ANSWERS
};

struct image_answer {
	enum image_answer_kind kind;
	struct image_fault fault;
	enum image_format format;
	uint32_t n_members;
	struct image_member members[IMAGE_MAX_MEMBERS];
	bool is_docker;
	struct image_descriptor config;
	uint32_t n_descriptors;
	struct image_descriptor descriptors[IMAGE_MAX_INDEX];
	struct image_record record; /* architecture to volumes, n_layers, layers[].diff_id */
	const char *config_path;
	struct image_list layer_paths, tags;
	uint64_t n_entries, n_bytes;
};

void image_answer_encode(const struct image_answer *answer, struct buf *out);

/*
 * image_answer_decode() - strict: counts bounded, no byte left over; strings point into @bytes
 *
 * -ERR_PROTOCOL, subject "foso-unpack".  A fault is an answer: see image_fault_error().
 */
int image_answer_decode(const void *bytes, size_t len, enum image_answer_kind expected,
			struct image_answer *ret, struct error *err) must_check;

/* image_fault_error() - the fault as an error, "@where: name" as its subject; negative. */
int image_fault_error(const struct image_fault *fault, const char *where, struct error *err);
