// SPDX-License-Identifier: Apache-2.0
#include "tools/run/device_resources.h"

#include <cstring>
#include <iterator>

namespace millrace::tools::run {

namespace {

// Of texels only what their format allows, which limits.cpp has looked at.
VkBufferUsageFlags bufferUsage(DescriptorKind kind)
{
    constexpr VkBufferUsageFlags kCopies = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (kind == DescriptorKind::UniformTexelBuffer)
        return kCopies | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    if (kind == DescriptorKind::StorageTexelBuffer)
        return kCopies | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    return kCopies | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
}

VkBufferImageCopy wholeImage(const VkExtent3D& extent)
{
    return {0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, extent};
}

}  // namespace

DeviceResources::DeviceResources(const Device& device, Memory& memory, const Work& work)
    : m_device(device), m_graph(graphAccess(work.target != nullptr))
{
    for (const Resource& resource : work.resources) {
        Item& item = m_items.emplace_back();
        const VkDeviceSize size = resource.initial.size();
        item.before = memory.createBuffer(size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Memory::Where::HostWrites);
        item.after = memory.createBuffer(size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::Where::HostReads);
        if (resource.isImage()) {
            item.extent = {resource.width, resource.height, 1};
            item.isTarget = resource.description->isTarget;
            item.image = memory.createImage(
                {resource.format->format, resource.width, resource.height, item.isTarget ? kTargetUsage : kImageUsage});
        } else {
            item.buffer = memory.createBuffer(size, bufferUsage(resource.kind), Memory::Where::Device);
            if (isTexelBuffer(resource.kind))
                item.texels = memory.createBufferView(item.buffer, resource.format->format);
        }
    }
    for (size_t i = 0; i < m_items.size(); ++i) {
        const Resource& resource = work.resources[i];
        std::memcpy(m_items[i].before.mapped, resource.initial.data(), resource.initial.size());
        writeAddresses(resource.addresses, m_items[i].before.mapped);
        memory.makeVisibleToDevice(m_items[i].before);
    }
}

void DeviceResources::writeAddresses(const std::vector<AddressUse>& uses, void* bytes) const
{
    for (const AddressUse& use : uses) {
        const VkDeviceAddress address = m_items[use.resource].buffer.address;
        std::memcpy(static_cast<uint8_t*>(bytes) + use.offset, &address, sizeof(address));
    }
}

void DeviceResources::recordUpload(VkCommandBuffer commands) const
{
    barrier(m_device, commands, kHostWrite, kCopy);
    for (const Item& item : m_items) {
        if (item.image.handle == VK_NULL_HANDLE) {
            const VkBufferCopy region{0, 0, item.buffer.size};
            m_device.vk().CmdCopyBuffer(commands, item.before.handle, item.buffer.handle, 1, &region);
            continue;
        }
        if (item.isTarget) {
            discardImage(m_device, commands, item.image.handle, m_graph);
            continue;
        }
        const VkBufferImageCopy region = wholeImage(item.extent);
        discardImage(m_device, commands, item.image.handle, kCopy);
        m_device.vk().CmdCopyBufferToImage(commands, item.before.handle, item.image.handle, VK_IMAGE_LAYOUT_GENERAL, 1,
                                           &region);
    }
    barrier(m_device, commands, kCopy, m_graph);
}

void DeviceResources::recordDownload(VkCommandBuffer commands) const
{
    barrier(m_device, commands, m_graph, kCopy);
    for (const Item& item : m_items) {
        if (item.image.handle == VK_NULL_HANDLE) {
            const VkBufferCopy region{0, 0, item.buffer.size};
            m_device.vk().CmdCopyBuffer(commands, item.buffer.handle, item.after.handle, 1, &region);
            continue;
        }
        const VkBufferImageCopy region = wholeImage(item.extent);
        m_device.vk().CmdCopyImageToBuffer(commands, item.image.handle, VK_IMAGE_LAYOUT_GENERAL, item.after.handle, 1,
                                           &region);
    }
    barrier(m_device, commands, kCopy, kHostRead);
}

void DeviceResources::readResults(const Memory& memory, Work& work) const
{
    for (size_t i = 0; i < m_items.size(); ++i) {
        memory.makeVisibleToHost(m_items[i].after);
        const auto* bytes = static_cast<const uint8_t*>(m_items[i].after.mapped);
        work.resources[i].result.assign(bytes, bytes + work.resources[i].initial.size());
    }
}

DescriptorSets::DescriptorSets(const Device& device, const Pipeline& pipeline, const Program& program, const Work& work,
                               const DeviceResources& resources)
    : m_device(device)
{
    if (program.bindings.empty())
        return;
    allocate(pipeline, static_cast<uint32_t>(program.bindings.size()));
    for (const BindingUse& use : program.bindings) {
        for (size_t r = 0; r < work.resources.size(); ++r) {
            const ResourceDescription& description = *work.resources[r].description;
            if (!description.isAt(use.set, use.binding))
                continue;
            const VkDescriptorBufferInfo buffer{resources.buffer(r), 0, VK_WHOLE_SIZE};
            const VkDescriptorImageInfo image{VK_NULL_HANDLE, resources.image(r).view, VK_IMAGE_LAYOUT_GENERAL};
            const VkBufferView texels = resources.texels(r);
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = m_sets[use.set];
            write.dstBinding = use.binding;
            write.descriptorCount = 1;
            write.descriptorType = descriptorType(use.kind);
            write.pBufferInfo = &buffer;
            write.pImageInfo = &image;
            write.pTexelBufferView = &texels;
            m_device.vk().UpdateDescriptorSets(m_device.handle(), 1, &write, 0, nullptr);
        }
    }
}

DescriptorSets::~DescriptorSets()
{
    m_device.vk().DestroyDescriptorPool(m_device.handle(), m_pool, nullptr);
}

void DescriptorSets::allocate(const Pipeline& pipeline, uint32_t bindingCount)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, bindingCount},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, bindingCount},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, bindingCount},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, bindingCount},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, bindingCount}};
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = static_cast<uint32_t>(pipeline.setLayouts().size());
    pool.poolSizeCount = static_cast<uint32_t>(std::size(sizes));
    pool.pPoolSizes = sizes;
    check(m_device.vk().CreateDescriptorPool(m_device.handle(), &pool, nullptr, &m_pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = m_pool;
    info.descriptorSetCount = pool.maxSets;
    info.pSetLayouts = pipeline.setLayouts().data();
    std::vector<VkDescriptorSet> sets(pool.maxSets);
    const VkResult result = m_device.vk().AllocateDescriptorSets(m_device.handle(), &info, sets.data());
    if (result != VK_SUCCESS) {
        // The destructor does not run for an object that was never made.
        m_device.vk().DestroyDescriptorPool(m_device.handle(), m_pool, nullptr);
    }
    check(result, "vkAllocateDescriptorSets");
    m_sets = std::move(sets);
}

void DescriptorSets::bind(VkCommandBuffer commands, const Pipeline& pipeline) const
{
    if (!m_sets.empty()) {
        m_device.vk().CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, pipeline.layout(), 0,
                                            static_cast<uint32_t>(m_sets.size()), m_sets.data(), 0, nullptr);
    }
}

}  // namespace millrace::tools::run
