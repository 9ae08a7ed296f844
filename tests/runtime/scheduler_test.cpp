// SPDX-License-Identifier: Apache-2.0
// One graph with every kind of node, run with several scratch sizes on both paths and compared with a host computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "abi/node_code.h"
#include "graph/code_traits.h"
#include "runtime/recording_memory.h"
#include "runtime/runtime.h"
#include "runtime/vulkan_device.h"
#include "shaders/runtime_test_nodes.h"

namespace millrace {
namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kResultWords = 64;
constexpr uint32_t kRecursion = 5;
const Words kFanGroups = {1200, 3, 0, 700};

uint32_t hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

graph::NodeOutput output(const char* target, uint32_t bytes, uint32_t budget)
{
    graph::NodeOutput out;
    out.targetName = target;
    out.payloadBytes = bytes;
    out.budget = budget;
    out.allocationSites = 1;
    return out;
}

graph::Node node(const char* name, graph::LaunchMode mode, uint32_t payloadBytes, uint32_t localSize)
{
    graph::Node n;
    n.declared.id.name = name;
    n.declared.mode = mode;
    n.declared.declaresPayload = true;
    n.declared.payloadBytes = payloadBytes;
    n.declared.localSize[0] = localSize;
    return n;
}

// Node 0 is the entry; the code of each is in tests/runtime/nodes.
std::vector<graph::Node> nodes()
{
    std::vector<graph::Node> all;
    graph::Node fan = node("fan", graph::LaunchMode::Dynamic, 8, 64);
    fan.declared.grid = {0, 1, 4};
    fan.declared.outputs = {output("leaf", 4, 128), output("grids", 16, 3), output("tree", 4, 1)};
    fan.declared.outputs[0].arraySize = 5;
    fan.declared.outputs[0].perInvocation = true;
    for (uint32_t i = 0; i < 3; ++i)
        fan.declared.outputs[i].budgetPool = i;
    all.push_back(fan);
    for (uint32_t i = 0; i < 5; ++i) {
        graph::Node leaf = node("leaf", graph::LaunchMode::Coalescing, 4, i < 3 ? 8 : 1);
        leaf.declared.id.index = i;
        leaf.declared.maxInputPayloads = i < 3 ? 16 : 1;
        leaf.decided.packWidth = i < 3 ? 0 : 64;
        all.push_back(leaf);
    }
    graph::Node grids = node("grids", graph::LaunchMode::Dynamic, 16, 4);
    grids.declared.grid = {0, 3, 4};
    grids.declared.usesFinishWriting = true;
    all.push_back(grids);
    graph::Node tree = node("tree", graph::LaunchMode::Static, 4, 2);
    tree.declared.maxRecursion = kRecursion;
    tree.declared.outputs = {output("tree", 4, 2)};
    tree.declared.outputs[0].perInvocation = true;
    all.push_back(tree);
    return all;
}

std::span<const uint32_t> code(const graph::Node& n, bool fits)
{
    if (n.declared.id.name == "fan")
        return fits ? shaders::node_fan_fits : shaders::node_fan;
    if (n.declared.id.name == "grids")
        return fits ? shaders::node_grids_fits : shaders::node_grids;
    if (n.declared.id.name == "tree")
        return fits ? shaders::node_tree_fits : shaders::node_tree;
    if (n.decided.packWidth)
        return fits ? shaders::node_leaf_packed_fits : shaders::node_leaf_packed;
    return fits ? shaders::node_leaf_fits : shaders::node_leaf;
}

uint32_t kind(const graph::Node& n)
{
    if (n.decided.packWidth)
        return abi::kKindPacked;
    switch (n.declared.mode) {
        case graph::LaunchMode::Static:
            return abi::kKindStatic;
        case graph::LaunchMode::Dynamic:
            return abi::kKindDynamic;
        case graph::LaunchMode::Coalescing:
            return abi::kKindCoalescing;
    }
    return 0;
}

void expectTree(Words& result, uint32_t remaining, uint32_t weight)
{
    result[24 + remaining] += weight;
    for (uint32_t i = 0; remaining > 0 && i < 2; ++i)
        expectTree(result, remaining - 1, weight + i);
}

Words expected(uint32_t seed, const Words& fanGroups = kFanGroups)
{
    Words result(kResultWords, 0);
    for (uint32_t groups : fanGroups)
        for (uint32_t g = 0; g < groups; ++g) {
            for (uint32_t i = 0; i < 64; ++i) {
                const uint32_t h = hash((g * 64 + i) ^ seed);
                const uint32_t leaf = (h >> 8) % 5;
                result[2 * leaf] += h % 3;
                result[2 * leaf + 1] += (h % 3) * (h >> 16);
            }
            for (uint32_t x = 1; x < 3; ++x) {
                const uint32_t z = 1 + g % 3;
                result[19] += 1;
                for (uint32_t i = 0; i < x * 2 * z; ++i) {
                    result[16] += 1;
                    result[17] += i % x + 10 * (i / x % 2) + 100 * (i / (x * 2));
                    result[18] += seed;
                }
            }
            expectTree(result, kRecursion, 1);
        }
    return result;
}

// A graph's driver objects.
class TestGraph {
public:
    TestGraph(test::VulkanDevice& vulkan, runtime::Path path) : m_vulkan(vulkan)
    {
        auto linked = graph::link(nodes());
        EXPECT_TRUE(linked) << linked.error().text();
        pipeline.graph = std::move(*linked);
        pipeline.sizes = graph::scratchSizes(pipeline.graph, 16 << 20);
        pipeline.graphId = 7;
        createLayout();
        for (const graph::Node& n : pipeline.graph.nodes)
            for (graph::MemoryUse memory : {graph::MemoryUse::Reserves, graph::MemoryUse::Fits})
                m_pipelines[memory].push_back(createPipeline(n, path, memory));
        pipeline.getPipelines = [this](std::span<const runtime::PipelineUse> uses, std::vector<VkPipeline>& out) {
            out.clear();
            for (const runtime::PipelineUse& use : uses)
                out.push_back(m_pipelines[use.memory][use.node]);
            return VK_SUCCESS;
        };
        runtime::Settings settings;
        settings.path = path;
        EXPECT_EQ(runtime::Device::create(vulkan.instance, vulkan.physical, vulkan.device, vulkan.instanceTable,
                                          vulkan.table, settings, {}, m_device),
                  VK_SUCCESS);
        EXPECT_EQ(m_device->prepare(), VK_SUCCESS);
    }

    ~TestGraph()
    {
        for (const auto& [memory, pipelines] : m_pipelines)
            for (VkPipeline p : pipelines)
                vkDestroyPipeline(m_vulkan.device, p, nullptr);
        vkDestroyPipelineLayout(m_vulkan.device, pipeline.layout, nullptr);
        vkDestroyDescriptorPool(m_vulkan.device, m_pool, nullptr);
        vkDestroyDescriptorSetLayout(m_vulkan.device, m_setLayout, nullptr);
        m_vulkan.destroy(m_result);
    }

    // Runs the graph to its end and returns the result words; `sweeps` tells how many it took.
    Words run(VkDeviceSize scratchBytes, uint32_t seed, uint32_t& sweeps)
    {
        test::HostBuffer scratch = createScratch(scratchBytes);
        initialize(scratch, scratchBytes);
        const Words result = dispatch(scratch, scratchBytes, seed, kFanGroups, sweeps);
        m_vulkan.destroy(scratch);
        return result;
    }

    test::HostBuffer createScratch(VkDeviceSize bytes)
    {
        test::HostBuffer scratch = m_vulkan.createBuffer(bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        std::fill_n(scratch.words, bytes / 4, 0xcdcdcdcdu);
        return scratch;
    }

    void destroyScratch(test::HostBuffer& scratch) { m_vulkan.destroy(scratch); }

    void initialize(const test::HostBuffer& scratch, VkDeviceSize bytes)
    {
        std::shared_ptr<void> tables;
        m_vulkan.run([&](VkCommandBuffer commandBuffer) {
            EXPECT_EQ(runtime::recordInitialize(*m_device, commandBuffer, pipeline, scratch.address, bytes, tables),
                      VK_SUCCESS);
        });
    }

    // The same in memory that was initialized, after other dispatches or none.
    Words dispatch(const test::HostBuffer& scratch, VkDeviceSize scratchBytes, uint32_t seed, const Words& fanGroups,
                   uint32_t& sweeps, uint32_t payloadsPerInfo = UINT32_MAX)
    {
        std::fill_n(m_result.words, kResultWords, 0u);
        std::vector<std::array<uint32_t, 2>> payloads;
        for (uint32_t groups : fanGroups)
            payloads.push_back({groups, seed});
        std::vector<VkDispatchGraphInfoAMDX> infos;
        for (size_t first = 0; first < payloads.size(); first += infos.back().payloadCount) {
            VkDispatchGraphInfoAMDX& info = infos.emplace_back();
            info.payloadCount = static_cast<uint32_t>(std::min<size_t>(payloadsPerInfo, payloads.size() - first));
            info.payloads.hostAddress = payloads.data() + first;
            info.payloadStride = sizeof payloads[0];
        }
        VkDispatchGraphCountInfoAMDX count{};
        count.count = static_cast<uint32_t>(infos.size());
        count.infos.hostAddress = infos.data();
        count.stride = sizeof infos[0];
        // One by one they are on the device, so that nobody can feed them before.
        test::HostBuffer inputs;
        if (payloadsPerInfo != UINT32_MAX)
            inputs = moveToDevice(payloads, infos, count);
        runtime::DispatchRequest request;
        request.pipeline = &pipeline;
        request.scratch = scratch.address;
        request.scratchBytes = scratchBytes;
        request.countInfo = &count;
        if (inputs.address != 0)
            request.form = runtime::DispatchRequest::Form::Indirect;

        std::shared_ptr<runtime::RecordedDispatch> dispatch;
        m_vulkan.run([&](VkCommandBuffer commandBuffer) {
            bind(commandBuffer);
            runtime::RecordingMemory memory;
            EXPECT_EQ(runtime::recordDispatch(*m_device, commandBuffer, memory, request, dispatch), VK_SUCCESS);
            runtime::recordHostBarrier(*m_device, commandBuffer);
        });
        sweeps = 1;
        for (; dispatch->mayContinue() && dispatch->hasRemaining() && sweeps < 10000; ++sweeps)
            m_vulkan.run([&](VkCommandBuffer commandBuffer) {
                bind(commandBuffer);
                dispatch->recordSweep(commandBuffer);
                runtime::recordHostBarrier(*m_device, commandBuffer);
            });
        if (inputs.address != 0)
            m_vulkan.destroy(inputs);
        EXPECT_EQ(dispatch->status().remaining, 0u) << "after " << sweeps << " sweeps";
        EXPECT_EQ(dispatch->status().error, abi::kErrorNone);
        return Words(m_result.words, m_result.words + kResultWords);
    }

    runtime::GraphPipeline pipeline;

private:
    test::HostBuffer moveToDevice(const std::vector<std::array<uint32_t, 2>>& payloads,
                                  std::vector<VkDispatchGraphInfoAMDX>& infos, VkDispatchGraphCountInfoAMDX& count)
    {
        const size_t infoBytes = infos.size() * sizeof infos[0];
        const size_t payloadBytes = payloads.size() * sizeof payloads[0];
        test::HostBuffer inputs = m_vulkan.createBuffer(infoBytes + payloadBytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        for (VkDispatchGraphInfoAMDX& info : infos) {
            const auto* first = static_cast<const std::byte*>(info.payloads.hostAddress);
            const auto offset = static_cast<size_t>(first - reinterpret_cast<const std::byte*>(payloads.data()));
            info.payloads.deviceAddress = inputs.address + infoBytes + offset;
        }
        std::memcpy(inputs.words, infos.data(), infoBytes);
        std::memcpy(inputs.words + infoBytes / 4, payloads.data(), payloadBytes);
        count.infos.deviceAddress = inputs.address;
        return inputs;
    }
    void createLayout();
    VkPipeline createPipeline(const graph::Node& n, runtime::Path path, graph::MemoryUse memory);
    void bind(VkCommandBuffer commandBuffer)
    {
        vkCmdBindDescriptorSets(commandBuffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0, 1, &m_set, 0,
                                nullptr);
    }

    test::VulkanDevice& m_vulkan;
    std::unique_ptr<runtime::Device> m_device;
    test::HostBuffer m_result;
    std::map<graph::MemoryUse, std::vector<VkPipeline>> m_pipelines;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
};

void TestGraph::createLayout()
{
    VkDevice device = m_vulkan.device;
    const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                               nullptr};
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = 1;
    setInfo.pBindings = &binding;
    vkCreateDescriptorSetLayout(device, &setInfo, nullptr, &m_setLayout);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(abi::NodeArguments)};
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &m_setLayout;
    layoutInfo.pushConstantRangeCount = 1;
    layoutInfo.pPushConstantRanges = &range;
    vkCreatePipelineLayout(device, &layoutInfo, nullptr, &pipeline.layout);

    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    poolInfo.maxSets = 1;
    poolInfo.poolSizeCount = 1;
    poolInfo.pPoolSizes = &size;
    vkCreateDescriptorPool(device, &poolInfo, nullptr, &m_pool);
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = m_pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &m_setLayout;
    vkAllocateDescriptorSets(device, &allocate, &m_set);
    m_result = m_vulkan.createBuffer(kResultWords * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    const VkDescriptorBufferInfo buffer{m_result.buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_set;
    write.descriptorCount = 1;
    write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &buffer;
    vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
}

VkPipeline TestGraph::createPipeline(const graph::Node& n, runtime::Path path, graph::MemoryUse memory)
{
    const uint32_t constants[] = {kind(n),
                                  n.decided.packWidth ? n.decided.packWidth : n.declared.localSize[0],
                                  n.declared.maxInputPayloads,
                                  path == runtime::Path::Indirect,
                                  graph::codeTraits(n.declared).emits,
                                  n.declared.staticGrid[0],
                                  n.declared.staticGrid[1],
                                  n.declared.staticGrid[2]};
    const uint32_t ids[] = {abi::kKindSpecId,  abi::kWorkgroupSizeSpecId, abi::kInputTableSpecId, abi::kIndirectSpecId,
                            abi::kEmitsSpecId, abi::kGridXSpecId,         abi::kGridYSpecId,      abi::kGridZSpecId};
    std::vector<VkSpecializationMapEntry> entries;
    for (uint32_t i = 0; i < std::size(ids); ++i)
        entries.push_back({ids[i], 4 * i, 4});
    const VkSpecializationInfo specialization{static_cast<uint32_t>(entries.size()), entries.data(), sizeof constants,
                                              constants};
    const std::span<const uint32_t> words = code(n, memory != graph::MemoryUse::Reserves);
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size_bytes();
    moduleInfo.pCode = words.data();
    VkShaderModule module;
    vkCreateShaderModule(m_vulkan.device, &moduleInfo, nullptr, &module);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &specialization;
    info.layout = pipeline.layout;
    VkPipeline created = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateComputePipelines(m_vulkan.device, VK_NULL_HANDLE, 1, &info, nullptr, &created), VK_SUCCESS);
    vkDestroyShaderModule(m_vulkan.device, module, nullptr);
    return created;
}

TEST(SameMemory, WhatOneDispatchLeaves_IsNothingToTheNext)
{
    constexpr VkDeviceSize kBytes = 64 << 20;
    test::VulkanDevice vulkan;
    {
        TestGraph graph(vulkan, runtime::Path::Direct);
        test::HostBuffer scratch = graph.createScratch(kBytes);
        graph.initialize(scratch, kBytes);
        const std::vector<Words> inputs = {{3}, {1200, 3, 0, 700}, {700, 1200}, {}, {3}};
        for (const Words& fanGroups : inputs) {
            uint32_t sweeps = 0;
            EXPECT_EQ(graph.dispatch(scratch, kBytes, 1, fanGroups, sweeps), expected(1, fanGroups));
        }
        vulkan.destroy(scratch);
    }
    EXPECT_EQ(vulkan.messages(), 0u);
}

class Scheduler : public testing::TestWithParam<runtime::Path> {};

TEST_P(Scheduler, EveryKindOfNodeWithEveryScratchSize)
{
    test::VulkanDevice vulkan;
    {
        TestGraph graph(vulkan, GetParam());
        const graph::ScratchSizes sizes = graph.pipeline.sizes;
        for (VkDeviceSize bytes :
             {sizes.maxBytes, sizes.minBytes, sizes.minBytes + 100000, (sizes.minBytes + sizes.maxBytes) / 2}) {
            uint32_t sweeps = 0;
            const uint32_t seed = static_cast<uint32_t>(bytes);
            EXPECT_EQ(graph.run(bytes, seed, sweeps), expected(seed)) << bytes << " bytes of scratch";
            EXPECT_TRUE(bytes > sizes.minBytes || sweeps > 1) << "the smallest memory was meant to be too small";
            EXPECT_TRUE(bytes <= sizes.maxBytes / 2 || sweeps == 1) << "a sweep too many";
            std::printf("%llu bytes of scratch: %u sweeps\n", static_cast<unsigned long long>(bytes), sweeps);
        }
    }
    EXPECT_EQ(vulkan.messages(), 0u);
}

// Blocks of infos that the feed has read, all its workgroups together, of so many infos of one payload each.
uint32_t blocksRead(TestGraph& graph, uint32_t infos, uint32_t& sweeps)
{
    const VkDeviceSize bytes = graph.pipeline.sizes.minBytes;
    test::HostBuffer scratch = graph.createScratch(bytes);
    graph.initialize(scratch, bytes);
    const Words fanGroups(infos, 1);
    EXPECT_EQ(graph.dispatch(scratch, bytes, 3, fanGroups, sweeps, 1), expected(3, fanGroups));
    abi::GraphHeader header;
    std::memcpy(&header, scratch.words, sizeof header);
    graph.destroyScratch(scratch);
    return header.feedBlocks;
}

// The time that infos take is proportional to how many there are, also where most sweeps find memory for a few alone.
TEST(Feed, TwiceTheInfosInManySweeps_ReadsTwiceTheBlocks)
{
    test::VulkanDevice vulkan;
    {
        TestGraph graph(vulkan, runtime::Path::Direct);
        uint32_t few = 0, many = 0;
        const uint32_t least = blocksRead(graph, 400, few);
        const uint32_t most = blocksRead(graph, 1600, many);
        EXPECT_GT(many, 2 * few) << "memory was meant to be too small";
        EXPECT_GT(least, 400u / 64);
        EXPECT_LT(most, 6 * least);
        std::printf("%u blocks in %u sweeps, %u in %u\n", least, few, most, many);
    }
    EXPECT_EQ(vulkan.messages(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Paths, Scheduler, testing::Values(runtime::Path::Direct, runtime::Path::Indirect),
                         [](const auto& path) { return path.param == runtime::Path::Direct ? "Direct" : "Indirect"; });

}  // namespace
}  // namespace millrace
