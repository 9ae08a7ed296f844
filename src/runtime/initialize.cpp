// SPDX-License-Identifier: Apache-2.0
// vkCmdInitializeGraphScratchMemoryAMDX.
#include <algorithm>
#include <cstring>

#include "runtime/barriers.h"
#include "runtime/device_impl.h"
#include "runtime/labels.h"

namespace millrace::runtime {

VkResult recordInitialize(Device& device, VkCommandBuffer commandBuffer, const GraphPipeline& pipeline,
                          VkDeviceAddress scratch, VkDeviceSize, std::shared_ptr<void>& keepAlive,
                          const std::string& name)
{
    Device::Impl& impl = device.impl();
    const std::vector<uint32_t> words = graph::staticTables(pipeline.graph, scratch, pipeline.graphId);
    auto source = std::make_shared<Buffer>();
    const VkResult result = impl.memory.createBuffer(BufferUse::Upload, words.size() * sizeof(uint32_t), *source);
    if (result != VK_SUCCESS)
        return result;
    std::memcpy(source->data(), words.data(), words.size() * sizeof(uint32_t));

    const std::string graph = name.empty() ? "graph " + std::to_string(pipeline.graphId) : name;
    impl.names.set(VK_OBJECT_TYPE_BUFFER, source->handle(), {graph, ", static tables"});
    Label label(impl, commandBuffer, "Millrace: " + graph + ", initialize scratch memory");
    abi::InitArguments arguments{};
    arguments.source = source->address();
    arguments.destination = scratch;
    arguments.wordCount = static_cast<uint32_t>(words.size());
    // Whatever graph used this memory before must be through with it.
    computeBarrier(impl, commandBuffer);
    const uint32_t width = impl.meta.width();
    const size_t groups = std::clamp<size_t>(words.size() / width, 1, impl.fullGroups(width));
    impl.meta.dispatch(commandBuffer, Meta::Init, arguments, static_cast<uint32_t>(groups));
    keepAlive = std::move(source);
    return VK_SUCCESS;
}

}  // namespace millrace::runtime
