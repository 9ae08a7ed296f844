// SPDX-License-Identifier: Apache-2.0
// Execution sets that change between the recording of commands and their submission: what is in the set then runs.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "commands/dispatches.h"
#include "commands/draws.h"

namespace millrace::commandtest {

namespace {

using layertest::Message;

constexpr uint32_t kFree = std::size(kSalts);  // the place that no member has been put in

uint32_t seedWithSet(bool streams)
{
    uint32_t seed = 0;
    while (!DispatchCase(seed, streams).hasSet)
        ++seed;
    return seed;
}

// Its sequences mean all places of the set, that which is free among them.
struct CaseWithSet : DispatchCase {
    explicit CaseWithSet(bool secondary, bool streams = false) : DispatchCase(seedWithSet(streams), streams)
    {
        resize(24);
        isExplicit = false;
        inSecondary = secondary;
        for (uint32_t i = 0; i < maxSequences; ++i) {
            stream[size_t{i} * layout.strideWords + layout.setWord] = i % (kFree + 1);
            for (uint32_t k = 0; k < 3; ++k)
                gridOf(i)[k] = 1 + k;
        }
    }
    // Of the layer alone: other memory for each would be right.
    void addCommandsInFront()
    {
        pushedBefore.resize(2);
        for (PushWords& words : pushedBefore)
            for (uint32_t& word : words)
                word = static_cast<uint32_t>(random());
    }
};

// With these salts at the places; none at a place that is beyond.
Sums expectedOf(const DispatchCase& drawn, const std::vector<uint32_t>& salts)
{
    Sums sums(kOutWords);
    addOwn(sums, drawn);
    std::vector<PushWords> pushed = drawn.pushedBefore;
    pushed.push_back(drawn.pushed);
    for (const PushWords& words : pushed)
        for (uint32_t i = 0; i < drawn.maxSequences; ++i) {
            const uint32_t* const record = &drawn.stream[size_t{i} * drawn.layout.strideWords];
            const uint32_t place = record[drawn.layout.setWord];
            if (place < salts.size())
                addDispatch(sums, salts[place], drawn.layout.valuesOf(record, i, words),
                            record + drawn.layout.actionWord);
        }
    return sums;
}

// With these members.
Sums expectedWith(const DispatchCase& drawn, const std::vector<uint32_t>& members)
{
    std::vector<uint32_t> salts;
    for (const uint32_t member : members)
        salts.push_back(kSalts[member]);
    return expectedOf(drawn, salts);
}

void expectMessage(GeneratedDevice& generated, const std::string& part)
{
    const std::vector<Message> messages = generated.device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].id, "Millrace-generated-commands");
    EXPECT_NE(messages[0].text.find(part), std::string::npos) << messages[0].text;
}

TEST(LateMembers, WhereTheDriverHasIt_TheDriversCommands)
{
    if (!driverHasGeneratedCommands())
        GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
    Dispatches dispatches(Provider::Driver);
    CaseWithSet drawn(false);
    dispatches.afterRecording = [&] {
        dispatches.put(kFree, 1);
        dispatches.put(1, 2);
    };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 2, 2, 1}));
}

class LateMembersOfLayer : public testing::TestWithParam<std::pair<bool, bool>> {
protected:
    void SetUp() override
    {
        if (std::get<0>(GetParam()) && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    }
    static GeneratedOptions options()
    {
        GeneratedOptions with;
        with.objects = std::get<0>(GetParam());
        return with;
    }
};

TEST_P(LateMembersOfLayer, PlaceFilledBehindRecording_RunsWhatIsThere)
{
    Dispatches dispatches(Provider::Layer, options());
    CaseWithSet drawn(std::get<1>(GetParam()));
    drawn.addCommandsInFront();
    dispatches.afterRecording = [&] { dispatches.put(kFree, 1); };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 1, 2, 1}));
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

// Without any recording in between.
TEST_P(LateMembersOfLayer, SubmittedAgainAndAgain_EachTimeWhatIsThere)
{
    Dispatches dispatches(Provider::Layer, options());
    CaseWithSet drawn(std::get<1>(GetParam()));
    drawn.addCommandsInFront();
    const std::vector<std::vector<uint32_t>> members = {{0, 1, 2}, {0, 2, 1, 0}, {0, 2, 1, 0}, {0, 0, 2, 1}};
    size_t time = 0;
    dispatches.submitAgain = [&](const Sums& sums) {
        EXPECT_EQ(sums, expectedWith(drawn, members[time])) << time;
        if (++time == members.size())
            return false;
        for (uint32_t place = 0; place < members[time].size(); ++place)
            dispatches.put(place, members[time][place]);
        return true;
    };
    dispatches.run(drawn);
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

TEST_P(LateMembersOfLayer, OutOfPreprocessedMemory_RunsWhatIsThere)
{
    Dispatches dispatches(Provider::Layer, options());
    CaseWithSet drawn(std::get<1>(GetParam()));
    drawn.addCommandsInFront();
    drawn.isExplicit = true;
    dispatches.afterRecording = [&] {
        dispatches.put(kFree, 0);
        dispatches.put(1, 2);
    };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 2, 2, 0}));
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(, LateMembersOfLayer,
                         testing::Values(std::pair(false, false), std::pair(false, true), std::pair(true, false),
                                         std::pair(true, true)),
                         [](const testing::TestParamInfo<std::pair<bool, bool>>& info) {
                             return std::string(info.param.first ? "Objects" : "Pipelines") +
                                    (info.param.second ? "InSecondary" : "InPrimary");
                         });

TEST(LateMembers, SetChangedWhereNoCommandIsRecorded_NotTold)
{
    Dispatches dispatches(Provider::Layer);
    CaseWithSet drawn(false);
    dispatches.put(kFree, 0);
    dispatches.afterRecording = [&] { dispatches.put(1, 1); };  // what it is already
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 1, 2, 0}));
    dispatches.put(kFree, 2);  // behind the submission
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

// In the case, which is of a set: what is at place 1 was at place 2 before, or has another salt.
struct LateDraws : Draws {
    explicit LateDraws(Provider provider, Maker maker = Maker::Whole, const GeneratedOptions& with = {})
        : Draws(provider, maker, with)
    {
    }
    void change(DrawCase& drawn, uint32_t salt)
    {
        if (drawn.hasObjects) {
            copyObject(drawn, salt, 1);
            drawn.setSalts[1] = kDrawSalts[salt];
            return;
        }
        drawn.setSalts[1] = salt == 1 ? kDrawSalts[1] : 70 + salt;
        replace(drawn, 1, drawn.setSalts[1]);
    }
};

// Cases with sets, each submitted several times with other members; of the layer's each second one is two commands,
// with the same memory. What was preprocessed before them, drivers may
// have with the members that there were then.
void expectWhatIsThere(LateDraws& draws, Maker maker, uint32_t cases)
{
    for (uint32_t seed = 0, count = 0; count < cases && !testing::Test::HasFailure(); ++seed) {
        DrawCase drawn(seed, maker);
        if (!drawn.hasSet || drawn.inSecondary || (draws.generated.provider == Provider::Driver && drawn.isExplicit))
            continue;
        ++count;
        drawn.inHalves = count % 2 == 0 && draws.generated.provider == Provider::Layer;
        draws.afterRecording = [&] { draws.change(drawn, 2); };
        uint32_t time = 0;
        draws.submitAgain = [&](const Pixels& pixels) {
            EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered)) << "seed " << seed << ", " << time;
            draws.change(drawn, time % 3);
            return ++time < 3;
        };
        draws.run(drawn);
        draws.afterRecording = {};
        draws.change(drawn, 1);
        EXPECT_EQ(draws.generated.device.instance.takeMessages().size(), 0u);
    }
}

TEST(LateMembers, DrawsWhereTheDriverHasIt_TheDriversCommands)
{
    if (!driverHasGeneratedCommands())
        GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
    LateDraws draws(Provider::Driver);
    expectWhatIsThere(draws, Maker::Whole, 8);
}

class LateMembersOfDraws : public testing::TestWithParam<Maker> {
protected:
    void SetUp() override
    {
        if (GetParam() == Maker::Objects && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    }
};

TEST_P(LateMembersOfDraws, RandomLayouts_DrawWhatIsThere)
{
    LateDraws draws(Provider::Layer, GetParam());
    expectWhatIsThere(draws, GetParam(), 20);
}

TEST_P(LateMembersOfDraws, RandomLayoutsOneByOne_DrawWhatIsThere)
{
    LateDraws draws(Provider::Layer, GetParam(), {.separate = true});
    expectWhatIsThere(draws, GetParam(), 12);
}

// Draws of the application's between executions and behind them, with whatever state, as many as share a stream and
// more. The same as where nothing has a stream of its own, and the members are there in time.
TEST_P(LateMembersOfDraws, OrdinaryDrawsBetween_SamePictureAsWithoutStreams)
{
    LateDraws late(Provider::Layer, GetParam());
    LateDraws plain(Provider::Layer, GetParam(), {.asRecorded = true});
    for (uint32_t seed = 0, count = 0; count < 12 && !HasFailure(); ++seed) {
        DrawCase drawn(seed, GetParam());
        if (!drawn.hasSet || drawn.isUnordered)
            continue;
        DrawCase before(seed, GetParam());
        drawn.inHalves = before.inHalves = true;
        drawn.ownDraws = before.ownDraws = ++count % 4 == 0 ? 40 : count % 4;
        plain.change(before, 2);
        const Pixels expected = plain.run(before);
        plain.change(before, 1);
        // Those of secondary ones in an instance stay as they are.
        if (drawn.inSecondary)
            late.change(drawn, 2);
        else
            late.afterRecording = [&] { late.change(drawn, 2); };
        EXPECT_TRUE(late.run(drawn) == expected) << "seed " << seed;
        late.afterRecording = {};
        late.change(drawn, 1);
    }
    for (const layertest::Message& message : late.generated.device.instance.takeMessages())
        ADD_FAILURE() << message.id << ": " << message.text;
}

INSTANTIATE_TEST_SUITE_P(, LateMembersOfDraws, testing::Values(Maker::Whole, Maker::Objects),
                         [](const auto& info) { return std::string(nameOf(info.param)); });

// Where nothing can be recorded again.
TEST(LateMembers, DrawsWhileAQueryIsActive_ToldAndAsRecorded)
{
    if (!driverCountsStatistics())
        GTEST_SKIP() << "the driver lacks pipelineStatisticsQuery";
    LateDraws draws(Provider::Layer, Maker::Whole);
    uint32_t seed = 0;
    const auto isWanted = [](const DrawCase& one) {
        return one.hasSet && one.isExplicit && !one.inSecondary && !one.hasRenderPass && one.sequences() > 5;
    };
    while (!isWanted(DrawCase(seed)))
        ++seed;
    DrawCase drawn(seed);
    drawn.inQuery = true;
    draws.afterRecording = [&] { draws.replace(drawn, 1, 70); };
    EXPECT_TRUE(drawn.expected().allows(draws.run(drawn), drawn.isUnordered));
    expectMessage(draws.generated, "place 1 of the execution set was changed");
}

TEST(LateMembers, SwitchedOff_EachChangeToldOnce)
{
    Dispatches dispatches(Provider::Layer, {.asRecorded = true});
    CaseWithSet drawn(false);
    dispatches.afterRecording = [&] {
        dispatches.put(1, 2);
        dispatches.put(2, 1);
    };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 1, 2}));
    expectMessage(dispatches.generated, "places 1 and 2 of the execution set were changed");
    // The same change of other commands is no news, another one is.
    dispatches.afterRecording = [&] { dispatches.put(1, 2); };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 2, 1}));
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
    dispatches.afterRecording = [&] { dispatches.put(1, 0); };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 2, 1}));
    expectMessage(dispatches.generated, "place 1 of the execution set was changed");
}

// A pipeline layout may go when it has been recorded with.
TEST(LateMembers, LayoutReplacedBehindRecording_RunsWhatIsThere)
{
    Dispatches dispatches(Provider::Layer);
    CaseWithSet drawn(false);
    dispatches.afterRecording = [&] {
        dispatches.replaceLayout();
        dispatches.put(kFree, 1);
    };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 1, 2, 1}));
}

// Those of one submission and the next are in different places then, and the first may be under way.
class LatePipelinesWithAddresses : public testing::TestWithParam<std::tuple<VkCommandBufferUsageFlags, bool>> {};

TEST_P(LatePipelinesWithAddresses, CreatedBehindRecording_Runs)
{
    Dispatches dispatches(Provider::Layer, {.streams = true});
    dispatches.usage = std::get<0>(GetParam());
    dispatches.placeOneMore();
    CaseWithSet drawn(false, true);
    drawn.isExplicit = std::get<1>(GetParam());
    std::vector<uint32_t> salts(std::begin(kSalts), std::end(kSalts));
    dispatches.afterRecording = [&] {
        salts.push_back(12345);
        dispatches.addPipeline(12345);
    };
    uint32_t time = 0;
    dispatches.submitAgain = [&](const Sums& sums) {
        EXPECT_EQ(sums, expectedOf(drawn, salts)) << time;
        dispatches.addPipeline(time);  // that no sequence names
        return ++time < 3;
    };
    dispatches.runStreams(drawn);
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(, LatePipelinesWithAddresses,
                         testing::Combine(testing::Values(0, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT),
                                          testing::Bool()),
                         [](const testing::TestParamInfo<LatePipelinesWithAddresses::ParamType>& info) {
                             return std::string(std::get<0>(info.param) ? "Simultaneous" : "OneByOne") +
                                    (std::get<1>(info.param) ? "Preprocessed" : "");
                         });

// Conditional rendering of the application's, around the instance or in it.
TEST(LateMembers, DrawsWithACondition_DrawWhatIsThereOrNothing)
{
    if (!driverHas(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_conditional_rendering";
    LateDraws draws(Provider::Layer, Maker::Whole, {.conditional = true});
    layertest::TestDevice& device = draws.generated.device;
    const layertest::Buffer condition = device.createBuffer(4, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
    const auto begin = [&](VkCommandBuffer cmd) {
        VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        info.buffer = condition.handle;
        device.get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT")(cmd, &info);
    };
    const auto end = device.get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
    for (uint32_t seed = 0, count = 0; count < 8 && !testing::Test::HasFailure(); ++seed) {
        DrawCase drawn(seed);
        if (!drawn.hasSet || drawn.inSecondary || drawn.hasRenderPass)
            continue;
        const bool isAround = ++count % 2;
        (isAround ? drawn.beforeInstance : drawn.beforeExecution) = begin;
        (isAround ? drawn.behindInstance : drawn.behindExecution) = end;
        condition.words[0] = 1;
        draws.afterRecording = [&] { draws.change(drawn, 2); };
        draws.submitAgain = [&](const Pixels& pixels) {
            const bool isDrawn = condition.words[0] != 0;
            DrawCase nothing(seed);
            nothing.setSequences(0);
            const Picture expected = isDrawn ? drawn.expected() : isAround ? Picture() : nothing.expected();
            EXPECT_TRUE(expected.allows(pixels, drawn.isUnordered)) << "seed " << seed << ", " << isDrawn;
            if (isDrawn)
                draws.change(drawn, 0);
            condition.words[0] = 0;
            return isDrawn;
        };
        draws.run(drawn);
        draws.afterRecording = {};
        draws.change(drawn, 1);
        EXPECT_EQ(device.instance.takeMessages().size(), 0u);
    }
}

// Queries of samples: one in front of executions that draws points, and one behind them that draws nothing.
struct CountedSamples {
    explicit CountedSamples(const layertest::TestDevice& of) : device(of.handle)
    {
        VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        info.queryType = VK_QUERY_TYPE_OCCLUSION;
        info.queryCount = 2;
        MILLRACE_CHECK(vkCreateQueryPool(device, &info, nullptr, &pool));
    }
    ~CountedSamples() { vkDestroyQueryPool(device, pool, nullptr); }
    CountedSamples(const CountedSamples&) = delete;
    CountedSamples& operator=(const CountedSamples&) = delete;

    void addTo(DrawCase& drawn) const
    {
        drawn.beforeInstance = [this](VkCommandBuffer cmd) { vkCmdResetQueryPool(cmd, pool, 0, 2); };
        drawn.beforeExecution = [this](VkCommandBuffer cmd) { count(cmd, 0, 10); };
        drawn.behindExecution = [this](VkCommandBuffer cmd) { count(cmd, 1, 0); };
    }
    void count(VkCommandBuffer cmd, uint32_t query, uint32_t points) const
    {
        vkCmdBeginQuery(cmd, pool, query, 0);
        vkCmdDraw(cmd, points, 1, 0, 0);
        vkCmdEndQuery(cmd, pool, query);
    }
    std::vector<uint32_t> results() const
    {
        std::vector<uint32_t> counts(2);
        MILLRACE_CHECK(vkGetQueryPoolResults(device, pool, 0, 2, 8, counts.data(), 4, VK_QUERY_RESULT_WAIT_BIT));
        return counts;
    }

    const VkDevice device;
    VkQueryPool pool = VK_NULL_HANDLE;
};

// Draws in a query are in no stream of their own. What is generated between counts in none.
TEST(LateMembers, QueriesInFrontAndBehind_CountTheirDrawsAlone)
{
    LateDraws late(Provider::Layer);
    const CountedSamples samples(late.generated.device);
    for (uint32_t seed = 0, count = 0; count < 4 && !testing::Test::HasFailure(); ++seed) {
        DrawCase drawn(seed);
        if (!drawn.hasSet || drawn.isUnordered || drawn.inSecondary || drawn.hasVertices)
            continue;
        ++count;
        samples.addTo(drawn);
        drawn.inHalves = true;
        drawn.ownDraws = 2;
        late.afterRecording = [&] { late.change(drawn, 2); };
        late.run(drawn);
        EXPECT_NE(samples.results()[0], 0u) << "seed " << seed;
        EXPECT_EQ(samples.results()[1], 0u) << "seed " << seed;
        late.afterRecording = {};
        late.change(drawn, 1);
    }
    EXPECT_EQ(late.generated.device.instance.takeMessages().size(), 0u);
}

// The token INDEX_BUFFER goes with no primitive restart, whatever the set has. Behind the command it may be on again.
TEST(LateMembers, PrimitiveRestart_LeftOutWhereItIsOn)
{
    if (!driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    LateDraws draws(Provider::Layer, Maker::Objects);
    uint32_t seed = 0;
    const auto isWanted = [](const DrawCase& one) { return one.hasSet && one.hasIndices && !one.inSecondary; };
    while (!isWanted(DrawCase(seed, Maker::Objects)))
        ++seed;
    const auto setRestart = [&](VkBool32 isOn) {
        return [=](VkCommandBuffer cmd) { vkCmdSetPrimitiveRestartEnable(cmd, isOn); };
    };
    for (const bool isOn : {true, false}) {
        DrawCase drawn(seed, Maker::Objects);
        drawn.beforeExecution = setRestart(isOn);
        drawn.behindExecution = setRestart(!isOn);
        DrawCase expected(seed, Maker::Objects);
        if (isOn)
            expected.setSequences(0);
        draws.afterRecording = [&] { draws.change(drawn, 2); };
        const Pixels pixels = draws.run(drawn);
        if (!isOn)
            expected.setSalts = drawn.setSalts;
        EXPECT_TRUE(expected.expected().allows(pixels, drawn.isUnordered)) << isOn;
        draws.afterRecording = {};
        draws.change(drawn, 1);
        if (isOn)
            expectMessage(draws.generated, "primitive restart is on");
        else
            EXPECT_EQ(draws.generated.device.instance.takeMessages().size(), 0u);
    }
}

}  // namespace

}  // namespace millrace::commandtest
