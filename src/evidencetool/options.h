/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the options of foso evidence, as tables of rows that options/options.h describes */
#pragma once

/* clang-format off */
#define EVIDENCE_LIST_OPTIONS(OPTION)                                                             \
	OPTION(JSON,   "json",   'j',  "", "", "", "write JSON instead of text")                  \
	OPTION(SINCE,  "since",  '\0', "TIME", "", "",                                            \
	       "only runs that started at or after TIME: 2026-11-29, 2026-11-29T08:00:00Z, or how " \
	       "long ago: 90s, 15m, 2h, 7d")                                                      \
	OPTION(REASON, "reason", '\0', "REASON", "", "",                                          \
	       "only runs that ended for REASON: exit, signal, deadline, memory, ...")            \
	OPTION(NUMBER, "number", 'n',  "N", "", "", "only the newest N of them")

#define EVIDENCE_SHOW_OPTIONS(OPTION)                                                             \
	OPTION(JSON, "json", 'j', "", "", "", "write JSON instead of text")

#define EVIDENCE_VERIFY_OPTIONS(OPTION)                                                           \
	OPTION(JSON, "json", 'j',  "", "", "", "write JSON instead of text")                      \
	OPTION(KEY,  "key",  '\0', "FILE", "<file>", "",                                          \
	       "each record must be signed with the public key in FILE (PEM); may be repeated")   \
	OPTION(SIGNED_FROM, "signed-from", '\0', "SEQ", "", "",                                   \
	       "with --key: records before number SEQ may lack a signature")                      \
	OPTION(KEPT_HEAD, "kept-head", '\0', "FILE", "<file>", "",                                \
	       "the record that the head in FILE names, exported earlier and kept elsewhere, must " \
	       "be in the log")

#define EVIDENCE_EXPORT_OPTIONS(OPTION)                                                           \
	OPTION(HEAD, "head", '\0', "", "", "",                                                    \
	       "write the head: a line to keep where nobody of this machine can change it")

#define EVIDENCE_KEYGEN_OPTIONS(OPTION)                                                           \
	OPTION(OUT, "out", '\0', "FILE", "<file>", "",                                            \
	       "where the private key goes; the public key goes to FILE.pub")

#define EVIDENCE_SIGN_OPTIONS(OPTION)                                                             \
	OPTION(KEY,   "key",   '\0', "FILE", "<file>", "", "the private key (PEM, mode 0600)")    \
	OPTION(READY, "ready", '\0', "", "", "",                                                  \
	       "say \"ready\" once the key is read, then wait for the hash")
/* clang-format on */
