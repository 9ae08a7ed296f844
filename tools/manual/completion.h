// SPDX-License-Identifier: Apache-2.0
// Scripts that let shells complete commands, options and their values.
#pragma once

#include <string>

#include "tools/manual/command_table.h"

namespace millrace::tools {

std::string bashCompletion(const CommandTable& table);
std::string zshCompletion(const CommandTable& table);
std::string fishCompletion(const CommandTable& table);

}  // namespace millrace::tools
