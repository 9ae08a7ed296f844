// SPDX-License-Identifier: Apache-2.0
// What an extension that is newer than the layer's headers brings: structures reach the driver, commands record where
// the others do.
#include "layer/tomorrow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr uint32_t kValues[] = {1, 20, 300};
constexpr uint64_t kSum = 321;
constexpr uint64_t kMore = 77;

VkMoreTomorrowEXT moreTomorrow(const void* next = nullptr)
{
    VkMoreTomorrowEXT made;
    made.pNext = next;
    made.value = kMore;
    return made;
}

const std::multiset<uint64_t> kBoth = {kTomorrowValue, kMore};
const std::multiset<uint64_t> kOne = {kTomorrowValue};

class Tomorrow : public testing::Test {
protected:
    Tomorrow() : device({.tomorrow = true}, options())
    {
        device.instance.expectMessage("Millrace-unknown-extension");
        graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
        counts = device.createBuffer(256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
        set = device.createSet(counts);
    }

    static DeviceOptions options()
    {
        return {.extensions = {VK_EXT_TOMORROW_EXTENSION_NAME, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME,
                               VK_KHR_LOAD_STORE_OP_NONE_EXTENSION_NAME}};
    }

    VkCommandBuffer begin()
    {
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, set);
        return cmd;
    }

    // Splits the command buffer, unless that is impossible.
    void tree(VkCommandBuffer cmd)
    {
        device.dispatchIndirect(cmd, graph, "recurse", 100, std::vector<uint32_t>(100, 0));
        device.barrier(cmd);
    }

    TestDevice device;
    Graph graph;
    Buffer counts;
    VkDescriptorSet set = VK_NULL_HANDLE;
};

TEST(TomorrowDevice, Structures_ReachTheDriver_WhereverTheyAreInTheChain)
{
    const VkMoreTomorrowEXT last = moreTomorrow();
    const VkTomorrowEXT behind = tomorrow(&last);
    VkPhysicalDeviceDescriptorBufferFeaturesEXT known{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT};
    VkMoreTomorrowEXT between = moreTomorrow(&known);
    between.value = 1000;
    VkTomorrowEXT front = tomorrow(&between);
    TestDevice device({.tomorrow = true},
                      {.chain = &behind, .first = &front, .extensions = {VK_EXT_TOMORROW_EXTENSION_NAME}});
    device.instance.expectMessage("Millrace-unknown-extension");
    const std::vector<Arrival> arrivals = takeArrivals();
    EXPECT_EQ(valuesOf(arrivals, "vkCreateDevice"),
              (std::multiset<uint64_t>{kTomorrowValue, 1000, kTomorrowValue, kMore}));
    EXPECT_EQ(valuesOf(arrivals, "VK_EXT_tomorrow"), (std::multiset<uint64_t>{1}));
}

// A chain in read-only memory.
const VkBufferUsageFlags2CreateInfoKHR kUsage{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                              VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX};
const VkTomorrowEXT kConstant{VK_STRUCTURE_TYPE_TOMORROW_EXT, &kUsage, 3, kValues, {}};

TEST_F(Tomorrow, Buffers_KeepTheirStructures)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &kConstant};
    info.size = 256;
    takeArrivals();
    VkBuffer buffer = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateBuffer(device.handle, &info, nullptr, &buffer));
    vkDestroyBuffer(device.handle, buffer, nullptr);
    EXPECT_EQ(valuesOf(takeArrivals(), "vkCreateBuffer"), (std::multiset<uint64_t>{kSum}));
}

TEST_F(Tomorrow, PipelinesThatAreTranslated_KeepTheirStructures)
{
    const VkMoreTomorrowEXT more = moreTomorrow();
    VkPipelineShaderStageNodeCreateInfoAMDX node{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, &more};
    const VkTomorrowEXT first = tomorrow(&node);
    VkPipelineCreateFlags2CreateInfoKHR flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, &more};
    flags.flags = VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX;
    const VkTomorrowEXT second = tomorrow(&flags);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &second};
    info.stage = TestDevice::stage(device.createModule(shaders::store), "main");
    info.stage.pNext = &first;
    info.layout = device.layout;
    takeArrivals();
    VkPipeline pipeline = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
    vkDestroyPipeline(device.handle, pipeline, nullptr);
    const std::vector<Arrival> arrivals = takeArrivals();
    EXPECT_EQ(valuesOf(arrivals, "vkCreateComputePipelines"), kBoth);
    EXPECT_EQ(valuesOf(arrivals, "vkCreateComputePipelines, stage"), kBoth);
}

// What nobody but the layer makes can have no such structure, and it says so: once.
TEST_F(Tomorrow, Graphs_SayThatTheyHaveNoUseForThem)
{
    const VkTomorrowEXT first = tomorrow();
    const VkPipelineShaderStageCreateInfo stage = TestDevice::stage(device.createProgram("recurse"), "recurse");
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX, &first};
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = device.layout;
    info.basePipelineIndex = -1;
    for (int i = 0; i < 2; ++i) {
        VkPipeline pipeline = VK_NULL_HANDLE;
        MILLRACE_CHECK(device.createGraphs(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline));
        vkDestroyPipeline(device.handle, pipeline, nullptr);
    }
    device.instance.expectMessage("Millrace-unknown-structure");
}

void beginRendering(VkCommandBuffer cmd, const Image& image, VkAttachmentLoadOp load, VkAttachmentStoreOp store,
                    const void* chain = nullptr)
{
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, chain};
    color.imageView = image.view;
    color.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    color.loadOp = load;
    color.storeOp = store;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO, chain};
    info.renderArea.extent = {8, 8};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    vkCmdBeginRendering(cmd, &info);
}

TEST_F(Tomorrow, Rendering_HasItsStructures_AndGoesOnWithoutThemBehindAGraph)
{
    const Image target = device.createTarget(8, 8);
    const VkTomorrowEXT chain = tomorrow();
    VkCommandBuffer cmd = begin();
    TestDevice::transition(cmd, target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    takeArrivals();
    beginRendering(cmd, target, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE, &chain);
    std::vector<Arrival> arrivals = takeArrivals();
    EXPECT_EQ(valuesOf(arrivals, "vkCmdBeginRendering"), kOne);
    EXPECT_EQ(valuesOf(arrivals, "vkCmdBeginRendering, attachment"), kOne);
    EXPECT_TRUE(device.instance.takeMessages().empty());
    device.dispatch(cmd, graph, "recurse", 1, {0});
    device.instance.expectMessage("Millrace-unknown-structure");
    arrivals = takeArrivals();
    EXPECT_EQ(valuesOf(arrivals, "store").size(), 1u) << "the instance goes on";
    EXPECT_TRUE(valuesOf(arrivals, "vkCmdBeginRendering").empty());
    vkCmdEndRendering(cmd);
    device.submitAndWait(cmd);
}

TEST_F(Tomorrow, PushedDescriptors_HaveTheirStructures_AndArePushedAgainWithout)
{
    const VkDescriptorSetLayout pushed =
        device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT);
    const VkPipelineLayout layout = device.createLayout(pushed, device.setLayout);
    const VkTomorrowEXT chain = tomorrow();
    const VkDescriptorBufferInfo buffer{counts.handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, &chain};
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    VkCommandBuffer cmd = begin();
    takeArrivals();
    device.get<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR")(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout,
                                                                           0, 1, &write);
    EXPECT_EQ(valuesOf(takeArrivals(), "vkCmdPushDescriptorSetKHR"), kOne);
    EXPECT_TRUE(device.instance.takeMessages().empty());
    tree(cmd);
    device.instance.expectMessage("Millrace-unknown-structure");
    device.submitAndWait(cmd);
    EXPECT_EQ(counts.words[4], 1600u);
}

TEST_F(Tomorrow, SubmissionsThatAreSplit_HaveTheirStructures)
{
    VkCommandBuffer cmd = begin();
    tree(cmd);
    tree(cmd);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    takeArrivals();
    {
        const VkMoreTomorrowEXT more = moreTomorrow();
        const VkProtectedSubmitInfo plain{VK_STRUCTURE_TYPE_PROTECTED_SUBMIT_INFO, &more, VK_FALSE};
        const VkTomorrowEXT chain = tomorrow(&plain);
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &chain};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &cmd;
        MILLRACE_CHECK(vkQueueSubmit(device.queue, 1, &info, VK_NULL_HANDLE));
    }
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(valuesOf(takeArrivals(), "vkQueueSubmit"), kBoth);
    device.instance.expectMessage("Millrace-unknown-structure");
    {
        const VkTomorrowEXT chain = tomorrow();
        VkCommandBufferSubmitInfo command{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, &chain};
        command.commandBuffer = cmd;
        VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
        info.commandBufferInfoCount = 1;
        info.pCommandBufferInfos = &command;
        MILLRACE_CHECK(vkQueueSubmit2(device.queue, 1, &info, VK_NULL_HANDLE));
    }
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_FALSE(valuesOf(takeArrivals(), "vkQueueSubmit2, command buffer").empty());
    EXPECT_EQ(counts.words[4], 4 * 1600u);
}

TEST_F(Tomorrow, Commands_RecordBehindTheSplit)
{
    const auto command = device.get<PFN_vkCmdTomorrowEXT>("vkCmdTomorrowEXT");
    ASSERT_NE(command, nullptr);
    EXPECT_EQ(command, device.get<PFN_vkCmdTomorrowEXT>("vkCmdTomorrowEXT"));
    const VkTomorrowEXT argument = tomorrow();
    const auto call = [&](VkCommandBuffer cmd) {
        command(cmd, 1, 1.5f, &argument, 2, 2.5, 3, 4, 5, 3.5f, 6, 4.5, 5.5f, 6.5f, 7.5f, 8.5f, 9.5f);
    };
    const double floats = 1.5 + 2 * 2.5 + 4 * 3.5 + 8 * 4.5 + 16 * 5.5 + 32 * 6.5 + 64 * 7.5 + 128 * 8.5 + 256 * 9.5;
    const uint64_t expected =
        1 + 2 * 2 + 4 * 3 + 8 * 4 + 16 * 5 + 32 * 6 + kTomorrowValue + static_cast<uint64_t>(1000 * floats);
    VkCommandBuffer cmd = begin();
    takeArrivals();
    call(cmd);
    tree(cmd);
    call(cmd);
    const std::vector<Arrival> arrivals = takeArrivals();
    EXPECT_EQ(valuesOf(arrivals, "vkCmdTomorrowEXT"), (std::multiset<uint64_t>{expected, expected}));
    std::set<uint64_t> ended;
    for (const Arrival& arrival : arrivals) {
        if (arrival.command == "vkEndCommandBuffer")
            ended.insert(arrival.object);
        if (arrival.command == "vkCmdTomorrowEXT")
            EXPECT_FALSE(ended.contains(arrival.object));
    }
    EXPECT_FALSE(ended.empty()) << "the command buffer was split";
    device.submitAndWait(cmd);
    EXPECT_EQ(counts.words[4], 1600u);
}

// The validation layer would complain of an end without a begin.
TEST_F(Tomorrow, CommandThatEndsRendering_HasEndedItForGraphs)
{
    const Image target = device.createTarget(8, 8);
    VkCommandBuffer cmd = begin();
    TestDevice::transition(cmd, target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    beginRendering(cmd, target, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE);
    device.get<PFN_vkCmdEndRenderingTomorrowEXT>("vkCmdEndRenderingTomorrowEXT")(cmd, nullptr);
    tree(cmd);
    device.submitAndWait(cmd);
    EXPECT_EQ(counts.words[4], 1600u);
}

TEST_F(Tomorrow, ScopeOfACommand_IsNotSplit)
{
    VkCommandBuffer cmd = begin();
    device.get<PFN_vkCmdBeginTomorrowEXT>("vkCmdBeginTomorrowEXT")(cmd);
    tree(cmd);
    device.get<PFN_vkCmdEndTomorrowEXT>("vkCmdEndTomorrowEXT")(cmd);
    device.instance.expectMessage("Millrace-graph-not-continued");
    std::set<uint64_t> places;
    for (const Arrival& arrival : takeArrivals())
        if (arrival.command == "vkCmdBeginTomorrowEXT" || arrival.command == "vkCmdEndTomorrowEXT")
            places.insert(arrival.object);
    EXPECT_EQ(places.size(), 1u);
    tree(cmd);
    EXPECT_TRUE(device.instance.takeMessages().empty());
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

TEST_F(Tomorrow, CommandOfAQueue_ComesBehindWhatIsHeld)
{
    VkCommandBuffer cmd = begin();
    tree(cmd);
    tree(cmd);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    takeArrivals();
    device.submit(cmd);
    EXPECT_EQ(device.get<PFN_vkQueueTomorrowEXT>("vkQueueTomorrowEXT")(device.queue, 9), VK_SUCCESS);
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    const std::vector<Arrival> arrivals = takeArrivals();
    ASSERT_FALSE(arrivals.empty());
    EXPECT_EQ(arrivals.back().command, "vkQueueTomorrowEXT");
    EXPECT_EQ(arrivals.back().value, 9u);
    EXPECT_EQ(counts.words[4], 2 * 1600u);
}

TEST_F(Tomorrow, MoreCommandsThanTheLayerCanRedirect_NothingIsSplit)
{
    PFN_vkCmdBeginTomorrowEXT last = nullptr;
    for (uint32_t i = 0; i < 100; ++i)
        last = device.get<PFN_vkCmdBeginTomorrowEXT>(("vkCmdTomorrow" + std::to_string(i) + "EXT").c_str());
    ASSERT_NE(last, nullptr);
    VkCommandBuffer cmd = begin();
    tree(cmd);
    device.instance.expectMessage("Millrace-graph-not-continued");
    takeArrivals();
    last(cmd);
    const std::vector<Arrival> arrivals = takeArrivals();
    ASSERT_EQ(arrivals.size(), 1u);
    EXPECT_EQ(arrivals[0].object, reinterpret_cast<uintptr_t>(cmd));
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
}

// What a driver is asked to do with attachments.
std::vector<uint64_t> operations(const std::vector<Arrival>& arrivals)
{
    std::vector<uint64_t> all;
    for (const Arrival& arrival : arrivals)
        if (arrival.command == "load" || arrival.command == "store")
            all.push_back(arrival.value);
    return all;
}

TEST_F(Tomorrow, AttachmentsThatAreLeftAlone_AreLeftAlone)
{
    const Image target = device.createTarget(8, 8);
    VkCommandBuffer cmd = begin();
    TestDevice::transition(cmd, target, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    const auto begun = [&](VkAttachmentLoadOp load, VkAttachmentStoreOp store) {
        takeArrivals();
        beginRendering(cmd, target, load, store);
        device.dispatch(cmd, graph, "recurse", 1, {0});
        vkCmdEndRendering(cmd);
        return operations(takeArrivals());
    };
    constexpr VkAttachmentLoadOp kLoad = VK_ATTACHMENT_LOAD_OP_LOAD;
    constexpr VkAttachmentLoadOp kLoadNone = VK_ATTACHMENT_LOAD_OP_NONE;
    constexpr VkAttachmentStoreOp kStore = VK_ATTACHMENT_STORE_OP_STORE;
    constexpr VkAttachmentStoreOp kStoreNone = VK_ATTACHMENT_STORE_OP_NONE;
    EXPECT_EQ(begun(kLoadNone, kStoreNone), (std::vector<uint64_t>{kLoadNone, kStoreNone, kLoadNone, kStoreNone}));
    device.instance.expectMessage("Millrace-attachment-not-kept");
    // What is drawn in front of the graph must be there behind it.
    EXPECT_EQ(begun(kLoad, kStoreNone), (std::vector<uint64_t>{kLoad, kStore, kLoad, kStore}));
    EXPECT_EQ(begun(kLoadNone, kStore), (std::vector<uint64_t>{kLoadNone, kStore, kLoad, kStore}));
    EXPECT_EQ(begun(VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE),
              (std::vector<uint64_t>{VK_ATTACHMENT_LOAD_OP_CLEAR, kStore, kLoad, kStore}));
    device.submitAndWait(cmd);
}

}  // namespace

}  // namespace millrace::layertest
