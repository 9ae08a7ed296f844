// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/sequence_tally.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/commands.h"
#include "layer/commands/generated_commands.h"
#include "layer/loader/device.h"
#include "layer/loader/trace_file.h"
#include "layer/objects/kernel_code.h"
#include "runtime/host_memory.h"
#include "shaders/commands.h"
#include "trace/archive.h"

namespace millrace::layer {

SequenceTally::~SequenceTally()
{
    m_device.table.DestroyPipeline(m_device.handle, m_pipeline, runtime::hostMemory());
    m_device.table.DestroyPipelineLayout(m_device.handle, m_layout, runtime::hostMemory());
}

VkResult SequenceTally::create()
{
    const VkResult result =
        createKernelLayout(m_device, sizeof(abi::TallyArguments), "layout of the count of sequences", m_layout);
    return result == VK_SUCCESS
               ? createKernel(m_device, shaders::commands_tally, m_layout, "count sequences for a trace", m_pipeline)
               : result;
}

std::shared_ptr<TalliedCall> SequenceTally::get(trace::GeneratedCall described, std::vector<uint32_t> numbers,
                                                uint32_t pipelineCount)
{
    trace::Encoder encoder;
    encoder(described, numbers, pipelineCount);
    std::string key = encoder.take();
    const std::lock_guard lock(m_mutex);
    const auto known = m_known.find(key);
    if (known != m_known.end())
        if (std::shared_ptr<TalliedCall> same = known->second.call.lock())
            return same;
    const uint32_t id = known != m_known.end() ? known->second.id : static_cast<uint32_t>(m_known.size());
    described.id = id;
    auto made = std::make_shared<TalliedCall>(std::move(described), std::move(numbers), pipelineCount);
    m_isDescribed.resize(std::max<size_t>(m_isDescribed.size(), id + 1));
    m_tallied.push_back(made);
    m_known.insert_or_assign(std::move(key), Known{id, made});
    return made;
}

bool SequenceTally::createCounters(const TalliedCall& call, runtime::Buffer& out) const
{
    const size_t bytes = call.words() * sizeof(uint32_t);
    if (m_device.generatedCommands->memory.createBuffer(runtime::BufferUse::Readback, bytes, out) != VK_SUCCESS) {
        m_device.messages().warning("Millrace-trace", objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                    "the trace has nothing of a call that executes generated commands: there is no "
                                    "memory for what it counts",
                                    "docs/trace.md says what is counted");
        return false;
    }
    std::memset(out.data(), 0, bytes);
    return true;
}

void SequenceTally::record(VkCommandBuffer commandBuffer, const abi::TallyArguments& arguments) const
{
    constexpr uint32_t kInvocations = 128;
    const VkuDeviceDispatchTable& table = m_device.table;
    const auto barrier = [&](VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to,
                             VkAccessFlags read) {
        const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, written, read};
        table.CmdPipelineBarrier(commandBuffer, from, to, 0, 1, &memory, 0, nullptr, 0, nullptr);
    };
    const bool choose = arguments.setOffset != abi::kNoExecutionSet;
    const uint32_t groups = choose ? (arguments.maxSequenceCount + kInvocations - 1) / kInvocations : 1;
    // The application may have made the stream visible to indirect commands alone.
    barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    table.CmdBindPipeline(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
    table.CmdPushConstants(commandBuffer, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
    table.CmdDispatch(commandBuffer, groups, 1, 1);
    barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
            VK_ACCESS_HOST_READ_BIT);
}

void SequenceTally::tell(const TalliedCall& call, const trace::GeneratedWork& work)
{
    if (!m_isDescribed[work.call])
        m_sink->generatedCall(call.described());
    m_isDescribed[work.call] = true;
    m_sink->generatedWork(work);
}

// What nobody has recorded any more goes, once all of it is told.
void SequenceTally::drain()
{
    const std::lock_guard lock(m_mutex);
    std::erase_if(m_tallied, [this](const std::shared_ptr<TalliedCall>& call) {
        const bool isLast = call.use_count() == 1;
        if (const std::optional<trace::GeneratedWork> work = call->take())
            tell(*call, *work);
        return isLast;
    });
}

VkResult startTally(Device& device)
{
    const std::shared_ptr<trace::Sink> sink = describedTraceFile(device);
    if (!sink)
        return VK_SUCCESS;
    auto tally = std::make_unique<SequenceTally>(device, sink);
    const VkResult result = tally->create();
    if (result != VK_SUCCESS)
        return result;
    device.generatedCommands->tally = std::move(tally);
    startTimestamps(device);
    device.drains.push_back([&device] { device.generatedCommands->tally->drain(); });
    return VK_SUCCESS;
}

}  // namespace millrace::layer
