// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spirv/check.h"
#include "spirv/module.h"
#include "spirv/optimizer.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

bool hasCalls(const Module& module)
{
    bool found = false;
    module.forEachInstruction([&](const Instruction& i) { found |= i.op == spv::Op::OpFunctionCall; });
    return found;
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
    auto once = optimize(words, "inline",
                         {spvtools::CreateRemoveDontInlinePass, spvtools::CreateInlineExhaustivePass,
                          spvtools::CreateEliminateDeadFunctionsPass});
    if (!once) {
        return once;
    }
    module = read(*once);
    if (!module) {
        return module.error();
    }
    if (!hasCalls(*module)) {
        return once;
    }
    // Functions that return from within a loop are left until they have a single return. This comes second because it
    // reshapes the control flow of entry points too, where it is rarely needed. Merging wants no unreachable blocks,
    // which dead branch elimination removes.
    auto twice = optimize(
        words, "inline",
        {spvtools::CreateRemoveDontInlinePass, spvtools::CreateDeadBranchElimPass, spvtools::CreateMergeReturnPass,
         spvtools::CreateInlineExhaustivePass, spvtools::CreateEliminateDeadFunctionsPass});
    if (!twice) {
        return twice;
    }
    module = read(*twice);
    if (!module) {
        return module.error();
    }
    if (hasCalls(*module)) {
        return Diagnostic{"spirv", {}, "not every call can be inlined"};
    }
    restoreDebugDefinitions(*module);
    return write(*module);
}

}  // namespace millrace::spirv
