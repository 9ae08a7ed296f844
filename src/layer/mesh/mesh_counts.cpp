// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_counts.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "layer/loader/device.h"
#include "layer/loader/trace_file.h"
#include "layer/mesh/mesh_pipelines.h"
#include "layer/objects/driver_stages.h"
#include "layer/objects/specialization.h"
#include "layer/recording/timestamps.h"

namespace millrace::layer {

namespace {

constexpr uint32_t kBlocks = 256;  // of a buffer

// What has been added since. The device may add meanwhile, and a sum has two words of which it writes one before the
// other: what seems to have become less waits for the next time.
uint64_t added(uint64_t now, uint64_t& known)
{
    const uint64_t more = now > known ? now - known : 0;
    known += more;
    return more;
}

std::vector<uint64_t> added(const abi::uint64_t (&now)[abi::kMeshFillParts + 1],
                            abi::uint64_t (&known)[abi::kMeshFillParts + 1])
{
    std::vector<uint64_t> out;
    for (uint32_t part = 0; part <= abi::kMeshFillParts; ++part)
        out.push_back(added(now[part], known[part]));
    return out;
}

std::string nameOf(uint32_t number, const std::string& source)
{
    const std::string file = source.substr(source.find_last_of("/\\") + 1);
    return "mesh pipeline " + std::to_string(number + 1) + (file.empty() ? "" : " (" + file + ")");
}

void replaceCode(VkShaderCreateInfoEXT& info, const mesh::Stage& stage, ReplacedCode& code)
{
    const std::vector<uint32_t>& kept = code.emplace_back(stage.words);
    info.codeSize = kept.size() * sizeof(uint32_t);
    info.pCode = kept.data();
}

}  // namespace

VkResult MeshCounts::create()
{
    return m_memory.create(m_device.instance.handle, m_device.physical, m_device.handle, m_device.instance.table,
                           m_device.table, m_device.names);
}

bool MeshCounts::counts(VkShaderStageFlagBits stage) const
{
    return stage & kMeshStages;
}

MeshCounts::Block MeshCounts::take()
{
    const std::lock_guard lock(m_mutex);
    if (m_buffers.empty() || m_used == kBlocks) {
        runtime::Buffer buffer;
        constexpr uint64_t kBytes = kBlocks * sizeof(abi::MeshCounters);
        if (m_memory.createBuffer(runtime::BufferUse::Readback, kBytes, buffer) != VK_SUCCESS)
            return {};
        std::memset(buffer.data(), 0, kBytes);
        m_device.names.set(VK_OBJECT_TYPE_BUFFER, buffer.handle(), {"what mesh shaders count"});
        m_buffers.push_back(std::move(buffer));
        m_used = 0;
    }
    const uint64_t offset = m_used++ * sizeof(abi::MeshCounters);
    const runtime::Buffer& last = m_buffers.back();
    return {last.address() + offset, reinterpret_cast<abi::MeshCounters*>(last.data() + offset)};
}

void MeshCounts::tell(const Status& status) const
{
    if (!status)
        m_device.messages().warning("Millrace-trace", objectReference(VK_OBJECT_TYPE_DEVICE, m_device.handle),
                                    "the trace has nothing of a task or mesh shader: " + status.error().text(),
                                    "docs/trace.md says which shaders count");
}

void MeshCounts::count(mesh::Stage* task, mesh::Stage* mesh)
{
    const Block block = take();
    if (!block.counters) {
        tell(Diagnostic{"trace", {}, "there is no memory for what it counts"});
        return;
    }
    trace::MeshPipeline described;
    std::string source;
    if (task) {
        const Status status = mesh::countTasks(*task, block.address);
        described.hasTask = static_cast<bool>(status);
        tell(status);
    }
    if (mesh) {
        Result<mesh::MeshShape> shape = mesh::countMeshes(*mesh, block.address);
        described.hasMesh = static_cast<bool>(shape);
        if (shape) {
            described.corners = shape->corners;
            described.maxVertices = shape->maxVertices;
            described.maxPrimitives = shape->maxPrimitives;
            source = std::move(shape->source);
        } else {
            tell(shape.error());
        }
    }
    if (!described.hasTask && !described.hasMesh)
        return;
    const std::lock_guard lock(m_mutex);
    described.id = static_cast<uint32_t>(m_counted.size());
    described.name = nameOf(described.id, source);
    m_counted.push_back({described.id, block.counters, {}});
    m_sink->meshPipeline(described);
}

std::vector<SharedWords> MeshCounts::count(std::span<const VkPipelineShaderStageCreateInfo> stages)
{
    std::vector<SharedWords> out(stages.size());
    std::optional<mesh::Stage> task, mesh;
    const auto stageOf = [](VkShaderStageFlagBits stage, auto& ofTask, auto& ofMesh) -> auto&
    {
        return stage == VK_SHADER_STAGE_TASK_BIT_EXT ? ofTask : ofMesh;
    };
    for (const VkPipelineShaderStageCreateInfo& stage : stages) {
        if (!counts(stage.stage))
            continue;
        if (const SharedWords words = wordsOf(m_device, stage))
            stageOf(stage.stage, task, mesh) = mesh::Stage{stage.pName, *words, constantsOf(stage.pSpecializationInfo)};
        else
            tell(Diagnostic{"trace", {}, "the layer does not have its code, which may be given by an identifier"});
    }
    if (!task && !mesh)
        return out;
    count(task ? &*task : nullptr, mesh ? &*mesh : nullptr);
    for (size_t i = 0; i < stages.size(); ++i) {
        if (!counts(stages[i].stage))
            continue;
        if (std::optional<mesh::Stage>& counted = stageOf(stages[i].stage, task, mesh))
            out[i] = std::make_shared<const std::vector<uint32_t>>(std::move(counted->words));
    }
    return out;
}

// Any of them may draw with any other: each counts by itself.
void MeshCounts::count(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code)
{
    for (VkShaderCreateInfoEXT& info : infos) {
        if (!counts(info.stage))
            continue;
        if (info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) {
            tell(Diagnostic{"trace", {}, "it is a binary"});
            continue;
        }
        const auto* words = static_cast<const uint32_t*>(info.pCode);
        mesh::Stage stage{
            info.pName, {words, words + info.codeSize / sizeof(uint32_t)}, constantsOf(info.pSpecializationInfo)};
        const bool isTask = info.stage == VK_SHADER_STAGE_TASK_BIT_EXT;
        count(isTask ? &stage : nullptr, isTask ? nullptr : &stage);
        replaceCode(info, stage, code);
    }
}

trace::MeshWork MeshCounts::changesOf(Counted& counted) const
{
    const abi::MeshCounters now = *counted.counters;
    abi::MeshCounters& known = counted.known;
    trace::MeshWork work;
    work.pipeline = counted.id;
    work.taskGroups = added(now.taskGroups, known.taskGroups);
    work.emptyTaskGroups = added(now.emptyTaskGroups, known.emptyTaskGroups);
    work.emittedGroups = added(now.emittedGroups, known.emittedGroups);
    work.groups = added(now.groups, known.groups);
    work.emptyGroups = added(now.emptyGroups, known.emptyGroups);
    work.culledGroups = added(now.culledGroups, known.culledGroups);
    work.vertices = added(now.vertices, known.vertices);
    work.primitives = added(now.primitives, known.primitives);
    work.culledPrimitives = added(now.culledPrimitives, known.culledPrimitives);
    work.vertexFill = added(now.vertexFill, known.vertexFill);
    work.primitiveFill = added(now.primitiveFill, known.primitiveFill);
    work.mostEmitted = now.mostEmitted;
    work.mostVertices = now.mostVertices;
    work.mostPrimitives = now.mostPrimitives;
    return work;
}

void MeshCounts::drain()
{
    const std::lock_guard lock(m_mutex);
    for (Counted& counted : m_counted) {
        const trace::MeshWork work = changesOf(counted);
        if (work.taskGroups > 0 || work.groups > 0)
            m_sink->meshWork(work);
    }
}

VkResult startMeshCounts(Device& device)
{
    const std::shared_ptr<trace::Sink> sink = describedTraceFile(device);
    if (!sink)
        return VK_SUCCESS;
    auto counts = std::make_shared<MeshCounts>(device, sink);
    const VkResult result = counts->create();
    if (result == VK_SUCCESS)
        device.shaderCounter = std::move(counts);
    startTimestamps(device);
    return result;
}

MeshCounts* meshCountsOf(const Device& device)
{
    return static_cast<MeshCounts*>(device.shaderCounter.get());
}

}  // namespace millrace::layer
