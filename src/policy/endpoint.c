/* SPDX-License-Identifier: Apache-2.0 */
/*
 * endpoint.c - whether a network rule names hosts, addresses, ranges and requests properly
 *
 * An address has many spellings (0x7f.1, 2852039166, 0251.0376.0251.0376) and programs disagree
 * on them, so a rule takes one: four decimal numbers, or the IPv6 text form.  Anything that a
 * lenient reader could take for an address and that is not in this form is refused, instead of
 * being treated as a host name (field case T21).
 */
#include <arpa/inet.h>
#include <string.h>

#include "base/text.h"
#include "policy/value.h"

#define MAX_HOST_BYTES 253 /* RFC 1035 section 2.3.4, without the closing dot */

/* A dotted name of letters, digits and "-", whose last label is not a number. */
static bool is_host_name(const char *text, size_t len)
{
	size_t n_label = 0;
	bool has_letter = false;
	if (len == 0 || len > MAX_HOST_BYTES)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		bool is_letter = (c >= 'a' && c <= 'z') || c == '_';
		bool is_digit = c >= '0' && c <= '9';
		if (c == '.') {
			if (n_label == 0 || text[i - 1] == '-')
				return false;
			n_label = 0;
			has_letter = false;
			continue;
		}
		if (!is_letter && !is_digit && !(c == '-' && n_label > 0))
			return false;
		has_letter |= is_letter;
		if (++n_label > 63)
			return false;
	}
	/* "0x7f" ends in a letter-bearing label and is an address all the same. */
	bool is_hex = len >= 2 && strncmp(text, "0x", 2) == 0;
	return n_label > 0 && text[len - 1] != '-' && has_letter && !is_hex;
}

/* Copies @len bytes as a string; false if they do not fit. */
static bool copy_text(char *to, size_t size, const char *text, size_t len)
{
	if (len >= size)
		return false;
	memcpy(to, text, len);
	to[len] = '\0';
	return true;
}

/* Number of address bits (32 or 128) and the address, or 0 if @text is not an address. */
static unsigned parse_address(const char *text, size_t len, uint8_t ret_bytes[16])
{
	char copy[INET6_ADDRSTRLEN];
	if (!copy_text(copy, sizeof(copy), text, len))
		return 0;
	if (inet_pton(AF_INET, copy, ret_bytes) == 1)
		return 32;
	return inet_pton(AF_INET6, copy, ret_bytes) == 1 ? 128 : 0;
}

static bool has_host_bits(const uint8_t *bytes, unsigned n_bits, uint64_t n_prefix)
{
	for (unsigned bit = (unsigned)n_prefix; bit < n_bits; bit++)
		if (bytes[bit / 8] & (0x80u >> (bit % 8)))
			return true;
	return false;
}

static const char *check_range(const char *text)
{
	uint8_t bytes[16];
	uint64_t n_prefix;
	const char *slash = strchr(text, '/');
	unsigned n_bits = slash ? parse_address(text, (size_t)(slash - text), bytes) : 0;
	if (n_bits == 0 || !text_parse_u64(slash + 1, &n_prefix) || n_prefix > n_bits)
		return "is not an address range";
	return has_host_bits(bytes, n_bits, n_prefix) ? "has bits behind its prefix" : NULL;
}

static bool is_port(const char *text)
{
	uint64_t port;
	return text_parse_u64(text, &port) && port >= 1 && port <= 65535;
}

static const char *check_host(const char *text, size_t len)
{
	uint8_t bytes[16];
	if (len >= 2 && text[0] == '[' && text[len - 1] == ']')
		return parse_address(text + 1, len - 2, bytes) == 128 ? NULL : "is not an address";
	if (len >= 2 && strncmp(text, "*.", 2) == 0)
		return is_host_name(text + 2, len - 2) ? NULL : "is not a host name behind '*.'";
	if (parse_address(text, len, bytes) == 32 || is_host_name(text, len))
		return NULL;
	return strspn(text, "0123456789abcdefx.") >= len
		       ? "looks like an address, but is not in its usual form"
		       : "is not a host";
}

static const char *check_endpoint(const char *text)
{
	char host[MAX_HOST_BYTES + 16];
	uint8_t bytes[16];
	size_t len = strlen(text);
	if (len > 4 && strcmp(text + len - 4, "/tcp") == 0)
		len -= 4;
	if (memchr(text, '/', len))
		return check_range(text);
	if (parse_address(text, len, bytes) == 128)
		return NULL;
	if (!copy_text(host, sizeof(host), text, len))
		return "is longer than a host name can be";
	char *bracket = strrchr(host, ']');
	char *colon = strchr(bracket ? bracket : host, ':');
	if (colon) {
		if (!is_port(colon + 1))
			return "has no port from 1 to 65535 behind the colon";
		*colon = '\0';
	}
	return check_host(host, strlen(host));
}

static const char *check_request(const char *text)
{
	static const char methods[][8] = { "GET",    "HEAD",  "POST",    "PUT",
					   "DELETE", "PATCH", "OPTIONS", "*" };
	const char *space = strchr(text, ' ');
	const char *slash = space ? strchr(space, '/') : NULL;
	if (!slash)
		return "is not METHOD HOST/PATH";
	bool is_method = false;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		is_method |= strlen(methods[i]) == (size_t)(space - text) &&
			     memcmp(methods[i], text, (size_t)(space - text)) == 0;
	if (!is_method)
		return "has an unknown method";
	for (const char *at = slash; *at; at++)
		if (*at <= ' ' || *at > '~')
			return "has a path that is not plain ASCII";
	const char *star = strchr(slash, '*');
	if (star && star[1] != '\0')
		return "has '*' before the end of its path";
	return check_host(space + 1, (size_t)(slash - space - 1));
}

const char *policy_endpoint_check(enum policy_type type, const char *text)
{
	if (type == POLICY_TYPE_ENDPOINT_LIST)
		return check_endpoint(text);
	if (type == POLICY_TYPE_RANGE_LIST)
		return check_range(text);
	if (type == POLICY_TYPE_HTTP_LIST)
		return check_request(text);
	assert(type == POLICY_TYPE_HOST_LIST);
	const char *fault = check_host(text, strlen(text));
	return fault;
}
