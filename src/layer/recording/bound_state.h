// SPDX-License-Identifier: Apache-2.0
// What is bound in a command buffer: pipelines, descriptor sets, push constants. Asked by features, replayed by the
// core.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "layer/recording/bound_commands.h"
#include "layer/recording/copy_few.h"
#include "layer/recording/state_log.h"

namespace millrace::layer {

class BoundState {
public:
    explicit BoundState(StateLog& log) : m_log(log) {}
    BoundState(const BoundState&) = delete;
    BoundState& operator=(const BoundState&) = delete;

    void bindPipeline(VkPipelineBindPoint bindPoint, VkPipeline pipeline);
    // A part of a pipeline, in place of one (VK_NV_device_generated_commands).
    void bindShaderGroup(VkPipelineBindPoint bindPoint, VkPipeline pipeline, uint32_t group);
    // A shader object for its stage, null for none (VK_EXT_shader_object).
    void bindShader(VkShaderStageFlagBits stage, VkShaderEXT shader);
    void bindSets(VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t first,
                  std::span<const VkDescriptorSet> sets, std::span<const uint32_t> dynamicOffsets);
    // `driverStages`: as the driver may see them (objects/driver_stages.h).
    void pushConstants(VkPipelineLayout layout, VkShaderStageFlags stages, VkShaderStageFlags driverStages,
                       uint32_t offset, uint32_t size, const void* values);
    // With a layout that is chained to the structure instead (dynamicPipelineLayout); the structure is a deep copy.
    void pushConstants(std::shared_ptr<const VkPushConstantsInfo> info,
                       PFN_vkCmdPushConstants2 VkuDeviceDispatchTable::*command);

    // For quick calls (quick_call.h): false, with nothing changed, where one of those above is needed.
    bool bindPipelineAgain(VkPipelineBindPoint bindPoint, VkPipeline pipeline) noexcept;
    bool bindShaderAgain(VkShaderStageFlagBits stage, VkShaderEXT shader) noexcept;
    bool bindSetsAgain(VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t first,
                       std::span<const VkDescriptorSet> sets, std::span<const uint32_t> dynamicOffsets) noexcept;
    bool pushConstantsAgain(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                            const void* values) noexcept;

    // Null if no pipeline is bound there, or shader objects were bound behind it.
    VkPipeline pipeline(VkPipelineBindPoint bindPoint) const;
    // The shader objects there; none if a pipeline was bound behind them.
    std::vector<VkShaderEXT> shaders(VkPipelineBindPoint bindPoint) const;
    // Of the command that bound or wrote descriptor sets last, greater for a later one.
    uint64_t setsOrder() const;
    // The same of pipelines and shader objects.
    uint64_t pipelineOrder() const;
    // The same of index buffers.
    uint64_t indexBufferOrder() const;
    // What shaders of one of these stages see from offset 0. Bytes that were never pushed are zero.
    void readPushConstants(VkShaderStageFlags stages, std::span<uint8_t> bytes) const;

    // Gives the commands again that bound sets to a bind point, whatever kind of command they were, since
    // StateLog::order() was `behind`.
    void replaySets(VkPipelineBindPoint bindPoint, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer,
                    uint64_t behind = 0) const;
    // Those, and what else a pipeline of ours at the bind point has disturbed: the pipeline or shader objects, and push
    // constants.
    void restore(VkPipelineBindPoint bindPoint, const VkuDeviceDispatchTable& table,
                 VkCommandBuffer commandBuffer) const;
    void restoreIndexBuffer(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const;

private:
    // At most, in a quick call.
    static constexpr size_t kFewSets = 4;
    static constexpr size_t kFewBytes = 128;

    struct Executed {
        VkPipeline pipeline = VK_NULL_HANDLE;
        std::vector<VkShaderEXT> shaders;
    };
    Executed find(VkPipelineBindPoint bindPoint) const;

    StateLog& m_log;
};

inline bool BoundState::bindPipelineAgain(VkPipelineBindPoint bindPoint, VkPipeline pipeline) noexcept
{
    std::byte* const payload =
        m_log.addAgain(BoundPipeline::key(bindPoint), BoundPipeline::shape(bindPoint), BoundPipeline::replay);
    if (payload)
        reinterpret_cast<BoundPipeline*>(payload)->pipeline = pipeline;
    return payload != nullptr;
}

inline bool BoundState::bindShaderAgain(VkShaderStageFlagBits stage, VkShaderEXT shader) noexcept
{
    const BoundShader bound{stage, shader};
    std::byte* const payload = m_log.addAgain(bound.key(), bound.shape(), BoundShader::replay);
    if (payload)
        reinterpret_cast<BoundShader*>(payload)->shader = shader;
    return payload != nullptr;
}

inline bool BoundState::bindSetsAgain(VkPipelineBindPoint bindPoint, VkPipelineLayout layout, uint32_t first,
                                      std::span<const VkDescriptorSet> sets,
                                      std::span<const uint32_t> dynamicOffsets) noexcept
{
    const BoundSets bound{bindPoint, layout, first, static_cast<uint32_t>(sets.size()),
                          static_cast<uint32_t>(dynamicOffsets.size())};
    std::byte* const payload = m_log.addAgain(bound.key(), bound.shape(), BoundSets::replay);
    if (!payload)
        return false;
    auto& written = *reinterpret_cast<BoundSets*>(payload);
    written.layout = layout;
    copyFew<kFewSets>(written.sets(), sets.data(), bound.count);
    copyFew<kFewSets>(reinterpret_cast<uint32_t*>(written.sets() + bound.count), dynamicOffsets.data(),
                      bound.dynamicCount);
    return true;
}

inline bool BoundState::pushConstantsAgain(VkPipelineLayout layout, VkShaderStageFlags stages, uint32_t offset,
                                           uint32_t size, const void* values) noexcept
{
    const PushedConstants pushed{layout, stages, stages, offset, size, nullptr, nullptr};
    std::byte* const payload = m_log.addAgain(pushed.key(), pushed.shape(), PushedConstants::replay);
    if (!payload)
        return false;
    auto& written = *reinterpret_cast<PushedConstants*>(payload);
    written.layout = layout;
    copyFewBytes<kFewBytes>(reinterpret_cast<std::byte*>(&written + 1), values, size);
    return true;
}

}  // namespace millrace::layer
