// SPDX-License-Identifier: Apache-2.0
// Local data share, worked out by hand.
#include <gtest/gtest.h>

#include "advisor/advised.h"

namespace millrace::advisor::test {
namespace {

using Names = std::vector<std::string>;

TEST(LdsPlan, OwnOutputs_NeedOnlyTheCounts)
{
    const Advice advice = adviceOn(shaders::own_lane_mesh);
    for (const GpuPlan& plan : advice.plans) {
        EXPECT_EQ(plan.lds.usedBytes, 16u) << plan.gpu.name;
        EXPECT_EQ(plan.lds.encodedBytes, 512u);
        EXPECT_EQ(plan.lds.allocatedBytes, 1024u);
        EXPECT_TRUE(plan.lds.staged.empty());
    }
}

TEST(LdsPlan, ForeignOutputs_AreStaged)
{
    const LdsPlan plan = planOn(adviceOn(shaders::strided_mesh), "gfx10.3").lds;
    EXPECT_EQ(plan.sharedBytes, 256u);
    EXPECT_EQ(plan.infoBytes, 16u);
    EXPECT_EQ(plan.vertexBytes, 3u * 64 * 16);  // position, tint, uv
    EXPECT_EQ(plan.primitiveBytes, 126u * 16);
    EXPECT_EQ(plan.indexBytes, 126u * 3);
    EXPECT_EQ(plan.usedBytes, 256u + 16 + 3072 + 2016 + 378);
}

TEST(LdsPlan, AttributeRing_TakesWhatTheRasterizerDoesNotNeed)
{
    const LdsPlan plan = planOn(adviceOn(shaders::strided_mesh), "gfx11").lds;
    ASSERT_EQ(plan.staged.size(), 1u);
    EXPECT_EQ(plan.staged[0].names, Names{"gl_Position"});
    EXPECT_EQ(plan.attributeRing.size(), 3u);
    EXPECT_EQ(plan.usedBytes, 256u + 16 + 1024 + 378);
}

// Vertices, interpolated: normal, fog, tangent, a and b are own, uv is not: 3 + 2 + 1 + 3 + 2 words in three slots, of
// which uv is in the first two. Flat: material and single share a slot. Primitives: group and middle share one.
TEST(LdsPlan, WordsOfOutputs_ArePackedByInterpolation)
{
    const LdsPlan plan = planOn(adviceOn(shaders::packing_mesh), "gfx10.3").lds;
    ASSERT_EQ(plan.staged.size(), 4u);
    EXPECT_EQ(plan.staged[0].names, (Names{"normal", "uv"}));
    EXPECT_EQ(plan.staged[1].names, (Names{"uv", "fog", "tangent"}));
    EXPECT_EQ(plan.staged[2].names, (Names{"material", "single"}));
    EXPECT_EQ(plan.staged[3].names, (Names{"group", "middle"}));
    ASSERT_EQ(plan.direct.size(), 2u);
    EXPECT_EQ(plan.direct[1].names, (Names{"tangent", "a", "b"}));
    EXPECT_EQ(plan.usedBytes, 16u + 4 * 64 * 16 + 64 * 3);
}

// 10 KiB of the shader's own and 16 bytes leave less than 30 KiB to ten slots of 2 KiB: the last primitives' one goes.
TEST(LdsPlan, WhatDoesNotFit_GoesToMemoryFromTheLastPrimitiveOutput)
{
    const LdsPlan plan = planOn(adviceOn(shaders::spilling_mesh), "gfx10.3").lds;
    ASSERT_EQ(plan.spilled.size(), 1u);
    EXPECT_EQ(plan.spilled[0].names, Names{"p8"});
    EXPECT_EQ(plan.spilledBytes, 128u * 16);
    EXPECT_EQ(plan.usedBytes, 10240u + 16 + 9 * 2048 + 384);
    EXPECT_TRUE(plan.fits);
    EXPECT_TRUE(planOn(adviceOn(shaders::spilling_mesh), "gfx11").lds.spilled.empty());
}

TEST(LdsPlan, Distances_ShareSlots)
{
    const LdsPlan plan = planOn(adviceOn(shaders::built_ins_mesh), "gfx10.3").lds;
    // Clip distances 0 to 2 and cull distance 0, then cull distance 1; primitive number and layer.
    EXPECT_EQ(plan.vertexBytes, 2u * 64 * 16);
    EXPECT_EQ(plan.primitiveBytes, 2u * 64 * 16);
    EXPECT_EQ(plan.cullBytes, 64u);
    EXPECT_EQ(plan.indexBytes, 0u);
    EXPECT_EQ(plan.usedBytes, 16u + 4096 + 64);
}

Output genericOutput(const std::string& name, uint32_t location, uint8_t words, uint32_t widthBits = 32)
{
    Output output;
    output.name = name;
    output.location = location;
    output.widthBits = widthBits;
    output.slots = {{words, false}};
    return output;
}

// In their order: interpolated words, flat ones, halves, what belongs to primitives.
TEST(LdsPlan, GenericOutputs_FillWhatHasTheirType)
{
    Facts facts;
    facts.outputs = {genericOutput("a", 0, 0b0011),     genericOutput("indexed", 1, 0b0001),
                     genericOutput("b", 2, 0b1111),     genericOutput("halves", 3, 0b0111, 16),
                     genericOutput("flat", 4, 0b0001),  genericOutput("primitive", 5, 0b0001),
                     genericOutput("number", 0, 0b0001)};
    facts.outputs[1].isIndexed = true;
    facts.outputs[4].isFlat = true;
    facts.outputs[5].isPerPrimitive = true;
    facts.outputs[6].isPerPrimitive = true;
    facts.outputs[6].kind = OutputKind::PrimitiveId;
    const std::vector<DriverSlot> slots = assignSlots(facts);
    ASSERT_EQ(slots.size(), 5u);
    EXPECT_EQ(slots[0].names, (Names{"a", "b"}));
    EXPECT_EQ(slots[1].names, (Names{"indexed", "b"}));
    EXPECT_TRUE(slots[1].isForeign);
    EXPECT_EQ(slots[2].names, Names{"flat"});
    EXPECT_EQ(slots[3].names, Names{"halves"});
    EXPECT_EQ(slots[4].names, (Names{"number", "primitive"}));
}

TEST(LdsPlan, TooMuchShared_DoesNotFit)
{
    const LdsPlan plan = planOn(adviceOn(shaders::too_much_shared_mesh), "gfx11").lds;
    EXPECT_FALSE(plan.fits);
    EXPECT_EQ(plan.sharedBytes, 31840u);
}

TEST(LdsPlan, Task_HasItsSharedMemoryAndAtomicPayloads)
{
    EXPECT_EQ(planOn(adviceOn(shaders::compaction_task), "gfx12").lds.usedBytes, 1600u);
    const LdsPlan atomic = planOn(adviceOn(shaders::atomic_payload_task), "gfx12").lds;
    EXPECT_EQ(atomic.payloadBytes, 8192u);
    EXPECT_EQ(atomic.usedBytes, 8192u);
}

}  // namespace
}  // namespace millrace::advisor::test
