// SPDX-License-Identifier: Apache-2.0
#include "tools/run/limits.h"

#include <algorithm>

namespace millrace::tools::run {

namespace {

// "3000000000 bytes are more than maxStorageBufferRange of the device, 134217728".
void checkAmount(const Value& place, uint64_t amount, const char* unit, uint64_t limit, const char* name)
{
    if (amount > limit) {
        place.fail(std::to_string(amount) + " " + unit + " are more than " + name + " of the device, " +
                   std::to_string(limit));
    }
}

// What says how large the buffer is.
const Value& sizePlace(const ResourceDescription& description)
{
    return description.size     ? *description.size
           : description.length ? *description.length
           : description.data   ? *description.data
           : description.file   ? *description.file
                                : description.place;
}

// Features of a format that storage images have, and storage texel buffers under names of their own.
struct StorageFeatures {
    VkFormatFeatureFlags2 available = 0;
    const char* what;  // that has the texels
    VkFormatFeatureFlags2 atomics = 0;
};

VkFormatProperties3 formatProperties(const Instance& instance, const Device& device, VkFormat format)
{
    VkFormatProperties3 more{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 properties{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &more};
    instance.vk().GetPhysicalDeviceFormatProperties2(device.physical(), format, &properties);
    return more;
}

void checkAccess(const Resource& resource, const StorageFeatures& features)
{
    const ResourceDescription& description = *resource.description;
    const auto need = [&](bool isNeeded, VkFormatFeatureFlags2 bit, const char* action, const char* unless) {
        if (isNeeded && (features.available & bit) == 0)
            description.format.value_or(description.place)
                .fail(std::string("the device ") + action + " " + features.what + " of format " +
                      resource.format->name + unless);
    };
    const char* const unless = " unless the shader says the format";
    need(resource.access.reads, VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT, "cannot read", unless);
    need(resource.access.writes, VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT, "cannot write", unless);
    need(resource.access.isAtomic, features.atomics, "has no atomic operations on", "");
}

void checkTexelBuffer(const Instance& instance, const Device& device, const Resource& resource)
{
    const ResourceDescription& description = *resource.description;
    const VkFormatFeatureFlags2 features = formatProperties(instance, device, resource.format->format).bufferFeatures;
    const bool isStorage = resource.kind == DescriptorKind::StorageTexelBuffer;
    const VkFormatFeatureFlags2 needed =
        isStorage ? VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT : VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT;
    if ((features & needed) == 0) {
        description.format.value_or(description.place)
            .fail(std::string("the device has no ") + (isStorage ? "storage" : "uniform") +
                  " texel buffers of format " + resource.format->name);
    }
    checkAccess(resource, {features, "storage texel buffers", VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT});
    checkAmount(sizePlace(description), resource.initial.size() / resource.format->texelBytes(), "texels",
                device.properties().limits.maxTexelBufferElements, "maxTexelBufferElements");
}

void checkBuffer(const Instance& instance, const Device& device, const Resource& resource, uint64_t mostBytes)
{
    const VkPhysicalDeviceLimits& limits = device.properties().limits;
    const Value& place = sizePlace(*resource.description);
    const uint64_t bytes = resource.initial.size();
    if (isTexelBuffer(resource.kind))
        checkTexelBuffer(instance, device, resource);
    else if (resource.kind == DescriptorKind::UniformBuffer)
        checkAmount(place, bytes, "bytes", limits.maxUniformBufferRange, "maxUniformBufferRange");
    else
        checkAmount(place, bytes, "bytes", limits.maxStorageBufferRange, "maxStorageBufferRange");
    checkAmount(place, bytes, "bytes", mostBytes, "maxMemoryAllocationSize");
}

void checkImage(const Instance& instance, const Device& device, const Resource& resource)
{
    VkImageFormatProperties properties;
    const VkResult result = instance.vk().GetPhysicalDeviceImageFormatProperties(
        device.physical(), resource.format->format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
        resource.description->isTarget ? kTargetUsage : kImageUsage, 0, &properties);
    const ResourceDescription& description = *resource.description;
    if (result != VK_SUCCESS) {
        description.format.value_or(description.place)
            .fail(std::string("the device has no ") + (description.isTarget ? "targets" : "storage images") +
                  " of format " + resource.format->name);
    }
    checkAccess(resource, {formatProperties(instance, device, resource.format->format).optimalTilingFeatures,
                           "storage images", VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT});
    checkAmount(description.width.value_or(description.place), resource.width, "pixels", properties.maxExtent.width,
                "the largest image");
    checkAmount(description.height.value_or(description.place), resource.height, "pixels", properties.maxExtent.height,
                "the largest image");
    checkAmount(description.place, resource.initial.size(), "bytes", properties.maxResourceSize, "maxResourceSize");
}

VkSampleCountFlags sampleCountsOf(const Instance& instance, const Device& device, VkFormat format,
                                  VkImageUsageFlags usage)
{
    VkImageFormatProperties properties{};
    const VkResult result = instance.vk().GetPhysicalDeviceImageFormatProperties(
        device.physical(), format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL, usage, 0, &properties);
    return result == VK_SUCCESS ? properties.sampleCounts : 0;
}

void checkTarget(const Instance& instance, const Device& device, const Work& work)
{
    const TargetDescription& target = *work.target;
    const Resource& resource = work.resources[target.resource];
    const ResourceDescription& description = *resource.description;
    const VkPhysicalDeviceLimits& limits = device.properties().limits;
    checkAmount(*description.width, resource.width, "pixels", limits.maxFramebufferWidth, "maxFramebufferWidth");
    checkAmount(*description.height, resource.height, "pixels", limits.maxFramebufferHeight, "maxFramebufferHeight");
    VkSampleCountFlags counts =
        sampleCountsOf(instance, device, resource.format->format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    if (target.depth)
        counts &= sampleCountsOf(instance, device, kDepthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT);
    if ((counts & target.samples) == 0) {
        target.place.find("samples")
            .value_or(target.place)
            .fail("the device has no targets of this format with " + std::to_string(target.samples) + " samples");
    }
}

void checkBlending(const Instance& instance, const Device& device, const Program& program, const ImageFormat& format)
{
    VkFormatProperties properties{};
    instance.vk().GetPhysicalDeviceFormatProperties(device.physical(), format.format, &properties);
    for (const ProgramNode& node : program.nodes) {
        const bool blends = node.isMesh() && node.fragment->description->blend != Blend::None;
        if (blends && (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT) == 0) {
            node.fragment->description->fragment.place.fail(
                std::string("the device cannot blend colors in a target of format ") + format.name);
        }
    }
}

// Before the list of payloads is repeated so often.
void checkPayloads(const Work& work, uint64_t most)
{
    for (const Dispatch& dispatch : work.dispatches) {
        for (const Launch& launch : dispatch.launches) {
            const LaunchDescription& description = *launch.description;
            checkAmount(description.count ? *description.count : description.place, launch.count, "payloads", most,
                        "maxExecutionGraphShaderPayloadCount");
        }
    }
}

// All nodes have one layout.
void checkDescriptors(const Program& program, const Work& work, const VkPhysicalDeviceLimits& limits)
{
    struct Kind {
        std::vector<DescriptorKind> kinds;
        uint32_t limit;
        const char* name;
    };
    const Kind kinds[] = {
        {{DescriptorKind::StorageBuffer},
         limits.maxPerStageDescriptorStorageBuffers,
         "maxPerStageDescriptorStorageBuffers"},
        {{DescriptorKind::UniformBuffer},
         limits.maxPerStageDescriptorUniformBuffers,
         "maxPerStageDescriptorUniformBuffers"},
        {{DescriptorKind::StorageImage, DescriptorKind::StorageTexelBuffer},
         limits.maxPerStageDescriptorStorageImages,
         "maxPerStageDescriptorStorageImages"},
        {{DescriptorKind::UniformTexelBuffer},
         limits.maxPerStageDescriptorSampledImages,
         "maxPerStageDescriptorSampledImages"},
    };
    for (const Kind& each : kinds) {
        const auto count = std::ranges::count_if(program.bindings, [&](const BindingUse& use) {
            return std::ranges::find(each.kinds, use.kind) != each.kinds.end();
        });
        if (!work.resources.empty()) {
            checkAmount(work.resources.back().description->place, static_cast<uint64_t>(count), "descriptors",
                        each.limit, each.name);
        }
    }
}

}  // namespace

void checkLimits(const Instance& instance, const Device& device, const Program& program, const Work& work)
{
    VkPhysicalDeviceShaderEnqueuePropertiesAMDX graphs{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX};
    VkPhysicalDeviceMaintenance3Properties memory{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES, &graphs};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &memory};
    instance.vk().GetPhysicalDeviceProperties2(device.physical(), &properties);
    const VkPhysicalDeviceLimits& limits = properties.properties.limits;
    for (const Resource& resource : work.resources)
        if (resource.isImage())
            checkImage(instance, device, resource);
        else
            checkBuffer(instance, device, resource, memory.maxMemoryAllocationSize);
    if (work.target != nullptr) {
        checkTarget(instance, device, work);
        checkBlending(instance, device, program, *work.resources[work.target->resource].format);
    }
    checkDescriptors(program, work, limits);
    checkPayloads(work, graphs.maxExecutionGraphShaderPayloadCount);
    if (program.constantBytes > limits.maxPushConstantsSize) {
        throw DeviceError("the push constants have " + std::to_string(program.constantBytes) +
                          " bytes, more than maxPushConstantsSize of the device, " +
                          std::to_string(limits.maxPushConstantsSize));
    }
}

}  // namespace millrace::tools::run
