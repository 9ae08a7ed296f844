// SPDX-License-Identifier: Apache-2.0
// Modules with words that no compiler would write. None may crash; each has a variant or a diagnostic.
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "commands/shader_variants.h"
#include "shaders/commands_shaders.h"

namespace millrace::commands {

namespace {

constexpr uint32_t kFormat = 103;  // VK_FORMAT_R32G32_SFLOAT

Layout layoutOf(Action action)
{
    Layout layout{
        .action = action, .stride = 96, .actionOffset = 64, .executionSet = {}, .pushRanges = {}, .stages = 0x3f};
    layout.pushRanges = {{PushRange::Source::Stream, 16, 20, 0x3f, 0},
                         {PushRange::Source::SequenceIndex, 72, 4, 0x3f, 0}};
    if (action == Action::DrawIndexed) {
        layout.vertexBuffers = {{0, 24}};
        layout.indexBuffer = IndexBuffer{IndexBuffer::Types::Vulkan, 40};
    }
    return layout;
}

const VertexInput& vertexInput()
{
    static const VertexInput kInput{{{0, {}, false, 1}, {1, {}, true, 2}},
                                    {{0, 0, kFormat, 0},
                                     {1, 1, kFormat, 0},
                                     {2, 0, kFormat, 0},
                                     {3, 0, kFormat, 0},
                                     {4, 0, kFormat, 0},
                                     {5, 0, kFormat, 0}}};
    return kInput;
}

void make(spv::ExecutionModel model, const spirv::Words& words)
{
    if (model == spv::ExecutionModel::GLCompute) {
        (void)makeDispatchVariant(words, "main", layoutOf(Action::Dispatch));
    } else {
        const std::span<const uint32_t> last = shaders::fragment_push;
        std::vector<StageCode> stages = {{model, "main", words}};
        if (model != spv::ExecutionModel::Fragment)
            stages.push_back({spv::ExecutionModel::Fragment, "main", {last.begin(), last.end()}});
        (void)fitTogether(stages);
        (void)makeDrawVariant(std::move(stages), layoutOf(Action::DrawIndexed), {}, vertexInput());
    }
}

struct Seed {
    const char* name;
    spv::ExecutionModel model;
    const std::span<const uint32_t>* words;
};

class Hostile : public testing::TestWithParam<Seed> {};

}  // namespace

TEST_P(Hostile, EveryPrefix)
{
    const spirv::Words words(GetParam().words->begin(), GetParam().words->end());
    for (size_t size = 0; size < words.size(); size += 7)
        make(GetParam().model, {words.begin(), words.begin() + static_cast<ptrdiff_t>(size)});
}

TEST_P(Hostile, EveryWordChanged)
{
    const spirv::Words words(GetParam().words->begin(), GetParam().words->end());
    std::mt19937 random(3);
    for (size_t at = 5; at < words.size(); ++at) {
        spirv::Words changed = words;
        // Mostly another id or a small number, which the reader may take.
        changed[at] = random() % 4 == 0 ? static_cast<uint32_t>(random()) : static_cast<uint32_t>(random()) % words[3];
        make(GetParam().model, changed);
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Hostile,
                         testing::Values(Seed{"Types", spv::ExecutionModel::GLCompute, &shaders::types},
                                         Seed{"Words", spv::ExecutionModel::GLCompute, &shaders::words},
                                         Seed{"Vertex", spv::ExecutionModel::Vertex, &shaders::pull_float},
                                         Seed{"Control", spv::ExecutionModel::TessellationControl,
                                              &shaders::control_push},
                                         Seed{"Geometry", spv::ExecutionModel::Geometry, &shaders::geometry_push},
                                         Seed{"Fragment", spv::ExecutionModel::Fragment, &shaders::fragment_push}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace millrace::commands
