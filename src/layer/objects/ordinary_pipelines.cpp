// SPDX-License-Identifier: Apache-2.0
// Pipelines that are not execution graphs: passed on, unless they are libraries for one or contain what the driver must
// not see.
#include <algorithm>
#include <span>

#include "layer/loader/entry_points.h"
#include "layer/objects/driver_pipeline_info.h"
#include "layer/objects/graphics_parts.h"
#include "layer/objects/own_pipelines.h"
#include "layer/objects/pipeline_flags.h"
#include "layer/objects/pipeline_maker.h"
#include "layer/objects/pipeline_observer.h"

namespace millrace::layer {

namespace {

std::span<const VkPipelineShaderStageCreateInfo> stagesOf(const VkComputePipelineCreateInfo& info)
{
    return {&info.stage, 1};
}

std::span<const VkPipelineShaderStageCreateInfo> stagesOf(const VkGraphicsPipelineCreateInfo& info)
{
    return info.pStages ? std::span(info.pStages, info.stageCount) : std::span<const VkPipelineShaderStageCreateInfo>();
}

std::span<const VkPipelineShaderStageCreateInfo> stagesOf(const VkRayTracingPipelineCreateInfoKHR& info)
{
    return {info.pStages, info.stageCount};
}

void setStages(VkComputePipelineCreateInfo& info, const VkPipelineShaderStageCreateInfo* stages)
{
    info.stage = *stages;
}

template <typename Info>
void setStages(Info& info, const VkPipelineShaderStageCreateInfo* stages)
{
    info.pStages = stages;
}

const char* capabilityRule(const VkComputePipelineCreateInfo&)
{
    return "VUID-VkComputePipelineCreateInfo-flags-09178";
}
const char* capabilityRule(const VkGraphicsPipelineCreateInfo&)
{
    return "VUID-VkGraphicsPipelineCreateInfo-shaderMeshEnqueue-10187";
}
const char* capabilityRule(const VkRayTracingPipelineCreateInfoKHR&)
{
    return "VUID-RuntimeSpirv-ShaderEnqueueAMDX-09191";
}

bool usesShaderEnqueue(const Device& device, std::span<const VkPipelineShaderStageCreateInfo> stages)
{
    return device.usesGraphs() &&
           std::any_of(stages.begin(), stages.end(),
                       [&](const VkPipelineShaderStageCreateInfo& stage) { return usesShaderEnqueue(device, stage); });
}

template <typename Info>
bool isPlain(const Device& device, const Info& info)
{
    const auto stages = stagesOf(info);
    return !needsTranslation(device, info) && !usesShaderEnqueue(device, stages) &&
           std::none_of(stages.begin(), stages.end(),
                        [&](const auto& stage) { return needsTranslation(device, stage); });
}

bool isMade(const Device& device, const VkGraphicsPipelineCreateInfo& info)
{
    return device.pipelineMaker && device.pipelineMaker->makes(info);
}

// One pipeline that the driver cannot take as it is.
template <typename Info, typename Next>
VkResult createTranslated(const Device& device, const Info& info, const VkPipeline* created, const Next& next,
                          VkPipeline* out)
{
    const auto stages = stagesOf(info);
    if (usesShaderEnqueue(device, stages)) {
        device.messages().error(capabilityRule(info), objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                                "a shader declares ShaderEnqueueAMDX, which is possible in compute pipelines created "
                                "with VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR only (shaderMeshEnqueue is not enabled)",
                                "Create it as such a library, or as a stage of an execution graph");
        return VK_ERROR_VALIDATION_FAILED_EXT;
    }
    const DriverStages driverStages(device, stages.data(), static_cast<uint32_t>(stages.size()));
    if (driverStages.result() != VK_SUCCESS)
        return driverStages.result();
    DriverPipelineInfo<Info> translated(device, info, created);
    if (!stages.empty())
        setStages(translated.info(), driverStages.data());
    device.tellLost("pipeline creation", driverStages.lost());
    device.tellLost("pipeline creation", translated.lost());
    return next(&translated.info(), out);
}

// Destroys and forgets it where it cannot have them.
VkResult createParts(Device& device, const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                     const VkAllocationCallbacks* allocator, VkPipeline& pipeline)
{
    const VkResult result = device.pipelineObserver->createParts(info, cache, pipeline);
    if (result == VK_SUCCESS)
        return result;
    device.pipelineObserver->destroyed(pipeline);
    if (device.pipelineMaker)
        device.pipelineMaker->destroyed(pipeline);
    device.driverPipelines.remove(handleId(pipeline));
    device.table.DestroyPipeline(device.handle, pipeline, allocator);
    pipeline = VK_NULL_HANDLE;
    return result;
}

// Calls `one` for each element, with the rules for several pipelines in one command.
template <typename Info, typename One>
VkResult createEach(uint32_t count, const Info* infos, VkPipeline* pipelines, const One& one)
{
    std::fill_n(pipelines, count, VkPipeline{});
    VkResult outcome = VK_SUCCESS;
    for (uint32_t i = 0; i < count; ++i) {
        const VkResult result = one(infos[i], &pipelines[i]);
        if (result == VK_SUCCESS)
            continue;
        if (outcome >= 0 && (outcome == VK_SUCCESS || result < 0))
            outcome = result;
        if (pipelineFlags(infos[i].pNext, infos[i].flags) & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT)
            break;
    }
    return outcome;
}

// Of compute pipelines only nodes are in libraries.
void keepLibrary(Device&, const VkComputePipelineCreateInfo&, VkPipeline) {}

// What has been made, with the structures that the application gave.
template <typename Info>
void tell(Device& device, uint32_t count, const Info* infos, const VkPipeline* pipelines)
{
    for (uint32_t i = 0; i < count; ++i)
        if (pipelines[i])
            keepLibrary(device, infos[i], pipelines[i]);
    for (uint32_t i = 0; device.pipelineObserver && i < count; ++i)
        if (pipelines[i] && !device.graphObjects.find(handleId(pipelines[i])))
            device.pipelineObserver->created(infos[i], pipelines[i]);
}

// What a library of a graph may be depends on what kind of pipeline it is.
VkResult remember(Device& device, VkPipelineBindPoint bindPoint, uint32_t count, const VkPipeline* pipelines,
                  VkResult result)
{
    for (uint32_t i = 0; device.settings().validate && i < count; ++i)
        if (pipelines[i] && !device.graphObjects.find(handleId(pipelines[i])))
            device.driverPipelines.insert(handleId(pipelines[i]),
                                          std::make_shared<DriverPipeline>(DriverPipeline{bindPoint}));
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateComputePipelines(VkDevice handle, VkPipelineCache pipelineCache, uint32_t count,
                                                      const VkComputePipelineCreateInfo* pCreateInfos,
                                                      const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines)
{
    Device& device = Device::of(handle);
    if (std::all_of(pCreateInfos, pCreateInfos + count, [&](const VkComputePipelineCreateInfo& info) {
            return !device.ownPipelines->makes(info) && isPlain(device, info);
        })) {
        const VkResult result =
            device.table.CreateComputePipelines(handle, pipelineCache, count, pCreateInfos, pAllocator, pPipelines);
        tell(device, count, pCreateInfos, pPipelines);
        return remember(device, VK_PIPELINE_BIND_POINT_COMPUTE, count, pPipelines, result);
    }

    auto next = [&](const VkComputePipelineCreateInfo* info, VkPipeline* out) {
        return remember(device, VK_PIPELINE_BIND_POINT_COMPUTE, 1, out,
                        device.table.CreateComputePipelines(handle, pipelineCache, 1, info, pAllocator, out));
    };
    const VkResult result =
        createEach(count, pCreateInfos, pPipelines, [&](const VkComputePipelineCreateInfo& info, VkPipeline* out) {
            return device.ownPipelines->makes(info) ? device.ownPipelines->create(info, pipelineCache, out)
                                                    : createTranslated(device, info, pPipelines, next, out);
        });
    tell(device, count, pCreateInfos, pPipelines);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateGraphicsPipelines(VkDevice handle, VkPipelineCache pipelineCache, uint32_t count,
                                                       const VkGraphicsPipelineCreateInfo* pCreateInfos,
                                                       const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines)
{
    Device& device = Device::of(handle);
    if (std::all_of(pCreateInfos, pCreateInfos + count, [&](const VkGraphicsPipelineCreateInfo& info) {
            return isPlain(device, info) && !isMade(device, info);
        })) {
        const VkResult result =
            device.table.CreateGraphicsPipelines(handle, pipelineCache, count, pCreateInfos, pAllocator, pPipelines);
        tell(device, count, pCreateInfos, pPipelines);
        return remember(device, VK_PIPELINE_BIND_POINT_GRAPHICS, count, pPipelines, result);
    }

    auto next = [&](const VkGraphicsPipelineCreateInfo* info, VkPipeline* out) {
        return remember(device, VK_PIPELINE_BIND_POINT_GRAPHICS, 1, out,
                        device.table.CreateGraphicsPipelines(handle, pipelineCache, 1, info, pAllocator, out));
    };
    const VkResult result =
        createEach(count, pCreateInfos, pPipelines, [&](const VkGraphicsPipelineCreateInfo& info, VkPipeline* out) {
            if (device.ownPipelines->makes(info))
                return device.ownPipelines->create(info, pipelineCache, pPipelines, out);
            VkResult made;
            if (isMade(device, info)) {
                DriverPipelineInfo<VkGraphicsPipelineCreateInfo> translated(device, info, pPipelines);
                device.tellLost("pipeline creation", translated.lost());
                made = remember(device, VK_PIPELINE_BIND_POINT_GRAPHICS, 1, out,
                                device.pipelineMaker->create(translated.info(), pipelineCache, pAllocator, out));
            } else {
                made = createTranslated(device, info, pPipelines, next, out);
            }
            if (made == VK_SUCCESS && device.pipelineObserver)
                made = createParts(device, info, pipelineCache, pAllocator, *out);
            return made;
        });
    tell(device, count, pCreateInfos, pPipelines);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateRayTracingPipelinesKHR(VkDevice handle, VkDeferredOperationKHR operation,
                                                            VkPipelineCache pipelineCache, uint32_t count,
                                                            const VkRayTracingPipelineCreateInfoKHR* pCreateInfos,
                                                            const VkAllocationCallbacks* pAllocator,
                                                            VkPipeline* pPipelines)
{
    Device& device = Device::of(handle);
    if (std::all_of(pCreateInfos, pCreateInfos + count,
                    [&](const VkRayTracingPipelineCreateInfoKHR& info) { return isPlain(device, info); }))
        return remember(device, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, count, pPipelines,
                        device.table.CreateRayTracingPipelinesKHR(handle, operation, pipelineCache, count, pCreateInfos,
                                                                  pAllocator, pPipelines));
    // A deferred operation would need our translated structures after this command has returned: done at once instead.
    auto next = [&](const VkRayTracingPipelineCreateInfoKHR* info, VkPipeline* out) {
        return remember(
            device, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, 1, out,
            device.table.CreateRayTracingPipelinesKHR(handle, VK_NULL_HANDLE, pipelineCache, 1, info, pAllocator, out));
    };
    const VkResult result = createEach(count, pCreateInfos, pPipelines,
                                       [&](const VkRayTracingPipelineCreateInfoKHR& info, VkPipeline* out) {
                                           return createTranslated(device, info, pPipelines, next, out);
                                       });
    return result == VK_SUCCESS && operation ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice handle, VkPipeline pipeline,
                                           const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    if (device.pipelineObserver)
        device.pipelineObserver->destroyed(pipeline);
    if (device.pipelineMaker)
        device.pipelineMaker->destroyed(pipeline);
    device.graphicsLibraries.remove(handleId(pipeline));
    if (device.graphObjects.remove(handleId(pipeline))) {
        device.privateData.removeObject(handleId(pipeline));
    } else {
        device.driverPipelines.remove(handleId(pipeline));
        device.table.DestroyPipeline(handle, pipeline, pAllocator);
    }
}

}  // namespace

EntryPoints ordinaryPipelineEntryPoints()
{
    constexpr uint32_t kUses = kUseState | kUseMaintenance5;
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateComputePipelines, kUses | kUseExtension),
        MILLRACE_ENTRY(CreateGraphicsPipelines, kUses),
        MILLRACE_ENTRY(CreateRayTracingPipelinesKHR, kUses),
        MILLRACE_ENTRY(DestroyPipeline, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
