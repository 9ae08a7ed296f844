// SPDX-License-Identifier: Apache-2.0
// Section 2: when a graph reads its parameters, and who sees what it wrote.
#include <cstring>

#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Synchronization : public GraphTest {
protected:
    static void computeToCompute(VkCommandBuffer cmd, VkAccessFlags2 access)
    {
        VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
        barrier.srcAccessMask = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
        barrier.dstAccessMask = access;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &barrier;
        vkCmdPipelineBarrier2(cmd, &info);
    }
};

// Twice with default settings: where the host knows that one sweep is enough, and where it does not.
constexpr Scratch kScratches[] = {Scratch::Maximum, Scratch::Minimum};

TEST_F(Synchronization, HostParameters_CanChangeAfterRecording)
{
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph({adder("node", 0)});
    const harness::Buffer scratch = runner.createScratch(runner.scratchBytes(graph, Scratch::Maximum));
    std::vector<uint32_t> payloads(1000, 3);
    std::vector<VkDispatchGraphInfoAMDX> infos(1);
    infos[0].nodeIndex = runner.nodeIndex(graph, "node", 0);
    infos[0].payloadCount = 1000;
    infos[0].payloads.hostAddress = payloads.data();
    infos[0].payloadStride = 4;
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.hostAddress = infos.data();
    counts.stride = sizeof infos[0];
    device().submit([&](VkCommandBuffer cmd) {
        runner.initialize(cmd, graph, scratch);
        runner.bind(cmd, graph);
        device().cmdDispatch(cmd, scratch.address, scratch.size, &counts);
        std::memset(&counts, 0xff, sizeof counts);
        std::memset(infos.data(), 0xff, sizeof infos[0]);
        std::memset(payloads.data(), 0xff, payloads.size() * 4);
    });
    EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{3000, 1000}));
}

TEST_F(Synchronization, DeviceParameters_AreReadWhenExecuted)
{
    for (Form form : {Form::Indirect, Form::IndirectCount}) {
        Runner runner(device(), {});
        const VkPipeline graph = runner.createGraph({adder("node", 0)});
        const harness::Buffer scratch = runner.createScratch(runner.scratchBytes(graph, Scratch::Maximum));
        const harness::Buffer arguments =
            runner.createArguments(graph, {launchWords("node", 0, 2, {5, 6})}, sizeof(VkDispatchGraphInfoAMDX));
        VkDispatchGraphInfoAMDX info{};
        const size_t infoAt = sizeof(VkDispatchGraphCountInfoAMDX) + 4;
        std::memcpy(&info, arguments.bytes() + infoAt, sizeof info);
        device().submit([&](VkCommandBuffer cmd) {
            runner.initialize(cmd, graph, scratch);
            runner.bind(cmd, graph);
            runner.dispatchIndirect(cmd, scratch, arguments, form);
            info.payloadCount = 1;
            std::memcpy(arguments.bytes() + infoAt, &info, sizeof info);
            const uint32_t payload = 50;
            std::memcpy(arguments.bytes() + infoAt + sizeof info, &payload, 4);
        });
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{50, 1})) << nameOf(form);
    }
}

// A graph writes the parameters of the next one; the barrier names the compute stage and storage reads, nothing else.
TEST_F(Synchronization, DeviceParameters_AreReadByTheComputeStage)
{
    constexpr uint32_t kAt = 16;  // word of the output buffer
    constexpr uint32_t kWords = 6 + 6 + 2;
    const Stage writer = writeNode("write", [](NodeWriter& node) {
        node.staticGrid(kWords);
        const Id words = node.module().arrayType(node.uintType(), kWords, 4);
        const Id input = node.inputArray({{words, 0, ""}});
        const Id i = node.builtIn("WorkgroupId", 0);
        const Id pointer = node.payloadPointer(node.uintType(), input, node.c(0), node.c(0) + " " + i);
        node.add(node.plus(i, node.c(kAt)), node.body().load(node.uintType(), pointer));
    });
    for (Form form : {Form::Indirect, Form::IndirectCount}) {
        RunnerOptions options;
        options.outputUsage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
        Runner runner(device(), options);
        const VkPipeline from = runner.createGraph({writer});
        const VkPipeline to = runner.createGraph({adder("node", 0)});
        const harness::Buffer scratchFrom = runner.createScratch(runner.scratchBytes(from, Scratch::Maximum));
        const harness::Buffer scratchTo = runner.createScratch(runner.scratchBytes(to, Scratch::Maximum));
        const VkDeviceAddress base = runner.output().address + kAt * 4;
        VkDispatchGraphCountInfoAMDX counts{};
        counts.count = 1;
        counts.infos.deviceAddress = base + sizeof counts;
        counts.stride = sizeof(VkDispatchGraphInfoAMDX);
        VkDispatchGraphInfoAMDX info{};
        info.nodeIndex = runner.nodeIndex(to, "node", 0);
        info.payloadCount = 2;
        info.payloads.deviceAddress = base + sizeof counts + sizeof info;
        info.payloadStride = 4;
        std::vector<uint32_t> payload(kWords);
        std::memcpy(payload.data(), &counts, sizeof counts);
        std::memcpy(payload.data() + 6, &info, sizeof info);
        payload[12] = 20;
        payload[13] = 22;
        device().submit([&](VkCommandBuffer cmd) {
            runner.initialize(cmd, from, scratchFrom);
            runner.initialize(cmd, to, scratchTo);
            runner.bind(cmd, from);
            runner.dispatchHost(cmd, from, scratchFrom, {launchWords("write", 0, 1, payload)});
            computeToCompute(cmd, VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
            runner.bind(cmd, to);
            if (form == Form::IndirectCount)
                device().cmdDispatchIndirectCount(cmd, scratchTo.address, scratchTo.size, base);
            else
                device().cmdDispatchIndirect(cmd, scratchTo.address, scratchTo.size, &counts);
        });
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{42, 2})) << nameOf(form);
    }
}

// The whole graph is one command of the compute stage for the commands behind it.
TEST_F(Synchronization, ComputeBarrierBehindTheGraph_SeesItComplete)
{
    const Stage doubler = writeNode("double", [](NodeWriter& node) {
        node.staticGrid(1);
        const Id out = node.module().outputBuffer();
        const Id pointer = node.body().chain("StorageBuffer", node.uintType(), out, node.c(0) + " " + node.c(0));
        node.add(4, node.times(node.body().load(node.uintType(), pointer), node.c(2)));
    });
    for (Scratch scratch : kScratches) {
        for (Form form : {Form::Host, Form::Indirect}) {
            Runner runner(device(), {});
            const VkPipeline graph = runner.createGraph({senderOf("from", "to", 200), adder("to", 0)});
            const VkPipeline after = runner.createGraph({doubler});
            const harness::Buffer own = runner.createScratch(runner.scratchBytes(graph, scratch));
            const harness::Buffer other = runner.createScratch(runner.scratchBytes(after, scratch));
            const std::vector<Launch> launches = {launchWords("from", 0, 100, {})};
            const harness::Buffer arguments = runner.createArguments(graph, launches, sizeof(VkDispatchGraphInfoAMDX));
            device().submit([&](VkCommandBuffer cmd) {
                runner.initialize(cmd, graph, own);
                runner.initialize(cmd, after, other);
                runner.bind(cmd, graph);
                if (form == Form::Host)
                    runner.dispatchHost(cmd, graph, own, launches);
                else
                    runner.dispatchIndirect(cmd, own, arguments, form);
                computeToCompute(cmd, VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
                runner.bind(cmd, after);
                runner.dispatchHost(cmd, after, other, {launchWords("double", 0, 1, {})});
            });
            const uint32_t sum = 100 * 200 * 201 / 2;
            EXPECT_EQ(first(runner.outputWords(), 5), (std::vector<uint32_t>{sum, 20000, 0, 0, 2 * sum}))
                << nameOf(scratch) << ", " << nameOf(form);
        }
    }
}

// No order is promised, but both run.
TEST_F(Synchronization, TwoGraphsWithoutBarrier_BothRun)
{
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph({senderOf("from", "to", 50), adder("to", 0)});
    const VkPipeline other = runner.createGraph({senderOf("from", "to", 60), adder("to", 4)});
    for (Scratch scratch : kScratches) {
        const harness::Buffer a = runner.createScratch(runner.scratchBytes(graph, scratch));
        const harness::Buffer b = runner.createScratch(runner.scratchBytes(other, scratch));
        runner.clearOutput();
        device().submit([&](VkCommandBuffer cmd) {
            runner.initialize(cmd, graph, a);
            runner.initialize(cmd, other, b);
            runner.bind(cmd, graph);
            runner.dispatchHost(cmd, graph, a, {launchWords("from", 0, 10, {})});
            runner.bind(cmd, other);
            runner.dispatchHost(cmd, other, b, {launchWords("from", 0, 20, {})});
        });
        EXPECT_EQ(first(runner.outputWords(), 6), (std::vector<uint32_t>{10 * 1275, 500, 0, 0, 20 * 1830, 1200}));
    }
}

}  // namespace

}  // namespace millrace::conformance
