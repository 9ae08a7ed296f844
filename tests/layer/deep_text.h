// SPDX-License-Identifier: Apache-2.0
// The arguments of a Vulkan command as text that is equal if they are, with everything that pointers lead to. What a
// pointer points to is as many elements as the argument before it says that is a 32-bit number, as in most commands
// that take arrays; one if there is none.
#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <type_traits>

namespace millrace::layertest {

class DeepText {
public:
    template <typename... Args>
    static std::string of(const Args&... args)
    {
        DeepText text;
        (text.argument(args), ...);
        return text.m_text;
    }

private:
    template <typename Value>
    void argument(const Value& value)
    {
        if constexpr (std::is_same_v<Value, uint32_t>) {
            m_count = value;
            m_hasCount = true;
        }
        if constexpr (isData<Value>())
            array(value, elementsOf(value));
        else
            bytes(&value, sizeof value);
    }

    // Handles are pointers as well, but not to constants.
    template <typename Value>
    static constexpr bool isData()
    {
        return std::is_pointer_v<Value> && std::is_const_v<std::remove_pointer_t<Value>>;
    }

    template <typename Element>
    size_t elementsOf(const Element*) const
    {
        if constexpr (std::is_same_v<Element, VkFragmentShadingRateCombinerOpKHR>)
            return 2;
        if constexpr (std::is_same_v<Element, float>)
            return m_hasCount ? m_count : 4;  // blend constants
        return m_count;
    }

    template <typename Element>
    void array(const Element* elements, size_t count)
    {
        m_text += elements ? "[" : "null";
        for (size_t i = 0; elements && i < count; ++i)
            if constexpr (std::is_void_v<Element>)
                m_text += static_cast<const char*>(elements)[i];
            else
                write(elements[i]);
        m_text += "]";
    }

    void bytes(const void* data, size_t size) { m_text.append(static_cast<const char*>(data), size); }

    template <typename Value>
    void write(const Value& value)
    {
        bytes(&value, sizeof value);
    }
    template <typename... Values>
    void all(const Values&... values)
    {
        (bytes(&values, sizeof values), ...);
    }

    void chain(const void* first)
    {
        for (auto* item = static_cast<const VkBaseInStructure*>(first); item; item = item->pNext) {
            all(item->sType);
            if (item->sType == VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT) {
                const auto& info = *reinterpret_cast<const VkDepthBiasRepresentationInfoEXT*>(item);
                all(info.depthBiasRepresentation, info.depthBiasExact);
            } else if (item->sType == VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO) {
                const auto& info = *reinterpret_cast<const VkPipelineLayoutCreateInfo*>(item);
                all(info.flags);
                array(info.pSetLayouts, info.setLayoutCount);
                array(info.pPushConstantRanges, info.pushConstantRangeCount);
            }
        }
    }

    void write(const VkDepthBiasInfoEXT& info)
    {
        chain(info.pNext);
        all(info.depthBiasConstantFactor, info.depthBiasClamp, info.depthBiasSlopeFactor);
    }
    void write(const VkSampleLocationsInfoEXT& info)
    {
        chain(info.pNext);
        all(info.sampleLocationsPerPixel, info.sampleLocationGridSize);
        array(info.pSampleLocations, info.sampleLocationsCount);
    }
    void write(const VkRenderingAttachmentLocationInfo& info)
    {
        chain(info.pNext);
        array(info.pColorAttachmentLocations, info.colorAttachmentCount);
    }
    void write(const VkRenderingInputAttachmentIndexInfo& info)
    {
        chain(info.pNext);
        array(info.pColorAttachmentInputIndices, info.colorAttachmentCount);
        array(info.pDepthInputAttachmentIndex, 1);
        array(info.pStencilInputAttachmentIndex, 1);
    }
    void write(const VkShadingRatePaletteNV& palette)
    {
        array(palette.pShadingRatePaletteEntries, palette.shadingRatePaletteEntryCount);
    }
    void write(const VkCoarseSampleOrderCustomNV& order)
    {
        all(order.shadingRate, order.sampleCount);
        array(order.pSampleLocations, order.sampleLocationCount);
    }
    void write(const VkVertexInputBindingDescription2EXT& binding)
    {
        chain(binding.pNext);
        all(binding.binding, binding.stride, binding.inputRate, binding.divisor);
    }
    void write(const VkVertexInputAttributeDescription2EXT& attribute)
    {
        chain(attribute.pNext);
        all(attribute.location, attribute.binding, attribute.format, attribute.offset);
    }
    void write(const VkDescriptorBufferBindingInfoEXT& info)
    {
        chain(info.pNext);
        all(info.address, info.usage);
    }
    void write(const VkWriteDescriptorSet& info)
    {
        chain(info.pNext);
        all(info.dstBinding, info.dstArrayElement, info.descriptorCount, info.descriptorType);
        if (info.descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
            array(info.pBufferInfo, info.descriptorCount);
    }
    void write(const VkPushDescriptorSetInfo& info)
    {
        chain(info.pNext);
        all(info.stageFlags, info.layout, info.set);
        array(info.pDescriptorWrites, info.descriptorWriteCount);
    }
    void write(const VkBindDescriptorSetsInfo& info)
    {
        chain(info.pNext);
        all(info.stageFlags, info.layout, info.firstSet);
        array(info.pDescriptorSets, info.descriptorSetCount);
        array(info.pDynamicOffsets, info.dynamicOffsetCount);
    }
    void write(const VkPushConstantsInfo& info)
    {
        chain(info.pNext);
        all(info.layout, info.stageFlags, info.offset);
        array(info.pValues, info.size);
    }
    void write(const VkSetDescriptorBufferOffsetsInfoEXT& info)
    {
        chain(info.pNext);
        all(info.stageFlags, info.layout, info.firstSet);
        array(info.pBufferIndices, info.setCount);
        array(info.pOffsets, info.setCount);
    }
    void write(const VkBindDescriptorBufferEmbeddedSamplersInfoEXT& info)
    {
        chain(info.pNext);
        all(info.stageFlags, info.layout, info.set);
    }
    void write(const VkRenderingInfo& info) { all(info.flags, info.layerCount, info.colorAttachmentCount); }

    std::string m_text;
    uint32_t m_count = 1;
    bool m_hasCount = false;
};

}  // namespace millrace::layertest
