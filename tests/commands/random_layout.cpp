// SPDX-License-Identifier: Apache-2.0
#include "commands/random_layout.h"

#include <cstdlib>

namespace millrace::commandtest {

namespace {

VkIndirectCommandsLayoutTokenEXT token(VkIndirectCommandsTokenTypeEXT type, uint32_t word)
{
    VkIndirectCommandsLayoutTokenEXT out{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT};
    out.type = type;
    out.offset = word * 4;
    return out;
}

}  // namespace

uint32_t firstSeed()
{
    const char* const value = std::getenv("MILLRACE_TEST_COMMANDS_SEED");
    return value ? static_cast<uint32_t>(std::strtoul(value, nullptr, 10)) : 0;
}

RandomLayout::RandomLayout(Random& random, VkShaderStageFlags rangeStages, ActionToken action, const Tokens& has)
    : stages(rangeStages)
{
    uint32_t word = 0;
    if (has.set) {
        set.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
        set.shaderStages = stages;
        setWord = 0;
        tokens.push_back(token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT, word));
        word += has.setWords;
        tokens.back().data.pExecutionSet = &set;
    }
    sources.fill(kStatic);
    bool hasIndex = false;
    for (uint32_t at = 0; at < kPushWords;) {
        const uint32_t kind = below(random, 4);
        if (kind == 0 || tokens.size() > 11) {
            ++at;  // as it was pushed
        } else if (kind == 1 && !hasIndex && has.numbers) {
            hasIndex = true;
            sources[at] = kIndex;
            pushes.push_back({{stages, at * 4, 4}});
            tokens.push_back(token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT, word++));
            tokens.back().data.pPushConstant = &pushes.back();
            ++at;
        } else {
            word += below(random, 2);  // a hole in the record
            const uint32_t count = 1 + below(random, kPushWords - at);
            pushes.push_back({{stages, at * 4, count * 4}});
            tokens.push_back(token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT, word));
            tokens.back().data.pPushConstant = &pushes.back();
            for (uint32_t i = 0; i < count; ++i)
                sources[at++] = static_cast<int>(word++);
        }
    }
    if (has.indices) {
        word += below(random, 2);
        indexWord = static_cast<int>(word);
        indexBuffer.mode = below(random, 2) ? VK_INDIRECT_COMMANDS_INPUT_MODE_DXGI_INDEX_BUFFER_EXT
                                            : VK_INDIRECT_COMMANDS_INPUT_MODE_VULKAN_INDEX_BUFFER_EXT;
        tokens.push_back(token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT, word));
        tokens.back().data.pIndexBuffer = &indexBuffer;
        word += 4;
    }
    if (has.vertices) {
        word += below(random, 2);
        vertexWord = static_cast<int>(word);
        tokens.push_back(token(VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT, word));
        tokens.back().data.pVertexBuffer = &vertexBuffer;
        word += 4;
    }
    word += below(random, 3);
    actionWord = word;
    isDynamic = below(random, 2);
    tokens.push_back(token(action.type, word));
    strideWords = word + action.words + below(random, 4);
}

PushWords RandomLayout::valuesOf(const uint32_t* record, uint32_t sequence, const PushWords& pushed) const
{
    PushWords values = pushed;
    for (uint32_t i = 0; i < kPushWords; ++i)
        if (sources[i] == kIndex)
            values[i] = sequence;
        else if (sources[i] != kStatic)
            values[i] = record[sources[i]];
    return values;
}

VkIndirectCommandsLayoutCreateInfoEXT RandomLayout::createInfo(VkPipelineLayout layout,
                                                               VkIndirectCommandsLayoutUsageFlagsEXT flags,
                                                               VkShaderStageFlags shaderStages) const
{
    VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT};
    info.flags = flags;
    info.shaderStages = shaderStages;
    info.indirectStride = strideWords * 4;
    info.pipelineLayout = layout;
    info.tokenCount = static_cast<uint32_t>(tokens.size());
    info.pTokens = tokens.data();
    return info;
}

}  // namespace millrace::commandtest
