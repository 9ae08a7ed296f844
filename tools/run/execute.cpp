// SPDX-License-Identifier: Apache-2.0
#include "tools/run/execute.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tools/run/memory.h"
#include "tools/run/pipeline.h"

namespace millrace::tools::run {

namespace {

struct Access {
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 accesses;
};
constexpr Access kHostWrite{VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT};
constexpr Access kHostRead{VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT};
constexpr Access kCopy{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT};
constexpr Access kGraph{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                        VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_UNIFORM_READ_BIT};
constexpr Access kNothing{VK_PIPELINE_STAGE_2_NONE, VK_ACCESS_2_NONE};

void barrier(const Device& device, VkCommandBuffer commands, const Access& from, const Access& to)
{
    VkMemoryBarrier2 memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    memory.srcStageMask = from.stages;
    memory.srcAccessMask = from.accesses;
    memory.dstStageMask = to.stages;
    memory.dstAccessMask = to.accesses;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &memory;
    device.vk().CmdPipelineBarrier2(commands, &info);
}

void changeLayout(const Device& device, VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to,
                  const Access& before, const Access& behind)
{
    VkImageMemoryBarrier2 memory{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    memory.srcStageMask = before.stages;
    memory.srcAccessMask = before.accesses;
    memory.dstStageMask = behind.stages;
    memory.dstAccessMask = behind.accesses;
    memory.oldLayout = from;
    memory.newLayout = to;
    memory.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    memory.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    memory.image = image;
    memory.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &memory;
    device.vk().CmdPipelineBarrier2(commands, &info);
}

uint64_t alignUp(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

// A resource on the device, with buffers of the host for what goes in and comes out.
struct DeviceResource {
    Buffer before;
    Buffer after;
    Buffer buffer;
    Image image;
    VkExtent3D extent{};
};

// The arguments of a dispatch: for the host form in memory of the host, else in a buffer.
struct Arguments {
    DispatchForm form = DispatchForm::Host;
    std::vector<VkDispatchGraphInfoAMDX> infos;
    VkDispatchGraphCountInfoAMDX countInfo{};
    Buffer buffer;
};

class Executor {
public:
    Executor(const Instance& instance, const Device& device, const Program& program, Work& work,
             const ExecutionOptions& options)
        : m_instance(instance),
          m_device(device),
          m_program(program),
          m_work(work),
          m_options(options),
          m_memory(instance, device),
          m_pipeline(device, program)
    {
        createResources();
        createDescriptors();
        createScratch();
        for (const Dispatch& dispatch : work.dispatches) {
            createArguments(dispatch);
        }
        if (device.timestampBits() > 0) {
            VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
            queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
            queries.queryCount = 2;
            check(m_device.vk().CreateQueryPool(device.handle(), &queries, nullptr, &m_queries), "vkCreateQueryPool");
        }
    }

    ~Executor()
    {
        m_device.vk().DestroyQueryPool(m_device.handle(), m_queries, nullptr);
        m_device.vk().DestroyDescriptorPool(m_device.handle(), m_pool, nullptr);
    }
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    Execution run()
    {
        using Clock = std::chrono::steady_clock;
        for (uint32_t r = 0; r < m_options.repeats; r++) {
            const bool isLast = r + 1 == m_options.repeats;
            m_device.submit([&](VkCommandBuffer commands) { recordUpload(commands); });
            const Clock::time_point begin = Clock::now();
            m_device.submit([&](VkCommandBuffer commands) { recordDispatches(commands); });
            const std::chrono::duration<double, std::milli> host = Clock::now() - begin;
            m_execution.hostMilliseconds.push_back(host.count());
            readClock();
            if (isLast) {
                m_device.submit([&](VkCommandBuffer commands) { recordDownload(commands); });
            }
        }
        for (size_t i = 0; i < m_resources.size(); i++) {
            m_memory.makeVisibleToHost(m_resources[i].after);
            const auto* bytes = static_cast<const uint8_t*>(m_resources[i].after.mapped);
            m_work.resources[i].result.assign(bytes, bytes + m_work.resources[i].initial.size());
        }
        return m_execution;
    }

private:
    void createResources()
    {
        for (const Resource& resource : m_work.resources) {
            DeviceResource& out = m_resources.emplace_back();
            const VkDeviceSize size = resource.initial.size();
            out.before = m_memory.createBuffer(size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Memory::Where::HostWrites);
            std::memcpy(out.before.mapped, resource.initial.data(), size);
            m_memory.makeVisibleToDevice(out.before);
            out.after = m_memory.createBuffer(size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::Where::HostReads);
            if (resource.isImage()) {
                checkFormat(resource);
                out.extent = {resource.width, resource.height, 1};
                out.image = m_memory.createImage(resource.format->format, resource.width, resource.height);
            } else {
                out.buffer =
                    m_memory.createBuffer(size,
                                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                              VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                          Memory::Where::Device);
            }
        }
    }

    void checkFormat(const Resource& resource) const
    {
        VkImageFormatProperties properties;
        const VkResult result = m_instance.vk().GetPhysicalDeviceImageFormatProperties(
            m_device.physical(), resource.format->format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
            VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, 0,
            &properties);
        const std::string image = "image \"" + resource.name() + "\": the device ";
        if (result != VK_SUCCESS) {
            throw DeviceError(image + "has no storage images of format " + resource.format->name);
        }
        if (resource.width > properties.maxExtent.width || resource.height > properties.maxExtent.height) {
            throw DeviceError(image + "has no storage images larger than " +
                              std::to_string(properties.maxExtent.width) + " x " +
                              std::to_string(properties.maxExtent.height));
        }
    }

    void createDescriptors()
    {
        const auto count = static_cast<uint32_t>(m_program.bindings.size());
        if (count == 0) {
            return;
        }
        const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, count},
                                              {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, count},
                                              {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, count}};
        VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        pool.maxSets = static_cast<uint32_t>(m_pipeline.setLayouts().size());
        pool.poolSizeCount = static_cast<uint32_t>(std::size(sizes));
        pool.pPoolSizes = sizes;
        check(m_device.vk().CreateDescriptorPool(m_device.handle(), &pool, nullptr, &m_pool), "vkCreateDescriptorPool");
        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocate.descriptorPool = m_pool;
        allocate.descriptorSetCount = pool.maxSets;
        allocate.pSetLayouts = m_pipeline.setLayouts().data();
        m_sets.resize(pool.maxSets);
        check(m_device.vk().AllocateDescriptorSets(m_device.handle(), &allocate, m_sets.data()),
              "vkAllocateDescriptorSets");
        for (const BindingUse& use : m_program.bindings) {
            writeDescriptor(use);
        }
    }

    void writeDescriptor(const BindingUse& use)
    {
        for (size_t r = 0; r < m_resources.size(); r++) {
            const ResourceDescription& description = *m_work.resources[r].description;
            if (description.set != use.set || description.binding != use.binding) {
                continue;
            }
            const VkDescriptorBufferInfo buffer{m_resources[r].buffer.handle, 0, VK_WHOLE_SIZE};
            const VkDescriptorImageInfo image{VK_NULL_HANDLE, m_resources[r].image.view, VK_IMAGE_LAYOUT_GENERAL};
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = m_sets[use.set];
            write.dstBinding = use.binding;
            write.descriptorCount = 1;
            write.descriptorType = descriptorType(use.kind);
            write.pBufferInfo = &buffer;
            write.pImageInfo = &image;
            m_device.vk().UpdateDescriptorSets(m_device.handle(), 1, &write, 0, nullptr);
        }
    }

    void createScratch()
    {
        const VkExecutionGraphPipelineScratchSizeAMDX& limits = m_pipeline.scratch();
        m_execution.scratchLeast = limits.minSize;
        m_execution.scratchMost = limits.maxSize;
        uint64_t bytes = m_options.leastScratch ? limits.minSize : m_options.scratchBytes.value_or(limits.maxSize);
        if (bytes < limits.minSize) {
            throw DeviceError("the graph needs at least " + std::to_string(limits.minSize) +
                              " bytes of scratch memory, not " + std::to_string(bytes));
        }
        bytes = std::min<uint64_t>(bytes, limits.maxSize);
        m_execution.scratchBytes = bytes;
        if (bytes > 0) {
            // The address must be a multiple of 64.
            m_scratch = m_memory.createBuffer(bytes + 64, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX,
                                              Memory::Where::Device);
            m_scratch.address = alignUp(m_scratch.address, 64);
        }
    }

    void createArguments(const Dispatch& dispatch)
    {
        Arguments& out = m_arguments.emplace_back();
        out.form = m_options.form.value_or(dispatch.form);
        for (const Launch& launch : dispatch.launches) {
            VkDispatchGraphInfoAMDX info{};
            info.nodeIndex = m_pipeline.nodeIndex(launch.node);
            info.payloadCount = launch.count;
            info.payloads.hostAddress = launch.payloads.data();
            info.payloadStride = launch.stride;
            out.infos.push_back(info);
        }
        out.countInfo.count = static_cast<uint32_t>(out.infos.size());
        out.countInfo.infos.hostAddress = out.infos.data();
        out.countInfo.stride = sizeof(VkDispatchGraphInfoAMDX);
        if (out.form != DispatchForm::Host) {
            moveToDevice(dispatch, out);
        }
    }

    // Count info, infos and payloads one after the other.
    void moveToDevice(const Dispatch& dispatch, Arguments& out)
    {
        uint64_t size = sizeof(VkDispatchGraphCountInfoAMDX) + out.infos.size() * sizeof(VkDispatchGraphInfoAMDX);
        std::vector<uint64_t> offsets;
        for (const Launch& launch : dispatch.launches) {
            offsets.push_back(alignUp(size, 16));
            size = offsets.back() + launch.payloads.size();
        }
        out.buffer =
            m_memory.createBuffer(alignUp(size, 16), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, Memory::Where::HostWrites);
        auto* bytes = static_cast<uint8_t*>(out.buffer.mapped);
        for (size_t i = 0; i < out.infos.size(); i++) {
            const Bytes& payloads = dispatch.launches[i].payloads;
            std::copy(payloads.begin(), payloads.end(), bytes + offsets[i]);
            out.infos[i].payloads.deviceAddress = out.buffer.address + offsets[i];
        }
        out.countInfo.infos.deviceAddress = out.buffer.address + sizeof(VkDispatchGraphCountInfoAMDX);
        std::memcpy(bytes, &out.countInfo, sizeof(out.countInfo));
        std::memcpy(bytes + sizeof(out.countInfo), out.infos.data(),
                    out.infos.size() * sizeof(VkDispatchGraphInfoAMDX));
        m_memory.makeVisibleToDevice(out.buffer);
    }

    void recordUpload(VkCommandBuffer commands)
    {
        barrier(m_device, commands, kHostWrite, kCopy);
        for (const DeviceResource& resource : m_resources) {
            if (resource.image.handle == VK_NULL_HANDLE) {
                const VkBufferCopy region{0, 0, resource.buffer.size};
                m_device.vk().CmdCopyBuffer(commands, resource.before.handle, resource.buffer.handle, 1, &region);
                continue;
            }
            const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, resource.extent};
            changeLayout(m_device, commands, resource.image.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL,
                         kNothing, kCopy);
            m_device.vk().CmdCopyBufferToImage(commands, resource.before.handle, resource.image.handle,
                                               VK_IMAGE_LAYOUT_GENERAL, 1, &region);
        }
        barrier(m_device, commands, kCopy, kGraph);
        barrier(m_device, commands, kHostWrite, kGraph);
        if (m_scratch.handle != VK_NULL_HANDLE) {
            m_device.graphs().initializeScratch(commands, m_pipeline.handle(), m_scratch.address,
                                                m_execution.scratchBytes);
            barrier(m_device, commands, kGraph, kGraph);
        }
    }

    void recordDispatches(VkCommandBuffer commands)
    {
        constexpr VkPipelineBindPoint kBindPoint = VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX;
        m_device.vk().CmdBindPipeline(commands, kBindPoint, m_pipeline.handle());
        if (!m_sets.empty()) {
            m_device.vk().CmdBindDescriptorSets(commands, kBindPoint, m_pipeline.layout(), 0,
                                                static_cast<uint32_t>(m_sets.size()), m_sets.data(), 0, nullptr);
        }
        writeClock(commands, 0);
        for (size_t d = 0; d < m_arguments.size(); d++) {
            if (d > 0) {
                barrier(m_device, commands, kGraph, kGraph);
            }
            Bytes constants = m_work.dispatches[d].pushConstants;
            constants.resize(alignUp(constants.size(), 4));
            if (!constants.empty()) {
                m_device.vk().CmdPushConstants(commands, m_pipeline.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                               static_cast<uint32_t>(constants.size()), constants.data());
            }
            recordDispatch(commands, m_arguments[d]);
        }
        writeClock(commands, 1);
        barrier(m_device, commands, kGraph, kCopy);
    }

    void recordDispatch(VkCommandBuffer commands, const Arguments& arguments)
    {
        const GraphFunctions& graphs = m_device.graphs();
        switch (arguments.form) {
            case DispatchForm::Host:
                graphs.dispatch(commands, m_scratch.address, m_execution.scratchBytes, &arguments.countInfo);
                break;
            case DispatchForm::Indirect:
                graphs.dispatchIndirect(commands, m_scratch.address, m_execution.scratchBytes, &arguments.countInfo);
                break;
            case DispatchForm::IndirectCount:
                graphs.dispatchIndirectCount(commands, m_scratch.address, m_execution.scratchBytes,
                                             arguments.buffer.address);
                break;
        }
    }

    void recordDownload(VkCommandBuffer commands)
    {
        for (const DeviceResource& resource : m_resources) {
            if (resource.image.handle == VK_NULL_HANDLE) {
                const VkBufferCopy region{0, 0, resource.buffer.size};
                m_device.vk().CmdCopyBuffer(commands, resource.buffer.handle, resource.after.handle, 1, &region);
                continue;
            }
            const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, resource.extent};
            m_device.vk().CmdCopyImageToBuffer(commands, resource.image.handle, VK_IMAGE_LAYOUT_GENERAL,
                                               resource.after.handle, 1, &region);
        }
        barrier(m_device, commands, kCopy, kHostRead);
    }

    void writeClock(VkCommandBuffer commands, uint32_t query)
    {
        if (m_queries == VK_NULL_HANDLE) {
            return;
        }
        if (query == 0) {
            m_device.vk().CmdResetQueryPool(commands, m_queries, 0, 2);
        }
        m_device.vk().CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, m_queries, query);
    }

    void readClock()
    {
        if (m_queries == VK_NULL_HANDLE) {
            return;
        }
        uint64_t ticks[2] = {};
        check(m_device.vk().GetQueryPoolResults(m_device.handle(), m_queries, 0, 2, sizeof(ticks), ticks,
                                                sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              "vkGetQueryPoolResults");
        const uint64_t mask = ~uint64_t(0) >> (64 - m_device.timestampBits());
        const double period = m_device.properties().limits.timestampPeriod;
        m_execution.deviceMilliseconds.push_back(static_cast<double>((ticks[1] - ticks[0]) & mask) * period * 1e-6);
    }

    const Instance& m_instance;
    const Device& m_device;
    const Program& m_program;
    Work& m_work;
    const ExecutionOptions& m_options;
    Memory m_memory;
    Pipeline m_pipeline;
    std::vector<DeviceResource> m_resources;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> m_sets;
    Buffer m_scratch;
    std::vector<Arguments> m_arguments;
    VkQueryPool m_queries = VK_NULL_HANDLE;
    Execution m_execution;
};

}  // namespace

Execution execute(const Instance& instance, const Device& device, const Program& program, Work& work,
                  const ExecutionOptions& options)
{
    return Executor(instance, device, program, work, options).run();
}

}  // namespace millrace::tools::run
