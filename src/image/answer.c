/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - what foso-unpack says to the program that started it */
#include "image/answer.h"

#include <string.h>

#include "image/form.h"

#define MAX_WORD_BYTES 256

static void put_digest(struct buf *out, const uint8_t digest[DIGEST_BYTES])
{
	buf_append(out, digest, DIGEST_BYTES);
}

static void put_descriptor(struct buf *out, const struct image_descriptor *descriptor)
{
	put_digest(out, descriptor->digest);
	wire_put_u64(out, descriptor->n_bytes);
	wire_put_u8(out, descriptor->is_index);
	wire_put_u8(out, descriptor->is_docker);
	wire_put_u8(out, (uint8_t)descriptor->platform);
	wire_put_u8(out, (uint8_t)descriptor->compression);
	image_put_string(out, descriptor->ref);
	image_put_string(out, descriptor->name);
}

static void get_descriptor(struct wire_reader *reader, struct image_descriptor *ret)
{
	image_get_digest(reader, ret->digest);
	ret->n_bytes = wire_get_u64(reader);
	ret->is_index = wire_get_bool(reader);
	ret->is_docker = wire_get_bool(reader);
	ret->platform = (enum image_platform)wire_get_enum(reader, IMAGE_PLATFORM_OTHER + 1);
	ret->compression = (enum image_compression)wire_get_enum(reader, IMAGE_N_COMPRESSIONS);
	ret->ref = image_get_string(reader, MAX_WORD_BYTES);
	ret->name = image_get_string(reader, MAX_WORD_BYTES);
}

static void put_descriptors(struct buf *out, const struct image_answer *answer)
{
	wire_put_u32(out, answer->n_descriptors);
	for (uint32_t i = 0; i < answer->n_descriptors; i++)
		put_descriptor(out, &answer->descriptors[i]);
}

static void get_descriptors(struct wire_reader *reader, struct image_answer *ret)
{
	ret->n_descriptors = wire_get_count(reader, IMAGE_MAX_INDEX);
	for (uint32_t i = 0; i < ret->n_descriptors; i++)
		get_descriptor(reader, &ret->descriptors[i]);
}

static void put_fault(struct buf *out, const struct image_answer *answer)
{
	wire_put_u8(out, (uint8_t)answer->fault.id);
	wire_put_u64(out, answer->fault.numbers[0]);
	wire_put_u64(out, answer->fault.numbers[1]);
	image_put_string(out, answer->fault.name);
}

static void get_fault(struct wire_reader *reader, struct image_answer *ret)
{
	ret->fault.id = (enum image_fault_id)wire_get_enum(reader, IMAGE_N_FAULTS);
	ret->fault.numbers[0] = wire_get_u64(reader);
	ret->fault.numbers[1] = wire_get_u64(reader);
	ret->fault.name = image_get_string(reader, IMAGE_PATH_MAX);
}

static void put_archive(struct buf *out, const struct image_answer *answer)
{
	wire_put_u8(out, (uint8_t)answer->format);
	wire_put_u32(out, answer->n_members);
	for (uint32_t i = 0; i < answer->n_members; i++) {
		image_put_string(out, answer->members[i].name);
		wire_put_u64(out, answer->members[i].offset);
		wire_put_u64(out, answer->members[i].n_bytes);
	}
}

static void get_archive(struct wire_reader *reader, struct image_answer *ret)
{
	ret->format = (enum image_format)wire_get_enum(reader, IMAGE_N_FORMATS);
	ret->n_members = wire_get_count(reader, IMAGE_MAX_MEMBERS);
	for (uint32_t i = 0; i < ret->n_members; i++) {
		ret->members[i].name = image_get_string(reader, IMAGE_PATH_MAX);
		ret->members[i].offset = wire_get_u64(reader);
		ret->members[i].n_bytes = wire_get_u64(reader);
	}
}

static void put_manifest(struct buf *out, const struct image_answer *answer)
{
	wire_put_u8(out, answer->is_docker);
	put_descriptor(out, &answer->config);
	put_descriptors(out, answer);
}

static void get_manifest(struct wire_reader *reader, struct image_answer *ret)
{
	ret->is_docker = wire_get_bool(reader);
	get_descriptor(reader, &ret->config);
	get_descriptors(reader, ret);
}

static void put_config(struct buf *out, const struct image_answer *answer)
{
	const struct image_record *record = &answer->record;
	image_put_string(out, record->architecture);
	image_put_string(out, record->os);
	image_put_config(out, record);
	wire_put_u32(out, record->n_layers);
	for (uint32_t i = 0; i < record->n_layers; i++)
		put_digest(out, record->layers[i].diff_id);
}

static void get_config(struct wire_reader *reader, struct image_answer *ret)
{
	struct image_record *record = &ret->record;
	record->architecture = image_get_string(reader, IMAGE_PLATFORM_WORD_MAX);
	record->os = image_get_string(reader, IMAGE_PLATFORM_WORD_MAX);
	image_get_config(reader, record);
	record->n_layers = wire_get_count(reader, IMAGE_MAX_LAYERS);
	for (uint32_t i = 0; i < record->n_layers; i++)
		image_get_digest(reader, record->layers[i].diff_id);
}

static void put_docker(struct buf *out, const struct image_answer *answer)
{
	image_put_string(out, answer->config_path);
	image_put_list(out, &answer->layer_paths);
	image_put_list(out, &answer->tags);
}

static void get_docker(struct wire_reader *reader, struct image_answer *ret)
{
	ret->config_path = image_get_string(reader, IMAGE_PATH_MAX);
	ret->layer_paths = image_get_list(reader);
	ret->tags = image_get_list(reader);
}

static void put_layer(struct buf *out, const struct image_answer *answer)
{
	wire_put_u64(out, answer->n_entries);
	wire_put_u64(out, answer->n_bytes);
}

static void get_layer(struct wire_reader *reader, struct image_answer *ret)
{
	ret->n_entries = wire_get_u64(reader);
	ret->n_bytes = wire_get_u64(reader);
}

static const struct {
	void (*put)(struct buf *out, const struct image_answer *answer);
	void (*get)(struct wire_reader *reader, struct image_answer *ret);
} forms[IMAGE_N_ANSWERS] = {
	[IMAGE_ANSWER_FAULT] = { put_fault, get_fault },
	[IMAGE_ANSWER_ARCHIVE] = { put_archive, get_archive },
	[IMAGE_ANSWER_INDEX] = { put_descriptors, get_descriptors },
	[IMAGE_ANSWER_MANIFEST] = { put_manifest, get_manifest },
	[IMAGE_ANSWER_CONFIG] = { put_config, get_config },
	[IMAGE_ANSWER_DOCKER] = { put_docker, get_docker },
	[IMAGE_ANSWER_LAYER] = { put_layer, get_layer },
};

void image_answer_encode(const struct image_answer *answer, struct buf *out)
{
	wire_put_u8(out, (uint8_t)answer->kind);
	forms[answer->kind].put(out, answer);
}

int image_answer_decode(const void *bytes, size_t len, enum image_answer_kind expected,
			struct image_answer *ret, struct error *err)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	ret->kind = (enum image_answer_kind)wire_get_enum(&reader, IMAGE_N_ANSWERS);
	if (!reader.is_broken)
		forms[ret->kind].get(&reader, ret);
	if (wire_reader_is_done(&reader) &&
	    (ret->kind == expected || ret->kind == IMAGE_ANSWER_FAULT))
		return 0;
	int r = error_set(err, ERR_PROTOCOL, 0, "foso-unpack",
			  len == 0 ? "ended without an answer" : "gave an answer that is none");
	return error_remedy(err, r,
			    "do not use this image; if it is one of yours, report a bug of foso");
}

/* %1 and %2 of the table; nothing else of a message is special. */
static void fill_in(const char *message, const uint64_t numbers[2], char *text, size_t size)
{
	size_t len = 0;
	for (const char *at = message; *at && len + 1 < size; at++) {
		bool is_number = at[0] == '%' && (at[1] == '1' || at[1] == '2');
		if (!is_number) {
			text[len++] = *at;
			continue;
		}
		at++;
		int n = snprintf(text + len, size - len, "%llu",
				 (unsigned long long)numbers[*at - '1']);
		len = MIN(len + (size_t)MAX(n, 0), size - 1);
	}
	text[len] = '\0';
}

int image_fault_error(const struct image_fault *fault, const char *where, struct error *err)
{
	static const struct {
		enum error_code code;
		const char *message, *remedy;
	} rows[IMAGE_N_FAULTS] = {
#define IMAGE_FAULT_ROW(id, code, message, remedy) { ERR_##code, message, remedy },
		IMAGE_FAULTS(IMAGE_FAULT_ROW)
#undef IMAGE_FAULT_ROW
	};
	char subject[sizeof(err->subject)], message[sizeof(err->message)];
	bool has_errno = fault->id == IMAGE_FAULT_SYSTEM || fault->id == IMAGE_FAULT_RIGHTS ||
			 fault->id == IMAGE_FAULT_OVERLAY;
	int errnum = has_errno && fault->numbers[0] < 4096 ? (int)fault->numbers[0] : 0;
	(void)snprintf(subject, sizeof(subject), "%s%s%s", where, fault->name[0] ? ": " : "",
		       fault->name);
	fill_in(rows[fault->id].message, fault->numbers, message, sizeof(message));
	int r = error_set(err, rows[fault->id].code, errnum, subject, "%s", message);
	return error_remedy(err, r, "%s", rows[fault->id].remedy);
}
