// SPDX-License-Identifier: Apache-2.0
// Setting "trace": task and mesh shaders, of the driver's or of the layer's, that count what they do.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "abi/mesh.h"
#include "layer/objects/shader_counter.h"
#include "mesh/count_work.h"
#include "runtime/memory.h"
#include "trace/trace.h"

namespace millrace::layer {

// Pipelines have counters of their own, at an address that is a constant of their shaders: draws need nothing. The
// counters stay as long as the device, which may run what has been made of a library that is gone.
class MeshCounts final : public ShaderCounter {
public:
    MeshCounts(const Device& device, std::shared_ptr<trace::Sink> sink) : m_device(device), m_sink(std::move(sink)) {}
    VkResult create();

    bool counts(VkShaderStageFlagBits stage) const override;
    std::vector<SharedWords> count(std::span<const VkPipelineShaderStageCreateInfo> stages) override;
    void count(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code) override;
    void drain() override;

    // Of one pipeline. Null: it has no such stage. What cannot count stays as it is, after a message.
    void count(mesh::Stage* task, mesh::Stage* mesh);

private:
    struct Counted {
        uint32_t id;
        const abi::MeshCounters* counters;
        abi::MeshCounters known;  // that were told
    };
    struct Block {
        uint64_t address = 0;
        abi::MeshCounters* counters = nullptr;  // null: there is no memory
    };

    Block take();
    void tell(const Status& status) const;
    trace::MeshWork changesOf(Counted& counted) const;

    const Device& m_device;
    const std::shared_ptr<trace::Sink> m_sink;
    runtime::Memory m_memory;
    std::mutex m_mutex;
    std::vector<runtime::Buffer> m_buffers;  // of which the last has room
    uint32_t m_used = 0;                     // blocks of it
    std::vector<Counted> m_counted;
};

// On a device that has just been created. Returns an error of the driver.
VkResult startMeshCounts(Device& device);

// Null: nothing is counted.
MeshCounts* meshCountsOf(const Device& device);

}  // namespace millrace::layer
