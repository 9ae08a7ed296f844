// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/device.h"

#include <span>

#include "base/log.h"
#include "layer/base/own_thread.h"
#include "layer/chains/chain.h"
#include "layer/loader/device_create_info.h"
#include "layer/loader/feature.h"
#include "layer/objects/pipeline_caches.h"
#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/render_passes.h"
#include "layer/objects/shader_counter.h"
#include "layer/objects/shader_modules.h"
#include "layer/recording/command_pool.h"
#include "layer/recording/timestamps.h"
#include "layer/recording/update_templates.h"
#include "layer/submission/faults.h"
#include "layer/submission/held_work.h"
#include "layer/submission/queue.h"
#include "layer/submission/side_queue.h"
#include "layer/submission/status_watch.h"
#include "runtime/capture_recorder.h"
#include "runtime/host_memory.h"
#include "runtime/trace_recorder.h"

namespace millrace::layer {

namespace {

Registry<Device>& devices()
{
    // Never destroyed, as all that an application may use while its process ends.
    static Registry<Device>& registry = *new Registry<Device>;
    return registry;
}

const VkLayerDeviceCreateInfo* loaderInfo(const VkDeviceCreateInfo* createInfo, VkLayerFunction function)
{
    for (auto* item = static_cast<const VkBaseInStructure*>(createInfo->pNext); item; item = item->pNext) {
        auto* info = reinterpret_cast<const VkLayerDeviceCreateInfo*>(item);
        if (item->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && info->function == function)
            return info;
    }
    return nullptr;
}

// Commands that the layer itself calls and that a driver may know by their extension's name only.
void fillAliases(VkuDeviceDispatchTable& table)
{
    auto fill = [](auto& core, auto& alias) {
        if (!core)
            core = alias;
        if (!alias)
            alias = core;
    };
    fill(table.CmdBeginRendering, table.CmdBeginRenderingKHR);
    fill(table.CmdEndRendering, table.CmdEndRenderingKHR);
    fill(table.CmdPipelineBarrier2, table.CmdPipelineBarrier2KHR);
    fill(table.QueueSubmit2, table.QueueSubmit2KHR);
    fill(table.CmdPushDescriptorSet, table.CmdPushDescriptorSetKHR);
    fill(table.CmdPushDescriptorSet2, table.CmdPushDescriptorSet2KHR);
    fill(table.CmdBindDescriptorSets2, table.CmdBindDescriptorSets2KHR);
    fill(table.CmdPushConstants2, table.CmdPushConstants2KHR);
    fill(table.CmdDrawIndirectCount, table.CmdDrawIndirectCountKHR);
    fill(table.CmdDrawIndexedIndirectCount, table.CmdDrawIndexedIndirectCountKHR);
    fill(table.GetBufferDeviceAddress, table.GetBufferDeviceAddressKHR);
    fill(table.GetSemaphoreCounterValue, table.GetSemaphoreCounterValueKHR);
    fill(table.WaitSemaphores, table.WaitSemaphoresKHR);
    fill(table.SignalSemaphore, table.SignalSemaphoreKHR);
}

uint32_t usesOf(const EnabledByApplication& enabled, const Support& support)
{
    uint32_t uses = kUseAlways;
    for (const Feature* feature : allFeatures())
        uses |= feature->uses(enabled, support);
    return uses;
}

std::vector<VkQueueFamilyProperties> queueFamilies(const Instance& instance, VkPhysicalDevice physical)
{
    uint32_t count = 0;
    instance.table.GetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    instance.table.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    return families;
}

void tellUnknownExtensions(const Device& device, const VkDeviceCreateInfo& createInfo)
{
    const std::string names =
        unknownExtensions(std::span(createInfo.ppEnabledExtensionNames, createInfo.enabledExtensionCount));
    if (!names.empty())
        device.messages().warning("Millrace-unknown-extension", objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                                  "the application enables " + names + ", which the layer (Vulkan headers 1.4." +
                                      std::to_string(VK_HEADER_VERSION) +
                                      ") does not know: state that its commands set in a command buffer is not set "
                                      "again behind execution graphs, mesh shaders and generated commands of the "
                                      "layer's",
                                  "Set it again there, or build the layer with newer headers");
}

// True if the driver that claims the feature has its commands as well.
bool hasEntryPoints(const VkuDeviceDispatchTable& table)
{
    return table.CreateExecutionGraphPipelinesAMDX && table.CmdDispatchGraphAMDX;
}

void destroy(std::shared_ptr<Device>& device, const VkAllocationCallbacks* allocator)
{
    const PFN_vkDestroyDevice next = device->table.DestroyDevice;
    const VkDevice handle = device->handle;
    allocator = device->allocatorFor(allocator);
    device.reset();
    next(handle, allocator);
}

// Null if there is nothing to submit early: there are no graphs, which devices of several never have, or nobody wants
// it.
std::unique_ptr<QueuesWithSide> queuesWithSide(const Device& device, const VkDeviceCreateInfo& createInfo)
{
    const bool isWanted = device.usesGraphs() && device.settings().earlySubmissions;
    return isWanted ? std::make_unique<QueuesWithSide>(createInfo, device.queueFamilies) : nullptr;
}

// What the application enables and the layer would provide, if the device had what that needs.
std::vector<const char*> askedInVain(const Device& device)
{
    const EnabledByApplication& enabled = device.enabled;
    const Settings& settings = device.settings();
    std::vector<const char*> out;
    if (device.support.lacks.empty())
        return out;
    if (enabled.shaderEnqueueExtension)
        out.push_back("graphs");
    if (enabled.meshShaderExtension && settings.meshShaders && !device.support.nativeMeshShader)
        out.push_back("mesh shaders");
    const bool isCommands = enabled.generatedCommandsExtension && !device.support.nativeGeneratedCommands;
    const bool isStreams = enabled.tokenStreams && !device.support.nativeStreams;
    if (settings.generatedCommands && (isCommands || isStreams))
        out.push_back("generated commands");
    return out;
}

struct Creation {
    Instance& instance;
    VkPhysicalDevice physical;
    const VkDeviceCreateInfo& createInfo;
    const VkAllocationCallbacks* allocator;
    PFN_vkGetInstanceProcAddr nextInstance;
    PFN_vkGetDeviceProcAddr nextDevice;
    PFN_vkSetDeviceLoaderData setLoaderData;
    VkDevice initial;  // what *pDevice held: the loader hands its own object down this way

    VkResult create(std::shared_ptr<Device>& out) const;
    VkResult callDriver(const VkDeviceCreateInfo* info, Device& device) const;
};

VkResult Creation::callDriver(const VkDeviceCreateInfo* info, Device& device) const
{
    auto next = reinterpret_cast<PFN_vkCreateDevice>(nextInstance(instance.handle, "vkCreateDevice"));
    device.handle = initial;
    const VkResult result = next(physical, info, device.allocatorFor(allocator), &device.handle);
    if (result == VK_SUCCESS) {
        vkuInitDeviceDispatchTable(device.handle, &device.table, nextDevice);
        fillAliases(device.table);
    }
    return result;
}

VkResult Creation::create(std::shared_ptr<Device>& out) const
{
    auto device = std::make_shared<Device>(instance);
    device->physical = physical;
    device->setLoaderData = setLoaderData;
    device->support = instance.support(physical);
    device->enabled = enabledByApplication(createInfo);
    const EnabledByApplication& enabled = device->enabled;
    device->queueFamilies = queueFamilies(instance, physical);
    device->uses = usesOf(enabled, device->support);
    if (device->usesCommands() && instance.settings.validate)
        device->uses |= kUseTokenChecks;
    if (device->usesCommands() && !instance.settings.trace.empty())
        device->uses |= kUseTally;
    if (device->usesGraphs() && enabled.deviceGroup) {
        // Each device would have its own counters, and the host could follow only one of them.
        instance.messages.error("Millrace-device-group", {},
                                "vkCreateDevice: shaderEnqueue is not supported for groups of devices",
                                "Create a device of one physical device for the graphs");
        return VK_ERROR_FEATURE_NOT_PRESENT;
    }
    for (const char* wanted : askedInVain(*device))
        instance.messages.error(
            "Millrace-device-lacks", {},
            std::string("vkCreateDevice: ") + wanted + " need what the device lacks: " + device->support.lacks,
            "Choose another device; 'millrace info' says what each one has");
    const bool patch = device->support.emulated &&
                       (enabled.shaderEnqueueExtension || enabled.maintenance5 || enabled.pipelineLibrary ||
                        (enabled.generatedCommandsExtension && device->support.generatedCommands) ||
                        (enabled.meshShaderExtension && device->support.meshShader) || (device->uses & kUseMeshCounts));
    std::unique_ptr<QueuesWithSide> queues;
    VkResult result;
    if (patch) {
        PatchedDeviceCreateInfo patched(createInfo, device->support, device->uses);
        queues = queuesWithSide(*device, createInfo);
        if (queues)
            patched.setQueues(queues->infos());
        result = callDriver(patched.get(), *device);
        device->tellLost("vkCreateDevice", patched.lost());
    } else {
        result = callDriver(&createInfo, *device);
    }
    if (result != VK_SUCCESS)
        return result;
    try {
        if (device->usesStreams() || device->usesCommands()) {
            if (instance.settings.runtime.labels)
                device->names = runtime::Names(device->handle, device->table);
        }
        if (device->uses & (kUseSplits | kUseCommands))
            tellUnknownExtensions(*device, createInfo);
        if (queues)
            for (const auto& [family, index] : queues->added())
                device->sideQueues[family] = SideQueue::create(*device, family, index);
        for (const Feature* feature : allFeatures())
            if (result == VK_SUCCESS)
                result = feature->start(*device, createInfo);
    } catch (...) {
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != VK_SUCCESS) {
        destroy(device, allocator);
        return result;
    }
    out = std::move(device);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo* pCreateInfo,
                                            const VkAllocationCallbacks* pAllocator, VkDevice* pDevice)
{
    // The loader lets layers write to its own structures.
    auto* link = const_cast<VkLayerDeviceCreateInfo*>(loaderInfo(pCreateInfo, VK_LAYER_LINK_INFO));
    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkLayerDeviceLink* const ownLink = link->u.pLayerInfo;
    Instance& instance = Instance::of(physical);
    const auto* callback = loaderInfo(pCreateInfo, VK_LOADER_DATA_CALLBACK);
    const Creation creation{instance,
                            physical,
                            *pCreateInfo,
                            pAllocator,
                            ownLink->pfnNextGetInstanceProcAddr,
                            ownLink->pfnNextGetDeviceProcAddr,
                            callback ? callback->u.pfnSetDeviceLoaderData : nullptr,
                            *pDevice};
    link->u.pLayerInfo = ownLink->pNext;
    std::shared_ptr<Device> device;
    VkResult result = creation.create(device);
    if (result == VK_SUCCESS && device->support.native && device->enabled.shaderEnqueueExtension &&
        !hasEntryPoints(device->table)) {
        // The feature bit was a lie as well. Once more, as for any driver that lacks the extension.
        device->table.DestroyDevice(device->handle, device->allocatorFor(pAllocator));
        instance.markPhantom(physical);
        link->u.pLayerInfo = ownLink->pNext;
        result = creation.create(device);
    }
    if (result != VK_SUCCESS)
        return result;
    *pDevice = device->handle;
    rememberOrUndo([&] { destroy(device, pAllocator); },
                   [&] { devices().insert(handleId(dispatchKey(*pDevice)), device); });
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDevice(VkDevice handle, const VkAllocationCallbacks* pAllocator)
{
    if (!handle)
        return;
    if (isOwnThread()) {
        log(Severity::Error,
            "a callback destroys the device that it is called for, which Vulkan forbids; the device "
            "stays");
        return;
    }
    std::shared_ptr<Device> device = devices().remove(handleId(dispatchKey(handle)));
    destroy(device, pAllocator);
}

}  // namespace

Device::Device(Instance& owner)
    : instance(owner),
      held(std::make_unique<HeldWork>()),
      statusWatch(std::make_unique<StatusWatch>([](Watched& watched) { watched.report(); })),
      faults(std::make_unique<Faults>(*this))
{
}

Device::~Device()
{
    // Everything that calls the driver goes before the device does.
    faults->stop();
    for (const std::function<void()>& stop : stops)
        stop();
    queues.clear();
    sideQueues.clear();
    commandPools.clear();
    graphicsLibraries.clear();
    renderPasses.clear();
    executionSets.clear();
    indirectLayouts.clear();
    pipelineObserver.reset();
    pipelineMaker.reset();
    queryMaker.reset();
    queryPools.clear();
    graphObjects.clear();
    pipelineLayouts.clear();
    try {
        drainRecorders();
    } catch (...) {
        // What there is no memory for is lost.
    }
    trace.reset();
    capture.reset();
    timestamps.reset();
    generatedCommands.reset();
    shaderCounter.reset();
    meshShaders.reset();
    runtime.reset();
}

const VkAllocationCallbacks* Device::allocatorFor(const VkAllocationCallbacks* applications) const
{
    return uses & kUseSplits && (applications || instance.hasCallbacks) ? runtime::hostMemory() : applications;
}

void Device::tellUnknown(std::string_view command, const StructureTypes& types, std::string_view consequence) const
{
    if (!types.empty())
        instance.unknownStructures.tell(messages(), objectReference(VK_OBJECT_TYPE_DEVICE, handle), command, types,
                                        consequence);
}

void Device::tellLost(std::string_view command, const StructureTypes& types) const
{
    tellUnknown(command, types, kCannotCopy);
}

void Device::drainRecorders()
{
    if (trace)
        trace->drain();
    if (shaderCounter)
        shaderCounter->drain();
    if (capture)
        capture->drain();
    for (const std::function<void()>& drain : drains)
        drain();
    for (const std::function<void()>& tell : tellProblems)
        tell();
}

Device* Device::of(void* key)
{
    return devices().find(handleId(key));
}

EntryPoints deviceInstanceEntryPoints()
{
    static const EntryPoint entries[] = {MILLRACE_ENTRY(CreateDevice, kUseAlways)};
    return entries;
}

EntryPoints deviceEntryPoints()
{
    static const EntryPoint entries[] = {MILLRACE_ENTRY(DestroyDevice, kUseAlways)};
    return entries;
}

}  // namespace millrace::layer
