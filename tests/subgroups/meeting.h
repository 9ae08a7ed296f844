// SPDX-License-Identifier: Apache-2.0
// What the invocations of a subgroup do together, in code in which each looks at what the others have left in workgroup
// memory.
#pragma once

#include <functional>

#include "shader/function_writer.h"
#include "spirv/module.h"

namespace millrace::subgroups {

// Operations for which invocations have to meet, barriers and OpNop, which only ends an iteration.
bool isMeeting(spv::Op op);
// Operations of subgroups that an invocation does by itself, because all that it needs is in its operands.
bool isLonely(spv::Op op);
// What others see of it: an operand; none where they see only that it is there.
spirv::Id operandToShow(const spirv::Instruction& meeting);

// In which form a value is in memory: booleans are numbers there.
spirv::Id memoryType(spirv::Module& module, spirv::Id type);
spirv::Id toMemory(spirv::Emitter out, spirv::Id value, spirv::Id type);
spirv::Id fromMemory(spirv::Emitter out, spirv::Id value, spirv::Id type);

// The invocation, and where it finds the others.
struct Company {
    uint32_t size = 0;                               // of a subgroup
    spirv::Id lane;                                  // in the subgroup
    spirv::Id first;                                 // invocation of the subgroup, in the workgroup
    spirv::Id count;                                 // of invocations that the subgroup has
    spirv::Id places;                                // array in workgroup memory: at which meeting each invocation is
    spirv::Id here;                                  // the meeting that takes place
    spirv::Id shownType;                             // of what is shown there
    std::function<spirv::Id(spirv::Id type)> shown;  // array in workgroup memory: what each shows
    std::function<spirv::Id(spirv::Id type)> variable;  // new one of the function's
};

// The result, none if there is none. Operands are ids that are known where the code is.
spirv::Id meet(shader::FunctionWriter& writer, spirv::Module& module, const Company& company,
               const spirv::Instruction& meeting);
// The same without others.
spirv::Id meetNobody(spirv::Emitter out, const spirv::Instruction& meeting);
// Of an operation that is lonely, in subgroups of `size`.
spirv::Id think(spirv::Emitter out, uint32_t size, spirv::Id lane, const spirv::Instruction& operation);

}  // namespace millrace::subgroups
