// SPDX-License-Identifier: Apache-2.0
// What --help prints.
#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace millrace::tools {

// Set it before commands are added: they take it over.
std::shared_ptr<CLI::FormatterBase> createHelpFormatter();

}  // namespace millrace::tools
