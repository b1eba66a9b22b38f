/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights.c - what foso-evidence gives up
 *
 * Records hold strings that sandboxes chose, and a log may have been written by anybody; sign
 * holds a private key.  So each command opens all that it needs, calls rights_drop(), and only
 * then parses.  Logs may be large: their size bounds the work.
 */
#include "evidencetool/rights.h"

#include "confine/reader.h"

int rights_drop(struct error *err)
{
	static const struct confine_reader limits = { 0 };
	int errnum = confine_reader(&limits);
	if (errnum == 0)
		return 0;
	int r = error_set(err, ERR_SYSTEM, errnum, "foso-evidence", "cannot give up its rights");
	return error_remedy(err, r, "see whether an outer sandbox forbids it");
}
