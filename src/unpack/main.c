/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-unpack: the only program of foso that reads images
 *
 * Theory of operation.  foso-image starts one process for each document, each archive and each
 * layer, so that what one of them did to its reader ends with it.  A process gives up its rights
 * first (rights.c), then reads stdin, then writes one answer of fixed form to descriptor 3.
 * It is started by foso-image alone, so its command line is not made for people.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/version.h"
#include "unpack/unpack.h"

static const char usage[] = "foso-unpack reads images for foso-image, which starts it.\n"
			    "usage: foso-unpack index|manifest|config|docker\n"
			    "       foso-unpack archive auto|oci|docker|rootfs\n"
			    "       foso-unpack inflate gzip|zstd|xz|bzip2\n"
			    "       foso-unpack layer MAX-ENTRIES MAX-BYTES keep|flat [CHAIN]...\n";

static int run_layer(struct unpack *unpack, char **words)
{
	struct layer_limits limits;
	int root_fd = -1;
	size_t n_words = 0;
	while (words[n_words])
		n_words++;
	if (n_words < 3 || !text_parse_u64(words[0], &limits.max_entries) ||
	    !text_parse_u64(words[1], &limits.max_bytes))
		return fault_system(&unpack->fault, EINVAL, "layer");
	limits.is_flat = strcmp(words[2], "flat") == 0;
	int r = rights_of_layer(unpack, words + 3, &limits, &root_fd);
	return r < 0 ? r : unpack_layer(unpack, root_fd, &limits);
}

static int run(struct unpack *unpack, char **words)
{
	static const struct {
		char word[12];
		int (*read)(struct unpack *unpack);
	} documents[] = { { "index", unpack_index },
			  { "manifest", unpack_manifest },
			  { "config", unpack_config },
			  { "docker", unpack_docker } };
	const char *word = words[1] ? words[1] : "", *argument = words[1] ? words[2] : NULL;
	if (strcmp(word, "layer") == 0)
		return run_layer(unpack, words + 2);
	if (rights_of_reader(unpack) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(documents); i++) {
		if (strcmp(word, documents[i].word) == 0)
			return documents[i].read(unpack);
	}
	if (argument && strcmp(word, "archive") == 0)
		return unpack_archive(unpack, argument);
	if (argument && strcmp(word, "inflate") == 0)
		return unpack_inflate(unpack, argument);
	return fault_system(&unpack->fault, EINVAL, word);
}

static bool write_answer(const struct image_answer *answer)
{
	struct buf out = BUF_INIT(IMAGE_ANSWER_BYTES);
	image_answer_encode(answer, &out);
	bool is_whole = buf_is_whole(&out);
	for (size_t at = 0; is_whole && at < out.len;) {
		ssize_t n = write(UNPACK_ANSWER_FD, out.data + at, out.len - at);
		is_whole = n > 0;
		at += is_whole ? (size_t)n : 0;
	}
	buf_fini(&out);
	return is_whole;
}

int main(int argc, char **argv)
{
	static struct image_answer answer;
	/* Strings of the answer must not move, so all the room is there from the start. */
	static char storage[IMAGE_ANSWER_BYTES];
	static struct unpack unpack = { .answer = &answer };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		(void)printf("foso-unpack %s (%s)\n", version_number(), version_build_id());
		return fflush(stdout) == 0 ? 0 : 125;
	}
	if (argc < 2 || strncmp(argv[1], "-", 1) == 0) {
		bool is_help = argc == 2 && strcmp(argv[1], "--help") == 0;
		(void)fputs(usage, is_help ? stdout : stderr);
		return is_help && fflush(stdout) == 0 ? 0 : 125;
	}
	(void)sigaction(SIGPIPE, &ignore, NULL);
	unpack.storage = BUF_ON(storage, sizeof(storage) - 1);
	if (run(&unpack, argv) < 0) {
		answer = (struct image_answer){
			.kind = IMAGE_ANSWER_FAULT,
			.fault = { .id = unpack.fault.id,
				   .numbers = { unpack.fault.numbers[0], unpack.fault.numbers[1] },
				   .name = unpack.fault.name },
		};
	}
	return write_answer(&answer) ? 0 : 1;
}
