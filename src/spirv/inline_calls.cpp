// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spirv/check.h"
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

// Merging returns gives a function a new first block, but leaves behind the one instruction of debug information that
// has to be in the first block.
void restoreDebugDefinitions(Module& module)
{
    constexpr uint32_t kDebugFunctionDefinition = 101;
    Id debugInfo;
    for (const Instruction& i : module.section(Section::ExtInstImports)) {
        if (i.string(0) == "NonSemantic.Shader.DebugInfo.100") {
            debugInfo = i.result;
        }
    }
    const auto isDefinition = [&](const Instruction& i) {
        return i.op == spv::Op::OpExtInst && i.id(0) == debugInfo && i.literal(1) == kDebugFunctionDefinition;
    };
    for (Function& function : module.functions) {
        for (size_t b = 1; b < function.blocks.size() && debugInfo; b++) {
            InstructionList& body = function.blocks[b].body;
            const auto definition = std::ranges::find_if(body, isDefinition);
            if (definition == body.end()) {
                continue;
            }
            InstructionList& first = function.blocks[0].body;
            const auto place =
                std::ranges::find_if(first, [](const Instruction& i) { return i.op != spv::Op::OpVariable; });
            first.insert(place, std::move(*definition));
            body.erase(definition);
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
    // The optimizer's own removal of functions is not used: it cannot bear some kinds of debug information.
    const auto once =
        optimize(words, "inline", {spvtools::CreateRemoveDontInlinePass, spvtools::CreateInlineExhaustivePass});
    module = once ? read(*once) : once.error();
    if (!module) {
        return module.error();
    }
    removeUncalledFunctions(*module);
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
    restoreDebugDefinitions(*module);
    return write(*module);
}

}  // namespace millrace::spirv
