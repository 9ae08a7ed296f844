// SPDX-License-Identifier: Apache-2.0
// How often the passes run that all code of a node has in common, counted where the compiler says what it does.
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include "graph/code_traits.h"
#include "layer/fake_driver.h"
#include "layer/graphs/pipelines.h"
#include "layer/graphs/pipelines_ahead.h"
#include "spirv/tools.h"

namespace millrace::layertest {

namespace {

// The last pass of each part.
constexpr const char* kPrepared = "choosePacking";
constexpr const char* kLowered = "wrapEntryPoint";
constexpr const char* kFinished = "linkDeviceLibrary";
constexpr graph::MemoryUse kUses[] = {graph::MemoryUse::Reserves, graph::MemoryUse::Fits, graph::MemoryUse::None,
                                      graph::MemoryUse::Fed};
constexpr uint32_t kUseCount = std::size(kUses);
constexpr std::chrono::minutes kHang{2};

layer::SharedWords shader(uint32_t value)
{
    const auto words = spirv::assemble(R"(
        OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main "main" %out
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %out DescriptorSet 0
        OpDecorate %out Binding 0
        OpDecorate %Out Block
        OpMemberDecorate %Out 0 Offset 0
        %void = OpTypeVoid
        %func = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %zero = OpConstant %uint 0
        %value = OpConstant %uint )" + std::to_string(value) +
                                       R"(
        %Out = OpTypeStruct %uint
        %sb_Out = OpTypePointer StorageBuffer %Out
        %sb_uint = OpTypePointer StorageBuffer %uint
        %out = OpVariable %sb_Out StorageBuffer
        %main = OpFunction %void None %func
        %entry = OpLabel
        %at = OpAccessChain %sb_uint %out %zero
        OpStore %at %value
        OpReturn
        OpFunctionEnd
    )");
    EXPECT_TRUE(words) << words.error().text();
    return std::make_shared<const spirv::Words>(*words);
}

class LoweredCode : public testing::Test {
protected:
    layer::NodeRequest request(uint32_t value, const std::string& name)
    {
        layer::NodeRequest out;
        out.words = shader(value);
        out.options.request.nodeName = name;
        out.options.request.shaderIndex = 0;
        out.options.checks.afterPass = [this](std::string_view pass, std::span<const uint32_t>) {
            std::lock_guard lock(m_mutex);
            ++m_runs[std::string(pass)];
        };
        return out;
    }

    // With their first pipelines.
    std::vector<std::shared_ptr<layer::NodePipeline>> make(std::vector<layer::NodeRequest> requests,
                                                           std::span<const graph::CodeTraits> traits = {})
    {
        layer::NodeBuilder builder(driver.device(), VK_NULL_HANDLE, 0,
                                   std::make_shared<layer::GraphLayout>(driver.device()), std::move(requests));
        for (const layer::NodeResult& result : builder.prepare())
            EXPECT_EQ(result.result, VK_SUCCESS) << result.message;
        const std::vector<std::optional<graph::MemoryUse>> uses(traits.size(), graph::MemoryUse::Fits);
        std::vector<std::shared_ptr<layer::NodePipeline>> out;
        for (const layer::NodeResult& result : builder.compile(traits, uses)) {
            EXPECT_EQ(result.result, VK_SUCCESS) << result.message;
            out.push_back(result.node);
        }
        return out;
    }

    static void getAll(std::span<const std::shared_ptr<layer::NodePipeline>> nodes)
    {
        for (const std::shared_ptr<layer::NodePipeline>& node : nodes) {
            for (const graph::MemoryUse use : kUses) {
                VkPipeline pipeline = VK_NULL_HANDLE;
                EXPECT_EQ(node->code->get(use, {}, pipeline), VK_SUCCESS);
                EXPECT_NE(pipeline, VK_NULL_HANDLE);
            }
        }
    }

    uint32_t runsOf(const std::string& pass)
    {
        std::lock_guard lock(m_mutex);
        return m_runs[pass];
    }

    FakeDriver driver;

private:
    std::mutex m_mutex;
    std::map<std::string, uint32_t> m_runs;
};

TEST_F(LoweredCode, EachNodeOnce_WhateverItsPipelinesAreFor)
{
    constexpr uint32_t kNodes = 5;
    std::vector<layer::NodeRequest> requests;
    for (uint32_t n = 0; n < kNodes; ++n)
        requests.push_back(request(n, "node " + std::to_string(n)));
    const auto nodes = make(std::move(requests));
    EXPECT_EQ(runsOf(kLowered), kNodes);
    EXPECT_EQ(runsOf(kFinished), kNodes);
    getAll(nodes);
    EXPECT_EQ(runsOf(kPrepared), kNodes);
    EXPECT_EQ(runsOf(kLowered), kNodes);
    EXPECT_EQ(runsOf(kFinished), kNodes * kUseCount);
}

TEST_F(LoweredCode, NodesOfOneCode_Once)
{
    getAll(make({request(1, "a"), request(2, "b"), request(1, "c")}));
    EXPECT_EQ(runsOf(kPrepared), 2u);
    EXPECT_EQ(runsOf(kLowered), 2u);
    EXPECT_EQ(runsOf(kFinished), 2 * kUseCount);
}

TEST_F(LoweredCode, NodesOfOneCodeInDifferentPlacesOfTheGraph_Once)
{
    std::vector<graph::CodeTraits> traits(2);
    traits[1].begins = true;
    getAll(make({request(1, "a"), request(1, "b")}, traits));
    EXPECT_EQ(runsOf(kPrepared), 1u);
    EXPECT_EQ(runsOf(kLowered), 1u);
    EXPECT_EQ(runsOf(kFinished), 2 * kUseCount);
}

// It is not there any more, and is made for each that asks all the same.
TEST_F(LoweredCode, WhatWasReleased_IsFreed)
{
    const layer::NodeRequest asked = request(1, "a");
    const auto prepared = nodes::prepare(*asked.words, asked.options);
    ASSERT_TRUE(prepared);
    std::weak_ptr<const nodes::NodeShader> module = prepared->shader;
    layer::LoweredCode code(asked.words, asked.options, std::make_shared<const nodes::PreparedNode>(*prepared));
    const auto kept = [&] {
        const auto lowered = code.get();
        EXPECT_TRUE(lowered) << lowered.error().text();
        return std::weak_ptr(lowered->shader);
    };
    module = kept();
    EXPECT_FALSE(module.expired());
    EXPECT_FALSE(kept().expired());
    EXPECT_EQ(runsOf(kLowered), 1u);
    code.release();
    EXPECT_TRUE(module.expired());
    EXPECT_TRUE(kept().expired());
    EXPECT_EQ(runsOf(kLowered), 2u);
    EXPECT_EQ(code.node().declared.id.name, "a");
}

TEST_F(LoweredCode, OfAllThatIsMadeAhead_Once)
{
    const auto nodes = make({request(1, "a"), request(2, "b")});
    const runtime::PipelineUse uses[] = {{0, graph::MemoryUse::Reserves}, {1, graph::MemoryUse::Fed}};
    layer::PipelinesAhead ahead;
    ahead.add(nodes, uses);
    const auto limit = std::chrono::steady_clock::now() + kHang;
    while (runsOf(kFinished) < 4 && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(runsOf(kFinished), 4u);
    EXPECT_EQ(runsOf(kLowered), 2u);
}

// Nothing is wanted of them, so that nothing is kept.
TEST_F(LoweredCode, WithNothingToMakeAhead_IsReleased)
{
    const auto nodes = make({request(1, "a")});
    layer::PipelinesAhead ahead;
    ahead.add(nodes, {});
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(nodes[0]->code->get(graph::MemoryUse::Reserves, {}, pipeline), VK_SUCCESS);
    EXPECT_EQ(nodes[0]->code->get(graph::MemoryUse::Fed, {}, pipeline), VK_SUCCESS);
    EXPECT_EQ(runsOf(kLowered), 3u);
}

// The thread releases them behind the last pipeline.
TEST_F(LoweredCode, BehindWhatIsMadeAhead_IsReleased)
{
    const auto nodes = make({request(1, "a"), request(2, "b")});
    const runtime::PipelineUse uses[] = {{0, graph::MemoryUse::Reserves}};
    layer::PipelinesAhead ahead;
    ahead.add(nodes, uses);
    const auto limit = std::chrono::steady_clock::now() + kHang;
    while (!(nodes[0]->code->isReleased() && nodes[1]->code->isReleased()) && std::chrono::steady_clock::now() < limit)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(nodes[0]->code->isReleased() && nodes[1]->code->isReleased());
    EXPECT_EQ(runsOf(kFinished), 3u);
    EXPECT_EQ(runsOf(kLowered), 2u);
}

}  // namespace

}  // namespace millrace::layertest
