// SPDX-License-Identifier: Apache-2.0
#include "shader/effects.h"

#include "shader/memory_operands.h"

namespace millrace::shader {

using spirv::Instruction;
using spirv::Module;

bool hasEffects(const Module& module, const Instruction& i)
{
    if (i.op == spv::Op::OpStore || i.op == spv::Op::OpCopyMemory) {
        const spv::StorageClass storage = module.storageOf(module.typeOf(i.id(0)));
        return storage != spv::StorageClass::Function && storage != spv::StorageClass::Private;
    }
    if (i.op == spv::Op::OpExtInst) {
        const Instruction* set = module.findDefinition(i.id(0));
        return !set || set->string(0) != "GLSL.std.450";
    }
    switch (i.op) {
        case spv::Op::OpNop:
        case spv::Op::OpLine:
        case spv::Op::OpNoLine:
        case spv::Op::OpSelectionMerge:
        case spv::Op::OpLoopMerge:
        case spv::Op::OpBranch:
        case spv::Op::OpBranchConditional:
        case spv::Op::OpSwitch:
        case spv::Op::OpReturn:
        case spv::Op::OpReturnValue:
        case spv::Op::OpUnreachable:
            return false;
        case spv::Op::OpFinishWritingNodePayloadAMDX:
            return true;
        default:
            return !i.result || isAtomic(i.op);
    }
}

}  // namespace millrace::shader
