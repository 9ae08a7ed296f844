// SPDX-License-Identifier: Apache-2.0
// 128 bits that tell contents apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace millrace::layer {

// Contents as words, each with its length in front. `Sink`, the class that derives from it, has addWord(uint32_t).
template <typename Sink>
class WordSink {
public:
    void add(std::span<const uint32_t> words)
    {
        sink().addWord(static_cast<uint32_t>(words.size()));
        for (uint32_t word : words)
            sink().addWord(word);
    }
    void add(std::string_view text)
    {
        sink().addWord(static_cast<uint32_t>(text.size()));
        for (char c : text)
            sink().addWord(static_cast<unsigned char>(c));
    }

private:
    Sink& sink() { return static_cast<Sink&>(*this); }
};

// Two FNV-1a sums with different starts and steps.
class ContentHash : public WordSink<ContentHash> {
public:
    using Value = std::array<uint64_t, 2>;

    void addWord(uint32_t word)
    {
        m_value[0] = (m_value[0] ^ word) * 0x100000001b3u;
        m_value[1] = (m_value[1] ^ word) * 0x9e3779b97f4a7c15u;
    }
    const Value& value() const { return m_value; }

private:
    Value m_value{0xcbf29ce484222325u, 0x9ae16a3b2f90404fu};
};

}  // namespace millrace::layer
