// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "mesh/passes.h"
#include "shader/effects.h"
#include "shader/memory_operands.h"

namespace millrace::mesh {

using spirv::Instruction;

namespace {

// True if nobody can tell afterwards whether the instruction ran, but for outputs. Whoever reads those, relies on them.
bool leavesNoTraces(const spirv::Module& module, const Instruction& i)
{
    constexpr spv::StorageClass kOwn[] = {spv::StorageClass::Function, spv::StorageClass::Private,
                                          spv::StorageClass::Workgroup, spv::StorageClass::Output};
    const auto storage = [&] { return module.storageOf(module.typeOf(i.id(0))); };
    switch (i.op) {
        case spv::Op::OpControlBarrier:
        case spv::Op::OpMemoryBarrier:
        case spv::Op::OpSetMeshOutputsEXT:
            return true;
        case spv::Op::OpLoad:
            return storage() != spv::StorageClass::Output;
        default:
            return i.op == spv::Op::OpStore || shader::isAtomic(i.op)
                       ? std::ranges::find(kOwn, storage()) != std::end(kOwn)
                       : !shader::hasEffects(module, i);
    }
}

}  // namespace

bool leavesNoTraces(const spirv::Module& module)
{
    return std::ranges::all_of(module.functions, [&](const spirv::Function& function) {
        return std::ranges::all_of(function.blocks, [&](const spirv::Block& block) {
            return std::ranges::all_of(block.body, [&](const Instruction& i) { return leavesNoTraces(module, i); });
        });
    });
}

}  // namespace millrace::mesh
