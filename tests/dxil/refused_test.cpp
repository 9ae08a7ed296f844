// SPDX-License-Identifier: Apache-2.0
// The programs of refused/ are refused, in the words that the first line of their source says.
#include "dxil/support/corpus.h"

namespace millrace::dxil {

namespace {

const std::filesystem::path kFolder = dataPath("refused");

std::string expectedWords(std::filesystem::path path)
{
    if (!exists(path.replace_extension(".hlsl")))
        path.replace_extension(".ll");
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    const std::string mark = "refused: ";
    const size_t at = line.find(mark);
    EXPECT_NE(at, std::string::npos) << path;
    return at == std::string::npos ? line : line.substr(at + mark.size());
}

class Refused : public testing::TestWithParam<std::string> {};

TEST_P(Refused, InTheWordsOfItsSource)
{
    const std::filesystem::path path = kFolder / (GetParam() + ".dxil");
    const auto made = translate(readBytes(path), {});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().text().find(expectedWords(path)), std::string::npos) << made.error().text();
}

INSTANTIATE_TEST_SUITE_P(Corpus, Refused, testing::ValuesIn(dxilNames(kFolder)),
                         [](const auto& info) { return info.param; });

}  // namespace

}  // namespace millrace::dxil
