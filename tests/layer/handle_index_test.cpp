// SPDX-License-Identifier: Apache-2.0
#include "layer/base/handle_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "layer/base/registry.h"

namespace millrace::layer {

void noteFailure(VkCommandBuffer) noexcept {}

namespace {

void* addressOf(uint64_t number)
{
    return reinterpret_cast<void*>(static_cast<uintptr_t>(number * 16 + 16));
}

TEST(HandleIndex, Empty_NothingFound)
{
    HandleIndex index;
    EXPECT_EQ(index.find(1), nullptr);
    index.remove(1);
    index.clear();
    EXPECT_EQ(index.find(0), nullptr);
    EXPECT_EQ(index.find(~uint64_t{0}), nullptr);
}

// Handles that are counted and handles that are addresses, of which few stay.
TEST(HandleIndex, ManyComeAndGo_AsInAMap)
{
    for (const uint64_t step : {uint64_t{1}, uint64_t{64}, uint64_t{1} << 32}) {
        HandleIndex index;
        std::unordered_map<uint64_t, void*> expected;
        std::mt19937_64 random(7);
        for (uint64_t i = 0; i < 100000; ++i) {
            const uint64_t id = (1 + random() % 500) * step;
            if (random() % 2) {
                index.insert(id, addressOf(i));
                expected[id] = addressOf(i);
            } else {
                index.remove(id);
                expected.erase(id);
            }
            const uint64_t other = (1 + random() % 500) * step;
            const auto found = expected.find(other);
            ASSERT_EQ(index.find(other), found == expected.end() ? nullptr : found->second) << other;
        }
    }
}

TEST(HandleIndex, NewHandlesForEver_NoMoreMemory)
{
    HandleIndex index;
    for (uint64_t i = 1; i <= 1000; ++i)
        index.insert(i * 16, addressOf(i));
    for (uint64_t i = 1001; i <= 300000; ++i) {
        index.insert(i * 16, addressOf(i));
        index.remove((i - 1000) * 16);
    }
    EXPECT_LE(index.capacity(), 16384u);
    for (uint64_t i = 299001; i <= 300000; ++i)
        ASSERT_EQ(index.find(i * 16), addressOf(i));
}

// Threads that look up their own handles while others come and go.
TEST(HandleIndex, LookedUpWhileOthersChange_Found)
{
    Registry<uint64_t> registry;
    std::atomic<bool> stop{false};
    std::atomic<size_t> wrong{0};
    std::vector<std::thread> threads;
    for (uint64_t own = 1; own <= 3; ++own) {
        registry.insert(own << 40, std::make_shared<uint64_t>(own));
        threads.emplace_back([&, own] {
            while (!stop) {
                const uint64_t* const found = registry.find(own << 40);
                wrong += !found || *found != own;
            }
        });
    }
    for (uint64_t i = 1; i < 50000; ++i) {
        registry.insert(i * 16, std::make_shared<uint64_t>(i));
        if (i > 100)
            registry.remove((i - 100) * 16);
    }
    stop = true;
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0u);
}

}  // namespace

}  // namespace millrace::layer
