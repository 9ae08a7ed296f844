// SPDX-License-Identifier: Apache-2.0
// Section 1: pipelines, dispatches and their structures.
#include <cstring>

#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

using harness::Buffer;

static_assert(sizeof(VkDispatchGraphInfoAMDX) == 24 && sizeof(VkDispatchGraphCountInfoAMDX) == 24);

class Api : public GraphTest {
protected:
    // Fills a create info of one stage without a node info.
    static VkExecutionGraphPipelineCreateInfoAMDX createInfo(const VkPipelineShaderStageCreateInfo& stage,
                                                             VkPipelineLayout layout)
    {
        VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
        info.stageCount = 1;
        info.pStages = &stage;
        info.layout = layout;
        info.basePipelineIndex = -1;
        return info;
    }
};

TEST_F(Api, Commands_AreAllThere)
{
    for (const char* name :
         {"vkCreateExecutionGraphPipelinesAMDX", "vkGetExecutionGraphPipelineScratchSizeAMDX",
          "vkGetExecutionGraphPipelineNodeIndexAMDX", "vkCmdInitializeGraphScratchMemoryAMDX", "vkCmdDispatchGraphAMDX",
          "vkCmdDispatchGraphIndirectAMDX", "vkCmdDispatchGraphIndirectCountAMDX"}) {
        EXPECT_NE(vkGetDeviceProcAddr(device().device, name), nullptr) << name;
        EXPECT_NE(vkGetInstanceProcAddr(device().instance, name), nullptr) << name;
    }
}

TEST_F(Api, SeveralPipelinesInOneCall_OneFails)
{
    Device& used = device();
    Runner runner(used, {});
    const Stage good = adder("node", 0);
    const VkShaderModule module = used.createModule(good.words);
    VkPipelineShaderStageCreateInfo stages[3];
    for (int i = 0; i < 3; ++i) {
        stages[i] = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stages[i].stage = VK_SHADER_STAGE_COMPUTE_BIT;
        stages[i].module = module;
        stages[i].pName = i == 1 ? "missing" : "node";
    }
    for (const bool early : {false, true}) {
        VkExecutionGraphPipelineCreateInfoAMDX infos[3];
        for (int i = 0; i < 3; ++i) {
            infos[i] = createInfo(stages[i], runner.layout());
            infos[i].flags = early ? VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT : 0;
        }
        VkPipeline pipelines[3];
        std::memset(pipelines, 0xff, sizeof pipelines);
        EXPECT_LT(used.createGraphs(used.device, VK_NULL_HANDLE, 3, infos, nullptr, pipelines), 0);
        EXPECT_NE(pipelines[0], VkPipeline{VK_NULL_HANDLE});
        EXPECT_EQ(pipelines[1], VkPipeline{VK_NULL_HANDLE});
        EXPECT_EQ(pipelines[2] == VK_NULL_HANDLE, early);
        expectMessage(used, "missing");
        vkDestroyPipeline(used.device, pipelines[0], nullptr);
        vkDestroyPipeline(used.device, pipelines[2], nullptr);
    }
    vkDestroyShaderModule(used.device, module, nullptr);
}

TEST_F(Api, StagesAndLibrariesOfBothKinds_Together)
{
    for (const char* path : {"direct", "indirect"}) {
        DeviceOptions deviceOptions;
        deviceOptions.path = path;
        Runner runner(device(deviceOptions), {});
        const Stage middle = writeNode("middle", [](NodeWriter& node) {
            node.staticGrid(1);
            const Id value = node.readPayload(node.input(), node.c(0), 0);
            node.send(node.output("to", {node.word()}), node.times(value, node.c(2)), node.c(0));
        });
        GraphOptions options;
        options.flags = VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
        const VkPipeline compute = runner.createComputeLibrary(middle);
        const VkPipeline library = runner.createGraph({adder("to", 0)}, options);
        options.flags = 0;
        options.libraries = {compute, library};
        const VkPipeline graph = runner.createGraph({senderOf("from", "middle", 4)}, options);
        runner.run(graph, {launchWords("from", 0, 1, {})});
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{20, 4}));
    }
}

TEST_F(Api, ManyInfos_EachRuns)
{
    std::vector<Launch> launches;
    for (uint32_t i = 0; i < 1000; ++i)
        launches.push_back(launchWords("node", i % 2, i % 3, std::vector<uint32_t>(i % 3, i)));
    uint32_t sums[4] = {};
    for (uint32_t i = 0; i < 1000; ++i) {
        sums[i % 2 * 2] += i * (i % 3);
        sums[i % 2 * 2 + 1] += i % 3;
    }
    EXPECT_EQ(first(run({adder("node", 0, 0), adder("node", 2, 1)}, launches), 4),
              (std::vector<uint32_t>(sums, sums + 4)));
}

// `count` times the same info; also no infos at all.
TEST_F(Api, InfoStrideZero_RepeatsTheInfo)
{
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph({adder("node", 0)});
    const Buffer scratch = runner.createScratch(runner.scratchBytes(graph, Scratch::Maximum));
    const Buffer arguments =
        runner.createArguments(graph, {launchWords("node", 0, 2, {5, 6})}, sizeof(VkDispatchGraphInfoAMDX));
    VkDispatchGraphCountInfoAMDX counts{};
    std::memcpy(&counts, arguments.mapped, sizeof counts);
    VkDispatchGraphInfoAMDX info{};
    const uint32_t payload = 7;
    info.nodeIndex = runner.nodeIndex(graph, "node", 0);
    info.payloadCount = 1;
    info.payloads.hostAddress = &payload;
    for (uint32_t count : {0u, 3u}) {
        VkDispatchGraphCountInfoAMDX host{};
        host.count = counts.count = count;
        host.infos.hostAddress = &info;
        counts.stride = 0;
        runner.clearOutput();
        device().submit([&](VkCommandBuffer cmd) {
            runner.initialize(cmd, graph, scratch);
            runner.bind(cmd, graph);
            device().cmdDispatch(cmd, scratch.address, scratch.size, &host);
            Device::memoryBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT);
            device().cmdDispatchIndirect(cmd, scratch.address, scratch.size, &counts);
        });
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{count * (7 + 11), count * 3}));
    }
}

// A shader that writes a count info leaves anything between `count` and `infos`.
TEST_F(Api, CountInfoPadding_IsIgnored)
{
    Runner runner(device(), {});
    const VkPipeline graph = runner.createGraph({adder("node", 0)});
    const Buffer scratch = runner.createScratch(runner.scratchBytes(graph, Scratch::Maximum));
    const Buffer arguments =
        runner.createArguments(graph, {launchWords("node", 0, 2, {5, 6})}, sizeof(VkDispatchGraphInfoAMDX));
    for (uint32_t padding : {0u, 1u, ~0u}) {
        arguments.words()[1] = padding;
        runner.clearOutput();
        device().submit([&](VkCommandBuffer cmd) {
            runner.initialize(cmd, graph, scratch);
            runner.bind(cmd, graph);
            device().cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, arguments.address);
        });
        EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{11, 2}));
    }
}

// No stride needs any alignment, and those of infos and payloads are independent.
TEST_F(Api, Strides_CanBeAnything)
{
    Launch launch = launchWords("node", 0, 3, std::vector<uint32_t>(10));
    launch.stride = 13;
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t value = 0x01010101u << i;
        std::memcpy(launch.bytes.data() + i * 13, &value, 4);
    }
    for (const char* path : {"direct", "indirect"}) {
        DeviceOptions deviceOptions;
        deviceOptions.path = path;
        Runner runner(device(deviceOptions), {});
        const VkPipeline graph = runner.createGraph({adder("node", 0)});
        for (Form form : {Form::Host, Form::Indirect, Form::IndirectCount}) {
            for (uint64_t infoStride : {24, 30, 64}) {
                RunOptions options;
                options.form = form;
                options.infoStride = infoStride;
                runner.clearOutput();
                runner.run(graph, {launch, launch}, options);
                EXPECT_EQ(first(runner.outputWords(), 2), (std::vector<uint32_t>{0x0e0e0e0e, 6}))
                    << path << ", " << nameOf(form) << ", info stride " << infoStride;
            }
        }
    }
}

TEST_F(Api, WorkgroupLimits_AreReported)
{
    const VkPhysicalDeviceShaderEnqueuePropertiesAMDX& limits = device().limits;
    for (uint32_t side : limits.maxExecutionGraphWorkgroupCount)
        EXPECT_GE(side, 65535u);
    EXPECT_GE(limits.maxExecutionGraphWorkgroups, (1u << 24) - 1);
    // Payloads of one info share a limit with a workgroup's outputs, so it is far above the minimum of 256.
    EXPECT_GE(limits.maxExecutionGraphShaderPayloadCount, 256u);
    EXPECT_GE(limits.maxExecutionGraphDepth, 32u);
    EXPECT_GE(limits.maxExecutionGraphShaderOutputNodes, 256u);
    EXPECT_GE(limits.maxExecutionGraphShaderPayloadSize, 32768u);
    EXPECT_LE(limits.executionGraphDispatchAddressAlignment, 4u);
}

}  // namespace

}  // namespace millrace::conformance
