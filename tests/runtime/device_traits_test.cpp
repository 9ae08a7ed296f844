// SPDX-License-Identifier: Apache-2.0
// How device traits follow from type, measurement and settings. No Vulkan.
#include "runtime/device_traits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "abi/graph_memory.h"

namespace millrace::runtime {

namespace {

constexpr uint64_t kGib = uint64_t{1} << 30;

DeviceFacts gpu()
{
    return {.type = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
            .threads = 16,
            .maxGroupInvocations = 1024,
            .localBytes = 16 * kGib,
            .hasOwnMemory = true};
}

DeviceFacts processor(uint32_t threads)
{
    return {.type = VK_PHYSICAL_DEVICE_TYPE_CPU,
            .threads = threads,
            .maxGroupInvocations = 1024,
            .localBytes = 64 * kGib,
            .hasOwnMemory = false};
}

TraitOrigin originOf(const TraitChoice& choice, const std::string& key)
{
    for (size_t i = 0; i < kTraitCount; ++i)
        if (traitTable()[i].key == key)
            return choice.origins[i];
    ADD_FAILURE() << key;
    return {};
}

void expectGrid(const DeviceTraits& traits, uint32_t invocations, uint32_t least, uint32_t most, uint32_t share)
{
    EXPECT_EQ(traits.gridInvocations, invocations);
    EXPECT_EQ(traits.gridMinGroups, least);
    EXPECT_EQ(traits.gridMaxGroups, most);
    EXPECT_EQ(traits.gridShareGroups, share);
}

// 132 multiprocessors of 2048 invocations and 32 workgroups each.
TEST(DeviceTraits, LargeGpu_SameByTypeAndMeasured)
{
    DeviceFacts facts = gpu();
    expectGrid(chooseTraits(facts, {}).traits, 132 * 2048, 528, 4224, 132);
    EXPECT_EQ(chooseTraits(facts, {}).traits.staticInvocations, 256u);
    facts.residency = {132 * 32, 132 * 8};
    expectGrid(chooseTraits(facts, {}).traits, 132 * 2048, 528, 4224, 132);
    EXPECT_EQ(chooseTraits(facts, {}).traits.staticInvocations, 256u);
}

TEST(DeviceTraits, SmallGpu_GridAsMeasured)
{
    DeviceFacts facts = gpu();
    // 20 multiprocessors of 1024 invocations and 16 workgroups.
    facts.residency = {20 * 16, 20 * 4};
    expectGrid(chooseTraits(facts, {}).traits, 20 * 1024, 40, 320, 10);
    // One that takes few workgroups fills with large ones only.
    facts.residency = {20 * 16, 20 * 6};
    expectGrid(chooseTraits(facts, {}).traits, 20 * 1536, 60, 320, 10);
    EXPECT_EQ(chooseTraits(facts, {}).traits.staticInvocations, 256u);
}

TEST(DeviceTraits, LargeWorkgroupsLeaveTheDeviceIdle_SmallOnesSideBySide)
{
    DeviceFacts facts = gpu();
    facts.residency = {24 * 32, 5 * 32};
    EXPECT_EQ(chooseTraits(facts, {}).traits.staticInvocations, 64u);
}

TEST(DeviceTraits, Processor_TwoWorkgroupsForEachThread)
{
    const DeviceFacts facts = processor(2);
    expectGrid(chooseTraits(facts, {}).traits, 1, 4, 4, 2);
    EXPECT_EQ(originOf(chooseTraits(facts, {}), "grid_max_groups"), TraitOrigin::Host);
    EXPECT_FALSE(isWorthMeasuring(facts));
    EXPECT_TRUE(isWorthMeasuring(gpu()));
}

TEST(DeviceTraits, WorkgroupsOfAnySizeTakeAPlace_AsOfAProcessor)
{
    DeviceFacts facts = gpu();
    facts.residency = {8, 7};  // one thread slept
    expectGrid(chooseTraits(facts, {}).traits, 1, 16, 16, 8);
    EXPECT_EQ(chooseTraits(facts, {}).traits.staticInvocations, 64u);
    facts.residency = {1, 1};
    expectGrid(chooseTraits(facts, {}).traits, 1, 2, 2, 1);
}

TEST(DeviceTraits, MemoryOfItsOwn_A32ndWithinLimits)
{
    DeviceFacts facts = gpu();
    EXPECT_EQ(chooseTraits(facts, {}).traits.maxScratchMib, 512u);
    facts.localBytes = 140 * kGib;
    EXPECT_EQ(chooseTraits(facts, {}).traits.maxScratchMib, 1024u);
    facts.localBytes = 2 * kGib;
    EXPECT_EQ(chooseTraits(facts, {}).traits.maxScratchMib, 256u);
    EXPECT_EQ(chooseTraits(processor(2), {}).traits.maxScratchMib, 256u);
}

TEST(DeviceTraits, SettingsWin_AndTellSo)
{
    DeviceFacts facts = gpu();
    facts.residency = {320, 80};
    DeviceTraits settings;
    settings.gridMaxGroups = 99;
    settings.packedInvocations = 128;
    settings.maxScratchMib = 3;
    const TraitChoice choice = chooseTraits(facts, settings);
    EXPECT_EQ(choice.traits.gridMaxGroups, 99u);
    EXPECT_EQ(choice.traits.packedInvocations, 128u);
    EXPECT_EQ(choice.traits.maxScratchMib, 3u);
    EXPECT_EQ(choice.traits.gridInvocations, 20480u);
    EXPECT_EQ(originOf(choice, "grid_max_groups"), TraitOrigin::Setting);
    EXPECT_EQ(originOf(choice, "max_scratch_mib"), TraitOrigin::Setting);
    EXPECT_EQ(originOf(choice, "grid_invocations"), TraitOrigin::Measured);
    EXPECT_EQ(originOf(choice, "static_invocations"), TraitOrigin::Measured);
    EXPECT_EQ(originOf(choice, "dynamic_invocations"), TraitOrigin::Type);
    EXPECT_EQ(originOf(chooseTraits(facts, {}), "max_scratch_mib"), TraitOrigin::Driver);
    EXPECT_TRUE(choice.problems.empty());
}

TEST(DeviceTraits, EverySettingWins)
{
    for (const Trait& trait : traitTable()) {
        DeviceTraits settings;
        settings.*trait.value = std::min(trait.most, 512u);
        const TraitChoice choice = chooseTraits(gpu(), settings);
        EXPECT_EQ(choice.traits.*trait.value, settings.*trait.value) << trait.key;
        EXPECT_EQ(originOf(choice, trait.key), TraitOrigin::Setting);
    }
}

TEST(DeviceTraits, EveryTraitIsInTheTableOnce)
{
    DeviceTraits all;
    std::set<std::string> keys;
    for (const Trait& trait : traitTable()) {
        EXPECT_EQ(all.*trait.value, 0u) << trait.key;
        all.*trait.value = 1;
        keys.insert(trait.key);
    }
    EXPECT_EQ(keys.size(), kTraitCount);
    EXPECT_EQ(sizeof(DeviceTraits), kTraitCount * sizeof(uint32_t));
}

TEST(DeviceTraits, ChosenValuesAreAllowed)
{
    DeviceFacts measured = gpu();
    measured.residency = {1, 0};
    for (const DeviceFacts& facts : {gpu(), processor(1), processor(64), measured}) {
        const DeviceTraits traits = chooseTraits(facts, {}).traits;
        EXPECT_EQ(traits.gridGroups, 0u);
        EXPECT_EQ(traits.meshIndexKib, 0u);
        for (const Trait& trait : std::span(traitTable()).subspan(2))
            EXPECT_TRUE(trait.allows(traits.*trait.value)) << trait.key << " " << traits.*trait.value;
    }
}

TEST(DeviceTraits, WorkgroupsLargerThanTheDeviceTakes_AreCutAndReported)
{
    DeviceFacts facts = gpu();
    facts.maxGroupInvocations = 384;
    DeviceTraits settings;
    settings.staticInvocations = 1024;
    TraitChoice choice = chooseTraits(facts, settings);
    EXPECT_EQ(choice.traits.staticInvocations, 256u);
    ASSERT_EQ(choice.problems.size(), 1u);
    EXPECT_EQ(choice.problems[0],
              "setting traits: static_invocations is 1024, and a workgroup has at most 384 invocations on this device; "
              "using 256");
    // What nobody asked for is cut in silence.
    facts.maxGroupInvocations = 128;
    choice = chooseTraits(facts, {});
    EXPECT_EQ(choice.traits.staticInvocations, 128u);
    EXPECT_TRUE(choice.problems.empty());
}

TEST(DeviceTraits, MoreScratchMemoryThanABufferHas_IsCutAndReported)
{
    DeviceFacts facts = gpu();
    facts.mostBufferMib = 1535;
    DeviceTraits settings;
    settings.maxScratchMib = 1536;
    TraitChoice choice = chooseTraits(facts, settings);
    EXPECT_EQ(choice.traits.maxScratchMib, 1535u);
    ASSERT_EQ(choice.problems.size(), 1u);
    EXPECT_EQ(choice.problems[0],
              "setting max_scratch_mib is 1536, and a buffer has at most 1535 MiB on this device; using 1535");
    settings.maxScratchMib = 1535;
    choice = chooseTraits(facts, settings);
    EXPECT_EQ(choice.traits.maxScratchMib, 1535u);
    EXPECT_TRUE(choice.problems.empty());
    facts.mostBufferMib = 100;
    choice = chooseTraits(facts, {});
    EXPECT_EQ(choice.traits.maxScratchMib, 100u);
    EXPECT_TRUE(choice.problems.empty());
}

TEST(DeviceTraits, Ranges)
{
    const Trait& packed = traitTable()[6];
    EXPECT_EQ(packed.range(), "a power of two from 32 to 1024");
    EXPECT_TRUE(packed.allows(32));
    EXPECT_FALSE(packed.allows(48));
    EXPECT_FALSE(packed.allows(16));
    EXPECT_FALSE(packed.allows(2048));
    EXPECT_EQ(traitTable()[0].range(), "from 1 to 65535");
    EXPECT_TRUE(traitTable()[0].allows(48));
}

TEST(DeviceTraits, TextsSayWhereFrom_AndLeaveOutWhatIsNotChosen)
{
    DeviceFacts facts = gpu();
    facts.residency = {2, 2};
    DeviceTraits settings;
    std::vector<TraitText> texts = traitTexts(chooseTraits(facts, settings));
    ASSERT_EQ(texts.size(), kTraitCount - 2);
    EXPECT_EQ(texts[0].key, "grid_invocations");
    EXPECT_EQ(texts[1].value, 4u);
    EXPECT_EQ(texts[1].origin, "measured");
    EXPECT_EQ(texts.back().origin, "driver");
    settings.gridGroups = 7;
    texts = traitTexts(chooseTraits(facts, settings));
    EXPECT_EQ(texts[0].key, "grid_groups");
    EXPECT_EQ(texts[0].value, 7u);
    EXPECT_EQ(texts[0].origin, "setting");
}

TEST(FullGrid, BySizeOfWorkgroup_BetweenLeastAndMost)
{
    const DeviceTraits traits = chooseTraits(gpu(), {}).traits;
    EXPECT_EQ(fullGrid(traits, 64), 4224u);
    EXPECT_EQ(fullGrid(traits, 8), 4224u);
    EXPECT_EQ(fullGrid(traits, 256), 1056u);
    EXPECT_EQ(fullGrid(traits, 1024), 528u);
}

TEST(FullGrid, OneNodeOfSeveral_BetweenAllAndItsPart)
{
    const DeviceTraits traits = chooseTraits(gpu(), {}).traits;
    EXPECT_EQ(fullGrid(traits, 64, 1, 4), 2112u);
    EXPECT_EQ(fullGrid(traits, 256, 1, 4), 528u);
    EXPECT_EQ(fullGrid(traits, 64, 1, 100), 422u);
    EXPECT_EQ(fullGrid(traits, 64, 1, 100000), 132u);
}

TEST(FullGrid, ManyNodesOfALevel_TheirPart)
{
    const DeviceTraits traits = chooseTraits(gpu(), {}).traits;
    EXPECT_EQ(fullGrid(traits, 64, 256, 1024), 1056u);
    EXPECT_EQ(fullGrid(traits, 64, 1024, 1024), 4224u);
}

TEST(FullGrid, LeastOfANode_NotMoreThanAll)
{
    DeviceTraits settings;
    settings.gridShareGroups = 4000;
    const DeviceTraits traits = chooseTraits(gpu(), settings).traits;
    EXPECT_EQ(fullGrid(traits, 64, 1, 4), 4000u);
    EXPECT_EQ(fullGrid(traits, 1024, 1, 4), 528u);
}

TEST(FullGrid, SettingReplacesAllOfIt)
{
    DeviceTraits settings;
    settings.gridGroups = 5;
    const DeviceTraits traits = chooseTraits(gpu(), settings).traits;
    EXPECT_EQ(fullGrid(traits, 64), 5u);
    EXPECT_EQ(fullGrid(traits, 1024, 1, 100), 5u);
}

TEST(FullGrid, LeastAboveMost_Least)
{
    DeviceTraits settings;
    settings.gridMinGroups = 9000;
    EXPECT_EQ(fullGrid(chooseTraits(gpu(), settings).traits, 64), 9000u);
}

TEST(DeviceTraits, WithoutLongIntegers_NoLongAtomicsEither)
{
    DeviceFacts facts = gpu();
    EXPECT_EQ(chooseTraits(facts, {}).traits.integerBits, 64u);
    EXPECT_EQ(chooseTraits(facts, {}).traits.atomicBits, 64u);
    facts.integerBits = 32;
    EXPECT_EQ(chooseTraits(facts, {}).traits.integerBits, 32u);
    EXPECT_EQ(chooseTraits(facts, {}).traits.atomicBits, 32u);
    EXPECT_EQ(originOf(chooseTraits(facts, {}), "integer_bits"), TraitOrigin::Driver);
    EXPECT_EQ(chooseTraits(gpu(), {.integerBits = 32}).traits.atomicBits, 32u);
    EXPECT_EQ(chooseTraits(gpu(), {.atomicBits = 32}).traits.integerBits, 64u);
}

TEST(DeviceTraits, MoreBitsThanTheDeviceHas_ToldAndNotTaken)
{
    DeviceFacts facts = gpu();
    facts.atomicBits = 32;
    const TraitChoice choice = chooseTraits(facts, {.atomicBits = 64});
    EXPECT_EQ(choice.traits.atomicBits, 32u);
    ASSERT_EQ(choice.problems.size(), 1u);
    EXPECT_EQ(choice.problems[0],
              "setting traits: atomic_bits is 64, and atomics have at most 32 bits on this device; using 32");
}

TEST(DeviceTraits, SubgroupOperations_AsTheDeviceHasThem)
{
    DeviceFacts facts = gpu();
    EXPECT_EQ(chooseTraits(facts, {}).traits.subgroupOperations, abi::kSubgroupShuffle);
    EXPECT_EQ(chooseTraits(facts, {.subgroupOperations = 1}).traits.subgroupOperations, abi::kSubgroupNone);
    facts.subgroupOperations = abi::kSubgroupBallot;
    EXPECT_EQ(chooseTraits(facts, {}).traits.subgroupOperations, abi::kSubgroupBallot);
    const TraitChoice choice = chooseTraits(facts, {.subgroupOperations = abi::kSubgroupArithmetic});
    EXPECT_EQ(choice.traits.subgroupOperations, abi::kSubgroupBallot);
    ASSERT_EQ(choice.problems.size(), 1u);
    EXPECT_EQ(choice.problems[0],
              "setting traits: subgroup_operations is 4, and subgroups have at most 2 of 1 (none), 2 (ballot), "
              "4 (arithmetic as well), 8 (and shuffles) on this device; using 2");
}

}  // namespace

}  // namespace millrace::runtime
