// SPDX-License-Identifier: Apache-2.0
#include <millrace/millrace.h>

const char* version()
{
    return millraceGetVersion();
}
