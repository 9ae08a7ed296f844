// SPDX-License-Identifier: Apache-2.0
// What the code of a node may rely on.
#pragma once

#include "graph/graph.h"

namespace millrace::graph {

// Of a node in any graph.
CodeTraits codeTraits(const NodeDeclaration& node);

// Graph::code. `emits` is never above what is known without the graph. Requires: levels and strides.
Status findCodeTraits(Graph& graph);

}  // namespace millrace::graph
