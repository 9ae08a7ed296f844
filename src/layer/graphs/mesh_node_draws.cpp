// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "abi/mesh_nodes.h"
#include "layer/graphs/graph_run.h"
#include "layer/graphs/mesh_nodes.h"
#include "layer/graphs/pipelines.h"

namespace millrace::layer {

namespace {

// The application's push constants and, behind them, where the payloads are.
std::vector<uint8_t> constantsOf(const CommandBuffer& commandBuffer, const MeshNodeLayout& layout,
                                 const runtime::MeshDraw& draw)
{
    std::vector<uint8_t> bytes(layout.argumentsOffsetBytes + sizeof(abi::MeshNodeArguments));
    commandBuffer.bound.readPushConstants(kMeshNodeStages, std::span(bytes).first(layout.pushConstantBytes));
    abi::MeshNodeArguments arguments{};
    arguments.payloads = draw.payloads;
    std::memcpy(bytes.data() + layout.argumentsOffsetBytes, &arguments, sizeof arguments);
    return bytes;
}

// Where the layer runs mesh shaders.
void drawMade(CommandBuffer& commandBuffer, const MeshNodePipeline& pipeline, const runtime::MeshDraw& draw)
{
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const std::vector<uint8_t> constants = constantsOf(commandBuffer, *pipeline.layout, draw);
    const auto bindSets = [&](VkCommandBuffer target, VkPipelineBindPoint bindPoint, const SequenceLayout& layout) {
        commandBuffer.graph.apply(table, target, bindPoint, layout.handle, layout.sets);
    };
    pipeline.made->draw(commandBuffer, {.what = "what a mesh node has received",
                                        .commands = draw.memory + draw.commandsOffset,
                                        .stride = sizeof(abi::MeshNodeCommand),
                                        .count = draw.memory + draw.counterOffset,
                                        .most = draw.most,
                                        .pushConstants = constants,
                                        .bindSets = bindSets});
}

void drawOne(CommandBuffer& commandBuffer, const MeshNodePipeline& pipeline, const runtime::MeshDraw& draw)
{
    if (pipeline.made) {
        drawMade(commandBuffer, pipeline, draw);
        return;
    }
    commandBuffer.countsMeshes = commandBuffer.device.shaderCounter != nullptr;
    const VkuDeviceDispatchTable& table = commandBuffer.device.table;
    const VkCommandBuffer target = commandBuffer.current;
    const MeshNodeLayout& layout = *pipeline.layout;
    table.CmdBindPipeline(target, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.handle);
    commandBuffer.graph.apply(table, target, VK_PIPELINE_BIND_POINT_GRAPHICS, layout.handle, layout.sets);
    const std::vector<uint8_t> constants = constantsOf(commandBuffer, layout, draw);
    table.CmdPushConstants(target, layout.handle, kMeshNodeStages, 0, static_cast<uint32_t>(constants.size()),
                           constants.data());
    table.CmdDrawMeshTasksIndirectCountEXT(target, draw.buffer, draw.commandsOffset, draw.buffer, draw.counterOffset,
                                           draw.most, sizeof(abi::MeshNodeCommand));
}

}  // namespace

bool runsInFront(CommandBuffer& commandBuffer, const GraphObject& object)
{
    const RenderingScope& scope = commandBuffer.rendering;
    if (!object.hasMeshNodes() || !(scope.legacyPass || (scope.dynamic && scope.suspends)))
        return false;
    settleWait(commandBuffer);
    return commandBuffer.front.isOpen();
}

void drawMeshNodes(CommandBuffer& commandBuffer, const GraphObject& object, const GraphRun* run)
{
    if (!run || run->dispatch->draws().empty())
        return;
    for (const runtime::MeshDraw& draw : run->dispatch->draws())
        drawOne(commandBuffer, *object.nodes[draw.node]->mesh, draw);
    // Pipelines with static state have disturbed what is dynamic in the application's.
    const uint32_t scopes =
        commandBuffer.log.has(kScopeDescriptorBuffers) ? kScopeOutsideRendering : kScopeOther | kScopePushConstants;
    commandBuffer.log.replay(scopes, commandBuffer.device.table, commandBuffer.current);
    commandBuffer.lent.clear();
}

}  // namespace millrace::layer
