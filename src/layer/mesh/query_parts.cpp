// SPDX-License-Identifier: Apache-2.0
// What draws add to queries.
#include <array>
#include <cstring>
#include <utility>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_memory.h"
#include "layer/mesh/mesh_queries.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

MeshMemory& memoryOf(const CommandBuffer& commandBuffer)
{
    return *static_cast<MeshMemory*>(commandBuffer.drawMemory.get());
}

// Records `parts` in the streams, the second of which repeats the first one.
void recordParts(CommandBuffer& commandBuffer, const std::vector<abi::MeshQueryPart>& parts,
                 const std::array<VkCommandBuffer, 2>& streams)
{
    MeshMemory& memory = memoryOf(commandBuffer);
    const uint64_t takenBytes = parts.size() * sizeof(abi::MeshQuerySums);
    MeshMemory::Part uploaded, taken;
    VkResult result = memory.takeUpload(parts.size() * sizeof(abi::MeshQueryPart), uploaded);
    if (result == VK_SUCCESS)
        result = memory.takeResults(takenBytes, taken);
    if (result != VK_SUCCESS) {
        commandBuffer.fail(result);
        return;
    }
    for (size_t i = 0; i < parts.size(); ++i) {
        abi::MeshQueryPart part = parts[i];
        part.taken = taken.address + i * sizeof(abi::MeshQuerySums);
        std::memcpy(uploaded.data + i * sizeof part, &part, sizeof part);
    }
    const MeshShaders& shaders = *commandBuffer.device.meshShaders;
    for (const VkCommandBuffer stream : streams)
        if (stream)
            shaders.countQueries(
                stream, {uploaded.address, static_cast<uint32_t>(parts.size()), stream == streams[1] ? 1u : 0u});
}

void addExecuted(CommandBuffer& by, const CommandBuffer& own);

// Of the draws of a secondary command buffer, for queries of those that execute it. 0: it has none.
uint64_t sumsOfExecution(CommandBuffer& commandBuffer, MeshMemory& memory)
{
    const Device& device = commandBuffer.device;
    if (commandBuffer.primary || !device.enabled.inheritedQueries || !device.enabled.meshShaderQueries)
        return 0;
    if (memory.executedSums() != 0)
        return memory.executedSums();
    // Outside of an instance others were executed.
    const VkCommandBuffer front = commandBuffer.front.stream;
    const VkCommandBuffer stream = front ? front : commandBuffer.current;
    if (const VkResult result = memory.clearExecutedSums(stream); result != VK_SUCCESS) {
        commandBuffer.fail(result);
        return 0;
    }
    commandBuffer.executed = addExecuted;
    return memory.executedSums();
}

// One for each query that is active, and for those that may be where a secondary command buffer is executed.
std::vector<abi::MeshQueryPart> partsFor(CommandBuffer& commandBuffer, MeshMemory& memory, abi::MeshQueryPart part)
{
    std::vector<abi::MeshQueryPart> parts;
    const auto add = [&](uint64_t sums) {
        part.sums = sums;
        parts.push_back(part);
    };
    for (const ActiveOwnQuery& active : commandBuffer.rendering.ownQueries)
        add(static_cast<const MeshQueries*>(active.queries)->addressOf(active.query));
    if (const uint64_t sums = sumsOfExecution(commandBuffer, memory))
        add(sums);
    return parts;
}

// All that a secondary command buffer has counted, where it is executed: in front of the instance that it continues, or
// behind it. A condition that it inherits is not in force in front.
void addExecuted(CommandBuffer& by, const CommandBuffer& own)
{
    if (!by.drawMemory)
        by.drawMemory = std::make_shared<MeshMemory>(by.device, by.reference());
    const std::vector<abi::MeshQueryPart> parts =
        partsFor(by, memoryOf(by), {0, 0, memoryOf(own).executedSums(), 0, 0, 1, 0, 0, 0});
    if (parts.empty())
        return;
    if (!own.companion) {
        recordParts(by, parts, {by.current, VK_NULL_HANDLE});
        return;
    }
    const std::array<VkCommandBuffer, 2> streams = {by.front.stream, by.front.repeat};
    const VkuDeviceDispatchTable& table = by.device.table;
    const bool isPredicated = by.rendering.conditional && own.inheritedCondition.conditionalRenderingEnable;
    for (const VkCommandBuffer stream : streams)
        if (stream && isPredicated)
            table.CmdBeginConditionalRenderingEXT(stream, &by.rendering.conditionalInfo);
    recordParts(by, parts, streams);
    for (const VkCommandBuffer stream : streams)
        if (stream && isPredicated)
            table.CmdEndConditionalRenderingEXT(stream);
    by.front.forgetPipelines();
}

}  // namespace

void countInQueries(CommandBuffer& commandBuffer, MeshMemory& memory, const abi::MeshQueryPart& part)
{
    const std::vector<abi::MeshQueryPart> parts = partsFor(commandBuffer, memory, part);
    memory.queryParts.insert(memory.queryParts.end(), parts.begin(), parts.end());
}

void recordQueryParts(CommandBuffer& commandBuffer, MeshMemory& memory)
{
    const std::vector<abi::MeshQueryPart> parts = std::exchange(memory.queryParts, {});
    if (!parts.empty())
        recordParts(commandBuffer, parts, {commandBuffer.front.stream, commandBuffer.front.repeat});
}

}  // namespace millrace::layer
