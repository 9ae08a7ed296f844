// SPDX-License-Identifier: Apache-2.0
// What a node shader declares, compute or mesh.
#pragma once

#include "nodes/mesh_node.h"
#include "nodes/source_module.h"

namespace millrace::tools {

// Where a module has a compute and a mesh shader of that name it means the compute shader.
bool isMeshNode(const nodes::SourceModule& module, const std::string& entryPoint);

// Of the entry point that the options name. Errors: what does not compile.
Result<graph::Node> declaredNode(const spirv::Words& words, const nodes::Options& options, bool isMesh);

// The compute node that stands for a mesh node in its graph, and its options. Errors as above.
struct Collector {
    graph::NodeDeclaration declared;  // by the mesh shader
    spirv::Words words;
    nodes::Options options;
};
Result<Collector> collectorOf(const spirv::Words& words, const nodes::Options& options);

}  // namespace millrace::tools
