// SPDX-License-Identifier: Apache-2.0
#include "bench/suite/programs.h"

#include <algorithm>

namespace millrace::bench {

using harness::check;
using harness::Device;

namespace {

harness::RunnerOptions optionsFor(uint32_t argumentBytes)
{
    harness::RunnerOptions options;
    options.pushConstantBytes = argumentBytes;
    return options;
}

std::vector<harness::Stage> stagesOf(const std::vector<Node>& nodes)
{
    std::vector<harness::Stage> stages;
    for (const Node& node : nodes) {
        harness::Stage stage;
        stage.words = compileNode(node.file, node.definitions);
        stage.entry = node.entryPoint.empty() ? node.node : node.entryPoint;
        stage.name = node.node;
        stage.specialization = node.specialization;
        for (uint32_t i = 0; i < node.arraySize; ++i) {
            stage.index = node.firstIndex + i;
            stages.push_back(stage);
        }
    }
    return stages;
}

void barrier(VkCommandBuffer cmd, VkPipelineStageFlags stages, VkAccessFlags reads)
{
    VkMemoryBarrier info{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    info.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    info.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | reads;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | stages, 0, 1,
                         &info, 0, nullptr, 0, nullptr);
}

}  // namespace

void computeBarrier(VkCommandBuffer cmd)
{
    barrier(cmd, 0, 0);
}

void indirectBarrier(VkCommandBuffer cmd)
{
    barrier(cmd, VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

Graph::Graph(Device& device, const std::vector<Node>& nodes, uint32_t argumentBytes, VkDeviceSize scratchLimit)
    : m_runner(device, optionsFor(argumentBytes)), m_pipeline(m_runner.createGraph(stagesOf(nodes)))
{
    m_sizes = m_runner.scratchSize(m_pipeline);
    // To copy from it is for those who look what a dispatch left there.
    m_scratch =
        device.createDeviceBuffer(std::clamp(scratchLimit, m_sizes.minSize, m_sizes.maxSize),
                                  VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    initialize(m_scratch.size);
}

void Graph::initialize(VkDeviceSize bytes)
{
    m_used = bytes;
    m_runner.device().submit([&](VkCommandBuffer cmd) { m_runner.initialize(cmd, m_pipeline, usedScratch()); });
}

harness::Buffer Graph::usedScratch() const
{
    harness::Buffer part = m_scratch;
    part.size = m_used;
    return part;
}

void Graph::useScratch(uint64_t steps)
{
    initialize(m_sizes.minSize + steps * scratchStep());
}

void Graph::readScratch(const harness::Buffer& to, VkDeviceSize at, VkDeviceSize bytes)
{
    m_runner.device().submit([&](VkCommandBuffer cmd) {
        Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT);
        const VkBufferCopy region{at, 0, bytes};
        vkCmdCopyBuffer(cmd, m_scratch.handle, to.handle, 1, &region);
    });
}

Graph::~Graph()
{
    m_runner.device().destroyBuffer(m_scratch);
}

void Graph::record(VkCommandBuffer cmd)
{
    m_runner.bind(cmd, m_pipeline);
    m_runner.dispatchHost(cmd, m_pipeline, usedScratch(), m_launches);
}

void Graph::useDeviceInputs()
{
    constexpr uint64_t kStride = sizeof(VkDispatchGraphInfoAMDX);
    std::vector<uint8_t> bytes = m_runner.argumentBytes(m_pipeline, m_launches, kStride, 0);
    const size_t words = groupsFor(bytes.size(), sizeof(uint32_t));
    m_deviceMemory = std::make_unique<Memory>(m_runner.device(), words * sizeof(uint32_t));
    bytes = m_runner.argumentBytes(m_pipeline, m_launches, kStride, m_deviceMemory->address());
    std::memcpy(&m_deviceInputs, bytes.data(), sizeof m_deviceInputs);
    std::vector<uint32_t> content(words);
    std::memcpy(content.data(), bytes.data(), bytes.size());
    m_deviceMemory->upload(content);
}

void Graph::recordDeviceInputs(VkCommandBuffer cmd, harness::Form form)
{
    m_runner.bind(cmd, m_pipeline);
    const harness::Buffer scratch = usedScratch();
    if (form == harness::Form::IndirectCount)
        m_runner.device().cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, m_deviceMemory->address());
    else
        m_runner.device().cmdDispatchIndirect(cmd, scratch.address, scratch.size, &m_deviceInputs);
}

Kernel::Kernel(Device& device, const std::string& file, uint32_t argumentBytes, const Definitions& definitions)
    : m_device(device)
{
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, argumentBytes};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(device.device, &layout, nullptr, &m_layout), "vkCreatePipelineLayout");
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = device.createModule(compileKernel(file, definitions));
    info.stage.pName = "main";
    info.layout = m_layout;
    check(vkCreateComputePipelines(device.device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline),
          "vkCreateComputePipelines");
    vkDestroyShaderModule(device.device, info.stage.module, nullptr);
}

Kernel::~Kernel()
{
    vkDestroyPipeline(m_device.device, m_pipeline, nullptr);
    vkDestroyPipelineLayout(m_device.device, m_layout, nullptr);
}

void Kernel::bind(VkCommandBuffer cmd, const Arguments& arguments) const
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
    vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, static_cast<uint32_t>(arguments.size()),
                       arguments.data());
}

void Kernel::dispatch(VkCommandBuffer cmd, const Arguments& arguments, uint32_t x, uint32_t y, uint32_t z) const
{
    bind(cmd, arguments);
    vkCmdDispatch(cmd, x, y, z);
}

void Kernel::dispatchRows(VkCommandBuffer cmd, const Arguments& arguments, uint32_t groups) const
{
    dispatch(cmd, arguments, std::min(groups, 1024u), groupsFor(groups, 1024));
}

void Kernel::dispatchIndirect(VkCommandBuffer cmd, const Arguments& arguments, VkBuffer buffer, VkDeviceSize at) const
{
    bind(cmd, arguments);
    vkCmdDispatchIndirect(cmd, buffer, at);
}

}  // namespace millrace::bench
