// SPDX-License-Identifier: Apache-2.0
// Compute pipelines that streams name by address (VK_NV_device_generated_commands_compute): that of the memory which
// the application gives for a pipeline. Kernels get a table of those that there are, and read the memory only to see
// whether the application has asked for the update of it.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "abi/commands.h"
#include "layer/commands/member_changes.h"

namespace millrace::layer {

class KeptPipeline;

// There are so many at most: memory for preprocessing has room for all, since pipelines may come behind its creation.
inline constexpr uint32_t kMaxIndirectPipelines = 1024;
static_assert((abi::kPipelineMark & (kMaxIndirectPipelines - 1)) == 0);
// Of the memory for one.
inline constexpr VkDeviceSize kIndirectPipelineBytes = 16;

// Thread-safe.
class IndirectPipelines {
public:
    struct Place {
        VkDeviceAddress address = 0;
        uint32_t number = 0;
    };

    // False if there are too many.
    bool insert(VkPipeline pipeline, VkDeviceAddress address, std::shared_ptr<KeptPipeline> kept);
    void remove(VkPipeline pipeline);
    std::optional<Place> find(VkPipeline pipeline) const;
    // The memory becomes this one's, where other pipelines have it as well (vkCmdUpdatePipelineIndirectBufferNV).
    void updated(VkPipeline pipeline);
    // For kernels: in the order of addresses, each once.
    std::vector<abi::PipelinePlace> places() const;
    // By number, kMaxIndirectPipelines of them; null where there is none.
    std::vector<std::shared_ptr<KeptPipeline>> all() const;
    // Of numbers that pipelines got.
    const std::shared_ptr<MemberChanges>& changes() const { return m_changes; }

private:
    struct Known : Place {
        uint64_t order;  // of creation, or of the last update
    };

    const std::shared_ptr<MemberChanges> m_changes = std::make_shared<MemberChanges>(kMaxIndirectPipelines);
    mutable std::mutex m_mutex;
    std::unordered_map<VkPipeline, Known> m_places;
    uint64_t m_order = 0;
    std::vector<std::shared_ptr<KeptPipeline>> m_pipelines;
};

}  // namespace millrace::layer
