// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/choose_levels.h"

#include <algorithm>

#include "nodes/fusion/descent.h"
#include "nodes/fusion/sending_level.h"
#include "nodes/prepare.h"
#include "shader/control_flow.h"
#include "shader/effects.h"
#include "shader/effort.h"
#include "shader/memory_operands.h"
#include "shader/values.h"

namespace millrace::nodes {

using spirv::Instruction;

namespace {

// Of a node, by one invocation: the more, the fewer invocations there are for the device.
constexpr uint64_t kMaxRuns = 16;
// Of the levels that an invocation runs alone, from its payload to one of many that come from it. With levels of some
// 650 (32 rounds of a hash), 8 of two payloads each from 100,000 inputs (S1) took an H200 47 us in one, 123 in groups
// of four; of some 2,600, 120 and 137.
constexpr uint64_t kMaxWayInstructions = 16000;

bool isExit(const spirv::Block& block)
{
    const spv::Op op = block.body.back().op;
    return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
}

// True if nobody gets through the function but through this block.
bool isAlwaysRun(const spirv::Function& function, size_t block)
{
    const shader::ControlFlow flow(function);
    std::vector<bool> seen(function.blocks.size(), false);
    std::vector<size_t> open{0};
    while (!open.empty()) {
        const size_t next = open.back();
        open.pop_back();
        if (next == block || seen[next])
            continue;
        seen[next] = true;
        if (isExit(function.blocks[next]))
            return false;
        open.insert(open.end(), flow.successors(next).begin(), flow.successors(next).end());
    }
    return true;
}

// How many payloads each invocation sends to the next level, if that never differs. Where it does, those with few wait
// for those with many, level after level: W7 took 554 instead of 394 us on an H200, W13 5.9 instead of 5.1 ms.
std::optional<uint32_t> findFanOut(const SendingLevel& level)
{
    const NodeShader& shader = *level.shader;
    const std::optional<Allocation> allocation = findAllocation(shader, level.output);
    uint32_t count = 0;
    const bool isKnown = allocation && allocation->function->id() == shader.entry &&
                         shader.module.constantValue(shader::Values(shader.module).origin(allocation->count), count) &&
                         isAlwaysRun(*allocation->function, allocation->block);
    return isKnown ? std::optional(count) : std::nullopt;
}

// In the function or what it calls: others may be left of what other levels do.
template <typename Predicate>
bool hasAny(const spirv::Module& module, spirv::Id function, const Predicate& isOne)
{
    std::vector<spirv::Id> functions{function};
    bool found = false;
    for (size_t f = 0; f < functions.size() && !found; ++f) {
        for (const spirv::Block& block : module.findFunction(functions[f])->blocks) {
            for (const Instruction& i : block.body) {
                found |= isOne(i);
                if (i.op == spv::Op::OpFunctionCall && std::ranges::count(functions, i.id(0)) == 0)
                    functions.push_back(i.id(0));
            }
        }
    }
    return found;
}

// From memory that others may write, or from the clock: what is read again later may be something else. Below a level
// its descendants may write what it has read, and where all does not fit they run before all parts of their ancestor
// have.
bool readsMemory(const spirv::Module& module, const Instruction& i)
{
    if (i.op != spv::Op::OpLoad && i.op != spv::Op::OpCopyMemory)
        return i.op == spv::Op::OpReadClockKHR;
    switch (module.storageOf(module.typeOf(i.id(i.op == spv::Op::OpLoad ? 0 : 1)))) {
        case spv::StorageClass::Function:
        case spv::StorageClass::Private:
        case spv::StorageClass::Input:
        case spv::StorageClass::PushConstant:
        case spv::StorageClass::NodePayloadAMDX:
            return false;
        default:
            return true;
    }
}

// Whether running the level several times instead of once sends the same by one output and does nothing else.
bool isPure(const SendingLevel& level)
{
    const spirv::Module& module = level.shader->module;
    const std::vector<graph::NodeOutput>& outputs = level.shader->node.declared.outputs;
    for (uint32_t o = 0; o < outputs.size(); ++o)
        if (o != level.output && outputs[o].allocationSites > 0)
            return false;
    const auto acts = [&](const Instruction& i) {
        const bool sends = i.op == spv::Op::OpEnqueueNodePayloadsAMDX ||
                           ((i.op == spv::Op::OpStore || i.op == spv::Op::OpCopyMemory) &&
                            module.storageOf(module.typeOf(i.id(0))) == spv::StorageClass::NodePayloadAMDX);
        return (!sends && shader::hasEffects(module, i)) || readsMemory(module, i);
    };
    return !hasAny(module, level.shader->entry, acts);
}

// Runs of the node in one invocation if so many levels are in one.
uint64_t countRuns(uint32_t fanOut, uint32_t levels)
{
    uint64_t runs = 0, ofLevel = 1;
    for (uint32_t level = 0; level < levels && runs <= kMaxRuns; ++level) {
        runs += ofLevel;
        ofLevel *= fanOut;
    }
    return runs;
}

// Whether invocations can run the levels above for one payload each (fusion/descent.h).
bool canDescend(const RecursiveNode& node, const SendingLevel& level, uint32_t fanOut)
{
    const graph::NodeOutput& output = level.shader->node.declared.outputs[level.output];
    return fanOut <= output.budget && output.constantIndex == node.id.index && isPure(level);
}

// Levels that an invocation may go down from one payload: what others do as well is to be less than to send payloads.
uint32_t findMostDescends(const SendingLevel& level, uint32_t fanOut)
{
    const spirv::Module& module = level.shader->module;
    const std::optional<uint64_t> instructions = shader::estimateInstructions(module, level.shader->entry);
    uint32_t descends = 0;
    while (instructions && (descends + 1) * *instructions <= kMaxWayInstructions &&
           countWays(fanOut, descends + 1) != UINT32_MAX)
        ++descends;
    return descends;
}

// Levels of ours that so many become.
uint32_t countGroups(uint32_t levels, uint32_t last, uint32_t others)
{
    const uint32_t above = levels - last;
    return 1 + (others > 0 ? above / others + above % others : above);
}

// As few levels of ours as possible, in which each invocation runs one payload of each level but the last. Of several
// such splits the one with the shortest ways: where 3,145,728 lines come from three (W4), an H200 took 69 us with
// groups of six and five levels, 83 with ten and one, 82 with two in the last group.
std::optional<LevelSplit> splitIntoWays(uint32_t levels, uint32_t fanOut, uint32_t mostDescends)
{
    std::optional<LevelSplit> best;
    auto leastCost = std::pair(levels, 0u);
    for (uint32_t last = 3; last <= std::min(levels, mostDescends + 2); ++last) {
        const uint32_t above = levels - last;
        for (uint32_t others = std::min(above, 1u); others <= std::min(above, mostDescends + 1); ++others) {
            const auto cost = std::pair(countGroups(levels, last, others), std::max(last, others));
            if ((others == 0 || above % others <= 1) && cost < leastCost) {
                leastCost = cost;
                best = LevelSplit{{last, true, 0, last - 2, fanOut},
                                  {others, false, last, std::max(others, 1u) - 1, fanOut}};
            }
        }
    }
    return best;
}

// As many levels in each group as one invocation, or workgroup, may run one after the other.
std::vector<LevelSplit> splitEvenly(uint32_t levels, uint32_t mostPayloads)
{
    std::vector<LevelSplit> splits;
    for (uint32_t inOne = levels; inOne > 1; --inOne) {
        if (levels % inOne <= 1 && countRuns(mostPayloads, inOne) <= kMaxRuns) {
            LevelSplit split{.last = {.levels = inOne, .isLast = true}, .others = {}};
            if (levels / inOne > 1)
                split.others = {.levels = inOne, .below = inOne};
            splits.push_back(split);
        }
    }
    return splits;
}

// Why the last level alone runs inside the one above; empty if there is a split.
std::string chooseWays(const RecursiveNode& node, const SendingLevel& level, uint32_t fanOut, LevelChoice& choice)
{
    if (countRuns(fanOut, 2) > kMaxRuns)
        return "it sends too many payloads";
    if (node.maxRecursion == 1) {
        choice.splits = {{.last = {.levels = 2, .isLast = true}, .others = {}}};
        return {};
    }
    if (!canDescend(node, level, fanOut))
        return "levels above the last do more than send payloads to the next";
    const std::optional<LevelSplit> split =
        splitIntoWays(node.maxRecursion + 1, fanOut, findMostDescends(level, fanOut));
    if (!split)
        return "levels may be too long to be run again";
    choice.splits = {*split};
    return {};
}

}  // namespace

Result<LevelChoice> chooseLevels(const RecursiveNode& node, bool all)
{
    const Result<SendingLevel> level = prepareSending(node, {1, node.maxRecursion});
    if (!level)
        return level.error();
    const auto anyLevel = getPrepared(node.prepared, node.words, node.options);
    if (!anyLevel)
        return anyLevel.error();
    const std::optional<uint32_t> fanOut = findFanOut(*level);
    LevelChoice choice{.isEven = fanOut.has_value()};
    // One payload after the other, by the invocations of a workgroup or where there is no other.
    const bool isChain = node.byWorkgroup || (fanOut && *fanOut <= 1);
    if (!fanOut && !(all && isChain)) {
        choice.why =
            std::string(node.byWorkgroup ? "workgroups" : "invocations") + " may send different numbers of payloads";
        return choice;
    }
    // Those of one subgroup would add to the same words more often than before: S5 took 8.2 instead of 7.3 ms.
    if (hasAny((*anyLevel)->module, (*anyLevel)->entry, [](const Instruction& i) { return shader::isAtomic(i.op); }) &&
        !all) {
        choice.why = "it has atomics";
        return choice;
    }
    if (!isChain) {
        choice.why = chooseWays(node, *level, *fanOut, choice);
        return choice;
    }
    choice.splits =
        splitEvenly(node.maxRecursion + 1, fanOut.value_or(level->shader->node.declared.outputs[level->output].budget));
    choice.why = choice.splits.empty() ? "it sends too many payloads" : "";
    return choice;
}

}  // namespace millrace::nodes
