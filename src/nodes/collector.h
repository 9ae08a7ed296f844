// SPDX-License-Identifier: Apache-2.0
// The compute node that stands for a mesh node in its graph.
#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "spirv/tools.h"

namespace millrace::nodes {

// Of what the mesh shader declares; its payload may have any size. MeshNode::collector and compileMeshNode()
// say what it does. `strideBytes`: of payloads in the list.
Result<spirv::Words> makeCollector(const graph::NodeDeclaration& mesh, uint32_t strideBytes, uint32_t maxGroups);

}  // namespace millrace::nodes
