// SPDX-License-Identifier: Apache-2.0
// The setting "validate" with VK_NV_device_generated_commands: what is wrong in streams is told by the tokens of that
// extension.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "commands/dispatches.h"
#include "commands/draws.h"

namespace millrace::commandtest {

namespace {

using layertest::Message;

// One message, with all of `parts`.
void expectMessage(GeneratedDevice& generated, const std::string& rule, const std::vector<std::string>& parts)
{
    const std::vector<Message> messages = generated.device.instance.takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].id, rule);
    for (const std::string& part : parts)
        EXPECT_NE(messages[0].text.find(part), std::string::npos) << messages[0].text;
}

// With ten sequences, of which the fifth means what is behind the pipelines that there are.
struct TenDispatches : DispatchCase {
    explicit TenDispatches(uint32_t number) : DispatchCase(findSeed(number), true)
    {
        resize(10);
        for (uint32_t i = 0; i < 10; ++i)
            std::fill_n(gridOf(i), 3, 1u);
        stream[size_t{5} * layout.strideWords + static_cast<uint32_t>(layout.setWord)] =
            static_cast<uint32_t>(std::size(kSalts));
    }
    // What runs if that is a pipeline with such a salt, or none.
    Sums expectedWith(std::optional<uint32_t> salt)
    {
        Sums sums(kOutWords);
        for (uint32_t i = 0; i < 10; ++i) {
            const uint32_t* const record = &stream[size_t{i} * layout.strideWords];
            const uint32_t place = record[layout.setWord];
            if (place == std::size(kSalts) ? salt.has_value() : true)
                addDispatch(sums, place == std::size(kSalts) ? *salt : kSalts[place],
                            layout.valuesOf(record, i, pushed), record + layout.actionWord);
        }
        addOwn(sums, *this);
        return sums;
    }

private:
    // Cases with a set, the first, the second and so on.
    static uint32_t findSeed(uint32_t number)
    {
        uint32_t seed = 0;
        for (uint32_t found = 0; found <= number; ++seed) {
            const DispatchCase one(seed, true);
            found += one.hasSet && !one.inSecondary;
        }
        return seed - 1;
    }
};

TEST(CheckedPipelinesOfStreams, RightStreams_NothingTold)
{
    Dispatches dispatches(Provider::Layer, {.validate = true, .streams = true});
    for (uint32_t seed = 0; seed < 40 && !testing::Test::HasFailure(); ++seed) {
        DispatchCase drawn(seed, true);
        if (drawn.deviceCount)
            drawn.deviceCount = std::min(*drawn.deviceCount, drawn.maxSequences);
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches.runStreams(drawn), expected) << "seed " << seed;
    }
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

// In memory that is no pipeline's, and in none at all, which no kernel may read.
TEST(CheckedPipelinesOfStreams, AddressOfNone_ToldAndLeftOut)
{
    for (const VkDeviceAddress address :
         {VkDeviceAddress{0}, VkDeviceAddress{0x7000'0000'1230}, ~VkDeviceAddress{15}}) {
        Dispatches dispatches(Provider::Layer, {.validate = true, .streams = true});
        if (address)
            dispatches.addAddress(address);
        else
            dispatches.placeOneMore();
        for (uint32_t number = 0; number < 4; ++number) {
            TenDispatches drawn(number);
            EXPECT_EQ(dispatches.runStreams(drawn), drawn.expectedWith({})) << number;
            expectMessage(dispatches.generated, "VUID-VkBindPipelineIndirectCommandNV-None-09094",
                          {"sequence 5, token PIPELINE at byte", " of stream ", "no pipeline has the address 0x"});
        }
    }
}

// The same without the setting.
TEST(PipelinesOfStreams, AddressOfNone_LeftOut)
{
    Dispatches dispatches(Provider::Layer, {.streams = true});
    dispatches.addAddress(~VkDeviceAddress{15});
    for (uint32_t number = 0; number < 4; ++number) {
        TenDispatches drawn(number);
        EXPECT_EQ(dispatches.runStreams(drawn), drawn.expectedWith({})) << number;
    }
    EXPECT_EQ(dispatches.generated.device.instance.takeMessages().size(), 0u);
}

TEST(CheckedPipelinesOfStreams, MemoryNotUpdated_Told)
{
    Dispatches dispatches(Provider::Layer, {.validate = true, .streams = true});
    dispatches.placeOneMore();
    dispatches.addPipeline(77, false);
    TenDispatches drawn(0);
    EXPECT_EQ(dispatches.runStreams(drawn), drawn.expectedWith(77));
    expectMessage(dispatches.generated, "VUID-VkBindPipelineIndirectCommandNV-None-09093",
                  {"sequence 5, token PIPELINE at byte", "was not updated"});
}

struct TenOfEach : DispatchCase {
    explicit TenOfEach(uint32_t seed) : DispatchCase(seed, true)
    {
        resize(10);
        for (uint32_t i = 0; i < 10; ++i)
            std::fill_n(gridOf(i), 3, 1u);
    }
};

// With checks and without: the same sequences run.
class ShortStreams : public testing::TestWithParam<bool> {
protected:
    static Sums expectedWithout(DispatchCase& drawn, uint32_t sequence)
    {
        std::fill_n(drawn.gridOf(sequence), 3, 0u);
        Sums sums = drawn.expected();
        addOwn(sums, drawn);
        return sums;
    }
    bool isChecked() const { return GetParam(); }
    // Of one message where there are checks, and else of none.
    void expectFault(const std::vector<std::string>& parts)
    {
        const std::vector<Message> messages = dispatches.generated.device.instance.takeMessages();
        ASSERT_EQ(messages.empty(), !isChecked());
        for (const Message& message : messages) {
            EXPECT_EQ(message.id, "Millrace-token-stream");
            for (const std::string& part : parts)
                EXPECT_NE(message.text.find(part), std::string::npos) << message.text;
        }
    }

    Dispatches dispatches{Provider::Layer, {.validate = isChecked(), .streams = true}};
};

// Numbers far away, which no kernel may read at.
TEST_P(ShortStreams, NumberThatTheStreamsDoNotHave_LeftOut)
{
    for (uint32_t seed = 0, done = 0; done < 6 && !HasFailure(); ++seed) {
        TenOfEach drawn(seed);
        bool isIndexed = false;
        dispatches.changeNumbers = [&](std::vector<uint32_t>& numbers) {
            isIndexed = true;
            numbers[7] = done % 2 ? 0xfffffff0u : 4711;
        };
        const Sums sums = dispatches.runStreams(drawn);
        if (!isIndexed)
            continue;
        EXPECT_EQ(sums, expectedWithout(drawn, 7)) << seed;
        expectFault({"sequence 7, token ", "behind the end of stream ",
                     std::string("the number ") + (done % 2 ? "4294967280" : "4711")});
        ++done;
    }
}

// Of which the host knows the number of sequences.
TEST_P(ShortStreams, StreamTooShort_CommandLeftOut)
{
    for (uint32_t seed = 0, done = 0; done < 6 && !HasFailure(); ++seed) {
        TenOfEach drawn(seed);
        bool isIndexed = false;
        std::vector<size_t> words;
        dispatches.changeNumbers = [&](std::vector<uint32_t>&) { isIndexed = true; };
        dispatches.changeStreams = [&](std::vector<std::vector<uint32_t>>& streams) {
            for (std::vector<uint32_t>& stream : streams) {
                stream.resize(isIndexed ? stream.size() : stream.size() / 2);
                words.push_back(stream.size());
            }
        };
        const Sums sums = dispatches.runStreams(drawn);
        const std::vector<Message> messages = dispatches.generated.device.instance.takeMessages();
        if (isIndexed)
            continue;
        Sums nothing(kOutWords);
        addOwn(nothing, drawn);
        EXPECT_EQ(sums, nothing) << seed;
        ASSERT_FALSE(messages.empty()) << seed;
        for (const Message& message : messages) {
            EXPECT_EQ(message.id, "Millrace-generated-commands");
            bool isNamed = message.text.find("all of the stream") != std::string::npos;  // the only one
            for (size_t i = 0; i < words.size(); ++i)
                isNamed |= message.text.find("stream " + std::to_string(i) + " has " + std::to_string(words[i] * 4) +
                                             " bytes") != std::string::npos;
            EXPECT_TRUE(isNamed) << message.text;
        }
        ++done;
    }
}

// Of which the device says how many there are: as many as the streams have, or one more where records are gathered.
TEST_P(ShortStreams, CountOfTheDevice_WhatIsThereRuns)
{
    for (uint32_t seed = 0, done = 0; done < 8 && !HasFailure(); ++seed) {
        TenOfEach drawn(seed);
        const uint32_t more = seed % 2;
        drawn.deviceCount = 6 + more;
        bool isIndexed = false;
        bool isGathered = false;
        dispatches.changeNumbers = [&](std::vector<uint32_t>&) { isIndexed = true; };
        dispatches.changeStreams = [&](std::vector<std::vector<uint32_t>>& streams) {
            isGathered = streams.size() > 1;
            for (std::vector<uint32_t>& stream : streams)
                if (!isIndexed && (isGathered || !more))
                    stream.resize(stream.size() / 10 * 6);
        };
        const Sums sums = dispatches.runStreams(drawn);
        const std::vector<Message> messages = dispatches.generated.device.instance.takeMessages();
        if (isIndexed || (more && !isGathered))
            continue;
        ++done;
        EXPECT_EQ(sums, expectedWithout(drawn, 6)) << seed;
        EXPECT_EQ(messages.empty(), !more || !isChecked()) << seed;
        for (const Message& message : messages)
            EXPECT_NE(message.text.find("sequence 6, token "), std::string::npos) << message.text;
    }
}

INSTANTIATE_TEST_SUITE_P(, ShortStreams, testing::Bool(),
                         [](const auto& info) { return info.param ? "Checked" : "Unchecked"; });

// Of which the streams are drawn anew for each seed: whole records in one, or parts in several.
TEST(CheckedGroupsOfStreams, IndexBeyondTheGroups_ToldByTheToken)
{
    Draws draws(Provider::Layer, Maker::Streams, {.validate = true});
    for (uint32_t seed = 0, done = 0; done < 6 && !testing::Test::HasFailure(); ++seed) {
        DrawCase drawn(seed, Maker::Streams);
        if (!drawn.hasSet || drawn.inSecondary || drawn.deviceCount || drawn.maxSequences < 8)
            continue;
        ++done;
        drawn.spoil = [](DrawCase& own) { own.recordOf(5)[own.layout.setWord] = 4711; };
        const Pixels pixels = draws.run(drawn);
        expectMessage(draws.generated, "VUID-VkBindShaderGroupIndirectCommandNV-index-02945",
                      {"sequence 5, token SHADER_GROUP at byte", " of stream ", "index 4711",
                       "the shader groups of the pipeline, which has " + std::to_string(std::size(kDrawSalts))});
        drawn.recordOf(5)[drawn.layout.setWord] = 0;
        drawn.recordOf(5)[drawn.layout.actionWord] = 0;  // vertices
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered)) << "seed " << seed;
    }
}

}  // namespace

}  // namespace millrace::commandtest
