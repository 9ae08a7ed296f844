// SPDX-License-Identifier: Apache-2.0
// Graphs run on the driver's compute bind point; the application must not notice.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;

std::vector<uint32_t> words(const Buffer& buffer, size_t first, size_t count)
{
    return {buffer.words + first, buffer.words + first + count};
}

// True: dispatched from device memory, so that the command buffer is split and all state is replayed.
class State : public testing::TestWithParam<bool> {
protected:
    void dispatchGraph(TestDevice& device, VkCommandBuffer cmd, const Graph& graph, const char* node, uint32_t count,
                       const std::vector<uint32_t>& payload)
    {
        if (GetParam())
            device.dispatchIndirect(cmd, graph, node, count, payload);
        else
            device.dispatch(cmd, graph, node, count, payload);
    }
};

TEST_P(State, ComputeState_IntactAfterGraph)
{
    TestDevice device;
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const VkPipeline store = device.createCompute(device.createModule(shaders::store));
    const Buffer counts = device.createBuffer(256);
    const Buffer stored = device.createBuffer(256);
    const VkDescriptorSet set = device.createSet(stored);

    VkCommandBuffer cmd = device.begin();
    vkCmdBindPipeline(cmd, kCompute, store);
    vkCmdBindDescriptorSets(cmd, kCompute, device.layout, 0, 1, &set, 0, nullptr);
    const uint32_t push[] = {10, 5};
    vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
    device.prepare(cmd, graph, device.createSet(counts));
    vkCmdDispatch(cmd, 1, 1, 1);  // initializing changed nothing either
    dispatchGraph(device, cmd, graph, "recurse", 1, {0});
    device.barrier(cmd);
    const uint32_t index = 20;
    vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &index);
    vkCmdDispatch(cmd, 2, 1, 1);
    device.submitAndWait(cmd);
    EXPECT_EQ(words(counts, 0, 6), (std::vector<uint32_t>{1, 2, 4, 8, 16, 0}));
    EXPECT_EQ(words(stored, 9, 3), (std::vector<uint32_t>{0, 5, 0}));
    EXPECT_EQ(words(stored, 19, 4), (std::vector<uint32_t>{0, 5, 5, 0}));
}

TEST_P(State, SeveralGraphs_EachWithItsBindings)
{
    TestDevice device;
    const Graph tree = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const Graph fill = device.createGraph({TestDevice::stage(device.createModule(shaders::store), "main")});
    const Buffer counts = device.createBuffer(256);
    const Buffer stored = device.createBuffer(256);
    const VkDescriptorSet sets[] = {device.createSet(counts), device.createSet(stored)};

    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, fill, sets[0]);
    device.prepare(cmd, tree, sets[0]);
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t push[] = {2 * i, 7 + i};
        vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
        vkCmdBindPipeline(cmd, kGraphPoint, fill.pipeline);
        vkCmdBindDescriptorSets(cmd, kGraphPoint, device.layout, 0, 1, &sets[1], 0, nullptr);
        dispatchGraph(device, cmd, fill, "main", 1, {1, 1, 1});
        vkCmdBindPipeline(cmd, kGraphPoint, tree.pipeline);
        vkCmdBindDescriptorSets(cmd, kGraphPoint, device.layout, 0, 1, &sets[0], 0, nullptr);
        dispatchGraph(device, cmd, tree, "recurse", 1, {0});
        device.barrier(cmd);
    }
    device.submitAndWait(cmd);
    EXPECT_EQ(words(stored, 0, 6), (std::vector<uint32_t>{7, 0, 8, 0, 9, 0}));
    EXPECT_EQ(words(counts, 0, 5), (std::vector<uint32_t>{3, 6, 12, 24, 48}));
}

TEST_P(State, DynamicOffsets)
{
    TestDevice device;
    const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    const VkDescriptorSetLayout dynamic = device.createSetLayout(type);
    const VkPipelineLayout layout = device.createLayout(dynamic, dynamic);
    const VkShaderModule module = device.createModule(shaders::copy);
    const Graph graph = device.createGraph({TestDevice::stage(module, "main")}, Scratch::Ample, layout);
    const VkPipeline copy = device.createCompute(module, layout);
    const Buffer out = device.createBuffer(2048);
    const Buffer in = device.createBuffer(2048);
    in.words[64] = 11;   // 256 bytes
    in.words[128] = 22;  // 512 bytes
    const VkDescriptorSet sets[] = {device.createSet(out, dynamic, type, 256),
                                    device.createSet(in, dynamic, type, 256)};

    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
    device.barrier(cmd);
    const uint32_t computeOffsets[] = {512, 512};
    const uint32_t graphOffsets[] = {256, 256};
    vkCmdBindPipeline(cmd, kCompute, copy);
    vkCmdBindDescriptorSets(cmd, kCompute, layout, 0, 2, sets, 2, computeOffsets);
    vkCmdBindPipeline(cmd, kGraphPoint, graph.pipeline);
    vkCmdBindDescriptorSets(cmd, kGraphPoint, layout, 0, 2, sets, 2, graphOffsets);
    const uint32_t to = 3;
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &to);
    dispatchGraph(device, cmd, graph, "main", 1, {1, 1, 1});
    device.barrier(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
    device.submitAndWait(cmd);
    EXPECT_EQ(out.words[64 + 3], 11u);
    EXPECT_EQ(out.words[128 + 3], 22u);
}

struct PushedBuffer {
    VkDescriptorBufferInfo info;
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};

    explicit PushedBuffer(const Buffer& buffer) : info{buffer.handle, 0, VK_WHOLE_SIZE}
    {
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &info;
    }
    PushedBuffer(const PushedBuffer&) = delete;
    const VkWriteDescriptorSet* get() const { return &write; }
};

TEST_P(State, PushDescriptors_WithAndWithoutTemplate)
{
    TestDevice device({}, {.extensions = {VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME}});
    const auto push = device.get<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR");
    const auto pushTemplate =
        device.get<PFN_vkCmdPushDescriptorSetWithTemplateKHR>("vkCmdPushDescriptorSetWithTemplateKHR");
    const VkDescriptorSetLayout pushed =
        device.createSetLayout(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT);
    const VkPipelineLayout layout = device.createLayout(pushed, device.setLayout);
    const VkShaderModule module = device.createModule(shaders::store);
    const Graph graph = device.createGraph({TestDevice::stage(module, "main")}, Scratch::Ample, layout);
    const VkPipeline store = device.createCompute(module, layout);
    const Buffer forCompute = device.createBuffer(256);
    const Buffer forGraph = device.createBuffer(256);
    const Buffer forTemplate = device.createBuffer(256);

    VkDescriptorUpdateTemplateEntry entry{};
    entry.descriptorCount = 1;
    entry.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    entry.offset = 16;
    VkDescriptorUpdateTemplateCreateInfo templateInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO};
    templateInfo.descriptorUpdateEntryCount = 1;
    templateInfo.pDescriptorUpdateEntries = &entry;
    templateInfo.templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS;
    templateInfo.pipelineBindPoint = kGraphPoint;
    templateInfo.pipelineLayout = layout;
    VkDescriptorUpdateTemplate updateTemplate = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateDescriptorUpdateTemplate(device.handle, &templateInfo, nullptr, &updateTemplate));

    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
    device.barrier(cmd);
    vkCmdBindPipeline(cmd, kCompute, store);
    push(cmd, kCompute, layout, 0, 1, PushedBuffer(forCompute).get());
    vkCmdBindPipeline(cmd, kGraphPoint, graph.pipeline);
    push(cmd, kGraphPoint, layout, 0, 1, PushedBuffer(forGraph).get());
    uint32_t constants[] = {1, 6};
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, constants);
    dispatchGraph(device, cmd, graph, "main", 1, {1, 1, 1});
    const PushedBuffer other(forTemplate);
    std::array<std::byte, 16 + sizeof other.info> data;
    std::memcpy(data.data() + 16, &other.info, sizeof other.info);
    pushTemplate(cmd, updateTemplate, layout, 0, data.data());
    data.fill(std::byte{0});
    device.barrier(cmd);
    dispatchGraph(device, cmd, graph, "main", 1, {2, 1, 1});
    vkCmdDispatch(cmd, 1, 1, 1);
    device.submitAndWait(cmd);
    EXPECT_EQ(words(forCompute, 0, 4), (std::vector<uint32_t>{0, 6, 0, 0}));
    EXPECT_EQ(words(forGraph, 0, 4), (std::vector<uint32_t>{0, 6, 0, 0}));
    EXPECT_EQ(words(forTemplate, 0, 4), (std::vector<uint32_t>{0, 6, 6, 0}));
    vkDestroyDescriptorUpdateTemplate(device.handle, updateTemplate, nullptr);
}

// Commands that name shader stages: compute means the graph as well, unless something was bound to it by name.
TEST_P(State, StagesInsteadOfBindPoints)
{
    VkPhysicalDeviceMaintenance6FeaturesKHR maintenance6{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_6_FEATURES_KHR};
    maintenance6.maintenance6 = VK_TRUE;
    TestDevice device({}, {.chain = &maintenance6, .extensions = {VK_KHR_MAINTENANCE_6_EXTENSION_NAME}});
    const VkShaderModule module = device.createModule(shaders::store);
    const Graph graph = device.createGraph({TestDevice::stage(module, "main")});
    const VkPipeline store = device.createCompute(module);
    const Buffer byStage = device.createBuffer(256);
    const Buffer byName = device.createBuffer(256);
    const VkDescriptorSet sets[] = {device.createSet(byStage), device.createSet(byName)};

    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
    device.barrier(cmd);
    VkBindDescriptorSetsInfoKHR bind{VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR};
    bind.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    bind.layout = device.layout;
    bind.descriptorSetCount = 1;
    bind.pDescriptorSets = &sets[0];
    device.get<PFN_vkCmdBindDescriptorSets2KHR>("vkCmdBindDescriptorSets2KHR")(cmd, &bind);
    const uint32_t constants[] = {1, 6};
    VkPushConstantsInfoKHR push{VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR};
    push.layout = device.layout;
    push.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    push.size = 8;
    push.pValues = constants;
    device.get<PFN_vkCmdPushConstants2KHR>("vkCmdPushConstants2KHR")(cmd, &push);
    vkCmdBindPipeline(cmd, kCompute, store);
    vkCmdBindPipeline(cmd, kGraphPoint, graph.pipeline);
    dispatchGraph(device, cmd, graph, "main", 1, {2, 1, 1});
    device.barrier(cmd);
    vkCmdBindDescriptorSets(cmd, kGraphPoint, device.layout, 0, 1, &sets[1], 0, nullptr);
    dispatchGraph(device, cmd, graph, "main", 1, {3, 1, 1});
    device.barrier(cmd);
    const uint32_t index = 5;
    vkCmdPushConstants(cmd, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &index);
    vkCmdDispatch(cmd, 1, 1, 1);
    device.submitAndWait(cmd);
    EXPECT_EQ(words(byStage, 0, 7), (std::vector<uint32_t>{0, 6, 6, 0, 0, 6, 0}));
    EXPECT_EQ(words(byName, 0, 7), (std::vector<uint32_t>{0, 6, 6, 6, 0, 0, 0}));
}

// No room for the layer's own constants beside the application's.
TEST_P(State, AllPushConstantsTaken_MoveToMemory)
{
    TestDevice device;
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(device.physical, &properties);
    const uint32_t size = properties.limits.maxPushConstantsSize;
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, size};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &device.setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineLayout(device.handle, &info, nullptr, &layout));
    const VkShaderModule module = device.createModule(shaders::store);
    const Graph graph = device.createGraph({TestDevice::stage(module, "main")}, Scratch::Ample, layout);
    const VkPipeline store = device.createCompute(module, layout);
    const Buffer out = device.createBuffer(256);
    const VkDescriptorSet set = device.createSet(out);

    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
    device.barrier(cmd);
    for (VkPipelineBindPoint point : {kCompute, kGraphPoint}) {
        vkCmdBindPipeline(cmd, point, point == kCompute ? store : graph.pipeline);
        vkCmdBindDescriptorSets(cmd, point, layout, 0, 1, &set, 0, nullptr);
    }
    std::vector<uint32_t> push(size / 4, 0);
    push[0] = 3;
    push[1] = 8;
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, size, push.data());
    dispatchGraph(device, cmd, graph, "main", 1, {2, 1, 1});
    push[0] = 20;
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, push.data());
    device.barrier(cmd);
    vkCmdDispatch(cmd, 1, 1, 1);
    device.submitAndWait(cmd);
    EXPECT_EQ(words(out, 2, 4), (std::vector<uint32_t>{0, 8, 8, 0}));
    EXPECT_EQ(words(out, 19, 3), (std::vector<uint32_t>{0, 8, 0}));
    vkDestroyPipelineLayout(device.handle, layout, nullptr);
}

TEST_P(State, OneScratch_UsedByTwoGraphsInTurn)
{
    TestDevice device;
    Graph tree = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    Graph levels = device.createGraph({TestDevice::stage(device.createProgram("level_a"), "a"),
                                       TestDevice::stage(device.createProgram("level_b"), "b")});
    Buffer& shared = tree.scratch.size > levels.scratch.size ? tree.scratch : levels.scratch;
    tree.scratch = levels.scratch = shared;
    const Buffer counts = device.createBuffer(256);
    const Buffer grids = device.createBuffer(256);
    const VkDescriptorSet sets[] = {device.createSet(counts), device.createSet(grids)};
    VkCommandBuffer cmd = device.begin();
    for (uint32_t i = 0; i < 2; ++i) {
        device.prepare(cmd, tree, sets[0]);
        for (uint32_t k = 0; k < 2; ++k) {  // without initializing again
            dispatchGraph(device, cmd, tree, "recurse", 1, {0});
            device.barrier(cmd);
        }
        device.prepare(cmd, levels, sets[1]);
        dispatchGraph(device, cmd, levels, "a", 1, {3});
        device.barrier(cmd);
    }
    device.submitAndWait(cmd);
    EXPECT_EQ(words(counts, 0, 5), (std::vector<uint32_t>{4, 8, 16, 32, 64}));
    EXPECT_EQ(words(grids, 0, 4), (std::vector<uint32_t>{8, 16, 24, 0}));
}

TEST_P(State, SubmittedAgain_SameResults)
{
    TestDevice device;
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const Buffer counts = device.createBuffer(256);
    VkCommandBuffer cmd = device.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    device.prepare(cmd, graph, device.createSet(counts));
    dispatchGraph(device, cmd, graph, "recurse", 1, {0});
    device.barrier(cmd);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    for (uint32_t i = 0; i < 3; ++i)
        device.submit(cmd);  // while the one before may still run
    MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
    EXPECT_EQ(words(counts, 0, 5), (std::vector<uint32_t>{3, 6, 12, 24, 48}));
}

// A graph, a secondary command buffer, a graph: nothing of the layer's reaches into the secondary, and its commands
// come between the graphs.
TEST_P(State, SecondaryBetweenGraphs)
{
    TestDevice device;
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const VkPipeline store = device.createCompute(device.createModule(shaders::store));
    const Buffer counts = device.createBuffer(256);
    const Buffer stored = device.createBuffer(256);
    const VkDescriptorSet sets[] = {device.createSet(counts), device.createSet(stored)};

    VkCommandBuffer secondary = device.allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    VkCommandBufferInheritanceInfo inheritance{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.pInheritanceInfo = &inheritance;
    MILLRACE_CHECK(vkBeginCommandBuffer(secondary, &begin));
    vkCmdBindPipeline(secondary, kCompute, store);
    vkCmdBindDescriptorSets(secondary, kCompute, device.layout, 0, 1, &sets[1], 0, nullptr);
    const uint32_t push[] = {3, 7};
    vkCmdPushConstants(secondary, device.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, push);
    vkCmdDispatch(secondary, 2, 1, 1);
    MILLRACE_CHECK(vkEndCommandBuffer(secondary));

    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, sets[0]);
    dispatchGraph(device, cmd, graph, "recurse", 1, {0});
    device.barrier(cmd);
    vkCmdExecuteCommands(cmd, 1, &secondary);
    device.barrier(cmd);
    device.prepare(cmd, graph, sets[0]);  // all state is undefined behind secondaries
    dispatchGraph(device, cmd, graph, "recurse", 1, {0});
    device.submitAndWait(cmd);
    EXPECT_EQ(words(counts, 0, 5), (std::vector<uint32_t>{2, 4, 8, 16, 32}));
    EXPECT_EQ(words(stored, 2, 4), (std::vector<uint32_t>{0, 7, 7, 0}));
}

// Queue families differ in what they can do beside computing.
TEST_P(State, EveryQueueFamilyThatComputes)
{
    std::vector<VkQueueFamilyProperties> families;
    {
        TestInstance instance;
        uint32_t count = 0;
        vkGetPhysicalDeviceQueueFamilyProperties(instance.physical, &count, nullptr);
        families.resize(count);
        vkGetPhysicalDeviceQueueFamilyProperties(instance.physical, &count, families.data());
    }
    for (uint32_t family = 0; family < families.size(); ++family) {
        const bool computes = families[family].queueFlags & VK_QUEUE_COMPUTE_BIT;
        const bool draws = families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT;
        TestDevice device({}, {.queueFamily = family});
        const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
        const Buffer counts = device.createBuffer(256);
        VkCommandBuffer cmd = device.begin();
        if (!computes && !draws) {
            device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
            device.instance.expectMessage("VUID-vkCmdInitializeGraphScratchMemoryAMDX-commandBuffer-cmdpool");
            continue;
        }
        device.prepare(cmd, graph, device.createSet(counts));
        dispatchGraph(device, cmd, graph, "recurse", 1, {0});
        device.submitAndWait(cmd);
        EXPECT_EQ(words(counts, 0, 5), (std::vector<uint32_t>{1, 2, 4, 8, 16})) << "family " << family;
    }
}

struct BlockValues {
    uint32_t base;
    uint32_t step;
    VkDeviceAddress address;
};

// Set 0: a variable number of storage buffers. Set 1: an inline uniform block.
struct ResourceSets {
    ResourceSets(TestDevice& device, std::span<const Buffer> buffers, const BlockValues& values)
    {
        const auto count = static_cast<uint32_t>(buffers.size());
        const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK};
        const uint32_t sizes[] = {8, sizeof values};
        VkDescriptorPoolInlineUniformBlockCreateInfo blocks{
            VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_INLINE_UNIFORM_BLOCK_CREATE_INFO, nullptr, 1};
        const VkDescriptorPoolSize poolSizes[] = {{types[0], sizes[0]}, {types[1], sizes[1]}};
        VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, &blocks};
        poolInfo.maxSets = 2;
        poolInfo.poolSizeCount = 2;
        poolInfo.pPoolSizes = poolSizes;
        VkDescriptorPool pool = VK_NULL_HANDLE;
        MILLRACE_CHECK(vkCreateDescriptorPool(device.handle, &poolInfo, nullptr, &pool));
        device.onDestroy([&device, pool] { vkDestroyDescriptorPool(device.handle, pool, nullptr); });
        for (uint32_t i = 0; i < 2; ++i) {
            layouts[i] = createLayout(device, types[i], sizes[i], i == 0);
            VkDescriptorSetVariableDescriptorCountAllocateInfo variable{
                VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO, nullptr, 1, &count};
            VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                             i == 0 ? &variable : nullptr};
            info.descriptorPool = pool;
            info.descriptorSetCount = 1;
            info.pSetLayouts = &layouts[i];
            MILLRACE_CHECK(vkAllocateDescriptorSets(device.handle, &info, &sets[i]));
        }
        write(device, buffers, values);
    }

    static VkDescriptorSetLayout createLayout(TestDevice& device, VkDescriptorType type, uint32_t count, bool variable)
    {
        const VkDescriptorBindingFlags flag =
            VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT;
        VkDescriptorSetLayoutBindingFlagsCreateInfo flags{
            VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 1, &flag};
        const VkDescriptorSetLayoutBinding binding{0, type, count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                             variable ? &flags : nullptr};
        info.bindingCount = 1;
        info.pBindings = &binding;
        VkDescriptorSetLayout out = VK_NULL_HANDLE;
        MILLRACE_CHECK(vkCreateDescriptorSetLayout(device.handle, &info, nullptr, &out));
        device.onDestroy([&device, out] { vkDestroyDescriptorSetLayout(device.handle, out, nullptr); });
        return out;
    }

    void write(TestDevice& device, std::span<const Buffer> buffers, const BlockValues& values) const
    {
        std::vector<VkDescriptorBufferInfo> infos;
        for (const Buffer& buffer : buffers)
            infos.push_back({buffer.handle, 0, VK_WHOLE_SIZE});
        VkWriteDescriptorSetInlineUniformBlock block{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
                                                     nullptr, sizeof values, &values};
        VkWriteDescriptorSet writes[2] = {{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET},
                                          {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, &block}};
        for (uint32_t i = 0; i < 2; ++i)
            writes[i].dstSet = sets[i];
        writes[0].descriptorCount = static_cast<uint32_t>(infos.size());
        writes[0].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[0].pBufferInfo = infos.data();
        writes[1].descriptorCount = sizeof values;
        writes[1].descriptorType = VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK;
        vkUpdateDescriptorSets(device.handle, 2, writes, 0, nullptr);
    }

    VkDescriptorSetLayout layouts[2] = {};
    VkDescriptorSet sets[2] = {};
};

// Descriptor indexing, an inline uniform block, a buffer by its address.
TEST_P(State, OtherResourcesInNodes)
{
    TestDevice device({}, {.descriptorIndexing = true});
    const Buffer outs[] = {device.createBuffer(256), device.createBuffer(256), device.createBuffer(256)};
    const Buffer addressed = device.createBuffer(256);
    const ResourceSets sets(device, outs, {100, 10, addressed.address});
    const VkPipelineLayout layout = device.createLayout(sets.layouts[0], sets.layouts[1]);
    const Graph graph = device.createGraph({TestDevice::stage(device.createModule(shaders::resources), "main")},
                                           Scratch::Ample, layout);
    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
    device.barrier(cmd);
    vkCmdBindPipeline(cmd, kGraphPoint, graph.pipeline);
    vkCmdBindDescriptorSets(cmd, kGraphPoint, layout, 0, 2, sets.sets, 0, nullptr);
    dispatchGraph(device, cmd, graph, "main", 1, {5, 1, 1});
    device.submitAndWait(cmd);
    EXPECT_EQ(words(outs[0], 0, 5), (std::vector<uint32_t>{100, 0, 0, 130, 0}));
    EXPECT_EQ(words(outs[1], 0, 5), (std::vector<uint32_t>{0, 110, 0, 0, 140}));
    EXPECT_EQ(words(outs[2], 0, 5), (std::vector<uint32_t>{0, 0, 120, 0, 0}));
    EXPECT_EQ(words(addressed, 0, 6), (std::vector<uint32_t>{100, 100, 100, 100, 100, 0}));
}

INSTANTIATE_TEST_SUITE_P(Layer, State, testing::Bool(), [](const testing::TestParamInfo<bool>& info) {
    return std::string(info.param ? "Split" : "Whole");
});

}  // namespace

}  // namespace millrace::layertest
