// SPDX-License-Identifier: Apache-2.0
// Generated draws of VK_NV_device_generated_commands.
#include "commands/draws.h"
#include "commands/stream_layout.h"

namespace millrace::commandtest {

Pixels Draws::runStreams(DrawCase& drawn)
{
    drawn.placeVertices(m_vertices.address);
    drawn.placeIndices(m_indices.address);
    drawn.spoil(drawn);
    StreamCall call(generated, drawn.random, drawn.layout, drawn.stream, drawn.maxSequences,
                    drawn.deviceCount ? &*drawn.deviceCount : nullptr);
    call.create(kGraphics, m_layout, pipelineOf(drawn),
                (drawn.isExplicit ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_NV : 0) |
                    (drawn.isUnordered ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_UNORDERED_SEQUENCES_BIT_NV : 0));
    const Commands commands{[&](VkCommandBuffer) { call.preprocess(); },
                            [&](VkCommandBuffer cmd) { call.execute(cmd, drawn.isExplicit); }};
    return draw(drawn, commands);
}

}  // namespace millrace::commandtest
