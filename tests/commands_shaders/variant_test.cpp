// SPDX-License-Identifier: Apache-2.0
#include "commands_shaders/variant_test.h"

#include <cstring>

namespace millrace::commands {

void VariantTest::SetUp()
{
    harness::VulkanTest::SetUp();
    m_device = &device({.allFeatures = true});
    m_counters = createBuffer(kCounters * 4);
    createSet();
}

void VariantTest::TearDown()
{
    for (auto& destroy : m_cleanup)
        destroy();
    harness::VulkanTest::TearDown();
}

harness::Buffer VariantTest::createBuffer(VkDeviceSize size, VkBufferUsageFlags usage)
{
    const harness::Buffer buffer = m_device->createBuffer(size, usage);
    onEnd([this, buffer] { m_device->destroyBuffer(buffer); });
    return buffer;
}

void VariantTest::createSet()
{
    VkDescriptorSetLayoutBinding binding{};
    binding.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    binding.descriptorCount = 1;
    binding.stageFlags = VK_SHADER_STAGE_ALL;
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = 1;
    info.pBindings = &binding;
    harness::check(vkCreateDescriptorSetLayout(m_device->device, &info, nullptr, &m_setLayout), "set layout");
    onEnd([this] { vkDestroyDescriptorSetLayout(m_device->device, m_setLayout, nullptr); });
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    harness::check(vkCreateDescriptorPool(m_device->device, &poolInfo, nullptr, &pool), "descriptor pool");
    onEnd([this, pool] { vkDestroyDescriptorPool(m_device->device, pool, nullptr); });
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &m_setLayout;
    harness::check(vkAllocateDescriptorSets(m_device->device, &allocate, &m_set), "descriptor set");
    const VkDescriptorBufferInfo buffer{m_counters.handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(m_device->device, 1, &write, 0, nullptr);
}

VkPipelineLayout VariantTest::createPipelineLayout(VkShaderStageFlags stages, uint32_t pushBytes)
{
    const VkPushConstantRange range{stages, 0, pushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &m_setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    harness::check(vkCreatePipelineLayout(m_device->device, &info, nullptr, &layout), "layout");
    onEnd([this, layout] { vkDestroyPipelineLayout(m_device->device, layout, nullptr); });
    return layout;
}

void VariantTest::bindSet(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipelineLayout layout)
{
    vkCmdBindDescriptorSets(cmd, point, layout, 0, 1, &m_set, 0, nullptr);
}

std::vector<uint32_t> VariantTest::count(const std::function<void(VkCommandBuffer)>& record)
{
    std::memset(m_counters.mapped, 0, m_counters.size);
    m_device->submit(record);
    return {m_counters.words(), m_counters.words() + kCounters};
}

}  // namespace millrace::commands
