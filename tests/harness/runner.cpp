// SPDX-License-Identifier: Apache-2.0
#include "harness/runner.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

#include "harness/part_times.h"

namespace millrace::harness {

Launch launchWords(const std::string& name, uint32_t index, uint32_t count, const std::vector<uint32_t>& words)
{
    Launch launch{name, index, count, std::vector<uint8_t>(words.size() * 4), count ? words.size() * 4 / count : 0};
    if (!words.empty())
        std::memcpy(launch.bytes.data(), words.data(), launch.bytes.size());
    return launch;
}

std::vector<uint32_t> readWords(const std::string& file)
{
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in)
        throw HarnessError("cannot open " + file);
    std::vector<uint32_t> words(static_cast<size_t>(in.tellg()) / 4);
    in.seekg(0);
    in.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
    return words;
}

const char* nameOf(Scratch scratch)
{
    return scratch == Scratch::Minimum ? "minimum" : scratch == Scratch::Between ? "between" : "maximum";
}

const char* nameOf(Form form)
{
    return form == Form::Host ? "host" : form == Form::Indirect ? "indirect" : "indirectCount";
}

Runner::Runner(Device& device, const RunnerOptions& options)
    : m_device(device),
      m_side(options.side),
      m_stages(VK_SHADER_STAGE_COMPUTE_BIT |
               (m_side != 0 ? VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT : 0u))
{
    pushConstants.resize(options.pushConstantBytes);
    m_output =
        createBuffer(std::max(1u, options.outputWords) * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | options.outputUsage);
    if (!options.table.empty()) {
        m_table = createBuffer(options.table.size() * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        std::memcpy(m_table.mapped, options.table.data(), options.table.size() * 4);
    }
    createLayouts(options);
    createSets(options);
    if (options.inPass)
        createPass();
}

Runner::~Runner()
{
    const Part part("destruction");
    vkDeviceWaitIdle(m_device.device);
    for (size_t i = m_cleanup.size(); i > 0; --i)
        m_cleanup[i - 1]();
}

Buffer Runner::createBuffer(VkDeviceSize size, VkBufferUsageFlags usage)
{
    const Buffer buffer = m_device.createBuffer(size, usage);
    onDestroy([this, buffer] { m_device.destroyBuffer(buffer); });
    return buffer;
}

std::vector<uint32_t> Runner::outputWords() const
{
    return {m_output.words(), m_output.words() + m_output.size / 4};
}

void Runner::clearOutput()
{
    std::memset(m_output.mapped, 0, m_output.size);
}

void Runner::createLayouts(const RunnerOptions& options)
{
    const uint32_t bindings[] = {0, 3};
    const size_t sets = options.table.empty() ? 1 : 2;
    for (size_t i = 0; i < sets; ++i) {
        VkDescriptorSetLayoutBinding binding{};
        binding.binding = bindings[i];
        binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        binding.descriptorCount = 1;
        binding.stageFlags = m_stages;
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = 1;
        info.pBindings = &binding;
        VkDescriptorSetLayout layout = VK_NULL_HANDLE;
        check(vkCreateDescriptorSetLayout(m_device.device, &info, nullptr, &layout), "vkCreateDescriptorSetLayout");
        m_setLayouts.push_back(layout);
        onDestroy([this, layout] { vkDestroyDescriptorSetLayout(m_device.device, layout, nullptr); });
    }
    VkPushConstantRange range{m_stages, 0, options.pushConstantBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<uint32_t>(m_setLayouts.size());
    info.pSetLayouts = m_setLayouts.data();
    info.pushConstantRangeCount = options.pushConstantBytes ? 1 : 0;
    info.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(m_device.device, &info, nullptr, &m_layout), "vkCreatePipelineLayout");
    onDestroy([this] { vkDestroyPipelineLayout(m_device.device, m_layout, nullptr); });
}

void Runner::createSets(const RunnerOptions& options)
{
    const auto count = static_cast<uint32_t>(m_setLayouts.size());
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = count;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    check(vkCreateDescriptorPool(m_device.device, &poolInfo, nullptr, &pool), "vkCreateDescriptorPool");
    onDestroy([this, pool] { vkDestroyDescriptorPool(m_device.device, pool, nullptr); });
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = count;
    allocate.pSetLayouts = m_setLayouts.data();
    m_sets.resize(count);
    check(vkAllocateDescriptorSets(m_device.device, &allocate, m_sets.data()), "vkAllocateDescriptorSets");
    const uint32_t bindings[] = {0, 3};
    const VkBuffer buffers[] = {m_output.handle, m_table.handle};
    for (size_t i = 0; i < (options.table.empty() ? 1u : 2u); ++i) {
        const VkDescriptorBufferInfo range{buffers[i], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = m_sets[i];
        write.dstBinding = bindings[i];
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &range;
        vkUpdateDescriptorSets(m_device.device, 1, &write, 0, nullptr);
    }
}

uint32_t Runner::nodeIndex(VkPipeline graph, const std::string& name, uint32_t index)
{
    VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    info.pName = name.c_str();
    info.index = index;
    uint32_t node = ~0u;
    check(m_device.getNodeIndex(m_device.device, graph, &info, &node),
          "vkGetExecutionGraphPipelineNodeIndexAMDX(" + name + "[" + std::to_string(index) + "])");
    return node;
}

VkExecutionGraphPipelineScratchSizeAMDX Runner::scratchSize(VkPipeline graph)
{
    VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    check(m_device.getScratchSize(m_device.device, graph, &size), "vkGetExecutionGraphPipelineScratchSizeAMDX");
    return size;
}

VkDeviceSize Runner::scratchBytes(VkPipeline graph, Scratch scratch)
{
    const VkExecutionGraphPipelineScratchSizeAMDX size = scratchSize(graph);
    if (scratch == Scratch::Minimum)
        return size.minSize;
    if (scratch == Scratch::Maximum)
        return size.maxSize;
    // The geometric mean: the arithmetic one would nearly always hold everything.
    const double mean = std::sqrt(static_cast<double>(size.minSize) * static_cast<double>(size.maxSize));
    return std::clamp(static_cast<VkDeviceSize>(mean), size.minSize, size.maxSize);
}

Buffer Runner::createScratch(VkDeviceSize bytes)
{
    const Buffer buffer = createBuffer(bytes, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);
    // Scratch memory need not be clear.
    std::memset(buffer.mapped, 0xcd, std::min<VkDeviceSize>(bytes, 1 << 20));
    return buffer;
}

void Runner::initialize(VkCommandBuffer cmd, VkPipeline graph, const Buffer& scratch)
{
    m_device.cmdInitializeScratch(cmd, graph, scratch.address, scratch.size);
    Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
}

void Runner::bind(VkCommandBuffer cmd, VkPipeline graph)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, m_layout, 0,
                            static_cast<uint32_t>(m_sets.size()), m_sets.data(), 0, nullptr);
    if (!pushConstants.empty())
        vkCmdPushConstants(cmd, m_layout, m_stages, 0, static_cast<uint32_t>(pushConstants.size()),
                           pushConstants.data());
}

void Runner::dispatchHost(VkCommandBuffer cmd, VkPipeline graph, const Buffer& scratch,
                          const std::vector<Launch>& launches, uint64_t infoStride)
{
    std::vector<uint8_t> infos(launches.size() * infoStride);
    for (size_t i = 0; i < launches.size(); ++i) {
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = nodeIndex(graph, launches[i].name, launches[i].index);
        info.payloadCount = launches[i].count;
        info.payloads.hostAddress = launches[i].bytes.data();
        info.payloadStride = launches[i].stride;
        std::memcpy(infos.data() + i * infoStride, &info, sizeof info);
    }
    VkDispatchGraphCountInfoAMDX count{};
    count.count = static_cast<uint32_t>(launches.size());
    count.infos.hostAddress = infos.data();
    count.stride = infoStride;
    m_device.cmdDispatch(cmd, scratch.address, scratch.size, &count);
}

std::vector<uint8_t> Runner::argumentBytes(VkPipeline graph, const std::vector<Launch>& launches, uint64_t infoStride,
                                           VkDeviceAddress address)
{
    // Each aligned to four bytes and no more.
    const uint64_t infosAt = sizeof(VkDispatchGraphCountInfoAMDX) + 4;
    uint64_t at = infosAt + launches.size() * infoStride;
    std::vector<uint64_t> payloadsAt;
    for (const Launch& launch : launches) {
        at = (at + 3) / 4 * 4;
        payloadsAt.push_back(at);
        at += launch.bytes.size();
    }
    std::vector<uint8_t> bytes(std::max<uint64_t>(at, 64));
    VkDispatchGraphCountInfoAMDX count{};
    count.count = static_cast<uint32_t>(launches.size());
    count.infos.deviceAddress = address + infosAt;
    count.stride = infoStride;
    // The padding of a count info that a shader wrote may hold anything.
    std::memset(bytes.data(), 0xee, sizeof count);
    std::memcpy(bytes.data(), &count.count, sizeof count.count);
    std::memcpy(bytes.data() + offsetof(VkDispatchGraphCountInfoAMDX, infos), &count.infos, sizeof count.infos);
    std::memcpy(bytes.data() + offsetof(VkDispatchGraphCountInfoAMDX, stride), &count.stride, sizeof count.stride);
    for (size_t i = 0; i < launches.size(); ++i) {
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = nodeIndex(graph, launches[i].name, launches[i].index);
        info.payloadCount = launches[i].count;
        info.payloads.deviceAddress = address + payloadsAt[i];
        info.payloadStride = launches[i].stride;
        std::memcpy(bytes.data() + infosAt + i * infoStride, &info, sizeof info);
        std::ranges::copy(launches[i].bytes, bytes.begin() + static_cast<ptrdiff_t>(payloadsAt[i]));
    }
    return bytes;
}

Buffer Runner::createArguments(VkPipeline graph, const std::vector<Launch>& launches, uint64_t infoStride)
{
    const Buffer buffer = createBuffer(argumentBytes(graph, launches, infoStride, 0).size(),
                                       VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    std::ranges::copy(argumentBytes(graph, launches, infoStride, buffer.address), buffer.bytes());
    return buffer;
}

void Runner::dispatchIndirect(VkCommandBuffer cmd, const Buffer& scratch, const Buffer& arguments, Form form)
{
    if (form == Form::IndirectCount) {
        m_device.cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, arguments.address);
        return;
    }
    VkDispatchGraphCountInfoAMDX count{};
    std::memcpy(&count, arguments.mapped, sizeof count);
    m_device.cmdDispatchIndirect(cmd, scratch.address, scratch.size, &count);
}

// In the device's own memory, as applications have it. Drivers take half a second for as much of the host's, and one
// process after the other.
Buffer Runner::createDeviceScratch(VkDeviceSize bytes)
{
    return m_device.createDeviceBuffer(
        bytes, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

// Scratch memory need not be clear.
void Runner::initializeUnclear(VkCommandBuffer cmd, VkPipeline graph, const Buffer& scratch)
{
    const VkDeviceSize bytes = std::min<VkDeviceSize>(scratch.size & ~VkDeviceSize{3}, 1 << 20);
    vkCmdFillBuffer(cmd, scratch.handle, 0, bytes, 0xcdcdcdcd);
    Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
    initialize(cmd, graph, scratch);
}

void Runner::run(VkPipeline graph, const std::vector<Launch>& launches, const RunOptions& options)
{
    const Buffer scratch = createDeviceScratch(scratchBytes(graph, options.scratch));
    Buffer arguments;
    if (options.form != Form::Host)
        arguments = createArguments(graph, launches, options.infoStride);
    const bool rehearses = !options.rehearsal.empty();
    if (rehearses) {
        m_device.submit([&](VkCommandBuffer cmd) {
            initializeUnclear(cmd, graph, scratch);
            bind(cmd, graph);
            beginRendering(cmd);
            dispatchHost(cmd, graph, scratch, options.rehearsal, options.infoStride);
            endRendering(cmd);
        });
        clearOutput();
    }
    m_device.submit([&](VkCommandBuffer cmd) {
        if (!rehearses)
            initializeUnclear(cmd, graph, scratch);
        bind(cmd, graph);
        beginRendering(cmd);
        if (options.form == Form::Host)
            dispatchHost(cmd, graph, scratch, launches, options.infoStride);
        else
            dispatchIndirect(cmd, scratch, arguments, options.form);
        endRendering(cmd);
    });
    m_device.destroyBuffer(scratch);
}

}  // namespace millrace::harness
