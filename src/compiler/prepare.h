// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "compiler/compile.h"
#include "compiler/node_shader.h"

namespace millrace::compiler {

// The first passes of lower(), which simplify a node and learn what it declares but leave it a module of the extension.
Result<std::shared_ptr<NodeShader>> prepare(std::span<const uint32_t> words, const Options& options);

// The same for words that lower() took before, or that fuse() made. Validating takes longer than all else.
inline Result<std::shared_ptr<NodeShader>> prepareAgain(std::span<const uint32_t> words, Options options)
{
    options.isValid = true;
    return prepare(words, options);
}

}  // namespace millrace::compiler
