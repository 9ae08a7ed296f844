// SPDX-License-Identifier: Apache-2.0
// Which sequences of generated commands ran with which pipelines, of a device: the kernel that counts, and what becomes
// of it (setting "trace").
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "layer/commands/tallied_call.h"

namespace millrace::layer {

struct Device;

// Thread-safe.
class SequenceTally {
public:
    SequenceTally(Device& device, std::shared_ptr<trace::Sink> sink) : m_device(device), m_sink(std::move(sink)) {}
    ~SequenceTally();
    SequenceTally(const SequenceTally&) = delete;
    SequenceTally& operator=(const SequenceTally&) = delete;

    // Once. Returns an error of the driver.
    VkResult create();
    // The one that is described alike, or a new one. It is told as long as somebody but this has it.
    std::shared_ptr<TalliedCall> get(trace::GeneratedCall described, std::vector<uint32_t> numbers,
                                     uint32_t pipelineCount);
    // False, after a message, if there is no memory.
    bool createCounters(const TalliedCall& call, runtime::Buffer& out) const;
    // Behind all else, and visible to the host. Binds at the compute bind point and pushes constants.
    void record(VkCommandBuffer commandBuffer, const abi::TallyArguments& arguments) const;
    // Tells what was counted. When the device has finished something.
    void drain();

private:
    struct Known {
        uint32_t id;
        std::weak_ptr<TalliedCall> call;
    };

    void tell(const TalliedCall& call, const trace::GeneratedWork& work);

    Device& m_device;
    const std::shared_ptr<trace::Sink> m_sink;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
    std::mutex m_mutex;
    std::map<std::string, Known> m_known;                 // by all that is said of them, but for the id
    std::vector<std::shared_ptr<TalliedCall>> m_tallied;  // that may have something to tell
    std::vector<bool> m_isDescribed;                      // by id
};

// Of a device that generates commands and has just been created. Returns an error of the driver.
VkResult startTally(Device& device);

}  // namespace millrace::layer
