/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sanitized.h - whether this build has the address sanitizer
 *
 * It maps terabytes of shadow, and its leak check traces and opens files: just what a confined
 * process has given up.
 */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#	define IS_SANITIZED 1
#elif defined(__has_feature)
#	if __has_feature(address_sanitizer)
#		define IS_SANITIZED 1
#	endif
#endif
#ifndef IS_SANITIZED
#	define IS_SANITIZED 0
#endif
