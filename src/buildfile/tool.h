/* SPDX-License-Identifier: Apache-2.0 */
/* tool.h - what the files of foso-buildfile share */
#pragma once

#include "recipe/recipe.h"

/* show_plan() - the plan as text on stdout, for people and for tests. */
void show_plan(const struct recipe_plan *plan);
