// SPDX-License-Identifier: Apache-2.0
// Commands in a row that depend on what may change until they are submitted, draws of the application's between them,
// and all that recording them again takes.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "layer/recording/borrowed_sets.h"
#include "layer/recording/rendering.h"
#include "layer/recording/state_log.h"

namespace millrace::layer {

struct CommandBuffer;

struct LateCommand {
    // Records it, into a command buffer of which the state counts. In a render pass instance that has a front
    // (Front::isOpen()).
    std::function<void(CommandBuffer& body)> record;
    // With another value than before it records something else. Read on any thread. Null: it is a draw of the
    // application's, and always the same.
    std::shared_ptr<const std::atomic<uint64_t>> version;

    bool isDraw() const { return !version; }
};

// All in the same render pass instance, or all outside; between them nothing but state was set. Not thread-safe while
// commands are added.
class LateSeries {
public:
    static constexpr size_t kMostDraws = 32;  // one behind another

    // `owner`: in which the first one is about to be recorded. The instance may be ended behind this.
    explicit LateSeries(const CommandBuffer& owner);
    LateSeries(const LateSeries&) = delete;
    LateSeries& operator=(const LateSeries&) = delete;

    // False where a draw has to come behind the series: those before it are as many as may be, or what is set in the
    // owner cannot be set again later.
    bool takesDraw(const CommandBuffer& owner);
    // With what was set in the owner since the one before.
    void add(const CommandBuffer& owner, LateCommand command);
    size_t size() const { return m_steps.size(); }
    const LateCommand& command(size_t index) const { return m_steps[index].command; }
    bool isInInstance() const { return m_instance.dynamic || m_instance.again; }

    // A command buffer to the layer, for a stream of the primary one `owner`.
    std::unique_ptr<CommandBuffer> createBody(CommandBuffer& owner) const;
    // It has no commands, and the state in front of the first.
    void reset(CommandBuffer& body) const;

    // Three steps, for the driver's command buffers that have begun: `stream`, and in front of it `front`, which is
    // null outside of instances.
    void begin(CommandBuffer& body, VkCommandBuffer stream, VkCommandBuffer front) const;
    // In their order. The body's state is then what it was there.
    void record(CommandBuffer& body, size_t index) const;
    // Ends `front`, but not the stream.
    void end(CommandBuffer& body) const;

private:
    struct Step {
        LateCommand command;
        std::vector<StateLog::Entry> changes;  // in front of it
    };

    void addLayoutsOf(const CommandBuffer& owner);
    void beginInstance(CommandBuffer& body) const;
    void setChanges(CommandBuffer& body, const Step& step) const;
    void endInstance(CommandBuffer& body) const;

    // In front of the first one.
    StateLog m_log;
    std::vector<std::string> m_labels;
    uint32_t m_generations;
    // In force for all of them. `m_instance`: as much of it as a part of it takes.
    RenderingScope m_instance;
    RenderingScope m_condition;

    KeptLayouts m_layouts;
    uint64_t m_layoutsOrder = 0;  // of the owner's log, up to which it has them
    bool m_layoutsMayStay = true;
    uint64_t m_order;    // of the owner's log, behind the last one
    size_t m_draws = 0;  // behind the last one that is none
    Arena m_payloads;    // of `changes`
    std::vector<Step> m_steps;
};

}  // namespace millrace::layer
