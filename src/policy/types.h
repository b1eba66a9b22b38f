/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - the types of policy fields: how they are stored, what they accept
 *
 * TYPE(id, word, storage, forms)   forms completes "write ..." in a remedy
 * WORD(value, word, levels, remedy) of each enum type: levels and remedy as in fields.h
 */
#pragma once

/* clang-format off */
#define POLICY_TYPES(TYPE)                                                                        \
	TYPE(BOOL,             "bool",      BOOL,    "true or false")                             \
	TYPE(SIZE,             "size",      NUMBER,  "a size such as 512MiB, 64MB or 4096B")      \
	TYPE(DURATION,         "duration",  NUMBER,  "a duration such as 60s, 5min, 500ms or 2h") \
	TYPE(COUNT,            "count",     NUMBER,  "a whole number")                            \
	TYPE(CPUS,             "cpus",      NUMBER,  "a number of processors such as 1, 2 or 1.5") \
	TYPE(LEVEL,            "word",      ENUM,    "")                                          \
	TYPE(BACKGROUND,       "word",      ENUM,    "")                                          \
	TYPE(EXPIRY,           "word",      ENUM,    "")                                          \
	TYPE(PROFILE,          "word",      ENUM,    "")                                          \
	TYPE(WORKSPACE_ACCESS, "word",      ENUM,    "")                                          \
	TYPE(REDACT_AS,        "word",      ENUM,    "")                                          \
	TYPE(SHOW_SECRETS,     "word",      ENUM,    "")                                          \
	TYPE(RUNTIME,          "word",      ENUM,    "")                                          \
	TYPE(MOUNT_ACCESS,     "word",      ENUM,    "")                                          \
	TYPE(HOST_PATH,        "host path", STRING,  "a path of this host, at most 4095 bytes")   \
	TYPE(GUEST_PATH,       "path",      STRING,  "an absolute path without ..")               \
	TYPE(TARGET,           "path",      STRING,  "an absolute path without .., not / and not below /proc, /dev or /sys") \
	TYPE(USER,             "user",      STRING,  "NAME or UID, either with :GROUP, such as nobody or 1000:1000") \
	TYPE(HOSTNAME,         "host name", STRING,  "letters, digits, - and ., at most 64")      \
	TYPE(NAME,             "name",      STRING,  "a letter or _, then letters, digits and _") \
	TYPE(ID,               "id",        STRING,  "1 to 31 small letters and digits, as foso run prints it") \
	TYPE(SECRET_SOURCE,    "source",    STRING,  "file:PATH, env:NAME or command:PATH")       \
	TYPE(HEADER,           "header",    STRING,  "the name of an HTTP header, such as Authorization") \
	TYPE(ROOT,             "root",      ROOT,    "host, dir:PATH, image:NAME or none")        \
	TYPE(WORKSPACE,        "workspace", NONE,    "PATH, PATH:ro, PATH:rw, PATH:overlay or none") \
	TYPE(NETWORK,          "network",   NETWORK, "none, or the fields network.allow, network.deny, ...") \
	TYPE(ARG_LIST,         "list",      LIST,    "an argument of at most 131071 bytes")       \
	TYPE(DEVICE_LIST,      "list",      LIST,    "a name below /dev, such as fuse or net/tun") \
	TYPE(SYSCALL_LIST,     "list",      LIST,    "the name of a system call, such as ptrace") \
	TYPE(GLOB_LIST,        "list",      LIST,    "a glob below the workspace, such as *.pem or config/.env; behind a ! what is shown again") \
	TYPE(NAME_LIST,        "list",      LIST,    "the name of a variable such as API_KEY, or * for all of them") \
	TYPE(ENDPOINT_LIST,    "list",      LIST,    "HOST[:PORT][/tcp], *.HOST, an address or a range such as 192.0.2.0/24") \
	TYPE(RANGE_LIST,       "list",      LIST,    "an address range such as 10.1.0.0/16 or fd00::/8") \
	TYPE(PORT_LIST,        "list",      LIST,    "a port from 1 to 65535, such as 8080")      \
	TYPE(HTTP_LIST,        "list",      LIST,    "METHOD HOST/PATH, such as GET api.example.com/v1/*") \
	TYPE(HOST_LIST,        "list",      LIST,    "a host name, such as api.example.com")      \
	TYPE(ENV,              "env",       ENV,     "NAME=VALUE")                                \
	TYPE(MOUNTS,           "mounts",    ITEMS,   "HOST:GUEST[:ro|rw|overlay] or tmpfs:GUEST[:SIZE]") \
	TYPE(SECRETS,          "secrets",   ITEMS,   "the fields name, from, hosts, header and ttl")

#define POLICY_LEVEL_WORDS(WORD)                                                                  \
	WORD(POLICY_LEVEL_AUTO,    "auto",    "yyyy", "")                                         \
	WORD(POLICY_LEVEL_PROCESS, "process", "yyyy", "")                                         \
	WORD(POLICY_LEVEL_KERNEL,  "kernel",  "yyyy", "")                                         \
	WORD(POLICY_LEVEL_MICROVM, "microvm", "yyyy", "")                                         \
	WORD(POLICY_LEVEL_WASM,    "wasm",    "yyyy", "")

#define POLICY_BACKGROUND_WORDS(WORD)                                                             \
	WORD(POLICY_BACKGROUND_KILL, "kill", "yyyy", "")                                          \
	WORD(POLICY_BACKGROUND_KEEP, "keep", "yyyn", "write kill: a Wasm run leaves nothing behind")

#define POLICY_EXPIRY_WORDS(WORD)                                                                 \
	WORD(POLICY_EXPIRY_KILL,  "kill",  "yyyy", "")                                            \
	WORD(POLICY_EXPIRY_PAUSE, "pause", "llln", "write kill")

#define POLICY_PROFILE_WORDS(WORD)                                                                \
	WORD(POLICY_PROFILE_DEFAULT, "default", "yyyy", "")                                       \
	WORD(POLICY_PROFILE_STRICT,  "strict",  "ynnn", "write default, or use level: process")

#define POLICY_WORKSPACE_ACCESS_WORDS(WORD)                                                       \
	WORD(POLICY_ACCESS_RO,      "ro",      "yyyy", "")                                        \
	WORD(POLICY_ACCESS_RW,      "rw",      "yyyy", "")                                        \
	WORD(POLICY_ACCESS_OVERLAY, "overlay", "ylly",                                            \
	     "write ro or rw, or mount the folder with access overlay, which throws its changes away")

#define POLICY_REDACT_AS_WORDS(WORD)                                                              \
	WORD(POLICY_REDACT_EMPTY,  "empty",  "yyyy", "")                                          \
	WORD(POLICY_REDACT_ABSENT, "absent", "ylly", "write empty")

#define POLICY_SHOW_SECRETS_WORDS(WORD)                                                           \
	WORD(POLICY_SECRETS_HIDE, "hide", "yyyy", "")                                             \
	WORD(POLICY_SECRETS_SHOW, "show", "yyyy", "")

#define POLICY_MOUNT_ACCESS_WORDS(WORD)                                                           \
	WORD(POLICY_ACCESS_RO,      "ro",      "yyyy", "")                                        \
	WORD(POLICY_ACCESS_RW,      "rw",      "yyyy", "")                                        \
	WORD(POLICY_ACCESS_OVERLAY, "overlay", "ylly", "write ro or rw, or use level: process")   \
	WORD(POLICY_ACCESS_TMPFS,   "tmpfs",   "yyyy", "")

#define POLICY_RUNTIME_WORDS(WORD)                                                                \
	WORD(POLICY_RUNTIME_NONE,       "none",       "yyyy", "")                                 \
	WORD(POLICY_RUNTIME_PYTHON,     "python",     "nnny", "remove it, or use level: wasm")    \
	WORD(POLICY_RUNTIME_JAVASCRIPT, "javascript", "nnny", "remove it, or use level: wasm")    \
	WORD(POLICY_RUNTIME_LUA,        "lua",        "nnny", "remove it, or use level: wasm")    \
	WORD(POLICY_RUNTIME_SQLITE,     "sqlite",     "nnny", "remove it, or use level: wasm")

#define POLICY_ROOT_WORDS(WORD)                                                                   \
	WORD(POLICY_ROOT_HOST,  "host",  "yynn", "write dir:PATH at level microvm, none at level wasm") \
	WORD(POLICY_ROOT_DIR,   "dir",   "yyyn", "write none: a Wasm module has no root file system") \
	WORD(POLICY_ROOT_IMAGE, "image", "ylln", "use level: process, or unpack the image and write dir:PATH")           \
	WORD(POLICY_ROOT_NONE,  "none",  "nnny", "write host or dir:PATH, or use level: wasm")
/* clang-format on */

enum policy_type {
#define POLICY_TYPE_ENUM(id, ...) POLICY_TYPE_##id,
	POLICY_TYPES(POLICY_TYPE_ENUM)
#undef POLICY_TYPE_ENUM
		POLICY_N_TYPES
};

enum policy_storage {
	POLICY_STORAGE_NONE,    /* a shorthand that is stored in other fields */
	POLICY_STORAGE_BOOL,    /* bool */
	POLICY_STORAGE_NUMBER,  /* uint64_t */
	POLICY_STORAGE_ENUM,    /* unsigned */
	POLICY_STORAGE_STRING,  /* char *, owned */
	POLICY_STORAGE_ROOT,    /* unsigned, and the string root_path */
	POLICY_STORAGE_NETWORK, /* bool */
	POLICY_STORAGE_LIST,    /* struct policy_list */
	POLICY_STORAGE_ENV,     /* struct policy_env *, then size_t; sorted by name */
	POLICY_STORAGE_ITEMS,   /* pointer to the items, then size_t */
};

/* policy_type_storage() - how values of the type lie in struct policy. */
enum policy_storage policy_type_storage(enum policy_type type);

/* policy_type_word() - "size"; the word by which documents call the type. */
const char *policy_type_word(enum policy_type type);

/* policy_type_forms() - what completes "write ..."; "" for enum types, whose words say it. */
const char *policy_type_forms(enum policy_type type);

/* One word of an enum type. */
struct policy_word {
	unsigned value;
	char word[12];
	char levels[5];
};

/* policy_type_words() - words of an enum type or of ROOT; NULL and 0 for others. */
const struct policy_word *policy_type_words(enum policy_type type, unsigned *ret_n_words);

/* policy_word_remedy() - the word's remedy column; "" if it has none. */
const char *policy_word_remedy(enum policy_type type, unsigned value);
