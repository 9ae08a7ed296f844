// SPDX-License-Identifier: Apache-2.0
// Whether the process may do more than whoever started it, who has chosen its environment.
#pragma once

namespace millrace {

// Of a set-uid program, and the like.
bool hasMorePrivileges();

}  // namespace millrace
