// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "spirv/check.h"
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
    Reach reach(module);
    for (const Section section : {Section::EntryPoints, Section::ExecutionModes}) {
        for (const Instruction& i : module.section(section)) {
            reach.addUses(i);
        }
    }
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.result && !isExtendedInstruction(i.op)) {
            reach.add(i.result);
        }
    }
    reach.addDescriptions();
    removeUnreached(module, reach.takeIds());
}

// Inlining leaves debug information that breaks two rules of its own: a definition has to be in the first block, where
// merging returns puts a new one; a declaration has to be of a variable or parameter, but an argument may be neither.
void repairDebugInformation(Module& module)
{
    constexpr uint32_t kDebugDeclare = 28;
    constexpr uint32_t kDebugFunctionDefinition = 101;
    Id debugInfo;
    for (const Instruction& i : module.section(Section::ExtInstImports)) {
        if (i.string(0) == "NonSemantic.Shader.DebugInfo.100") {
            debugInfo = i.result;
        }
    }
    if (!debugInfo) {
        return;
    }
    const auto is = [&](const Instruction& i, uint32_t number) {
        return i.op == spv::Op::OpExtInst && i.id(0) == debugInfo && i.literal(1) == number;
    };
    std::unordered_set<uint32_t> variables;
    std::as_const(module).forEachInstruction([&](const Instruction& i) {
        if (i.op == spv::Op::OpVariable || i.op == spv::Op::OpFunctionParameter) {
            variables.insert(i.result.value);
        }
    });
    const auto isLostDeclaration = [&](const Instruction& i) {
        return is(i, kDebugDeclare) && !variables.contains(i.id(3).value);
    };
    for (Function& function : module.functions) {
        InstructionList definitions;
        for (Block& block : function.blocks) {
            InstructionList kept;
            for (Instruction& i : block.body) {
                if (is(i, kDebugFunctionDefinition)) {
                    definitions.push_back(i);
                } else if (!isLostDeclaration(i)) {
                    kept.push_back(i);
                }
            }
            block.body = std::move(kept);
        }
        if (!function.blocks.empty()) {
            InstructionList& first = function.blocks[0].body;
            const auto isCode = [](const Instruction& i) { return i.op != spv::Op::OpVariable; };
            first.insert(std::ranges::find_if(first, isCode), definitions.begin(), definitions.end());
        }
    }
}

}  // namespace

Result<Words> inlineAll(std::span<const uint32_t> words)
{
    auto module = read(words);
    if (!module) {
        return module.error();
    }
    if (Status sound = checkStructure(*module); !sound) {
        return sound.error();
    }
    if (!hasCalls(*module)) {
        return Words(words.begin(), words.end());
    }
    if (Status status = checkInlinedSize(*module); !status) {
        return status.error();
    }
    // The optimizer's own removal of functions is not used: it cannot bear some kinds of debug information.
    const auto once =
        optimize(words, "inline", {spvtools::CreateRemoveDontInlinePass, spvtools::CreateInlineExhaustivePass});
    module = once ? read(*once) : once.error();
    if (!module) {
        return module.error();
    }
    removeUncalledFunctions(*module);
    repairDebugInformation(*module);
    if (!hasCalls(*module)) {
        return write(*module);
    }
    // Functions that return from within a loop are left until they have a single return. This comes second because it
    // reshapes the control flow of entry points too, where it is rarely needed. Merging wants no unreachable blocks,
    // which dead branch elimination removes.
    const auto twice = optimize(words, "inline",
                                {spvtools::CreateRemoveDontInlinePass, spvtools::CreateDeadBranchElimPass,
                                 spvtools::CreateMergeReturnPass, spvtools::CreateInlineExhaustivePass});
    module = twice ? read(*twice) : twice.error();
    if (!module) {
        return module.error();
    }
    removeUncalledFunctions(*module);
    if (hasCalls(*module)) {
        return Diagnostic{"spirv", {}, "not every call can be inlined"};
    }
    repairDebugInformation(*module);
    return write(*module);
}

}  // namespace millrace::spirv
