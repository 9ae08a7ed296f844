// SPDX-License-Identifier: Apache-2.0
#include "commands/layout.h"

#include "abi/commands.h"

namespace millrace::commands {

namespace {

constexpr uint64_t kDispatchBytes = 16;  // VkDispatchIndirectCommand, padded
static_assert(sizeof(abi::SequenceTable) == 16 && sizeof(abi::SequenceEntry) == 8);

}  // namespace

uint32_t actionBytes(Action action)
{
    switch (action) {
        case Action::Dispatch:
            return 12;
        case Action::Draw:
            return 16;
        case Action::DrawIndexed:
            return 20;
    }
    return 0;
}

PreprocessMemory preprocessMemory(const Layout& layout, uint32_t maxSequenceCount, uint32_t pipelineCount)
{
    if (layout.action != Action::Dispatch) {
        return {};
    }
    PreprocessMemory memory;
    memory.tables = kDispatchBytes * pipelineCount;
    memory.entries = memory.tables + sizeof(abi::SequenceTable) * pipelineCount;
    memory.bytes = memory.entries + sizeof(abi::SequenceEntry) * uint64_t{maxSequenceCount};
    return memory;
}

}  // namespace millrace::commands
