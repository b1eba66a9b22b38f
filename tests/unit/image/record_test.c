/* SPDX-License-Identifier: Apache-2.0 */
/* record_test.c - image records: the form, its bounds, what is refused */
#include <stdlib.h>

#include "base/cleanup.h"
#include "image/record.h"
#include "support/image.h"
#include "support/tap.h"

static char storage[4096];

static void encode(struct buf *out, struct image_record *record)
{
	struct buf strings = BUF_ON(storage, sizeof(storage));
	*record = image_sample(&strings);
	OK(buf_is_whole(&strings));
	image_record_encode(record, out);
	OK(buf_is_whole(out));
}

/* The form on disk is a promise: stores outlive programs. */
static void form(void)
{
	auto_buf struct buf out = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	struct image_record record;
	uint8_t digest[DIGEST_BYTES];
	char hex[DIGEST_HEX_BYTES];
	encode(&out, &record);
	EQ(out.len, 537);
	OK(memcmp(out.data, "fosoimg\1\15\0\0\0tools/base:v1\0", 26) == 0);
	digest_sha256(out.data, out.len, NULL, 0, digest);
	digest_hex(digest, hex);
	STR_EQ(hex, "c3bbd8df1c48274f993bcd5d5cbc3934166cca3a87a283f4809a6b86f0f11f1c");
}

static void round_trip(void)
{
	auto_buf struct buf out = BUF_INIT(IMAGE_RECORD_MAX_BYTES),
			    again = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	struct image_record record, decoded;
	struct error err = { .code = ERR_NONE };
	encode(&out, &record);
	EQ(image_record_decode(out.data, out.len, "x", &decoded, &err), 0);
	STR_EQ(decoded.name, "tools/base:v1");
	STR_EQ(decoded.cwd, "/srv");
	EQ(decoded.env.n_strings, 2);
	const char *at = image_list_next(&decoded.env, NULL);
	STR_EQ(at, "PATH=/usr/bin:/bin");
	at = image_list_next(&decoded.env, at);
	STR_EQ(at, "EMPTY=");
	OK(!image_list_next(&decoded.env, at));
	EQ(decoded.entrypoint.n_strings, 3);
	OK(!image_list_next(&decoded.volumes, NULL));
	EQ(decoded.layers[1].compression, IMAGE_COMPRESSION_ZSTD);
	EQ(decoded.layers[1].tree_bytes, 4001);
	image_record_encode(&decoded, &again);
	OK(again.len == out.len && memcmp(again.data, out.data, out.len) == 0);
}

/* Every prefix and every single changed byte: an error or a record, never a read past the end. */
static void cut_and_changed(void)
{
	auto_buf struct buf out = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	struct image_record record, decoded;
	encode(&out, &record);
	for (size_t len = 0; len < out.len; len++) {
		struct error err = { .code = ERR_NONE };
		char *copy = malloc(len + 1);
		if (!copy) {
			FAIL("no memory");
			return;
		}
		memcpy(copy, out.data, len);
		ERR(image_record_decode(copy, len, "x", &decoded, &err), &err, ERR_CORRUPT, "x");
		free(copy);
	}
	for (size_t i = 0; i < out.len; i++) {
		struct error err = { .code = ERR_NONE };
		out.data[i] = (char)(out.data[i] ^ 0x80);
		(void)!image_record_decode(out.data, out.len, "x", &decoded, &err);
		out.data[i] = (char)(out.data[i] ^ 0x80);
	}
}

static void expect_corrupt(const struct image_record *record, const char *message)
{
	auto_buf struct buf out = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	struct image_record decoded;
	struct error err = { .code = ERR_NONE };
	image_record_encode(record, &out);
	ERR(image_record_decode(buf_string(&out), out.len, "x", &decoded, &err), &err, ERR_CORRUPT,
	    "x");
	STR_EQ(err.message, message);
}

static void refused(void)
{
	struct buf strings = BUF_ON(storage, sizeof(storage));
	struct image_record record = image_sample(&strings);
	record.name = "base";
	expect_corrupt(&record,
		       "is no image record of this foso: its name breaks the rules of names");
	record.name = "../x:v1";
	expect_corrupt(&record,
		       "is no image record of this foso: its name breaks the rules of names");
	record.name = "base:v1";
	record.layers[1].chain[0] ^= 1;
	expect_corrupt(
		&record,
		"is no image record of this foso: its chain ids are not those of its layers");
	record.layers[1].chain[0] ^= 1;
	record.env = record.cmd;
	expect_corrupt(
		&record,
		"is no image record of this foso: its environment has something that is not NAME=VALUE");
	record.env = (struct image_list){ "A=1\0B=2", 1, 8 };
	expect_corrupt(
		&record,
		"is no image record of this foso: it is cut, too long, or a count is out of bounds");
	record.env = (struct image_list){ "A=1", 0, 3 };
	expect_corrupt(
		&record,
		"is no image record of this foso: it is cut, too long, or a count is out of bounds");
}

/* The example of the OCI image spec: config.md, "Layer ChainID", by its formula. */
static void chains(void)
{
	uint8_t diff[DIGEST_BYTES], chain[DIGEST_BYTES], expected[DIGEST_BYTES];
	char text[200], hex[DIGEST_HEX_BYTES];
	memset(diff, 0xab, sizeof(diff));
	image_chain(NULL, diff, chain);
	OK(memcmp(chain, diff, sizeof(diff)) == 0);
	digest_hex(diff, hex);
	int len = snprintf(text, sizeof(text), "sha256:%s sha256:%s", hex, hex);
	digest_sha256(text, (size_t)len, NULL, 0, expected);
	image_chain(chain, diff, chain);
	OK(memcmp(chain, expected, sizeof(expected)) == 0);
}

int main(void)
{
	RUN(form);
	RUN(round_trip);
	RUN(cut_and_changed);
	RUN(refused);
	RUN(chains);
	return tap_done();
}
