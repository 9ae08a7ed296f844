// SPDX-License-Identifier: Apache-2.0
// Commands of VK_KHR_maintenance5 for drivers that lack it, as far as applications of execution graphs need them.
#include "layer/chain.h"
#include "layer/device.h"
#include "layer/entry_points.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

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

}  // namespace

EntryPoints maintenance5EntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(GetRenderingAreaGranularityKHR, kUseMaintenance5, true),
        MILLRACE_ENTRY(GetImageSubresourceLayout2KHR, kUseMaintenance5, true),
        MILLRACE_ENTRY(GetDeviceImageSubresourceLayoutKHR, kUseMaintenance5, true),
    };
    return entries;
}

}  // namespace millrace::layer
