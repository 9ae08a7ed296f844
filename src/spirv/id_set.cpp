// SPDX-License-Identifier: Apache-2.0
#include "spirv/id_set.h"

namespace millrace::spirv {

IdSet usedInFunctions(const Module& module)
{
    IdSet used;
    for (const Function& function : module.functions) {
        for (const Block& block : function.blocks)
            for (const Instruction& i : block.body)
                i.forEachUse([&](Id id) { used.insert(id); });
    }
    return used;
}

}  // namespace millrace::spirv
