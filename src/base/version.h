/* SPDX-License-Identifier: Apache-2.0 */
/* version.h - which foso this is */
#pragma once

/* version_number() - "0.1.0", of the release that this is or leads to. */
const char *version_number(void);

/*
 * version_build_id() - which sources the program was built from
 *
 * "git-<commit>" for a clean work tree; otherwise, and in a tarball, "src-<SHA-256 of the files
 * below src, cut to 16 digits>", behind the commit if there is one (tools/build-id).
 */
const char *version_build_id(void);
