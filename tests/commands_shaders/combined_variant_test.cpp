// SPDX-License-Identifier: Apache-2.0
// One multi-draw-indirect with the stages of several pipelines as one does what one draw for each sequence does with
// the pipeline that it means.
#include <algorithm>
#include <cstring>
#include <random>

#include "abi/commands.h"
#include "commands/shader_variants.h"
#include "commands_shaders/draw_test.h"
#include "commands_shaders/random_layout.h"

namespace millrace::commands {

namespace {

using Members = std::vector<std::vector<StageCode>>;

class CombinedVariant : public DrawTest {
protected:
    // Every second place of the set is empty.
    Members randomMembers(std::mt19937& random, const std::vector<spv::ExecutionModel>& models)
    {
        Members members(1 + random() % 7);
        for (size_t m = 0; m < members.size(); m += 2)
            for (const StageChoice& stage : allStages())
                if (std::ranges::count(models, stage.model) > 0) {
                    const std::span<const uint32_t> words = random() % 2 == 0 ? stage.plain : stage.push;
                    members[m].push_back({stage.model, "main", {words.begin(), words.end()}});
                }
        return members;
    }

    void compareRandom(const std::vector<spv::ExecutionModel>& models, uint32_t seed, uint32_t layouts)
    {
        std::mt19937 random(seed);
        for (uint32_t n = 0; n < layouts && !HasFailure(); ++n) {
            Layout layout = randomLayout(random, {Action::Draw, {kAll}, true});
            layout.combinedSet = layout.stride;
            layout.stride += 4;
            const Members members = randomMembers(random, models);
            const uint32_t count = 1 + random() % 24;
            std::vector<uint32_t> stream = randomStream(random, layout, count);
            stream.resize(size_t{layout.stride / 4} * count);
            for (uint32_t s = 0; s < count; ++s) {
                uint32_t* const record = &stream[layout.stride / 4 * s];
                const VkDrawIndirectCommand command{
                    3 * static_cast<uint32_t>(random() % 4), static_cast<uint32_t>(random() % 3),
                    static_cast<uint32_t>(random() % 20), static_cast<uint32_t>(random() % 5)};
                std::memcpy(record + layout.actionOffset / 4, &command, sizeof command);
                record[*layout.combinedSet / 4] = static_cast<uint32_t>(random() % (members.size() + 1));
            }
            compare(members, layout, stream, count, random);
        }
    }

    bool m_drawn = false;  // some comparison had pixels

private:
    void compare(const Members& members, const Layout& layout, const std::vector<uint32_t>& stream, uint32_t sequences,
                 std::mt19937& random)
    {
        std::vector<uint32_t> pushed(kPushBytes / 4);
        std::ranges::generate(pushed, [&] { return static_cast<uint32_t>(random()); });
        const auto variant = makeCombinedVariant(members, layout, {});
        ASSERT_TRUE(variant) << variant.error().text();
        for (const StageCode& stage : *variant) {
            const Status valid = spirv::validate(stage.words);
            ASSERT_TRUE(valid) << valid.error().text();
        }
        const std::vector<uint32_t> expected = runEach(members, layout, pushed, stream, sequences);
        const std::vector<uint32_t> actual = runAtOnce(*variant, layout, pushed, stream, sequences);
        EXPECT_TRUE(expected == actual) << members.size() << " places, " << sequences << " sequences";
        m_drawn |= std::ranges::count(expected, 0u) != kCounters;
    }

    std::vector<uint32_t> runEach(const Members& members, const Layout& layout, const std::vector<uint32_t>& pushed,
                                  const std::vector<uint32_t>& stream, uint32_t sequences)
    {
        std::vector<Pipeline> pipelines;
        for (const std::vector<StageCode>& stages : members)
            pipelines.push_back(stages.empty() ? Pipeline() : createPipeline(stages, kPushBytes, {}));
        return run(pipelines[0], [&](VkCommandBuffer cmd) {
            for (uint32_t s = 0; s < sequences; ++s) {
                const uint32_t* const record = &stream[layout.stride / 4 * s];
                const uint32_t member = record[*layout.combinedSet / 4];
                if (member >= members.size() || members[member].empty())
                    continue;
                vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines[member].handle);
                const std::vector<uint32_t> words = pushConstantsOf(layout, pushed, stream, s, kAll);
                vkCmdPushConstants(cmd, pipelines[member].layout, kAll, 0, kPushBytes, words.data());
                const uint32_t* const w = record + layout.actionOffset / 4;
                vkCmdDraw(cmd, w[0], w[1], w[2], w[3]);
            }
        });
    }

    std::vector<uint32_t> runAtOnce(const std::vector<StageCode>& stages, const Layout& layout,
                                    const std::vector<uint32_t>& pushed, const std::vector<uint32_t>& stream,
                                    uint32_t sequences)
    {
        const Pipeline pipeline = createPipeline(stages, sizeof(abi::SequenceArguments), {});
        const harness::Buffer records =
            createBuffer(stream.size() * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        const harness::Buffer values = createBuffer(kPushBytes);
        std::memcpy(records.words(), stream.data(), stream.size() * 4);
        std::memcpy(values.mapped, pushed.data(), kPushBytes);
        return run(pipeline, [&](VkCommandBuffer cmd) {
            const abi::SequenceArguments arguments{records.address, values.address, 0, layout.stride, 0};
            vkCmdPushConstants(cmd, pipeline.layout, kAll, 0, sizeof(arguments), &arguments);
            vkCmdDrawIndirect(cmd, records.handle, layout.actionOffset, sequences, layout.stride);
        });
    }
};

}  // namespace

TEST_F(CombinedVariant, VertexAndFragment_EqualTheirOwnPipelines)
{
    compareRandom({spv::ExecutionModel::Vertex, spv::ExecutionModel::Fragment}, 1, 40);
    EXPECT_TRUE(m_drawn);
}

}  // namespace millrace::commands
