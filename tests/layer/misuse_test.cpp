// SPDX-License-Identifier: Apache-2.0
// Misuse that could corrupt memory, with all checks that cost something switched off: it is dropped and reported, and
// what is right in the same dispatch still runs.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "layer/patch_words.h"
#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

enum class Form { Host, Indirect, IndirectCount };

// Node "b" adds 4 * grid.x to out[id]; its MaxNumWorkgroupsAMDX is (8, 1, 1).
struct Payload {
    uint32_t grid[3];
    uint32_t id;
};

constexpr Payload kGood{{2, 1, 1}, 1};
constexpr uint32_t kNoNode = 1234;
constexpr uint32_t kTooMany = (1u << 24) + 1;

// The module without IsApiEntryAMDX false.
std::vector<uint32_t> apiEntry(std::vector<uint32_t> words)
{
    constexpr uint32_t kIsApiEntry = 5070;
    const std::span<uint32_t> mode = findMode(words, kIsApiEntry);
    const auto first = words.begin() + (mode.data() - words.data());
    words.erase(first, first + static_cast<ptrdiff_t>(mode.size()));
    return words;
}

// Device and pipeline are made once, which takes longer than all of these tests.
class Misuse : public testing::TestWithParam<std::tuple<Form, Scratch>> {
public:
    static void SetUpTestSuite() { createShared({}); }
    static void TearDownTestSuite() { s_device.reset(); }

protected:
    static void createShared(const InstanceOptions& options)
    {
        s_device = std::make_unique<TestDevice>(options);
        TestDevice& device = *s_device;
        s_pipeline =
            device
                .createGraph({TestDevice::stage(device.createProgram("level_a"), "a"),
                              TestDevice::stage(device.createModule(apiEntry(device.programWords("level_b"))), "b")})
                .pipeline;
    }

    Misuse() : device(*s_device)
    {
        graph.pipeline = s_pipeline;
        graph.scratch = device.createScratch(s_pipeline, std::get<1>(GetParam()));
        out = device.createBuffer(256);
        set = device.createSet(out);
        arguments = device.createBuffer(1024, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    }

    void TearDown() override
    {
        for (const Message& message : device.instance.takeMessages())
            ADD_FAILURE() << "[" << message.id << "] " << message.text;
    }

    static Form form() { return std::get<0>(GetParam()); }
    static const char* command()
    {
        constexpr const char* kNames[] = {"vkCmdDispatchGraphAMDX", "vkCmdDispatchGraphIndirectAMDX",
                                          "vkCmdDispatchGraphIndirectCountAMDX"};
        return kNames[static_cast<size_t>(form())];
    }

    VkDispatchGraphInfoAMDX info(const char* node, uint32_t count = 1)
    {
        VkDispatchGraphInfoAMDX result{};
        result.nodeIndex = node ? device.nodeIndex(graph.pipeline, node) : kNoNode;
        result.payloadCount = count;
        result.payloadStride = sizeof(Payload);
        return result;
    }

    // All infos read the same payload; in the arguments buffer, infos lie at 64 and the payload at 512.
    void dispatch(VkCommandBuffer cmd, std::vector<VkDispatchGraphInfoAMDX> infos, const std::vector<Payload>& payloads)
    {
        std::byte* const bytes = reinterpret_cast<std::byte*>(arguments.words);
        for (size_t i = 0; i < infos.size(); ++i)
            if (form() == Form::Host)
                infos[i].payloads.hostAddress = &payloads[i];
            else
                infos[i].payloads.deviceAddress = arguments.address + 512 + i * sizeof(Payload);
        std::memcpy(bytes + 64, infos.data(), infos.size() * sizeof infos[0]);
        std::memcpy(bytes + 512, payloads.data(), payloads.size() * sizeof payloads[0]);
        VkDispatchGraphCountInfoAMDX counts{};
        counts.count = static_cast<uint32_t>(infos.size());
        counts.stride = sizeof infos[0];
        if (form() == Form::Host)
            counts.infos.hostAddress = infos.data();
        else
            counts.infos.deviceAddress = arguments.address + 64;
        std::memcpy(bytes, &counts, sizeof counts);
        const Buffer& scratch = graph.scratch;
        if (form() == Form::IndirectCount)
            device.cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, arguments.address);
        else if (form() == Form::Indirect)
            device.cmdDispatchIndirect(cmd, scratch.address, scratch.size, &counts);
        else
            device.cmdDispatch(cmd, scratch.address, scratch.size, &counts);
    }

    // Runs a good info, the given one and the good one again.
    void runBetween(const VkDispatchGraphInfoAMDX& wrong, const Payload& payload)
    {
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, set);
        dispatch(cmd, {info("b"), wrong, info("b")}, {kGood, payload, kGood});
        device.submitAndWait(cmd);
    }

    void expectGoodOnesOnly()
    {
        EXPECT_EQ(out.words[1], 2 * 4 * kGood.grid[0]);
        for (uint32_t i = 0; i < 64; ++i)
            EXPECT_EQ(i == 1 ? 0 : out.words[i], 0u) << i;
    }

    TestDevice& device;
    Graph graph;
    Buffer out;
    VkDescriptorSet set = VK_NULL_HANDLE;
    Buffer arguments;

private:
    static inline std::unique_ptr<TestDevice> s_device;
    static inline VkPipeline s_pipeline = VK_NULL_HANDLE;
};

TEST_P(Misuse, GridAboveMaxNumWorkgroups_PayloadDropped)
{
    runBetween(info("b"), {{9, 1, 1}, 2});
    device.instance.expectMessage(std::string("VUID-") + command() + "-maxComputeWorkGroupCount-09186");
    expectGoodOnesOnly();
}

TEST_P(Misuse, GridWhoseProductOverflows_PayloadDropped)
{
    runBetween(info("b"), {{0xffffffffu, 0xffffffffu, 0xffffffffu}, 2});
    device.instance.expectMessage(std::string("VUID-") + command() + "-maxComputeWorkGroupCount-09186");
    expectGoodOnesOnly();
}

TEST_P(Misuse, NoSuchNode_InfoDropped)
{
    runBetween(info(nullptr), kGood);
    constexpr const char* kRules[] = {"VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148",
                                      "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09157",
                                      "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09169"};
    device.instance.expectMessage(kRules[static_cast<size_t>(form())]);
    expectGoodOnesOnly();
}

TEST_P(Misuse, PayloadCountAboveTheLimit_NothingRead)
{
    runBetween(info("b", kTooMany), kGood);
    device.instance.expectMessage("VUID-VkDispatchGraphInfoAMDX-payloadCount-09171");
    // The host's form is checked as a whole before anything is read.
    EXPECT_EQ(out.words[1], form() == Form::Host ? 0u : 2 * 4 * kGood.grid[0]);
    out.words[1] = 0;
    runBetween(info("b", UINT32_MAX), kGood);
    device.instance.expectMessage("VUID-VkDispatchGraphInfoAMDX-payloadCount-09171");
}

// A shader that allocates far more than NodeMaxPayloadsAMDX declares.
TEST_P(Misuse, BudgetExceeded_AllocationDropped)
{
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    dispatch(cmd, {info("a"), info("b")}, {Payload{{100'000'000, 0, 0}, 0}, kGood});
    device.submitAndWait(cmd);
    device.instance.expectMessage(std::string("VUID-") + command() + "-NodeMaxPayloadsAMDX-09188");
    EXPECT_EQ(out.words[1], 4 * kGood.grid[0]);
}

// Leaf dispatches do not touch it.
class MisuseOfScratch : public Misuse {
public:
    static void SetUpTestSuite() { createShared({.settings = {{"disable", "leaf"}}}); }
};

TEST_P(MisuseOfScratch, OfAnotherGraph_NothingRuns)
{
    const Graph other = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const Buffer scratch = device.createScratch(graph.pipeline, Scratch::Ample);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    device.cmdInitialize(cmd, other.pipeline, scratch.address, scratch.size);
    device.barrier(cmd);
    graph.scratch = scratch;
    dispatch(cmd, {info("b")}, {kGood});
    device.submitAndWait(cmd);
    device.instance.expectMessage(std::string("VUID-") + command() + "-scratch-10194");
    EXPECT_EQ(out.words[1], 0u);
}

// What stands there is right, but for another place.
TEST_P(MisuseOfScratch, InitializedElsewhereAndCopied_NothingRuns)
{
    VkCommandBuffer initialize = device.begin();
    device.prepare(initialize, graph, set);
    device.submitAndWait(initialize);
    const Buffer moved = device.createScratch(graph.pipeline, std::get<1>(GetParam()));
    std::memcpy(moved.words, graph.scratch.words, moved.size);
    graph.scratch = moved;
    VkCommandBuffer cmd = device.begin();
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, device.layout, 0, 1, &set, 0, nullptr);
    dispatch(cmd, {info("b")}, {kGood});
    device.submitAndWait(cmd);
    device.instance.expectMessage(std::string("VUID-") + command() + "-scratch-10194");
    EXPECT_EQ(out.words[1], 0u);
}

TEST_P(MisuseOfScratch, NeverInitialized_NothingRuns)
{
    VkCommandBuffer cmd = device.begin();
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, device.layout, 0, 1, &set, 0, nullptr);
    dispatch(cmd, {info("b")}, {kGood});
    device.submitAndWait(cmd);
    device.instance.expectMessage(std::string("VUID-") + command() + "-scratch-10194");
    EXPECT_EQ(out.words[1], 0u);
}

TEST_P(Misuse, NullPointers_CommandIgnored)
{
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    const Buffer& scratch = graph.scratch;
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.stride = sizeof(VkDispatchGraphInfoAMDX);
    if (form() == Form::IndirectCount) {
        device.cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, 0);
        device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09159");
    } else if (form() == Form::Indirect) {
        device.cmdDispatchIndirect(cmd, scratch.address, scratch.size, &counts);
        device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09150");
        device.cmdDispatchIndirect(cmd, scratch.address, scratch.size, nullptr);
        device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-parameter");
    } else {
        device.cmdDispatch(cmd, scratch.address, scratch.size, &counts);
        device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09145");
        device.cmdDispatch(cmd, scratch.address, scratch.size, nullptr);
        device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-pCountInfo-parameter");
        const VkDispatchGraphInfoAMDX empty = info("b");
        counts.infos.hostAddress = &empty;
        device.cmdDispatch(cmd, scratch.address, scratch.size, &counts);
        device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09147");
    }
    device.submitAndWait(cmd);
}

std::string nameOf(const testing::TestParamInfo<std::tuple<Form, Scratch>>& info)
{
    constexpr const char* kForms[] = {"Host", "Indirect", "IndirectCount"};
    return std::string(kForms[static_cast<size_t>(std::get<0>(info.param))]) +
           (std::get<1>(info.param) == Scratch::Minimum ? "Minimum" : "Ample");
}

const auto kCases = testing::Combine(testing::Values(Form::Host, Form::Indirect, Form::IndirectCount),
                                     testing::Values(Scratch::Ample, Scratch::Minimum));
INSTANTIATE_TEST_SUITE_P(Layer, Misuse, kCases, nameOf);
INSTANTIATE_TEST_SUITE_P(Layer, MisuseOfScratch, kCases, nameOf);

// Where the host launches a node that sends nothing, nobody needs scratch memory; with the setting `validate` it is
// looked at all the same.
// Legal: stride 0 gives all payloads the same data. No host has memory for the copies.
TEST(Payloads, MoreThanThereIsMemoryFor_EndCommandBufferTells)
{
    for (const char* disabled : {"", "leaf"}) {
        TestDevice device({.settings = {{"disable", disabled}}});
        const Graph graph =
            device.createGraph({TestDevice::stage(device.createProgram("level_a"), "a"),
                                TestDevice::stage(device.createModule(apiEntry(device.programWords("level_b"))), "b")});
        const Buffer out = device.createBuffer(256);
        const Payload payload = kGood;
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = device.nodeIndex(graph.pipeline, "b");
        info.payloadCount = 1u << 24;
        info.payloads.hostAddress = &payload;
        const std::vector<VkDispatchGraphInfoAMDX> infos(2048, info);
        VkDispatchGraphCountInfoAMDX counts{};
        counts.count = static_cast<uint32_t>(infos.size());
        counts.infos.hostAddress = infos.data();
        counts.stride = sizeof info;
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, device.createSet(out));
        device.cmdDispatch(cmd, graph.scratch.address, graph.scratch.size, &counts);
        EXPECT_EQ(vkEndCommandBuffer(cmd), VK_ERROR_OUT_OF_HOST_MEMORY);
    }
}

TEST(LeafDispatch, ScratchNeverInitialized_RunsUnlessValidated)
{
    for (const bool validates : {false, true}) {
        TestDevice device({.settings = {{"validate", validates ? "true" : "false"}}});
        const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("single_struct"), "fill")});
        const Buffer out = device.createBuffer(256);
        const VkDescriptorSet set = device.createSet(out);
        VkCommandBuffer cmd = device.begin();
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph.pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, device.layout, 0, 1, &set, 0,
                                nullptr);
        device.dispatch(cmd, graph, "fill", 1, {0, 3});
        device.submitAndWait(cmd);
        if (validates)
            device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-scratch-10194");
        EXPECT_EQ(out.words[31], validates ? 0u : 96u);
    }
}

}  // namespace

}  // namespace millrace::layertest
