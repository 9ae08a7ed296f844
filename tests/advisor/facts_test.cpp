// SPDX-License-Identifier: Apache-2.0
// What is read from code.
#include <gtest/gtest.h>

#include "advisor/advised.h"

namespace millrace::advisor::test {
namespace {

std::vector<std::string> foreignNames(const Advice& advice)
{
    std::vector<std::string> names;
    for (const Output& output : advice.facts.outputs)
        if (output.isForeign())
            names.push_back(output.name);
    return names;
}

using Names = std::vector<std::string>;

TEST(Facts, SizesAndTopology)
{
    const Facts facts = adviceOn(shaders::lines_mesh).facts;
    EXPECT_EQ(facts.stage, Stage::Mesh);
    EXPECT_EQ(facts.entryPoint, "main");
    EXPECT_EQ(facts.invocations(), 64u);
    EXPECT_EQ(facts.maxVertices, 100u);
    EXPECT_EQ(facts.maxPrimitives, 50u);
    EXPECT_EQ(facts.verticesPerPrimitive, 2u);
    EXPECT_EQ(adviceOn(shaders::points_mesh).facts.verticesPerPrimitive, 1u);
    EXPECT_EQ(adviceOn(shaders::own_lane_mesh).facts.verticesPerPrimitive, 3u);
}

TEST(Facts, OwnIndexThroughCopiesAndCalls_IsOwn)
{
    EXPECT_EQ(foreignNames(adviceOn(shaders::own_lane_mesh)), Names{});
    EXPECT_EQ(foreignNames(adviceOn(shaders::functions_mesh)), Names{});
}

TEST(Facts, SpecializedCode_IsWhatCounts)
{
    const Options options{"", {{3, {32, 0, 0, 0}}, {1, {64, 0, 0, 0}}}};
    const Advice advice = adviceOn(shaders::functions_mesh, options);
    EXPECT_EQ(advice.facts.invocations(), 64u);
    EXPECT_EQ(foreignNames(advice), (Names{"gl_Position", "tint"}));
}

TEST(Facts, IdsOfOneDimension_AreOwnAndOthersAreNot)
{
    EXPECT_EQ(foreignNames(adviceOn(shaders::id_line_mesh)), Names{});
    EXPECT_EQ(foreignNames(adviceOn(shaders::id_column_mesh)), Names{});
    EXPECT_EQ(foreignNames(adviceOn(shaders::id_square_mesh)),
              (Names{"gl_Position", "tint", "gl_PrimitiveTriangleIndicesEXT"}));
}

// The constant 0 is nobody's number, though it is the only one there is.
TEST(Facts, IdOfASingleInvocation_IsAConstant)
{
    const Options options{"", {{1, {1, 0, 0, 0}}}};
    EXPECT_EQ(foreignNames(adviceOn(shaders::id_line_mesh, options)),
              (Names{"gl_Position", "tint", "gl_PrimitiveTriangleIndicesEXT"}));
}

TEST(Facts, IndicesOfLoops_AreForeignAtTheirLines)
{
    for (const auto words : {shaders::strided_mesh, shaders::strided_debug}) {
        const Advice advice = adviceOn(words);
        EXPECT_EQ(foreignNames(advice), (Names{"gl_Position", "tint", "uv", "gl_PrimitiveTriangleIndicesEXT", "face"}));
        const Output& uv = outputNamed(advice, "uv");
        ASSERT_EQ(uv.foreignStores.size(), 1u);
        EXPECT_TRUE(uv.foreignStores[0].file.ends_with("strided.mesh")) << uv.foreignStores[0].file;
        EXPECT_EQ(uv.foreignStores[0].line, 21u);
        ASSERT_EQ(advice.facts.barriers.size(), 1u);
        EXPECT_EQ(advice.facts.barriers[0].place.line, 16u);
        EXPECT_FALSE(advice.facts.barriers[0].isInLoop);
    }
}

TEST(Facts, LinesHaveTheirText)
{
    for (const auto words : {shaders::strided_mesh, shaders::strided_debug}) {
        const Advice advice = adviceOn(words);
        EXPECT_EQ(lineAt(advice.sources, advice.facts.barriers[0].place), "barrier();");
        EXPECT_EQ(lineAt(advice.sources, {advice.facts.barriers[0].place.file, 27}), "}");
        EXPECT_EQ(lineAt(advice.sources, {advice.facts.barriers[0].place.file, 1000}), "");
        EXPECT_EQ(lineAt(advice.sources, {"other", 1}), "");
    }
}

TEST(Facts, BarriersInLoops_AreSoMarked)
{
    const Facts facts = adviceOn(shaders::barrier_loop_mesh).facts;
    ASSERT_EQ(facts.barriers.size(), 2u);
    EXPECT_TRUE(facts.barriers[0].isInLoop && facts.barriers[1].isInLoop);
}

TEST(Facts, ElementsOfOutputs_UnrolledAreConstantAndComputedAreNot)
{
    const Advice advice = adviceOn(shaders::arrays_mesh);
    const Output& unrolled = outputNamed(advice, "unrolled");
    EXPECT_FALSE(unrolled.isIndexed || unrolled.isForeign());
    EXPECT_EQ(unrolled.slots.size(), 3u);
    const Output& indexed = outputNamed(advice, "indexed");
    EXPECT_TRUE(indexed.isIndexed && indexed.isForeign());
    const Output& frame = outputNamed(advice, "frame");
    ASSERT_EQ(frame.slots.size(), 3u);
    EXPECT_EQ(frame.slots[2].words, 7u);
}

TEST(Facts, MembersOfBlocks_AreOutputsOfTheirOwn)
{
    const Advice advice = adviceOn(shaders::arrays_mesh);
    const Output& first = outputNamed(advice, "face.first");
    EXPECT_TRUE(first.isPerPrimitive);
    EXPECT_EQ(first.location, 9u);
    EXPECT_FALSE(first.isForeign());
    const Output& second = outputNamed(advice, "face.second");
    EXPECT_EQ(second.location, 10u);
    ASSERT_EQ(second.slots.size(), 2u);
    EXPECT_TRUE(second.slots[0].isForeign);
    EXPECT_FALSE(second.slots[1].isForeign);
}

TEST(Facts, ComponentsAndWidths)
{
    const Advice packing = adviceOn(shaders::packing_mesh);
    EXPECT_EQ(outputNamed(packing, "a").slots[0].words, 0b0010u);
    EXPECT_EQ(outputNamed(packing, "b").slots[0].words, 0b1000u);
    EXPECT_TRUE(outputNamed(packing, "material").isFlat);
    const Advice widths = adviceOn(shaders::widths_mesh);
    const Output& exact = outputNamed(widths, "exact");
    ASSERT_EQ(exact.slots.size(), 2u);
    EXPECT_EQ(exact.slots[0].words, 0b1111u);
    EXPECT_EQ(exact.slots[1].words, 0b0011u);
    EXPECT_EQ(outputNamed(widths, "small").widthBits, 16u);
}

TEST(Facts, BuiltIns)
{
    const Advice advice = adviceOn(shaders::built_ins_mesh);
    EXPECT_EQ(foreignNames(advice), (Names{"gl_CullDistance", "gl_PrimitiveID", "gl_Layer", "gl_CullPrimitiveEXT"}));
    EXPECT_EQ(outputNamed(advice, "gl_CullDistance").elementCount, 2u);
    EXPECT_TRUE(outputNamed(advice, "gl_ViewportIndex").isPerPrimitive);
}

// Item: 12 bytes, a word for the boolean, 12, 8 and 36 bytes, at multiples of 4.
TEST(Facts, SharedMemory_IsLaidOutAsTheDriverDoes)
{
    const Facts facts = adviceOn(shaders::shared_types_mesh).facts;
    ASSERT_EQ(facts.shared.size(), 4u);
    uint32_t sum = 0;
    for (const SharedVariable& variable : facts.shared)
        sum += variable.bytes;
    EXPECT_EQ(sum, 50u * 72 + 7 * 4 + 12 + 3 * 8);
    EXPECT_GE(facts.sharedBytes, sum);
    EXPECT_LT(facts.sharedBytes, sum + 16);
}

TEST(Facts, CountsAndLaunches_AreConstantsWhereTheCodeSaysSo)
{
    const Facts mesh = adviceOn(shaders::compaction_mesh).facts;
    ASSERT_EQ(mesh.outputCounts.size(), 1u);
    EXPECT_EQ(mesh.outputCounts[0].vertices, 128u);
    EXPECT_FALSE(mesh.outputCounts[0].primitives.has_value());
    EXPECT_EQ(mesh.outputCounts[0].place.line, 29u);
    const Facts task = adviceOn(shaders::compaction_task).facts;
    ASSERT_EQ(task.launches.size(), 1u);
    EXPECT_FALSE(task.launches[0].groups[0].has_value());
    EXPECT_EQ(task.launches[0].groups[1], 1u);
}

TEST(Facts, Payload)
{
    const Facts atomic = adviceOn(shaders::atomic_payload_task).facts;
    ASSERT_TRUE(atomic.payload.has_value());
    EXPECT_EQ(atomic.payload->bytes, 8192u);
    EXPECT_TRUE(atomic.payload->hasAtomics);
    const Facts plain = adviceOn(shaders::compaction_mesh).facts;
    ASSERT_TRUE(plain.payload.has_value());
    EXPECT_EQ(plain.payload->bytes, 64u * 4 + 16);
    EXPECT_FALSE(plain.payload->hasAtomics);
    EXPECT_FALSE(adviceOn(shaders::own_lane_mesh).facts.payload.has_value());
}

TEST(Facts, WorkgroupId)
{
    EXPECT_FALSE(adviceOn(shaders::own_lane_mesh).facts.usesWorkgroupIdBeyondX);
    EXPECT_TRUE(adviceOn(shaders::own_lane_mesh).facts.usesWorkgroupId.has_value());
    EXPECT_TRUE(adviceOn(shaders::functions_mesh).facts.usesWorkgroupIdBeyondX);
    EXPECT_FALSE(adviceOn(shaders::points_mesh).facts.usesWorkgroupId.has_value());
}

}  // namespace
}  // namespace millrace::advisor::test
