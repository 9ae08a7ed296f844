// SPDX-License-Identifier: Apache-2.0
#include "commands/gathering.h"

#include <algorithm>

namespace millrace::commands {

static_assert(sizeof(abi::GatherStep) == 32);

uint32_t Gathering::add(const StreamPart& part, uint32_t kind, uint32_t words, uint32_t from)
{
    const uint32_t target = m_recordWords;
    m_steps.push_back({part, kind, target, from, 0});
    m_recordWords += words;
    return 4 * target;
}

uint32_t Gathering::copy(const StreamPart& part)
{
    return add(part, abi::kGatherCopy, part.words, 0);
}

uint32_t Gathering::mask(const StreamPart& part, uint32_t bits)
{
    return add(part, abi::kGatherMask, 1, bits);
}

uint32_t Gathering::follow(const StreamPart& part)
{
    return add(part, abi::kGatherFollow, 1, 0);
}

void Gathering::replace(const StreamPart& part, uint32_t recordOffset, uint32_t from, uint32_t to)
{
    m_steps.push_back({part, abi::kGatherReplace, recordOffset / 4, from, to});
}

std::optional<StreamPart> Gathering::partAt(uint32_t recordOffset) const
{
    const auto found = std::ranges::find_if(
        m_steps, [&](const Step& step) { return step.kind != abi::kGatherReplace && step.target == recordOffset / 4; });
    return found == m_steps.end() ? std::nullopt : std::optional(found->part);
}

uint32_t Gathering::numbers(const StreamPart& part, uint64_t streamBytes) const
{
    const uint64_t end = part.offset + 4 * uint64_t{part.words};
    if (streamBytes < end)
        return 0;
    const uint32_t stride = m_strides[part.stream];
    return static_cast<uint32_t>(stride == 0 ? UINT32_MAX
                                             : std::min<uint64_t>((streamBytes - end) / stride + 1, UINT32_MAX));
}

uint32_t Gathering::numbers(std::span<const uint64_t> streamBytes) const
{
    uint32_t least = UINT32_MAX;
    for (const Step& step : m_steps)
        least = std::min(least, numbers(step.part, streamBytes[step.part.stream]));
    return least;
}

void Gathering::writeSteps(std::span<const uint64_t> streams, std::span<abi::GatherStep> out) const
{
    for (size_t i = 0; i < m_steps.size(); ++i) {
        const Step& step = m_steps[i];
        out[i] = {streams[step.part.stream] + step.part.offset,
                  m_strides[step.part.stream],
                  step.kind,
                  step.target,
                  step.part.words,
                  step.from,
                  step.to};
    }
}

}  // namespace millrace::commands
