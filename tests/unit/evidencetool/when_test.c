/* SPDX-License-Identifier: Apache-2.0 */
#include "evidencetool/when.c"
#include "support/tap.h"

#define NOW_NS 1795939200000000000u /* 2026-11-29T08:00:00Z */

static uint64_t parsed(const char *text)
{
	struct error err = { 0 };
	uint64_t ns = 1;
	int r = when_parse(text, NOW_NS, "--since", &ns, &err);
	EQ(r, 0);
	return ns;
}

static void test_when_dates_and_times_are_utc(void)
{
	EQ(parsed("1970-01-01"), 0);
	EQ(parsed("2000-02-29"), 951782400000000000);
	EQ(parsed("2000-03-01"), 951868800000000000);
	EQ(parsed("2100-03-01"), 4107542400000000000);
	EQ(parsed("2026-11-29T08:00:00Z"), NOW_NS);
	EQ(parsed("2026-11-29T08:00:00.5Z"), NOW_NS + 500000000);
	EQ(parsed("2026-11-29T08:00:00.000000001Z"), NOW_NS + 1);
	EQ(parsed("2024-12-31T23:59:59Z"), 1735689599000000000);
}

static void test_when_durations_count_back_from_now(void)
{
	EQ(parsed("90s"), NOW_NS - 90000000000);
	EQ(parsed("15m"), NOW_NS - 900000000000);
	EQ(parsed("2h"), NOW_NS - 7200000000000);
	EQ(parsed("7d"), NOW_NS - 604800000000000);
	EQ(parsed("0s"), NOW_NS);
	EQ(parsed("18446744073709551615d"), 0);
	EQ(parsed("30000d"), 0);
}

static void test_when_other_texts_are_refused(void)
{
	static const char *const texts[] = {
		"",
		"s",
		"5",
		"5w",
		"-5m",
		"1.5h",
		"now",
		"2026",
		"2026-1-01",
		"2026-02-29",
		"2100-02-29",
		"2026-13-01",
		"2026-00-01",
		"2026-01-32",
		"1969-12-31",
		"2501-01-01",
		"2026-11-29 08:00:00Z",
		"2026-11-29T08:00Z",
		"2026-11-29T08:00:00",
		"2026-11-29T24:00:00Z",
		"2026-11-29T08:60:00Z",
		"2026-11-29T08:00:00.Z",
		"2026-11-29T08:00:00.0123456789Z",
		"2026-11-29T08:00:00+01:00",
		"2026-11-29T08:00:00Zx",
		"2026-11-29x",
		"99999999999999999999999d",
	};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct error err = { 0 };
		uint64_t ns = 1;
		int r = when_parse(texts[i], NOW_NS, "--since", &ns, &err);
		ERR(r, &err, ERR_INVALID, "--since");
		EQ(ns, 1);
	}
}

int main(void)
{
	RUN(test_when_dates_and_times_are_utc);
	RUN(test_when_durations_count_back_from_now);
	RUN(test_when_other_texts_are_refused);
	return tap_done();
}
