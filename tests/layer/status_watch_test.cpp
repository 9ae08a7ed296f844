// SPDX-License-Identifier: Apache-2.0
// Which graphs a wait looks at: those that are complete since the last one, however many there are.
#include "layer/submission/status_watch.h"

#include <gtest/gtest.h>

namespace millrace::layer {

namespace {

struct Run : Watched {
    void report() noexcept override { ++looks; }
    int looks = 0;
};

using Graph = std::shared_ptr<Run>;
using Graphs = std::vector<std::shared_ptr<Watched>>;
using SemaphoreValue = StatusWatch::SemaphoreValue;

constexpr uint64_t kGraphics = 1;
constexpr uint64_t kCompute = 2;

VkFence fence(uintptr_t number)
{
    return reinterpret_cast<VkFence>(number);
}
VkSemaphore semaphore(uintptr_t number)
{
    return reinterpret_cast<VkSemaphore>(number);
}

struct Watch {
    StatusWatch watch{[this](Watched& run) {
        run.report();
        ++looks;
    }};
    int looks = 0;

    Graph record()
    {
        auto run = std::make_shared<Run>();
        watch.add(run);
        return run;
    }
    void submit(uint64_t queue, const Graphs& runs, VkFence signaled, const std::vector<SemaphoreValue>& waits = {},
                const std::vector<SemaphoreValue>& signals = {})
    {
        watch.submitBatch(queue, runs, waits, signals);
        watch.submitFence(queue, signaled);
    }
    int takeLooks() { return std::exchange(looks, 0); }
};

TEST(StatusWatch, ManyGraphsRecorded_AWaitLooksAtThoseThatWereSubmitted)
{
    for (const size_t recorded : {10u, 1000u, 100000u}) {
        Watch test;
        std::vector<Graph> runs;
        for (size_t i = 0; i < recorded; ++i)
            runs.push_back(test.record());
        test.submit(kGraphics, {runs[3]}, fence(1));
        test.watch.isSignaled(fence(1));
        EXPECT_EQ(test.takeLooks(), 1) << recorded;
        EXPECT_EQ(runs[3]->looks, 1);
        // An empty submission.
        test.submit(kGraphics, {}, fence(1));
        test.watch.isSignaled(fence(1));
        test.watch.deviceIsIdle();
        EXPECT_EQ(test.takeLooks(), 0) << recorded;
    }
}

TEST(StatusWatch, ManyGraphsInFlight_AWaitLooksAtThoseThatAreComplete)
{
    for (const uintptr_t submitted : {10u, 1000u, 10000u}) {
        Watch test;
        std::vector<Graph> runs;
        for (uintptr_t i = 0; i < submitted; ++i) {
            runs.push_back(test.record());
            test.submit(kGraphics, {runs.back()}, fence(i + 1));
        }
        test.watch.isSignaled(fence(3));
        EXPECT_EQ(test.takeLooks(), 3) << "what was submitted before is complete as well";
        test.watch.isSignaled(fence(2));
        EXPECT_EQ(test.takeLooks(), 0);
        test.watch.isSignaled(fence(4));
        EXPECT_EQ(test.takeLooks(), 1) << submitted;
        test.watch.queueIsIdle(kCompute);
        EXPECT_EQ(test.takeLooks(), 0);
        test.watch.queueIsIdle(kGraphics);
        EXPECT_EQ(test.takeLooks(), static_cast<int>(submitted) - 4);
    }
}

TEST(StatusWatch, SubmittedAgain_LookedAtAgain)
{
    Watch test;
    const Graph run = test.record();
    for (int i = 0; i < 3; ++i) {
        test.submit(kGraphics, {run}, fence(1));
        test.watch.isSignaled(fence(1));
        EXPECT_EQ(test.takeLooks(), 1);
    }
}

TEST(StatusWatch, FenceSubmittedAgain_MeansTheLastSubmission)
{
    Watch test;
    const Graph first = test.record();
    const Graph second = test.record();
    test.submit(kGraphics, {first}, VK_NULL_HANDLE);
    test.submit(kCompute, {second}, fence(1));
    test.submit(kGraphics, {}, fence(1));
    EXPECT_TRUE(test.watch.knows(fence(1)));
    test.watch.isSignaled(fence(1));
    EXPECT_FALSE(test.watch.knows(fence(1)));
    EXPECT_EQ(first->looks, 1);
    EXPECT_EQ(second->looks, 0);
}

TEST(StatusWatch, BatchesOfASubmission_SemaphoreSaysNothingOfThoseBehindIt)
{
    Watch test;
    const Graph first = test.record();
    const Graph second = test.record();
    const SemaphoreValue one[] = {{semaphore(1), 1}};
    const SemaphoreValue two[] = {{semaphore(1), 2}};
    test.watch.submitBatch(kGraphics, Graphs{first}, {}, one);
    test.watch.submitBatch(kGraphics, Graphs{second}, {}, two);
    test.watch.hasReached(semaphore(1), 1);
    EXPECT_EQ(first->looks, 1);
    EXPECT_EQ(second->looks, 0);
    test.watch.hasReached(semaphore(1), 7);
    EXPECT_EQ(second->looks, 1);
}

TEST(StatusWatch, SemaphoresBetweenQueues_FenceOfTheLastTellsOfAll)
{
    for (const uint64_t value : {0u, 5u}) {
        Watch test;
        const Graph first = test.record();
        const Graph other = test.record();
        test.submit(kCompute, {first}, VK_NULL_HANDLE, {}, {{semaphore(1), value}});
        test.submit(kCompute, {other}, VK_NULL_HANDLE);
        test.submit(kGraphics, {}, VK_NULL_HANDLE, {{semaphore(1), value}});
        test.submit(kGraphics, {}, fence(1));
        test.watch.isSignaled(fence(1));
        EXPECT_EQ(first->looks, 1);
        EXPECT_EQ(other->looks, 0);
    }
}

TEST(StatusWatch, TimelineSignaledByTwoQueues_LaterValueTellsOfBoth)
{
    Watch test;
    const Graph first = test.record();
    const Graph second = test.record();
    test.submit(kCompute, {first}, VK_NULL_HANDLE, {}, {{semaphore(1), 1}});
    test.submit(kGraphics, {second}, VK_NULL_HANDLE, {}, {{semaphore(1), 2}});
    test.watch.hasReached(semaphore(1), 2);
    EXPECT_EQ(test.takeLooks(), 2);
}

// The application sees nothing of it but by what the layer does not see, and records anew.
TEST(StatusWatch, NobodyWaits_KeepsNoMoreThanThereIs)
{
    Watch test;
    std::vector<Graph> runs(4);
    const Graph again = test.record();
    for (uintptr_t i = 0; i < 20000; ++i) {
        runs[i % runs.size()] = test.record();
        test.submit(kGraphics, {runs[i % runs.size()], again}, fence(i % 1000 + 1), {},
                    {{semaphore(1), i + 1}, {semaphore(i + 2), 0}});
        ASSERT_LE(test.watch.size(), 300u) << i;
    }
    test.watch.deviceIsIdle();
    EXPECT_EQ(again->looks, 1);
    for (const Graph& run : runs)
        EXPECT_EQ(run->looks, 1);
    EXPECT_EQ(test.watch.alive().size(), 5u);
}

}  // namespace

}  // namespace millrace::layer
