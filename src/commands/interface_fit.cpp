// SPDX-License-Identifier: Apache-2.0
// Whether the shaders of a draw may be together: what one reads, the one in front of it has to declare.
#include <algorithm>
#include <vector>

#include "commands/interface_slots.h"
#include "commands/shader_variants.h"
#include "commands/variant.h"

namespace millrace::commands {

namespace {

// Outputs that may be there count, and inputs that must be.
bool feeds(const Variant& from, const Variant& to)
{
    return Slots(from, spv::StorageClass::Output, kSlotsEnd).contains(Slots(to, spv::StorageClass::Input, 1));
}

}  // namespace

bool fitTogether(const std::vector<StageCode>& stages)
{
    std::vector<Variant> read;
    for (const StageCode& code : stages) {
        auto stage = readStage(code.words, code.entryPoint, code.model);
        if (!stage)
            return true;  // whoever makes a variant of it says why that cannot be
        read.push_back(std::move(*stage));
    }
    std::ranges::sort(read, {}, [](const Variant& stage) { return rankOf(stage.model); });
    for (size_t i = 1; i < read.size(); ++i)
        if (!feeds(read[i - 1], read[i]))
            return false;
    return true;
}

}  // namespace millrace::commands
