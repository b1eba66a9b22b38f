/* SPDX-License-Identifier: Apache-2.0 */
/*
 * string.c - which strings a policy field takes
 *
 * The checks here do not replace those of the code that uses the string: a target is opened
 * beneath the new root whatever it is called.  They catch what can never be meant, early and
 * with the field's name.
 */
#include <string.h>

#include "base/text.h"
#include "policy/value.h"

#define MAX_PATH_BYTES     4095 /* Linux: PATH_MAX with its NUL is 4096 */
#define MAX_HOSTNAME_BYTES 64   /* Linux: __NEW_UTS_LEN */
#define MAX_USER_BYTES     32
#define MAX_NAME_BYTES     128
#define MAX_ID_BYTES       31

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

static bool is_made_of(const char *text, size_t max_bytes, const char *accepted)
{
	size_t len = strlen(text);
	return len > 0 && len <= max_bytes && strspn(text, accepted) == len;
}

/* True if @part is one of the components of @path. */
static bool has_component(const char *path, const char *part)
{
	size_t len = strlen(part);
	for (const char *at = path; *at; at += strcspn(at, "/")) {
		at += strspn(at, "/");
		if (strcspn(at, "/") == len && memcmp(at, part, len) == 0 && len > 0)
			return true;
	}
	return false;
}

void policy_path_normalise(char *path)
{
	if (path[0] != '/')
		return;
	char *to = path;
	for (const char *at = path; *at;) {
		at += strspn(at, "/");
		size_t len = strcspn(at, "/");
		if (len > 0 && !(len == 1 && at[0] == '.')) {
			*to++ = '/';
			memmove(to, at, len);
			to += len;
		}
		at += len;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

static bool is_normal(const char *path)
{
	size_t len = strlen(path);
	return path[0] == '/' && !strstr(path, "//") && !has_component(path, ".") &&
	       (len == 1 || path[len - 1] != '/');
}

static bool is_below(const char *path, const char *folder)
{
	size_t len = strlen(folder);
	return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static const char *check_guest_path(const char *text)
{
	if (text[0] != '/')
		return "is not an absolute path";
	if (strlen(text) > MAX_PATH_BYTES)
		return "is longer than 4095 bytes";
	if (has_component(text, ".."))
		return "contains '..'";
	return is_normal(text) ? NULL : "is not in its shortest form";
}

static const char *check_target(const char *text)
{
	const char *wrong = check_guest_path(text);
	if (wrong)
		return wrong;
	if (strcmp(text, "/") == 0)
		return "is the root itself";
	if (is_below(text, "/proc") || is_below(text, "/dev") || is_below(text, "/sys"))
		return "lies in a folder that foso itself makes";
	return NULL;
}

static bool is_user_name(const char *text)
{
	return is_made_of(text, MAX_USER_BYTES, LOWER UPPER DIGITS "_.-") &&
	       strspn(text, LOWER UPPER "_") > 0;
}

static bool is_id(const char *text)
{
	uint64_t value;
	/* (uid_t)-1 means "leave it" to the kernel and is nobody's. */
	return text_parse_u64(text, &value) && value < UINT32_MAX;
}

static const char *check_user(const char *text)
{
	char user[MAX_USER_BYTES + 1];
	const char *colon = strchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);
	if (len >= sizeof(user))
		return "is longer than a user name can be";
	memcpy(user, text, len);
	user[len] = '\0';
	if (!is_id(user) && !is_user_name(user))
		return "is not a user";
	if (colon && !is_id(colon + 1) && !is_user_name(colon + 1))
		return "does not name a group after the colon";
	return NULL;
}

static const char *check_secret_source(const char *text)
{
	if (strncmp(text, "env:", 4) == 0)
		return is_made_of(text + 4, MAX_NAME_BYTES, LOWER UPPER DIGITS "_")
			       ? NULL
			       : "names no variable";
	if (strncmp(text, "file:", 5) == 0)
		return text[5] != '\0' ? NULL : "names no file";
	if (strncmp(text, "command:", 8) == 0)
		return text[8] == '/' ? NULL : "names no program by its absolute path";
	return "is not a source";
}

static const char *check_relative(const char *text)
{
	if (text[0] == '\0')
		return "is empty";
	if (text[0] == '/')
		return "is an absolute path";
	if (strlen(text) > MAX_PATH_BYTES)
		return "is longer than 4095 bytes";
	return has_component(text, "..") ? "contains '..'" : NULL;
}

static const char *check_device(const char *text)
{
	const char *wrong = check_relative(text);
	return wrong                                              ? wrong
	       : is_made_of(text, 64, LOWER UPPER DIGITS "_.:-/") ? NULL
								  : "is not a name below /dev";
}

static const char *check_port(const char *text)
{
	uint64_t port;
	return text_parse_u64(text, &port) && port >= 1 && port <= 65535 ? NULL : "is not a port";
}

static const char *check_name(const char *text)
{
	bool is_name = is_made_of(text, MAX_NAME_BYTES, LOWER UPPER DIGITS "_") &&
		       !strchr(DIGITS, text[0]);
	return is_name ? NULL : "is not a name";
}

/* NULL, or what is wrong with @text as a clause that follows the quoted value. */
static const char *find_fault(enum policy_type type, const char *text)
{
	switch ((int)type) { /* of all types only those of strings */
	case POLICY_TYPE_HOST_PATH:
		return strlen(text) > MAX_PATH_BYTES ? "is longer than 4095 bytes"
		       : text[0] == '\0'             ? "is empty"
						     : NULL;
	case POLICY_TYPE_GUEST_PATH:
		return check_guest_path(text);
	case POLICY_TYPE_TARGET:
		return check_target(text);
	case POLICY_TYPE_USER:
		return check_user(text);
	case POLICY_TYPE_HOSTNAME:
		return is_made_of(text, MAX_HOSTNAME_BYTES, LOWER UPPER DIGITS "-.") &&
				       text[0] != '-' && text[0] != '.'
			       ? NULL
			       : "is not a host name";
	case POLICY_TYPE_NAME:
		return check_name(text);
	case POLICY_TYPE_SECRET_SOURCE:
		return check_secret_source(text);
	case POLICY_TYPE_HEADER:
		return is_made_of(text, MAX_NAME_BYTES, LOWER UPPER DIGITS "-_")
			       ? NULL
			       : "is not a header";
	case POLICY_TYPE_ARG_LIST:
		return strlen(text) > POLICY_MAX_STRING_BYTES ? "is longer than 131071 bytes"
							      : NULL;
	case POLICY_TYPE_DEVICE_LIST:
		return check_device(text);
	case POLICY_TYPE_SYSCALL_LIST:
		return is_made_of(text, 64, LOWER DIGITS "_") ? NULL : "is not a system call";
	case POLICY_TYPE_GLOB_LIST:
		return check_relative(text[0] == '!' ? text + 1 : text);
	case POLICY_TYPE_NAME_LIST:
		return strcmp(text, "*") == 0 ? NULL : check_name(text);
	case POLICY_TYPE_ID:
		return is_made_of(text, MAX_ID_BYTES, LOWER DIGITS) ? NULL : "is not an id";
	case POLICY_TYPE_PORT_LIST:
		return check_port(text);
	default:
		return policy_endpoint_check(type, text);
	}
}

int policy_string_check(enum policy_type type, const char *subject, const char *text,
			struct error *err)
{
	const char *fault = find_fault(type, text);
	if (!fault)
		return 0;
	int result = text[0] == '\0'
			     ? error_set(err, ERR_INVALID, 0, subject, "is empty")
			     : error_set(err, ERR_INVALID, 0, subject, "'%.100s' %s", text, fault);
	return error_remedy(err, result, "write %s", policy_type_forms(type));
}
