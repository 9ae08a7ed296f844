// SPDX-License-Identifier: Apache-2.0
#include "advisor/barriers.h"

#include "advisor/source_places.h"
#include "shader/control_flow.h"

namespace millrace::advisor {

std::vector<Barrier> readBarriers(const PreparedShader& shader)
{
    std::vector<Barrier> out;
    const shader::ControlFlow flow(shader.function());
    SourcePlaces places(shader.module);
    const std::vector<spirv::Block>& blocks = shader.function().blocks;
    for (size_t b = 0; b < blocks.size(); ++b) {
        places.beginBlock();
        for (const spirv::Instruction& i : blocks[b].body) {
            places.step(i);
            uint32_t scope = 0;
            if (i.op == spv::Op::OpControlBarrier && shader.module.constantValue(i.id(0), scope) &&
                scope == static_cast<uint32_t>(spv::Scope::Workgroup))
                out.push_back({places.place(), flow.isOnCycle(b)});
        }
    }
    return out;
}

}  // namespace millrace::advisor
