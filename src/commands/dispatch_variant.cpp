// SPDX-License-Identifier: Apache-2.0
#include "commands/fetch_push_constants.h"
#include "commands/find_sequence.h"
#include "commands/shader_variants.h"
#include "commands/variant.h"

namespace millrace::commands {

// findSequence must come last: the functions it finds have loads at their start that ask for the sequence.
Result<spirv::Words> makeDispatchVariant(std::span<const uint32_t> words, std::string_view entryPoint,
                                         const Layout& layout)
{
    auto variant = readStage(words, entryPoint, spv::ExecutionModel::GLCompute);
    if (!variant)
        return variant.error();
    const auto block = findPushConstants(variant->module);
    if (!block)
        return block.error();
    if (const Status status = declareArguments(*variant); !status)
        return status.error();
    if (*block) {
        if (const Status status = fetchPushConstants(*variant, *block, layout); !status)
            return status.error();
    }
    if (const Status status = findSequence(*variant, layout); !status)
        return status.error();
    return finishVariant(*variant);
}

}  // namespace millrace::commands
