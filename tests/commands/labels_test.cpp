// SPDX-License-Identifier: Apache-2.0
// What a capture tool below the layer can show of generated commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "commands/dispatches.h"
#include "layer/recorder.h"

namespace millrace::commandtest {

namespace {

using layertest::Seen;

TEST(GeneratedLabels, SayWhatRunsAndHowMuch)
{
    Dispatches dispatches(Provider::Layer, {.recorder = true});
    uint32_t seed = 0;
    while (!DispatchCase(seed).hasSet || DispatchCase(seed).isExplicit)
        ++seed;
    DispatchCase drawn(seed);
    layertest::takeEvents();
    dispatches.run(drawn);
    std::vector<std::string> labels;
    int open = 0;
    for (const layertest::Event& event : layertest::takeEvents()) {
        open += event.what == Seen::BeginLabel ? 1 : event.what == Seen::EndLabel ? -1 : 0;
        EXPECT_GE(open, 0);
        if (event.what == Seen::BeginLabel)
            labels.push_back(event.text);
    }
    EXPECT_EQ(open, 0);
    const std::string extent = ", at most " + std::to_string(drawn.maxSequences) + " sequences of 3 pipelines";
    EXPECT_EQ(labels, (std::vector<std::string>{"Millrace: prepare generated commands" + extent,
                                                "Millrace: generated dispatches" + extent}));
}

}  // namespace

}  // namespace millrace::commandtest
