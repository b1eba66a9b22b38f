/* SPDX-License-Identifier: Apache-2.0 */
/* ignore.h - .dockerignore, within src/recipe */
#pragma once

#include "recipe/reader.h"

/* ignore_read() - the patterns of order->ignore, into the plan. */
int ignore_read(struct reader *reader);
