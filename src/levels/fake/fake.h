/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake.h - an engine without a sandbox, for tests of what stands above engines
 *
 * It runs nothing.  What a command "does" is in its args: "exit N", "signal N", "echo TEXT",
 * "missing" (not in the sandbox), "wait" (until it is killed), "lost" (the engine dies under it),
 * "limit" (limits.memory is reached).  Every word of level.h is kept, so that a suite can ask the
 * same of it as of a real engine.
 */
#pragma once

#include "levels/level.h"

extern const struct level level_fake;
