// SPDX-License-Identifier: Apache-2.0
// The setting "validate": what is wrong in a stream is told by its sequence and token, and right streams say nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "commands/dispatches.h"
#include "commands/draws.h"

namespace millrace::commandtest {

namespace {

using layertest::Message;

constexpr GeneratedOptions kChecked{.validate = true};
constexpr char kOwnRule[] = "Millrace-token-stream";

// One message, with all of `parts`.
void expectMessage(GeneratedDevice& generated, const std::string& rule, const std::vector<std::string>& parts)
{
    const std::vector<Message> messages = generated.device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].id, rule);
    for (const std::string& part : parts)
        EXPECT_NE(messages[0].text.find(part), std::string::npos) << messages[0].text;
}

// The first case of which that is true.
template <typename IsWanted>
uint32_t findSeed(const IsWanted& isWanted)
{
    uint32_t seed = 0;
    while (!isWanted(DispatchCase(seed)))
        ++seed;
    return seed;
}

// With ten sequences, whose count the host says.
struct TenDispatches : DispatchCase {
    template <typename IsWanted>
    explicit TenDispatches(const IsWanted& isWanted) : DispatchCase(findSeed(isWanted))
    {
        resize(10);
    }
};

template <typename IsWanted>
DrawCase findDraws(const IsWanted& isWanted, Maker maker = Maker::Whole)
{
    uint32_t seed = 0;
    while (!isWanted(DrawCase(seed, maker)))
        ++seed;
    return DrawCase(seed, maker);
}

class CheckedDispatches : public testing::Test {
protected:
    // What runs is what runs without the setting, whatever is found.
    void expectRun(DispatchCase& drawn, const DispatchCase& valid)
    {
        Sums expected = valid.expected();
        addOwn(expected, valid);
        EXPECT_EQ(dispatches.run(drawn), expected);
    }

    Dispatches dispatches{Provider::Layer, kChecked};
};

TEST_F(CheckedDispatches, RightStreams_NothingTold)
{
    for (uint32_t seed = 0; seed < 50 && !HasFailure(); ++seed) {
        DispatchCase drawn(seed);
        if (drawn.deviceCount)
            drawn.deviceCount = std::min(*drawn.deviceCount, drawn.maxSequences);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.run(drawn), expected) << "seed " << seed;
    }
}

TEST_F(CheckedDispatches, IndexBeyondTheSet_ToldBySequence)
{
    const auto hasSet = [](const DispatchCase& one) { return one.hasSet; };
    TenDispatches drawn(hasSet);
    TenDispatches valid(hasSet);
    for (const uint32_t sequence : {4u, 7u}) {
        drawn.stream[size_t{sequence} * drawn.layout.strideWords + static_cast<uint32_t>(drawn.layout.setWord)] = 4711;
        std::fill_n(valid.gridOf(sequence), 3, 0u);
    }
    expectRun(drawn, valid);
    expectMessage(dispatches.generated, kOwnRule,
                  {"sequence 4 and 1 other", "token EXECUTION_SET at byte 0", "index 4711", "which has 4", "call 1"});
}

// It is told when there would have to be something.
TEST(CheckedPlaces, IndexOfAnEmptyOne_ToldWithItsTime)
{
    struct Way {
        bool isExplicit, asRecorded;
        const char* text;
    };
    for (const Way& way : {Way{false, false, "when the command buffer was submitted;"},
                           Way{false, true, "when the command was recorded, which has no stream of its own;"},
                           Way{true, false, "when the preprocessing was recorded;"}}) {
        Dispatches dispatches(Provider::Layer, {.validate = true, .asRecorded = way.asRecorded});
        const auto hasSet = [](const DispatchCase& one) { return one.hasSet && !one.inSecondary; };
        TenDispatches drawn(hasSet);
        TenDispatches valid(hasSet);
        drawn.isExplicit = valid.isExplicit = way.isExplicit;
        drawn.stream[size_t{9} * drawn.layout.strideWords + static_cast<uint32_t>(drawn.layout.setWord)] = 3;
        std::fill_n(valid.gridOf(9), 3, 0u);
        Sums expected = valid.expected();
        addOwn(expected, valid);
        EXPECT_EQ(dispatches.run(drawn), expected);
        expectMessage(dispatches.generated, kOwnRule,
                      {"sequence 9, token", "at index 3 the execution set had nothing that fits", way.text});
    }
}

TEST_F(CheckedDispatches, GridBeyondTheLimit_ToldByItsRule)
{
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(dispatches.generated.device.physical, &properties);
    if (properties.limits.maxComputeWorkGroupCount[1] == UINT32_MAX)
        GTEST_SKIP() << "the device takes any grid";
    TenDispatches drawn([](const DispatchCase& one) { return !one.inSecondary; });
    uint32_t* const grid = drawn.gridOf(2);
    grid[0] = 0;
    grid[1] = properties.limits.maxComputeWorkGroupCount[1] + 1;
    expectRun(drawn, drawn);
    expectMessage(dispatches.generated, "VUID-VkDispatchIndirectCommand-y-00418",
                  {"sequence 2, token DISPATCH", "0 x " + std::to_string(grid[1])});
}

TEST_F(CheckedDispatches, MoreSequencesThanTheMaximum_Told)
{
    TenDispatches drawn([](const DispatchCase&) { return true; });
    drawn.deviceCount = 12;
    expectRun(drawn, drawn);
    expectMessage(dispatches.generated, "VUID-VkGeneratedCommandsInfoEXT-sequenceCountAddress-11068",
                  {"sequence count is 12", "maxSequenceCount 10"});
}

TEST_F(CheckedDispatches, TokenBehindTheStream_Told)
{
    TenDispatches drawn([](const DispatchCase&) { return true; });
    drawn.streamBytes = (size_t{9} * drawn.layout.strideWords + drawn.layout.actionWord) * 4;
    expectRun(drawn, drawn);
    expectMessage(dispatches.generated, kOwnRule, {"sequence 9, token DISPATCH", "behind the end"});
}

// In a secondary command buffer the primary one that executes it is watched.
TEST_F(CheckedDispatches, InASecondaryCommandBuffer_ToldWhenThePrimaryIsComplete)
{
    TenDispatches drawn([](const DispatchCase& one) { return one.inSecondary && !one.isExplicit; });
    drawn.deviceCount = 12;
    expectRun(drawn, drawn);
    expectMessage(dispatches.generated, "VUID-VkGeneratedCommandsInfoEXT-sequenceCountAddress-11068", {"12"});
}

// Of a device that does not use 64-bit integers.
TEST(CheckedDispatchesOfNarrowIntegers, BadIndexAmongRightStreams_ToldAlone)
{
    Dispatches dispatches(Provider::Layer, {.narrow = true, .validate = true});
    TenDispatches drawn([](const DispatchCase& one) { return one.hasSet; });
    drawn.resize(200);
    dispatches.run(drawn);
    drawn.stream[size_t{150} * drawn.layout.strideWords + static_cast<uint32_t>(drawn.layout.setWord)] = UINT32_MAX;
    dispatches.run(drawn);
    expectMessage(dispatches.generated, kOwnRule, {"sequence 150, token EXECUTION_SET", "index 4294967295"});
}

class CheckedDraws : public testing::TestWithParam<Maker> {
protected:
    void SetUp() override
    {
        if (usesObjects(GetParam()) && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
        if (usesMesh(GetParam()) && !driverHas(VK_EXT_MESH_SHADER_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
    }
};

TEST_P(CheckedDraws, RightStreams_NothingTold)
{
    Draws draws(Provider::Layer, GetParam(), kChecked);
    for (uint32_t seed = 0; seed < 40 && !HasFailure(); ++seed) {
        DrawCase drawn(seed, GetParam());
        drawn.limitCounts();
        const Pixels pixels = draws.run(drawn);
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered || drawn.hasTasks)) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(By, CheckedDraws,
                         testing::Values(Maker::Whole, Maker::Objects, Maker::Mesh, Maker::Streams, Maker::MeshObjects),
                         [](const auto& info) { return nameOf(info.param); });

// What is wrong in a record is told, and the sequence that has it draws nothing.
class CheckedDrawsOfAPipeline : public testing::Test {
protected:
    static bool isCalm(const DrawCase& one)
    {
        return one.maxSequences > 8 && one.maxSequences < 30 && !one.deviceCount && !one.inSecondary;
    }
    // Sequence 5 is changed by `change`, and the command of which it draws.
    template <typename Change>
    void run(DrawCase& drawn, const Change& change)
    {
        drawn.limitCounts();
        drawn.spoil = [&](DrawCase& own) {
            if (!own.isCounted)
                own.recordOf(5)[own.layout.actionWord] = 0;  // vertices
            change(own.recordOf(5));
        };
        const Pixels pixels = draws.run(drawn);
        if (!drawn.isCounted)
            EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered));
    }

    Draws draws{Provider::Layer, Maker::Whole, kChecked};
};

TEST_F(CheckedDrawsOfAPipeline, VertexBufferOutsideOfAllBuffers_ToldByItsRule)
{
    for (const bool isExplicit : {false, true}) {
        DrawCase drawn = findDraws([&](const DrawCase& one) {
            return isCalm(one) && one.hasVertices && !one.isCounted && one.isExplicit == isExplicit;
        });
        const auto word = static_cast<uint32_t>(drawn.layout.vertexWord);
        run(drawn, [&](uint32_t* record) { record[word + 1] = 0x7000'0000; });
        expectMessage(draws.generated, "VUID-VkBindVertexBufferIndirectCommandEXT-None-11120",
                      {"sequence 5, token VERTEX_BUFFER of binding 0 at byte " + std::to_string(word * 4),
                       "is in no buffer", "0x70000000"});
    }
}

TEST_F(CheckedDrawsOfAPipeline, VertexBufferLongerThanItsBuffer_ToldWithWhatThereIs)
{
    DrawCase drawn = findDraws([](const DrawCase& one) { return isCalm(one) && one.hasVertices && !one.isCounted; });
    run(drawn, [&](uint32_t* record) { record[drawn.layout.vertexWord + 2] = kVertexMemoryWords * 4 + 4; });
    expectMessage(draws.generated, "VUID-VkBindVertexBufferIndirectCommandEXT-None-11120",
                  {"sequence 5", "bytes from there on", std::to_string(kVertexMemoryWords * 4 + 4)});
}

TEST_F(CheckedDrawsOfAPipeline, VertexBufferAtAnOddAddress_Told)
{
    DrawCase drawn = findDraws([](const DrawCase& one) { return isCalm(one) && one.hasVertices && !one.isCounted; });
    run(drawn, [&](uint32_t* record) { record[drawn.layout.vertexWord] += 2; });
    expectMessage(draws.generated, kOwnRule, {"sequence 5, token VERTEX_BUFFER", "no multiple of 4"});
}

TEST_F(CheckedDrawsOfAPipeline, NoIndexType_ToldByItsRule)
{
    DrawCase drawn = findDraws([](const DrawCase& one) { return isCalm(one) && one.hasIndices && !one.isCounted; });
    run(drawn, [&](uint32_t* record) { record[drawn.layout.indexWord + 3] = 99; });
    expectMessage(draws.generated, "VUID-VkBindIndexBufferIndirectCommandEXT-indexType-parameter",
                  {"sequence 5, token INDEX_BUFFER", "index type is 99"});
}

TEST_F(CheckedDrawsOfAPipeline, IndicesAtAnOddAddressInAVertexBuffer_BothTold)
{
    DrawCase drawn = findDraws(
        [](const DrawCase& one) { return isCalm(one) && one.hasIndices && one.hasVertices && !one.isCounted; });
    run(drawn, [&](uint32_t* record) {
        std::memcpy(record + drawn.layout.indexWord, record + drawn.layout.vertexWord, 8);
        record[drawn.layout.indexWord] += 1;
    });
    std::vector<Message> messages = draws.generated.device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].id, "VUID-VkBindIndexBufferIndirectCommandEXT-None-11117");
    EXPECT_NE(messages[0].text.find("without VK_BUFFER_USAGE_INDEX_BUFFER_BIT"), std::string::npos) << messages[0].text;
    EXPECT_EQ(messages[1].id, "VUID-VkBindIndexBufferIndirectCommandEXT-bufferAddress-11118");
}

TEST_F(CheckedDrawsOfAPipeline, MoreDrawsThanTheMaximum_Told)
{
    DrawCase drawn =
        findDraws([](const DrawCase& one) { return isCalm(one) && one.isCounted && one.drawsOf(5) == one.maxDraws; });
    run(drawn, [&](uint32_t* record) { record[drawn.layout.actionWord + 3] = drawn.maxDraws + 3; });
    expectMessage(draws.generated, kOwnRule, {"sequence 5, token DRAW", std::to_string(drawn.maxDraws + 3) + " draws"});
}

// An index buffer has small numbers, which may well be drawn.
TEST_F(CheckedDrawsOfAPipeline, CommandsInAnIndexBufferWithAnOddStride_BothTold)
{
    DrawCase drawn = findDraws(
        [](const DrawCase& one) { return isCalm(one) && one.isCounted && one.hasIndices && one.drawsOf(5) == 1; });
    run(drawn, [&](uint32_t* record) {
        std::memcpy(record + drawn.layout.actionWord, record + drawn.layout.indexWord, 8);
        record[drawn.layout.actionWord + 2] += 2;
    });
    std::vector<Message> messages = draws.generated.device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[0].id, "VUID-VkDrawIndirectCountIndirectCommandEXT-None-11122");
    EXPECT_EQ(messages[1].id, kOwnRule);
    EXPECT_NE(messages[1].text.find("no multiple of 4"), std::string::npos) << messages[1].text;
}

// Shader objects of an execution set, of which a fragment shader fits one vertex shader alone.
class CheckedDrawsOfObjects : public testing::TestWithParam<bool> {
protected:
    void SetUp() override
    {
        if (!driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    }
};

TEST_P(CheckedDrawsOfObjects, FragmentShaderThatReadsMore_ToldAndLeftOut)
{
    Draws draws(Provider::Layer, Maker::Objects, kChecked);
    const bool isUnordered = GetParam();
    DrawCase drawn = findDraws(
        [=](const DrawCase& one) {
            return one.maxSequences > 8 && one.hasSet && !one.isCounted && !one.inSecondary && !one.deviceCount &&
                   one.isUnordered == isUnordered;
        },
        Maker::Objects);
    drawn.spoil = [](DrawCase& own) {
        uint32_t* const record = own.recordOf(5);
        record[own.layout.setWord] = 0;
        record[own.layout.setWord + 1] = kMoreFragment;
        record[own.layout.actionWord] = 5;
        record[own.layout.actionWord + 1] = 3;
    };
    const Pixels pixels = draws.run(drawn);
    expectMessage(draws.generated, "VUID-RuntimeSpirv-OpEntryPoint-08743",
                  {"sequence 5, token EXECUTION_SET", "left out"});
    drawn.recordOf(5)[drawn.layout.setWord + 1] = kFragmentBase;
    drawn.recordOf(5)[drawn.layout.actionWord] = 0;
    EXPECT_TRUE(drawn.expected().allows(pixels, isUnordered));
}

INSTANTIATE_TEST_SUITE_P(By, CheckedDrawsOfObjects, testing::Bool(),
                         [](const auto& info) { return info.param ? "Unordered" : "InOrder"; });

// By mesh shaders of the driver's, or of the layer's.
class CheckedMeshDraws : public testing::TestWithParam<bool> {
protected:
    void SetUp() override
    {
        if (!GetParam() && !driverHas(VK_EXT_MESH_SHADER_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
    }
};

TEST_P(CheckedMeshDraws, GridBeyondTheLimit_ToldByItsRule)
{
    Draws draws(Provider::Layer, Maker::Mesh, {.ownMesh = GetParam(), .validate = true});
    DrawCase drawn = findDraws(
        [](const DrawCase& one) {
            return one.maxSequences > 8 && !one.isCounted && !one.hasTasks && !one.inSecondary && !one.deviceCount;
        },
        Maker::Mesh);
    drawn.spoil = [](DrawCase& own) {
        uint32_t* const grid = own.recordOf(5) + own.layout.actionWord;
        grid[0] = UINT32_MAX;
        grid[1] = 0;
    };
    draws.run(drawn);
    expectMessage(draws.generated, "VUID-VkDrawMeshTasksIndirectCommandEXT-TaskEXT-07326",
                  {"sequence 5, token DRAW_MESH_TASKS", "4294967295 x 0"});
}

INSTANTIATE_TEST_SUITE_P(By, CheckedMeshDraws, testing::Bool(),
                         [](const auto& info) { return info.param ? "TheLayersMeshes" : "TheDriversMeshes"; });

TEST(CheckedCalls, InsideALabel_MessageNamesIt)
{
    Dispatches dispatches(Provider::Layer, kChecked);
    layertest::TestDevice& device = dispatches.generated.device;
    TenDispatches drawn([](const DispatchCase& one) { return !one.inSecondary && !one.isExplicit; });
    drawn.resize(10);
    drawn.deviceCount = 11;
    dispatches.run(drawn, [&](VkCommandBuffer cmd) {
        VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
        label.pLabelName = "trees";
        device.instance.get<PFN_vkCmdBeginDebugUtilsLabelEXT>("vkCmdBeginDebugUtilsLabelEXT")(cmd, &label);
    });
    expectMessage(dispatches.generated, "VUID-VkGeneratedCommandsInfoEXT-sequenceCountAddress-11068",
                  {"vkCmdExecuteGeneratedCommandsEXT, call 1", "in the label 'trees'"});
}

}  // namespace

}  // namespace millrace::commandtest
