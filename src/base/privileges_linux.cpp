// SPDX-License-Identifier: Apache-2.0
#include <sys/auxv.h>

#include "base/privileges.h"

namespace millrace {

// The kernel's word, which knows of capabilities as well.
bool hasMorePrivileges()
{
    return getauxval(AT_SECURE) != 0;
}

}  // namespace millrace
