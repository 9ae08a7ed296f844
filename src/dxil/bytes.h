// SPDX-License-Identifier: Apache-2.0
// Little-endian numbers out of bytes that nobody vouches for.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace millrace::dxil {

using Bytes = std::span<const uint8_t>;

// The bytes [offset, offset + size), or nothing if not all of them are there.
inline std::optional<Bytes> slice(Bytes bytes, uint64_t offset, uint64_t size)
{
    if (offset > bytes.size() || size > bytes.size() - offset)
        return std::nullopt;
    return bytes.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
}

template <typename T>
std::optional<T> numberAt(Bytes bytes, uint64_t offset)
{
    const auto found = slice(bytes, offset, sizeof(T));
    if (!found)
        return std::nullopt;
    T out = 0;
    for (size_t b = 0; b < sizeof(T); ++b)
        out = static_cast<T>(out | static_cast<T>(T{(*found)[b]} << (8 * b)));
    return out;
}

}  // namespace millrace::dxil
