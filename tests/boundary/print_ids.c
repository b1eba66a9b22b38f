/* SPDX-License-Identifier: Apache-2.0 */
/* print_ids.c - real and effective user id, for set-id files; static, as its root has no libraries
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	(void)printf("%u %u\n", (unsigned)getuid(), (unsigned)geteuid());
	return 0;
}
