// SPDX-License-Identifier: Apache-2.0
// Section 1: rules whose violation is reported under their number. Rules that the layer cannot do without are checked
// always, the others with the setting "validate".
#include "conformance/graph_test.h"
#include "oracle/assembler.h"

namespace millrace::conformance {

namespace {

using harness::Buffer;

class ValidUsage : public GraphTest {
protected:
    static Device& strict()
    {
        DeviceOptions options;
        options.switches["validate"] = true;
        return device(options);
    }

    // A command buffer with all that comes before a dispatch; it is never submitted.
    static VkCommandBuffer beginDispatch(Runner& runner, VkPipeline graph, const Buffer& scratch)
    {
        Device& used = runner.device();
        VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocate.commandPool = used.pool;
        allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
        allocate.commandBufferCount = 1;
        VkCommandBuffer cmd = VK_NULL_HANDLE;
        harness::check(vkAllocateCommandBuffers(used.device, &allocate, &cmd), "vkAllocateCommandBuffers");
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        harness::check(vkBeginCommandBuffer(cmd, &begin), "vkBeginCommandBuffer");
        runner.initialize(cmd, graph, scratch);
        runner.bind(cmd, graph);
        return cmd;
    }

    struct Change {
        VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
        bool withLayout = true;
        VkPipelineCreateFlags2KHR flags = 0;
        std::vector<VkPipeline> libraries;
    };

    // Creates a graph of one good stage, changed; expects the message.
    static void expectReported(Runner& runner, const Change& change, const std::string& rule)
    {
        Device& used = runner.device();
        const Stage good = adder("node", 0);
        const VkShaderModule module = used.createModule(good.words);
        VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stage.stage = change.stage;
        stage.module = module;
        stage.pName = "node";
        VkPipelineCreateFlags2CreateInfoKHR flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR};
        flags.flags = change.flags;
        VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
        libraries.libraryCount = static_cast<uint32_t>(change.libraries.size());
        libraries.pLibraries = change.libraries.data();
        VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
        info.pNext = &flags;
        info.stageCount = 1;
        info.pStages = &stage;
        info.pLibraryInfo = &libraries;
        info.layout = change.withLayout ? runner.layout() : VK_NULL_HANDLE;
        info.basePipelineIndex = -1;
        VkPipeline pipeline = VK_NULL_HANDLE;
        used.createGraphs(used.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        expectMessage(used, "VUID-VkExecutionGraphPipelineCreateInfoAMDX-" + rule);
        vkDestroyPipeline(used.device, pipeline, nullptr);
        vkDestroyShaderModule(used.device, module, nullptr);
    }

    static VkPipeline computePipeline(Runner& runner, const std::vector<uint32_t>& words, const std::string& entry,
                                      VkPipelineCreateFlags2KHR flags, VkResult& result)
    {
        Device& used = runner.device();
        const VkShaderModule module = used.createModule(words);
        VkPipelineCreateFlags2CreateInfoKHR flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR};
        flags2.flags = flags;
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.pNext = flags ? &flags2 : nullptr;
        info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.module = module;
        info.stage.pName = entry.c_str();
        info.layout = runner.layout();
        info.basePipelineIndex = -1;
        VkPipeline pipeline = VK_NULL_HANDLE;
        result = vkCreateComputePipelines(used.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        vkDestroyShaderModule(used.device, module, nullptr);
        return pipeline;
    }
};

std::vector<uint32_t> plainShader()
{
    return oracle::assemble(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"plain\"\n"
        "OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%function = OpTypeFunction %void\n"
        "%main = OpFunction %void None %function\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n");
}

TEST_F(ValidUsage, StageIsCompute_09128)
{
    Runner runner(strict(), {});
    expectReported(runner, {.stage = VK_SHADER_STAGE_VERTEX_BIT}, "stage-09128");
}

TEST_F(ValidUsage, LayoutIsGiven_11363)
{
    Runner runner(strict(), {});
    expectReported(runner, {.withLayout = false}, "layout-11363");
}

TEST_F(ValidUsage, LayoutsOfLibraries_09131)
{
    Runner runner(strict(), {});
    RunnerOptions options;
    options.pushConstantBytes = 32;
    Runner other(strict(), options);
    expectReported(runner, {.libraries = {other.createComputeLibrary(adder("other", 0))}}, "pLibraryInfo-09131");
}

// Neither a compute pipeline, nor an execution graph, nor a graphics pipeline: a handle that nobody returned.
TEST_F(ValidUsage, LibrariesAreOfTheRightKind_09133)
{
    Runner runner(strict(), {});
    expectReported(runner, {.libraries = {reinterpret_cast<VkPipeline>(uintptr_t{0x1234567})}}, "pLibraryInfo-09133");
}

TEST_F(ValidUsage, OrdinaryPipelinesAreNoLibraries_10181)
{
    Runner runner(strict(), {});
    VkResult result = VK_SUCCESS;
    const VkPipeline plain = computePipeline(runner, plainShader(), "plain", 0, result);
    ASSERT_EQ(result, VK_SUCCESS);
    expectReported(runner, {.libraries = {plain}}, "pLibraryInfo-10181");
    vkDestroyPipeline(strict().device, plain, nullptr);
}

TEST_F(ValidUsage, LibrariesHaveTheGraphBit_10181)
{
    Runner runner(strict(), {});
    VkResult result = VK_SUCCESS;
    const VkPipeline library =
        computePipeline(runner, adder("other", 0).words, "other", VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR, result);
    ASSERT_EQ(result, VK_SUCCESS);
    expectReported(runner, {.libraries = {library}}, "pLibraryInfo-10181");
    vkDestroyPipeline(strict().device, library, nullptr);
}

TEST_F(ValidUsage, NoProtectedFlags_12334)
{
    Runner runner(strict(), {});
    expectReported(runner, {.flags = VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT}, "flags-12334");
}

TEST_F(ValidUsage, CapabilityNeedsTheLibraryBit_09178)
{
    Runner runner(strict(), {});
    VkResult result = VK_SUCCESS;
    EXPECT_EQ(computePipeline(runner, adder("node", 0).words, "node", 0, result), VkPipeline{VK_NULL_HANDLE});
    EXPECT_LT(result, 0);
    expectMessage(strict(), "VUID-VkComputePipelineCreateInfo-flags-09178");
}

TEST_F(ValidUsage, NameAndIndexOnce_09134)
{
    expectRefused({adder("node", 0, 3), adder("node", 2, 3)}, "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09134");
}

TEST_F(ValidUsage, SameNameSamePayloadSize_09135)
{
    const Stage larger = writeNode("node", [](NodeWriter& node) {
        node.staticGrid(1);
        node.mode("ShaderIndexAMDX " + node.c(1));
        node.inputArray({node.word(), node.word(4)});
    });
    expectRefused({adder("node", 0), larger}, "VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09135");
}

TEST_F(ValidUsage, SameNameAllCoalescingOrNone_09137)
{
    const auto node = [](uint32_t index) {
        return writeNode("node", [&](NodeWriter& writer) {
            if (index)
                writer.coalescing();
            writer.mode("ShaderIndexAMDX " + writer.c(index));
            writer.inputArray({writer.word(0, "PayloadDispatchIndirectAMDX")});
        });
    };
    expectRefused({node(0), node(1)}, "VUID-VkExecutionGraphPipelineCreateInfoAMDX-CoalescedInputCountAMDX-09137");
}

TEST_F(ValidUsage, SameNameAllStaticOrNone_09138)
{
    const Stage dynamic = writeNode("node", [](NodeWriter& node) {
        node.mode("ShaderIndexAMDX " + node.c(1));
        node.inputArray({node.word(0, "PayloadDispatchIndirectAMDX")});
    });
    expectRefused({adder("node", 0), dynamic},
                  "VUID-VkExecutionGraphPipelineCreateInfoAMDX-StaticNumWorkgroupsAMDX-09138");
}

TEST_F(ValidUsage, PayloadSizesMatch_09139)
{
    const Stage larger = writeNode("to", [](NodeWriter& node) {
        node.staticGrid(1);
        node.inputArray({node.word(), node.word(4)});
    });
    expectRefused({senderOf("from", "to", 1), larger},
                  "VUID-VkExecutionGraphPipelineCreateInfoAMDX-PayloadNodeNameAMDX-09139");
}

TEST_F(ValidUsage, ArraysAreComplete_10184)
{
    const Stage from = writeNode("from", [](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.arraySize = 3;
        node.send(node.output("to", {node.word()}, options), node.c(1), node.c(0));
    });
    const std::vector<Stage> stages = {from, adder("to", 0, 0), adder("to", 0, 2)};
    expectRefused(stages, "VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184");
    // Libraries may have holes.
    Runner runner(device(), {});
    GraphOptions options;
    options.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    options.libraries = {runner.createGraph(stages, options)};
    options.flags = 0;
    const VkPipeline graph = runner.createGraph({adder("to", 0, 1)}, options);
    runner.run(graph, {launchWords("from", 0, 1, {})});
    EXPECT_EQ(runner.outputWords()[0], 1u);
}

TEST_F(ValidUsage, ArraysThatDeclareLessThanTheGraphHas)
{
    const auto stages = [](uint32_t declared) {
        const Stage from = writeNode("from", [&](NodeWriter& node) {
            node.staticGrid(1);
            OutputOptions options;
            options.arraySize = declared;
            node.send(node.output("to", {node.word()}, options), node.c(1), node.lane());
        });
        return std::vector<Stage>{from, adder("to", 0, 0), adder("to", 0, 1)};
    };
    Runner runner(strict(), {});
    runner.createGraph(stages(2));
    runner.createGraph(stages(1));
    expectMessage(strict(), "declares that 'to' has 1 nodes");
    Runner(device(), {}).createGraph(stages(1));  // not without the setting
}

TEST_F(ValidUsage, StaticGridWithinTheLimits_09186)
{
    const auto node = [](uint32_t x, uint32_t y) {
        return writeNode("node", [&](NodeWriter& writer) { writer.staticGrid(x, y); });
    };
    expectRefused({node(65536, 1)}, "VUID-vkCmdDispatchGraphAMDX-maxComputeWorkGroupCount-09186");
    expectRefused({node(65535, 257)}, "StaticNumWorkgroupsAMDX");
}

TEST_F(ValidUsage, PayloadDeclarationsWithinTheLimit_09195)
{
    const uint32_t words = device().limits.maxExecutionGraphShaderPayloadSize / 4;
    const Stage node = writeNode("node", [&](NodeWriter& writer) {
        writer.staticGrid(1);
        writer.input();
        const Id large = writer.module().arrayType(writer.uintType(), words, 4);
        const PayloadArrayType type = writer.output("to", {{large, 0, ""}});
        writer.enqueue(writer.allocate(type, writer.c(1), writer.c(0)));
    });
    expectRefused({node}, "maxExecutionGraphShaderPayloadSize");
}

TEST_F(ValidUsage, HostInfos_09171_09148_09149)
{
    Device& used = strict();
    Runner runner(used, {});
    const VkPipeline graph = runner.createGraph({adder("node", 0)});
    const Buffer scratch = runner.createScratch(runner.scratchBytes(graph, Scratch::Minimum));
    const std::vector<uint32_t> payloads(4);
    VkDispatchGraphInfoAMDX info{};
    info.payloads.hostAddress = payloads.data();
    info.payloadStride = 4;
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.hostAddress = &info;
    counts.stride = sizeof info;
    const auto expect = [&](const std::string& rule) {
        const VkCommandBuffer cmd = beginDispatch(runner, graph, scratch);
        used.cmdDispatch(cmd, scratch.address, scratch.size, &counts);
        expectMessage(used, rule);
        vkFreeCommandBuffers(used.device, used.pool, 1, &cmd);
    };
    info.nodeIndex = 7;
    info.payloadCount = 1;
    expect("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148");
    info.nodeIndex = runner.nodeIndex(graph, "node", 0);
    info.payloadCount = 2;
    info.payloadStride = 2;
    expect("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09149");
    info.payloadStride = 0;
    info.payloadCount = used.limits.maxExecutionGraphShaderPayloadCount + 1;
    expect("VUID-VkDispatchGraphInfoAMDX-payloadCount-09171");
}

TEST_F(ValidUsage, DeviceInfos_InMemoryWithTheRightUsage)
{
    Device& used = strict();
    Runner runner(used, {});
    const VkPipeline graph = runner.createGraph({adder("node", 0)});
    const Buffer scratch = runner.createScratch(runner.scratchBytes(graph, Scratch::Minimum));
    const Buffer plain = runner.createBuffer(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    const Buffer good = runner.createBuffer(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    const auto expect = [&](VkDeviceAddress address, bool counted, const std::string& rule) {
        VkDispatchGraphCountInfoAMDX counts{};
        counts.count = 1;
        counts.infos.deviceAddress = address;
        counts.stride = sizeof(VkDispatchGraphInfoAMDX);
        const VkCommandBuffer cmd = beginDispatch(runner, graph, scratch);
        if (counted)
            used.cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, address);
        else
            used.cmdDispatchIndirect(cmd, scratch.address, scratch.size, &counts);
        expectMessage(used, rule);
        vkFreeCommandBuffers(used.device, used.pool, 1, &cmd);
    };
    expect(plain.address, false, "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09151");
    expect(plain.address, true, "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09160");
    expect(good.address + 2, false, "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09152");
    expect(good.address + 2, true, "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09161");
    expect(good.address + 240, false, "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09150");
    expect(good.address + 240, true, "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09159");
}

}  // namespace

}  // namespace millrace::conformance
