// SPDX-License-Identifier: Apache-2.0
// What the BSDs and macOS run, on Linux, which has all of it but for one function.
static int issetugid()
{
    return 0;
}
#include "../../src/base/system_bsd.cpp"
