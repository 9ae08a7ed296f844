// SPDX-License-Identifier: Apache-2.0
// Layouts with random push ranges, streams of random records, and what push constants a sequence has by them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "commands/layout.h"

namespace millrace::commands {

inline constexpr uint32_t kPushBytes = 128;

// Ranges of each stage do not overlap. `index`: where a sequence index may be stored; absent: anywhere.
struct RandomLayoutOptions {
    Action action = Action::Dispatch;
    std::vector<uint32_t> stages;  // bits of VkShaderStageFlags; each range is for one or several
    bool withIndex = true;
};
Layout randomLayout(std::mt19937& random, const RandomLayoutOptions& options);

// Records without action: random words.
std::vector<uint32_t> randomStream(std::mt19937& random, const Layout& layout, uint32_t sequenceCount);

// kPushBytes of what the stage sees in the sequence, by copying one token after the other.
std::vector<uint32_t> pushConstantsOf(const Layout& layout, const std::vector<uint32_t>& pushed,
                                      const std::vector<uint32_t>& stream, uint32_t sequence, uint32_t stage);

}  // namespace millrace::commands
