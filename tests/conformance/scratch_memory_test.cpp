// SPDX-License-Identifier: Apache-2.0
// Section 2: sizes and uses of scratch memory.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

using harness::Buffer;

class ScratchMemory : public GraphTest {
protected:
    // Three levels; 100 payloads for "from" become 100 * 32 * 4 for "to".
    static std::vector<Stage> fanOut()
    {
        const Stage middle = writeNode("middle", [](NodeWriter& node) {
            node.staticGrid(1);
            const Id value = node.readPayload(node.input(), node.c(0), 0);
            OutputOptions options;
            options.budget = 4;
            const Id array = node.allocate(node.output("to", {node.word()}, options), node.c(4), node.c(0));
            for (uint32_t i = 0; i < 4; ++i)
                node.writePayload(array, node.c(i), 0, node.plus(value, node.c(i)));
            node.enqueue(array);
        });
        return {senderOf("from", "middle", 32), middle, adder("to", 0)};
    }

    static void expectFanOut(const std::vector<uint32_t>& words, uint32_t times = 1)
    {
        const uint32_t sum = 100 * (4 * 32 * 33 / 2 + 32 * 6);
        EXPECT_EQ(first(words, 2), (std::vector<uint32_t>{times * sum, times * 100 * 32 * 4}));
    }

    static std::vector<Launch> launches() { return {launchWords("from", 0, 100, {})}; }
};

TEST_F(ScratchMemory, Sizes_AreUsable)
{
    Runner runner(device(), {});
    const Stage tiny = writeNode("tiny", [](NodeWriter& node) { node.staticGrid(1); });
    for (const std::vector<Stage>& stages : {std::vector<Stage>{tiny}, fanOut()}) {
        const auto size = runner.scratchSize(runner.createGraph(stages));
        EXPECT_GT(size.minSize, 0u);
        EXPECT_GE(size.maxSize, size.minSize);
        ASSERT_GT(size.sizeGranularity, 0u);
        EXPECT_EQ((size.maxSize - size.minSize) % size.sizeGranularity, 0u);
    }
}

TEST_F(ScratchMemory, AnySizeBetween_Works)
{
    for (const char* path : {"direct", "indirect"}) {
        DeviceOptions options;
        options.path = path;
        Runner runner(device(options), {});
        const VkPipeline graph = runner.createGraph(fanOut());
        const auto size = runner.scratchSize(graph);
        std::vector<VkDeviceSize> sizes = {size.minSize + 4, size.minSize + 100, size.maxSize + 12345};
        for (VkDeviceSize steps = 0; size.minSize + steps * size.sizeGranularity <= size.maxSize && steps < 50;
             steps = steps * 2 + 1)
            sizes.push_back(size.minSize + steps * size.sizeGranularity);
        for (VkDeviceSize bytes : sizes) {
            SCOPED_TRACE(std::string(path) + ", " + std::to_string(bytes) + " bytes");
            const Buffer scratch = runner.createScratch(bytes);
            runner.clearOutput();
            runner.device().submit([&](VkCommandBuffer cmd) {
                runner.initialize(cmd, graph, scratch);
                runner.bind(cmd, graph);
                runner.dispatchHost(cmd, graph, scratch, launches());
            });
            expectFanOut(runner.outputWords());
        }
    }
}

TEST_F(ScratchMemory, InsideALargerBuffer)
{
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph(fanOut());
    const VkDeviceSize bytes = runner.scratchSize(graph).minSize;
    const Buffer whole = runner.createScratch(bytes + 4096);
    Buffer part = whole;
    part.address += 64 * 7;
    part.size = bytes;
    device().submit([&](VkCommandBuffer cmd) {
        runner.initialize(cmd, graph, part);
        runner.bind(cmd, graph);
        runner.dispatchHost(cmd, graph, part, launches());
    });
    expectFanOut(runner.outputWords());
    for (VkDeviceSize i = 0; i < 64 * 7; ++i)
        ASSERT_EQ(whole.bytes()[i], 0xcd) << "byte " << i << " before the scratch memory";
    for (VkDeviceSize i = 64 * 7 + bytes; i < whole.size; ++i)
        ASSERT_EQ(whole.bytes()[i], 0xcd) << "byte " << i << " behind the scratch memory";
}

TEST_F(ScratchMemory, UsedAgain_WithoutInitialization)
{
    for (Scratch kind : {Scratch::Minimum, Scratch::Maximum}) {
        for (Form form : {Form::Host, Form::Indirect}) {
            SCOPED_TRACE(std::string(nameOf(kind)) + ", " + nameOf(form));
            Runner runner(device(), {});
            const VkPipeline graph = runner.createGraph(fanOut());
            const Buffer scratch = runner.createScratch(runner.scratchBytes(graph, kind));
            const Buffer arguments = runner.createArguments(graph, launches(), sizeof(VkDispatchGraphInfoAMDX));
            const auto dispatch = [&](VkCommandBuffer cmd) {
                runner.bind(cmd, graph);
                if (form == Form::Host)
                    runner.dispatchHost(cmd, graph, scratch, launches());
                else
                    runner.dispatchIndirect(cmd, scratch, arguments, form);
                Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
            };
            device().submit([&](VkCommandBuffer cmd) {
                runner.initialize(cmd, graph, scratch);
                dispatch(cmd);
                dispatch(cmd);
            });
            device().submit(dispatch);
            expectFanOut(runner.outputWords(), 3);
        }
    }
}

TEST_F(ScratchMemory, OfAnotherPipeline_AfterInitialization)
{
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph(fanOut());
    const VkPipeline other = runner.createGraph({adder("other", 4)});
    const Buffer scratch = runner.createScratch(
        std::max(runner.scratchBytes(graph, Scratch::Minimum), runner.scratchBytes(other, Scratch::Minimum)));
    device().submit([&](VkCommandBuffer cmd) {
        for (int i = 0; i < 2; ++i) {
            runner.initialize(cmd, graph, scratch);
            runner.bind(cmd, graph);
            runner.dispatchHost(cmd, graph, scratch, launches());
            Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
            runner.initialize(cmd, other, scratch);
            runner.bind(cmd, other);
            runner.dispatchHost(cmd, other, scratch, {launchWords("other", 0, 2, {3, 4})});
            Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
        }
    });
    expectFanOut(runner.outputWords(), 2);
    EXPECT_EQ(runner.outputWords()[4], 14u);
    EXPECT_EQ(runner.outputWords()[5], 4u);
}

}  // namespace

}  // namespace millrace::conformance
