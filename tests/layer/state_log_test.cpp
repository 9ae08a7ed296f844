// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/state_log.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace millrace::layer {

namespace {

std::vector<uint32_t> replayed;

void add(StateLog& log, const StateKey& key, uint32_t scopes, uint32_t value, size_t bytes = sizeof(uint32_t))
{
    std::byte* payload = log.add(
        key, scopes,
        [](const VkuDeviceDispatchTable&, VkCommandBuffer, const std::byte* stored) {
            uint32_t number;
            std::memcpy(&number, stored, sizeof number);
            replayed.push_back(number);
        },
        bytes);
    std::memcpy(payload, &value, sizeof value);
}

std::vector<uint32_t> replay(const StateLog& log, uint32_t scopes)
{
    replayed.clear();
    log.replay(scopes, VkuDeviceDispatchTable{}, VK_NULL_HANDLE);
    return replayed;
}

TEST(StateLog, EqualKeys_LastWinsAndMovesBack)
{
    StateLog log;
    add(log, {StateKind::Viewport, 0, 0, 2}, kScopeOther, 1);
    add(log, {StateKind::Viewport, 0, 1, 1}, kScopeOther, 2);
    add(log, {StateKind::Viewport, 0, 0, 2}, kScopeOther, 3);
    EXPECT_EQ(replay(log, kScopeOther), (std::vector<uint32_t>{2, 3}));
}

TEST(StateLog, Scopes_ReplayApart)
{
    StateLog log;
    add(log, {StateKind::Pipeline, 0}, kScopeOther, 1);
    add(log, {StateKind::Pipeline, 1}, kScopeCompute, 2);
    add(log, {StateKind::PushConstants}, kScopePushConstants, 3);
    add(log, {StateKind::RenderingAttachmentLocations}, kScopeInRendering, 4);
    EXPECT_EQ(replay(log, kScopeCompute | kScopePushConstants), (std::vector<uint32_t>{2, 3}));
    EXPECT_EQ(replay(log, kScopeOutsideRendering), (std::vector<uint32_t>{1, 2, 3}));
    EXPECT_TRUE(log.has(kScopeInRendering));
    log.clear(kScopeInRendering);
    EXPECT_FALSE(log.has(kScopeInRendering));
    log.clear();
    EXPECT_TRUE(replay(log, ~0u).empty());
}

TEST(StateLog, ManyReplacements_KeepTheirValuesWhenMemoryIsReclaimed)
{
    StateLog log;
    add(log, {StateKind::LineWidth}, kScopeOther, 7);
    for (uint32_t i = 0; i < 10000; ++i)
        for (uint32_t k = 0; k < 3; ++k)
            add(log, {StateKind::Viewport, 0, k}, kScopeOther, 1000 * k + i % 1000, 64 + i % 5);
    EXPECT_EQ(replay(log, kScopeOther), (std::vector<uint32_t>{7, 999, 1999, 2999}));
}

}  // namespace

}  // namespace millrace::layer
