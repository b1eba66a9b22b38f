/* SPDX-License-Identifier: Apache-2.0 */
/* when.c - moments as users write them */
#include "evidencetool/when.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

#define NS_PER_S 1000000000u

/* Exactly @n digits. */
static bool take_digits(const char **text, size_t n, unsigned *ret_value)
{
	unsigned value = 0;
	for (size_t i = 0; i < n; i++) {
		char c = (*text)[i];
		if (c < '0' || c > '9')
			return false;
		value = value * 10 + (unsigned)(c - '0');
	}
	*text += n;
	*ret_value = value;
	return true;
}

static bool take_char(const char **text, char c)
{
	if (**text != c)
		return false;
	(*text)++;
	return true;
}

/* Days from 1970-01-01 to a date of the Gregorian calendar, counted from 0000-03-01. */
static uint64_t days_of_date(unsigned year, unsigned month, unsigned day)
{
	uint64_t from_march = month > 2 ? month - 3 : month + 9;
	uint64_t y = month > 2 ? year : year - 1;
	uint64_t era = y / 400, year_of_era = y % 400;
	uint64_t day_of_year = (153 * from_march + 2) / 5 + day - 1;
	uint64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
	return era * 146097 + day_of_era - 719468;
}

static unsigned days_in_month(unsigned year, unsigned month)
{
	static const unsigned days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return month == 2 && is_leap ? 29 : days[month - 1];
}

static bool take_date(const char **text, uint64_t *ret_s)
{
	unsigned year, month, day;
	if (!take_digits(text, 4, &year) || !take_char(text, '-') ||
	    !take_digits(text, 2, &month) || !take_char(text, '-') || !take_digits(text, 2, &day))
		return false;
	if (year < 1970 || year > 2500 || month < 1 || month > 12 || day < 1 ||
	    day > days_in_month(year, month))
		return false;
	*ret_s = days_of_date(year, month, day) * 86400;
	return true;
}

/* ".123": at most nine digits. */
static bool take_fraction(const char **text, uint64_t *ret_ns)
{
	uint64_t ns = 0, unit = NS_PER_S;
	*ret_ns = 0;
	if (!take_char(text, '.'))
		return true;
	size_t n = strspn(*text, "0123456789");
	if (n == 0 || n > 9)
		return false;
	for (size_t i = 0; i < n; i++) {
		unit /= 10;
		ns += (uint64_t)((*text)[i] - '0') * unit;
	}
	*text += n;
	*ret_ns = ns;
	return true;
}

static bool parse_moment(const char *text, uint64_t *ret_ns)
{
	unsigned hour, minute, second;
	uint64_t s, ns;
	if (!take_date(&text, &s))
		return false;
	if (*text == '\0') {
		*ret_ns = s * NS_PER_S;
		return true;
	}
	if (!take_char(&text, 'T') || !take_digits(&text, 2, &hour) || !take_char(&text, ':') ||
	    !take_digits(&text, 2, &minute) || !take_char(&text, ':') ||
	    !take_digits(&text, 2, &second) || !take_fraction(&text, &ns) ||
	    !take_char(&text, 'Z') || *text != '\0')
		return false;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	*ret_ns = (s + hour * 3600u + minute * 60u + second) * NS_PER_S + ns;
	return true;
}

static bool parse_ago(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
	static const struct {
		char unit;
		uint64_t s;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	char number[24];
	size_t len = strlen(text);
	uint64_t n, ns;
	if (len < 2 || len > sizeof(number))
		return false;
	memcpy(number, text, len - 1);
	number[len - 1] = '\0';
	if (!text_parse_u64(number, &n))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (text[len - 1] != units[i].unit)
			continue;
		if (__builtin_mul_overflow(n, units[i].s * NS_PER_S, &ns))
			ns = now_ns;
		*ret_ns = ns < now_ns ? now_ns - ns : 0;
		return true;
	}
	return false;
}

int when_parse(const char *text, uint64_t now_ns, const char *subject, uint64_t *ret_ns,
	       struct error *err)
{
	if (parse_moment(text, ret_ns) || parse_ago(text, now_ns, ret_ns))
		return 0;
	int r = error_set(err, ERR_INVALID, 0, subject, "'%s' is no moment", text);
	return error_remedy(err, r,
			    "write 2026-11-29 or 2026-11-29T08:00:00Z (UTC), or how long "
			    "ago: 90s, 15m, 2h, 7d");
}
