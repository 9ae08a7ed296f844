// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/bound_state.h"

#include <algorithm>
#include <cstring>

#include "layer/recording/bind_points.h"

namespace millrace::layer {

namespace {

using Table = VkuDeviceDispatchTable;

struct BoundPipeline {
    VkPipelineBindPoint bindPoint;
    VkPipeline pipeline;
    uint32_t group;  // of shaders; kWhole: none

    static constexpr uint32_t kWhole = ~0u;

    static void replay(const Table& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        const auto& bound = *reinterpret_cast<const BoundPipeline*>(payload);
        if (bound.group == kWhole)
            table.CmdBindPipeline(commandBuffer, bound.bindPoint, bound.pipeline);
        else
            table.CmdBindPipelineShaderGroupNV(commandBuffer, bound.bindPoint, bound.pipeline, bound.group);
    }
};

struct BoundShader {
    VkShaderStageFlagBits stage;
    VkShaderEXT shader;

    VkPipelineBindPoint bindPoint() const
    {
        return stage == VK_SHADER_STAGE_COMPUTE_BIT ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS;
    }
    static void replay(const Table& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        const auto& bound = *reinterpret_cast<const BoundShader*>(payload);
        // Where the layer runs mesh shaders, the driver does not know their stages.
        constexpr VkShaderStageFlags kMesh = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
        if ((bound.stage & kMesh) && !table.CmdDrawMeshTasksEXT)
            return;
        table.CmdBindShadersEXT(commandBuffer, 1, &bound.stage, &bound.shader);
    }
};

// Followed by the sets and the dynamic offsets.
struct BoundSets {
    VkPipelineBindPoint bindPoint;
    VkPipelineLayout layout;
    uint32_t first;
    uint32_t count;
    uint32_t dynamicCount;

    VkDescriptorSet* sets() { return reinterpret_cast<VkDescriptorSet*>(this + 1); }
    uint32_t* dynamicOffsets() { return reinterpret_cast<uint32_t*>(sets() + count); }

    static void replay(const Table& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        auto& bound = *reinterpret_cast<BoundSets*>(const_cast<std::byte*>(payload));
        table.CmdBindDescriptorSets(commandBuffer, bound.bindPoint, bound.layout, bound.first, bound.count,
                                    bound.sets(), bound.dynamicCount, bound.dynamicOffsets());
    }
};
static_assert(sizeof(BoundSets) % alignof(VkDescriptorSet) == 0);

// Followed by the bytes, unless the command is kept as it was given.
struct PushedConstants {
    VkPipelineLayout layout;
    VkShaderStageFlags stages;
    VkShaderStageFlags driverStages;  // 0: the driver does not see the command
    uint32_t offset;
    uint32_t size;
    const VkPushConstantsInfo* info;          // of a command without a layout, else null
    PFN_vkCmdPushConstants2 Table::*command;  // that it was given to

    const void* values() const { return info ? info->pValues : this + 1; }

    static void replay(const Table& table, VkCommandBuffer commandBuffer, const std::byte* payload)
    {
        const auto& pushed = *reinterpret_cast<const PushedConstants*>(payload);
        if (pushed.info)
            (table.*pushed.command)(commandBuffer, pushed.info);
        else if (pushed.driverStages != 0)
            table.CmdPushConstants(commandBuffer, pushed.layout, pushed.driverStages, pushed.offset, pushed.size,
                                   pushed.values());
    }
};

}  // namespace

void BoundState::bindPipeline(VkPipelineBindPoint bindPoint, VkPipeline pipeline)
{
    bindShaderGroup(bindPoint, pipeline, BoundPipeline::kWhole);
}

void BoundState::bindShaderGroup(VkPipelineBindPoint bindPoint, VkPipeline pipeline, uint32_t group)
{
    std::byte* const payload = m_log.add({StateKind::Pipeline, keyOf(bindPoint)}, scopeOf(bindPoint),
                                         BoundPipeline::replay, sizeof(BoundPipeline));
    new (payload) BoundPipeline{bindPoint, pipeline, group};
}

void BoundState::bindShader(VkShaderStageFlagBits stage, VkShaderEXT shader)
{
    const BoundShader bound{stage, shader};
    std::byte* const payload = m_log.add({StateKind::Shader, keyOf(bound.bindPoint()), static_cast<uint32_t>(stage)},
                                         scopeOf(bound.bindPoint()), BoundShader::replay, sizeof(BoundShader));
    new (payload) BoundShader(bound);
}

void BoundState::bindSets(VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t first,
                          std::span<const VkDescriptorSet> sets, std::span<const uint32_t> dynamicOffsets)
{
    const auto count = static_cast<uint32_t>(sets.size());
    std::byte* const payload =
        m_log.add({StateKind::DescriptorSets, keyOf(bindPoint), first, count}, scopeOf(bindPoint), BoundSets::replay,
                  sizeof(BoundSets) + sets.size_bytes() + dynamicOffsets.size_bytes());
    auto& bound =
        *new (payload) BoundSets{bindPoint, layout, first, count, static_cast<uint32_t>(dynamicOffsets.size())};
    std::ranges::copy(sets, bound.sets());
    std::ranges::copy(dynamicOffsets, bound.dynamicOffsets());
}

void BoundState::pushConstants(VkPipelineLayout layout, VkShaderStageFlags stages, VkShaderStageFlags driverStages,
                               uint32_t offset, uint32_t size, const void* values)
{
    std::byte* const payload = m_log.add({StateKind::PushConstants, stages, offset, size}, kScopePushConstants,
                                         PushedConstants::replay, sizeof(PushedConstants) + size);
    new (payload) PushedConstants{layout, stages, driverStages, offset, size, nullptr, nullptr};
    std::memcpy(payload + sizeof(PushedConstants), values, size);
}

void BoundState::pushConstants(std::shared_ptr<const VkPushConstantsInfo> info, PFN_vkCmdPushConstants2 Table::*command)
{
    const VkPushConstantsInfo& plain = *info;
    std::byte* const payload =
        m_log.add({StateKind::PushConstants, plain.stageFlags, plain.offset, plain.size}, kScopePushConstants,
                  PushedConstants::replay, sizeof(PushedConstants), std::move(info));
    new (payload)
        PushedConstants{VK_NULL_HANDLE, plain.stageFlags, plain.stageFlags, plain.offset, plain.size, &plain, command};
}

VkPipeline BoundState::pipeline(VkPipelineBindPoint bindPoint) const
{
    return find(bindPoint).pipeline;
}

std::vector<VkShaderEXT> BoundState::shaders(VkPipelineBindPoint bindPoint) const
{
    return find(bindPoint).shaders;
}

uint64_t BoundState::setsOrder() const
{
    return std::max(m_log.lastOrder(StateKind::DescriptorSets), m_log.lastOrder(StateKind::PushDescriptor));
}

uint64_t BoundState::pipelineOrder() const
{
    return std::max(m_log.lastOrder(StateKind::Pipeline), m_log.lastOrder(StateKind::Shader));
}

uint64_t BoundState::indexBufferOrder() const
{
    return m_log.lastOrder(StateKind::IndexBuffer);
}

// Whatever was bound last unbinds what is of the other kind.
BoundState::Executed BoundState::find(VkPipelineBindPoint bindPoint) const
{
    Executed executed;
    uint64_t order = 0;
    m_log.forEach(StateKind::Pipeline, ~0u, [&](const StateLog::Entry& entry) {
        const auto& bound = *reinterpret_cast<const BoundPipeline*>(entry.payload);
        if (bound.bindPoint != bindPoint)
            return;
        executed.pipeline = bound.pipeline;
        order = entry.order;
    });
    m_log.forEach(StateKind::Shader, ~0u, [&](const StateLog::Entry& entry) {
        const auto& bound = *reinterpret_cast<const BoundShader*>(entry.payload);
        if (bound.bindPoint() != bindPoint || !bound.shader || entry.order < order)
            return;
        executed.pipeline = VK_NULL_HANDLE;
        executed.shaders.push_back(bound.shader);
    });
    return executed;
}

namespace {

// True for what was set for the bind point, by its name or by its stages.
bool concerns(const StateKey& key, VkPipelineBindPoint bindPoint)
{
    const uint32_t byStages = keyOf(stagesOf(bindPoint));
    return key.where == keyOf(bindPoint) || (key.where & byStages) > keyOf(VkShaderStageFlags{0});
}

bool bindsSets(const StateKey& key)
{
    return key.kind == StateKind::DescriptorSets || key.kind == StateKind::PushDescriptor;
}

}  // namespace

void BoundState::replaySets(VkPipelineBindPoint bindPoint, const Table& table, VkCommandBuffer commandBuffer) const
{
    m_log.replayIf([=](const StateLog::Entry& entry) { return bindsSets(entry.key) && concerns(entry.key, bindPoint); },
                   table, commandBuffer);
}

void BoundState::restore(VkPipelineBindPoint bindPoint, const Table& table, VkCommandBuffer commandBuffer) const
{
    m_log.replayIf(
        [=](const StateLog::Entry& entry) {
            const StateKey& key = entry.key;
            return key.kind == StateKind::PushConstants ||
                   (concerns(key, bindPoint) &&
                    (bindsSets(key) || key.kind == StateKind::Pipeline || key.kind == StateKind::Shader));
        },
        table, commandBuffer);
}

void BoundState::restoreIndexBuffer(const Table& table, VkCommandBuffer commandBuffer) const
{
    m_log.replayIf([](const StateLog::Entry& entry) { return entry.key.kind == StateKind::IndexBuffer; }, table,
                   commandBuffer);
}

void BoundState::readPushConstants(VkShaderStageFlags stages, std::span<uint8_t> bytes) const
{
    std::ranges::fill(bytes, uint8_t{0});
    m_log.forEach(StateKind::PushConstants, kScopePushConstants, [&](const StateLog::Entry& entry) {
        const auto& pushed = *reinterpret_cast<const PushedConstants*>(entry.payload);
        if ((pushed.stages & stages) && pushed.offset < bytes.size())
            std::memcpy(bytes.data() + pushed.offset, pushed.values(),
                        std::min<size_t>(pushed.size, bytes.size() - pushed.offset));
    });
}

}  // namespace millrace::layer
