// SPDX-License-Identifier: Apache-2.0
// Objects over the fake driver for commands that the layer generates, and such commands.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "layer/fake_driver.h"

namespace millrace::layertest {

inline constexpr VkShaderStageFlags kDrawnStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

// Requires: the driver outlives it.
class GeneratedObjects {
public:
    static constexpr uint32_t kDraws = 30;      // sequences of a call
    static constexpr uint32_t kCalls = 4000;    // whose streams differ
    static constexpr uint32_t kPipelines = 3;   // in the execution set
    static constexpr uint32_t kStride = 32;     // of the stream
    static constexpr uint32_t kPushBytes = 48;  // that the layout has

    explicit GeneratedObjects(const FakeDriver& driver, bool hasMeshes = false);
    ~GeneratedObjects();
    GeneratedObjects(const GeneratedObjects&) = delete;
    GeneratedObjects& operator=(const GeneratedObjects&) = delete;

    using Stage = std::pair<VkShaderStageFlagBits, std::span<const uint32_t>>;
    VkPipeline createGraphics(std::span<const Stage> stages);
    VkPipeline createCompute(std::span<const uint32_t> code);

    // With the first pipeline, from part number `number` of the stream: no kernel runs.
    void draw(VkCommandBuffer cmd, uint32_t number) const;
    // With a pipeline that has mesh shaders, of createGraphics().
    void drawMeshes(VkCommandBuffer cmd, VkPipeline pipeline) const;
    // Preprocessed, with each of the set's pipelines, which become one where they can.
    void drawInOrder(VkCommandBuffer cmd) const;
    // With each of them by itself. Kernels run in front.
    void drawUnordered(VkCommandBuffer cmd) const { drawUnordered(cmd, m_set); }
    // The same with another set.
    void drawUnorderedOfOther(VkCommandBuffer cmd) const { drawUnordered(cmd, m_otherSet); }
    void dispatch(VkCommandBuffer cmd) const;
    // With each of the pipelines of a set.
    void dispatchOfSet(VkCommandBuffer cmd) const;
    // Gives the set of drawUnordered() another member in its second place, one for each number; or that of
    // drawUnorderedOfOther().
    void changeSet(uint32_t number) const { changeSet(number, m_set); }
    void changeOtherSet(uint32_t number) const { changeSet(number, m_otherSet); }
    // Of dispatches, and what executes them out of the same memory.
    void preprocess(VkCommandBuffer cmd) const;
    void dispatchPreprocessed(VkCommandBuffer cmd) const;

    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::array<VkPipeline, kPipelines> pipelines{};

private:
    struct Buffer {
        VkBuffer handle = VK_NULL_HANDLE;
        VkDeviceAddress address = 0;
    };

    void createLayout();
    VkIndirectExecutionSetEXT createSet(std::span<const VkPipeline> members);
    void writeMember(VkIndirectExecutionSetEXT set, uint32_t index, VkPipeline pipeline) const;
    Buffer createBuffer();
    // Which token acts follows from the stages.
    VkIndirectCommandsLayoutEXT createTokens(VkShaderStageFlags stages, VkIndirectCommandsLayoutUsageFlagsEXT flags,
                                             bool hasSet);
    VkGeneratedCommandsInfoEXT infoOf(VkIndirectCommandsLayoutEXT tokens, VkShaderStageFlags stages) const;
    void drawUnordered(VkCommandBuffer cmd, VkIndirectExecutionSetEXT set) const;
    void changeSet(uint32_t number, VkIndirectExecutionSetEXT set) const;

    const VkDevice m_device;
    VkIndirectCommandsLayoutEXT m_tokens = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutEXT m_ordered = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutEXT m_unordered = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutEXT m_meshes = VK_NULL_HANDLE;  // null where there are no mesh shaders
    VkIndirectCommandsLayoutEXT m_dispatches = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutEXT m_explicitDispatches = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutEXT m_dispatchesOfSet = VK_NULL_HANDLE;
    VkIndirectExecutionSetEXT m_set = VK_NULL_HANDLE;
    VkIndirectExecutionSetEXT m_otherSet = VK_NULL_HANDLE;
    VkIndirectExecutionSetEXT m_computeSet = VK_NULL_HANDLE;
    VkPipeline m_compute = VK_NULL_HANDLE;
    Buffer m_stream;
    Buffer m_memory;
    std::vector<std::function<void()>> m_cleanup;
};

}  // namespace millrace::layertest
