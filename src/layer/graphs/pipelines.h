// SPDX-License-Identifier: Apache-2.0
// Pipelines of ours: execution graphs and the libraries they are made from. The driver never sees their handles.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "layer/graphs/node_pipelines.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_flags.h"
#include "runtime/runtime.h"

namespace millrace::layer {

struct GraphObject {
    enum class Kind {
        ComputeLibrary,  // one node
        MeshLibrary,     // one mesh node
        MeshPart,        // a part of one, of which nothing is made before it is whole
        GraphLibrary,    // an execution graph with the library bit
        Graph,
    };

    Kind kind = Kind::Graph;
    VkPipelineCreateFlags2 flags = 0;
    std::shared_ptr<GraphLayout> layout;
    std::vector<std::shared_ptr<NodePipeline>> nodes;
    runtime::GraphPipeline graph;  // Kind::Graph

    void setName(std::string name);
    bool hasMeshNodes() const
    {
        return std::ranges::any_of(nodes, [](const auto& node) { return node->mesh != nullptr; });
    }

    // What the application called it, or "graph 7".
    std::string name() const;

private:
    mutable std::mutex m_mutex;
    std::string m_name;
};

// The node of a graphics pipeline with a mesh shader and the flags of a node, or with code of the extension. `created`:
// as for DriverPipelineInfo. Requires: Device::usesMeshNodes().
VkResult createMeshLibrary(Device& device, VkPipelineCache cache, const VkGraphicsPipelineCreateInfo& createInfo,
                           const VkPipeline* created, VkPipeline* out);

// Gives the application a handle for an object.
VkPipeline publish(Device& device, std::shared_ptr<GraphObject> object);

}  // namespace millrace::layer
