// SPDX-License-Identifier: Apache-2.0
// Modules that come out of GLSL, and messages where none can.
#include "glsl/compile.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "harness/temporary_folder.h"
#include "nodes/compile.h"

namespace millrace::glsl {

namespace {

constexpr char kItem[] = "struct Item { uint value; };\n";

Compiled compiled(const std::string& source, const Options& options = {})
{
    const auto out = compile(source, "f.comp", options);
    if (!out) {
        ADD_FAILURE() << out.error().text();
        return {};
    }
    const Status valid = spirv::validate(out->words);
    EXPECT_TRUE(valid) << valid.error().text();
    return *out;
}

std::string text(const Compiled& module)
{
    const auto out = spirv::disassemble(module.words);
    return out ? *out : out.error().text();
}

graph::Node reflected(const Compiled& module)
{
    nodes::Options options;
    options.request.entryPoint = module.entryPoint;
    options.checks.validate = true;
    const auto out = nodes::compile(module.words, options);
    if (!out) {
        ADD_FAILURE() << out.error().text();
        return {};
    }
    return out->node;
}

TEST(GlslCompile, EveryAttributeOfANode_IsReflected)
{
    const graph::Node node = reflected(
        compiled(std::string(kItem) +
                 "layout(name = \"n\", index = 3, max_grid = uvec3(4, 5, 6), recursion = 2, api_entry = false) node;\n"
                 "struct In { dispatch_grid uvec2 grid; uint v; };\nnodein In item;\nvoid main() {}"));
    EXPECT_EQ(node.declared.id.name, "n");
    EXPECT_EQ(node.declared.id.index, 3u);
    EXPECT_EQ(node.declared.mode, graph::LaunchMode::Dynamic);
    EXPECT_EQ(node.declared.maxGrid[0], 4u);
    EXPECT_EQ(node.declared.maxGrid[2], 6u);
    EXPECT_EQ(node.declared.maxRecursion, 2u);
    EXPECT_FALSE(node.declared.apiEntry);
    EXPECT_EQ(node.declared.payloadBytes, 12u);
    EXPECT_EQ(node.declared.grid.components, 2u);
}

TEST(GlslCompile, EveryAttributeOfAnOutput_IsReflected)
{
    const graph::Node node = reflected(
        compiled(std::string(kItem) +
                 "layout(static_grid = uvec3(1)) node;\n"
                 "layout(node = \"t\", base_index = 2, array_size = 9, sparse, finish_tracking) nodeout Item a[5];\n"
                 "layout(shares_budget_with = a, finish_tracking) nodeout Item b[];\n"
                 "void main() { allocateWorkgroup(a, 2); enqueue(a); allocateWorkgroup(b, 1); enqueue(b); }"));
    ASSERT_EQ(node.declared.outputs.size(), 2u);
    const auto isA = [](const graph::NodeOutput& o) { return o.targetName == "t"; };
    const graph::NodeOutput& a = isA(node.declared.outputs[0]) ? node.declared.outputs[0] : node.declared.outputs[1];
    const graph::NodeOutput& b = isA(node.declared.outputs[0]) ? node.declared.outputs[1] : node.declared.outputs[0];
    EXPECT_EQ(a.baseIndex, 2u);
    EXPECT_EQ(a.arraySize, 9u);
    EXPECT_TRUE(a.sparse);
    EXPECT_TRUE(a.tracksFinishWriting);
    EXPECT_EQ(a.budget, 5u);
    EXPECT_EQ(b.targetName, "b");
    EXPECT_EQ(b.budget, 5u);
    EXPECT_EQ(a.budgetPool, b.budgetPool);
    EXPECT_FALSE(b.sparse);
}

TEST(GlslCompile, NothingOfOurs_IsLeft)
{
    const std::string module = text(
        compiled(std::string(kItem) +
                 "layout(static_grid = uvec3(1, 1, 1)) node;\nnodein Item x;\nnodeout Item a[5];\n"
                 "void main() { if (isValid(a)) { allocateWorkgroup(a, 2); a[1].value = x.value; enqueue(a); } }"));
    for (const char* part : {"mr_", "Millrace", "StorageBuffer", "OpLine", "OpSource", "DescriptorSet"})
        EXPECT_EQ(module.find(part), std::string::npos) << part << " is in\n" << module;
    EXPECT_NE(module.find("OpName %Item \"Item\""), std::string::npos);
    EXPECT_NE(module.find("OpMemberName %Item 0 \"value\""), std::string::npos);
}

TEST(GlslCompile, DebugInformation_HasTheUsersTextAndLines)
{
    Options options;
    options.debugInformation = true;
    const std::string module =
        text(compiled(std::string(kItem) + "layout(coalescing) node;\nnodein Item x[3];\n"
                                           "layout(binding = 0, set = 0) buffer Out { uint word; };\n"
                                           "void main() {\n word = x[0].value;\n}",
                      options));
    EXPECT_NE(module.find("nodein Item x[3];"), std::string::npos) << module;
    EXPECT_NE(module.find("OpLine %1 6 "), std::string::npos) << module;
    EXPECT_NE(module.find("\"f.comp\""), std::string::npos) << module;
}

TEST(GlslCompile, ReadOnlyInput_HasMembersThatAreNotWritable)
{
    const std::string before = std::string(kItem) + "layout(static_grid = uvec3(1)) node;\nreadonly nodein Item x;\n";
    const std::string use =
        " nodeout Item a[1]; void main() { allocateWorkgroup(a, 1); a[0].value = x.value; enqueue(a); }";
    EXPECT_NE(text(compiled(before + "void main() {}")).find("OpMemberDecorate %Item 0 NonWritable"),
              std::string::npos);
    // Where an output has the same structure it cannot be said.
    EXPECT_EQ(text(compiled(before + use)).find("NonWritable"), std::string::npos);
}

TEST(GlslCompile, GridMemberOfANestedStructure_IsFound)
{
    const graph::Node node =
        reflected(compiled("struct Grid { uint other; dispatch_grid uint size; };\nstruct In { uint v; Grid grid; "
                           "};\nnodein In x;\nvoid main() {}"));
    EXPECT_EQ(node.declared.mode, graph::LaunchMode::Dynamic);
    EXPECT_EQ(node.declared.grid.offsetBytes, 8u);
    EXPECT_EQ(node.declared.grid.components, 1u);
}

TEST(GlslCompile, AtomicOnAPayload_IsWarnedOfAndAllThatSpirvValRefuses)
{
    const auto out = compile(std::string(kItem) +
                                 "layout(static_grid = uvec3(1)) node;\nnodein Item x;\nvoid main() {\n"
                                 " atomicAdd(x.value, 1);\n atomicAdd(x.value, 2);\n}",
                             "f.comp", {});
    ASSERT_TRUE(out) << out.error().text();
    EXPECT_TRUE(out->hasPayloadAtomics);
    EXPECT_TRUE(out->warnings.starts_with("f.comp:5:2: warning: spirv-val")) << out->warnings;
    EXPECT_TRUE(out->warnings.ends_with("\n     atomicAdd(x.value, 1);\n     ^\n")) << out->warnings;
    const Status valid = spirv::validate(out->words);
    ASSERT_FALSE(valid);
    EXPECT_NE(valid.error().text().find("AtomicIAdd"), std::string::npos) << valid.error().text();
    EXPECT_TRUE(reflected(*out).declared.writesInput);
}

TEST(GlslCompile, AShaderWithoutDeclarations_IsANodeToo)
{
    const Compiled module = compiled("void main() {}");
    EXPECT_EQ(module.entryPoint, "main");
    EXPECT_NE(text(module).find("ShaderEnqueueAMDX"), std::string::npos);
}

TEST(GlslCompile, Definitions_ChooseDeclarations)
{
    const std::string source = std::string(kItem) +
                               "#ifdef MANY\nlayout(coalescing) node;\nnodein Item x[MANY];\n#else\n"
                               "layout(static_grid = uvec3(2, 1, 1)) node;\nnodein Item x;\n#endif\nvoid main() {}";
    EXPECT_EQ(reflected(compiled(source)).declared.mode, graph::LaunchMode::Static);
    Options options;
    options.definitions = {{"MANY", "7"}};
    EXPECT_EQ(reflected(compiled(source, options)).declared.maxInputPayloads, 7u);
}

// Line of the message, and a part of it.
struct BadSource {
    const char* source;
    const char* place;
    const char* reason;
};

class GlslErrors : public testing::TestWithParam<BadSource> {};

// Of a message that begins with "FILE:LINE:COLUMN: error: ", "FILE:LINE: error: ".
std::string withoutColumn(const std::string& message)
{
    return std::regex_replace(message, std::regex("^([^\n]*?:[0-9]+):[0-9]+(: error: )"), "$1$2",
                              std::regex_constants::format_first_only);
}

TEST_P(GlslErrors, PointAtTheUsersLine)
{
    const auto out = compile(GetParam().source, "f.comp", {});
    ASSERT_FALSE(out);
    const std::string message = out.error().text();
    EXPECT_TRUE(withoutColumn(message).starts_with(GetParam().place)) << message;
    EXPECT_NE(message.find(GetParam().reason), std::string::npos) << message;
    EXPECT_EQ(message.find("mr_"), std::string::npos) << message;
}

#define ITEM "struct Item { uint value; };\n"

INSTANTIATE_TEST_SUITE_P(
    All, GlslErrors,
    testing::Values(
        // What glslang finds.
        BadSource{"\nvoid main() {\n x = 1;\n}", "f.comp:3: error: ", "'x' : undeclared identifier"},
        BadSource{ITEM "nodeout Item a[4];\nvoid main() {\n\n a[0].colour = 1;\n}", "f.comp:5: error: ", "colour"},
        BadSource{"\nnodein Item x;\nvoid main() {}", "f.comp:2: error: ", "Item"},
        BadSource{"int x = 2;\nlayout(recursion = 1,\n index = x) node;\nvoid main() {}",
                  "f.comp:3: error: ", "constant"},
        BadSource{"\nlayout(static_grid = 4) node;\nvoid main() {}", "f.comp:2: error: ", "uvec3"},
        BadSource{ITEM "readonly nodein Item x;\nvoid main() {\n x.value = 1;\n}", "f.comp:4: error: ", "readonly"},
        // Outputs that are none.
        BadSource{"void main() {\n enqueue();\n}", "f.comp:2: error: ", ""},
        BadSource{ITEM "nodeout Item a[1];\nnodeout Item a[2];\nvoid main() {}", "f.comp:3: error: ", "already"},
        BadSource{"void main() {\n enqueue(b);\n}", "f.comp:2: error: ", "'b' : no nodeout of this name"},
        BadSource{ITEM "nodein Item b;\nvoid main() {\n allocateWorkgroup(b, 1);\n}",
                  "f.comp:4: error: ", "'b' : no nodeout of this name"},
        BadSource{ITEM "layout(shares_budget_with = c) nodeout Item b[];\nvoid main() {}",
                  "f.comp:2: error: ", "'c' : no nodeout of this name"},
        BadSource{ITEM "nodeout Item b[1];\nvoid main() {\n b[0].value = 1;\n}",
                  "f.comp:4: error: ", "never allocated"},
        BadSource{ITEM "nodeout Item b[1];\nvoid main() {\n\n enqueue(b);\n}", "f.comp:5: error: ", "never allocated"},
        // Rules of the dialect.
        BadSource{"layout(coalescing) node;\nlayout(index = 1) node;\nvoid main() {}",
                  "f.comp:2: error: ", "line 1 of f.comp"},
        BadSource{ITEM "nodein Item x;\nnodein Item y;\nvoid main() {}", "f.comp:3: error: ", "line 2 of f.comp"},
        BadSource{"\nlayout(coalescing, static_grid = uvec3(1)) node;\nvoid main() {}", "f.comp:2: error: ", "one of"},
        BadSource{ITEM "nodein Item x[4];\nvoid main() {}", "f.comp:2: error: ", "only a coalescing node"},
        BadSource{ITEM "\nnodein Item x;\nvoid main() {}", "f.comp:3: error: ", "needs a dispatch_grid member"},
        BadSource{ITEM
                  "layout(static_grid = uvec3(1), shares_input_with = \"b\") node;\nnodein Item x;\nvoid main() {}",
                  "f.comp:3: error: ", "must be \"readonly nodein\""},
        BadSource{"\nnodein uint x;\nvoid main() {}", "f.comp:2: error: ", "must be a structure"},
        BadSource{ITEM "nodeout Item x[0];\nvoid main() {}", "f.comp:2: error: ", "at least 1"},
        BadSource{ITEM "layout(array_size = -1) nodeout Item x[1];\nvoid main() {}", "f.comp:2: error: ", "at least 1"},
        BadSource{"\n\nlayout(recursion = -1) node;\nvoid main() {}",
                  "f.comp:3: error: ", "recursion must be at least 0"},
        BadSource{"\nlayout(shares_input_index = 1) node;\nvoid main() {}",
                  "f.comp:2: error: ", "needs shares_input_with"},
        BadSource{ITEM "layout(finish_tracking) nodein Item x;\nnodeout Item y[1];\nvoid main() {}",
                  "f.comp:3: error: ", "finish_tracking must be said of both"},
        BadSource{ITEM "nodein Item x;\nlayout(binding = 0) buffer B { uint b; };\nvoid main() {\n"
                       " if (finishWriting()) b = 1;\n}",
                  "f.comp:5: error: ", "finish_tracking"},
        BadSource{ITEM "nodeout Item x;\nvoid main() {\n allocateWorkgroup(x, 1);\n allocateWorkgroup(x, 1);\n"
                       " atomicAdd(x.value, 1);\n}",
                  "f.comp:6: error: ", "one allocation"},
        BadSource{"layout(binding = 0) buffer B { uint b; };\nvoid main() {\n b = gl_NumWorkGroups.x;\n}",
                  "f.comp:3: error: ", "gl_NumWorkGroups"}));

struct MarkedSource {
    const char* source;
    const char* place;
    const char* excerpt;
};

class GlslMarks : public testing::TestWithParam<MarkedSource> {};

TEST_P(GlslMarks, StandBelowWhatIsMeant)
{
    const auto out = compile(GetParam().source, "f.comp", {});
    ASSERT_FALSE(out);
    const std::string message = out.error().text();
    EXPECT_TRUE(message.starts_with(GetParam().place)) << message;
    const size_t line = message.find('\n');
    EXPECT_EQ(message.substr(line + 1).find(GetParam().excerpt), 0) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, GlslMarks,
    testing::Values(MarkedSource{"void main() {\n  uint x = 1, y = x + bas + x;\n}",
                                 "f.comp:2:23: error: 'bas' : undeclared",
                                 "      uint x = 1, y = x + bas + x;\n                          ^"},
                    // The second "x", and a tab.
                    MarkedSource{"void main() {\n\tint i; { int x; } i = x;\n}", "f.comp:2:24: error: 'x' : undeclared",
                                 "     int i; { int x; } i = x;\n                           ^"},
                    // Letters of two bytes in front.
                    MarkedSource{"void main() {\n /* \u00e4\u00f6 */ x;\n}", "f.comp:2:13: error: 'x' : undeclared",
                                 "     /* \u00e4\u00f6 */ x;\n              ^"},
                    // Lines of the dialect, which glslang sees as others.
                    MarkedSource{ITEM "layout(node = \"a\") nodeout Itm a[4];\nvoid main() {}", "f.comp:2:28: error: ",
                                 "    layout(node = \"a\") nodeout Itm a[4];\n                               ^"},
                    MarkedSource{"layout(colour = 1, name = \"a\") node;",
                                 "f.comp:1:8: error: ", "    layout(colour = 1, name = \"a\") node;\n           ^"},
                    // No word of it is in quotes.
                    MarkedSource{"void main() {\n  int a = 1 +;\n}",
                                 "f.comp:2:14: error: '' : ", "      int a = 1 +;\n                 ^"}));

TEST(GlslCompile, SeveralErrors_TheFirstOfEachLine)
{
    const std::string source =
        "void main() {\n  int a = none + no;\n  int b = a;\n  b = 1.5;\n  b = nobody();\n  b = 1 +;\n  b = 1.5;\n}";
    const auto out = compile(source, "f.comp", {});
    ASSERT_FALSE(out);
    std::istringstream lines(out.error().text());
    std::vector<std::string> places;
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("    "))
            places.push_back(line.substr(0, line.find(": error: ")));
    // Nothing behind what is wrong in the grammar.
    EXPECT_EQ(places, (std::vector<std::string>{"f.comp:2:11", "f.comp:4:5", "f.comp:5:7", "f.comp:6:10"}));
}

TEST(GlslCompile, BlocksWithoutName_HaveNone)
{
    const auto out = compile(ITEM "nodein Item x;\nlayout(static_grid = uvec3(1)) node;\nvoid main() { x.colour = 1; }",
                             "f.comp", {});
    ASSERT_FALSE(out);
    EXPECT_TRUE(out.error().text().starts_with("f.comp:4:17: error: 'colour' : no such field in structure\n"))
        << out.error().text();
}

TEST(GlslCompile, ManyErrors_Twenty)
{
    std::string source = "void main() {\n";
    for (int i = 0; i < 30; ++i)
        source += "none" + std::to_string(i) + " = 1;\n";
    const auto out = compile(source + "}", "f.comp", {});
    ASSERT_FALSE(out);
    const std::string text = out.error().text();
    EXPECT_NE(text.find("f.comp:21:"), std::string::npos);
    EXPECT_EQ(text.find("f.comp:22:"), std::string::npos);
}

TEST(GlslCompile, ByteOrderMark_IsNoText)
{
    const std::string mark = "\xef\xbb\xbf";
    EXPECT_TRUE(compile(mark + "#version 460\nvoid main() {}", "f.comp", {}));
    const auto out = compile(mark + "void main() { x; }", "f.comp", {});
    ASSERT_FALSE(out);
    EXPECT_TRUE(out.error().text().starts_with("f.comp:1:15: error: 'x'")) << out.error().text();
}

// A node of 32 invocations with one output, its first statement on line 6.
std::string withBody(const std::string& body, const std::string& outputs = "layout(node = \"b\") nodeout Item a[2];",
                     const char* size = "32")
{
    return std::string(ITEM) + "layout(name = \"n\", static_grid = uvec3(1)) node;\n" + outputs +
           "\nlayout(local_size_x = " + size + ") in;\nvoid main() {\n" + body + "\n}";
}

std::string recursive(std::string source)
{
    return source.insert(source.find("static_grid"), "recursion = 2, ");
}

struct WarnedSource {
    std::string source;
    const char* place;  // empty: no warning
    const char* reason;
};

class GlslWarnings : public testing::TestWithParam<WarnedSource> {};

TEST_P(GlslWarnings, AreOfWhatIsCertainlyWrong)
{
    const auto out = compile(GetParam().source, "f.comp", {});
    ASSERT_TRUE(out) << out.error().text();
    if (*GetParam().place == '\0') {
        EXPECT_EQ(out->warnings, "");
        return;
    }
    EXPECT_TRUE(out->warnings.starts_with(GetParam().place)) << out->warnings;
    EXPECT_NE(out->warnings.find(GetParam().reason), std::string::npos) << out->warnings;
    EXPECT_EQ(out->warnings.find(": warning: "), out->warnings.rfind(": warning: ")) << out->warnings;
}

constexpr char kOwn[] = "layout(node = \"n\") nodeout Item a[2];";
constexpr char kSend[] = "allocateWorkgroup(a, 1);\na[0].value = 1;\nenqueue(a);";

INSTANTIATE_TEST_SUITE_P(
    All, GlslWarnings,
    testing::Values(
        WarnedSource{withBody(kSend), "", ""},
        // Its own name.
        WarnedSource{withBody(kSend, kOwn),
                     "f.comp:3:33: ", "'a' leads to the node itself, which declares no recursion"},
        WarnedSource{recursive(withBody(std::string("if (remainingRecursion() > 0) { ") + kSend + "}", kOwn)), "", ""},
        WarnedSource{withBody("allocateWorkgroupAt(a, 3, 1);\na[0].value = 1;\nenqueue(a);", kOwn), "", ""},
        // Counts.
        WarnedSource{withBody("allocateWorkgroup(a, 3);\na[0].value = 1;\nenqueue(a);"),
                     "f.comp:6:19: ", "3 payloads are allocated, and 'a' holds 2"},
        WarnedSource{withBody("allocateWorkgroup(a, 2);\na[0].value = 1;\nenqueue(a);"), "", ""},
        WarnedSource{withBody("allocateWorkgroup(a, gl_WorkGroupID.x + 3);\na[0].value = 1;\nenqueue(a);"), "", ""},
        // Behind the enqueue.
        WarnedSource{withBody(std::string(kSend) + "\na[0].value = 2;"),
                     "f.comp:9:1: ", "'a' is used behind its enqueue()"},
        WarnedSource{withBody(std::string(kSend) + "\nif (gl_WorkGroupID.x > 3) {\n a[1].value = 2;\n}"),
                     "f.comp:10:2: ", "'a' is used behind its enqueue()"},
        WarnedSource{withBody(std::string(kSend) + "\n" + kSend), "", ""},
        WarnedSource{withBody("for (uint i = 0; i < 3; ++i) {\n" + std::string(kSend) + "\n}"), "", ""},
        // Some invocations alone.
        WarnedSource{withBody("if (gl_LocalInvocationIndex == 0) {\n" + std::string(kSend) + "\n}"),
                     "f.comp:7:19: ", "only some invocations of the workgroup come here"},
        WarnedSource{withBody("uint i = gl_LocalInvocationID.x * 2;\nif (i < 3) return;\n" + std::string(kSend)),
                     "f.comp:8:19: ", "only some invocations"},
        WarnedSource{withBody("for (uint i = 0; i < gl_LocalInvocationIndex; ++i) {\n" + std::string(kSend) + "\n}"),
                     "f.comp:7:19: ", "only some invocations"},
        WarnedSource{withBody("if (gl_LocalInvocationIndex == 0) {\n atomicAdd(s, 1);\n}\n" + std::string(kSend),
                              "layout(node = \"b\") nodeout Item a[2]; shared uint s;"),
                     "", ""},
        WarnedSource{withBody("if (gl_WorkGroupID.x == 0) {\n" + std::string(kSend) + "\n}"), "", ""},
        WarnedSource{withBody("if (gl_LocalInvocationIndex == 0) {\n" + std::string(kSend) + "\n}",
                              "layout(node = \"b\") nodeout Item a[2];", "1"),
                     "", ""},
        // With either scope.
        WarnedSource{withBody("if (gl_LocalInvocationIndex < 2) {\nallocateInvocation(a, 1);\na[0].value = "
                              "1;\nenqueue(a);\n}"),
                     "f.comp:7:20: ", "all must reach allocateInvocation('a'); its count may be 0"},
        WarnedSource{withBody("allocateInvocation(a, 1);\nif (gl_LocalInvocationIndex < 2) {\na[0].value = "
                              "1;\nenqueue(a);\n}"),
                     "f.comp:9:9: ", "all must reach enqueue('a')"}));

class GlslIncludes : public testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directories(m_folder / "system"); }
    std::string write(const std::string& name, const std::string& content)
    {
        const std::string path = (m_folder / name).string();
        std::ofstream(path) << content;
        return path;
    }
    const TemporaryFolder m_temporary;
    const std::filesystem::path m_folder = m_temporary.path();
};

TEST_F(GlslIncludes, DeclarationsInThem_CountAsInTheFile)
{
    write("item.glsl", "struct Item { uint value; };\n");
    write("system/outputs.glsl", "#include \"../item.glsl\"\nnodeout Item items[6];\n");
    Options options;
    options.includeFolders = {(m_folder / "system").string()};
    const auto out = compile(
        "layout(static_grid = uvec3(1)) node;\n#include <outputs.glsl>\n"
        "void main() { allocateWorkgroup(items, 1); items[0].value = 1; enqueue(items); }",
        (m_folder / "f.comp").string(), options);
    ASSERT_TRUE(out) << out.error().text();
    ASSERT_EQ(reflected(*out).declared.outputs.size(), 1u);
    EXPECT_EQ(reflected(*out).declared.outputs[0].budget, 6u);
}

TEST_F(GlslIncludes, ErrorsInThem_NameTheirFileAndLine)
{
    const std::string source = "\n#include \"bad.glsl\"\nvoid main() {}";
    for (const char* bad : {"\n\nlayout(nonsense) node;", "\n\nint x = y;", "\n\nnodein uint x;"}) {
        const std::string path = write("bad.glsl", bad);
        const auto out = compile(source, (m_folder / "f.comp").string(), {});
        ASSERT_FALSE(out) << bad;
        EXPECT_TRUE(withoutColumn(out.error().text()).starts_with(path + ":3: error: ")) << out.error().text();
    }
}

TEST_F(GlslIncludes, LinesBehindThem_AreThoseOfTheFile)
{
    write("long.glsl", "\n\n\n\n\n\n\n");
    const std::string file = (m_folder / "f.comp").string();
    const auto out = compile("#include \"long.glsl\"\nvoid main() {\n x;\n}", file, {});
    ASSERT_FALSE(out);
    EXPECT_TRUE(withoutColumn(out.error().text()).starts_with(file + ":3: error: ")) << out.error().text();
}

TEST_F(GlslIncludes, FilesThatAreNotThereOrIncludeThemselves_AreErrors)
{
    write("self.glsl", "#include \"self.glsl\"\n");
    for (const char* name : {"absent.glsl", "self.glsl", "system"}) {
        const auto out =
            compile("#include \"" + std::string(name) + "\"\nvoid main() {}", (m_folder / "f.comp").string(), {});
        ASSERT_FALSE(out) << name;
        EXPECT_NE(out.error().text().find(name), std::string::npos) << out.error().text();
    }
}

}  // namespace

}  // namespace millrace::glsl
