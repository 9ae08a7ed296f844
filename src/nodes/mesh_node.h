// SPDX-License-Identifier: Apache-2.0
// Mesh shaders as nodes (docs/mesh-nodes.md): the mesh shader becomes an ordinary one that finds its payload in memory,
// and a compute shader takes its place in the graph.
// Thread-safe: calls share nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "nodes/compile.h"

namespace millrace::nodes {

struct MeshNode {
    graph::NodeDeclaration declared;  // by the mesh shader
    // MeshEXT, with the entry point's own name. One draw for each payload: abi::MeshNodeArguments follow the
    // application's push constants, and DrawIndex is the number of the payload.
    spirv::Words shader;
    // A compute node of the extension, entry point "main", with the mesh shader's name, index, payload and sharing. It
    // appends what it receives to an abi::MeshNodeList, which it finds where its push constants in memory would be
    // (Request::pushConstantsInMemory).
    spirv::Words collector;
    uint32_t strideBytes = 0;  // from one payload of the list to the next
};

// Of `options` those that say which node it is and where the arguments begin. `maxGroups`: workgroups of a draw at
// most; payloads that ask for more are counted and not drawn. Errors: as prepare(), and what mesh nodes cannot do: send
// payloads, coalesce, OpFinishWritingNodePayloadAMDX, DrawIndex, grids whose components are not aligned.
Result<MeshNode> compileMeshNode(std::span<const uint32_t> words, const Options& options, uint32_t maxGroups);

// The collector, as prepare() left it, as the graph sees it: a mesh node, with what only the mesh shader declares.
graph::Node asMeshNode(graph::Node collector, const graph::NodeDeclaration& mesh);

// A fragment shader of a module that declares the extension for the sake of other entry points, without it.
Result<spirv::Words> withoutNodes(std::span<const uint32_t> words, const std::string& entryPoint);

}  // namespace millrace::nodes
