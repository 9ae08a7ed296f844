// SPDX-License-Identifier: Apache-2.0
#include "commands/draw_shaders.h"
#include "commands/shader_variants.h"

namespace millrace::commands {

Result<std::vector<StageCode>> makeDrawVariant(std::vector<StageCode> stages, const Layout& layout,
                                               const VariantTarget& target, const VertexInput& vertexInput)
{
    DrawShaders shaders;
    for (const StageCode& code : stages)
        if (const Status status = shaders.add(code, layout, vertexInput); !status)
            return status.error();
    if (const Status status = shaders.findLocation(target); !status)
        return status.error();
    for (size_t s = 0; s < stages.size(); ++s) {
        if (!shaders.changes(s))
            continue;
        if (const Status status = shaders.change(s, layout, vertexInput); !status)
            return status.error();
        if (const Status status = handOnSequence(shaders[s], shaders.route(s), layout); !status)
            return status.error();
        stages[s].words = finishVariant(shaders[s]);
    }
    return stages;
}

}  // namespace millrace::commands
