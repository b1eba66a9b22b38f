/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h - what foso-build does; each verb gets the words behind it */
#pragma once

#include "base/error.h"

/* 0; VERB_SAID: failed, and the user knows why; -code. */
#define VERB_SAID 1

int verb_build(int argc, char **argv, struct error *err) must_check;
int verb_sweep(int argc, char **argv, struct error *err) must_check;
int verb_pull(int argc, char **argv, struct error *err) must_check;
int verb_bootstrap(int argc, char **argv, struct error *err) must_check;

/* import.c: what lies at @path as the image @name, by foso-image. */
int import_path(const char *path, const char *name, struct error *err) must_check;
