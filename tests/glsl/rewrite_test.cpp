// SPDX-License-Identifier: Apache-2.0
// Declarations of the dialect in text: what is found, what is left alone, and lines.
#include "glsl/rewrite.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace millrace::glsl {

namespace {

std::string rewritten(const std::string& text, Declarations& declarations)
{
    const auto out = rewriteDeclarations(text, "f.comp", declarations);
    if (!out) {
        ADD_FAILURE() << out.error().text();
        return {};
    }
    return *out;
}

uint32_t lineOf(const std::string& text, const std::string& part)
{
    const size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part << " is not in\n" << text;
    return at == std::string::npos ? 0
                                   : 1 + static_cast<uint32_t>(std::count(
                                             text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

TEST(Rewrite, TextWithoutDeclarations_StaysAsItIs)
{
    const std::string text =
        "// nodein Item a;\n/* layout(coalescing) node; */\n#define X nodein Item a; \\\n nodeout Item b[2];\n"
        "struct Node { int node; };\nlayout(local_size_x = 4) in;\nNode node;\nlayout(binding = 1) buffer B { int x; "
        "};\n"
        "void main() { int node = 1; }";
    Declarations declarations;
    EXPECT_EQ(rewritten(text, declarations), text);
    EXPECT_TRUE(declarations.empty());
}

TEST(Rewrite, LinesStayWhereTheyWere)
{
    const std::string text =
        "struct Item { uint v; };\n\nlayout(name = \"a\",\n  static_grid =\n   uvec3(7,\n 8, 9),\n  // recursion = 1\n"
        "  recursion = 11)\n  node;\n  layout(node = \"b\", array_size = 3)\n nodeout\n Item b\n [4] ; int after;\nint "
        "last;";
    Declarations declarations;
    const std::string out = rewritten(text, declarations);
    EXPECT_EQ(lineOf(out, "uvec3(7"), 5u);
    EXPECT_EQ(lineOf(out, "8, 9"), 6u);
    EXPECT_EQ(lineOf(out, "= 11"), 8u);
    EXPECT_EQ(lineOf(out, "int after"), 13u);
    EXPECT_EQ(lineOf(out, "int last"), 14u);
    ASSERT_EQ(declarations.size(), 2u);
    EXPECT_EQ(declarations[0].line, 9u);
    EXPECT_EQ(declarations[0].strings.at(Attribute::Name), "a");
    EXPECT_EQ(declarations[1].line, 11u);
    EXPECT_EQ(declarations[1].name, "b");
    EXPECT_TRUE(declarations[1].isArray);
}

struct BadText {
    const char* text;
    const char* message;
};

class RewriteErrors : public testing::TestWithParam<BadText> {};

TEST_P(RewriteErrors, NameLineAndReason)
{
    Declarations declarations;
    const auto out = rewriteDeclarations(GetParam().text, "f.comp", declarations);
    ASSERT_FALSE(out) << *out;
    EXPECT_EQ(out.error().text().substr(0, std::string(GetParam().message).size()), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, RewriteErrors,
    testing::Values(
        BadText{"\nlayout(colour = 1) node;", "f.comp:2: error: \"node\" has no \"colour\"; it has name, index"},
        BadText{"layout(name = main) node;", "f.comp:1: error: the value of \"name\" must be a string in quotes"},
        BadText{"layout(index) node;", "f.comp:1: error: \"index\" needs a value"},
        BadText{"layout(coalescing = 1) node;", "f.comp:1: error: \"coalescing\" takes no value"},
        BadText{"layout(index = 1,\nindex = 2) node;", "f.comp:2: error: \"index\" is there twice"},
        BadText{"nodeout Item a[];", "f.comp:1: error: how many payloads at most? a[MAXIMUM]"},
        BadText{"nodein Item a, b;", "f.comp:1: error: a declaration has one variable"},
        BadText{"nodein Item a[2][3];", "f.comp:1: error: a declaration has one variable"},
        BadText{"nodein Item;", "f.comp:1: error: expected \"nodein TYPE NAME\""},
        BadText{"nodein void a;", "f.comp:1: error: a node whose payloads are empty has no nodein"},
        BadText{"nodein Item a\nint x;", "f.comp:2: error: expected \";\" behind \"a\""},
        BadText{"coherent nodein Item a;", "f.comp:1: error: \"coherent\" cannot be said of \"nodein\""},
        BadText{"void f() {\n nodein Item a; }", "f.comp:2: error: \"nodein\" must be outside of functions"},
        BadText{"layout(\n#if 1\nindex = 1\n#endif\n) node;", "f.comp:2: error: a directive cannot be inside"},
        BadText{"layout(shares_budget_with = 3) nodeout Item a[];",
                "f.comp:1: error: the value of \"shares_budget_with\""},
        // Text that ends too early.
        BadText{"nodein", "f.comp:1: error: expected"},
        BadText{"nodeout Item a[", "f.comp:1: error: how many payloads"},
        BadText{"nodeout Item a[3", "f.comp:1: error: "}));

// Whatever is cut off, there is an answer.
TEST(Rewrite, EveryPrefix_IsRewrittenOrRefused)
{
    const std::string text =
        "#version 460 \\\n x\n/* c */ layout(name = \"a\", static_grid = uvec3(1, (2), 3), recursion = 2) node;\n"
        "layout(shares_budget_with = b, sparse) readonly nodeout Item items[f(2)[1]]; nodein Item x; // c \n \"s\" }{";
    size_t refused = 0;
    for (size_t length = 0; length <= text.size(); ++length) {
        Declarations declarations;
        refused += rewriteDeclarations(text.substr(0, length), "f.comp", declarations) ? 0 : 1;
    }
    EXPECT_GT(refused, 0u);
}

}  // namespace

}  // namespace millrace::glsl
