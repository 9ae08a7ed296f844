// SPDX-License-Identifier: Apache-2.0
#include "commands/layout.h"

#include "abi/commands.h"

namespace millrace::commands {

namespace {

constexpr uint64_t kDispatchBytes = 16;  // VkDispatchIndirectCommand, padded
static_assert(sizeof(abi::SequenceTable) == 16 && sizeof(abi::SequenceEntry) == 8);
static_assert(sizeof(abi::DrawEntry) == 16 && sizeof(abi::DrawTable) == 16);

}  // namespace

uint32_t actionBytes(Action action)
{
    switch (action) {
        case Action::Dispatch:
        case Action::DrawMesh:
            return 12;
        case Action::Draw:
            return 16;
        case Action::DrawIndexed:
            return 20;
        case Action::DrawCount:
        case Action::DrawIndexedCount:
        case Action::DrawMeshCount:
            return 16;
    }
    return 0;
}

uint32_t commandBytes(Action action)
{
    return actionBytes(isMesh(action) ? Action::DrawMesh : isIndexed(action) ? Action::DrawIndexed : Action::Draw);
}

PreprocessMemory preprocessMemory(const Layout& layout, const Extent& extent)
{
    if (layout.action != Action::Dispatch && !hasDrawTable(layout))
        return {};
    const auto rounded = [](uint64_t bytes) { return (bytes + 15) & ~uint64_t{15}; };
    const uint64_t sequences = extent.maxSequenceCount;
    PreprocessMemory memory;
    memory.tables = kDispatchBytes * extent.pipelineCount;
    memory.entries = memory.tables + sizeof(abi::SequenceTable) * extent.pipelineCount;
    memory.bytes = memory.entries + sizeof(abi::SequenceEntry) * sequences;
    if (!hasDrawTable(layout))
        return memory;
    const uint64_t draws = extent.rowDraws() * extent.rows();
    memory.drawEntries = rounded(memory.bytes);
    memory.draws = memory.drawEntries + sizeof(abi::DrawEntry) * draws;
    memory.drawCounts = memory.draws + uint64_t{commandBytes(layout.action)} * draws;
    memory.bytes = memory.drawCounts + (extent.isOrdered ? 4 * sequences * extent.pipelineCount : 0);
    memory.bytes = (memory.bytes + 7) & ~uint64_t{7};
    return memory;
}

}  // namespace millrace::commands
