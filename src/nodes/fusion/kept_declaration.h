// SPDX-License-Identifier: Apache-2.0
// Other code of a node is the same node to all others.
#pragma once

#include "base/result.h"
#include "graph/graph.h"

namespace millrace::nodes {

// An error if code that was made of a node declares anything else to whoever sends to it: then it would find its
// payloads or their grids at the wrong places.
Status keepsDeclaration(const graph::NodeDeclaration& before, const graph::NodeDeclaration& after);

}  // namespace millrace::nodes
