// SPDX-License-Identifier: Apache-2.0
// One multi-draw-indirect with variants does what one draw for each sequence does with the application's shaders.
#include <algorithm>
#include <cstring>
#include <random>

#include "abi/commands.h"
#include "commands/shader_variants.h"
#include "commands_shaders/draw_test.h"
#include "commands_shaders/random_layout.h"

namespace millrace::commands {

namespace {

constexpr uint32_t kIndices = 64;

struct Combination {
    bool tessellation;
    bool geometry;
};

// Which of the stages have push constants is random.
std::vector<StageCode> chooseStages(std::mt19937& random, Combination combination)
{
    std::vector<StageCode> chosen;
    for (const StageChoice& stage : allStages()) {
        const bool isTessellation = stage.model == spv::ExecutionModel::TessellationControl ||
                                    stage.model == spv::ExecutionModel::TessellationEvaluation;
        if ((isTessellation && !combination.tessellation) ||
            (stage.model == spv::ExecutionModel::Geometry && !combination.geometry))
            continue;
        const std::span<const uint32_t> words = random() % 2 == 0 ? stage.plain : stage.push;
        chosen.push_back({stage.model, "main", {words.begin(), words.end()}});
    }
    return chosen;
}

uint32_t below(std::mt19937& random, uint32_t end)
{
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

class DrawVariant : public DrawTest {
protected:
    void SetUp() override
    {
        DrawTest::SetUp();
        m_indices = createBuffer(kIndices * 2, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
        for (uint32_t i = 0; i < kIndices; ++i)
            reinterpret_cast<uint16_t*>(m_indices.mapped)[i] = static_cast<uint16_t>(i * 7 % 12);
    }

    void compareRandom(Action action, Combination combination, uint32_t seed, uint32_t layouts)
    {
        std::mt19937 random(seed);
        for (uint32_t n = 0; n < layouts; ++n) {
            const Layout layout = randomLayout(random, {action, {kAll}, true});
            const uint32_t count = 1 + below(random, 24);
            std::vector<uint32_t> stream = randomStream(random, layout, count);
            for (uint32_t s = 0; s < count; ++s)
                writeCommand(random, layout, &stream[(layout.stride * s + layout.actionOffset) / 4]);
            compare(chooseStages(random, combination), layout, stream, count, random);
        }
    }

private:
    // Some draw nothing.
    static void writeCommand(std::mt19937& random, const Layout& layout, uint32_t* words)
    {
        const uint32_t vertices = 3 * below(random, 4), instances = below(random, 3);
        const uint32_t first = below(random, 20), firstInstance = below(random, 5);
        if (layout.action == Action::Draw) {
            const VkDrawIndirectCommand command{vertices, instances, first, firstInstance};
            std::memcpy(words, &command, sizeof(command));
        } else {
            const VkDrawIndexedIndirectCommand command{vertices, instances, first,
                                                       static_cast<int32_t>(below(random, 9)), firstInstance};
            std::memcpy(words, &command, sizeof(command));
        }
    }

    void compare(const std::vector<StageCode>& stages, const Layout& layout, const std::vector<uint32_t>& stream,
                 uint32_t sequences, std::mt19937& random)
    {
        std::vector<uint32_t> pushed(kPushBytes / 4);
        std::ranges::generate(pushed, [&] { return static_cast<uint32_t>(random()); });
        const auto variant = makeDrawVariant(stages, layout, {});
        ASSERT_TRUE(variant) << variant.error().text();
        for (const StageCode& stage : *variant) {
            const Status valid = spirv::validate(stage.words);
            ASSERT_TRUE(valid) << valid.error().text();
        }
        const std::vector<uint32_t> expected = runEach(stages, layout, pushed, stream, sequences);
        const std::vector<uint32_t> actual = runAtOnce(*variant, layout, pushed, stream, sequences);
        EXPECT_TRUE(expected == actual) << "layout of stride " << layout.stride << " with " << layout.pushRanges.size()
                                        << " ranges, " << sequences << " sequences";
        m_drawn |= std::ranges::count(expected, 0u) != kCounters;
    }

    std::vector<uint32_t> runEach(const std::vector<StageCode>& stages, const Layout& layout,
                                  const std::vector<uint32_t>& pushed, const std::vector<uint32_t>& stream,
                                  uint32_t sequences)
    {
        const Pipeline pipeline = createPipeline(stages, kPushBytes, {});
        return run(pipeline, [&](VkCommandBuffer cmd) {
            vkCmdBindIndexBuffer(cmd, m_indices.handle, 0, VK_INDEX_TYPE_UINT16);
            for (uint32_t s = 0; s < sequences; ++s) {
                const std::vector<uint32_t> words = pushConstantsOf(layout, pushed, stream, s, kAll);
                vkCmdPushConstants(cmd, pipeline.layout, kAll, 0, kPushBytes, words.data());
                const uint32_t* w = &stream[(layout.stride * s + layout.actionOffset) / 4];
                if (layout.action == Action::Draw)
                    vkCmdDraw(cmd, w[0], w[1], w[2], w[3]);
                else
                    vkCmdDrawIndexed(cmd, w[0], w[1], w[2], static_cast<int32_t>(w[3]), w[4]);
            }
        });
    }

    // In two halves, as a layer has to where the device draws fewer at a time.
    std::vector<uint32_t> runAtOnce(const std::vector<StageCode>& stages, const Layout& layout,
                                    const std::vector<uint32_t>& pushed, const std::vector<uint32_t>& stream,
                                    uint32_t sequences)
    {
        const Pipeline pipeline = createPipeline(stages, sizeof(abi::SequenceArguments), {});
        const harness::Buffer records = createBuffer(
            stream.size() * 4 + 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        const harness::Buffer values = createBuffer(kPushBytes);
        std::memcpy(records.words() + 1, stream.data(), stream.size() * 4);
        std::memcpy(values.mapped, pushed.data(), kPushBytes);
        const uint32_t half = sequences / 2;
        return run(pipeline, [&](VkCommandBuffer cmd) {
            vkCmdBindIndexBuffer(cmd, m_indices.handle, 0, VK_INDEX_TYPE_UINT16);
            for (const auto& [first, end] : {std::pair(0u, half), std::pair(half, sequences)}) {
                const abi::SequenceArguments arguments{records.address + 4, values.address, 0, layout.stride, first};
                vkCmdPushConstants(cmd, pipeline.layout, kAll, 0, sizeof(arguments), &arguments);
                const VkDeviceSize offset = 4 + VkDeviceSize{layout.stride} * first + layout.actionOffset;
                if (layout.action == Action::Draw)
                    vkCmdDrawIndirect(cmd, records.handle, offset, end - first, layout.stride);
                else
                    vkCmdDrawIndexedIndirect(cmd, records.handle, offset, end - first, layout.stride);
            }
        });
    }

protected:
    bool m_drawn = false;  // some comparison had pixels

private:
    harness::Buffer m_indices;
};

}  // namespace

TEST_F(DrawVariant, VertexAndFragment_EqualOneDrawEach)
{
    compareRandom(Action::Draw, {false, false}, 1, 40);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, Indexed_EqualsOneDrawEach)
{
    compareRandom(Action::DrawIndexed, {false, false}, 2, 30);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, Geometry_EqualsOneDrawEach)
{
    compareRandom(Action::Draw, {false, true}, 3, 30);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, Tessellation_EqualsOneDrawEach)
{
    compareRandom(Action::DrawIndexed, {true, false}, 4, 30);
    EXPECT_TRUE(m_drawn);
}

TEST_F(DrawVariant, AllStages_EqualOneDrawEach)
{
    compareRandom(Action::Draw, {true, true}, 5, 30);
    EXPECT_TRUE(m_drawn);
}

}  // namespace millrace::commands
