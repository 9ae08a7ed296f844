// SPDX-License-Identifier: Apache-2.0
// Inputs of the device in numbers at which the layer goes other ways (src/runtime/bounded_dispatch.cpp).
#include <algorithm>
#include <cstring>
#include <functional>

#include "abi/dispatch.h"
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class DeviceInputs : public GraphTest {
protected:
    // Each of its workgroups, whose number the payload says, sends a 1 to "to".
    static std::vector<Stage> grids()
    {
        const Stage from = writeNode("from", [](NodeWriter& node) {
            node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX")});
            const Id array = node.allocate(node.output("to", {node.word()}), node.c(1), node.c(0));
            node.writePayload(array, node.c(0), 0, node.c(1));
            node.enqueue(array);
        });
        return {from, adder("to", 0)};
    }

    void expectGrids(const std::vector<uint32_t>& sizes)
    {
        uint32_t groups = 0;
        for (const uint32_t size : sizes)
            groups += size;
        const auto count = static_cast<uint32_t>(sizes.size());
        EXPECT_EQ(first(run(grids(), {launchWords("from", 0, count, sizes)}), 2),
                  (std::vector<uint32_t>{groups, groups}));
    }
};

// More than invocations that count them, and than the feed reads at a time.
TEST_F(DeviceInputs, ManyInfosOfFewPayloads)
{
    std::vector<Launch> launches;
    uint32_t received = 0;
    for (uint32_t i = 0; i < 700; ++i) {
        const bool isSent = i % 4 < 2;
        launches.push_back(launchWords(isSent ? "from" : "to", 0, i % 3, std::vector<uint32_t>(i % 3, i)));
        received += i % 3 * (isSent ? 2 : 1);
    }
    EXPECT_EQ(run({senderOf("from", "to", 2), adder("to", 0)}, launches)[1], received);
}

TEST_F(DeviceInputs, InfosOfAnyLength)
{
    std::vector<Launch> launches;
    uint32_t count = 0;
    for (const uint32_t payloads : {0u, 1u, 63u, 64u, 65u, 129u, 0u}) {
        launches.push_back(launchWords("to", 0, payloads, std::vector<uint32_t>(payloads, 3)));
        count += payloads;
    }
    EXPECT_EQ(first(run({adder("to", 0)}, launches), 2), (std::vector<uint32_t>{3 * count, count}));
}

// Counted in front of the feed, within what memory has room for and above it.
TEST_F(DeviceInputs, GridsOfFewPayloads)
{
    expectGrids({0, 1, 5, 0});
    expectGrids({600, 3});
}

// More payloads than are counted in front of the feed: it finds out how many workgroups they have. With some of these
// sizes of memory there is room for the payloads, and not for so many workgroups.
TEST_F(DeviceInputs, GridsOfManyPayloads)
{
    std::vector<uint32_t> sizes(abi::kMostCountedGrids + 77, 1);
    std::fill_n(sizes.begin(), 9, 1000);
    uint32_t groups = 0;
    for (const uint32_t size : sizes)
        groups += size;
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph(grids());
    const std::vector<Launch> launches = {launchWords("from", 0, static_cast<uint32_t>(sizes.size()), sizes)};
    const harness::Buffer arguments = runner.createArguments(graph, launches, sizeof(VkDispatchGraphInfoAMDX));
    for (VkDeviceSize bytes = 256 << 10; bytes <= 8 << 20; bytes += bytes / 2) {
        const harness::Buffer scratch = runner.createScratch(bytes);
        runner.clearOutput();
        device().submit([&](VkCommandBuffer cmd) {
            runner.initialize(cmd, graph, scratch);
            runner.bind(cmd, graph);
            runner.dispatchIndirect(cmd, scratch, arguments, Form::IndirectCount);
        });
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{groups, groups})) << bytes;
    }
}

// The same command buffer, each time with other inputs: what the device found out of some is nothing to the next.
TEST_F(DeviceInputs, SubmittedAgain_OthersEachTime)
{
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph(grids());
    const harness::Buffer arguments =
        runner.createArguments(graph, {launchWords("from", 0, 1, {0})}, sizeof(VkDispatchGraphInfoAMDX));
    VkDispatchGraphInfoAMDX info{};
    std::memcpy(&info, arguments.bytes() + sizeof(VkDispatchGraphCountInfoAMDX) + 4, sizeof info);
    auto* const payload = arguments.words() + (info.payloads.deviceAddress - arguments.address) / 4;
    const harness::Buffer scratch = runner.createScratch(runner.scratchSize(graph).minSize);
    device().submit([&](VkCommandBuffer cmd) { runner.initialize(cmd, graph, scratch); });
    std::vector<std::function<void()>> prepare;
    uint32_t wanted = 0;
    for (const uint32_t size : {3u, 700u, 0u, 900u, 800u, 1u, 1u, 700u}) {
        prepare.push_back([&, size] {
            EXPECT_EQ(runner.outputWords()[1], wanted);
            *payload = size;
            wanted += size;
        });
    }
    runner.clearOutput();
    device().submitAgain(
        [&](VkCommandBuffer cmd) {
            Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
            runner.bind(cmd, graph);
            runner.dispatchIndirect(cmd, scratch, arguments, Form::IndirectCount);
        },
        prepare);
    EXPECT_EQ(runner.outputWords()[1], wanted);
}

}  // namespace

}  // namespace millrace::conformance
