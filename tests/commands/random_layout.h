// SPDX-License-Identifier: Apache-2.0
// Layouts of generated commands drawn at random, with streams for them and what each sequence then has.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "commands/mixed_words.h"

namespace millrace::commandtest {

using PushWords = std::array<uint32_t, kPushWords>;
using Random = std::mt19937;

// Of tests of random layouts: MILLRACE_TEST_COMMANDS_SEED, or 0.
uint32_t firstSeed();

inline uint32_t below(Random& random, uint32_t limit)
{
    return static_cast<uint32_t>(random()) % limit;
}

// Bytes of the command that each sequence ends with, and its type.
struct ActionToken {
    VkIndirectCommandsTokenTypeEXT type;
    uint32_t words;
};

// Besides push constants and the action.
struct Tokens {
    bool set = false;
    uint32_t setWords = 1;  // an index for each stage of shader objects
    bool vertices = false;
    bool indices = false;
    bool numbers = true;  // a push constant may be the number of the sequence
};

struct RandomLayout {
    VkShaderStageFlags stages = 0;  // of the ranges
    uint32_t strideWords = 0;
    uint32_t actionWord = 0;
    int vertexWord = -1;  // of VkBindVertexBufferIndirectCommandEXT; -1: none
    int indexWord = -1;   // of VkBindIndexBufferIndirectCommandEXT; -1: none
    int setWord = -1;     // of the index into the execution set; -1: none
    // Per push constant: from which word of the record it comes; kStatic: from vkCmdPushConstants; kIndex: the number
    // of the sequence.
    static constexpr int kStatic = -1;
    static constexpr int kIndex = -2;
    std::array<int, kPushWords> sources{};

    std::vector<VkIndirectCommandsLayoutTokenEXT> tokens;
    std::deque<VkIndirectCommandsPushConstantTokenEXT> pushes;
    VkIndirectCommandsExecutionSetTokenEXT set{};
    VkIndirectCommandsVertexBufferTokenEXT vertexBuffer{};  // of binding 0
    VkIndirectCommandsIndexBufferTokenEXT indexBuffer{};

    // Tokens point into this.
    RandomLayout(Random& random, VkShaderStageFlags stages, ActionToken action, const Tokens& has);
    RandomLayout(const RandomLayout&) = delete;
    RandomLayout& operator=(const RandomLayout&) = delete;

    // Whether the layout of pipelines comes as VkPipelineLayoutCreateInfo, where that can be.
    bool isDynamic = false;

    // What a sequence sees, given its record.
    PushWords valuesOf(const uint32_t* record, uint32_t sequence, const PushWords& pushed) const;
    VkIndirectCommandsLayoutCreateInfoEXT createInfo(VkPipelineLayout layout,
                                                     VkIndirectCommandsLayoutUsageFlagsEXT flags,
                                                     VkShaderStageFlags shaderStages) const;
};

}  // namespace millrace::commandtest
