/* SPDX-License-Identifier: Apache-2.0 */
/* Enables the layer by name and asks it whether a device can run execution graphs. */
#define VK_ENABLE_BETA_EXTENSIONS
#include <vulkan/vulkan.h>

#include <stdio.h>

int main(void)
{
    const char* layer = "VK_LAYER_MILLRACE_emulation";
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    VkPhysicalDevice device;
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    VkPhysicalDeviceFeatures2 features = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    uint32_t count = 1;
    VkResult result;

    application.apiVersion = VK_API_VERSION_1_3;
    info.pApplicationInfo = &application;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = &layer;
    result = vkCreateInstance(&info, NULL, &instance);
    if (result != VK_SUCCESS) {
        fprintf(stderr, "FAILED: vkCreateInstance with %s returned %d\n", layer, result);
        return 1;
    }
    result = vkEnumeratePhysicalDevices(instance, &count, &device);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || count == 0) {
        fprintf(stderr, "FAILED: no Vulkan device, result %d\n", result);
        return 1;
    }
    features.pNext = &enqueue;
    vkGetPhysicalDeviceFeatures2(device, &features);
    vkDestroyInstance(instance, NULL);
    if (!enqueue.shaderEnqueue) {
        fprintf(stderr, "FAILED: %s is loaded, but shaderEnqueue is not supported\n", layer);
        return 1;
    }
    printf("%s works\n", layer);
    return 0;
}
