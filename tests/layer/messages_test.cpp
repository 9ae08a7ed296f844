// SPDX-License-Identifier: Apache-2.0
// What an application does wrong is told through its messenger, under the rule's name.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

struct Recursion {
    explicit Recursion(const InstanceOptions& options = {}, Scratch size = Scratch::Ample) : device(options)
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, size);
        out = device.createBuffer(1024);
        set = device.createSet(out);
    }

    TestDevice device;
    Graph graph;
    Buffer out;
    VkDescriptorSet set;
};

VkResult query(TestDevice& device, VkPipeline graph, const char* name, uint32_t index)
{
    VkPipelineShaderStageNodeCreateInfoAMDX info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    info.pName = name;
    info.index = index;
    uint32_t out = 0;
    return device.getNodeIndex(device.handle, graph, &info, &out);
}

TEST(Messages, NodeIndexQueries)
{
    Recursion test;
    EXPECT_EQ(query(test.device, test.graph.pipeline, "recurse", 0), VK_SUCCESS);
    EXPECT_LT(query(test.device, test.graph.pipeline, nullptr, 0), 0);
    test.device.instance.expectMessage("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09140");
    EXPECT_LT(query(test.device, test.graph.pipeline, "recurse", VK_SHADER_INDEX_UNUSED_AMDX), 0);
    test.device.instance.expectMessage("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-pNodeInfo-09141");
    EXPECT_LT(query(test.device, test.graph.pipeline, "recurse", 1), 0);
    test.device.instance.expectMessage("VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-executionGraph-09142");
}

TEST(Messages, ScratchTooSmallOrMisaligned_CommandIgnored)
{
    Recursion test;
    TestDevice& device = test.device;
    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, test.graph.pipeline, test.graph.scratch.address, 64);
    device.instance.expectMessage("VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratchSize-10186");
    device.cmdInitialize(cmd, test.graph.pipeline, test.graph.scratch.address + 16, test.graph.scratch.size);
    device.instance.expectMessage("VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-09144");
    device.prepare(cmd, test.graph, test.set);
    Graph small = test.graph;
    small.scratch.size = 64;
    device.dispatch(cmd, small, "recurse", 1, {0});
    device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-scratchSize-10193");
    device.submitAndWait(cmd);
    EXPECT_EQ(test.out.words[0], 0u);
}

TEST(Messages, NothingBound_CommandIgnored)
{
    Recursion test;
    VkCommandBuffer cmd = test.device.begin();
    test.device.dispatch(cmd, test.graph, "recurse", 1, {0});
    test.device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-None-08606");
    test.device.submitAndWait(cmd);
}

TEST(Messages, SecondaryCommandBuffer_CommandIgnored)
{
    Recursion test;
    TestDevice& device = test.device;
    VkCommandBuffer cmd = device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.pInheritanceInfo = &inheritance;
    MILLRACE_CHECK(vkBeginCommandBuffer(cmd, &begin));
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, test.graph.pipeline);
    device.dispatch(cmd, test.graph, "recurse", 1, {0});
    device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-commandBuffer-09182");
    device.cmdInitialize(cmd, test.graph.pipeline, test.graph.scratch.address, test.graph.scratch.size);
    device.instance.expectMessage("VUID-vkCmdInitializeGraphScratchMemoryAMDX-bufferlevel");
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

TEST(Messages, WrongNodeIndexOnTheDevice_NamesTheRule)
{
    Recursion test;
    TestDevice& device = test.device;
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, test.graph, test.set);
    const Buffer arguments = device.createBuffer(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    VkDispatchGraphInfoAMDX info{};
    info.nodeIndex = 1234;
    info.payloadCount = 1;
    info.payloads.deviceAddress = arguments.address + 64;
    *reinterpret_cast<VkDispatchGraphInfoAMDX*>(arguments.words) = info;
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.deviceAddress = arguments.address;
    counts.stride = sizeof info;
    device.cmdDispatchIndirect(cmd, test.graph.scratch.address, test.graph.scratch.size, &counts);
    device.submitAndWait(cmd);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09157");
}

// What cannot be made, and what cannot be written once it is there. The graph runs all the same.
TEST(Messages, TraceOrCaptureThatCannotBeWritten_IsToldByItsName)
{
    for (const std::string setting : {"trace", "capture_file"}) {
        // Of each setting its own, since a name that is asked for again gets a number while the layer stays loaded.
        const std::string nowhere = "/nowhere/at/all/" + setting;
        for (const std::string& path : {nowhere, nowhere + ".json", std::string("/dev/full")}) {
            SCOPED_TRACE(setting + " = " + path);
            InstanceOptions options;
            options.settings = {{setting, path}};
            if (setting == "capture_file")
                options.settings["capture"] = "recurse";
            Recursion test(options);
            VkCommandBuffer cmd = test.device.begin();
            test.device.prepare(cmd, test.graph, test.set);
            test.device.dispatch(cmd, test.graph, "recurse", 1, {0});
            test.device.submitAndWait(cmd);
            EXPECT_GT(test.out.words[0], 0u);
            const std::vector<Message> messages = test.device.instance.takeMessages();
            ASSERT_EQ(messages.size(), 1u);
            EXPECT_EQ(messages[0].id, setting == "trace" ? "Millrace-trace" : "Millrace-capture");
            EXPECT_NE(messages[0].text.find(path), std::string::npos) << messages[0].text;
        }
    }
}

// An engine that paces by the value of a timeline semaphore, and never waits.
TEST(Messages, SemaphoreValueThatIsRead_TellsWhatTheGraphsBehindItMet)
{
    Recursion test;
    TestDevice& device = test.device;
    const VkSemaphore timeline = device.createSemaphore(true);
    VkCommandBuffer cmd = device.begin();
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, test.graph.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, device.layout, 0, 1, &test.set, 0,
                            nullptr);
    device.dispatch(cmd, test.graph, "recurse", 1, {0});  // in memory that was never initialized
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    const uint64_t wanted = 3;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &wanted;
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &cmd;
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = &timeline;
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &submit, VK_NULL_HANDLE));
    for (uint64_t value = 0; value < wanted; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
        MILLRACE_CHECK(vkGetSemaphoreCounterValue(device.handle, timeline, &value));
    device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-scratch-10194");
    MILLRACE_CHECK(vkDeviceWaitIdle(device.handle));
}

TEST(Messages, SingleSweep_TellsWhatIsLeft)
{
    Recursion test({.settings = {{"continuation", "single"}}}, Scratch::Minimum);
    TestDevice& device = test.device;
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, test.graph, test.set);
    device.dispatchIndirect(cmd, test.graph, "recurse", 200, std::vector<uint32_t>(200, 0));
    device.submitAndWait(cmd);
    device.instance.expectMessage("Millrace-graph-incomplete");
}

TEST(Messages, Validate_ChecksHostStructures)
{
    Recursion test({.settings = {{"validate", "true"}}});
    TestDevice& device = test.device;
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, test.graph, test.set);
    const uint32_t payload = 0;
    VkDispatchGraphInfoAMDX info{};
    info.nodeIndex = 77;
    info.payloadCount = 1;
    info.payloads.hostAddress = &payload;
    info.payloadStride = 4;
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.hostAddress = &info;
    counts.stride = sizeof info;
    device.cmdDispatch(cmd, test.graph.scratch.address, test.graph.scratch.size, &counts);
    const std::vector<Message> messages = device.instance.takeMessages();
    ASSERT_GE(messages.size(), 1u);
    EXPECT_EQ(messages[0].id, "VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148");
    EXPECT_TRUE(messages[0].type & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

TEST(Messages, Validate_ChecksAddresses)
{
    Recursion test({.settings = {{"validate", "true"}}});
    TestDevice& device = test.device;
    const Buffer plain = device.createBuffer(test.graph.scratch.size);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, test.graph, test.set);
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.deviceAddress = plain.address + 2;
    counts.stride = sizeof(VkDispatchGraphInfoAMDX);
    device.cmdDispatchIndirect(cmd, plain.address, plain.size, &counts);
    std::vector<std::string> ids;
    for (const Message& message : device.instance.takeMessages())
        ids.push_back(message.id);
    EXPECT_EQ(ids, (std::vector<std::string>{"VUID-vkCmdDispatchGraphIndirectAMDX-scratch-09184",
                                             "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09152",
                                             "VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09151"}));
    device.cmdDispatchIndirectCount(cmd, test.graph.scratch.address, test.graph.scratch.size + 4096, plain.address);
    ids.clear();
    for (const Message& message : device.instance.takeMessages())
        ids.push_back(message.id);
    EXPECT_EQ(ids, (std::vector<std::string>{"VUID-vkCmdDispatchGraphIndirectCountAMDX-scratch-10192",
                                             "VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09160"}));
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

TEST(Messages, Validate_ScratchMemory)
{
    Recursion test({.settings = {{"validate", "true"}}});
    TestDevice& device = test.device;
    const Graph other = device.createGraph({TestDevice::stage(device.createProgram("single_struct"), "fill")});
    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, test.graph.pipeline, test.graph.scratch.address, test.graph.scratch.size + 64);
    device.instance.expectMessage("VUID-vkCmdInitializeGraphScratchMemoryAMDX-scratch-10185");
    device.prepare(cmd, test.graph, test.set);
    device.cmdInitialize(cmd, other.pipeline, test.graph.scratch.address, test.graph.scratch.size);
    device.barrier(cmd);
    device.dispatch(cmd, test.graph, "recurse", 1, {0});
    device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-scratch-10194");
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

TEST(Messages, Validate_StridesAndEntries)
{
    TestDevice device({.settings = {{"validate", "true"}}});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("level_a"), "a"),
                                            TestDevice::stage(device.createProgram("level_b"), "b")});
    const Buffer out = device.createBuffer(1024);
    const uint32_t payloads[4] = {1, 1, 1, 1};
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, device.createSet(out));
    VkDispatchGraphInfoAMDX info{};
    info.nodeIndex = device.nodeIndex(graph.pipeline, "a");
    info.payloadCount = 2;
    info.payloads.hostAddress = payloads;
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 1;
    counts.infos.hostAddress = &info;
    device.cmdDispatch(cmd, graph.scratch.address, graph.scratch.size, &counts);
    info.payloadStride = 2;
    device.cmdDispatch(cmd, graph.scratch.address, graph.scratch.size, &counts);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09149");
    info.payloadCount = 1;
    info.nodeIndex = device.nodeIndex(graph.pipeline, "b");  // IsApiEntryAMDX false
    device.cmdDispatch(cmd, graph.scratch.address, graph.scratch.size, &counts);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148");
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

TEST(Messages, Validate_IndirectMemory)
{
    Recursion test({.settings = {{"validate", "true"}}});
    TestDevice& device = test.device;
    const Buffer arguments = device.createBuffer(64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, test.graph, test.set);
    VkDispatchGraphCountInfoAMDX counts{};
    counts.count = 3;
    counts.infos.deviceAddress = arguments.address;
    counts.stride = sizeof(VkDispatchGraphInfoAMDX);
    const Buffer& scratch = test.graph.scratch;
    device.cmdDispatchIndirect(cmd, scratch.address, scratch.size, &counts);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectAMDX-pCountInfo-09150");
    device.cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, arguments.address + 2);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09161");
    device.cmdDispatchIndirectCount(cmd, scratch.address, scratch.size, arguments.address + 48);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectCountAMDX-countInfo-09159");
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

// Vulkan forbids callbacks to call commands; some do. On the thread that completes a graph they would wait for
// themselves.
struct Waiting {
    TestDevice& device;
    VkFence fence;
    VkSemaphore timeline;
    std::atomic<uint32_t> calls{0};
};

VKAPI_ATTR VkBool32 VKAPI_CALL waitInCallback(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                                              const VkDebugUtilsMessengerCallbackDataEXT* data, void* user)
{
    auto& waiting = *static_cast<Waiting*>(user);
    if (std::string(data->pMessageIdName).find("AMDX") == std::string::npos || ++waiting.calls > 1)
        return VK_FALSE;
    vkWaitForFences(waiting.device.handle, 1, &waiting.fence, VK_TRUE, UINT64_MAX);
    const uint64_t value = 1;
    VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    info.semaphoreCount = 1;
    info.pSemaphores = &waiting.timeline;
    info.pValues = &value;
    vkWaitSemaphores(waiting.device.handle, &info, UINT64_MAX);
    vkQueueWaitIdle(waiting.device.queue);
    vkDeviceWaitIdle(waiting.device.handle);
    return VK_FALSE;
}

TEST(Callbacks, WaitForTheGraphThatTheyAreAbout_NothingHangs)
{
    TestDevice device;
    const Graph graph =
        device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
    Waiting waiting{device, device.createFence(), device.createSemaphore(true)};
    VkDebugUtilsMessengerCreateInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = waitInCallback;
    info.pUserData = &waiting;
    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    MILLRACE_CHECK(device.instance.get<PFN_vkCreateDebugUtilsMessengerEXT>("vkCreateDebugUtilsMessengerEXT")(
        device.instance.handle, &info, nullptr, &messenger));

    // Never initialized, which the layer tells on its own thread.
    VkCommandBuffer cmd = device.begin();
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph.pipeline);
    const VkDescriptorSet set = device.createSet(device.createBuffer(256));
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, device.layout, 0, 1, &set, 0, nullptr);
    device.dispatchIndirect(cmd, graph, "recurse", 1, {0});
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    const uint64_t value = 1;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
    values.signalSemaphoreValueCount = 1;
    values.pSignalSemaphoreValues = &value;
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &cmd;
    submit.signalSemaphoreCount = 1;
    submit.pSignalSemaphores = &waiting.timeline;
    MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &submit, waiting.fence));
    MILLRACE_CHECK(vkWaitForFences(device.handle, 1, &waiting.fence, VK_TRUE, UINT64_MAX));
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_GT(waiting.calls, 0u);
    device.instance.expectMessage("VUID-vkCmdDispatchGraphIndirectAMDX-scratch-10194");
    device.instance.get<PFN_vkDestroyDebugUtilsMessengerEXT>("vkDestroyDebugUtilsMessengerEXT")(device.instance.handle,
                                                                                                messenger, nullptr);
}

}  // namespace

}  // namespace millrace::layertest
