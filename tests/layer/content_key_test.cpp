// SPDX-License-Identifier: Apache-2.0
#include "layer/base/content_key.h"

#include <gtest/gtest.h>

#include <map>

namespace millrace::layer {

namespace {

// As if all contents met in one hash.
struct SameForAll {
    using Value = std::array<uint64_t, 2>;
    void addWord(uint32_t) {}
    const Value& value() const { return m_value; }

private:
    Value m_value{1, 2};
};

template <typename Key>
Key keyOf(std::span<const uint32_t> words, std::string_view text)
{
    Key key;
    key.add(words);
    key.add(text);
    return key;
}

TEST(ContentKey, ContentsWithOneHash_AreNotTakenForEachOther)
{
    using Key = BasicContentKey<SameForAll>;
    const uint32_t one[] = {1, 2, 3}, other[] = {1, 2, 4};
    std::map<Key, int> values;
    values[keyOf<Key>(one, "a")] = 1;
    values[keyOf<Key>(other, "a")] = 2;
    values[keyOf<Key>(one, "b")] = 3;
    values[keyOf<Key>({}, "")] = 4;
    EXPECT_EQ(values.size(), 4u);
    EXPECT_EQ(values.at(keyOf<Key>(one, "a")), 1);
    EXPECT_EQ(values.at(keyOf<Key>(other, "a")), 2);
}

TEST(ContentKey, SameContents_AreOneKey)
{
    const uint32_t words[] = {1, 2, 3};
    std::map<ContentKey, int> values;
    ++values[keyOf<ContentKey>(words, "a")];
    ++values[keyOf<ContentKey>(words, "a")];
    EXPECT_EQ(values.size(), 1u);
}

}  // namespace

}  // namespace millrace::layer
