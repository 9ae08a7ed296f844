// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/descriptor_write.h"

#include <cstring>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "layer/recording/update_templates.h"

namespace millrace::layer {

namespace {

// The elements of one template entry as the arrays that VkWriteDescriptorSet wants.
class EntryReader {
public:
    EntryReader(const VkDescriptorUpdateTemplateEntry& entry, const void* data)
        : m_entry(entry), m_data(static_cast<const std::byte*>(data) + entry.offset)
    {
    }

    DescriptorWrite read()
    {
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstBinding = m_entry.dstBinding;
        write.dstArrayElement = m_entry.dstArrayElement;
        write.descriptorCount = m_entry.descriptorCount;
        write.descriptorType = m_entry.descriptorType;
        switch (m_entry.descriptorType) {
            case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
            case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
                write.pTexelBufferView = elements(m_views);
                break;
            case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
            case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
            case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
            case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
                write.pBufferInfo = elements(m_buffers);
                break;
            case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
                m_accelerationWrite.accelerationStructureCount = m_entry.descriptorCount;
                m_accelerationWrite.pAccelerationStructures = elements(m_accelerations);
                write.pNext = &m_accelerationWrite;
                break;
            case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
                m_inlineWrite.dataSize = m_entry.descriptorCount;
                m_inlineWrite.pData = m_data;
                write.pNext = &m_inlineWrite;
                break;
            default:
                write.pImageInfo = elements(m_images);
                break;
        }
        return DescriptorWrite(write);
    }

private:
    template <typename Element>
    const Element* elements(std::vector<Element>& storage)
    {
        storage.resize(m_entry.descriptorCount);
        for (uint32_t i = 0; i < m_entry.descriptorCount; ++i)
            std::memcpy(&storage[i], m_data + i * m_entry.stride, sizeof(Element));
        return storage.data();
    }

    const VkDescriptorUpdateTemplateEntry& m_entry;
    const std::byte* m_data;
    std::vector<VkBufferView> m_views;
    std::vector<VkDescriptorBufferInfo> m_buffers;
    std::vector<VkDescriptorImageInfo> m_images;
    std::vector<VkAccelerationStructureKHR> m_accelerations;
    VkWriteDescriptorSetAccelerationStructureKHR m_accelerationWrite{
        VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR};
    VkWriteDescriptorSetInlineUniformBlock m_inlineWrite{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK};
};

}  // namespace

DescriptorWrite::DescriptorWrite(const VkWriteDescriptorSet& write)
{
    auto copy = std::make_shared<vku::safe_VkWriteDescriptorSet>(&write);
    m_write = copy->ptr();
    m_owner = std::move(copy);
}

std::vector<DescriptorWrite> copyWrites(std::span<const VkWriteDescriptorSet> writes)
{
    std::vector<DescriptorWrite> copies;
    for (const VkWriteDescriptorSet& write : writes)
        copies.emplace_back(write);
    return copies;
}

std::vector<DescriptorWrite> copyWrites(const UpdateTemplate& updateTemplate, const void* data)
{
    std::vector<DescriptorWrite> copies;
    for (const VkDescriptorUpdateTemplateEntry& entry : updateTemplate.entries)
        copies.push_back(EntryReader(entry, data).read());
    return copies;
}

}  // namespace millrace::layer
