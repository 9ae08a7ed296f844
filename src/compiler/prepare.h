// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "compiler/compile.h"
#include "compiler/node_shader.h"

namespace millrace::compiler {

// The first passes of lower(), which simplify a node and learn what it declares but leave it a module of the extension.
Result<std::shared_ptr<NodeShader>> prepare(std::span<const uint32_t> words, const Options& options);

}  // namespace millrace::compiler
