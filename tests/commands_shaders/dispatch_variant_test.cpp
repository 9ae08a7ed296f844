// SPDX-License-Identifier: Apache-2.0
// A dispatch of a variant does what one dispatch for each sequence does with the application's shader.
#include <algorithm>
#include <cstring>
#include <random>

#include "abi/commands.h"
#include "commands/shader_variants.h"
#include "commands_shaders/random_layout.h"
#include "commands_shaders/variant_test.h"
#include "shaders/commands_shaders.h"
#include "spirv/module.h"

namespace millrace::commands {

namespace {

constexpr uint32_t kCompute = VK_SHADER_STAGE_COMPUTE_BIT;

struct Groups {
    uint32_t x, y, z;
    uint32_t count() const { return x * y * z; }
};

class DispatchVariant : public VariantTest {
protected:
    // Both ways; what the counters are must be the same.
    void compare(std::span<const uint32_t> shader, const Layout& layout, std::vector<uint32_t> stream,
                 const std::vector<Groups>& groups, std::mt19937& random)
    {
        for (size_t s = 0; s < groups.size(); ++s)
            std::memcpy(&stream[(layout.stride * s + layout.actionOffset) / 4], &groups[s], sizeof(Groups));
        std::vector<uint32_t> pushed(kPushBytes / 4);
        std::ranges::generate(pushed, [&] { return static_cast<uint32_t>(random()); });
        const auto variant = makeDispatchVariant(shader, "main", layout);
        ASSERT_TRUE(variant) << variant.error().text();
        const Status valid = spirv::validate(*variant);
        ASSERT_TRUE(valid) << valid.error().text();
        const std::vector<uint32_t> expected = runEach(shader, layout, pushed, stream, groups);
        const std::vector<uint32_t> actual = runAtOnce(*variant, layout, pushed, stream, groups);
        EXPECT_TRUE(expected == actual) << "layout of stride " << layout.stride << " with " << layout.pushRanges.size()
                                        << " ranges, " << groups.size() << " sequences";
        const bool isNothing = std::ranges::all_of(groups, [](const Groups& g) { return g.count() == 0; });
        EXPECT_EQ(std::ranges::count(expected, 0u) == kCounters, isNothing);
    }

private:
    struct Pipeline {
        VkPipelineLayout layout = VK_NULL_HANDLE;
        VkPipeline handle = VK_NULL_HANDLE;
    };

    // The workgroup's size and a seed are specialization constants of "words"; others have none.
    Pipeline createPipeline(std::span<const uint32_t> words, uint32_t pushBytes)
    {
        Pipeline pipeline;
        pipeline.layout = createPipelineLayout(kCompute, pushBytes);
        const VkShaderModule module = m_device->createModule({words.begin(), words.end()});
        const uint32_t values[] = {3, 2, 77};
        const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
        const VkSpecializationInfo specialization{3, entries, sizeof(values), values};
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = module;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &specialization;
        info.layout = pipeline.layout;
        harness::check(vkCreateComputePipelines(m_device->device, nullptr, 1, &info, nullptr, &pipeline.handle),
                       "vkCreateComputePipelines");
        vkDestroyShaderModule(m_device->device, module, nullptr);
        onEnd([this, pipeline] { vkDestroyPipeline(m_device->device, pipeline.handle, nullptr); });
        return pipeline;
    }

    std::vector<uint32_t> run(const Pipeline& pipeline, const std::function<void(VkCommandBuffer)>& record)
    {
        return count([&](VkCommandBuffer cmd) {
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
            bindSet(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout);
            record(cmd);
        });
    }

    std::vector<uint32_t> runEach(std::span<const uint32_t> shader, const Layout& layout,
                                  const std::vector<uint32_t>& pushed, const std::vector<uint32_t>& stream,
                                  const std::vector<Groups>& groups)
    {
        const Pipeline pipeline = createPipeline(shader, kPushBytes);
        return run(pipeline, [&](VkCommandBuffer cmd) {
            for (uint32_t s = 0; s < groups.size(); ++s) {
                const std::vector<uint32_t> words = pushConstantsOf(layout, pushed, stream, s, kCompute);
                vkCmdPushConstants(cmd, pipeline.layout, kCompute, 0, kPushBytes, words.data());
                vkCmdDispatch(cmd, groups[s].x, groups[s].y, groups[s].z);
                // Nothing that validation would have to follow.
                if (s % 64 == 63)
                    harness::Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                                   VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
            }
        });
    }

    // The table as kernels write it.
    harness::Buffer createTable(const std::vector<Groups>& groups, uint32_t& groupCount)
    {
        const harness::Buffer buffer =
            createBuffer(sizeof(abi::SequenceTable) + sizeof(abi::SequenceEntry) * (groups.size() + 1));
        auto* table = static_cast<abi::SequenceTable*>(buffer.mapped);
        auto* entries = reinterpret_cast<abi::SequenceEntry*>(table + 1);
        groupCount = 0;
        for (uint32_t s = 0; s < groups.size(); ++s) {
            entries[s] = {s, groupCount};
            groupCount += groups[s].count();
        }
        *table = {static_cast<uint32_t>(groups.size()), groupCount, buffer.address + sizeof(abi::SequenceTable)};
        return buffer;
    }

    std::vector<uint32_t> runAtOnce(std::span<const uint32_t> variant, const Layout& layout,
                                    const std::vector<uint32_t>& pushed, const std::vector<uint32_t>& stream,
                                    const std::vector<Groups>& groups)
    {
        const Pipeline pipeline = createPipeline(variant, sizeof(abi::SequenceArguments));
        const harness::Buffer records = createBuffer(stream.size() * 4 + 4), values = createBuffer(kPushBytes);
        // Streams begin at any word.
        std::memcpy(records.words() + 1, stream.data(), stream.size() * 4);
        std::memcpy(values.mapped, pushed.data(), kPushBytes);
        uint32_t groupCount = 0;
        const harness::Buffer table = createTable(groups, groupCount);
        const abi::SequenceArguments arguments{records.address + 4, values.address, table.address, layout.stride, 0};
        return run(pipeline, [&](VkCommandBuffer cmd) {
            vkCmdPushConstants(cmd, pipeline.layout, kCompute, 0, sizeof(arguments), &arguments);
            const uint32_t rows = (groupCount + abi::kRowGroups - 1) / abi::kRowGroups;
            vkCmdDispatch(cmd, std::min(groupCount, abi::kRowGroups), rows, 1);
        });
    }
};

// Mostly none, one or a few workgroups.
std::vector<Groups> randomGroups(std::mt19937& random, uint32_t count)
{
    const auto below = [&](uint32_t end) { return std::uniform_int_distribution<uint32_t>(0, end - 1)(random); };
    std::vector<Groups> groups(count);
    for (Groups& g : groups) {
        switch (below(4)) {
            case 0:
                g = {below(3), below(2), below(2)};
                break;
            case 1:
                g = {1, 1, 1};
                break;
            default:
                g = {1 + below(3), 1 + below(2), 1 + below(2)};
                break;
        }
    }
    return groups;
}

void compareRandom(const std::function<void(const Layout&, const std::vector<uint32_t>&, const std::vector<Groups>&,
                                            std::mt19937&)>& compare,
                   uint32_t seed, uint32_t layouts, bool withIndex)
{
    std::mt19937 random(seed);
    for (uint32_t n = 0; n < layouts; ++n) {
        const Layout layout = randomLayout(random, {Action::Dispatch, {kCompute}, withIndex});
        const uint32_t count = std::uniform_int_distribution<uint32_t>(1, 40)(random);
        const std::vector<Groups> groups = randomGroups(random, count);
        compare(layout, randomStream(random, layout, count), groups, random);
    }
}

}  // namespace

TEST_F(DispatchVariant, RandomLayoutsOfWords_EqualOneDispatchEach)
{
    compareRandom([&](const auto& layout, const auto& stream, const auto& groups,
                      auto& random) { compare(shaders::words, layout, stream, groups, random); },
                  1, 60, true);
}

TEST_F(DispatchVariant, RandomLayoutsOfTypes_EqualOneDispatchEach)
{
    compareRandom([&](const auto& layout, const auto& stream, const auto& groups,
                      auto& random) { compare(shaders::types, layout, stream, groups, random); },
                  2, 60, false);
}

TEST_F(DispatchVariant, NoPushConstants_EqualOneDispatchEach)
{
    compareRandom([&](const auto& layout, const auto& stream, const auto& groups,
                      auto& random) { compare(shaders::plain, layout, stream, groups, random); },
                  3, 10, true);
}

TEST_F(DispatchVariant, ThousandsOfSequences_EqualOneDispatchEach)
{
    std::mt19937 random(4);
    for (const uint32_t count : {1u, 2u, 1000u, 5000u}) {
        const Layout layout = randomLayout(random, {Action::Dispatch, {kCompute}, true});
        const std::vector<Groups> groups = randomGroups(random, count);
        compare(shaders::words, layout, randomStream(random, layout, count), groups, random);
    }
}

TEST_F(DispatchVariant, OneSequenceOfManyRows_EqualsItsDispatch)
{
    std::mt19937 random(5);
    const Layout layout = randomLayout(random, {Action::Dispatch, {kCompute}, true});
    const std::vector<Groups> groups = {{0, 1, 1}, {301, 17, 13}, {5, 0, 5}, {1, 1, 1}};
    ASSERT_GT(groups[1].count(), 2 * abi::kRowGroups);
    compare(shaders::plain, layout, randomStream(random, layout, 4), groups, random);
}

TEST_F(DispatchVariant, NoWorkgroups_DoNothing)
{
    std::mt19937 random(6);
    const Layout layout = randomLayout(random, {Action::Dispatch, {kCompute}, true});
    const std::vector<Groups> groups(3, Groups{0, 4, 4});
    compare(shaders::words, layout, randomStream(random, layout, 3), groups, random);
}

TEST_F(DispatchVariant, ShaderWithoutLongIntegers_NeedsNone)
{
    std::mt19937 random(7);
    for (int n = 0; n < 20; ++n) {
        const auto variant =
            makeDispatchVariant(shaders::words, "main", randomLayout(random, {Action::Dispatch, {kCompute}, true}));
        ASSERT_TRUE(variant) << variant.error().text();
        const auto module = spirv::read(*variant);
        ASSERT_TRUE(module) << module.error().text();
        EXPECT_FALSE(module->hasCapability(spv::Capability::Int64));
        for (const spirv::Instruction& i : module->section(spirv::Section::Globals))
            EXPECT_FALSE(i.op == spv::Op::OpTypeInt && i.literal(0) == 64);
    }
}

}  // namespace millrace::commands
