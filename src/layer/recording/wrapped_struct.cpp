// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/wrapped_struct.h"

#include <cstddef>
#include <vector>
#include <vulkan/utility/vk_safe_struct.hpp>

namespace millrace::layer {

namespace {

template <typename Safe, typename Struct>
std::shared_ptr<const Struct> copyAs(const Struct& info)
{
    auto copy = std::make_shared<Safe>(&info);
    const Struct* plain = copy->ptr();
    return {std::move(copy), plain};
}

}  // namespace

std::shared_ptr<const VkBindDescriptorSetsInfo> deepCopy(const VkBindDescriptorSetsInfo& info)
{
    return copyAs<vku::safe_VkBindDescriptorSetsInfo>(info);
}

// The structure's copy leads to the application's values.
std::shared_ptr<const VkPushConstantsInfo> deepCopy(const VkPushConstantsInfo& info)
{
    struct Copy {
        explicit Copy(const VkPushConstantsInfo& from)
            : info(&from),
              values(static_cast<const std::byte*>(from.pValues),
                     static_cast<const std::byte*>(from.pValues) + from.size)
        {
            info.pValues = values.data();
        }
        vku::safe_VkPushConstantsInfo info;
        const std::vector<std::byte> values;
    };
    auto copy = std::make_shared<Copy>(info);
    const VkPushConstantsInfo* plain = copy->info.ptr();
    return {std::move(copy), plain};
}

std::shared_ptr<const VkPushDescriptorSetInfo> deepCopy(const VkPushDescriptorSetInfo& info)
{
    return copyAs<vku::safe_VkPushDescriptorSetInfo>(info);
}

std::shared_ptr<const VkSetDescriptorBufferOffsetsInfoEXT> deepCopy(const VkSetDescriptorBufferOffsetsInfoEXT& info)
{
    return copyAs<vku::safe_VkSetDescriptorBufferOffsetsInfoEXT>(info);
}

std::shared_ptr<const VkBindDescriptorBufferEmbeddedSamplersInfoEXT> deepCopy(
    const VkBindDescriptorBufferEmbeddedSamplersInfoEXT& info)
{
    return copyAs<vku::safe_VkBindDescriptorBufferEmbeddedSamplersInfoEXT>(info);
}

}  // namespace millrace::layer
