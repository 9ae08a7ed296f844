// SPDX-License-Identifier: Apache-2.0
// Buffers and images on the device, how they get their contents, and the descriptors through which nodes reach them.
#pragma once

#include <vector>

#include "tools/run/barriers.h"
#include "tools/run/memory.h"
#include "tools/run/pipeline.h"
#include "tools/run/work.h"

namespace millrace::tools::run {

class DeviceResources {
public:
    // The memory must outlive it. Throws DeviceError.
    DeviceResources(const Device& device, Memory& memory, const Work& work);

    // Initial contents into the resources; they are ready for graphs then, but for the target, which begins with what
    // it is cleared to (Target).
    void recordUpload(VkCommandBuffer commands) const;
    // The resources, as graphs left them, into memory of the host, from where readResults() takes them.
    void recordDownload(VkCommandBuffer commands) const;
    void readResults(const Memory& memory, Work& work) const;

    // In the order of Work::resources; the other of the two is null.
    VkBuffer buffer(size_t resource) const { return m_items[resource].buffer.handle; }
    // Writes the addresses of buffers to where they are used.
    void writeAddresses(const std::vector<AddressUse>& uses, void* bytes) const;
    const Image& image(size_t resource) const { return m_items[resource].image; }
    // Of a texel buffer; else null.
    VkBufferView texels(size_t resource) const { return m_items[resource].texels; }

private:
    struct Item {
        Buffer before;  // the host's
        Buffer after;
        Buffer buffer;
        VkBufferView texels = VK_NULL_HANDLE;
        Image image;
        VkExtent3D extent{};
        bool isTarget = false;
    };
    const Device& m_device;
    const Access m_graph;
    std::vector<Item> m_items;
};

class DescriptorSets {
public:
    DescriptorSets(const Device& device, const Pipeline& pipeline, const Program& program, const Work& work,
                   const DeviceResources& resources);
    ~DescriptorSets();
    DescriptorSets(const DescriptorSets&) = delete;
    DescriptorSets& operator=(const DescriptorSets&) = delete;

    void bind(VkCommandBuffer commands, const Pipeline& pipeline) const;

private:
    void allocate(const Pipeline& pipeline, uint32_t bindingCount);

    const Device& m_device;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    std::vector<VkDescriptorSet> m_sets;
};

}  // namespace millrace::tools::run
