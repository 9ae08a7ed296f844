// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/state_log.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "layer/recording/copy_few.h"

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

constexpr StateKey kKey{StateKind::Viewport, 0, 0, 2};

StateLog::Replay replayOfOne()
{
    return [](const VkuDeviceDispatchTable&, VkCommandBuffer, const std::byte*) { replayed.push_back(1); };
}

StateLog::Replay replayOfAnother()
{
    return [](const VkuDeviceDispatchTable&, VkCommandBuffer, const std::byte*) { replayed.push_back(2); };
}

constexpr std::array<uint32_t, 2> kShape{0, 2};

std::byte* addShaped(StateLog& log, const StateKey& key = kKey)
{
    return log.addShaped(key, std::array{key.first, key.count}, kScopeOther, replayOfOne(), 8);
}

std::byte* addAgain(StateLog& log, const StateKey& key = kKey)
{
    return log.addAgain(key, std::array{key.first, key.count}, replayOfOne());
}

// Only what needs nothing but other values.
TEST(StateLog, AddAgain_WhereNothingIsNew)
{
    StateLog log;
    EXPECT_EQ(addAgain(log), nullptr) << "empty";
    std::byte* const payload = addShaped(log);
    EXPECT_EQ(addAgain(log), payload);
    EXPECT_EQ(log.addAgain(kKey, std::array{0u, 3u}, replayOfOne()), nullptr) << "another shape";
    EXPECT_EQ(log.addAgain(kKey, kShape, replayOfAnother()), nullptr) << "another command";
    EXPECT_EQ(addAgain(log, {StateKind::Scissor, 0, 0, 2}), nullptr) << "another kind";
    for (const uint32_t first : {1, 2, 3, 4})
        EXPECT_EQ(addAgain(log, {StateKind::Viewport, 0, first, 2}), nullptr) << "another place";
    EXPECT_EQ(addAgain(log), payload) << "nothing has changed";
    log.clear();
    EXPECT_EQ(addAgain(log), nullptr) << "cleared";
}

// What another command has set there instead, though it has the same key and fits.
TEST(StateLog, AddAgain_NotBehindWhatHasNoShape)
{
    StateLog log;
    addShaped(log);
    log.add(kKey, kScopeOther, replayOfAnother(), 4);
    EXPECT_EQ(addAgain(log), nullptr);
    EXPECT_EQ(replay(log, kScopeOther), (std::vector<uint32_t>{2}));
    addShaped(log);
    log.add(kKey, kScopeOther, replayOfOne(), 8, std::make_shared<int>(1));
    EXPECT_EQ(addAgain(log), nullptr) << "with an owner";
    addShaped(log);
    EXPECT_NE(addAgain(log), nullptr);
    EXPECT_EQ(replay(log, kScopeOther), (std::vector<uint32_t>{1}));
}

TEST(StateLog, AddAgain_MovesBackAsAddDoes)
{
    StateLog log;
    addShaped(log);
    add(log, {StateKind::Scissor}, kScopeOther, 8);
    const uint64_t before = log.lastOrder(StateKind::Viewport);
    ASSERT_NE(addAgain(log), nullptr);
    EXPECT_GT(log.lastOrder(StateKind::Viewport), before);
    EXPECT_EQ(replay(log, kScopeOther), (std::vector<uint32_t>{8, 1}));
}

// Entries that have moved in memory, those that others came to the place of, and those of which others are gone.
TEST(StateLog, AddAgain_BehindMoreAndFewerEntries)
{
    StateLog log;
    for (uint32_t i = 0; i < 40; ++i) {
        const StateKey key{StateKind::Viewport, 0, i};
        add(log, {StateKind::Viewport, 0, 100 + i}, kScopeCompute, i);
        std::byte* const payload = addShaped(log, key);
        ASSERT_EQ(addAgain(log, key), payload);
    }
    log.clear(kScopeCompute);
    const StateKey key{StateKind::Viewport, 0, 39};
    EXPECT_EQ(addAgain(log, key), nullptr) << "others may have moved";
    std::byte* const payload = addShaped(log, key);
    EXPECT_EQ(addAgain(log, key), payload);
    EXPECT_EQ(replay(log, kScopeOther).size(), 40u);
}

TEST(StateLog, AddAgain_BehindCopiesAndChanges)
{
    StateLog log;
    addShaped(log);
    StateLog copy;
    copy.assign(log);
    EXPECT_EQ(addAgain(copy), nullptr) << "its memory is another";
    Arena payloads;
    const std::vector<StateLog::Entry> changes = log.changesSince(0, payloads);
    copy.take(changes);
    std::byte* const payload = addAgain(copy);
    ASSERT_NE(payload, nullptr);
    EXPECT_NE(payload, addAgain(log));
    EXPECT_EQ(replay(copy, kScopeOther), (std::vector<uint32_t>{1}));
}

// Of a log that goes on, as another one has it.
TEST(StateLog, ChangesTakenByACopy_IsWhatTheFirstIs)
{
    StateLog log;
    add(log, {StateKind::Pipeline, 0}, kScopeOther, 1);
    add(log, {StateKind::Viewport, 0, 0, 2}, kScopeOther, 2);
    add(log, {StateKind::LineWidth}, kScopeOther, 3);
    StateLog copy;
    copy.assign(log);
    Arena payloads;
    EXPECT_TRUE(log.changesSince(log.order(), payloads).empty());
    const uint64_t before = log.order();
    add(log, {StateKind::LineWidth}, kScopeOther, 4);
    add(log, {StateKind::Viewport, 0, 1, 1}, kScopeOther, 5);
    add(log, {StateKind::Pipeline, 0}, kScopeOther, 6, 64);  // more than there was room for
    add(log, {StateKind::LineWidth}, kScopeOther, 7);
    const std::vector<StateLog::Entry> changes = log.changesSince(before, payloads);
    EXPECT_EQ(changes.size(), 3u);
    const uint64_t order = log.order();
    const std::vector<uint32_t> wanted = replay(log, kScopeOther);
    EXPECT_EQ(wanted, (std::vector<uint32_t>{2, 5, 6, 7}));
    log.clear();
    copy.take(changes);
    EXPECT_EQ(replay(copy, kScopeOther), wanted);
    EXPECT_EQ(copy.order(), order);
    EXPECT_EQ(copy.lastOrder(StateKind::LineWidth), order);
    // It goes on as well.
    add(copy, {StateKind::Viewport, 0, 0, 2}, kScopeOther, 8);
    EXPECT_EQ(replay(copy, kScopeOther), (std::vector<uint32_t>{5, 6, 7, 8}));
}

// What a payload leads to stays as long as one of them.
TEST(StateLog, ChangesWithAnOwner_KeepIt)
{
    StateLog log;
    auto owner = std::make_shared<const int>(1);
    const std::weak_ptr<const int> watch = owner;
    log.add(kKey, kScopeOther, replayOfOne(), 4, std::move(owner));
    Arena payloads;
    std::vector<StateLog::Entry> changes = log.changesSince(0, payloads);
    log.clear();
    StateLog other;
    other.take(changes);
    changes.clear();
    EXPECT_FALSE(watch.expired());
    other.clear();
    EXPECT_TRUE(watch.expired());
}

TEST(Few, CopiedUpToTheMost)
{
    const std::vector<uint64_t> from{11, 12, 13, 14};
    for (size_t count = 0; count <= from.size(); ++count) {
        std::vector<uint64_t> to(from.size(), 0);
        copyFew<4>(to.data(), from.data(), count);
        for (size_t i = 0; i < from.size(); ++i)
            EXPECT_EQ(to[i], i < count ? from[i] : 0) << count;
    }
}

TEST(Few, BytesInWords)
{
    std::vector<uint8_t> from(80);
    std::iota(from.begin(), from.end(), uint8_t{1});
    for (size_t bytes = 0; bytes <= from.size(); ++bytes) {
        ASSERT_EQ(areFewBytes<64>(bytes), bytes % 4 == 0 && bytes <= 64) << bytes;
        if (!areFewBytes<64>(bytes))
            continue;
        std::vector<uint8_t> to(from.size(), 0);
        copyFewBytes<64>(reinterpret_cast<std::byte*>(to.data()), from.data(), bytes);
        for (size_t i = 0; i < from.size(); ++i)
            EXPECT_EQ(to[i], i < bytes ? from[i] : 0) << bytes;
    }
}

}  // namespace

}  // namespace millrace::layer
