// SPDX-License-Identifier: Apache-2.0
// VK_KHR_maintenance5 as a feature of the layer: its commands for drivers that lack it, as far as applications of
// execution graphs need them.
#include "layer/chains/chain.h"
#include "layer/loader/device.h"
#include "layer/loader/device_create_info.h"
#include "layer/loader/entry_points.h"
#include "layer/loader/feature.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kFeatures = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR;
constexpr VkStructureType kProperties = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES_KHR;

VKAPI_ATTR void VKAPI_CALL GetRenderingAreaGranularityKHR(VkDevice, const VkRenderingAreaInfoKHR*,
                                                          VkExtent2D* pGranularity)
{
    // Allowed for every device; only a hint is lost.
    *pGranularity = {1, 1};
}

VKAPI_ATTR void VKAPI_CALL GetImageSubresourceLayout2KHR(VkDevice handle, VkImage image,
                                                         const VkImageSubresource2KHR* pSubresource,
                                                         VkSubresourceLayout2KHR* pLayout)
{
    Device& device = Device::of(handle);
    // VK_EXT_image_compression_control and VK_EXT_host_image_copy have the same command and chain more to it.
    if (device.table.GetImageSubresourceLayout2EXT)
        device.table.GetImageSubresourceLayout2EXT(handle, image, pSubresource, pLayout);
    else
        device.table.GetImageSubresourceLayout(handle, image, &pSubresource->imageSubresource,
                                               &pLayout->subresourceLayout);
}

VKAPI_ATTR void VKAPI_CALL GetDeviceImageSubresourceLayoutKHR(VkDevice handle,
                                                              const VkDeviceImageSubresourceInfoKHR* pInfo,
                                                              VkSubresourceLayout2KHR* pLayout)
{
    Device& device = Device::of(handle);
    VkImage image = VK_NULL_HANDLE;
    if (device.table.CreateImage(handle, pInfo->pCreateInfo, runtime::hostMemory(), &image) != VK_SUCCESS) {
        device.messages().error("Millrace-subresource-layout", objectReference(VK_OBJECT_TYPE_DEVICE, handle),
                                "vkGetDeviceImageSubresourceLayoutKHR: the driver could not create the image",
                                "Check that the device supports these parameters, with "
                                "vkGetPhysicalDeviceImageFormatProperties2");
        pLayout->subresourceLayout = {};
        return;
    }
    device.names.set(VK_OBJECT_TYPE_IMAGE, image, {"image to ask for its layout"});
    GetImageSubresourceLayout2KHR(handle, image, pInfo->pSubresource, pLayout);
    device.table.DestroyImage(handle, image, runtime::hostMemory());
}

class Maintenance5Feature final : public Feature {
public:
    std::span<const ProvidedExtension> extensions() const override
    {
        static const ProvidedExtension list[] = {
            {{VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_SPEC_VERSION}, &Support::maintenance5},
        };
        return list;
    }

    void answerFeatures(VkPhysicalDeviceFeatures2& features, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceMaintenance5FeaturesKHR>(features.pNext, kFeatures);
        if (own && support.emulated)
            own->maintenance5 = VK_TRUE;
    }

    void answerProperties(VkPhysicalDeviceProperties2& properties, const Support& support) const override
    {
        auto* own = findInChain<VkPhysicalDeviceMaintenance5PropertiesKHR>(properties.pNext, kProperties);
        if (!own || !support.emulated || support.maintenance5)
            return;
        // The driver's behaviour in these corners is unknown.
        own->earlyFragmentMultisampleCoverageAfterSampleCounting = VK_FALSE;
        own->earlyFragmentSampleMaskTestBeforeSampleCounting = VK_FALSE;
        own->depthStencilSwizzleOneSupport = VK_FALSE;
        own->polygonModePointSize = VK_FALSE;
        own->nonStrictSinglePixelWideLinesUseParallelogram = VK_FALSE;
        own->nonStrictWideLinesUseParallelogram = VK_FALSE;
    }

    uint32_t uses(const EnabledByApplication& enabled, const Support& support) const override
    {
        return enabled.maintenance5 && support.emulated && !support.maintenance5 ? kUseMaintenance5 : 0u;
    }

    void patch(PatchedDeviceCreateInfo& request, const Support& support, uint32_t) const override
    {
        constexpr VkStructureType k14 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES;
        if (support.maintenance5)
            return;
        request.removeExtension(VK_KHR_MAINTENANCE_5_EXTENSION_NAME);
        request.chain().remove(kFeatures);
        const auto* features14 = request.chain().find<VkPhysicalDeviceVulkan14Features>(k14);
        if (features14 && features14->maintenance5)
            request.chain().change<VkPhysicalDeviceVulkan14Features>(k14)->maintenance5 = VK_FALSE;
    }

    std::vector<EntryPoints> entryPoints() const override
    {
        static const EntryPoint entries[] = {
            MILLRACE_ENTRY(GetRenderingAreaGranularityKHR, kUseMaintenance5, true),
            MILLRACE_ENTRY(GetImageSubresourceLayout2KHR, kUseMaintenance5, true),
            MILLRACE_ENTRY(GetDeviceImageSubresourceLayoutKHR, kUseMaintenance5, true),
        };
        return {entries};
    }
};

}  // namespace

const Feature& maintenance5Feature()
{
    static constexpr Maintenance5Feature feature;
    return feature;
}

}  // namespace millrace::layer
