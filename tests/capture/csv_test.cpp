// SPDX-License-Identifier: Apache-2.0
// Tables as text.
#include <gtest/gtest.h>

#include "data/csv.h"

namespace millrace::data {

namespace {

using Kind = DataType::Kind;

TEST(Csv, PlainText_Stays)
{
    for (const char* text : {"", "shade", "a b", "pair.x", "whole[1]", "7", "it's", "@0", "@128", "a=b"})
        EXPECT_EQ(csvText(text), text);
}

TEST(Csv, Separators_AreQuoted)
{
    EXPECT_EQ(csvText("a,b"), "\"a,b\"");
    EXPECT_EQ(csvText("say \"x\""), "\"say \"\"x\"\"\"");
    EXPECT_EQ(csvText("a\nb"), "\"a\nb\"");
    EXPECT_EQ(csvText("a\tb"), "\"a\tb\"");
}

// Whoever names a node must not run anything on the machine of those who look at what was captured.
TEST(Csv, Formulas_HaveAnApostropheInFront)
{
    for (const std::string text : {"=1+2", "+1", "-1", "@SUM(A1)", "@", "@1x", "\t=1", "\r=1", "\n=1", "=\"a\",b"}) {
        const std::string field = csvText(text);
        ASSERT_TRUE(field.starts_with("\"'")) << field;
        ASSERT_TRUE(field.ends_with('"')) << field;
        std::string inside = field.substr(1, field.size() - 2);
        for (size_t at = 0; (at = inside.find("\"\"", at)) != std::string::npos; ++at)
            inside.erase(at, 1);
        EXPECT_EQ(withoutFormulaMark(inside), text);
    }
    for (const char* text : {"'", "'a", "''=1", ""})
        EXPECT_EQ(withoutFormulaMark(text), text);
}

TEST(Csv, NamesAndValues)
{
    const std::vector<Column> columns = {{"=cmd", 0, scalarType(Kind::Unsigned, 32)},
                                         {"a,b", 4, scalarType(Kind::Float, 32)},
                                         {"@8", 8, scalarType(Kind::Signed, 32)},
                                         {"c", 12, scalarType(Kind::Unsigned, 32)}};
    const uint8_t bytes[] = {7, 0, 0, 0, 0, 0, 0xc0, 0xbf, 0xfe, 0xff, 0xff, 0xff, 1};
    EXPECT_EQ(csvNames(columns), "\"'=cmd\",\"a,b\",@8,c");
    EXPECT_EQ(csvValues(columns, bytes), "7,-1.5,-2,1");
    EXPECT_EQ(csvValues(columns, std::span(bytes).first(4)), "7,0,0,0");
}

}  // namespace

}  // namespace millrace::data
