/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec_links.h - what executes on the host through a link that is there
 *
 * Where .envrc is a link to conf/envrc, a change of conf/envrc runs when the folder is entered.
 * Links that lie in the top folder of the workspace are seen through, of all those below it none:
 * to find them costs a walk over the whole tree.
 */
#pragma once

#include "workspacetool/walk.h"

/* exec_links_mark() - ENTRY_EXECUTES for what links of the host's top folder lead to. */
int exec_links_mark(const struct sides *sides, struct set *set, struct error *err) must_check;
