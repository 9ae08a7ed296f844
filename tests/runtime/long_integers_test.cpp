// SPDX-License-Identifier: Apache-2.0
// Code whose 64-bit integers were split computes on a device what they say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "runtime/vulkan_device.h"
#include "shaders/runtime_test_nodes.h"
#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace {

namespace {

constexpr size_t kResults = 40;

uint32_t floatBits(uint64_t value)
{
    const auto number = static_cast<float>(value);
    uint32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}

// As the shader has them.
std::vector<uint64_t> expected(uint64_t a, uint64_t b)
{
    const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
    const auto u = [](int64_t value) { return static_cast<uint64_t>(value); };
    const uint64_t shift = b & 63;
    uint64_t sum = 0;
    for (uint64_t step = a & 15; step > 0; --step)
        sum += step * b;
    return {a + b,
            a - b,
            a * b,
            a << shift,
            a >> shift,
            u(sa >> shift),
            a & b,
            a | b,
            a ^ b,
            ~a,
            std::min(a, b),
            std::max(a, b),
            u(std::min(sa, sb)),
            u(std::max(sa, sb)),
            std::clamp<uint64_t>(a, 1000, uint64_t{1} << 40),
            a << 5,
            a << 37,
            a >> 5,
            a >> 37,
            u(sa >> 5),
            u(sa >> 37),
            a * 16,
            a * 12345,
            a / 16,
            a % 32,
            uint64_t{a == b} | uint64_t{a != b} << 1 | uint64_t{a < b} << 2 | uint64_t{a <= b} << 3 |
                uint64_t{a > b} << 4 | uint64_t{a >= b} << 5,
            uint64_t{sa < sb} | uint64_t{sa <= sb} << 1 | uint64_t{sa > sb} << 2 | uint64_t{sa >= sb} << 3,
            a & 0xffffffff,
            u(static_cast<int32_t>(a)),
            0 - a,
            floatBits(a >> 40),
            (b + a) ^ (b - a),
            sum,
            a << 32 | a >> 32,
            a,
            a,
            (a & 1) != 0 ? a : b,
            a << 32 | b >> 32,
            a + 0xffffffff,
            uint64_t{static_cast<uint32_t>(a) * 3} * b};
}

struct Arguments {
    VkDeviceAddress inputs;
    VkDeviceAddress results;
    uint32_t count;
    uint32_t pad;
};

void dispatch(test::VulkanDevice& vulkan, const spirv::Words& words, const Arguments& arguments)
{
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size() * 4;
    moduleInfo.pCode = words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateShaderModule(vulkan.device, &moduleInfo, nullptr, &module), VK_SUCCESS);
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments};
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.pushConstantRangeCount = 1;
    layoutInfo.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreatePipelineLayout(vulkan.device, &layoutInfo, nullptr, &layout), VK_SUCCESS);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.layout = layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateComputePipelines(vulkan.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    vulkan.run([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
        vkCmdDispatch(commands, (arguments.count + 63) / 64, 1, 1);
    });
    vkDestroyPipeline(vulkan.device, pipeline, nullptr);
    vkDestroyPipelineLayout(vulkan.device, layout, nullptr);
    vkDestroyShaderModule(vulkan.device, module, nullptr);
}

std::vector<uint64_t> inputs()
{
    std::vector<uint64_t> values = {0, 1, 2, 5, 31, 32, 33, 63, 1000, 0x7fffffff, 0x80000000, 0xffffffff};
    for (const uint64_t high : {0x100000000u, 0x7fffffff00000000u, 0x8000000000000000u, 0xffffffff00000000u})
        for (const uint64_t low : {0x0u, 0x1u, 0x21u, 0x80000000u, 0xffffffffu})
            values.push_back(high | low);
    values.push_back(0x123456789abcdef0);
    std::vector<uint64_t> pairs;
    for (const uint64_t a : values) {
        for (const uint64_t b : values) {
            pairs.push_back(a);
            pairs.push_back(b);
        }
    }
    return pairs;
}

TEST(LongIntegers, Split_EveryOperationAsBefore)
{
    Result<spirv::Module> module = spirv::read(shaders::long_integers);
    ASSERT_TRUE(module);
    const Status split = spirv::splitLongIntegers(*module);
    ASSERT_TRUE(split) << split.error().text();
    EXPECT_FALSE(module->hasCapability(spv::Capability::Int64));
    const spirv::Words words = spirv::write(*module);
    const Status valid = spirv::validate(words);
    ASSERT_TRUE(valid) << valid.error().text();

    test::VulkanDevice vulkan;
    const std::vector<uint64_t> pairs = inputs();
    const size_t count = pairs.size() / 2;
    test::HostBuffer from = vulkan.createBuffer(pairs.size() * 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    test::HostBuffer to = vulkan.createBuffer(count * kResults * 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    std::memcpy(from.words, pairs.data(), pairs.size() * 8);
    dispatch(vulkan, words, {from.address, to.address, static_cast<uint32_t>(count), 0});
    std::vector<uint64_t> results(count * kResults);
    std::memcpy(results.data(), to.words, results.size() * 8);
    for (size_t i = 0; i < count; ++i) {
        const std::vector<uint64_t> wanted = expected(pairs[2 * i], pairs[2 * i + 1]);
        for (size_t r = 0; r < kResults; ++r)
            EXPECT_EQ(results[i * kResults + r], wanted[r])
                << "result " << r << " of " << std::hex << pairs[2 * i] << " and " << pairs[2 * i + 1];
    }
    vulkan.destroy(from);
    vulkan.destroy(to);
    EXPECT_EQ(vulkan.messages(), 0u);
}

// What nobody lowers is told, and the capability stays.
TEST(LongIntegers, Vectors_AreRefused)
{
    const auto words = spirv::assemble(R"(OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%ulong = OpTypeInt 64 0
%vector = OpTypeVector %ulong 2
%null = OpConstantNull %vector
%main = OpFunction %void None %function
%label = OpLabel
OpReturn
OpFunctionEnd
)");
    ASSERT_TRUE(words);
    Result<spirv::Module> module = spirv::read(*words);
    ASSERT_TRUE(module);
    const Status split = spirv::splitLongIntegers(*module);
    ASSERT_FALSE(split);
    EXPECT_EQ(split.error().message, "a vector of 64-bit integers");
    EXPECT_TRUE(module->hasCapability(spv::Capability::Int64));
}

}  // namespace

}  // namespace millrace
