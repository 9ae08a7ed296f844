// SPDX-License-Identifier: Apache-2.0
// The table of what graphs need, against what the shaders really use. No device.
#include "runtime/driver_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "abi/graph_memory.h"
#include "shaders/meta.h"
#include "shaders/node_library.h"
#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::runtime {

namespace {

// A driver that has everything graphs need, and no more.
DriverAnswers wholeDriver()
{
    DriverAnswers answers;
    answers.features12.bufferDeviceAddress = VK_TRUE;
    return answers;
}

// What a driver is without that a shader of this capability cannot run. Words of SPIR-V's enumeration.
const std::map<uint32_t, void (*)(DriverAnswers&)> kWithout = {
    {5347, [](DriverAnswers& answers) { answers.features12.bufferDeviceAddress = VK_FALSE; }},
};

// Shader, Linkage; VulkanMemoryModel, which Vulkan 1.3 has.
constexpr uint32_t kAlways[] = {1, 5, 5345};

// What the shader is on the poorest driver.
std::vector<uint32_t> onThePoorest(const char* name, std::span<const uint32_t> original)
{
    Result<spirv::Module> module = spirv::read(original);
    const spirv::SpecializationValue values[] = {
        {abi::kLongAtomicsSpecId, {0, 0, 0, 0}},
        {abi::kSubgroupOperationsSpecId, {static_cast<uint8_t>(abi::kSubgroupNone), 0, 0, 0}},
    };
    EXPECT_TRUE(spirv::specialize(*module, values)) << name;
    module = spirv::simplify(*module);
    spirv::removeUnusedSubgroupCapabilities(*module);
    const Status split = spirv::splitLongIntegers(*module);
    EXPECT_TRUE(split) << name << ": " << split.error().text();
    std::vector<uint32_t> words = spirv::write(*module);
    const bool isLibrary = module->hasCapability(spv::Capability::Linkage);
    const Status valid =
        spirv::validate(words, isLibrary ? spirv::Environment::Universal : spirv::Environment::Vulkan13);
    EXPECT_TRUE(valid) << name << ": " << valid.error().text();
    return words;
}

void expectCovered(const char* name, std::span<const uint32_t> original)
{
    const std::vector<uint32_t> words = onThePoorest(name, original);
    constexpr size_t kHeaderWords = 5;
    constexpr uint32_t kOpCapability = 17;
    ASSERT_GT(words.size(), kHeaderWords + 2) << name;
    size_t count = 0;
    for (size_t at = kHeaderWords; at + 1 < words.size() && (words[at] & 0xffff) == kOpCapability; at += 2) {
        const uint32_t capability = words[at + 1];
        ++count;
        if (std::ranges::find(kAlways, capability) != std::end(kAlways))
            continue;
        const auto found = kWithout.find(capability);
        ASSERT_NE(found, kWithout.end()) << name << " uses capability " << capability << ", which no need stands for";
        DriverAnswers answers = wholeDriver();
        found->second(answers);
        EXPECT_FALSE(hasWhatGraphsNeed(answers)) << name << ", capability " << capability;
    }
    EXPECT_GE(count, 2u) << name;
}

TEST(DriverSupport, CapabilitiesOfTheShaders_AreNeeds)
{
    expectCovered("node_library", shaders::node_library);
    expectCovered("node_library_packed", shaders::node_library_packed);
    expectCovered("depth_first_library", shaders::depth_first_library);
    expectCovered("meta_init", shaders::meta_init);
    expectCovered("meta_begin", shaders::meta_begin);
    expectCovered("meta_feed", shaders::meta_feed);
    expectCovered("meta_turn", shaders::meta_turn);
    expectCovered("meta_plan", shaders::meta_plan);
    expectCovered("meta_number", shaders::meta_number);
    expectCovered("meta_snapshot", shaders::meta_snapshot);
    expectCovered("meta_mark", shaders::meta_mark);
    expectCovered("meta_capture", shaders::meta_capture);
    expectCovered("meta_probe_small", shaders::meta_probe_small);
}

TEST(DriverSupport, WholeDriver_HasWhatGraphsNeed)
{
    EXPECT_TRUE(hasWhatGraphsNeed(wholeDriver()));
    DriverAnswers answers = wholeDriver();
    answers.features12.bufferDeviceAddress = VK_FALSE;
    EXPECT_FALSE(hasWhatGraphsNeed(answers));
    EXPECT_EQ(whatGraphsLack(answers), "bufferDeviceAddress");
}

TEST(DriverSupport, SubgroupOperations_AreThoseOfComputeShaders)
{
    DriverAnswers answers = wholeDriver();
    EXPECT_EQ(subgroupOperations(answers), abi::kSubgroupNone);
    answers.properties11.subgroupSupportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
    EXPECT_EQ(subgroupOperations(answers), abi::kSubgroupNone) << "in other stages";
    answers.properties11.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    EXPECT_EQ(subgroupOperations(answers), abi::kSubgroupBallot);
    answers.properties11.subgroupSupportedOperations |= VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    EXPECT_EQ(subgroupOperations(answers), abi::kSubgroupArithmetic);
    answers.properties11.subgroupSupportedOperations |= VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    EXPECT_EQ(subgroupOperations(answers), abi::kSubgroupShuffle);
    answers.properties11.subgroupSupportedOperations =
        VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT;
    EXPECT_EQ(subgroupOperations(answers), abi::kSubgroupNone) << "arithmetic alone is of no use";
}

TEST(DriverSupport, ReductionsOfOneDriver_AreNotTrusted)
{
    DriverAnswers answers = wholeDriver();
    answers.properties11.subgroupSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    answers.properties11.subgroupSupportedOperations =
        VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
    EXPECT_FALSE(canScanToReduce(answers)) << "a shuffle is needed as well";
    answers.properties11.subgroupSupportedOperations |= VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    EXPECT_TRUE(canScanToReduce(answers));
    answers.properties12.driverID = VK_DRIVER_ID_MESA_LLVMPIPE;
    EXPECT_FALSE(compilesReductionsWrongly(answers));
    answers.properties12.driverID = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    EXPECT_TRUE(compilesReductionsWrongly(answers));
}

TEST(DriverSupport, ReadOnlyLoadsOfOneDriver_AreNotTrusted)
{
    DriverAnswers answers = wholeDriver();
    answers.properties12.driverID = VK_DRIVER_ID_MESA_RADV;
    EXPECT_FALSE(compilesReadOnlyLoadsWrongly(answers));
    answers.properties12.driverID = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    EXPECT_TRUE(compilesReadOnlyLoadsWrongly(answers));
}

TEST(DriverSupport, CallsOfOneDriver_AreSlow)
{
    DriverAnswers answers = wholeDriver();
    answers.properties12.driverID = VK_DRIVER_ID_MESA_RADV;
    EXPECT_FALSE(compilesCallsSlowly(answers));
    answers.properties12.driverID = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    EXPECT_TRUE(compilesCallsSlowly(answers));
}

TEST(DriverSupport, StridesOfOneDriver_AreReadWhole)
{
    DriverAnswers answers = wholeDriver();
    answers.properties12.driverID = VK_DRIVER_ID_MESA_RADV;
    EXPECT_FALSE(readsWholeStrides(answers));
    answers.properties12.driverID = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    EXPECT_TRUE(readsWholeStrides(answers));
}

TEST(DriverSupport, PointSizesOfViewsOfOneDriver_AreNotTrusted)
{
    DriverAnswers answers = wholeDriver();
    answers.properties12.driverID = VK_DRIVER_ID_MESA_RADV;
    EXPECT_FALSE(compilesPointSizesOfViewsWrongly(answers));
    answers.properties12.driverID = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    EXPECT_TRUE(compilesPointSizesOfViewsWrongly(answers));
}

TEST(DriverSupport, WhatIsNotRequired_DoesNotDecide)
{
    const DriverAnswers answers = wholeDriver();
    size_t missing = 0;
    for (const DriverNeed& need : driverNeeds()) {
        EXPECT_EQ(need.has(answers), need.required) << need.name;
        missing += need.has(answers) ? 0 : 1;
    }
    EXPECT_EQ(missing, 8u);
}

}  // namespace

}  // namespace millrace::runtime
