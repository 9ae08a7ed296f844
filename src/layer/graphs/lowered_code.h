// SPDX-License-Identifier: Apache-2.0
// What all pipelines of a node's code begin with.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "layer/objects/shader_modules.h"
#include "nodes/compile.h"

namespace millrace::layer {

// The module of a node, lowered once for all its pipelines, and for all nodes with the same code. Thread-safe.
class LoweredCode {
public:
    // `prepared`: what nodes::prepare() made of the words with the options.
    LoweredCode(SharedWords words, const nodes::Options& options, std::shared_ptr<const nodes::PreparedNode> prepared);

    // What was prepared; of several nodes with this code, the first.
    const graph::Node& node() const { return m_node; }
    // Lowers when it is first asked for. Errors: nodes::lower()'s.
    Result<nodes::LoweredNode> get();
    // Frees the module: nobody is expected to ask for it. For who does it is made of the words, and not kept.
    void release();
    bool isReleased() const;

private:
    Result<nodes::LoweredNode> makeAgain() const;

    const SharedWords m_words;
    const nodes::Options m_options;
    const graph::Node m_node;
    mutable std::mutex m_mutex;
    std::shared_ptr<const nodes::PreparedNode> m_prepared;  // until it is lowered
    std::optional<nodes::LoweredNode> m_lowered;
    bool m_isReleased = false;
};

}  // namespace millrace::layer
