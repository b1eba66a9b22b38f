/* SPDX-License-Identifier: Apache-2.0 */
/* lost.c - the record of a run whose monitor was killed */
#include "evidence/lost.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "evidence/log.h"
#include "evidence/record.h"
#include "evidence/signer.h"

struct will {
	const char *path, *key, *canonical;
};

static void append_path(struct buf *buf, const char *path)
{
	char folder[PATH_MAX];
	if (path[0] != '\0' && path[0] != '/' && getcwd(folder, sizeof(folder)))
		buf_printf(buf, "%s/", folder);
	buf_append(buf, path, strlen(path) + 1);
}

void evidence_will_format(const struct policy *policy, const struct buf *canonical, struct buf *ret)
{
	append_path(ret, policy->evidence.path);
	append_path(ret, policy->evidence.sign);
	buf_append(ret, canonical->data, canonical->len);
	buf_append_char(ret, '\0');
}

/* False for one that was not written to its end. */
static bool will_parse(const struct buf *bytes, struct will *ret)
{
	const char **strings[] = { &ret->path, &ret->key, &ret->canonical };
	const char *at = bytes->data, *end = at + bytes->len;
	for (size_t i = 0; i < ARRAY_LEN(strings); i++) {
		const char *nul = memchr(at, '\0', (size_t)(end - at));
		if (!nul)
			return false;
		*strings[i] = at;
		at = nul + 1;
	}
	return at == end;
}

static void fill(const struct rundir_entry *entry, const struct will *will, const char *note,
		 struct evidence_record *ret)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	*ret = (struct evidence_record){
		.id = entry->id,
		.policy_canonical = will->canonical,
		.level = entry->state.level,
		.is_rootless = geteuid() != 0,
		.is_signed = will->key[0] != '\0',
		.started_realtime_ns = entry->state.started_realtime_ns,
		.ended_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
		.end = { .reason = END_SANDBOX_LOST, .code = -1 },
		.notes = { "the monitor was killed; the end is when that was found, and what was "
			   "used is not known",
			   note },
		.n_notes = 2,
	};
	digest_sha256(will->canonical, strlen(will->canonical), NULL, 0, ret->policy_digest);
}

static int append(const struct evidence_record *record, const struct will *will,
		  struct evidence_signer *signer, struct error *err)
{
	auto_buf struct buf json = BUF_INIT(EVIDENCE_MAX_RECORD_BYTES + 1);
	auto_fd int dir_fd = -1;
	evidence_record_format(record, &json);
	if (!buf_is_whole(&json)) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "evidence", "the record cannot be made");
		return error_remedy(err, r, "free some memory");
	}
	int r = evidence_log_open(will->path, &dir_fd, err);
	if (r == 0 && record->is_signed)
		r = evidence_signer_start(signer, will->key, err);
	if (r == 0 && record->is_signed)
		r = evidence_signer_await(signer, err);
	if (r < 0)
		return r;
	return evidence_log_append(dir_fd, json.data, json.len,
				   record->is_signed ? evidence_signer_sign : NULL, signer, err);
}

int evidence_lost_record(int run_dir_fd, const struct rundir_entry *entry, struct error *err)
{
	static struct evidence_record record;
	struct evidence_signer signer = EVIDENCE_SIGNER_INIT;
	auto_buf struct buf bytes = BUF_INIT(EVIDENCE_WILL_BYTES);
	char note[sizeof(entry->state.command) + 64];
	struct will will;
	int r = rundir_will_read(run_dir_fd, entry->id, &bytes, err);
	if (r < 0 || bytes.len == 0 || !buf_is_whole(&bytes) || !will_parse(&bytes, &will))
		return r;
	if (will.path[0] != '\0' && access(will.path, F_OK) < 0)
		return 0;
	(void)snprintf(note, sizeof(note), "%s: %s",
		       entry->state.is_background ? "its command had ended, and processes were kept"
						  : "its command",
		       entry->state.command);
	fill(entry, &will, note, &record);
	r = append(&record, &will, &signer, err);
	evidence_signer_stop(&signer);
	return r;
}
