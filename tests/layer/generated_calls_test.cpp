// SPDX-License-Identifier: Apache-2.0
// What the driver is called with where commands that are generated follow each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "layer/fake_driver.h"
#include "shaders/generated_test_shaders.h"

namespace millrace::layertest {

namespace {

constexpr VkPipelineBindPoint kGraphics = VK_PIPELINE_BIND_POINT_GRAPHICS;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
constexpr uint32_t kPushBytes = 48;
constexpr uint32_t kDraws = 30;
constexpr uint32_t kStride = 32;
constexpr uint32_t kCalls = 4000;
constexpr uint32_t kBufferBytes = kCalls * kDraws * kStride;
constexpr uint32_t kPipelines = 3;

class GeneratedCalls : public testing::Test {
protected:
    GeneratedCalls()
    {
        createLayout();
        for (VkPipeline& pipeline : pipelines)
            pipeline = createPipeline();
        tokens = createTokens(false);
        ordered = createTokens(true);
        createSet();
        stream = createBuffer();
        memory = createBuffer();
        VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
        call<PFN_vkCmdBeginRendering>("vkCmdBeginRendering", &rendering);
        bind();
        push(1);
    }
    ~GeneratedCalls() override
    {
        const VkDevice device = driver.handle();
        for (VkIndirectCommandsLayoutEXT one : {tokens, ordered})
            FakeDriver::get<PFN_vkDestroyIndirectCommandsLayoutEXT>("vkDestroyIndirectCommandsLayoutEXT")(device, one,
                                                                                                          nullptr);
        FakeDriver::get<PFN_vkDestroyIndirectExecutionSetEXT>("vkDestroyIndirectExecutionSetEXT")(device, set, nullptr);
        for (const Buffer& buffer : {stream, memory})
            FakeDriver::get<PFN_vkDestroyBuffer>("vkDestroyBuffer")(device, buffer.handle, nullptr);
        for (VkPipeline pipeline : pipelines)
            FakeDriver::get<PFN_vkDestroyPipeline>("vkDestroyPipeline")(device, pipeline, nullptr);
        FakeDriver::get<PFN_vkDestroyPipelineLayout>("vkDestroyPipelineLayout")(device, layout, nullptr);
        FakeDriver::get<PFN_vkDestroyDescriptorSetLayout>("vkDestroyDescriptorSetLayout")(device, setLayout, nullptr);
    }

    template <typename Function, typename... Args>
    void call(const char* name, Args... args)
    {
        FakeDriver::get<Function>(name)(cmd, args...);
    }
    void bind()
    {
        call<PFN_vkCmdBindPipeline>("vkCmdBindPipeline", kGraphics, pipelines[0]);
        const VkDescriptorSet own = fakeHandle<VkDescriptorSet>(77);
        call<PFN_vkCmdBindDescriptorSets>("vkCmdBindDescriptorSets", kGraphics, layout, 0u, 1u, &own, 0u, nullptr);
    }
    void push(uint32_t word) { call<PFN_vkCmdPushConstants>("vkCmdPushConstants", layout, kStages, 0u, 4u, &word); }
    void generate(uint32_t number)
    {
        VkGeneratedCommandsPipelineInfoEXT of{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT};
        of.pipeline = pipelines[0];
        VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT, &of};
        info.shaderStages = kStages;
        info.indirectCommandsLayout = tokens;
        info.indirectAddress = stream.address + uint64_t{number} * kDraws * kStride;
        info.indirectAddressSize = kDraws * kStride;
        info.maxSequenceCount = kDraws;
        call<PFN_vkCmdExecuteGeneratedCommandsEXT>("vkCmdExecuteGeneratedCommandsEXT", VK_FALSE, &info);
    }
    // Preprocessed, with each of the set's pipelines.
    void generateInOrder()
    {
        VkGeneratedCommandsInfoEXT info{VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT};
        info.shaderStages = kStages;
        info.indirectExecutionSet = set;
        info.indirectCommandsLayout = ordered;
        info.indirectAddress = stream.address;
        info.indirectAddressSize = kDraws * kStride;
        info.preprocessAddress = memory.address;
        info.preprocessSize = kBufferBytes;
        info.maxSequenceCount = kDraws;
        call<PFN_vkCmdExecuteGeneratedCommandsEXT>("vkCmdExecuteGeneratedCommandsEXT", VK_TRUE, &info);
    }
    void draw() { call<PFN_vkCmdDraw>("vkCmdDraw", 3u, 1u, 0u, 0u); }

    template <typename Action>
    static std::vector<std::string> namesOf(const Action& action)
    {
        FakeDriver::takeAllCalls();
        action();
        std::vector<std::string> names;
        for (const Call& call : FakeDriver::takeAllCalls())
            names.push_back(call.command);
        return names;
    }

    FakeDriver driver{Version::All, Provided::GeneratedCommands};
    VkCommandBuffer cmd = driver.begin();

private:
    struct Buffer {
        VkBuffer handle = VK_NULL_HANDLE;
        VkDeviceAddress address = 0;
    };

    void createLayout()
    {
        VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT};
        VkDescriptorSetLayoutCreateInfo sets{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        sets.bindingCount = 1;
        sets.pBindings = &binding;
        FakeDriver::get<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout")(driver.handle(), &sets, nullptr,
                                                                                        &setLayout);
        const VkPushConstantRange range{kStages, 0, kPushBytes};
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.setLayoutCount = 1;
        info.pSetLayouts = &setLayout;
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        FakeDriver::get<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(driver.handle(), &info, nullptr, &layout);
    }
    VkPipeline createPipeline()
    {
        const std::span<const uint32_t> code[] = {shaders::points_vertex, shaders::points_fragment};
        VkShaderModuleCreateInfo modules[2] = {};
        VkPipelineShaderStageCreateInfo stages[2] = {};
        for (uint32_t i = 0; i < 2; ++i) {
            modules[i] = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
            modules[i].codeSize = code[i].size_bytes();
            modules[i].pCode = code[i].data();
            stages[i] = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, &modules[i]};
            stages[i].stage = i == 0 ? VK_SHADER_STAGE_VERTEX_BIT : VK_SHADER_STAGE_FRAGMENT_BIT;
            stages[i].pName = "main";
        }
        const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
        const VkPipelineInputAssemblyStateCreateInfo assembly{
            VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
        const VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
        const VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
        VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
        info.stageCount = 2;
        info.pStages = stages;
        info.pVertexInputState = &input;
        info.pInputAssemblyState = &assembly;
        info.pRasterizationState = &raster;
        info.layout = layout;
        VkPipeline pipeline = VK_NULL_HANDLE;
        FakeDriver::get<PFN_vkCreateGraphicsPipelines>("vkCreateGraphicsPipelines")(driver.handle(), VK_NULL_HANDLE, 1,
                                                                                    &info, nullptr, &pipeline);
        return pipeline;
    }
    VkIndirectCommandsLayoutEXT createTokens(bool hasSet)
    {
        const VkIndirectCommandsPushConstantTokenEXT words{{kStages, 0, 8}};
        const VkIndirectCommandsExecutionSetTokenEXT which{VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT, kStages};
        VkIndirectCommandsLayoutTokenEXT all[3] = {};
        for (VkIndirectCommandsLayoutTokenEXT& token : all)
            token.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT;
        all[0].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT;
        all[0].data.pExecutionSet = &which;
        all[1].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT;
        all[1].data.pPushConstant = &words;
        all[1].offset = 4;
        all[2].type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_EXT;
        all[2].offset = 12;
        VkIndirectCommandsLayoutCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT};
        info.flags = hasSet ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0;
        info.shaderStages = kStages;
        info.indirectStride = kStride;
        info.pipelineLayout = layout;
        info.tokenCount = hasSet ? 3 : 2;
        info.pTokens = hasSet ? all : all + 1;
        VkIndirectCommandsLayoutEXT out = VK_NULL_HANDLE;
        FakeDriver::get<PFN_vkCreateIndirectCommandsLayoutEXT>("vkCreateIndirectCommandsLayoutEXT")(
            driver.handle(), &info, nullptr, &out);
        return out;
    }
    void createSet()
    {
        VkIndirectExecutionSetPipelineInfoEXT of{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_PIPELINE_INFO_EXT};
        of.initialPipeline = pipelines[0];
        of.maxPipelineCount = kPipelines;
        VkIndirectExecutionSetCreateInfoEXT info{VK_STRUCTURE_TYPE_INDIRECT_EXECUTION_SET_CREATE_INFO_EXT};
        info.type = VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT;
        info.info.pPipelineInfo = &of;
        FakeDriver::get<PFN_vkCreateIndirectExecutionSetEXT>("vkCreateIndirectExecutionSetEXT")(driver.handle(), &info,
                                                                                                nullptr, &set);
        for (uint32_t i = 1; i < kPipelines; ++i) {
            VkWriteIndirectExecutionSetPipelineEXT write{VK_STRUCTURE_TYPE_WRITE_INDIRECT_EXECUTION_SET_PIPELINE_EXT};
            write.index = i;
            write.pipeline = pipelines[i];
            FakeDriver::get<PFN_vkUpdateIndirectExecutionSetPipelineEXT>("vkUpdateIndirectExecutionSetPipelineEXT")(
                driver.handle(), set, 1, &write);
        }
    }
    Buffer createBuffer()
    {
        VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
        info.size = kBufferBytes;
        info.usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        Buffer out;
        FakeDriver::get<PFN_vkCreateBuffer>("vkCreateBuffer")(driver.handle(), &info, nullptr, &out.handle);
        VkBufferDeviceAddressInfo ask{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
        ask.buffer = out.handle;
        out.address = FakeDriver::get<PFN_vkGetBufferDeviceAddress>("vkGetBufferDeviceAddress")(driver.handle(), &ask);
        return out;
    }

    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipelines[kPipelines] = {};
    VkIndirectCommandsLayoutEXT tokens = VK_NULL_HANDLE;
    VkIndirectCommandsLayoutEXT ordered = VK_NULL_HANDLE;
    VkIndirectExecutionSetEXT set = VK_NULL_HANDLE;
    Buffer stream;
    Buffer memory;
};

using Names = std::vector<std::string>;

// The driver has the pipeline, the sets and the application's push constants already.
TEST_F(GeneratedCalls, OneBehindAnother_PushWhereTheStreamIsAndDraw)
{
    generate(0);
    for (uint32_t i = 1; i < kCalls; ++i)
        ASSERT_EQ(namesOf([&] { generate(i); }), (Names{"vkCmdPushConstants", "vkCmdDrawIndirect"})) << i;
}

TEST_F(GeneratedCalls, TheFirst_BindsItsOwnOnce)
{
    const Names names = namesOf([&] { generate(0); });
    for (const char* name : {"vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants", "vkCmdDrawIndirect"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

// A copy of them is what shaders read.
TEST_F(GeneratedCalls, BehindOtherPushConstants_AreCopiedAnew)
{
    generate(0);
    push(2);
    const Names names = namesOf([&] { generate(0); });
    EXPECT_EQ(std::ranges::count(names, "vkCmdPushConstants"), 1);
    EXPECT_EQ(std::ranges::count(names, "vkCmdBindPipeline"), 0);
}

TEST_F(GeneratedCalls, BehindADraw_AllIsBoundAgain)
{
    generate(0);
    draw();
    const Names names = namesOf([&] { generate(0); });
    for (const char* name : {"vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

// The pipelines become one, and the sequences one command.
TEST_F(GeneratedCalls, InOrderOfASet_OneDraw)
{
    const Names names = namesOf([&] { generateInOrder(); });
    for (const char* name : {"vkCmdBindPipeline", "vkCmdBindDescriptorSets", "vkCmdPushConstants", "vkCmdDrawIndirect"})
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    EXPECT_EQ(std::ranges::count(names, "vkCmdDrawIndirectCount"), 0);
}

class Separately {
public:
    Separately() { setenv("VK_MILLRACE_EMULATION_DISABLE", "combined_sets", 1); }
    ~Separately() { unsetenv("VK_MILLRACE_EMULATION_DISABLE"); }
};

class GeneratedCallsSeparately : Separately, public GeneratedCalls {};

// A draw for each sequence and pipeline, of which all but one are of nothing. Neighbours share what they can.
TEST_F(GeneratedCallsSeparately, InOrderOfASet_EachSequencePushedOnceAndItsFirstPipelineIsBound)
{
    const Names names = namesOf([&] { generateInOrder(); });
    EXPECT_EQ(std::ranges::count(names, "vkCmdDrawIndirectCount"), kDraws * kPipelines);
    EXPECT_EQ(std::ranges::count(names, "vkCmdPushConstants"), kDraws);
    EXPECT_EQ(std::ranges::count(names, "vkCmdBindPipeline"), kDraws * (kPipelines - 1) + 1);
    EXPECT_EQ(std::ranges::count(names, "vkCmdBindDescriptorSets"), 1);
}

}  // namespace

}  // namespace millrace::layertest
