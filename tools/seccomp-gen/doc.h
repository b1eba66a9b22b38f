/* SPDX-License-Identifier: Apache-2.0 */
/* doc.h - the table of system calls as text */
#pragma once

/* doc_print() - the body of foso-syscalls(7) on stdout, in the language of scdoc(5). */
void doc_print(void);
