/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - what a sandbox may do; include <foso/foso.h> */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct foso_error;
struct foso_policy;

/*
 * foso_policy_new() - a policy with every field at its default
 *
 * The caller owns *ret_policy.  -FOSO_ERROR_SYSTEM: no memory.
 */
int foso_policy_new(struct foso_policy **ret_policy, struct foso_error *err);

/* foso_policy_free() - accepts NULL; returns NULL. */
struct foso_policy *foso_policy_free(struct foso_policy *policy);

/*
 * foso_policy_from_text() - a policy out of YAML or JSON, as foso-policy(5) describes it
 * @text:  @len bytes, at most 1 MiB, borrowed for the call
 * @name:  what errors call the document, "agent.yaml"; NULL for "policy"
 *
 * A separate program without rights, foso-policy, reads the text.  Blocks until it has.
 * -FOSO_ERROR_INVALID and others, one for each mistake, subject "NAME:LINE: FIELD";
 * -FOSO_ERROR_NOT_FOUND or -FOSO_ERROR_SYSTEM, subject "foso-policy": it cannot be started.
 */
int foso_policy_from_text(const char *text, size_t len, const char *name,
			  struct foso_policy **ret_policy, struct foso_error *err);

/*
 * foso_policy_set() - give one field a value
 * @field:  as in foso-policy(5): "limits.memory", "workspace", "env.PATH", "mounts[0].source"
 * @value:  as in a document: "512MiB", "/src:rw"; for a list, one item more
 *
 * A failed call changes nothing.  -FOSO_ERROR_INVALID, subject @field, the accepted forms in the
 * remedy; -FOSO_ERROR_NOT_FOUND: no such field; -FOSO_ERROR_LIMIT: too many items.
 */
int foso_policy_set(struct foso_policy *policy, const char *field, const char *value,
		    struct foso_error *err);

/* foso_policy_reset() - give one field its default again; a list becomes empty.  Errors as above.
 */
int foso_policy_reset(struct foso_policy *policy, const char *field, struct foso_error *err);

/*
 * foso_policy_check() - everything that is wrong with it, whatever the host
 *
 * foso_run_start() and foso_sandbox_open() do it too.  0, or the code of the first mistake;
 * foso_error_next() has the others.
 */
int foso_policy_check(const struct foso_policy *policy, struct foso_error *err);

/*
 * foso_policy_canonical() - the policy as canonical JSON, whose SHA-256 names it in evidence
 *
 * The caller frees *ret_json with free().  -FOSO_ERROR_SYSTEM: no memory.
 */
int foso_policy_canonical(const struct foso_policy *policy, char **ret_json,
			  struct foso_error *err);

#ifdef __cplusplus
}
#endif
