// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/bound_state.h"

#include <algorithm>
#include <cstring>

#include "layer/recording/bind_points.h"
#include "layer/recording/bound_commands.h"

namespace millrace::layer {

using Table = VkuDeviceDispatchTable;

void BoundState::bindPipeline(VkPipelineBindPoint bindPoint, VkPipeline pipeline)
{
    new (m_log.addShaped(BoundPipeline::key(bindPoint), BoundPipeline::shape(bindPoint), scopeOf(bindPoint),
                         BoundPipeline::replay, sizeof(BoundPipeline)))
        BoundPipeline{bindPoint, pipeline, BoundPipeline::kWhole};
}

void BoundState::bindShaderGroup(VkPipelineBindPoint bindPoint, VkPipeline pipeline, uint32_t group)
{
    new (m_log.add(BoundPipeline::key(bindPoint), scopeOf(bindPoint), BoundPipeline::replay, sizeof(BoundPipeline)))
        BoundPipeline{bindPoint, pipeline, group};
}

void BoundState::bindShader(VkShaderStageFlagBits stage, VkShaderEXT shader)
{
    const BoundShader bound{stage, shader};
    new (m_log.addShaped(bound.key(), bound.shape(), scopeOf(bound.bindPoint()), BoundShader::replay, sizeof bound))
        BoundShader(bound);
}

void BoundState::bindSets(VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t first,
                          std::span<const VkDescriptorSet> sets, std::span<const uint32_t> dynamicOffsets)
{
    const BoundSets bound{bindPoint, layout, first, static_cast<uint32_t>(sets.size()),
                          static_cast<uint32_t>(dynamicOffsets.size())};
    const bool isFew = sets.size() <= kFewSets && dynamicOffsets.size() <= kFewSets;
    std::byte* const payload =
        isFew ? m_log.addShaped(bound.key(), bound.shape(), scopeOf(bindPoint), BoundSets::replay, bound.bytes())
              : m_log.add(bound.key(), scopeOf(bindPoint), BoundSets::replay, bound.bytes());
    auto& written = *new (payload) BoundSets(bound);
    std::ranges::copy(sets, written.sets());
    std::ranges::copy(dynamicOffsets, written.dynamicOffsets());
}

void BoundState::pushConstants(VkPipelineLayout layout, VkShaderStageFlags stages, VkShaderStageFlags driverStages,
                               uint32_t offset, uint32_t size, const void* values)
{
    const PushedConstants pushed{layout, stages, driverStages, offset, size, nullptr, nullptr};
    const size_t bytes = sizeof pushed + size;
    // Quick calls pass the stages on as they are.
    const bool isFew = stages == driverStages && areFewBytes<kFewBytes>(size);
    std::byte* const payload =
        isFew ? m_log.addShaped(pushed.key(), pushed.shape(), kScopePushConstants, PushedConstants::replay, bytes)
              : m_log.add(pushed.key(), kScopePushConstants, PushedConstants::replay, bytes);
    std::memcpy(new (payload) PushedConstants(pushed) + 1, values, size);
}

void BoundState::pushConstants(std::shared_ptr<const VkPushConstantsInfo> info, PFN_vkCmdPushConstants2 Table::*command)
{
    const VkPushConstantsInfo& plain = *info;
    const PushedConstants pushed{VK_NULL_HANDLE, plain.stageFlags, plain.stageFlags, plain.offset,
                                 plain.size,     &plain,           command};
    new (m_log.add(pushed.key(), kScopePushConstants, PushedConstants::replay, sizeof pushed, std::move(info)))
        PushedConstants(pushed);
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

void BoundState::replaySets(VkPipelineBindPoint bindPoint, const Table& table, VkCommandBuffer commandBuffer,
                            uint64_t behind) const
{
    m_log.replayIf(
        [=](const StateLog::Entry& entry) {
            return entry.order > behind && bindsSets(entry.key) && concerns(entry.key, bindPoint);
        },
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
