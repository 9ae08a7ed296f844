// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "spirv/call_expansion.h"
#include "spirv/check.h"
#include "spirv/decoration_groups.h"
#include "spirv/inlined_size.h"
#include "spirv/module.h"
#include "spirv/optimizer.h"
#include "spirv/reach.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

bool hasCalls(const Module& module)
{
    bool found = false;
    module.forEachInstruction([&](const Instruction& i) { found |= i.op == spv::Op::OpFunctionCall; });
    return found;
}

void removeUncalledFunctions(Module& module)
{
    const ReachIndex index(module);
    Reach reach(index);
    for (const Section section : {Section::EntryPoints, Section::ExecutionModes})
        for (const Instruction& i : module.section(section))
            reach.addUses(i);
    for (const Instruction& i : module.section(Section::Globals))
        if (i.result && !isExtendedInstruction(i.op))
            reach.add(i.result);
    reach.addDescriptions();
    removeUnreached(module, reach.takeIds());
}

// A declaration has to be of a variable or parameter, but the argument that stands for a parameter may be neither.
void removeLostDeclarations(Module& module)
{
    constexpr uint32_t kDebugDeclare = 28;
    Id debugInfo;
    for (const Instruction& i : module.section(Section::ExtInstImports))
        if (i.string(0) == "NonSemantic.Shader.DebugInfo.100")
            debugInfo = i.result;
    if (!debugInfo)
        return;
    std::unordered_set<uint32_t> variables;
    std::as_const(module).forEachInstruction([&](const Instruction& i) {
        if (i.op == spv::Op::OpVariable || i.op == spv::Op::OpFunctionParameter)
            variables.insert(i.result.value);
    });
    for (Function& function : module.functions) {
        for (Block& block : function.blocks) {
            std::erase_if(block.body, [&](const Instruction& i) {
                return i.op == spv::Op::OpExtInst && i.id(0) == debugInfo && i.literal(1) == kDebugDeclare &&
                       !variables.contains(i.id(3).value);
            });
        }
    }
}

std::unordered_set<uint32_t> calledFunctions(const Module& module)
{
    std::unordered_set<uint32_t> called;
    module.forEachInstruction([&](const Instruction& i) {
        if (i.op == spv::Op::OpFunctionCall)
            called.insert(i.id(0).value);
    });
    return called;
}

// Gives functions that are called a single return at their end, if one returns from a loop or a switch. SPIRV-Tools
// reshapes those that nobody calls as well, which need not, so they are put back. It wants no unreachable blocks, which
// dead branch elimination removes.
Status mergeReturns(Module& module)
{
    const std::unordered_set<uint32_t> called = calledFunctions(module);
    const auto isCallee = [&](const Function& function) { return called.contains(function.id().value); };
    std::vector<uint32_t> blockOf(module.bound);
    if (std::ranges::all_of(module.functions, [&](const Function& f) { return !isCallee(f) || canExpand(f, blockOf); }))
        return {};
    const auto words =
        optimize(write(module), "inline", {spvtools::CreateDeadBranchElimPass, spvtools::CreateMergeReturnPass});
    auto merged = words ? read(*words) : words.error();
    if (!merged)
        return merged.error();
    for (Function& function : module.functions) {
        if (!isCallee(function)) {
            if (Function* reshaped = merged->findFunction(function.id()))
                *reshaped = std::move(function);
        }
    }
    merged->bound = std::max(merged->bound, module.bound);
    module = std::move(*merged);
    return {};
}

}  // namespace

Result<Words> inlineAll(std::span<const uint32_t> words)
{
    auto module = read(words);
    if (!module)
        return module.error();
    if (Status sound = checkStructure(*module); !sound)
        return sound.error();
    if (!hasCalls(*module))
        return Words(words.begin(), words.end());
    if (Status status = checkInlinedSize(*module); !status)
        return status.error();
    if (Status status = dissolveDecorationGroups(*module); !status)
        return status.error();
    if (Status status = mergeReturns(*module); !status)
        return status.error();
    std::vector<Id> entries;
    for (const Instruction& i : module->section(Section::EntryPoints))
        entries.push_back(i.id(1));
    for (const Id entry : entries)
        expandCalls(*module, entry);
    removeUncalledFunctions(*module);
    if (hasCalls(*module))
        return Diagnostic{"spirv", {}, "not every call can be inlined"};
    removeLostDeclarations(*module);
    return write(*module);
}

}  // namespace millrace::spirv
