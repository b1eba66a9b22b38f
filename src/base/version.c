/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - which foso this is */
#include "base/version.h"

#include "base/version_id.h"

const char *version_number(void)
{
	return VERSION_NUMBER;
}

const char *version_build_id(void)
{
	return VERSION_BUILD_ID;
}
