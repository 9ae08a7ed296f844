// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "nodes/compile.h"
#include "spirv/module.h"

namespace millrace::nodes {

// SPIR-V of the application's, any of whose entry points may become nodes: read and looked through once for all of
// them, when the first is asked for. Thread-safe.
class SourceModule {
public:
    // The words must outlive this object.
    explicit SourceModule(std::span<const uint32_t> words);
    ~SourceModule();

    // The entry point alone (spirv::extractEntryPoint()). Errors: not SPIR-V, revision 1 of the extension, what
    // rejectUnsupported() rejects, no such entry point.
    Result<spirv::Module> extract(const std::string& entryPoint,
                                  spv::ExecutionModel model = spv::ExecutionModel::GLCompute) const;
    bool contains(const std::string& entryPoint, spv::ExecutionModel model) const;
    // Of this model, in the module's order; none if it cannot be read.
    std::vector<std::string> entryPoints(spv::ExecutionModel model) const;
    // What is extracted may be less than the module.
    bool hasSeveral() const;

private:
    struct Contents;
    const Contents& contents() const;

    const std::span<const uint32_t> m_words;
    // Not std::call_once(): what is thrown cannot pass the C library's part of that.
    mutable std::mutex m_mutex;
    mutable std::unique_ptr<const Contents> m_contents;
};

// As of words (compile.h), and what is left of them for this node alone (PreparedNode::words).
Result<PreparedNode> prepare(const SourceModule& source, const Options& options);

}  // namespace millrace::nodes
