// SPDX-License-Identifier: Apache-2.0
// How link() names what is wrong.
#pragma once

#include <string>

#include "base/result.h"
#include "graph/graph.h"

namespace millrace::graph {

inline std::string nameOf(const NodeId& id)
{
    return "'" + id.name + "'[" + std::to_string(id.index) + "]";
}

inline Diagnostic diagnose(const NodeDeclaration& node, std::string message)
{
    return {"graph", "node " + nameOf(node.id), std::move(message)};
}

inline Diagnostic diagnose(const NodeDeclaration& node, const NodeOutput& output, std::string message)
{
    return {"graph",
            "node " + nameOf(node.id) + ", output " + std::to_string(&output - node.outputs.data()) + " to '" +
                output.targetName + "'",
            std::move(message)};
}

}  // namespace millrace::graph
