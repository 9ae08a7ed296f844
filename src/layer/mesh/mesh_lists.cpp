// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_lists.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_memory.h"
#include "layer/mesh/mesh_queries.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/recording/command_buffer.h"

namespace millrace::layer {

namespace {

template <typename Element>
bool uploadAll(CommandBuffer& commandBuffer, const std::vector<Element>& elements, MeshMemory::Part& out)
{
    const uint64_t bytes = elements.size() * sizeof(Element);
    const VkResult result = static_cast<MeshMemory*>(commandBuffer.drawMemory.get())->takeUpload(bytes, out);
    if (result == VK_SUCCESS)
        std::memcpy(out.data, elements.data(), bytes);
    else
        commandBuffer.fail(result);
    return result == VK_SUCCESS;
}

// How many workgroups write the indices of each draw. Of those that share, the host does not know how many there are.
uint32_t shareWriters(std::vector<abi::MeshIndexing>& indexings, uint32_t most)
{
    constexpr uint32_t kLeast = 16;
    const auto shared = static_cast<uint32_t>(std::ranges::count(indexings, 1u, &abi::MeshIndexing::isShared));
    const uint32_t ofShared = shared == 0 ? 0 : std::max(std::min(most, 4 * most / shared), kLeast);
    uint32_t writers = 0;
    for (abi::MeshIndexing& indexing : indexings) {
        const uint32_t perWriter = kIndexWriterInvocations * indexing.corners;
        indexing.writers = indexing.isShared ? ofShared : std::min(most, indexing.most / perWriter + 1);
        indexing.firstWriter = writers;
        writers += indexing.writers;
    }
    return writers;
}

// What is to be listed of draws with such counts. False without memory.
bool uploadListings(CommandBuffer& commandBuffer, MeshCount groups, uint64_t indexings, abi::ListArguments& out)
{
    auto* const memory = static_cast<MeshMemory*>(commandBuffer.drawMemory.get());
    const std::vector<abi::MeshListing> listings = std::exchange(memory->listings[static_cast<size_t>(groups)], {});
    MeshMemory::Part part, sums;
    if (listings.empty())
        return true;
    if (!uploadAll(commandBuffer, listings, part))
        return false;
    const auto count = static_cast<uint32_t>(listings.size());
    const uint32_t parts = groups == MeshCount::Many ? commandBuffer.device.meshShaders->partsOf(listings.size()) : 0;
    const uint64_t sumBytes = uint64_t{count} * parts * sizeof(uint32_t);
    const VkResult result = sumBytes == 0 ? VK_SUCCESS : memory->takeResults(sumBytes, sums);
    if (result != VK_SUCCESS)
        commandBuffer.fail(result);
    out = {part.address, indexings, sums.address, count, parts};
    return result == VK_SUCCESS;
}

// Null: the host waits until everything in front has run.
const MeshArena* decidingArena(const CommandBuffer& commandBuffer, const MeshMemory& memory)
{
    const bool isOnce = commandBuffer.primary && !(commandBuffer.usage & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    return isOnce && commandBuffer.front.repeat ? memory.madeArena() : nullptr;
}

}  // namespace

void listDraws(CommandBuffer& commandBuffer, bool isLast)
{
    auto* const memory = static_cast<MeshMemory*>(commandBuffer.drawMemory.get());
    commandBuffer.current.recordPutOff();
    if (!memory || std::ranges::all_of(memory->listings, [](const auto& listings) { return listings.empty(); }))
        return;
    recordRest(commandBuffer);
    const Device& device = commandBuffer.device;
    const std::array<VkCommandBuffer, 2> streams = {commandBuffer.front.stream, commandBuffer.front.repeat};
    for (const VkCommandBuffer stream : streams)
        if (stream)
            device.meshShaders->waitForKernel(stream);
    std::vector<abi::MeshIndexing> indexings = std::exchange(memory->indexings, {});
    const uint32_t writers = shareWriters(indexings, device.meshShaders->mostIndexWriters());
    MeshMemory::Part ofIndexings;
    if (writers > 0 && !uploadAll(commandBuffer, indexings, ofIndexings))
        return;
    const MeshArena* const decides = isLast ? decidingArena(commandBuffer, *memory) : nullptr;
    MeshShaders::Lists lists{};
    for (size_t groups = 0; groups < kMeshCounts; ++groups)
        if (!uploadListings(commandBuffer, static_cast<MeshCount>(groups), ofIndexings.address, lists[groups]))
            return;
    for (const VkCommandBuffer stream : streams) {
        if (!stream)
            continue;
        device.meshShaders->listPrimitives(stream, lists);
        if (decides && stream == commandBuffer.front.stream)
            decides->recordDecision(stream);
        device.meshShaders->listParts(stream, lists);
        if (writers == 0)
            continue;
        device.meshShaders->waitForKernel(stream);
        device.meshShaders->writeIndices(stream,
                                         {ofIndexings.address, static_cast<uint32_t>(indexings.size()), writers});
    }
    recordQueryParts(commandBuffer, *memory);
    commandBuffer.front.forgetPipelines();
}

}  // namespace millrace::layer
