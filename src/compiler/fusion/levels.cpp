// SPDX-License-Identifier: Apache-2.0
#include "compiler/fusion/levels.h"

#include <algorithm>

#include "compiler/control_flow.h"
#include "compiler/fuse.h"
#include "compiler/globals.h"
#include "compiler/memory_operands.h"
#include "compiler/node_shader.h"
#include "compiler/payload_types.h"
#include "compiler/prepare.h"
#include "compiler/values.h"

namespace millrace::compiler {

using spirv::Instruction;

namespace {

// Of a node, by one invocation: the more, the fewer invocations there are for the device.
constexpr uint64_t kMaxRuns = 16;

Diagnostic failure(const graph::NodeId& id, std::string message)
{
    return {"fuse", "'" + id.name + "'[" + std::to_string(id.index) + "]", std::move(message)};
}

// What remains at a level of a group, counted from its first.
RecursionRange remainingAt(const RecursiveNode& node, uint32_t level, uint32_t levels, bool isLast)
{
    const uint32_t below = levels - 1 - level;
    // The next group is the last at least, which has two levels or more.
    const uint32_t next = std::max(levels, 2u);
    return isLast ? RecursionRange{below, below} : RecursionRange{next + below, node.maxRecursion - level};
}

// A level that sends, and the output that leads to the next.
struct SendingLevel {
    std::shared_ptr<NodeShader> shader;
    uint32_t output;
};

Result<SendingLevel> prepareSending(const RecursiveNode& node, const RecursionRange& remaining)
{
    Options options = node.options;
    options.remainingRecursion = remaining;
    const auto shader = prepareAgain(node.words, options);
    if (!shader) {
        return shader.error();
    }
    const std::vector<graph::NodeOutput>& outputs = (*shader)->node.outputs;
    const auto isOwn = [&](const graph::NodeOutput& output) {
        return output.allocationSites > 0 && output.targetName == node.id.name;
    };
    if (std::ranges::count_if(outputs, isOwn) != 1) {
        return failure(node.id, "before its last level it does not send to itself by one output alone");
    }
    return SendingLevel{*shader, static_cast<uint32_t>(std::ranges::find_if(outputs, isOwn) - outputs.begin())};
}

struct Allocation {
    const spirv::Function* function;
    size_t block;
    spirv::Id count;
};

// The one allocation of an output, if it is one.
std::optional<Allocation> findAllocation(const NodeShader& shader, uint32_t output)
{
    std::vector<Allocation> found;
    for (const spirv::Function& function : shader.module.functions) {
        for (size_t b = 0; b < function.blocks.size(); b++) {
            for (const Instruction& i : function.blocks[b].body) {
                const bool allocates = i.op == spv::Op::OpAllocateNodePayloadsAMDX;
                const auto array = allocates ? shader.outputOfArray.find(payloadArrayOf(shader.module, i.type).value)
                                             : shader.outputOfArray.end();
                if (array != shader.outputOfArray.end() && array->second == output) {
                    found.push_back({&function, b, i.id(1)});
                }
            }
        }
    }
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// Where a compiler leaves the allocation in and makes its count 0, as Direct3D 12's uniform control flow asks for.
bool allocatesNothing(const NodeShader& shader, uint32_t output)
{
    const std::optional<Allocation> allocation = findAllocation(shader, output);
    return allocation && Values(shader.module).largest(allocation->count) == 0u;
}

// The last level, without the allocations that it makes of nothing.
Result<spirv::Words> makeLastLevel(const RecursiveNode& node, const Options& options)
{
    const auto shader = prepareAgain(node.words, options);
    if (!shader) {
        return shader.error();
    }
    std::vector<FusedOutput> nothing;
    const std::vector<graph::NodeOutput>& outputs = (*shader)->node.outputs;
    for (uint32_t o = 0; o < outputs.size(); o++) {
        const bool allocates = outputs[o].allocationSites > 0;
        if (allocates && !allocatesNothing(**shader, o)) {
            return failure(node.id, "the last level may send payloads as well, to '" + outputs[o].targetName + "'");
        }
        if (allocates) {
            nothing.push_back({.output = o, .consumers = {}});
        } else if (outputs[o].targetName == node.id.name) {  // the level above would get the same answer
            return failure(node.id, "the last level asks whether it may send to itself");
        }
    }
    return fuse(node.words, options, nothing);
}

bool isExit(const spirv::Block& block)
{
    const spv::Op op = block.body.back().op;
    return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
}

// True if nobody gets through the function but through this block.
bool isAlwaysRun(const spirv::Function& function, size_t block)
{
    const ControlFlow flow(function);
    std::vector<bool> seen(function.blocks.size(), false);
    std::vector<size_t> open{0};
    while (!open.empty()) {
        const size_t next = open.back();
        open.pop_back();
        if (next == block || seen[next]) {
            continue;
        }
        seen[next] = true;
        if (isExit(function.blocks[next])) {
            return false;
        }
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
                         shader.module.constantValue(Values(shader.module).origin(allocation->count), count) &&
                         isAlwaysRun(*allocation->function, allocation->block);
    return isKnown ? std::optional(count) : std::nullopt;
}

bool hasAtomics(const spirv::Module& module)
{
    return std::ranges::any_of(module.functions, [](const spirv::Function& function) {
        return std::ranges::any_of(function.blocks, [](const spirv::Block& block) {
            return std::ranges::any_of(block.body, [](const Instruction& i) { return isAtomic(i.op); });
        });
    });
}

bool isOwn(const spirv::Module& module, spirv::Id pointer)
{
    const Instruction* type = module.findDefinition(module.typeOf(pointer));
    const auto storage = type && type->op == spv::Op::OpTypePointer ? static_cast<spv::StorageClass>(type->literal(0))
                                                                    : spv::StorageClass::Max;
    return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
           storage == spv::StorageClass::NodePayloadAMDX;
}

// Whether running the level several times instead of once does nothing to others, but for what it sends by one output,
// and nobody can tell.
bool isPure(const SendingLevel& level)
{
    if (findBuiltIn(level.shader->module, spv::BuiltIn::WorkgroupId)) {
        return false;
    }
    const std::vector<graph::NodeOutput>& outputs = level.shader->node.outputs;
    for (uint32_t o = 0; o < outputs.size(); o++) {
        if (o != level.output && outputs[o].allocationSites > 0) {
            return false;
        }
    }
    bool isPure = true;
    const spirv::Module& module = level.shader->module;
    module.forEachInstruction([&](const Instruction& i) {
        const bool writesElsewhere =
            (i.op == spv::Op::OpStore || i.op == spv::Op::OpCopyMemory || i.op == spv::Op::OpCopyMemorySized) &&
            !isOwn(module, i.id(0));
        isPure &= !writesElsewhere && i.op != spv::Op::OpImageWrite && !isAtomic(i.op);
    });
    return isPure;
}

// LevelChoice::parts. Of W4, where an invocation runs nine and five levels' work one after the other and sends 64 and
// 16 payloads, each level takes an H200 9 to 10 us, though there is next to no work; a level by itself takes 5.7.
uint32_t choosePart(const SendingLevel& level, uint32_t fanOut, bool byWorkgroup)
{
    constexpr uint32_t kLeast = 4;
    return !byWorkgroup && fanOut >= kLeast && isPure(level) ? fanOut : 1;
}

// Runs of the node in one invocation if so many levels are in one.
uint64_t countRuns(uint32_t fanOut, uint32_t levels)
{
    uint64_t runs = 0, ofLevel = 1;
    for (uint32_t level = 0; level < levels && runs <= kMaxRuns; level++) {
        runs += ofLevel;
        ofLevel *= fanOut;
    }
    return runs;
}

}  // namespace

Result<spirv::Words> fuseLevels(const RecursiveNode& node, uint32_t levels, bool isLast, uint32_t parts)
{
    Options optionsOfLast = node.options;
    optionsOfLast.remainingRecursion = remainingAt(node, levels - 1, levels, isLast);
    Result<spirv::Words> below = isLast ? makeLastLevel(node, optionsOfLast) : fuse(node.words, optionsOfLast, {});
    Options optionsBelow = node.options;
    optionsBelow.specialization.clear();  // applied
    for (uint32_t level = levels - 1; below && level-- > 0;) {
        Options options = node.options;
        options.remainingRecursion = remainingAt(node, level, levels, isLast);
        const Result<SendingLevel> above = prepareSending(node, *options.remainingRecursion);
        if (!above) {
            return above.error();
        }
        const FusedConsumer next{
            .words = *below, .options = optionsBelow, .indices = {node.id.index}, .isNextLevel = true};
        const bool oneEach = level == 0 && parts > 1;
        below = fuse(node.words, options, {{{above->output, {next}, node.byWorkgroup, oneEach}}});
    }
    return below;
}

Result<LevelChoice> chooseLevels(const RecursiveNode& node, bool all)
{
    const Result<SendingLevel> level = prepareSending(node, {1, node.maxRecursion});
    if (!level) {
        return level.error();
    }
    const auto anyLevel = prepareAgain(node.words, node.options);
    if (!anyLevel) {
        return anyLevel.error();
    }
    const std::optional<uint32_t> fanOut = findFanOut(*level);
    LevelChoice choice{.isEven = fanOut.has_value()};
    if (!fanOut && !all) {
        choice.why =
            std::string(node.byWorkgroup ? "workgroups" : "invocations") + " may send different numbers of payloads";
        return choice;
    }
    // Those of one subgroup would add to the same words more often than before: S5 took 8.2 instead of 7.3 ms.
    if (hasAtomics((*anyLevel)->module) && !all) {
        choice.why = "it has atomics";
        return choice;
    }
    choice.parts = fanOut ? choosePart(*level, *fanOut, node.byWorkgroup) : 1;
    const uint32_t most = fanOut.value_or(level->shader->node.outputs[level->output].budget);
    for (uint32_t levels = node.maxRecursion + 1; levels > 1; levels--) {
        if ((node.maxRecursion + 1) % levels <= 1 && countRuns(most, levels) <= kMaxRuns) {
            choice.levels.push_back(levels);
        }
    }
    choice.why = choice.levels.empty() ? "it sends too many payloads" : "";
    return choice;
}

}  // namespace millrace::compiler
