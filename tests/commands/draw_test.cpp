// SPDX-License-Identifier: Apache-2.0
// Generated draws of random layouts, by the layer and by the driver if it can: equal to a loop on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "commands/draws.h"
#include "harness/temporary_folder.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::commandtest {

namespace {

// Draws the first cases.
void expectAsALoop(Draws& draws, uint32_t cases)
{
    for (uint32_t seed = 0; seed < cases && !testing::Test::HasFailure(); ++seed) {
        DrawCase drawn(firstSeed() + seed);
        const Pixels pixels = draws.run(drawn);
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered)) << "seed " << firstSeed() + seed;
    }
}

using Way = std::tuple<Provider, Maker>;

class GeneratedDraws : public testing::TestWithParam<Way> {
protected:
    void SetUp() override
    {
        const auto [provider, maker] = GetParam();
        if (provider == Provider::Driver && !driverHasGeneratedCommands())
            GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
        if (usesObjects(maker) && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
        if (usesMesh(maker) && !driverHas(VK_EXT_MESH_SHADER_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        if (maker == Maker::Libraries && !driverHas(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
    }
};

TEST_P(GeneratedDraws, RandomLayouts_AsALoopOnTheHost)
{
    const auto [provider, maker] = GetParam();
    const uint32_t seeds = maker == Maker::Whole ? 150 : usesStreams(maker) ? 60 : 80;
    Draws draws(provider, maker);
    for (uint32_t seed = 0; seed < seeds && !HasFailure(); ++seed) {
        DrawCase drawn(firstSeed() + seed, maker);
        const Pixels pixels = draws.run(drawn);
        // Of workgroups of mesh shaders behind task shaders the order is nowhere said.
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered || drawn.hasTasks))
            << "seed " << firstSeed() + seed;
    }
}

// Where the layer runs mesh shaders, whatever the driver has. Shader objects without them are drawn there as well.
class GeneratedDrawsOfTheLayersMeshes : public testing::TestWithParam<Maker> {
protected:
    void SetUp() override
    {
        if (usesObjects(GetParam()) && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    }
};

TEST_P(GeneratedDrawsOfTheLayersMeshes, RandomLayouts_AsALoopOnTheHost)
{
    Draws draws(Provider::Layer, GetParam(), {.ownMesh = true});
    const uint32_t seeds = GetParam() == Maker::MeshStreams ? 20 : 80;
    for (uint32_t seed = 0; seed < seeds && !HasFailure(); ++seed) {
        DrawCase drawn(firstSeed() + seed, GetParam());
        const Pixels pixels = draws.run(drawn);
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered || drawn.hasTasks))
            << "seed " << firstSeed() + seed;
    }
}

INSTANTIATE_TEST_SUITE_P(By, GeneratedDrawsOfTheLayersMeshes,
                         testing::Values(Maker::Mesh, Maker::MeshObjects, Maker::MeshStreams, Maker::Objects),
                         [](const auto& info) { return commandtest::nameOf(info.param); });

// Of VK_NV_device_generated_commands: the other extension takes no view masks
// (VUID-vkCmdExecuteGeneratedCommandsEXT-None-11062).
class GeneratedDrawsOfViews : public testing::TestWithParam<std::tuple<Maker, bool>> {
protected:
    void SetUp() override
    {
        const auto [maker, isOwn] = GetParam();
        if (usesMesh(maker) && !isOwn && !driverHasMeshViews())
            GTEST_SKIP() << "the driver lacks multiviewMeshShader";
    }
};

TEST_P(GeneratedDrawsOfViews, RandomLayouts_EachViewAsALoopOnTheHost)
{
    constexpr uint32_t kViews = 0b1011;
    const auto [maker, isOwn] = GetParam();
    Draws draws(Provider::Layer, maker, {.ownMesh = isOwn, .views = kViews});
    const uint32_t seeds = isOwn ? 12 : 60;
    for (uint32_t seed = 0; seed < seeds && !HasFailure(); ++seed) {
        DrawCase drawn(firstSeed() + seed, maker);
        const std::vector<Pixels> views = draws.runViews(drawn);
        for (uint32_t view = 0; view < views.size(); ++view) {
            drawn.view = view;
            if ((kViews >> view & 1) == 0)
                continue;
            EXPECT_TRUE(drawn.expected().allows(views[view], drawn.isUnordered || drawn.hasTasks))
                << "seed " << firstSeed() + seed << ", view " << view;
        }
    }
}

std::string nameOfViews(const testing::TestParamInfo<std::tuple<Maker, bool>>& info)
{
    const auto [maker, isOwn] = info.param;
    return std::string(commandtest::nameOf(maker)) + (isOwn ? "OfTheLayers" : "");
}

INSTANTIATE_TEST_SUITE_P(By, GeneratedDrawsOfViews,
                         testing::Values(std::tuple(Maker::Streams, false), std::tuple(Maker::MeshStreams, false),
                                         std::tuple(Maker::MeshStreams, true)),
                         nameOfViews);

// The setting asks for mesh shaders alone, on a driver that generates commands itself.
class GeneratedDrawsForMeshesAlone : public testing::Test {
protected:
    void SetUp() override
    {
        if (!driverHasGeneratedCommands())
            GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
    }

    // A message names who generates commands, if it is the layer.
    static void expectLoop(Draws& draws, Maker maker, bool byLayer)
    {
        const std::vector<layertest::Message> messages = draws.generated.device.instance.takeMessages();
        const auto told = std::ranges::count_if(
            messages, [](const auto& one) { return one.text.find("the layer generates") != std::string::npos; });
        EXPECT_EQ(told, byLayer ? 1 : 0);
        for (uint32_t seed = 0; seed < 30 && !HasFailure(); ++seed) {
            DrawCase drawn(firstSeed() + seed, maker);
            // What the layer alone takes.
            drawn.inSecondary = false;
            drawn.limitCounts();
            const Pixels pixels = draws.run(drawn);
            EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered || drawn.hasTasks))
                << "seed " << firstSeed() + seed;
        }
    }
};

TEST_F(GeneratedDrawsForMeshesAlone, DeviceWithMeshShaders_TheLayerDrawsThem)
{
    Draws draws(Provider::Layer, Maker::Mesh, {.ownMesh = true, .meshAlone = true});
    expectLoop(draws, Maker::Mesh, true);
}

TEST_F(GeneratedDrawsForMeshesAlone, DeviceWithoutMeshShaders_TheDriversCommands)
{
    Draws draws(Provider::Layer, Maker::Whole, {.meshAlone = true});
    expectLoop(draws, Maker::Whole, false);
}

// What a trace says of generated draws (setting "trace").
class CountedMeshDraws : public testing::TestWithParam<std::tuple<bool, Maker>> {
protected:
    void SetUp() override
    {
        const auto [isOwn, maker] = GetParam();
        if (!isOwn && !driverHas(VK_EXT_MESH_SHADER_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
        if (usesObjects(maker) && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    }
};

TEST_P(CountedMeshDraws, Vertices_AsTheHostCountsThem)
{
    const auto [isOwn, maker] = GetParam();
    const TemporaryFolder folder;
    const std::string path = folder.file("a.mrtrace");
    uint64_t wanted = 0;
    {
        Draws draws(Provider::Layer, maker, {.ownMesh = isOwn, .trace = path.c_str()});
        for (uint32_t seed = 0; seed < 12; ++seed) {
            DrawCase drawn(seed, maker);
            draws.run(drawn);
            for (const std::vector<uint32_t>& points : drawn.expected().drawn)
                wanted += points.size();
        }
    }
    trace::Collector found;
    const Status status = trace::read(trace::readBytes(path), found);
    ASSERT_TRUE(status) << status.error().text();
    uint64_t vertices = 0;
    for (const trace::MeshWork& work : found.meshWorks)
        vertices += work.vertices;
    EXPECT_GT(wanted, 0u);
    EXPECT_EQ(vertices, wanted);
}

std::string nameOfCounted(const testing::TestParamInfo<std::tuple<bool, Maker>>& info)
{
    const auto [isOwn, maker] = info.param;
    return std::string(isOwn ? "Layer" : "Driver") + commandtest::nameOf(maker);
}

INSTANTIATE_TEST_SUITE_P(By, CountedMeshDraws,
                         testing::Combine(testing::Bool(), testing::Values(Maker::Mesh, Maker::MeshObjects)),
                         nameOfCounted);

// The first case of which that is true.
template <typename IsWanted>
DrawCase findCase(const IsWanted& isWanted)
{
    uint32_t seed = 0;
    while (!isWanted(DrawCase(seed)))
        ++seed;
    return DrawCase(seed);
}

class GeneratedDrawsByTheLayer : public testing::Test {
protected:
    // Left out with one message that has `part`; what is drawn behind is there.
    void expectLeftOut(DrawCase& drawn, const std::string& part) { expectLeftOut(draws, drawn, part); }
    static void expectLeftOut(Draws& by, DrawCase& drawn, const std::string& part)
    {
        const Pixels pixels = by.run(drawn);
        const std::vector<layertest::Message> messages = by.generated.device.instance.takeMessages();
        ASSERT_EQ(messages.size(), 1u);
        EXPECT_EQ(messages[0].id, "Millrace-generated-commands");
        EXPECT_NE(messages[0].text.find(part), std::string::npos) << messages[0].text;
        const auto drawnPixels = kSide * kSide - std::count(pixels.begin(), pixels.end(), 0u);
        EXPECT_GT(drawnPixels, 0);
        EXPECT_LE(drawnPixels, 5);
    }

    Draws draws{Provider::Layer};
};

bool isOrdered(const DrawCase& one)
{
    return one.hasSet && !one.isCounted && !one.isUnordered && !one.inSecondary && !one.hasVertices && !one.hasIndices;
}

TEST_F(GeneratedDrawsByTheLayer, OrderOfVeryManySequences_AsALoopOnTheHost)
{
    DrawCase drawn = findCase(isOrdered);
    drawn.setSequences(270000);
    const Picture expected = drawn.expected();
    EXPECT_TRUE(expected.allows(draws.run(drawn), false));
}

// What a set has when a command is recorded.
TEST_F(GeneratedDrawsByTheLayer, PipelineOfASetReplaced_AsALoopOnTheHost)
{
    for (const bool isExplicit : {false, true}) {
        DrawCase drawn = findCase([=](const DrawCase& one) {
            return one.hasSet && !one.isUnordered && one.isExplicit == isExplicit && one.sequences() > 20;
        });
        EXPECT_TRUE(drawn.expected().allows(draws.run(drawn), false));
        // More often than the layer makes another pipeline of them.
        for (uint32_t salt = 1; salt < 12; ++salt) {
            drawn.setSalts[1] = 7 * salt;
            draws.replace(drawn, 1, drawn.setSalts[1], false);
            EXPECT_TRUE(drawn.expected().allows(draws.run(drawn), false)) << isExplicit << ", " << salt;
        }
        draws.replace(drawn, 1, kDrawSalts[1], false);
    }
}

// Where pipelines of a set are drawn with one by one.
class GeneratedDrawsOneByOne : public GeneratedDrawsByTheLayer {
protected:
    // As is often asked for; with messages of severity info.
    Draws told{Provider::Layer, Maker::Whole, {.info = true}};
    Draws apart{Provider::Layer, Maker::Whole, {.separate = true}};

    static bool hasPlainSet(const DrawCase& one)
    {
        return one.hasSet && !one.isUnordered && !one.inSecondary && !one.hasRenderPass && one.sequences() > 20;
    }
    static bool isPreprocessedInAPass(const DrawCase& one)
    {
        return one.hasSet && !one.isUnordered && one.isExplicit && one.hasRenderPass && one.sequences() > 5;
    }
    void expectTold(const std::string& part)
    {
        const std::vector<layertest::Message> messages = told.generated.device.instance.takeMessages();
        const auto count =
            std::ranges::count_if(messages, [&](const auto& one) { return one.text.find(part) != std::string::npos; });
        EXPECT_EQ(count, 1) << part;
    }
};

TEST_F(GeneratedDrawsOneByOne, RandomLayouts_AsALoopOnTheHost)
{
    expectAsALoop(apart, 60);
}

TEST_F(GeneratedDrawsOneByOne, OrderOfManySequences_AsALoopOnTheHost)
{
    DrawCase drawn = findCase(isOrdered);
    drawn.setSequences(20000);
    const Picture expected = drawn.expected();
    EXPECT_TRUE(expected.allows(apart.run(drawn), false));
}

TEST_F(GeneratedDrawsOneByOne, OrderOfTooManySequences_LeftOut)
{
    DrawCase drawn = findCase(isOrdered);
    drawn.setSequences(270000);
    expectLeftOut(apart, drawn, driverCountsDraws() ? "order" : "too many to record");
}

TEST_F(GeneratedDrawsOneByOne, PipelinesThatCannotBeOne_AsALoopOnTheHost)
{
    DrawCase drawn = findCase(hasPlainSet);
    told.replace(drawn, 1, kDrawSalts[1], true);
    EXPECT_TRUE(drawn.expected().allows(told.run(drawn), false));
    expectTold("not drawn with as one: their shaders have different execution modes");
}

// What is preprocessed is for each of them, and that is what is drawn: there are no kernels in front of a render pass
// or in a secondary command buffer where no layout has asked for them.
TEST_F(GeneratedDrawsOneByOne, PreprocessedPipelinesThatCannotBeOne_AsALoopOnTheHost)
{
    for (const bool inSecondary : {false, true}) {
        DrawCase drawn =
            findCase([=](const DrawCase& one) { return isPreprocessedInAPass(one) && one.inSecondary == inSecondary; });
        told.replace(drawn, 1, kDrawSalts[1], true);
        EXPECT_TRUE(drawn.expected().allows(told.run(drawn), false)) << "secondary: " << inSecondary;
        expectTold("not drawn with as one");
    }
}

// What is preprocessed was for each of them.
TEST_F(GeneratedDrawsOneByOne, PipelineThatFitsAgainBehindPreprocessing_AsALoopOnTheHost)
{
    DrawCase drawn = findCase(isPreprocessedInAPass);
    told.replace(drawn, 1, kDrawSalts[1], true);
    drawn.beforeExecution = [&](VkCommandBuffer) { told.replace(drawn, 1, kDrawSalts[1], false); };
    EXPECT_TRUE(drawn.expected().allows(told.run(drawn), false));
    expectTold("not drawn with as one");
}

// At some time no more are made one of them.
TEST_F(GeneratedDrawsOneByOne, SetThatChangesAgainAndAgain_AsALoopOnTheHost)
{
    DrawCase drawn = findCase(isPreprocessedInAPass);
    const Picture expected = drawn.expected();
    for (uint32_t time = 0; time < 10 && !HasFailure(); ++time) {
        told.replace(drawn, 1, kDrawSalts[1], false);
        EXPECT_TRUE(expected.allows(told.run(drawn), false)) << time;
    }
}

// What is preprocessed was for all of them as one.
TEST_F(GeneratedDrawsOneByOne, PipelineThatDoesNotFitBehindPreprocessing_AsALoopOnTheHost)
{
    for (const bool isCounted : {false, true}) {
        DrawCase drawn = findCase([=](const DrawCase& one) {
            return hasPlainSet(one) && one.isExplicit && one.isCounted == isCounted && one.hasVertices == isCounted;
        });
        drawn.beforeExecution = [&](VkCommandBuffer) { told.replace(drawn, 1, kDrawSalts[1], true); };
        EXPECT_TRUE(drawn.expected().allows(told.run(drawn), false)) << isCounted;
        expectTold("not drawn with as one");
    }
}

// What the command buffer for preprocessing has set is not what counts, but what that with the draws has.
class GeneratedDrawsOfDynamicVertexInput : public testing::Test {
protected:
    void SetUp() override
    {
        if (!driverHas(VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_vertex_input_dynamic_state";
        draws.emplace(Provider::Layer, Maker::Whole, GeneratedOptions{.dynamicInput = true});
    }
    std::optional<Draws> draws;
};

TEST_F(GeneratedDrawsOfDynamicVertexInput, RandomLayouts_AsALoopOnTheHost)
{
    expectAsALoop(*draws, 100);
}

TEST_F(GeneratedDrawsOfDynamicVertexInput, PreprocessedPipelinesThatCannotBeOne_AsALoopOnTheHost)
{
    uint32_t count = 0;
    for (uint32_t seed = 0; seed < 2000 && count < 10 && !HasFailure(); ++seed) {
        DrawCase drawn(seed);
        if (!drawn.hasVertices || !drawn.hasSet || drawn.isUnordered || !drawn.isExplicit || !drawn.hasRenderPass)
            continue;
        ++count;
        draws->replace(drawn, 1, kDrawSalts[1], true);
        EXPECT_TRUE(drawn.expected().allows(draws->run(drawn), false)) << "seed " << seed;
    }
    EXPECT_EQ(count, 10u);
}

TEST(GeneratedDrawsOfNarrowIntegers, RandomLayouts_AsALoopOnTheHost)
{
    Draws draws(Provider::Layer, Maker::Whole, {.narrow = true});
    expectAsALoop(draws, 60);
}

// Counts are of one command alone. Drivers may think otherwise (docs/gpu.md).
TEST_F(GeneratedDrawsByTheLayer, BesideDrawsWithCounts_NoneLimitsAnother)
{
    const auto isPlain = [](const DrawCase& one) { return !one.hasSet && !one.isCounted && one.sequences() > 4; };
    for (const bool isLimited : {false, true}) {
        DrawCase drawn = findCase(
            [&](const DrawCase& one) { return isPlain(one) && (isLimited ? one.deviceCount : !one.deviceCount); });
        if (isLimited)
            drawn.deviceCount = 0;
        drawn.besideCounts = true;
        EXPECT_TRUE(drawn.expected().allows(draws.run(drawn), false)) << "limited: " << isLimited;
    }
}

// What the layer counts by itself.
TEST_F(GeneratedDrawsByTheLayer, OfAnExecutionSetWithoutSequences_DrawsBehindAreThere)
{
    for (const bool isUnordered : {false, true}) {
        DrawCase drawn = findCase([=](const DrawCase& one) {
            return one.hasSet && !one.isCounted && one.isUnordered == isUnordered && one.deviceCount;
        });
        drawn.deviceCount = 0;
        drawn.besideCounts = true;
        EXPECT_TRUE(drawn.expected().allows(draws.run(drawn), false)) << "unordered: " << isUnordered;
    }
}

// More of them than a row of workgroups looks at.
TEST_F(GeneratedDrawsByTheLayer, ManyPossibleDrawsInOrder_AsALoopOnTheHost)
{
    DrawCase drawn = findCase([](const DrawCase& one) {
        return one.hasSet && one.isCounted && !one.isUnordered && one.maxSequences < 30 && one.sequences() > 10;
    });
    drawn.maxDraws = (driverNumbersDraws() ? 9000000 : 100000) / drawn.maxSequences;
    const Picture expected = drawn.expected();
    EXPECT_TRUE(expected.allows(draws.run(drawn), false));
}

// Than those that some devices have: a maxDrawIndirectCount of 65535 is enough for Vulkan.
TEST_F(GeneratedDrawsByTheLayer, MoreSequencesThanDrawsOfACommand_AsALoopOnTheHost)
{
    for (const bool hasCount : {false, true}) {
        DrawCase drawn = findCase(
            [](const DrawCase& one) { return !one.hasSet && !one.isCounted && !one.hasIndices && !one.hasVertices; });
        drawn.setSequences(70000);
        if (hasCount)
            drawn.deviceCount = 69000;
        const Picture expected = drawn.expected();
        EXPECT_TRUE(expected.allows(draws.run(drawn), drawn.isUnordered)) << "counted by the device: " << hasCount;
    }
}

// As many draws as there is memory for, in the same places for preprocessing and execution.
TEST_F(GeneratedDrawsByTheLayer, MoreDrawsNamedThanMemoryIsFor_AsALoopOnTheHost)
{
    for (const bool isExplicit : {false, true}) {
        DrawCase drawn = findCase([=](const DrawCase& one) {
            return one.isCounted && one.hasSet && one.isExplicit == isExplicit && !one.inSecondary && !one.isUnordered;
        });
        drawn.namedDraws = drawn.maxDraws * 1000;
        const Picture expected = drawn.expected();
        EXPECT_TRUE(expected.allows(draws.run(drawn), false)) << isExplicit;
        // One of each command buffer that names so many.
        const std::vector<layertest::Message> messages = draws.generated.device.instance.takeMessages();
        EXPECT_EQ(messages.size(), isExplicit ? 2u : 1u);
        for (const layertest::Message& message : messages)
            EXPECT_NE(message.text.find("at most " + std::to_string(drawn.maxDraws)), std::string::npos)
                << message.text;
    }
}

// With and without an order, by the two kernels that write draws.
TEST_F(GeneratedDrawsByTheLayer, CommandsAtAddressZero_SequenceDrawsNothing)
{
    for (const bool isUnordered : {false, true}) {
        DrawCase drawn = findCase([=](const DrawCase& one) {
            return one.isCounted && one.hasSet && one.isUnordered == isUnordered && !one.inSecondary &&
                   one.sequences() > 4;
        });
        drawn.omitDraws(3);
        drawn.spoil = [](DrawCase& own) {
            uint32_t* const command = own.recordOf(3) + own.layout.actionWord;
            command[0] = command[1] = 0;
            command[3] = 1;
        };
        const Pixels pixels = draws.run(drawn);
        EXPECT_TRUE(drawn.expected().allows(pixels, isUnordered));
    }
}

TEST_F(GeneratedDrawsByTheLayer, KernelsInASecondaryCommandBuffer_AsALoopOnTheHost)
{
    for (const bool hasRenderPass : {false, true}) {
        DrawCase drawn = findCase([=](const DrawCase& one) {
            return one.isCounted && !one.isExplicit && one.hasRenderPass == hasRenderPass;
        });
        drawn.inSecondary = true;
        EXPECT_TRUE(drawn.expected().allows(draws.run(drawn), drawn.isUnordered)) << "render pass: " << hasRenderPass;
    }
}

// The query would count the kernels, and a legacy render pass cannot be interrupted. What is in a secondary command
// buffer is left out with all that is in there.
TEST_F(GeneratedDrawsByTheLayer, KernelsInAQueryOfComputeShaders_LeftOut)
{
    if (!driverCountsStatistics())
        GTEST_SKIP() << "the driver lacks pipelineStatisticsQuery";
    DrawCase drawn = findCase(
        [](const DrawCase& one) { return one.isCounted && !one.isExplicit && one.hasRenderPass && !one.inSecondary; });
    drawn.inQuery = true;
    expectLeftOut(drawn, "in front of which a query began");
    drawn.inSecondary = true;
    EXPECT_EQ(std::ranges::count(draws.run(drawn), 0u), kSide * kSide);
    const std::vector<layertest::Message> messages = draws.generated.device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_NE(messages[0].text.find("a secondary command buffer that generates commands is left out"),
              std::string::npos)
        << messages[0].text;
}

std::string nameOf(const testing::TestParamInfo<Way>& info)
{
    const auto [provider, maker] = info.param;
    const std::string by = provider == Provider::Driver ? "Driver" : "Layer";
    return maker == Maker::Whole ? by : by + "Of" + commandtest::nameOf(maker);
}

INSTANTIATE_TEST_SUITE_P(By, GeneratedDraws,
                         testing::Combine(testing::Values(Provider::Driver, Provider::Layer),
                                          testing::Values(Maker::Whole, Maker::Libraries, Maker::Objects, Maker::Mesh,
                                                          Maker::MeshObjects)),
                         nameOf);
// No driver under the tests has the extension.
INSTANTIATE_TEST_SUITE_P(Streams, GeneratedDraws,
                         testing::Values(Way(Provider::Layer, Maker::Streams),
                                         Way(Provider::Layer, Maker::MeshStreams)),
                         nameOf);

}  // namespace

}  // namespace millrace::commandtest
