/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * Do nothing: the program that every measured command ends up starting.
 */
int main(void)
{
	return 0;
}
