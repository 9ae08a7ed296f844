// SPDX-License-Identifier: Apache-2.0
// Deep copies of what is pushed to a push descriptor set.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <span>
#include <vector>

namespace millrace::layer {

struct UpdateTemplate;

// A deep copy of VkWriteDescriptorSet, its chain included.
class DescriptorWrite {
public:
    explicit DescriptorWrite(const VkWriteDescriptorSet& write);

    const VkWriteDescriptorSet& get() const { return *m_write; }
    // True if this write replaces everything that `other` wrote.
    bool covers(const VkWriteDescriptorSet& other) const
    {
        return other.dstBinding == m_write->dstBinding && other.dstArrayElement == m_write->dstArrayElement &&
               other.descriptorCount == m_write->descriptorCount;
    }
    std::shared_ptr<const void> owner() const { return m_owner; }

private:
    std::shared_ptr<void> m_owner;
    const VkWriteDescriptorSet* m_write;
};

std::vector<DescriptorWrite> copyWrites(std::span<const VkWriteDescriptorSet> writes);
// What pushing `data` with a template writes.
std::vector<DescriptorWrite> copyWrites(const UpdateTemplate& updateTemplate, const void* data);

}  // namespace millrace::layer
