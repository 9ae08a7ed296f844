// SPDX-License-Identifier: Apache-2.0
// The setting "step_by_step": each step is submitted alone and waited for.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "layer/recorder.h"
#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

struct Tree {
    explicit Tree(Scratch scratch, std::map<std::string, std::string> settings = {{"step_by_step", "true"}},
                  const DeviceOptions& options = {})
        : device({.recorder = true, .settings = std::move(settings)}, options)
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, scratch);
        out = device.createBuffer(1024, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                            VK_BUFFER_USAGE_TRANSFER_DST_BIT);
        set = device.createSet(out);
        takeEvents();
    }

    TestDevice device;
    Graph graph;
    Buffer out;
    VkDescriptorSet set;
};

// The most dispatches that were given to the driver between two waits.
size_t mostAtOnce(const std::vector<Event>& events)
{
    std::map<uint64_t, size_t> dispatches;
    size_t now = 0;
    size_t most = 0;
    for (const Event& event : events)
        if (event.what == Seen::BeginCommandBuffer)
            dispatches[event.object] = 0;
        else if (event.what == Seen::Dispatch)
            ++dispatches[event.object];
        else if (event.what == Seen::Submit)
            most = std::max(most, now += dispatches[event.object]);
        else if (event.what == Seen::Wait)
            now = 0;
    return most;
}

TEST(StepByStep, EachDispatchIsAloneWithTheDriver)
{
    for (Scratch scratch : {Scratch::Ample, Scratch::Minimum}) {
        Tree test(scratch);
        VkCommandBuffer cmd = test.device.begin();
        test.device.prepare(cmd, test.graph, test.set);
        test.device.dispatch(cmd, test.graph, "recurse", 20, std::vector<uint32_t>(20, 0));
        test.device.dispatch(cmd, test.graph, "recurse", 10, std::vector<uint32_t>(10, 0));
        test.device.submitAndWait(cmd);
        EXPECT_EQ(test.out.words[4], 16u * 30);
        EXPECT_EQ(mostAtOnce(takeEvents()), 1u);
    }
}

TEST(StepByStep, WithoutTheSetting_AllAtOnce)
{
    Tree test(Scratch::Ample, {});
    VkCommandBuffer cmd = test.device.begin();
    test.device.prepare(cmd, test.graph, test.set);
    test.device.dispatch(cmd, test.graph, "recurse", 20, std::vector<uint32_t>(20, 0));
    test.device.submitAndWait(cmd);
    EXPECT_EQ(mostAtOnce(takeEvents()), 7u);  // initialize, begin, five levels
}

// What the application has set and recorded around the graph is as it was.
TEST(StepByStep, ApplicationsComputeStateComesBack)
{
    Tree test(Scratch::Ample);
    TestDevice& device = test.device;
    const VkPipeline store = device.createCompute(device.createModule(shaders::store));
    const Buffer target = device.createBuffer(64);
    const VkDescriptorSet set = device.createSet(target);
    const uint32_t constants[4] = {0, 4711, 0, 0};
    VkCommandBuffer cmd = device.begin();
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, store);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, device.layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, constants);
    device.prepare(cmd, test.graph, test.set);
    device.dispatch(cmd, test.graph, "recurse", 1, {0});
    vkCmdDispatch(cmd, 1, 1, 1);
    device.submitAndWait(cmd);
    EXPECT_EQ(test.out.words[4], 16u);
    EXPECT_EQ(target.words[0], 4711u);
}

TEST(StepByStep, InAQuery_SaysThatItCannot)
{
    Tree test(Scratch::Ample);
    TestDevice& device = test.device;
    VkQueryPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    poolInfo.queryType = VK_QUERY_TYPE_OCCLUSION;
    poolInfo.queryCount = 1;
    VkQueryPool queries = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateQueryPool(device.handle, &poolInfo, nullptr, &queries));
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, test.graph, test.set);
    vkCmdResetQueryPool(cmd, queries, 0, 1);
    vkCmdBeginQuery(cmd, queries, 0, 0);
    device.dispatch(cmd, test.graph, "recurse", 1, {0});
    vkCmdEndQuery(cmd, queries, 0);
    device.instance.expectMessage("Millrace-not-step-by-step");
    device.submitAndWait(cmd);
    EXPECT_EQ(test.out.words[4], 16u);
    EXPECT_GT(mostAtOnce(takeEvents()), 1u);
    vkDestroyQueryPool(device.handle, queries, nullptr);
}

TEST(StepByStep, ConditionalRenderingHoldsForEachStep)
{
    VkPhysicalDeviceConditionalRenderingFeaturesEXT feature{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT};
    feature.conditionalRendering = VK_TRUE;
    Tree test(Scratch::Ample, {{"step_by_step", "true"}, {"breadcrumbs", "true"}},
              {.chain = &feature, .extensions = {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME}});
    TestDevice& device = test.device;
    const Buffer predicates = device.createBuffer(64, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
    predicates.words[1] = 1;
    const auto begin = device.get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
    const auto end = device.get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, test.graph, test.set);
    for (uint32_t i = 0; i < 2; ++i) {
        VkConditionalRenderingBeginInfoEXT info{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
        info.buffer = predicates.handle;
        info.offset = 4 * i;
        begin(cmd, &info);
        device.dispatch(cmd, test.graph, "recurse", 1 + i, std::vector<uint32_t>(1 + i, 0));
        end(cmd);
    }
    device.submitAndWait(cmd);
    EXPECT_EQ(test.out.words[4], 32u);  // of the second one
}

}  // namespace

}  // namespace millrace::layertest
