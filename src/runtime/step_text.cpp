// SPDX-License-Identifier: Apache-2.0
#include "runtime/step_text.h"

#include "runtime/runtime.h"

namespace millrace::runtime {

namespace {

std::string nodeText(const graph::Graph& graph, uint32_t slot)
{
    const graph::NodeId& id = graph.nodes[graph.slots[slot].node].declared.id;
    return id.name + "[" + std::to_string(id.index) + "]";
}

// Of all slots of the step, as far as the host knows.
std::string recordsText(const graph::DispatchPlan& plan, const Step& step)
{
    uint64_t records = 0;
    bool exact = true;
    for (uint32_t slot : step.slots) {
        const graph::SlotInput& input = plan.inputs[slot];
        if (input.records == UINT64_MAX || records + input.records < records)
            return "number of records unknown";
        records += input.records;
        exact &= input.exact;
    }
    return (exact ? "" : "at most ") + std::to_string(records) + (records == 1 ? " record" : " records");
}

std::string workText(const ObservedDispatch& dispatch, const Step& step)
{
    switch (step.kind) {
        case Step::Kind::Begin:
            return "begin";
        case Step::Kind::Feed:
            return "feed";
        case Step::Kind::Plan:
            return "plan";
        case Step::Kind::Turn:
            return "turn";
        case Step::Kind::Nodes:
        case Step::Kind::Leaf:
            break;
    }
    const graph::Graph& graph = dispatch.pipeline.graph;
    const graph::Slot& slot = graph.slots[step.slots.front()];
    std::string text = nodesText(graph, step);
    if (graph.nodes[slot.node].declared.maxRecursion > 0 && step.slots.size() == 1)
        text += ", " + std::to_string(slot.remaining) + (slot.remaining == 1 ? " recursion left" : " recursions left");
    text += ", " + recordsText(dispatch.plan, step);
    return step.kind == Step::Kind::Leaf ? text + ", without the scheduler" : text;
}

}  // namespace

std::string nodesText(const graph::Graph& graph, const Step& step)
{
    if (step.slots.size() == 1)
        return "node " + nodeText(graph, step.slots.front());
    return "nodes " + nodeText(graph, step.slots.front()) + " to " + nodeText(graph, step.slots.back());
}

std::string stepText(const ObservedDispatch& dispatch, const Step& step)
{
    return dispatch.name + ", step " + std::to_string(step.number) + ", level " + std::to_string(step.level) + ": " +
           workText(dispatch, step);
}

}  // namespace millrace::runtime
