/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - sizes, durations, counts and shares, from text and to text
 *
 * A number with a dimension needs a unit: "64" could mean bytes or megabytes, and a guess in
 * either direction is a wrong limit.  Zero alone needs none.  Values are exact: a fraction that
 * is not a whole number of the base unit is refused, not rounded.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "policy/value.h"

struct unit {
	char word[4];
	uint64_t factor;
};

static const struct unit size_units[] = {
	{ "B", 1 },
	{ "kB", UINT64_C(1000) },
	{ "KB", UINT64_C(1000) },
	{ "MB", UINT64_C(1000000) },
	{ "GB", UINT64_C(1000000000) },
	{ "TB", UINT64_C(1000000000000) },
	{ "KiB", UINT64_C(1) << 10 },
	{ "MiB", UINT64_C(1) << 20 },
	{ "GiB", UINT64_C(1) << 30 },
	{ "TiB", UINT64_C(1) << 40 },
	{ "PiB", UINT64_C(1) << 50 },
};

static const struct unit duration_units[] = {
	{ "ms", POLICY_MSEC },           { "s", 1000 * POLICY_MSEC },
	{ "min", 60000 * POLICY_MSEC },  { "h", 3600000 * POLICY_MSEC },
	{ "d", 86400000 * POLICY_MSEC },
};

static const struct unit cpus_units[] = { { "", 1000 } };
static const struct unit count_units[] = { { "", 1 } };

struct dimension {
	const struct unit *units;
	size_t n_units;
	uint64_t grain;      /* values are multiples of it */
	char grain_word[20]; /* its name in a message */
	char examples[2][4]; /* units to suggest for a number that has none */
};

static struct dimension dimension_of(enum policy_type type)
{
	if (type == POLICY_TYPE_SIZE)
		return (struct dimension){
			size_units, ARRAY_LEN(size_units), 1, " of bytes", { "MiB", "MB" }
		};
	if (type == POLICY_TYPE_DURATION)
		return (struct dimension){ duration_units,
					   ARRAY_LEN(duration_units),
					   POLICY_MSEC,
					   " of milliseconds",
					   { "s", "min" } };
	if (type == POLICY_TYPE_CPUS)
		return (struct dimension){ cpus_units, 1, 1, " of thousandths", { "", "" } };
	return (struct dimension){ count_units, 1, 1, "", { "", "" } };
}

#define MAX_FRACTION_DIGITS 3

/* "12.5MiB" is mantissa 125, scale 10, and the unit "MiB". */
struct decimal {
	uint64_t mantissa, scale;
	const char *unit;
	bool is_too_large;
};

static bool parse_decimal(const char *text, struct decimal *ret)
{
	*ret = (struct decimal){ .scale = 1 };
	bool is_fraction = false;
	const char *at = text;
	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !is_fraction && at > text); at++) {
		if (*at == '.') {
			is_fraction = true;
			continue;
		}
		if (is_fraction)
			ret->scale *= 10;
		if (ret->scale > 1000)
			return false;
		if (__builtin_mul_overflow(ret->mantissa, UINT64_C(10), &ret->mantissa) ||
		    __builtin_add_overflow(ret->mantissa, (uint64_t)(*at - '0'), &ret->mantissa))
			ret->is_too_large = true;
	}
	ret->unit = at;
	return at > text && at[-1] != '.';
}

static const struct unit *find_unit(const struct dimension *dimension, const char *word)
{
	for (size_t i = 0; i < dimension->n_units; i++)
		if (strncmp(dimension->units[i].word, word, sizeof(dimension->units[i].word)) ==
			    0 &&
		    strlen(word) < sizeof(dimension->units[i].word))
			return &dimension->units[i];
	return NULL;
}

static int refuse_unit(const struct policy_field *field, const struct dimension *dimension,
		       const char *subject, const char *text, const char *unit, struct error *err)
{
	if (*unit != '\0' && dimension->examples[0][0] == '\0')
		return policy_value_refuse(field, err, subject,
					   "'%.60s' has a unit, which a %s has not", text,
					   policy_type_word((enum policy_type)field->type));
	if (*unit != '\0')
		return policy_value_refuse(field, err, subject,
					   "'%.60s' has the unknown unit '%.20s'", text, unit);
	int result = error_set(err, ERR_INVALID, 0, subject, "'%.60s' has no unit", text);
	return error_remedy(err, result, "write %.20s%s or %.20s%s", text, dimension->examples[0],
			    text, dimension->examples[1]);
}

/* @side: "below the least" or "above the greatest" */
static int refuse_range(const struct policy_field *field, const char *subject, uint64_t value,
			const char *side, uint64_t bound, struct error *err)
{
	char shown[POLICY_NUMBER_TEXT_BYTES], limit[POLICY_NUMBER_TEXT_BYTES];
	policy_number_format((enum policy_type)field->type, value, shown);
	policy_number_format((enum policy_type)field->type, bound, limit);
	return policy_value_refuse(field, err, subject, "'%s' is %s value %s", shown, side, limit);
}

int policy_number_check(const struct policy_field *field, const char *subject, uint64_t value,
			struct error *err)
{
	if (value == POLICY_UNLIMITED && field->flags & POLICY_FIELD_OPTIONAL)
		return 0;
	if (value == POLICY_UNLIMITED)
		return policy_value_refuse(field, err, subject, "'none' is not possible here");
	if (value < field->min)
		return refuse_range(field, subject, value, "below the least", field->min, err);
	if (value > field->max)
		return refuse_range(field, subject, value, "above the greatest", field->max, err);
	if (field->type == POLICY_TYPE_DURATION && value % POLICY_MSEC != 0)
		return policy_value_refuse(field, err, subject,
					   "is not a whole number of milliseconds");
	return 0;
}

int policy_number_parse(const struct policy_field *field, const char *subject, const char *text,
			uint64_t *ret_value, struct error *err)
{
	struct dimension dimension = dimension_of((enum policy_type)field->type);
	struct decimal decimal;
	uint64_t value = 0;
	char bound[POLICY_NUMBER_TEXT_BYTES];
	if (strcmp(text, "none") == 0) {
		value = POLICY_UNLIMITED;
		goto check;
	}
	if (text[0] == '\0')
		return policy_value_refuse(field, err, subject, "is empty");
	if (!parse_decimal(text, &decimal))
		return policy_value_refuse(field, err, subject, "'%.60s' is not a %s", text,
					   policy_type_word((enum policy_type)field->type));
	if (strcmp(text, "0") == 0)
		goto check;
	const struct unit *unit = find_unit(&dimension, decimal.unit);
	if (!unit)
		return refuse_unit(field, &dimension, subject, text, decimal.unit, err);
	/* The greatest number of all stands for none, which only the word means. */
	if (decimal.is_too_large ||
	    __builtin_mul_overflow(decimal.mantissa, unit->factor, &value) ||
	    value == POLICY_UNLIMITED) {
		policy_number_format((enum policy_type)field->type, field->max, bound);
		return policy_value_refuse(field, err, subject,
					   "'%.60s' is above the greatest value %s", text, bound);
	}
	if (value % decimal.scale != 0 || value / decimal.scale % dimension.grain != 0)
		return policy_value_refuse(field, err, subject, "'%.60s' is not a whole number%s",
					   text, dimension.grain_word);
	value /= decimal.scale;
check:;
	int result = policy_number_check(field, subject, value, err);
	if (result == 0)
		*ret_value = value;
	return result;
}

void policy_number_format(enum policy_type type, uint64_t value,
			  char ret_text[POLICY_NUMBER_TEXT_BYTES])
{
	if (value == POLICY_UNLIMITED || value == 0) {
		(void)snprintf(ret_text, POLICY_NUMBER_TEXT_BYTES, "%s", value == 0 ? "0" : "none");
		return;
	}
	if (type == POLICY_TYPE_CPUS) {
		int len = snprintf(ret_text, POLICY_NUMBER_TEXT_BYTES, "%" PRIu64 ".%03u",
				   value / 1000, (unsigned)(value % 1000));
		while (len > 0 && (ret_text[len - 1] == '0' || ret_text[len - 1] == '.')) {
			bool is_point = ret_text[--len] == '.';
			ret_text[len] = '\0';
			if (is_point)
				break;
		}
		return;
	}
	struct dimension dimension = dimension_of(type);
	const struct unit *best = NULL;
	for (size_t i = 0; i < dimension.n_units; i++) {
		const struct unit *unit = &dimension.units[i];
		if (value % unit->factor == 0 && (!best || unit->factor > best->factor))
			best = unit;
	}
	if (best)
		(void)snprintf(ret_text, POLICY_NUMBER_TEXT_BYTES, "%" PRIu64 "%s",
			       value / best->factor, best->word);
	else
		(void)snprintf(ret_text, POLICY_NUMBER_TEXT_BYTES, "%" PRIu64 "ns", value);
}
