/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of foso image build, pull and bootstrap, as tables of rows that
 *             options/options.h describes
 */
#pragma once

/* clang-format off */
#define IMAGE_BUILD_OPTIONS(OPTION)                                                               \
	OPTION(TAG,       "tag",       't',  "NAME", "", "",                                      \
	       "name the image; may be given several times")                                      \
	OPTION(FILE,      "file",      'f',  "FILE", "<file>", "",                                \
	       "the Dockerfile, if it is not CONTEXT/Dockerfile")                                 \
	OPTION(BUILD_ARG, "build-arg", '\0', "NAME=VALUE", "", "",                                \
	       "value of an ARG; NAME alone takes it from the environment")                       \
	OPTION(TARGET,    "target",    '\0', "STAGE", "", "", "build this stage, not the last one") \
	OPTION(NO_CACHE,  "no-cache",  '\0', "", "", "", "run every step")                        \
	OPTION(LIMIT,     "limit",     'l',  "NAME=VALUE", "<limit>", "",                         \
	       "a limit of each step, as of foso run (memory=2GiB, wall=1h)")                     \
	OPTION(EVIDENCE,  "evidence",  '\0', "FOLDER", "<folder>", "",                            \
	       "the log that each step is recorded in")                                           \
	OPTION(QUIET,     "quiet",     'q',  "", "", "", "print nothing but the digest of the image")

#define IMAGE_PULL_OPTIONS(OPTION)                                                                \
	OPTION(NAME,       "name",       '\0', "NAME", "", "",                                    \
	       "what it is called here; by default its own name and tag")                         \
	OPTION(PLAIN_HTTP, "plain-http", '\0', "", "", "",                                        \
	       "speak HTTP without TLS; for a registry on this machine")                          \
	OPTION(TIMEOUT,    "timeout",    '\0', "SECONDS", "", "",                                 \
	       "end it after that time; by default 3600")                                         \
	OPTION(MAX_BYTES,  "max-bytes",  '\0', "N", "", "",                                       \
	       "take no more than that; by default 20 GiB")                                       \
	OPTION(USERNAME,   "username",   '\0', "NAME", "", "",                                    \
	       "log in as NAME, with --password-stdin")                                           \
	OPTION(PASSWORD_STDIN, "password-stdin", '\0', "", "", "",                                \
	       "read the password or token from stdin")                                           \
	OPTION(AUTHFILE,   "authfile",   '\0', "FILE", "<file>", "",                              \
	       "log in with what skopeo login or docker login wrote to FILE; no one else may be "  \
	       "able to read it")

#define IMAGE_BOOTSTRAP_OPTIONS(OPTION)                                                           \
	OPTION(NAME,     "name",     '\0', "NAME", "", "", "what the image is called")            \
	OPTION(SUITE,    "suite",    '\0', "SUITE", "", "",                                       \
	       "release: bookworm, trixie, ...; by default the machine's own")                    \
	OPTION(VARIANT,  "variant",  '\0', "VARIANT", "minbase essential apt required", "",       \
	       "minbase, essential, apt, required, ...; by default minbase")                      \
	OPTION(INCLUDE,  "include",  '\0', "A,B,C", "", "", "further packages")                   \
	OPTION(PACKAGES, "packages", '\0', "FILE", "<file>", "",                                  \
	       "the same, one or more a line; # begins a comment")                                \
	OPTION(MIRROR,   "mirror",   '\0', "URL", "", "",                                         \
	       "take packages from there, and not from the apt sources of this machine")          \
	OPTION(CACHE,    "cache",    '\0', "FOLDER", "<folder>", "",                              \
	       "keep downloaded packages there, and take them from there")                        \
	OPTION(DOCS,     "docs",     '\0', "", "", "",                                            \
	       "keep manuals, documentation and translations")                                    \
	OPTION(FROM,     "from",     '\0', "IMAGE", "", "",                                       \
	       "put the packages on top of that image, as a layer of their own; they are "        \
	       "installed in a sandbox without a network")
/* clang-format on */
