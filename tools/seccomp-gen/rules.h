/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h - the rules of seccomp_rules.h as instructions */
#pragma once

#include "code.h"
#include "confine/seccomp_rules.h"

/*
 * rule_emit() - instructions that decide by the arguments
 * @allow, @deny:  where to go on; both are returns
 */
code_label rule_emit(struct code *code, enum seccomp_action rule, code_label allow,
		     code_label deny);
