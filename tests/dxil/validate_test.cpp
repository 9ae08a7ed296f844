// SPDX-License-Identifier: Apache-2.0
// Programs of rules/ break the rule that their first line names, or none; those of the corpus break none.
#include <string>

#include "dxil/support/corpus.h"
#include "dxil/validate.h"

namespace millrace::dxil {

namespace {

std::vector<Violation> violationsOf(const std::filesystem::path& path)
{
    const auto found = findViolations(readBytes(path));
    EXPECT_TRUE(found) << path << ": " << found.error().text();
    return found ? *found : std::vector<Violation>();
}

std::string listed(const std::vector<Violation>& violations)
{
    std::string out;
    for (const Violation& violation : violations)
        out += violation.text() + "\n";
    return out;
}

TEST(DxilRules, EachIsFound)
{
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(dataPath("rules"))) {
        if (entry.path().extension() != ".ll")
            continue;
        ++count;
        std::ifstream text(entry.path());
        std::string wanted;
        std::getline(text, wanted);
        wanted = wanted.substr(2);
        const auto found = violationsOf(std::filesystem::path(entry.path()).replace_extension(".dxil"));
        if (wanted == "valid") {
            EXPECT_TRUE(found.empty()) << entry.path() << ":\n" << listed(found);
            continue;
        }
        EXPECT_TRUE(std::ranges::any_of(found, [&](const Violation& v) { return v.rule == wanted; }))
            << entry.path() << " lacks " << wanted << ":\n"
            << listed(found);
    }
    EXPECT_GE(count, 42u);
}

TEST(DxilRules, CorpusBreaksNone)
{
    for (const char* folder : {"compute", "nodes", "pairs", "scalar"}) {
        for (const std::string& name : corpusNames(folder)) {
            const auto found = violationsOf(corpusFile(name));
            EXPECT_TRUE(found.empty()) << name << ":\n" << listed(found);
        }
    }
}

TEST(DxilRules, SaysInstructionAndType)
{
    const auto found = violationsOf(dataPath("rules/fdot_v4f64.dxil"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].message, "DXIL intrinsic overload must be valid: FDot of <4 x double>.");
    EXPECT_NE(found[0].place.find("main, block 0, instruction"), std::string::npos);
    EXPECT_NE(found[0].place.find("call double dx.op.dot.v4f64 (i32 311, <4 x double>"), std::string::npos);
}

}  // namespace

}  // namespace millrace::dxil
