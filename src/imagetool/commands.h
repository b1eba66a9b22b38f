/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h - what foso-image does; each returns 0, or -code with *err filled */
#pragma once

#include "image/image.h"
#include "imagetool/args.h"

int command_import(const struct args *args, struct error *err);
int command_list(const struct args *args, struct error *err);
int command_inspect(const struct args *args, struct error *err);
int command_rm(const struct args *args, struct error *err);
int command_gc(const struct args *args, struct error *err);
int command_export(const struct args *args, struct error *err);
int command_erofs(const struct args *args, struct error *err);

/* format_bytes() - "45.2 MiB" */
#define FORMAT_BYTES_SIZE 32
void format_bytes(uint64_t n_bytes, char ret_text[FORMAT_BYTES_SIZE]);

/* image_tree_bytes() - of the files of all layers. */
uint64_t image_tree_bytes(const struct image_record *record);
