// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/counted_code.h"

#include "layer/loader/device.h"
#include "layer/objects/shader_counter.h"

namespace millrace::layer {

std::vector<SharedWords> countedCode(const Device& device, std::span<const VkPipelineShaderStageCreateInfo> stages,
                                     std::vector<SharedWords> words)
{
    if (!device.shaderCounter)
        return words;
    std::vector<VkShaderModuleCreateInfo> codes(stages.size());
    std::vector<VkPipelineShaderStageCreateInfo> made(stages.begin(), stages.end());
    for (size_t i = 0; i < made.size(); ++i) {
        codes[i] = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, made[i].pNext};
        codes[i].codeSize = words[i] ? words[i]->size() * sizeof(uint32_t) : 0;
        codes[i].pCode = words[i] ? words[i]->data() : nullptr;
        made[i].pNext = &codes[i];
        made[i].module = VK_NULL_HANDLE;
    }
    const std::vector<SharedWords> counted = device.shaderCounter->count(made);
    for (size_t i = 0; i < made.size(); ++i)
        if (counted[i])
            words[i] = counted[i];
    return words;
}

}  // namespace millrace::layer
