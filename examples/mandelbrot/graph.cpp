// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace {

constexpr uint32_t kWords[] = {
#include "mandelbrot.inc"
};

constexpr uint64_t kMaxDefaultScratch = 256ull << 20;

struct NodeName {
    const char* entryPoint;
    const char* name;
    uint32_t index;
};
constexpr NodeName kNodes[] = {
    {"start", "start", 0}, {"tiles", "tiles", 0},   {"mariani_silver", "mariani_silver", 0},
    {"fill", "paint", 0},  {"iterate", "paint", 1},
};

VkPipelineShaderStageNodeCreateInfoAMDX nodeInfo(const NodeName& node)
{
    VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    info.pName = node.name;
    info.index = node.index;
    return info;
}

struct Access {
    VkPipelineStageFlags stages;
    VkAccessFlags access;
};
constexpr Access kTransferWrite{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
constexpr Access kTransferRead{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT};
constexpr Access kHostRead{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT};
constexpr Access kShader{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};

void barrier(VkCommandBuffer commands, const Access& before, const Access& after)
{
    VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    memory.srcAccessMask = before.access;
    memory.dstAccessMask = after.access;
    vkCmdPipelineBarrier(commands, before.stages, after.stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

}  // namespace

Graph::Graph(const Device& device, const View& view, std::optional<uint64_t> scratchBytes)
    : m_device(device), m_view(view)
{
    createLayout();
    createPipeline();
    createBuffers(scratchBytes);
    createCommands();
    record();
}

Graph::~Graph()
{
    const VkDevice device = m_device.handle();
    vkDeviceWaitIdle(device);
    vkDestroyFence(device, m_fence, nullptr);
    vkDestroyQueryPool(device, m_timestamps, nullptr);
    vkDestroyCommandPool(device, m_commandPool, nullptr);
    for (const Buffer& buffer : {m_image, m_counters, m_scratch, m_result})
        m_device.destroy(buffer);
    vkDestroyPipeline(device, m_pipeline, nullptr);
    vkDestroyDescriptorPool(device, m_descriptorPool, nullptr);
    vkDestroyPipelineLayout(device, m_layout, nullptr);
    vkDestroyDescriptorSetLayout(device, m_setLayout, nullptr);
}

// The nodes see one storage buffer, the counters, and push constants.
void Graph::createLayout()
{
    const VkDevice device = m_device.handle();
    VkDescriptorSetLayoutBinding binding{};
    binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    VkDescriptorSetLayoutCreateInfo setLayout{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setLayout.bindingCount = 1;
    setLayout.pBindings = &binding;
    check(vkCreateDescriptorSetLayout(device, &setLayout, nullptr, &m_setLayout), "vkCreateDescriptorSetLayout");

    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(View)};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.setLayoutCount = 1;
    layout.pSetLayouts = &m_setLayout;
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");

    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = 1;
    pool.poolSizeCount = 1;
    pool.pPoolSizes = &size;
    check(vkCreateDescriptorPool(device, &pool, nullptr, &m_descriptorPool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    set.descriptorPool = m_descriptorPool;
    set.descriptorSetCount = 1;
    set.pSetLayouts = &m_setLayout;
    check(vkAllocateDescriptorSets(device, &set, &m_set), "vkAllocateDescriptorSets");
}

void Graph::createPipeline()
{
    const VkDevice device = m_device.handle();
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = sizeof(kWords);
    moduleInfo.pCode = kWords;
    VkShaderModule module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device, &moduleInfo, nullptr, &module), "vkCreateShaderModule");

    std::vector<VkPipelineShaderStageNodeCreateInfoAMDX> nodes;
    for (const NodeName& node : kNodes)
        nodes.push_back(nodeInfo(node));
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (size_t i = 0; i < nodes.size(); ++i) {
        VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &nodes[i]};
        stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        stage.module = module;
        stage.pName = kNodes[i].entryPoint;
        stages.push_back(stage);
    }
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.layout = m_layout;
    info.basePipelineIndex = -1;
    const auto create = m_device.load<PFN_vkCreateExecutionGraphPipelinesAMDX>("vkCreateExecutionGraphPipelinesAMDX");
    const VkResult result = create(device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline);
    vkDestroyShaderModule(device, module, nullptr);
    check(result, "vkCreateExecutionGraphPipelinesAMDX");
}

void Graph::createBuffers(std::optional<uint64_t> scratchBytes)
{
    m_scratchLimits = {VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    const auto query =
        m_device.load<PFN_vkGetExecutionGraphPipelineScratchSizeAMDX>("vkGetExecutionGraphPipelineScratchSizeAMDX");
    check(query(m_device.handle(), m_pipeline, &m_scratchLimits), "vkGetExecutionGraphPipelineScratchSizeAMDX");
    // Any size between the limits does; less may take longer.
    const uint64_t least = m_scratchLimits.minSize, most = std::max(m_scratchLimits.maxSize, least);
    const uint64_t scratch = std::clamp(scratchBytes.value_or(kMaxDefaultScratch), least, most);

    const uint64_t imageBytes = uint64_t{m_view.side} * m_view.side * sizeof(uint32_t);
    m_image = m_device.createBuffer(imageBytes,
                                    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    Device::Memory::Device);
    m_view.image = m_image.address;
    m_counters = m_device.createBuffer(
        sizeof(Counters),
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
        Device::Memory::Device);
    m_scratch = m_device.createBuffer(
        scratch, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
        Device::Memory::Device);
    m_result =
        m_device.createBuffer(sizeof(Counters) + imageBytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Device::Memory::Host);

    const VkDescriptorBufferInfo range{m_counters.handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &range;
    vkUpdateDescriptorSets(m_device.handle(), 1, &write, 0, nullptr);
}

void Graph::createCommands()
{
    const VkDevice device = m_device.handle();
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.queueFamilyIndex = m_device.queueFamily();
    check(vkCreateCommandPool(device, &pool, nullptr, &m_commandPool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    commands.commandPool = m_commandPool;
    commands.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    commands.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device, &commands, &m_commands), "vkAllocateCommandBuffers");
    const VkFenceCreateInfo fence{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    check(vkCreateFence(device, &fence, nullptr, &m_fence), "vkCreateFence");
    if (m_device.timestampBits() > 0) {
        VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
        queries.queryCount = 2;
        check(vkCreateQueryPool(device, &queries, nullptr, &m_timestamps), "vkCreateQueryPool");
    }
}

void Graph::record()
{
    const auto nodeIndexOf =
        m_device.load<PFN_vkGetExecutionGraphPipelineNodeIndexAMDX>("vkGetExecutionGraphPipelineNodeIndexAMDX");
    const auto initializeScratch =
        m_device.load<PFN_vkCmdInitializeGraphScratchMemoryAMDX>("vkCmdInitializeGraphScratchMemoryAMDX");
    const auto dispatchGraph = m_device.load<PFN_vkCmdDispatchGraphAMDX>("vkCmdDispatchGraphAMDX");

    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(m_commands, &begin), "vkBeginCommandBuffer");
    vkCmdFillBuffer(m_commands, m_counters.handle, 0, VK_WHOLE_SIZE, 0);
    // A pixel that the graph forgets is seen.
    vkCmdFillBuffer(m_commands, m_image.handle, 0, VK_WHOLE_SIZE, ~0u);
    initializeScratch(m_commands, m_pipeline, m_scratch.address, m_scratch.size);
    barrier(m_commands, kTransferWrite, kShader);
    barrier(m_commands, kShader, kShader);

    vkCmdBindPipeline(m_commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, m_pipeline);
    vkCmdBindDescriptorSets(m_commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, m_layout, 0, 1, &m_set, 0,
                            nullptr);
    vkCmdPushConstants(m_commands, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(View), &m_view);

    // One empty payload for "start".
    VkDispatchGraphInfoAMDX launch{};
    const VkPipelineShaderStageNodeCreateInfoAMDX start = nodeInfo(kNodes[0]);
    check(nodeIndexOf(m_device.handle(), m_pipeline, &start, &launch.nodeIndex),
          "vkGetExecutionGraphPipelineNodeIndexAMDX");
    launch.payloadCount = 1;
    VkDispatchGraphCountInfoAMDX launches{};
    launches.count = 1;
    launches.infos.hostAddress = &launch;
    launches.stride = sizeof(launch);

    if (m_timestamps) {
        vkCmdResetQueryPool(m_commands, m_timestamps, 0, 2);
        vkCmdWriteTimestamp(m_commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, m_timestamps, 0);
    }
    dispatchGraph(m_commands, m_scratch.address, m_scratch.size, &launches);
    if (m_timestamps)
        vkCmdWriteTimestamp(m_commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, m_timestamps, 1);

    barrier(m_commands, kShader, kTransferRead);
    const VkBufferCopy counters{0, 0, sizeof(Counters)};
    const VkBufferCopy image{0, sizeof(Counters), m_image.size};
    vkCmdCopyBuffer(m_commands, m_counters.handle, m_result.handle, 1, &counters);
    vkCmdCopyBuffer(m_commands, m_image.handle, m_result.handle, 1, &image);
    barrier(m_commands, kTransferWrite, kHostRead);
    check(vkEndCommandBuffer(m_commands), "vkEndCommandBuffer");
}

RunTimes Graph::run()
{
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &m_commands;
    check(vkQueueSubmit(m_device.queue(), 1, &submit, m_fence), "vkQueueSubmit");
    check(vkWaitForFences(m_device.handle(), 1, &m_fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    RunTimes times;
    times.hostMs = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    check(vkResetFences(m_device.handle(), 1, &m_fence), "vkResetFences");

    if (m_timestamps) {
        uint64_t ticks[2] = {};
        check(vkGetQueryPoolResults(m_device.handle(), m_timestamps, 0, 2, sizeof(ticks), ticks, sizeof(ticks[0]),
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              "vkGetQueryPoolResults");
        const uint64_t mask = ~0ull >> (64 - m_device.timestampBits());
        times.gpuMs = static_cast<double>((ticks[1] - ticks[0]) & mask) * m_device.timestampPeriodNs() * 1e-6;
    }
    return times;
}

std::vector<uint32_t> Graph::dwells() const
{
    std::vector<uint32_t> result(m_image.size / sizeof(uint32_t));
    std::memcpy(result.data(), static_cast<const char*>(m_result.mapped) + sizeof(Counters), m_image.size);
    return result;
}

Counters Graph::counters() const
{
    Counters result;
    std::memcpy(result.data(), m_result.mapped, sizeof(result));
    return result;
}
