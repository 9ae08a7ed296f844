// SPDX-License-Identifier: Apache-2.0
// Rules for execution graph pipelines, each broken once.
#include <gtest/gtest.h>

#include "layer/patch_words.h"
#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

const std::string kType = "VUID-VkExecutionGraphPipelineCreateInfoAMDX-";
const std::string kCommand = "VUID-vkCreateExecutionGraphPipelinesAMDX-";

using Names = std::vector<std::string>;

// A node under a name of the application's choice.
struct NamedStage {
    NamedStage(VkShaderModule module, const char* entry, const char* name, uint32_t index)
        : node{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX}, stage(TestDevice::stage(module, entry))
    {
        node.pName = name;
        node.index = index;
        stage.pNext = &node;
    }
    NamedStage(const NamedStage&) = delete;

    VkPipelineShaderStageNodeCreateInfoAMDX node;
    VkPipelineShaderStageCreateInfo stage;
};

class CreationRules : public testing::Test {
protected:
    static InstanceOptions options() { return {.settings = {{"validate", "true"}}}; }

    VkExecutionGraphPipelineCreateInfoAMDX info()
    {
        VkExecutionGraphPipelineCreateInfoAMDX out{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
        out.stageCount = 1;
        out.pStages = &recurse;
        out.layout = device.layout;
        out.basePipelineIndex = -1;
        return out;
    }

    // What was said while these were created; they are destroyed at the end.
    Names create(const std::vector<VkExecutionGraphPipelineCreateInfoAMDX>& infos,
                 VkPipelineCache cache = VK_NULL_HANDLE)
    {
        std::vector<VkPipeline> pipelines(infos.size());
        device.createGraphs(device.handle, cache, static_cast<uint32_t>(infos.size()), infos.data(), nullptr,
                            pipelines.data());
        for (VkPipeline pipeline : pipelines)
            device.onDestroy([this, pipeline] { vkDestroyPipeline(device.handle, pipeline, nullptr); });
        last = pipelines.back();
        Names names;
        for (const Message& message : device.instance.takeMessages())
            names.push_back(message.id);
        return names;
    }

    Names createWithFlags(VkPipelineCreateFlags2 flags, VkPipelineCache cache = VK_NULL_HANDLE,
                          const void* chain = nullptr)
    {
        VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO, chain};
        flags2.flags = flags;
        VkExecutionGraphPipelineCreateInfoAMDX with = info();
        with.pNext = &flags2;
        return create({with}, cache);
    }

    Names createFrom(const std::vector<VkPipelineShaderStageCreateInfo>& stages)
    {
        VkExecutionGraphPipelineCreateInfoAMDX with = info();
        with.stageCount = static_cast<uint32_t>(stages.size());
        with.pStages = stages.data();
        return create({with});
    }

    Names createWithLibrary(VkPipeline library)
    {
        VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
        libraries.libraryCount = 1;
        libraries.pLibraries = &library;
        VkExecutionGraphPipelineCreateInfoAMDX with = info();
        with.stageCount = 0;
        with.pLibraryInfo = &libraries;
        return create({with});
    }

    VkPipeline computeLibrary(VkPipelineCreateFlags2 flags, VkPipelineLayout layout)
    {
        VkPipelineCreateFlags2CreateInfo flags2{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
        flags2.flags = flags;
        VkComputePipelineCreateInfo with{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &flags2};
        with.stage = recurse;
        with.layout = layout;
        VkPipeline out = VK_NULL_HANDLE;
        MILLRACE_CHECK(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &with, nullptr, &out));
        device.onDestroy([this, out] { vkDestroyPipeline(device.handle, out, nullptr); });
        return out;
    }

    TestDevice device{options()};
    VkPipelineShaderStageCreateInfo recurse = TestDevice::stage(device.createProgram("recurse"), "recurse");
    VkPipeline last = VK_NULL_HANDLE;
};

TEST_F(CreationRules, RightOne_NothingSaid)
{
    EXPECT_EQ(create({info()}), Names{});
    EXPECT_NE(last, VkPipeline{});
}

TEST_F(CreationRules, Flags_EachWithItsRule)
{
    const std::pair<VkPipelineCreateFlags2, Names> cases[] = {
        {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_ANY_HIT_SHADERS_BIT_KHR, {kType + "flags-03365"}},
        {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_CLOSEST_HIT_SHADERS_BIT_KHR, {kType + "flags-03366"}},
        {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_MISS_SHADERS_BIT_KHR, {kType + "flags-03367"}},
        {VK_PIPELINE_CREATE_2_RAY_TRACING_NO_NULL_INTERSECTION_SHADERS_BIT_KHR, {kType + "flags-03368"}},
        {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_TRIANGLES_BIT_KHR, {kType + "flags-03369"}},
        {VK_PIPELINE_CREATE_2_RAY_TRACING_SKIP_AABBS_BIT_KHR, {kType + "flags-03370"}},
        {VK_PIPELINE_CREATE_2_RAY_TRACING_SHADER_GROUP_HANDLE_CAPTURE_REPLAY_BIT_KHR, {kType + "flags-03576"}},
        {VK_PIPELINE_CREATE_2_RAY_TRACING_ALLOW_MOTION_BIT_NV, {kType + "flags-04945"}},
        {VK_PIPELINE_CREATE_2_NO_PROTECTED_ACCESS_BIT_EXT, {kType + "flags-12334"}},
        {VK_PIPELINE_CREATE_2_PROTECTED_ACCESS_ONLY_BIT_EXT, {kType + "flags-12334"}},
        {VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT, {kType + "flags-11007"}},
        {VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_NV, {kType + "flags-09007", kType + "flags-09008"}},
    };
    for (const auto& [flags, names] : cases)
        EXPECT_EQ(createWithFlags(flags), names);
}

TEST_F(CreationRules, FlagsOf32Bits_CheckedAsWell)
{
    VkExecutionGraphPipelineCreateInfoAMDX with = info();
    with.flags = VK_PIPELINE_CREATE_RAY_TRACING_SKIP_AABBS_BIT_KHR;
    EXPECT_EQ(create({with}), Names{kType + "flags-03370"});
}

TEST(CreationRulesWithoutCacheControl, Flags)
{
    TestDevice device({.settings = {{"validate", "true"}}}, {.cacheControl = false});
    const VkPipelineShaderStageCreateInfo stage = TestDevice::stage(device.createProgram("recurse"), "recurse");
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.flags = VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = device.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(device.createGraphs(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    device.instance.expectMessage(kType + "pipelineCreationCacheControl-02875");
    vkDestroyPipeline(device.handle, pipeline, nullptr);
}

TEST_F(CreationRules, Derivatives)
{
    EXPECT_EQ(create({info()}), Names{});
    const VkPipeline plain = last;
    VkExecutionGraphPipelineCreateInfoAMDX parent = info();
    parent.flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    EXPECT_EQ(create({parent}), Names{});
    VkExecutionGraphPipelineCreateInfoAMDX child = info();
    child.flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    child.basePipelineHandle = last;
    EXPECT_EQ(create({child}), Names{});

    child.basePipelineIndex = 0;
    EXPECT_EQ(create({parent, child}), Names{kType + "flags-07986"});
    child.basePipelineHandle = VK_NULL_HANDLE;
    EXPECT_EQ(create({parent, child}), Names{});
    EXPECT_EQ(create({child}), (Names{kCommand + "flags-09125", kCommand + "flags-09126"})) << "derived from itself";
    child.basePipelineIndex = 7;
    EXPECT_EQ(create({parent, child}), (Names{kType + "flags-07985", kCommand + "flags-09125"}));
    child.basePipelineIndex = -1;
    child.basePipelineHandle = plain;
    EXPECT_EQ(create({child}), Names{kCommand + "flags-09126"});
    child.basePipelineHandle = device.createCompute(device.createModule(shaders::store));
    EXPECT_EQ(create({child}), Names{kType + "flags-07984"});
}

TEST_F(CreationRules, Binaries)
{
    VkPipelineCacheCreateInfo cacheInfo{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineCache(device.handle, &cacheInfo, nullptr, &cache));
    device.onDestroy([this, cache] { vkDestroyPipelineCache(device.handle, cache, nullptr); });
    EXPECT_EQ(createWithFlags(VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR, cache), Names{kCommand + "pNext-09617"});
    VkPipelineBinaryInfoKHR binaries{VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR};
    binaries.binaryCount = 1;
    EXPECT_EQ(createWithFlags(0, cache, &binaries), Names{kCommand + "pNext-09616"});
    EXPECT_EQ(createWithFlags(VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT, VK_NULL_HANDLE, &binaries),
              Names{kCommand + "binaryCount-09622"});
}

TEST_F(CreationRules, StageAndLayout)
{
    VkPipelineShaderStageCreateInfo vertex = recurse;
    vertex.stage = VK_SHADER_STAGE_VERTEX_BIT;
    EXPECT_EQ(createFrom({vertex}), Names{kType + "stage-09128"});
    VkExecutionGraphPipelineCreateInfoAMDX with = info();
    with.layout = VK_NULL_HANDLE;
    EXPECT_EQ(create({with}), (Names{kType + "layout-11363", "Millrace-pipeline-layout"}));
    EXPECT_EQ(last, VkPipeline{});
}

// The sender declares six nodes, from 1 to 6, and sends to more than one.
TEST_F(CreationRules, NodesBeyondWhatASenderDeclares_AreTold)
{
    const VkShaderModule member = device.createProgram("array_n");
    const NamedStage first(member, "member", "arr", 1), second(member, "member", "arr", 2);
    const NamedStage last(member, "member", "arr", 6), beyond(member, "member", "arr", 7);
    const auto sender = TestDevice::stage(device.createProgram("array_a_value"), "choose");
    EXPECT_EQ(createFrom({sender, first.stage, second.stage, last.stage}), Names{});
    EXPECT_EQ(createFrom({sender, first.stage, second.stage, beyond.stage}), Names{"Millrace-node-array-size"});
}

TEST_F(CreationRules, Libraries)
{
    constexpr VkPipelineCreateFlags2 kNode =
        VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;
    EXPECT_EQ(createWithLibrary(computeLibrary(kNode, device.layout)), Names{});
    EXPECT_EQ(createWithLibrary(computeLibrary(VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR, device.layout)),
              Names{kType + "pLibraryInfo-10181"});
    EXPECT_EQ(createWithLibrary(device.createCompute(device.createModule(shaders::store))),
              (Names{kType + "pLibraryInfo-10181", "Millrace-graph-creation"}));
    EXPECT_EQ(createWithLibrary(device.createGraphics()),
              (Names{kType + "shaderMeshEnqueue-10182", "Millrace-graph-creation"}));
    EXPECT_EQ(createWithLibrary(reinterpret_cast<VkPipeline>(uintptr_t{0x1234})),
              (Names{kType + "pLibraryInfo-09133", "Millrace-graph-creation"}));
    const VkDescriptorSetLayout uniform = device.createSetLayout(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
    const VkPipelineLayout other = device.createLayout(device.setLayout, uniform);
    EXPECT_EQ(createWithLibrary(computeLibrary(kNode, other)), Names{kType + "pLibraryInfo-09131"});
}

TEST_F(CreationRules, NodesOfOneName)
{
    constexpr uint32_t kMaxNumWorkgroups = 5077;
    constexpr uint32_t kStaticNumWorkgroups = 5072;
    const VkShaderModule dynamic = device.createProgram("level_b");
    std::vector<uint32_t> words = TestDevice::programWords("level_b");
    findMode(words, kMaxNumWorkgroups)[2] = kStaticNumWorkgroups;
    const NamedStage fixed(device.createModule(words), "b", "x", 1);
    const NamedStage grid(dynamic, "b", "x", 0);
    const NamedStage gridAgain(dynamic, "b", "x", 0);
    const NamedStage small(recurse.module, "recurse", "x", 1);
    const NamedStage coalescing(device.createProgram("coalesce_c"), "gather", "x", 0);
    EXPECT_EQ(createFrom({grid.stage, gridAgain.stage}), Names{kType + "None-09134"});
    EXPECT_EQ(createFrom({grid.stage, small.stage}), Names{kType + "None-09135"});
    EXPECT_EQ(createFrom({coalescing.stage, small.stage}), Names{kType + "CoalescedInputCountAMDX-09137"});
    EXPECT_EQ(createFrom({grid.stage, fixed.stage}), Names{kType + "StaticNumWorkgroupsAMDX-09138"});
}

TEST_F(CreationRules, Outputs)
{
    const VkPipelineShaderStageCreateInfo sender = TestDevice::stage(device.createProgram("level_a"), "a");
    const NamedStage tooSmall(device.createProgram("finish_b"), "work", "b", 0);
    EXPECT_EQ(createFrom({sender, tooSmall.stage}), Names{kType + "PayloadNodeNameAMDX-09139"});
    EXPECT_EQ(createFrom({sender}), Names{kType + "flags-10184"});
}

TEST_F(CreationRules, Limits)
{
    constexpr uint32_t kOffset = 35;
    std::vector<uint32_t> words = TestDevice::programWords("level_a");
    findInstruction(words, kOpMemberDecorate, [](std::span<uint32_t> operands) {
        return operands[2] == kOffset && operands[3] == 12;
    })[4] = 1 << 20;
    EXPECT_EQ(createFrom({TestDevice::stage(device.createModule(words), "a")}),
              Names{"VUID-RuntimeSpirv-maxExecutionGraphShaderPayloadSize-09195"});
}

TEST(CreationRulesWithoutFeature, LibraryBitOfComputePipelines)
{
    TestDevice device({}, {.feature = false});
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    info.stage = TestDevice::stage(device.createModule(shaders::store), "main");
    info.layout = device.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_LT(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), 0);
    EXPECT_EQ(pipeline, VkPipeline{});
    device.instance.expectMessage("VUID-VkComputePipelineCreateInfo-shaderEnqueue-09177");
}

}  // namespace

}  // namespace millrace::layertest
