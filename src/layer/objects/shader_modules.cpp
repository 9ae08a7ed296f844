// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/shader_modules.h"

#include <cstring>

#include "layer/base/content_hash.h"
#include "layer/chains/chain.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "nodes/compile.h"

namespace millrace::layer {

namespace {

constexpr uint32_t kHeaderWords = 5;
constexpr uint32_t kOpEntryPoint = 15;
constexpr uint32_t kOpFunction = 54;
constexpr uint32_t kGlCompute = 5;
constexpr uint32_t kCapability = 2u << 16 | 17;  // OpCapability, the first word
constexpr uint32_t kMeshShading = 5283;          // MeshShadingEXT

std::span<const uint32_t> codeOf(const VkShaderModuleCreateInfo& info)
{
    return {info.pCode, info.codeSize / 4};
}

SharedWords copyOf(std::span<const uint32_t> words)
{
    return std::make_shared<const std::vector<uint32_t>>(words.begin(), words.end());
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShaderModule(VkDevice handle, const VkShaderModuleCreateInfo* pCreateInfo,
                                                  const VkAllocationCallbacks* pAllocator,
                                                  VkShaderModule* pShaderModule)
{
    Device& device = Device::of(handle);
    const std::span<const uint32_t> code = codeOf(*pCreateInfo);
    auto module = std::make_shared<ShaderModule>();
    module->enqueues = device.usesGraphs() && nodes::usesShaderEnqueue(code);
    const bool isMesh = device.usesMesh() && declaresMeshShading(code);
    module->ours = module->enqueues || isMesh;
    // A render pass instance that begins from here on may have draws with it.
    if (isMesh)
        device.needsFronts = true;
    if (module->ours) {
        device.tellUnknown("vkCreateShaderModule", unknownStructures(pCreateInfo->pNext), kLayerAlone);
        *pShaderModule = handleOf<VkShaderModule>(module.get());
    } else {
        const VkResult result = device.table.CreateShaderModule(handle, pCreateInfo, pAllocator, pShaderModule);
        const bool isKept =
            device.usesCommands() || device.usesMesh() || device.usesMeshNodes() || device.shaderCounter != nullptr;
        if (result != VK_SUCCESS || !(isKept || hasComputeEntryPoint(code)))
            return result;
    }
    rememberOrUndo(
        [&] {
            if (!module->ours)
                device.table.DestroyShaderModule(handle, *pShaderModule, pAllocator);
        },
        [&] {
            module->words = copyOf(code);
            device.shaderModules.insert(handleId(*pShaderModule), module);
        });
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderModule(VkDevice handle, VkShaderModule shaderModule,
                                               const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    const std::shared_ptr<ShaderModule> module = device.shaderModules.remove(handleId(shaderModule));
    if (module && module->ours)
        device.privateData.removeObject(handleId(shaderModule));
    else
        device.table.DestroyShaderModule(handle, shaderModule, pAllocator);
}

void identify(std::span<const uint32_t> words, VkShaderModuleIdentifierEXT& identifier)
{
    ContentHash hash;
    hash.add(words);
    identifier.identifierSize = sizeof(ContentHash::Value);
    std::memcpy(identifier.identifier, hash.value().data(), sizeof(ContentHash::Value));
}

VKAPI_ATTR void VKAPI_CALL GetShaderModuleIdentifierEXT(VkDevice handle, VkShaderModule shaderModule,
                                                        VkShaderModuleIdentifierEXT* pIdentifier)
{
    Device& device = Device::of(handle);
    const ShaderModule* module = device.shaderModules.find(handleId(shaderModule));
    if (module && module->ours)
        identify(*module->words, *pIdentifier);
    else
        device.table.GetShaderModuleIdentifierEXT(handle, shaderModule, pIdentifier);
}

VKAPI_ATTR void VKAPI_CALL GetShaderModuleCreateInfoIdentifierEXT(VkDevice handle,
                                                                  const VkShaderModuleCreateInfo* pCreateInfo,
                                                                  VkShaderModuleIdentifierEXT* pIdentifier)
{
    Device& device = Device::of(handle);
    const std::span<const uint32_t> code = codeOf(*pCreateInfo);
    const bool isOurs =
        (device.usesGraphs() && nodes::usesShaderEnqueue(code)) || (device.usesMesh() && declaresMeshShading(code));
    if (isOurs)
        identify(codeOf(*pCreateInfo), *pIdentifier);
    else
        device.table.GetShaderModuleCreateInfoIdentifierEXT(handle, pCreateInfo, pIdentifier);
}

const VkShaderModuleCreateInfo* chainedModule(const VkPipelineShaderStageCreateInfo& stage)
{
    return findInChain<VkShaderModuleCreateInfo>(stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
}

}  // namespace

bool declaresMeshShading(std::span<const uint32_t> words)
{
    // Capabilities come first.
    for (size_t at = kHeaderWords; at + 1 < words.size() && words[at] == kCapability; at += 2)
        if (words[at + 1] == kMeshShading)
            return true;
    return false;
}

bool hasComputeEntryPoint(std::span<const uint32_t> words)
{
    for (size_t at = kHeaderWords; at + 1 < words.size();) {
        const uint32_t opcode = words[at] & 0xffff;
        const uint32_t count = words[at] >> 16;
        if (count == 0 || opcode == kOpFunction)
            return false;
        if (opcode == kOpEntryPoint && words[at + 1] == kGlCompute)
            return true;
        at += count;
    }
    return false;
}

SharedWords wordsOf(const Device& device, const VkPipelineShaderStageCreateInfo& stage)
{
    if (stage.module) {
        const ShaderModule* module = device.shaderModules.find(handleId(stage.module));
        return module ? module->words : nullptr;
    }
    const VkShaderModuleCreateInfo* chained = chainedModule(stage);
    return chained ? copyOf(codeOf(*chained)) : nullptr;
}

bool isOfMeshShading(const Device& device, const VkPipelineShaderStageCreateInfo& stage)
{
    if (!device.usesMesh())
        return false;
    if (stage.module) {
        const ShaderModule* module = device.shaderModules.find(handleId(stage.module));
        return module && module->ours && !module->enqueues;
    }
    const VkShaderModuleCreateInfo* chained = chainedModule(stage);
    return chained && declaresMeshShading(codeOf(*chained));
}

bool usesShaderEnqueue(const Device& device, const VkPipelineShaderStageCreateInfo& stage)
{
    if (stage.module) {
        const ShaderModule* module = device.shaderModules.find(handleId(stage.module));
        return module && module->enqueues;
    }
    const VkShaderModuleCreateInfo* chained = chainedModule(stage);
    return chained && nodes::usesShaderEnqueue(codeOf(*chained));
}

EntryPoints shaderModuleEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateShaderModule, kUseState),
        MILLRACE_ENTRY(DestroyShaderModule, kUseState),
        MILLRACE_ENTRY(GetShaderModuleIdentifierEXT, kUseStreams),
        MILLRACE_ENTRY(GetShaderModuleCreateInfoIdentifierEXT, kUseStreams),
    };
    return entries;
}

}  // namespace millrace::layer
