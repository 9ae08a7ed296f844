// SPDX-License-Identifier: Apache-2.0
#include "tools/run/execute.h"

#include <algorithm>
#include <chrono>

#include "tools/run/arguments.h"
#include "tools/run/barriers.h"
#include "tools/run/device_resources.h"
#include "tools/run/memory.h"
#include "tools/run/pipeline.h"
#include "tools/run/target.h"

namespace millrace::tools::run {

namespace {

constexpr VkDeviceSize kScratchAlignment = 64;

// The device's clock in front of and behind what is timed, if it has one.
class Clock {
public:
    explicit Clock(const Device& device) : m_device(device)
    {
        if (device.timestampBits() > 0) {
            VkQueryPoolCreateInfo queries{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
            queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
            queries.queryCount = 2;
            check(device.vk().CreateQueryPool(device.handle(), &queries, nullptr, &m_queries), "vkCreateQueryPool");
        }
    }
    ~Clock() { m_device.vk().DestroyQueryPool(m_device.handle(), m_queries, nullptr); }
    Clock(const Clock&) = delete;
    Clock& operator=(const Clock&) = delete;

    void start(VkCommandBuffer commands) const
    {
        if (m_queries != VK_NULL_HANDLE) {
            m_device.vk().CmdResetQueryPool(commands, m_queries, 0, 2);
            write(commands, 0);
        }
    }
    void stop(VkCommandBuffer commands) const
    {
        if (m_queries != VK_NULL_HANDLE)
            write(commands, 1);
    }

    std::optional<double> milliseconds() const
    {
        if (m_queries == VK_NULL_HANDLE)
            return std::nullopt;
        uint64_t ticks[2] = {};
        check(m_device.vk().GetQueryPoolResults(m_device.handle(), m_queries, 0, 2, sizeof(ticks), ticks,
                                                sizeof(ticks[0]), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              "vkGetQueryPoolResults");
        const uint64_t mask = ~uint64_t(0) >> (64 - m_device.timestampBits());
        const double nanoseconds = m_device.properties().limits.timestampPeriod;
        return static_cast<double>((ticks[1] - ticks[0]) & mask) * nanoseconds * 1e-6;
    }

private:
    void write(VkCommandBuffer commands, uint32_t query) const
    {
        m_device.vk().CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, m_queries, query);
    }

    const Device& m_device;
    VkQueryPool m_queries = VK_NULL_HANDLE;
};

class Executor {
public:
    Executor(const Instance& instance, const Device& device, const Program& program, const Work& work,
             const ExecutionOptions& options)
        : m_device(device),
          m_work(work),
          m_memory(instance, device),
          m_pipeline(device, program, work),
          m_resources(device, m_memory, work),
          m_sets(device, m_pipeline, program, work, m_resources),
          m_clock(device),
          m_graph(graphAccess(work.target != nullptr))
    {
        if (work.target != nullptr)
            m_target.emplace(device, m_memory, work, m_resources);
        createScratch(options);
        for (const Dispatch& dispatch : work.dispatches)
            m_arguments.emplace_back(m_memory, m_pipeline, dispatch, options.form.value_or(dispatch.form));
    }

    void runOnce()
    {
        m_device.submit([&](VkCommandBuffer commands) { prepare(commands); });
        const auto begin = std::chrono::steady_clock::now();
        m_device.submit([&](VkCommandBuffer commands) { dispatch(commands); });
        const std::chrono::duration<double, std::milli> host = std::chrono::steady_clock::now() - begin;
        m_execution.hostMilliseconds.push_back(host.count());
        if (const auto milliseconds = m_clock.milliseconds())
            m_execution.deviceMilliseconds.push_back(*milliseconds);
    }

    Execution finish(Work& work)
    {
        m_device.submit([&](VkCommandBuffer commands) { m_resources.recordDownload(commands); });
        m_resources.readResults(m_memory, work);
        return m_execution;
    }

private:
    void createScratch(const ExecutionOptions& options)
    {
        const VkExecutionGraphPipelineScratchSizeAMDX& limits = m_pipeline.scratch();
        m_execution.scratchLeast = limits.minSize;
        m_execution.scratchMost = limits.maxSize;
        const uint64_t wanted = options.leastScratch ? limits.minSize : options.scratchBytes.value_or(limits.maxSize);
        if (wanted < limits.minSize) {
            throw DeviceError("the graph needs at least " + std::to_string(limits.minSize) +
                              " bytes of scratch memory, not " + std::to_string(wanted));
        }
        m_execution.scratchBytes = std::min<uint64_t>(wanted, limits.maxSize);
        if (m_execution.scratchBytes > 0) {
            m_scratch = m_memory.createBuffer(m_execution.scratchBytes + kScratchAlignment,
                                              VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX, Memory::Where::Device);
            m_scratch.address = (m_scratch.address + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
        }
    }

    void prepare(VkCommandBuffer commands)
    {
        m_resources.recordUpload(commands);
        barrier(m_device, commands, kHostWrite, kGraph);  // arguments of indirect dispatches
        if (m_target)
            m_target->prepare(commands);
        if (m_scratch.handle != VK_NULL_HANDLE) {
            m_device.graphs().initializeScratch(commands, m_pipeline.handle(), m_scratch.address,
                                                m_execution.scratchBytes);
            barrier(m_device, commands, kGraph, kGraph);
        }
    }

    void dispatch(VkCommandBuffer commands)
    {
        m_device.vk().CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, m_pipeline.handle());
        m_sets.bind(commands, m_pipeline);
        m_clock.start(commands);
        for (size_t d = 0; d < m_arguments.size(); ++d) {
            if (d > 0)
                barrier(m_device, commands, m_graph, m_graph);
            pushConstants(commands, m_work.dispatches[d]);
            if (m_target)
                m_target->begin(commands, d == 0);
            m_arguments[d].record(commands, m_device.graphs(), m_scratch.address, m_execution.scratchBytes);
            if (m_target)
                m_target->end(commands);
        }
        m_clock.stop(commands);
    }

    void pushConstants(VkCommandBuffer commands, const Dispatch& dispatch)
    {
        Bytes constants = dispatch.pushConstants;
        m_resources.writeAddresses(dispatch.addresses, constants.data());
        constants.resize((constants.size() + 3) / 4 * 4);
        if (!constants.empty()) {
            m_device.vk().CmdPushConstants(commands, m_pipeline.layout(), m_pipeline.stages(), 0,
                                           static_cast<uint32_t>(constants.size()), constants.data());
        }
    }

    const Device& m_device;
    const Work& m_work;
    Memory m_memory;
    Pipeline m_pipeline;
    DeviceResources m_resources;
    DescriptorSets m_sets;
    Clock m_clock;
    const Access m_graph;
    std::optional<Target> m_target;
    Buffer m_scratch;
    std::vector<Arguments> m_arguments;
    Execution m_execution;
};

}  // namespace

Execution execute(const Instance& instance, const Device& device, const Program& program, Work& work,
                  const ExecutionOptions& options)
{
    Executor executor(instance, device, program, work, options);
    for (uint32_t r = 0; r < options.repeats; ++r)
        executor.runOnce();
    return executor.finish(work);
}

}  // namespace millrace::tools::run
