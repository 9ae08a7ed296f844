// SPDX-License-Identifier: Apache-2.0
// Graphics pipelines with mesh shaders as nodes of execution graphs (docs/mesh-nodes.md).
#pragma once

#include <vulkan/vulkan.h>

#include <memory>

#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/pipeline_maker.h"
#include "layer/recording/command_buffer.h"
#include "runtime/runtime.h"

namespace millrace::layer {

struct GraphObject;
struct GraphRun;

// What draws a mesh node. Shared by the library it was made for and every graph that includes it.
struct MeshNodePipeline {
    explicit MeshNodePipeline(std::shared_ptr<MeshNodeLayout> own) : layout(std::move(own)) {}
    ~MeshNodePipeline();
    MeshNodePipeline(const MeshNodePipeline&) = delete;
    MeshNodePipeline& operator=(const MeshNodePipeline&) = delete;

    const std::shared_ptr<MeshNodeLayout> layout;
    VkPipeline handle = VK_NULL_HANDLE;      // of the driver, with its mesh shaders,
    std::shared_ptr<const ListDrawer> made;  // or where the layer runs them
};

// True if a dispatch of the graph is recorded in front of the render pass instance that it is inside of, which cannot
// be interrupted. Its compute nodes run there.
bool runsInFront(CommandBuffer& commandBuffer, const GraphObject& object);

// Draws what the mesh nodes of a graph have received, with the dynamic state and the graph's sets of the command
// buffer, inside a render pass instance and behind RecordedDispatch::recordDrawBarrier(). Sets the application's state
// again.
// Nothing where `run` is null, since recording failed.
void drawMeshNodes(CommandBuffer& commandBuffer, const GraphObject& object, const GraphRun* run);

}  // namespace millrace::layer
