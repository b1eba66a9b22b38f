/* SPDX-License-Identifier: Apache-2.0 */
/* journal.c - how far a commit came */
#include "workspacetool/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/fd.h"

#define MAGIC       "FOSOJRN1"
#define MAGIC_BYTES 8

struct head {
	char magic[MAGIC_BYTES];
	uint64_t token;
	int64_t time_ns;
	uint64_t n_entries;
	uint8_t set_digest[DIGEST_BYTES];
};

enum record_kind { RECORD_STAGED = 1, RECORD_PHASE };

struct record {
	uint32_t kind; /* enum record_kind */
	uint32_t op;   /* or enum journal_phase */
	uint64_t dev, inode;
	uint64_t check; /* of the bytes before it */
};

static uint64_t check_of(const struct record *record)
{
	uint8_t digest[DIGEST_BYTES];
	uint64_t check;
	digest_sha256(record, offsetof(struct record, check), NULL, 0, digest);
	memcpy(&check, digest, sizeof(check));
	return check;
}

static int failed(struct error *err, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, WORKSPACE_JOURNAL, "%s", what);
	return error_remedy(err, r, "see the space of the store of change sets");
}

static int corrupt(struct error *err)
{
	int r = error_set(err, ERR_CORRUPT, 0, WORKSPACE_JOURNAL,
			  "is not of the commit that was begun");
	return error_remedy(err, r, "compare by hand: names .foso-* in the folder are its own");
}

/* Written under another name, so that a journal that is there is whole. */
static int write_head(struct journal *journal, int dir_fd, const struct head *head,
		      struct error *err)
{
	static const char temporary[] = WORKSPACE_JOURNAL ".new";
	uint8_t digest[DIGEST_BYTES];
	digest_sha256(head, sizeof(*head), journal->choices, journal->n_choices, digest);
	journal->fd =
		openat(dir_fd, temporary,
		       O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (journal->fd < 0 || fd_write_all(journal->fd, head, sizeof(*head)) < 0 ||
	    fd_write_all(journal->fd, journal->choices, journal->n_choices) < 0 ||
	    fd_write_all(journal->fd, digest, sizeof(digest)) < 0 || fdatasync(journal->fd) < 0 ||
	    renameat(dir_fd, temporary, dir_fd, WORKSPACE_JOURNAL) < 0 || fsync(dir_fd) < 0)
		return failed(err, "cannot be written");
	return 0;
}

int journal_create(struct journal *journal, int dir_fd, const struct set *set,
		   const uint8_t *choices, struct error *err)
{
	struct head head = { .magic = MAGIC, .n_entries = set->n_entries };
	struct timespec now;
	*journal = JOURNAL_CLOSED;
	set_digest(set, head.set_digest);
	if (getrandom(&head.token, sizeof(head.token), 0) != sizeof(head.token))
		return failed(err, "no random bytes can be had");
	clock_gettime(CLOCK_REALTIME, &now);
	head.time_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
	journal->choices = malloc(set->n_entries + 1);
	if (!journal->choices)
		return failed(err, "does not fit into memory");
	memcpy(journal->choices, choices, set->n_entries);
	journal->n_choices = set->n_entries;
	journal->token = head.token;
	journal->time_ns = head.time_ns;
	return write_head(journal, dir_fd, &head, err);
}

static void take_record(struct journal *journal, struct plan *plan, const struct record *record)
{
	if (record->kind == RECORD_PHASE && record->op < JOURNAL_N_PHASES) {
		journal->phase = (enum journal_phase)record->op;
	} else if (record->kind == RECORD_STAGED && plan && record->op < plan->n_ops) {
		plan->ops[record->op].is_staged = true;
		plan->ops[record->op].dev = record->dev;
		plan->ops[record->op].inode = record->inode;
	}
}

bool journal_parse(struct journal *journal, const char *bytes, size_t len,
		   const uint8_t digest[DIGEST_BYTES], struct plan *plan)
{
	struct head head;
	uint8_t own[DIGEST_BYTES];
	if (len < sizeof(head) + DIGEST_BYTES)
		return false;
	memcpy(&head, bytes, sizeof(head));
	if (memcmp(head.magic, MAGIC, MAGIC_BYTES) != 0 ||
	    head.n_entries > len - sizeof(head) - DIGEST_BYTES ||
	    memcmp(head.set_digest, digest, DIGEST_BYTES) != 0)
		return false;
	size_t n_head = sizeof(head) + (size_t)head.n_entries;
	digest_sha256(bytes, n_head, NULL, 0, own);
	if (memcmp(own, bytes + n_head, DIGEST_BYTES) != 0)
		return false;
	if (!journal->choices) {
		journal->choices = malloc((size_t)head.n_entries + 1);
		if (!journal->choices)
			return false;
		memcpy(journal->choices, bytes + sizeof(head), (size_t)head.n_entries);
		journal->n_choices = (size_t)head.n_entries;
	}
	for (size_t i = 0; i < journal->n_choices; i++)
		if (journal->choices[i] >= CHOICE_N_KINDS)
			return false;
	journal->token = head.token;
	journal->time_ns = head.time_ns;
	journal->n_good = n_head + DIGEST_BYTES;
	for (size_t at = n_head + DIGEST_BYTES; len - at >= sizeof(struct record);
	     at += sizeof(struct record)) {
		struct record record;

		memcpy(&record, bytes + at, sizeof(record));
		if (record.check != check_of(&record))
			break;
		take_record(journal, plan, &record);
		journal->n_good = at + sizeof(record);
	}
	return true;
}

/* All of the journal; the caller frees *ret. */
static int load(int fd, char **ret, size_t *ret_len)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return -1;
	auto_free char *bytes = malloc((size_t)status.st_size + 1);
	size_t at = 0;
	while (bytes && at < (size_t)status.st_size) {
		ssize_t n = pread(fd, bytes + at, (size_t)status.st_size - at, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	if (!bytes)
		return -1;
	*ret_len = at;
	*ret = take_ptr(&bytes);
	return 0;
}

static int parse_file(struct journal *journal, const struct set *set, struct plan *plan,
		      struct error *err)
{
	auto_free char *bytes = NULL;
	uint8_t digest[DIGEST_BYTES];
	size_t len;
	set_digest(set, digest);
	if (load(journal->fd, &bytes, &len) < 0)
		return failed(err, "cannot be read");
	if (!journal_parse(journal, bytes, len, digest, plan) ||
	    journal->n_choices != set->n_entries)
		return corrupt(err);
	return 0;
}

int journal_open(struct journal *journal, int dir_fd, const struct set *set, struct error *err)
{
	*journal = JOURNAL_CLOSED;
	journal->fd = openat(dir_fd, WORKSPACE_JOURNAL, O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (journal->fd < 0)
		return failed(err, "cannot be opened");
	int r = parse_file(journal, set, NULL, err);
	/* What a crash tore would shift all that is written from now on. */
	if (r == 0 && ftruncate(journal->fd, (off_t)journal->n_good) < 0)
		r = failed(err, "cannot be cut to its last whole record");
	return r;
}

int journal_read(struct journal *journal, struct plan *plan, struct error *err)
{
	return parse_file(journal, plan->set, plan, err);
}

static int flush(struct journal *journal, struct error *err)
{
	size_t n = journal->n_waiting;
	journal->n_waiting = 0;
	return fd_write_all(journal->fd, journal->waiting, n) < 0 ? failed(err, "cannot be written")
								  : 0;
}

static int append(struct journal *journal, struct record *record, struct error *err)
{
	int r = 0;
	record->check = check_of(record);
	if (sizeof(journal->waiting) - journal->n_waiting < sizeof(*record))
		r = flush(journal, err);
	memcpy(journal->waiting + journal->n_waiting, record, sizeof(*record));
	journal->n_waiting += sizeof(*record);
	return r;
}

int journal_note_staged(struct journal *journal, uint32_t op, const struct op *staged,
			struct error *err)
{
	struct record record = {
		.kind = RECORD_STAGED, .op = op, .dev = staged->dev, .inode = staged->inode
	};
	return append(journal, &record, err);
}

int journal_enter(struct journal *journal, enum journal_phase phase, struct error *err)
{
	struct record record = { .kind = RECORD_PHASE, .op = (uint32_t)phase };
	int r = append(journal, &record, err);
	if (r == 0)
		r = flush(journal, err);
	if (r == 0 && fdatasync(journal->fd) < 0)
		r = failed(err, "cannot be written out");
	if (r == 0)
		journal->phase = phase;
	return r;
}

void journal_close(struct journal *journal)
{
	fd_close(&journal->fd);
	free(journal->choices);
	journal->choices = NULL;
}

bool journal_is_there(int dir_fd)
{
	return faccessat(dir_fd, WORKSPACE_JOURNAL, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The journal goes first: a plan without one is of a commit that is over. */
int journal_remove(int dir_fd, struct error *err)
{
	if (unlinkat(dir_fd, WORKSPACE_JOURNAL, 0) < 0 && errno != ENOENT)
		return failed(err, "cannot be removed");
	(void)unlinkat(dir_fd, WORKSPACE_PLAN, 0);
	return 0;
}
