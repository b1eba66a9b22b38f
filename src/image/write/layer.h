/* SPDX-License-Identifier: Apache-2.0 */
/* layer.h - a blob becomes a layer of the store */
#pragma once

#include "image/write/unpacker.h"

/*
 * layer_unpack() - layer @index of @record, whose blob is in the staging folder or the store
 * @record:  layers[0..index] have blob, compression, diff_id and chain; those below are unpacked
 *
 * The layer is in the store afterwards, held by @staging, and record->layers[index] has its
 * sizes.  If it was there already, only its digest is verified.  @limits->max_entries and max_bytes
 * are counted down.  An error names the layer, and the member where there is one.
 */
int layer_unpack(struct staging *staging, struct image_record *record, uint32_t index,
		 struct unpack_limits *limits, struct error *err) must_check;
