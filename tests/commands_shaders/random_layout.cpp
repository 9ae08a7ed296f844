// SPDX-License-Identifier: Apache-2.0
#include "commands_shaders/random_layout.h"

#include <algorithm>

namespace millrace::commands {

namespace {

uint32_t below(std::mt19937& random, uint32_t end)
{
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

// Of the words of a stage's push constants, those that no range has yet.
bool isFree(const std::vector<bool>& taken, uint32_t first, uint32_t count)
{
    return std::none_of(taken.begin() + first, taken.begin() + first + count, [](bool word) { return word; });
}

}  // namespace

Layout randomLayout(std::mt19937& random, const RandomLayoutOptions& options)
{
    constexpr uint32_t kWords = kPushBytes / 4;
    Layout layout;
    layout.action = options.action;
    std::vector<std::vector<bool>> taken(options.stages.size(), std::vector<bool>(kWords));
    bool hasIndex = !options.withIndex;
    uint32_t next = 4 * below(random, 3);  // bytes of the record that are used
    for (uint32_t r = below(random, 7); r > 0; --r) {
        const bool isIndex = !hasIndex && below(random, 3) == 0;
        const uint32_t count = isIndex ? 1 : 1 + below(random, 12);
        const uint32_t first = below(random, kWords - count + 1);
        const uint32_t chosen = 1 + below(random, (1u << options.stages.size()) - 1);
        PushRange range{.source = isIndex ? PushRange::Source::SequenceIndex : PushRange::Source::Stream,
                        .destination = 4 * first,
                        .size = 4 * count,
                        .stages = 0,
                        .streamOffset = next};
        bool fits = true;
        for (size_t s = 0; s < options.stages.size(); ++s) {
            if (chosen >> s & 1) {
                range.stages |= options.stages[s];
                fits &= isFree(taken[s], first, count);
            }
        }
        if (!fits)
            continue;
        for (size_t s = 0; s < options.stages.size(); ++s)
            if (chosen >> s & 1)
                std::fill_n(taken[s].begin() + first, count, true);
        hasIndex |= isIndex;
        next += range.size + 4 * below(random, 2);
        layout.pushRanges.push_back(range);
    }
    std::ranges::shuffle(layout.pushRanges, random);
    layout.actionOffset = next;
    layout.stride = next + actionBytes(layout.action) + 4 * below(random, 4);
    for (const uint32_t stage : options.stages)
        layout.stages |= stage;
    return layout;
}

std::vector<uint32_t> randomStream(std::mt19937& random, const Layout& layout, uint32_t sequenceCount)
{
    std::vector<uint32_t> words(size_t{layout.stride} / 4 * sequenceCount);
    std::ranges::generate(words, [&] { return static_cast<uint32_t>(random()); });
    return words;
}

std::vector<uint32_t> pushConstantsOf(const Layout& layout, const std::vector<uint32_t>& pushed,
                                      const std::vector<uint32_t>& stream, uint32_t sequence, uint32_t stage)
{
    std::vector<uint32_t> words = pushed;
    for (const PushRange& range : layout.pushRanges) {
        if ((range.stages & stage) == 0)
            continue;
        for (uint32_t w = 0; w < range.size / 4; ++w) {
            const size_t at = (size_t{layout.stride} * sequence + range.streamOffset) / 4 + w;
            words[range.destination / 4 + w] = range.source == PushRange::Source::SequenceIndex ? sequence : stream[at];
        }
    }
    return words;
}

}  // namespace millrace::commands
