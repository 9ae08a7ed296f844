// SPDX-License-Identifier: Apache-2.0
// What a capture tool below the layer can show of generated commands.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "commands/dispatches.h"
#include "harness/temporary_folder.h"
#include "layer/recorder.h"

namespace millrace::commandtest {

namespace {

using layertest::Seen;

// Those of one call with a set, and what its label says of how much there is.
void expectLabels(const char* trace, const std::vector<std::string>& kinds)
{
    Dispatches dispatches(Provider::Layer, {.recorder = true, .trace = trace});
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
    ASSERT_EQ(labels.size(), kinds.size());
    for (size_t i = 0; i < kinds.size(); ++i)
        EXPECT_EQ(labels[i], "Millrace: " + kinds[i] + extent);
}

TEST(GeneratedLabels, SayWhatRunsAndHowMuch)
{
    expectLabels(nullptr, {"prepare generated commands", "generated dispatches"});
}

TEST(GeneratedLabels, WithATrace_WhatCountsHasOneAsWell)
{
    const TemporaryFolder folder;
    // In front of all that time is taken of.
    expectLabels(folder.file("a.mrtrace").c_str(),
                 {"count generated commands", "prepare generated commands", "generated dispatches"});
}

}  // namespace

}  // namespace millrace::commandtest
