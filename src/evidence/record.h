/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - what one run leaves behind, as data and as one line of JSON
 *
 * docs/evidence.md describes the JSON, field by field.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"
#include "confine/seccomp.h"
#include "wire/end.h"

#define EVIDENCE_MAX_NOTES        24
#define EVIDENCE_MAX_RECORD_BYTES (512 * 1024)

/* What a record holds at most of each; more is cut, and the cut is stated in the record. */
#define EVIDENCE_MAX_POLICY_BYTES (192 * 1024) /* a longer policy is named by its digest alone */
#define EVIDENCE_MAX_ARGV_BYTES   (16 * 1024)  /* of all arguments together */
#define EVIDENCE_MAX_ARGV_ITEMS   1024
#define EVIDENCE_MAX_ROOT_BYTES   4096
#define EVIDENCE_MAX_NAME_BYTES   128 /* of a field, a mechanism, a system call */
#define EVIDENCE_MAX_TEXT_BYTES   512 /* of any other string */

struct evidence_limit {
	const char *field;     /* "limits.memory" */
	const char *mechanism; /* limit_mechanism.name */
	uint64_t value;        /* in the unit of the policy's canonical form; UINT64_MAX: none */
	uint64_t n_hits;       /* how often it was reached, where the kernel counts */
};

struct evidence_usage {
	uint64_t wall_ns, cpu_ns, memory_peak_bytes, pids_peak;
	uint64_t io_read_bytes, io_write_bytes;
	uint64_t stdout_bytes, stderr_bytes; /* passed on */
	uint64_t lost_output_bytes;          /* cut, and stated */
	uint64_t disk_bytes, disk_inodes;    /* in use on the scratch at the end */
};

/* One command of a session. */
#define EVIDENCE_MAX_COMMANDS      128
#define EVIDENCE_MAX_COMMAND_BYTES 96

struct evidence_command {
	unsigned number;
	char name[EVIDENCE_MAX_COMMAND_BYTES]; /* argv[0], cut */
	struct end end;
	uint64_t started_realtime_ns, wall_ns;
	uint64_t stdout_bytes, stderr_bytes, lost_bytes;
};

/* What became of the changes in a workspace with access "overlay". */
struct evidence_changes {
	const char *id;           /* of the change set */
	const char *mechanism;    /* by which limits.disk is held for it */
	uint64_t n_changed;       /* files and folders */
	uint64_t bytes, inodes;   /* in use */
	bool is_kept, is_counted; /* not kept: nothing was changed */
};

/* Strings are borrowed; NULL is left out of the JSON. */
struct evidence_record {
	const char *id;               /* of the sandbox */
	const char *policy_canonical; /* JSON text of policy_canonical() */
	uint8_t policy_digest[DIGEST_BYTES];
	const char *level;         /* "process" */
	const char *level_why;     /* why auto chose it; NULL if it was named */
	const char *root;          /* "host", "dir:/srv/r" */
	const char *root_digest;   /* hex, or NULL where the root is not content-addressed */
	const char *engine;        /* "linux 6.1.0-..." at level process */
	const char *host_facts[8]; /* "landlock abi 7", "cgroup v1", "time namespace", ... */
	size_t n_host_facts;
	bool is_rootless;
	bool is_signed; /* its line in the log will carry a signature: a stripped one is noticed */
	uint64_t started_realtime_ns, ended_realtime_ns;
	struct end end;
	struct evidence_usage usage;
	struct evidence_limit limits[16];
	size_t n_limits;
	const struct seccomp_denials *denials;  /* borrowed; NULL for none */
	const struct evidence_changes *changes; /* borrowed; NULL for none */
	uint64_t n_files_changed;               /* on the scratch and in writable overlays */
	const char *notes[EVIDENCE_MAX_NOTES];  /* fallbacks, leftovers: sentences */
	size_t n_notes;
	const struct evidence_command *commands; /* of a session, borrowed; NULL for none */
	size_t n_commands; /* that ran; the first EVIDENCE_MAX_COMMANDS of them are there */
	const char *const
		*argv; /* the command, may hold any bytes; NULL-terminated; NULL for none */
};

/*
 * evidence_record_format() - one JSON object, no newline inside; keys in a fixed order
 *
 * Valid JSON whatever bytes the strings hold, and never more than EVIDENCE_MAX_RECORD_BYTES:
 * what is too long is cut, and the record says so.  Check buf_is_whole() for want of memory.
 */
void evidence_record_format(const struct evidence_record *record, struct buf *out);
