// SPDX-License-Identifier: Apache-2.0
// Values in memory as text.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "data/scalars.h"
#include "data/text.h"

namespace millrace::data {

namespace {

using Kind = DataType::Kind;

TEST(DataText, NestedStructure)
{
    const DataTypeRef word = scalarType(Kind::Unsigned, 32);
    const DataTypeRef inner =
        structureType({{"half", 0, scalarType(Kind::Float, 16)}, {"byte", 2, scalarType(Kind::Signed, 8)}});
    const DataTypeRef type = structureType({{"id", 0, word},
                                            {"pair", 4, vectorType(scalarType(Kind::Float, 32), 2)},
                                            {"parts", 12, arrayType(inner, 2, 4)},
                                            {"a \"name\"", 24, scalarType(Kind::Signed, 64)}});
    std::vector<uint8_t> bytes(32);
    const uint32_t id = 7;
    const float pair[] = {0.1f, -std::numeric_limits<float>::infinity()};
    const uint16_t halves[] = {0x3c00, 0x7e00};
    const int8_t small[] = {-3, 4};
    const int64_t large = -9000000000;
    std::memcpy(bytes.data(), &id, 4);
    std::memcpy(bytes.data() + 4, pair, 8);
    for (int i = 0; i < 2; ++i) {
        std::memcpy(bytes.data() + 12 + 4 * i, &halves[i], 2);
        std::memcpy(bytes.data() + 14 + 4 * i, &small[i], 1);
    }
    std::memcpy(bytes.data() + 24, &large, 8);
    EXPECT_EQ(jsonText(*type, bytes),
              "{\"id\": 7, \"pair\": [0.1, \"-inf\"], \"parts\": [{\"half\": 1, \"byte\": -3}, {\"half\": \"nan\", "
              "\"byte\": 4}], \"a \\\"name\\\"\": -9000000000}");
    // What lies outside is not read.
    EXPECT_EQ(jsonText(*type, std::span(bytes).first(8)),
              "{\"id\": 7, \"pair\": [0.1, null], \"parts\": [{\"half\": null, \"byte\": null}, {\"half\": null, "
              "\"byte\": null}], \"a \\\"name\\\"\": null}");
}

TEST(DataText, Words)
{
    const uint8_t bytes[] = {1, 0, 0, 0, 0xff, 0xff};
    EXPECT_EQ(jsonWords(bytes), "{\"@0\": 1, \"@4\": 65535}");
    EXPECT_EQ(jsonWords({}), "{}");
}

}  // namespace

}  // namespace millrace::data
