// SPDX-License-Identifier: Apache-2.0
// Man pages, one for the tool and one for each command.
#pragma once

#include <string>

#include "tools/manual/command_table.h"

namespace millrace::tools {

// Source for man, in section 1. Requires: `command` is of `table`.
std::string manPage(const CommandTable& table, const CommandRow& command);

}  // namespace millrace::tools
