// SPDX-License-Identifier: Apache-2.0
// The setting "validate" with VK_NV_device_generated_commands: what is wrong in streams is told by the tokens of that
// extension.
#include <gtest/gtest.h>

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
