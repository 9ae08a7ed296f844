// SPDX-License-Identifier: Apache-2.0
// One recorded vkCmdDispatchGraph*AMDX and what becomes of it.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "layer/recording/stepped.h"
#include "runtime/runtime.h"

namespace millrace::layer {

struct Device;
struct GraphObject;

struct GraphRun final : Stepped {
    GraphRun(Device& own, const char* dispatching, VkCommandBuffer holding, std::shared_ptr<GraphObject> graph,
             std::shared_ptr<runtime::RecordedDispatch> recorded)
        : device(own),
          command(dispatching),
          commandBuffer(holding),
          object(std::move(graph)),
          dispatch(std::move(recorded))
    {
    }

    Device& device;
    const char* command;  // that dispatched it
    VkCommandBuffer commandBuffer;
    std::shared_ptr<GraphObject> object;
    std::shared_ptr<runtime::RecordedDispatch> dispatch;
    uint32_t recordedSweeps = 1;  // in the command buffer, one after the other
    bool continued = false;       // the submission goes on until nothing remains

    void beforeSubmission() override;
    // Tells the application of dropped work, and of work left behind where nobody continues it; each once. Any thread,
    // any time: what the device has not written yet is not reported yet.
    void report() noexcept override;

    bool isComplete() const override;
    bool isDecided() const override { return dispatch->isDecided(); }
    bool isSoonComplete() const override { return true; }
    void forgetDecision() override { dispatch->forgetDecision(); }
    Progress progress() const override;
    void tellStalled() const override;
    std::optional<runtime::Progress> step() const override { return dispatch->progress(); }
    std::string name() const override;
    VkCommandBuffer recordedIn() const override { return commandBuffer; }

    std::atomic<bool> errorReported{false};
    std::atomic<bool> remainderReported{false};
    std::atomic<bool> lostDrawsReported{false};

private:
    void tell();
    void tellLostDraws();
};

}  // namespace millrace::layer
