// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "base/privileges.h"

namespace millrace {

bool hasMorePrivileges()
{
    return issetugid() != 0;
}

}  // namespace millrace
