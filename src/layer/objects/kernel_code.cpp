// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/kernel_code.h"

#include <vector>

#include "layer/loader/device.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"
#include "spirv/edit.h"

namespace millrace::layer {

namespace {

// Empty only if the code was built wrongly.
std::vector<uint32_t> codeFor(const Device& device, std::span<const uint32_t> words)
{
    if (device.support.int64)
        return {words.begin(), words.end()};
    Result<spirv::Module> module = spirv::read(words);
    if (!module || !spirv::splitLongIntegers(*module))
        return {};
    return spirv::write(*module);
}

}  // namespace

VkResult createKernelLayout(const Device& device, uint32_t pushBytes, const char* name, VkPipelineLayout& out)
{
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    const VkResult result = device.table.CreatePipelineLayout(device.handle, &info, runtime::hostMemory(), &out);
    device.names.set(VK_OBJECT_TYPE_PIPELINE_LAYOUT, out, {name});
    return result;
}

VkResult createKernel(const Device& device, std::span<const uint32_t> words, VkPipelineLayout layout, const char* name,
                      VkPipeline& out, uint32_t groupSize)
{
    const std::vector<uint32_t> code = codeFor(device, words);
    if (code.empty())
        return VK_ERROR_INITIALIZATION_FAILED;
    const TransientModule module(device, code);
    if (module.result() != VK_SUCCESS)
        return module.result();
    device.names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {name});
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = module.stage();
    const VkSpecializationMapEntry entry{0, 0, sizeof groupSize};
    const VkSpecializationInfo constants{1, &entry, sizeof groupSize, &groupSize};
    if (groupSize != 0)
        info.stage.pSpecializationInfo = &constants;
    info.layout = layout;
    const VkResult result =
        device.table.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, runtime::hostMemory(), &out);
    device.names.set(VK_OBJECT_TYPE_PIPELINE, out, {name});
    return result;
}

}  // namespace millrace::layer
