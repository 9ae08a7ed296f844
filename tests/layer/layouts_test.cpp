// SPDX-License-Identifier: Apache-2.0
// Which layouts are the same to Vulkan, which goes by numbers of bindings and not by the order of a list.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <type_traits>
#include <utility>

#include "layer/fake_driver.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_layouts.h"

namespace millrace::layertest {

namespace {

using Binding = VkDescriptorSetLayoutBinding;
constexpr VkDescriptorType kSampler = VK_DESCRIPTOR_TYPE_SAMPLER;
constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT;

class Layouts : public testing::Test {
protected:
    VkDescriptorSetLayout create(std::span<const Binding> bindings, const void* chain = nullptr)
    {
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, chain};
        info.bindingCount = static_cast<uint32_t>(bindings.size());
        info.pBindings = bindings.data();
        VkDescriptorSetLayout out = VK_NULL_HANDLE;
        EXPECT_EQ(FakeDriver::get<PFN_vkCreateDescriptorSetLayout>("vkCreateDescriptorSetLayout")(driver.handle(),
                                                                                                  &info, nullptr, &out),
                  VK_SUCCESS);
        return out;
    }
    std::string definition(std::span<const Binding> bindings, const void* chain = nullptr)
    {
        return driver.device().setLayouts.find(layer::handleId(create(bindings, chain)))->definition;
    }
    std::string definition(std::span<const VkPushConstantRange> ranges)
    {
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.pushConstantRangeCount = static_cast<uint32_t>(ranges.size());
        info.pPushConstantRanges = ranges.data();
        VkPipelineLayout out = VK_NULL_HANDLE;
        EXPECT_EQ(FakeDriver::get<PFN_vkCreatePipelineLayout>("vkCreatePipelineLayout")(driver.handle(), &info, nullptr,
                                                                                        &out),
                  VK_SUCCESS);
        return driver.device().pipelineLayouts.find(layer::handleId(out))->graph->definition;
    }

    FakeDriver driver;
};

TEST_F(Layouts, BindingsInAnotherOrder_Same)
{
    const auto sampler = fakeHandle<VkSampler>(77);
    const std::array<Binding, 2> one{{{0, kBuffer, 1, kStages, nullptr}, {3, kSampler, 1, kStages, &sampler}}};
    const std::array<Binding, 2> other{one[1], one[0]};
    EXPECT_EQ(definition(one), definition(other));
}

TEST_F(Layouts, FlagsOfBindingsInAnotherOrder_GoWithTheirs)
{
    const std::array<Binding, 2> one{{{0, kBuffer, 1, kStages, nullptr}, {3, kBuffer, 1, kStages, nullptr}}};
    const std::array<Binding, 2> other{one[1], one[0]};
    const VkDescriptorBindingFlags flags[] = {VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT, 0};
    const VkDescriptorBindingFlags reversed[] = {flags[1], flags[0]};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo info{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 2, flags};
    const VkDescriptorSetLayoutBindingFlagsCreateInfo reversedInfo{
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 2, reversed};
    EXPECT_EQ(definition(one, &info), definition(other, &reversedInfo));
    EXPECT_NE(definition(one, &info), definition(other, &info));
}

TEST_F(Layouts, OtherBindings_NotTheSame)
{
    const Binding binding{0, kBuffer, 1, kStages, nullptr};
    Binding number = binding, type = binding, count = binding, stages = binding;
    number.binding = 1;
    type.descriptorType = kSampler;
    count.descriptorCount = 2;
    stages.stageFlags = VK_SHADER_STAGE_ALL;
    for (const Binding& other : {number, type, count, stages})
        EXPECT_NE(definition({&binding, 1}), definition({&other, 1}));
}

TEST_F(Layouts, TypesOfMutableDescriptorsInAnotherOrder_Same)
{
    const Binding binding{0, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 1, kStages, nullptr};
    const VkDescriptorType one[] = {kSampler, kBuffer}, other[] = {kBuffer, kSampler};
    const VkMutableDescriptorTypeListEXT lists[] = {{2, one}, {2, other}, {1, one}};
    std::array<std::string, 3> definitions;
    for (size_t i = 0; i < 3; ++i) {
        const VkMutableDescriptorTypeCreateInfoEXT info{VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT,
                                                        nullptr, 1, &lists[i]};
        definitions[i] = definition({&binding, 1}, &info);
    }
    EXPECT_EQ(definitions[0], definitions[1]);
    EXPECT_NE(definitions[0], definitions[2]);
}

TEST_F(Layouts, PushConstantsInAnotherOrder_Same)
{
    const std::array<VkPushConstantRange, 2> one{
        {{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16}, {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}}};
    const std::array<VkPushConstantRange, 2> other{one[1], one[0]};
    EXPECT_EQ(definition(one), definition(other));
    EXPECT_NE(definition(one), definition({one.data(), 1}));
}

// What markPhantom() replaces is nobody's to look at.
TEST(Support, IsACopy)
{
    using Answer = decltype(std::declval<layer::Instance&>().support(VkPhysicalDevice{}));
    EXPECT_FALSE(std::is_reference_v<Answer>);
}

}  // namespace

}  // namespace millrace::layertest
