// SPDX-License-Identifier: Apache-2.0
// A level of a recursion that is not the last.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "nodes/fusion/recursive_node.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// A level that sends, and the output that leads to the next.
struct SendingLevel {
    std::shared_ptr<NodeShader> shader;
    uint32_t output;
};

// The node where so many levels remain. Errors: it does not send to itself by one output alone.
Result<SendingLevel> prepareSending(const RecursiveNode& node, const RecursionRange& remaining);

struct Allocation {
    const spirv::Function* function;
    size_t block;
    spirv::Id count;
};

// The one allocation of an output, if it is one.
std::optional<Allocation> findAllocation(const NodeShader& shader, uint32_t output);

Diagnostic cannotFuse(const graph::NodeId& id, std::string message);

}  // namespace millrace::nodes
