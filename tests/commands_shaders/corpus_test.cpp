// SPDX-License-Identifier: Apache-2.0
// Shaders that were not written for these tests: compilers' output for DXIL (tests/dxil), our own dispatches, lowered
// nodes (tests/programs). Variants of all of them are valid, or it is said why there is none.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "commands/shader_variants.h"
#include "commands_shaders/random_layout.h"
#include "nodes/compile.h"
#include "shaders/commands_shaders.h"
#include "shaders/meta.h"
#include "spirv/module.h"

namespace millrace::commands {

namespace {

constexpr uint32_t kLayouts = 3;  // random ones for each shader

std::string readText(const std::filesystem::path& file)
{
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::filesystem::path> filesBelow(const char* folder)
{
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".spvasm")
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

class Corpus : public testing::Test {
protected:
    // All entry points of the module for draws and dispatches.
    void check(std::span<const uint32_t> words, const std::string& name)
    {
        const auto module = spirv::read(words);
        ASSERT_TRUE(module) << name << ": " << module.error().text();
        for (const spirv::Instruction& i : module->section(spirv::Section::EntryPoints)) {
            const auto model = static_cast<spv::ExecutionModel>(i.literal(0));
            for (uint32_t n = 0; n < kLayouts; ++n) {
                if (model == spv::ExecutionModel::GLCompute)
                    checkDispatch(words, i.string(2), name);
                else if (model == spv::ExecutionModel::Vertex || model == spv::ExecutionModel::Geometry ||
                         model == spv::ExecutionModel::Fragment)
                    checkDraw({model, i.string(2), {words.begin(), words.end()}}, name);
                else
                    continue;
                ++m_checked[model];
            }
        }
    }

    std::map<spv::ExecutionModel, uint32_t> m_checked;

private:
    void checkDispatch(std::span<const uint32_t> words, const std::string& entry, const std::string& name)
    {
        const auto variant =
            makeDispatchVariant(words, entry, randomLayout(m_random, {Action::Dispatch, {0x20}, true}));
        ASSERT_TRUE(variant) << name << ": " << variant.error().text();
        const Status valid = spirv::validate(*variant);
        EXPECT_TRUE(valid) << name << ": " << valid.error().text();
    }

    // Between a vertex shader and a fragment shader that asks for the sequence, so that it is handed on.
    void checkDraw(StageCode code, const std::string& name)
    {
        const auto with = [](spv::ExecutionModel model, std::span<const uint32_t> words) {
            return StageCode{model, "main", {words.begin(), words.end()}};
        };
        const spv::ExecutionModel model = code.model;
        std::vector<StageCode> stages;
        if (model != spv::ExecutionModel::Vertex)
            stages.push_back(with(spv::ExecutionModel::Vertex, shaders::vertex_push));
        stages.push_back(std::move(code));
        if (model != spv::ExecutionModel::Fragment)
            stages.push_back(with(spv::ExecutionModel::Fragment, shaders::fragment_push));
        Layout layout = randomLayout(m_random, {Action::Draw, {0x1f}, false});
        const auto destination = static_cast<uint32_t>(4 * (m_random() % 8));
        layout.pushRanges = {{PushRange::Source::SequenceIndex, destination, 4, 0x1f, 0}};
        const auto variant = makeDrawVariant(std::move(stages), layout, {32});
        ASSERT_TRUE(variant) << name << ": " << variant.error().text();
        for (const StageCode& stage : *variant) {
            const Status valid = spirv::validate(stage.words);
            EXPECT_TRUE(valid) << name << ": " << valid.error().text();
        }
    }

    std::mt19937 m_random{11};
};

}  // namespace

TEST_F(Corpus, OfDxil)
{
    for (const std::filesystem::path& file : filesBelow(MILLRACE_DXIL_CORPUS)) {
        // Some assembler versions take no nodes, and spirv-val refuses some modules as they are.
        const auto words = spirv::assemble(readText(file));
        if (words && spirv::validate(*words))
            check(*words, file.string());
    }
    EXPECT_GT(m_checked[spv::ExecutionModel::GLCompute], 0u);
}

TEST_F(Corpus, OfOurOwnDispatches)
{
    for (const std::span<const uint32_t> words :
         {shaders::meta_init, shaders::meta_begin, shaders::meta_feed, shaders::meta_number, shaders::meta_turn,
          shaders::meta_plan, shaders::meta_snapshot, shaders::meta_mark, shaders::meta_capture,
          shaders::meta_probe_small, shaders::meta_probe_large})
        check(words, "a dispatch of ours");
    EXPECT_EQ(m_checked[spv::ExecutionModel::GLCompute], 11 * kLayouts);
}

TEST_F(Corpus, OfShadersWithDebugInformation)
{
    check(shaders::words_debug, "words");
    check(shaders::types_debug, "types");
    EXPECT_EQ(m_checked[spv::ExecutionModel::GLCompute], 2 * kLayouts);
}

TEST_F(Corpus, OfLoweredNodes)
{
    uint32_t lowered = 0;
    for (const std::filesystem::path& file : filesBelow(MILLRACE_PROGRAMS)) {
        const auto words = spirv::assemble(readText(file));
        ASSERT_TRUE(words) << file << ": " << words.error().text();
        nodes::Options options;
        options.request.argumentsOffsetBytes = 64;
        const auto module = spirv::read(*words);
        ASSERT_TRUE(module) << file << ": " << module.error().text();
        options.request.entryPoint = module->section(spirv::Section::EntryPoints).front().string(2);
        if (const auto node = nodes::compile(*words, options)) {
            check(node->words, file.string());
            ++lowered;
        }
    }
    EXPECT_GT(lowered, 10u);
    EXPECT_EQ(m_checked[spv::ExecutionModel::GLCompute], lowered * kLayouts);
}

}  // namespace millrace::commands
