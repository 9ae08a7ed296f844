// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// The first passes, which simplify a node and learn what it declares but leave it a module of the extension.
Result<std::shared_ptr<NodeShader>> prepareShader(std::span<const uint32_t> words, const Options& options);
Result<std::shared_ptr<NodeShader>> prepareShader(spirv::Module module, const Options& options);
// Of a module that extractEntryPoint() has left.
Result<std::shared_ptr<NodeShader>> prepareExtracted(spirv::Module module, const Options& options);

// The same for words that prepare() took before. Validating takes longer than all else.
inline Result<std::shared_ptr<NodeShader>> prepareAgain(std::span<const uint32_t> words, Options options)
{
    options.checks.isValid = true;
    return prepareShader(words, options);
}

// What prepare() left of the words, which may be there, or what it leaves of them now.
inline Result<std::shared_ptr<const NodeShader>> getPrepared(std::shared_ptr<const NodeShader> prepared,
                                                             std::span<const uint32_t> words, const Options& options)
{
    if (prepared)
        return prepared;
    auto shader = prepareAgain(words, options);
    if (!shader)
        return shader.error();
    return std::shared_ptr<const NodeShader>(std::move(*shader));
}

// Says which function is the entry point, and which memory model there is. Fails if there is none.
Status findEntry(NodeShader& shader);

}  // namespace millrace::nodes
