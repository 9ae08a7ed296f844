// SPDX-License-Identifier: Apache-2.0
// Says where the device is in a dispatch, also when it will never come back: commands around each step leave the step's
// number in host memory, and the nodes' code counts the workgroups that have finished.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device_impl.h"
#include "runtime/recording_memory.h"

namespace millrace::runtime {

class Breadcrumbs final : public StepObserver {
public:
    // `status` has the counters of finished workgroups behind abi::GraphStatus. It must live as long as this.
    static VkResult create(Device::Impl& device, const ObservedDispatch& dispatch, const BufferPart& status,
                           std::shared_ptr<Breadcrumbs>& out);

    // Any thread, any time once the first sweep has been recorded.
    Progress progress() const;

    void beginStep(VkCommandBuffer commandBuffer, const Step& step) override;
    void endStep(VkCommandBuffer commandBuffer, const Step& step) override;
    bool separatesSteps() const override { return true; }

private:
    struct KnownStep {  // by its number
        std::string text;
        std::vector<uint32_t> slots;
    };

    Breadcrumbs(const Device::Impl& device, const ObservedDispatch& dispatch, const BufferPart& status);
    size_t slotCount() const { return m_dispatch.pipeline.graph.slots.size(); }
    const uint32_t* counts() const;  // of finished workgroups, per slot
    const uint32_t* trail() const { return reinterpret_cast<const uint32_t*>(m_trail.data()); }
    uint32_t finished(uint32_t slot) const;
    std::string finishedText(const KnownStep& step) const;
    void mark(VkCommandBuffer commandBuffer, uint32_t word, const Step& step) const;

    const Device::Impl& m_device;
    const ObservedDispatch& m_dispatch;
    const BufferPart& m_status;
    Buffer m_trail;  // words: the step begun last, the step ended last (both + 1), the counts before this execution
    std::vector<KnownStep> m_steps;
    std::vector<uint64_t> m_maxGroups;  // of the node, per slot; UINT64_MAX if unknown
};

}  // namespace millrace::runtime
