// SPDX-License-Identifier: Apache-2.0
#include "layer/fake_driver.h"

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vk_layer.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "layer/command_buffer.h"
#include "layer/deep_text.h"
#include "layer/entry_points.h"

namespace millrace::layertest {

namespace {

using Table = VkuDeviceDispatchTable;

// Dispatchable: the loader, and the layer as well, find what it belongs to by its first word.
struct Object {
    void* key;
};

struct State {
    std::mutex mutex;
    std::condition_variable waiting;
    bool hasWaited = false;
    std::vector<Call> calls;
    std::deque<Object> commandBuffers;
    uintptr_t lastHandle = 0;
    Object instance{&instance};
    Object physical{&instance};
    Object device{&device};
    Object queue{&device};
};

State& state()
{
    static State all;
    return all;
}

template <typename Handle>
Handle asHandle(Object& object)
{
    return reinterpret_cast<Handle>(&object);
}

// The name of a command, known once the driver's functions are.
template <auto Member>
const char* nameOf = "";

template <auto Member>
struct Written;
template <typename... Args, void (VKAPI_PTR* Table::*Member)(VkCommandBuffer, Args...)>
struct Written<Member> {
    static VKAPI_ATTR void VKAPI_CALL call(VkCommandBuffer target, Args... args)
    {
        Call call{nameOf<Member>, target, DeepText::of(args...)};
        const std::lock_guard lock(state().mutex);
        state().calls.push_back(std::move(call));
    }
};

template <auto Member>
PFN_vkVoidFunction written(const char* name)
{
    nameOf<Member> = name;
    return reinterpret_cast<PFN_vkVoidFunction>(&Written<Member>::call);
}

// All others succeed and do nothing.
template <typename Function>
struct Nothing;
template <typename... Args>
struct Nothing<VkResult(VKAPI_PTR*)(Args...)> {
    static VKAPI_ATTR VkResult VKAPI_CALL call(Args...) { return VK_SUCCESS; }
};
template <typename... Args>
struct Nothing<void(VKAPI_PTR*)(Args...)> {
    static VKAPI_ATTR void VKAPI_CALL call(Args...) {}
};

VKAPI_ATTR VkResult VKAPI_CALL createInstance(const VkInstanceCreateInfo*, const VkAllocationCallbacks*,
                                              VkInstance* out)
{
    *out = asHandle<VkInstance>(state().instance);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL createDevice(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                                            VkDevice* out)
{
    *out = asHandle<VkDevice>(state().device);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL getProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* out)
{
    *out = {};
    out->apiVersion = VK_API_VERSION_1_0;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerateExtensions(VkPhysicalDevice, const char*, uint32_t* count,
                                                   VkExtensionProperties*)
{
    *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL getQueueFamilies(VkPhysicalDevice, uint32_t* count, VkQueueFamilyProperties* out)
{
    *count = 1;
    if (out)
        *out = {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 1, 64, {1, 1, 1}};
}

template <typename Info, typename Handle>
VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const Info*, const VkAllocationCallbacks*, Handle* out)
{
    const std::lock_guard lock(state().mutex);
    *out = fakeHandle<Handle>(++state().lastHandle);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL allocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo* info,
                                                      VkCommandBuffer* out)
{
    const std::lock_guard lock(state().mutex);
    for (uint32_t i = 0; i < info->commandBufferCount; ++i)
        out[i] = asHandle<VkCommandBuffer>(state().commandBuffers.emplace_back(Object{&state().device}));
    return VK_SUCCESS;
}

VkResult wait(uint64_t timeout)
{
    {
        const std::lock_guard lock(state().mutex);
        state().hasWaited = true;
    }
    state().waiting.notify_all();
    constexpr std::chrono::nanoseconds kLongest = std::chrono::seconds(5);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<uint64_t>(timeout, kLongest.count())));
    return VK_TIMEOUT;
}

VKAPI_ATTR VkResult VKAPI_CALL waitForFences(VkDevice, uint32_t, const VkFence*, VkBool32, uint64_t timeout)
{
    return wait(timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL waitSemaphores(VkDevice, const VkSemaphoreWaitInfo*, uint64_t timeout)
{
    return wait(timeout);
}

VKAPI_ATTR void VKAPI_CALL getDeviceQueue(VkDevice, uint32_t, uint32_t, VkQueue* out)
{
    *out = asHandle<VkQueue>(state().queue);
}

// clang-format off
#define WRITTEN_COMMANDS(X) \
    X(BindIndexBuffer) X(BindIndexBuffer2) X(BindIndexBuffer2KHR) X(BindVertexBuffers) X(BindVertexBuffers2) \
    X(BindVertexBuffers2EXT) X(BindTransformFeedbackBuffersEXT) X(SetDeviceMask) X(SetDeviceMaskKHR) \
    X(SetRayTracingPipelineStackSizeKHR) X(BindInvocationMaskHUAWEI) X(BindShadersEXT) X(SetViewport) X(SetScissor) \
    X(SetLineWidth) X(SetDepthBias) X(SetBlendConstants) X(SetDepthBounds) X(SetStencilCompareMask) \
    X(SetStencilWriteMask) X(SetStencilReference) X(SetCullMode) X(SetCullModeEXT) X(SetFrontFace) \
    X(SetFrontFaceEXT) X(SetPrimitiveTopology) X(SetPrimitiveTopologyEXT) X(SetViewportWithCount) \
    X(SetViewportWithCountEXT) X(SetScissorWithCount) X(SetScissorWithCountEXT) X(SetDepthTestEnable) \
    X(SetDepthTestEnableEXT) X(SetDepthWriteEnable) X(SetDepthWriteEnableEXT) X(SetDepthCompareOp) \
    X(SetDepthCompareOpEXT) X(SetDepthBoundsTestEnable) X(SetDepthBoundsTestEnableEXT) X(SetStencilTestEnable) \
    X(SetStencilTestEnableEXT) X(SetStencilOp) X(SetStencilOpEXT) X(SetRasterizerDiscardEnable) \
    X(SetRasterizerDiscardEnableEXT) X(SetDepthBiasEnable) X(SetDepthBiasEnableEXT) X(SetPrimitiveRestartEnable) \
    X(SetPrimitiveRestartEnableEXT) X(SetLogicOpEXT) X(SetPatchControlPointsEXT) X(SetTessellationDomainOriginEXT) \
    X(SetDepthClampEnableEXT) X(SetPolygonModeEXT) X(SetRasterizationSamplesEXT) X(SetSampleMaskEXT) \
    X(SetAlphaToCoverageEnableEXT) X(SetAlphaToOneEnableEXT) X(SetLogicOpEnableEXT) X(SetColorBlendEnableEXT) \
    X(SetColorBlendEquationEXT) X(SetColorWriteMaskEXT) X(SetRasterizationStreamEXT) \
    X(SetConservativeRasterizationModeEXT) X(SetExtraPrimitiveOverestimationSizeEXT) X(SetDepthClipEnableEXT) \
    X(SetSampleLocationsEnableEXT) X(SetColorBlendAdvancedEXT) X(SetProvokingVertexModeEXT) \
    X(SetLineRasterizationModeEXT) X(SetLineStippleEnableEXT) X(SetDepthClipNegativeOneToOneEXT) \
    X(SetViewportWScalingEnableNV) X(SetViewportSwizzleNV) X(SetCoverageToColorEnableNV) \
    X(SetCoverageToColorLocationNV) X(SetCoverageModulationModeNV) X(SetCoverageModulationTableEnableNV) \
    X(SetCoverageModulationTableNV) X(SetShadingRateImageEnableNV) X(SetRepresentativeFragmentTestEnableNV) \
    X(SetCoverageReductionModeNV) X(SetVertexInputEXT) X(SetColorWriteEnableEXT) X(SetSampleLocationsEXT) \
    X(SetDepthBias2EXT) X(SetDiscardRectangleEXT) X(SetDiscardRectangleEnableEXT) X(SetDiscardRectangleModeEXT) \
    X(SetFragmentShadingRateKHR) X(SetFragmentShadingRateEnumNV) X(SetLineStipple) X(SetLineStippleEXT) \
    X(SetLineStippleKHR) X(SetAttachmentFeedbackLoopEnableEXT) X(SetDepthClampRangeEXT) X(SetViewportWScalingNV) \
    X(SetExclusiveScissorNV) X(SetExclusiveScissorEnableNV) X(BindShadingRateImageNV) \
    X(SetViewportShadingRatePaletteNV) X(SetCoarseSampleOrderNV) X(SetRenderingAttachmentLocations) \
    X(SetRenderingAttachmentLocationsKHR) X(SetRenderingInputAttachmentIndices) \
    X(SetRenderingInputAttachmentIndicesKHR) X(BindPipeline) X(BindDescriptorSets) X(BindDescriptorSets2) \
    X(BindDescriptorSets2KHR) X(PushConstants) X(PushConstants2) X(PushConstants2KHR) X(PushDescriptorSet) \
    X(PushDescriptorSetKHR) X(PushDescriptorSet2) X(PushDescriptorSet2KHR) X(BindDescriptorBuffersEXT) \
    X(SetDescriptorBufferOffsetsEXT) X(SetDescriptorBufferOffsets2EXT) X(BindDescriptorBufferEmbeddedSamplersEXT) \
    X(BindDescriptorBufferEmbeddedSamplers2EXT) X(BeginRendering) X(EndRendering) X(PipelineBarrier) X(Draw) \
    X(PreprocessGeneratedCommandsEXT)
// clang-format on

using Functions = std::map<std::string, PFN_vkVoidFunction>;

template <typename Function>
PFN_vkVoidFunction plain(Function function)
{
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

#define NOTHING(name)                                   \
    {                                                   \
        "vk" #name, plain(&Nothing<PFN_vk##name>::call) \
    }

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name);

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name)
{
#define WRITTEN(name) {"vkCmd" #name, written<&Table::Cmd##name>("vkCmd" #name)},
    static const Functions functions = {
        WRITTEN_COMMANDS(WRITTEN) NOTHING(DestroyDevice),
        NOTHING(DestroyCommandPool),
        NOTHING(FreeCommandBuffers),
        NOTHING(BeginCommandBuffer),
        NOTHING(EndCommandBuffer),
        NOTHING(CmdPushDescriptorSetWithTemplate2),
        NOTHING(DestroyPipelineLayout),
        {"vkCreateCommandPool", plain(create<VkCommandPoolCreateInfo, VkCommandPool>)},
        {"vkCreateDescriptorSetLayout", plain(create<VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout>)},
        {"vkCreatePipelineLayout", plain(create<VkPipelineLayoutCreateInfo, VkPipelineLayout>)},
        {"vkAllocateCommandBuffers", plain(allocateCommandBuffers)},
        {"vkGetDeviceQueue", plain(getDeviceQueue)},
        {"vkWaitForFences", plain(waitForFences)},
        {"vkWaitSemaphores", plain(waitSemaphores)},
        {"vkGetDeviceProcAddr", plain(getDeviceProcAddr)},
    };
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name)
{
    static const Functions functions = {
        {"vkCreateInstance", plain(createInstance)},
        NOTHING(DestroyInstance),
        {"vkCreateDevice", plain(createDevice)},
        {"vkGetPhysicalDeviceProperties", plain(getProperties)},
        NOTHING(GetPhysicalDeviceFeatures2),
        {"vkGetPhysicalDeviceQueueFamilyProperties", plain(getQueueFamilies)},
        {"vkEnumerateDeviceExtensionProperties", plain(enumerateExtensions)},
        {"vkGetDeviceProcAddr", plain(getDeviceProcAddr)},
        {"vkGetInstanceProcAddr", plain(getInstanceProcAddr)},
    };
    const auto found = functions.find(name);
    return found == functions.end() ? nullptr : found->second;
}

void check(VkResult result)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error("the layer fails without a reason");
}

VkInstance makeInstance()
{
    VkLayerInstanceLink link{};
    link.pfnNextGetInstanceProcAddr = getInstanceProcAddr;
    VkLayerInstanceCreateInfo loader{VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO};
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    const VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &loader};
    VkInstance out = VK_NULL_HANDLE;
    check(FakeDriver::get<PFN_vkCreateInstance>("vkCreateInstance")(&info, nullptr, &out));
    return out;
}

VkDevice makeDevice()
{
    VkLayerDeviceLink link{};
    link.pfnNextGetInstanceProcAddr = getInstanceProcAddr;
    link.pfnNextGetDeviceProcAddr = getDeviceProcAddr;
    VkLayerDeviceCreateInfo loader{VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO};
    loader.function = VK_LAYER_LINK_INFO;
    loader.u.pLayerInfo = &link;
    const VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &loader};
    VkDevice out = VK_NULL_HANDLE;
    check(FakeDriver::get<PFN_vkCreateDevice>("vkCreateDevice")(asHandle<VkPhysicalDevice>(state().physical), &info,
                                                                nullptr, &out));
    return out;
}

}  // namespace

FakeDriver::FakeDriver() : m_instance(makeInstance()), m_device(makeDevice())
{
    device().uses |= layer::kUseExtension | layer::kUseGraphs;
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(get<PFN_vkCreateCommandPool>("vkCreateCommandPool")(m_device, &info, nullptr, &m_pool));
    takeCalls();
}

FakeDriver::~FakeDriver()
{
    get<PFN_vkDestroyCommandPool>("vkDestroyCommandPool")(m_device, m_pool, nullptr);
    get<PFN_vkDestroyDevice>("vkDestroyDevice")(m_device, nullptr);
    get<PFN_vkDestroyInstance>("vkDestroyInstance")(m_instance, nullptr);
    state().commandBuffers.clear();
}

layer::Instance& FakeDriver::instance() const
{
    return layer::Instance::of(m_instance);
}

layer::Device& FakeDriver::device() const
{
    return layer::Device::of(m_device);
}

VkPhysicalDevice FakeDriver::physical() const
{
    return asHandle<VkPhysicalDevice>(state().physical);
}

VkCommandBuffer FakeDriver::begin()
{
    VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = m_pool;
    info.commandBufferCount = 1;
    VkCommandBuffer out = VK_NULL_HANDLE;
    check(get<PFN_vkAllocateCommandBuffers>("vkAllocateCommandBuffers")(m_device, &info, &out));
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(get<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(out, &begin));
    return out;
}

void FakeDriver::split(VkCommandBuffer commandBuffer)
{
    layer::CommandBuffer& known = of(commandBuffer);
    interruptRendering(known, true);
    interruptPredicate(known, true);
    if (!known.divide({}, "behind a split"))
        throw std::runtime_error("the command buffer is not split");
    known.log.replay(layer::kScopeOutsideRendering, known.device.table, known.current);
    resumeRendering(known, false);
}

layer::CommandBuffer& FakeDriver::of(VkCommandBuffer commandBuffer)
{
    return layer::CommandBuffer::of(commandBuffer);
}

PFN_vkVoidFunction FakeDriver::find(const char* name)
{
    const layer::EntryPoint* entry = layer::findDeviceEntryPoint(name);
    if (!entry)
        entry = layer::findInstanceEntryPoint(name);
    return entry ? entry->function : nullptr;
}

std::vector<Call> FakeDriver::takeCalls()
{
    const std::lock_guard lock(state().mutex);
    state().hasWaited = false;
    return std::exchange(state().calls, {});
}

void FakeDriver::waitForWait()
{
    std::unique_lock lock(state().mutex);
    state().waiting.wait(lock, [] { return state().hasWaited; });
}

}  // namespace millrace::layertest
