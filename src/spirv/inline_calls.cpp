// SPDX-License-Identifier: Apache-2.0
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
        return Diagnostic{"spirv", {}, "not every call can be inlined; is there recursion?"};
    }
    return twice;
}

}  // namespace millrace::spirv
