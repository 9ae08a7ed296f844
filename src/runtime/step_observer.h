// SPDX-License-Identifier: Apache-2.0
// Who wants to know of every dispatch that a sweep records: debug labels, breadcrumbs, traces. Without observers a
// sweep records exactly what it needs.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/plan.h"

namespace millrace::runtime {

struct GraphPipeline;

// One dispatch that Millrace records for a graph.
struct Step {
    enum class Kind {
        Begin,  // resets the scratch memory; once, before the first sweep
        Feed,   // level 0: the payloads of the API, unless the host has prepared them and Begin copies them
        Plan,   // indirect path: arguments for the nodes of a level
        Nodes,  // one node, or several slots of one pipeline
        Turn,   // ends a sweep that may not be the last
        Leaf,  // one slot, without the scheduler; there are no other steps then. Not where Device::observe() was called
    };

    Kind kind = Kind::Begin;
    uint32_t number = 0;              // Begin is 0; the same in every sweep
    uint32_t level = 0;               // Turn: of the deepest level
    std::span<const uint32_t> slots;  // Nodes, Leaf: that it runs, of Graph::slots; valid during the call
    uint32_t groups = 0;              // workgroups of ours; 0: counted on the device (behind Plan or Size)
};

// Valid as long as the dispatch is: until the command buffer is reset, freed or recorded again.
struct ObservedDispatch {
    const GraphPipeline& pipeline;
    const graph::DispatchPlan& plan;
    VkDeviceAddress scratch = 0;
    VkDeviceSize scratchBytes = 0;
    const std::string& name;  // of the graph, as the application called it or "graph 7"
    // That the API sends payloads to: nodes of the infos where the host reads them, else all that it may.
    const std::vector<uint32_t>& apiNodes;
    // Whoever submits it calls beforeExecution() each time, and only when it is not pending.
    const bool announced;
    const bool& isFed;  // the host has prepared those payloads, and Begin copies them: there is no Feed
};

// Watches the recording of one vkCmdDispatchGraph*AMDX. The calls come in pairs, on the thread that records, and may
// record commands of their own that are allowed outside of a render pass, except that they must not bind descriptor
// sets; what else they change for compute shaders is set again before each dispatch.
//
//     beginStep(Begin) endStep
//     per sweep: beginSweep { beginLevel { beginStep endStep } endLevel } endSweep
//
// The Turn step belongs to no level.
//
// At beginLevel() all earlier writes of compute shaders are visible to compute shaders. A sweep may be
// recorded several times, and each recorded one may be executed several times.
class StepObserver {
public:
    virtual ~StepObserver() = default;

    // Not part of the recording. Any thread; what was recorded is not pending, and is going to be submitted once.
    // Only where the dispatch is announced.
    virtual void beforeExecution() {}

    virtual void beginSweep(VkCommandBuffer) {}
    virtual void endSweep(VkCommandBuffer) {}
    virtual void beginLevel(VkCommandBuffer, uint32_t /*level*/) {}
    virtual void endLevel(VkCommandBuffer, uint32_t /*level*/) {}
    virtual void beginStep(VkCommandBuffer, const Step&) {}
    virtual void endStep(VkCommandBuffer, const Step&) {}
    // Step by step, behind each endStep(): what follows goes to another command buffer, which is submitted when all
    // commands before have completed.
    virtual void leaveCommandBuffer(VkCommandBuffer) {}
    virtual void enterCommandBuffer(VkCommandBuffer) {}

    // True: steps of one level must not run at the same time. A barrier between compute shaders stands between them.
    virtual bool separatesSteps() const { return false; }
    // True: each step of nodes has one slot.
    virtual bool separatesSlots() const { return false; }
};

// Makes the observer of one dispatch, or none. An error makes the recording fail with it.
using ObserverFactory = std::function<VkResult(const ObservedDispatch&, std::shared_ptr<StepObserver>& out)>;

}  // namespace millrace::runtime
