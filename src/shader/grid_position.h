// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "spirv/module.h"

namespace millrace::shader {

// Where element `number` of a grid lies, as three unsigned integers; x runs fastest.
inline spirv::Id positionInGrid(spirv::Emitter& out, spirv::Id number, const uint32_t (&size)[3])
{
    spirv::Module& module = out.module();
    const spirv::Id uintType = module.getIntType(32, false);
    const spirv::Id width = module.getConstant(size[0]);
    const spirv::Id height = module.getConstant(size[1]);
    const spirv::Id row = out.emit(spv::Op::OpUDiv, uintType, {number, width});
    const spirv::Id x = out.emit(spv::Op::OpUMod, uintType, {number, width});
    const spirv::Id y = out.emit(spv::Op::OpUMod, uintType, {row, height});
    const spirv::Id z = out.emit(spv::Op::OpUDiv, uintType, {row, height});
    return out.emit(spv::Op::OpCompositeConstruct, module.getVectorType(uintType, 3), {x, y, z});
}

}  // namespace millrace::shader
