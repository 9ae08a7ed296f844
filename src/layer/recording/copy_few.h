// SPDX-License-Identifier: Apache-2.0
// Copies of arrays that are mostly short, without a call: whoever calls nothing keeps its arguments in registers.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace millrace::layer {

// Elements of an array, mostly few: false if they are more than kMost, for which nothing is called.
template <size_t kMost, typename Element>
inline bool copyFew(Element* to, const Element* from, size_t count) noexcept
{
    if (count > kMost) [[unlikely]]
        return false;
    [&]<size_t... kIndices>(std::index_sequence<kIndices...>)
    {
        (void)((kIndices < count && (to[kIndices] = from[kIndices], true)) && ...);
    }
    (std::make_index_sequence<kMost>());
    return true;
}

// The same for bytes, whose number has to be one of words of 4.
template <size_t kMostBytes>
inline bool copyFewBytes(std::byte* to, const void* from, size_t bytes) noexcept
{
    using Word = std::array<std::byte, 4>;
    using Four = std::array<std::byte, 16>;
    static_assert(kMostBytes % sizeof(Four) == 0);
    if (bytes % sizeof(Word) != 0 || bytes > kMostBytes) [[unlikely]]
        return false;
    const size_t fours = bytes / sizeof(Four);
    copyFew<kMostBytes / sizeof(Four)>(reinterpret_cast<Four*>(to), static_cast<const Four*>(from), fours);
    copyFew<3>(reinterpret_cast<Word*>(to) + 4 * fours, static_cast<const Word*>(from) + 4 * fours,
               bytes % sizeof(Four) / sizeof(Word));
    return true;
}

}  // namespace millrace::layer
