/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - a process that only reads what is open already, and says what it read
 *
 * For every program that parses bytes which a stranger chose: policy documents, records of an
 * evidence log, manifests of images.  Whoever takes it over can write to what is open and use up
 * what is allowed here, and nothing else.
 */
#pragma once

#include <stdint.h>

struct confine_reader {
	uint64_t memory_bytes; /* address space; 0: as it is */
	uint64_t cpu_seconds;  /* 0: as it is */
	uint64_t output_bytes; /* by which a file that is stdout or stderr may grow; 0: as it is */
};

/*
 * confine_reader() - gives up all but reading and writing open descriptors, and memory; for good
 *
 * The walls, each behind the other: a seccomp filter that answers EPERM to all else (and kills
 * at a call of another architecture), no path by Landlock where the kernel has it, no new
 * descriptor and no process by rlimits, no capability, the id of nobody where the caller is root,
 * no core.  Everything must be open by then, and what is not to be touched closed.
 *
 * Returns 0 or an errno; the caller stops at it.  A program that is built with the address
 * sanitizer keeps what the sanitizer needs (files at the end, terabytes of shadow): there the
 * filter and the memory limit are left out.
 */
int confine_reader(const struct confine_reader *limits);
