// SPDX-License-Identifier: Apache-2.0
// Each file of the corpus becomes valid SPIR-V, and the text that it became before. With MILLRACE_UPDATE_GOLDEN set in
// the environment the texts are written instead; a change of them is to be read before it is committed.
#include <cstdlib>

#include "dxil/support/corpus.h"
#include "spirv/tools.h"

namespace millrace::dxil {

namespace {

void compareWithGolden(const std::string& text, const std::filesystem::path& path)
{
    if (std::getenv("MILLRACE_UPDATE_GOLDEN") != nullptr) {
        std::ofstream(path, std::ios::binary) << text;
        return;
    }
    const std::vector<uint8_t> golden = readBytes(path);
    EXPECT_EQ(text, std::string(golden.begin(), golden.end()));
}

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, IsValidAndAsBefore)
{
    std::string text;
    for (const Shader& shader : translateFile(GetParam()).shaders) {
        const Status valid = validate(shader);
        EXPECT_TRUE(valid) << shader.entry.name << ": " << valid.error().text();
        const auto part = spirv::disassemble(shader.words);
        ASSERT_TRUE(part);
        text += "; " + shader.entry.name + (shader.wasStructurized ? ", control flow rebuilt\n" : "\n") + *part;
    }
    compareWithGolden(text, std::filesystem::path(corpusFile(GetParam())).replace_extension(".spvasm"));
}

// Vectors as one value each, which neither spirv-val nor a driver of ours knows: that they are whole, and the text.
class WholeVectors : public testing::TestWithParam<std::string> {};

TEST_P(WholeVectors, StayWhole)
{
    Options options;
    options.wholeVectors = true;
    const Translation made = translateFile(GetParam(), options);
    ASSERT_EQ(made.shaders.size(), 1u);
    EXPECT_TRUE(made.shaders[0].hasLongVectors);
    EXPECT_TRUE(validate(made.shaders[0]));
    const auto text = disassemble(made.shaders[0].words);
    ASSERT_TRUE(text) << text.error().text();
    EXPECT_NE(text->find("OpCapability LongVectorEXT\n"), std::string::npos);
    EXPECT_NE(text->find("OpExtension \"SPV_EXT_long_vector\"\n"), std::string::npos);
    const std::string name = std::filesystem::path(GetParam()).filename().string() + ".spvasm";
    compareWithGolden(*text, dataPath("whole") / name);
}

INSTANTIATE_TEST_SUITE_P(Corpus, WholeVectors,
                         testing::Values("compute/vector_memory", "compute/vector_waves", "functions/vectors"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, '/', '_');
                             return name;
                         });

std::vector<std::string> allNames()
{
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(dataPath("corpus"))) {
        if (entry.is_directory()) {
            const auto names = corpusNames(entry.path().filename().string());
            out.insert(out.end(), names.begin(), names.end());
        }
    }
    std::ranges::sort(out);
    return out;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Golden, testing::ValuesIn(allNames()), [](const auto& info) {
    std::string name = info.param;
    std::ranges::replace(name, '/', '_');
    return name;
});

}  // namespace

}  // namespace millrace::dxil
