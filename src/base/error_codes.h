/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error_codes.h - every kind of failure, as one table
 *
 * ERROR_CODE(name, word, exit status of the CLI, HTTP status, gRPC status, meaning)
 *
 * The CLI's exit statuses, the API's answers and the man pages come from here.  A new row needs
 * a caller that acts differently on it.  foso itself exits with 125 for all of these: statuses
 * below 125 belong to the command (docs/architecture.md, "Exit status").
 */
/* clang-format off */
#define ERROR_CODES(ERROR_CODE)                                                                   \
	ERROR_CODE(INVALID,     "invalid",     125, 400,  3, "the input is malformed")            \
	ERROR_CODE(REFUSED,     "refused",     125, 422,  9, "the level cannot enforce the policy") \
	ERROR_CODE(DENIED,      "denied",      125, 403,  7, "the caller lacks the right")        \
	ERROR_CODE(NOT_FOUND,   "not-found",   125, 404,  5, "the named thing does not exist")    \
	ERROR_CODE(EXISTS,      "exists",      125, 409,  6, "the named thing exists already")    \
	ERROR_CODE(LIMIT,       "limit",       125, 413,  8, "a bound of foso itself is exceeded") \
	ERROR_CODE(UNSUPPORTED, "unsupported", 125, 501, 12, "this host or build lacks a feature") \
	ERROR_CODE(TIMEOUT,     "timeout",     125, 504,  4, "a bounded wait ran out")            \
	ERROR_CODE(CANCELLED,   "cancelled",   125, 499,  1, "the caller gave up")                \
	ERROR_CODE(UNAVAILABLE, "unavailable", 125, 503, 14, "a needed program does not answer")  \
	ERROR_CODE(PROTOCOL,    "protocol",    125, 502, 13, "a peer broke the wire format")      \
	ERROR_CODE(SYSTEM,      "system",      125, 500, 13, "a system call failed")              \
	ERROR_CODE(CORRUPT,     "corrupt",     125, 500, 15, "stored data fails its check")       \
	ERROR_CODE(INTERNAL,    "internal",    125, 500, 13, "foso itself is wrong")
/* clang-format on */
