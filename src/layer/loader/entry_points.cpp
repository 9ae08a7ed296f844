// SPDX-License-Identifier: Apache-2.0
#include "layer/loader/entry_points.h"

#include <vulkan/vk_layer.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "layer/loader/core_commands.h"
#include "layer/loader/device.h"
#include "layer/loader/feature.h"
#include "layer/loader/instance.h"

namespace millrace::layer {

namespace {

class Table {
public:
    Table(std::initializer_list<EntryPoints> groups)
    {
        for (EntryPoints group : groups)
            add(group);
    }
    void add(EntryPoints group)
    {
        for (const EntryPoint& entry : group)
            if (!m_entries.emplace(entry.name, &entry).second)
                m_repeated.push_back(entry.name);
    }
    const std::vector<const char*>& repeated() const { return m_repeated; }
    const EntryPoint* find(const char* name) const
    {
        auto found = m_entries.find(name);
        return found == m_entries.end() ? nullptr : found->second;
    }

private:
    std::unordered_map<std::string_view, const EntryPoint*> m_entries;
    std::vector<const char*> m_repeated;
};

PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice handle, const char* name)
{
    Device& device = Device::of(handle);
    // Those of versions that only the layer asked for are absent (vkGetDeviceProcAddr, table of return values).
    if (device.instance.apiVersion < device.instance.requestedApiVersion &&
        coreVersionOf(name) > std::max(device.instance.apiVersion, VK_API_VERSION_1_0))
        return nullptr;
    const PFN_vkVoidFunction next = device.table.GetDeviceProcAddr(handle, name);
    const EntryPoint* entry = findDeviceEntryPoint(name);
    if (!entry && device.usesStreams())
        return device.unknownCommands.get(name, next);
    if (!entry || !(entry->uses & device.uses))
        return next;
    // A command of an extension that the application did not enable stays absent.
    const bool isProvided = entry->provided && (entry->providedFor & device.uses);
    return next || isProvided ? entry->function.get() : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance handle, const char* name)
{
    if (const EntryPoint* entry = findInstanceEntryPoint(name)) {
        if (!handle || entry->provided)
            return entry->function.get();
        const Instance& instance = Instance::of(handle);
        return instance.table.GetInstanceProcAddr(handle, name) ? entry->function.get() : nullptr;
    }
    // Device commands, but for those of VK_EXT_debug_utils, are fetched through vkGetDeviceProcAddr, by the loader for
    // its trampolines as well; what is intercepted depends on the device.
    return handle ? Instance::of(handle).table.GetInstanceProcAddr(handle, name) : nullptr;
}

const Table& instanceTable()
{
    static const EntryPoint own[] = {
        {"vkGetInstanceProcAddr", guarded<&getInstanceProcAddr>(), kUseAlways, true},
        {"vkGetDeviceProcAddr", guarded<&getDeviceProcAddr>(), kUseAlways, true},
    };
    static const Table& table = *new Table{own,
                                           instanceEntryPoints(),
                                           extensionEntryPoints(),
                                           featureEntryPoints(),
                                           externalBufferEntryPoints(),
                                           toolPropertyEntryPoints(),
                                           deviceInstanceEntryPoints(),
                                           debugUtilsEntryPoints()};
    return table;
}

const Table& deviceTable()
{
    static const EntryPoint own[] = {
        {"vkGetDeviceProcAddr", guarded<&getDeviceProcAddr>(), kUseAlways, true},
    };
    static const Table& table = *[] {
        auto* made = new Table{own,
                               deviceEntryPoints(),
                               bufferEntryPoints(),
                               shaderModuleEntryPoints(),
                               pipelineLayoutEntryPoints(),
                               renderPassEntryPoints(),
                               queryPoolEntryPoints(),
                               updateTemplateEntryPoints(),
                               pipelineCacheEntryPoints(),
                               ordinaryPipelineEntryPoints(),
                               debugUtilsEntryPoints(),
                               debugMarkerEntryPoints(),
                               privateDataEntryPoints(),
                               commandPoolEntryPoints(),
                               commandBufferEntryPoints(),
                               bindingEntryPoints(),
                               pushDescriptorEntryPoints(),
                               descriptorBufferEntryPoints(),
                               dynamicStateEntryPoints(),
                               vertexStateEntryPoints(),
                               renderingEntryPoints(),
                               scopeEntryPoints(),
                               queryEntryPoints(),
                               barrierEntryPoints(),
                               redirectEntryPoints(),
                               queueEntryPoints(),
                               waitEntryPoints()};
        for (const Feature* feature : allFeatures())
            for (EntryPoints group : feature->entryPoints())
                made->add(group);
        return made;
    }();
    return table;
}

}  // namespace

const EntryPoint* findInstanceEntryPoint(const char* name)
{
    return instanceTable().find(name);
}

const EntryPoint* findDeviceEntryPoint(const char* name)
{
    return deviceTable().find(name);
}

std::vector<const char*> repeatedEntryPoints()
{
    std::vector<const char*> names = instanceTable().repeated();
    const std::vector<const char*>& more = deviceTable().repeated();
    names.insert(names.end(), more.begin(), more.end());
    return names;
}

}  // namespace millrace::layer

#define MILLRACE_EXPORT __attribute__((visibility("default")))

extern "C" {

MILLRACE_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name);
MILLRACE_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char* name);

MILLRACE_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name)
{
    return millrace::layer::Guarded<&millrace::layer::getInstanceProcAddr>::call(instance, name);
}

MILLRACE_EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetDeviceProcAddr(VkDevice device, const char* name)
{
    return millrace::layer::Guarded<&millrace::layer::getDeviceProcAddr>::call(device, name);
}

MILLRACE_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* negotiation)
{
    if (!negotiation || negotiation->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
        negotiation->loaderLayerInterfaceVersion < CURRENT_LOADER_LAYER_INTERFACE_VERSION)
        return VK_ERROR_INITIALIZATION_FAILED;
    negotiation->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
    negotiation->pfnGetInstanceProcAddr = vkGetInstanceProcAddr;
    negotiation->pfnGetDeviceProcAddr = vkGetDeviceProcAddr;
    negotiation->pfnGetPhysicalDeviceProcAddr = nullptr;
    return VK_SUCCESS;
}
}
