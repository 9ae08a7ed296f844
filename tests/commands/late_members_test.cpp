// SPDX-License-Identifier: Apache-2.0
// Execution sets that change between the recording of commands and their submission. Drivers run what is in the set
// then. The layer runs what was in it at the recording, and says so.
#include <gtest/gtest.h>

#include <string>

#include "commands/dispatches.h"

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
    explicit CaseWithSet(bool secondary) : DispatchCase(seedWithSet(false))
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
};

// With these members at the places; none at a place that is beyond.
Sums expectedWith(const DispatchCase& drawn, const std::vector<uint32_t>& members)
{
    Sums sums(kOutWords);
    addOwn(sums, drawn);
    for (uint32_t i = 0; i < drawn.maxSequences; ++i) {
        const uint32_t* const record = &drawn.stream[size_t{i} * drawn.layout.strideWords];
        const uint32_t place = record[drawn.layout.setWord];
        if (place < members.size())
            addDispatch(sums, kSalts[members[place]], drawn.layout.valuesOf(record, i, drawn.pushed),
                        record + drawn.layout.actionWord);
    }
    return sums;
}

void expectMessage(Dispatches& dispatches, const std::string& part)
{
    const std::vector<Message> messages = dispatches.generated.device.instance.takeMessages();
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
        if (GetParam().first && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
    }
    static GeneratedOptions options()
    {
        GeneratedOptions with;
        with.objects = GetParam().first;
        return with;
    }
};

TEST_P(LateMembersOfLayer, PlaceFilledBehindRecording_ToldAndLeftOut)
{
    Dispatches dispatches(Provider::Layer, options());
    CaseWithSet drawn(GetParam().second);
    dispatches.afterRecording = [&] { dispatches.put(kFree, 1); };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 1, 2}));
    expectMessage(dispatches, "place 3 of the execution set was changed");
    // Recorded again it is there.
    dispatches.afterRecording = {};
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 1, 2, 1}));
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

TEST_P(LateMembersOfLayer, PlacesChangedBehindRecording_EachChangeToldOnce)
{
    Dispatches dispatches(Provider::Layer, options());
    CaseWithSet drawn(GetParam().second);
    dispatches.afterRecording = [&] {
        dispatches.put(1, 2);
        dispatches.put(2, 1);
    };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 1, 2}));
    expectMessage(dispatches, "places 1 and 2 of the execution set were changed");
    // The same change of other commands is no news, another one is.
    dispatches.afterRecording = [&] { dispatches.put(1, 2); };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 2, 1}));
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
    dispatches.afterRecording = [&] { dispatches.put(1, 0); };
    EXPECT_EQ(dispatches.run(drawn), expectedWith(drawn, {0, 2, 1}));
    expectMessage(dispatches, "place 1 of the execution set was changed");
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

// The memory of a pipeline whose address sequences may have gets its number when the pipeline is created.
TEST(LateMembers, PipelineWithAnAddressCreatedBehindRecording_Told)
{
    Dispatches dispatches(Provider::Layer, {.streams = true});
    DispatchCase drawn(seedWithSet(true), true);
    drawn.isExplicit = false;
    dispatches.afterRecording = [&] { dispatches.addPipeline(12345); };
    Sums expected = drawn.expected();
    addOwn(expected, drawn);
    EXPECT_EQ(dispatches.runStreams(drawn), expected);
    expectMessage(dispatches, "a pipeline with an address was created");
    dispatches.afterRecording = {};
    EXPECT_EQ(dispatches.runStreams(drawn), expected);
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

}  // namespace

}  // namespace millrace::commandtest
