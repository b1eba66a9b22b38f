/* SPDX-License-Identifier: Apache-2.0 */
/*
 * link.h - what a layer is called where it is handed to an overlay
 *
 * fsconfig() takes 255 bytes of a string, and only Linux 6.7 takes layers one by one: so each
 * layer gets a link whose name is one byte long, and 128 of those with colons between them fit.
 * They can be seen in /proc/mounts, so they are letters as long as there are letters.
 */
#pragma once

#include <stddef.h>

#define IMAGE_LINK_LIST_BYTES 256 /* what fsconfig() takes, the end included */
#define IMAGE_LINK_OWN        "O" /* no layer's: for one more folder */

/* image_link_name() - of the layer @index, below IMAGE_MAX_LAYERS */
static inline char image_link_name(size_t index)
{
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ";
	const size_t n_letters = sizeof(letters) - 1;
	return index < n_letters ? letters[index] : (char)(0x80 + index - n_letters);
}
