/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.h - what foso doctor looks at on this host
 *
 * FACT(ID, name, essential, function)
 *
 *   essential   true: without it level `process` does not run here; false: it runs weaker, and
 *               the evidence of each run says so
 *
 * That a level works is not concluded from the facts: a sandbox is started and runs a command.
 * The facts say why it does not, and what is missing where it does.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

/* clang-format off */
#define DOCTOR_FACTS(FACT)                                                                        \
	FACT(KERNEL,     "kernel",           true,  look_at_kernel)                               \
	FACT(NAMESPACES, "namespaces",       true,  look_at_namespaces)                           \
	FACT(USERNS,     "user namespaces",  true,  look_at_user_namespaces)                      \
	FACT(SECCOMP,    "seccomp",          true,  look_at_seccomp)                              \
	FACT(OVERLAY,    "overlay",          false, look_at_overlay)                              \
	FACT(LANDLOCK,   "landlock",         false, look_at_landlock)                             \
	FACT(CGROUPS,    "control groups",   false, look_at_cgroups)
/* clang-format on */

enum doctor_fact_id {
#define FACT_ENUM(id, ...) DOCTOR_FACT_##id,
	DOCTOR_FACTS(FACT_ENUM)
#undef FACT_ENUM
		DOCTOR_N_FACTS
};

struct doctor_fact {
	const char *name; /* static */
	bool is_essential;
	bool is_good;
	char text[320];   /* what was found, or what is missing */
	char remedy[256]; /* "" if it is good */
};

/* doctor_look() - look at everything; never fails, what cannot be read is not good. */
void doctor_look(struct doctor_fact ret_facts[DOCTOR_N_FACTS]);

/* How a trial sandbox ended. */
struct doctor_trial {
	bool is_good;
	char text[1024]; /* what foso said, lines with their newlines; "" if it is good */
};

/*
 * doctor_try() - start a sandbox at @level that runs /bin/true and leaves no evidence
 *
 * -ERR_SYSTEM if foso itself cannot be started.
 */
int doctor_try(const char *level, struct doctor_trial *ret, struct error *err) must_check;
