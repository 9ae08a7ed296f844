// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/place_kept_payloads.h"

#include "graph/code_traits.h"
#include "nodes/fuse_test.h"
#include "nodes/fusion/kept_memory.h"
#include "nodes/pass_test.h"
#include "nodes/passes/choose_packing.h"
#include "nodes/passes/lower_built_ins.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/lower_push_constants.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "nodes/passes/wrap_entry_point.h"

namespace millrace::nodes {

namespace {

// A workgroup keeps four of these: a uint, three floats at 16, two words at 28; 48 bytes each.
constexpr const char* kKept = R"(
    %float3 = OpTypeVector %float 3
    %pair = OpTypeArray %uint %u2
    %Kept = OpTypeStruct %uint %float3 %pair
    %four = OpTypeArray %Kept %u4
    %wg_four = OpTypePointer Workgroup %four
    %wg_Kept = OpTypePointer Workgroup %Kept
    %wg_pair = OpTypePointer Workgroup %pair
    %wg_uint = OpTypePointer Workgroup %uint
    %kept = OpVariable %wg_four Workgroup)";
constexpr const char* kMark = "OpDecorateString %kept UserSemantic \"millrace.kept\"\n";

class PlaceKeptPayloads : public PassTest {
protected:
    // The functions behind the pass, which must leave a valid module.
    std::string place(const std::string& body, graph::MemoryUse memory = graph::MemoryUse::None)
    {
        ModuleText module;
        module.globals = kKept;
        module.names = "OpName %kept \"kept\"\nOpName %Kept \"Kept\"\n";
        module.annotations = kMark;
        module.interface += " %kept";
        module.body = body;
        load(module);
        options.target.keptBytes = 64;
        runAll({reflectNode, reflectOutputs, choosePacking, lowerBuiltIns, lowerPayloads, lowerPushConstants,
                wrapEntryPoint});
        const Code code{.memory = memory};
        EXPECT_TRUE(placeKeptPayloads(shader, code));
        const Status valid = spirv::validate(spirv::write(shader.module));
        EXPECT_TRUE(valid) << valid.error().text();
        const std::string all = functions();
        const size_t begin = all.find("%node_main = ");
        return all.substr(begin, all.find("OpFunctionEnd", begin) - begin);
    }
};

constexpr const char* kPart = R"(
    %lane = OpLoad %uint %lidx
    %pair_at = OpAccessChain %wg_pair %kept %lane %u2
    %word_at = OpAccessChain %wg_uint %pair_at %u1
    OpStore %word_at %lane
    %read = OpLoad %uint %word_at)";

constexpr const char* kWhole = R"(
    %first = OpAccessChain %wg_Kept %kept %u0
    %last = OpAccessChain %wg_Kept %kept %u3
    %all = OpLoad %Kept %first
    OpStore %last %all)";

}  // namespace

TEST_F(PlaceKeptPayloads, Leaf_TakesScratchMemory)
{
    EXPECT_TRUE(isSameCode(place(kPart), R"(
        %node_main = OpFunction %void None %func
        %entry = OpLabel
        %lane = OpLoad %uint %lidx
        %address = OpFunctionCall %ulong %mr_workgroup_memory %uint_0
        %base = OpConvertUToPtr %_ptr_PhysicalStorageBuffer__arr_Kept_0_uint_4 %address
        %pair = OpAccessChain %_ptr_PhysicalStorageBuffer__arr_uint_uint_2_0 %base %lane %uint_2
        %word = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %pair %uint_1
        OpStore %word %lane Aligned|MakePointerAvailable|NonPrivatePointer 4 %uint_2
        %read = OpLoad %uint %word Aligned|MakePointerVisible|NonPrivatePointer 4 %uint_2
        OpReturn)"))
        << functions();
    EXPECT_EQ(shader.node.decided.groupMemoryBytes, 256u) << "four of 48";
    EXPECT_EQ(functions().find("%kept"), std::string::npos);
    EXPECT_EQ(text().find("UserSemantic"), std::string::npos);
    EXPECT_TRUE(has("OpMemoryModel PhysicalStorageBuffer64 Vulkan"));
}

TEST_F(PlaceKeptPayloads, Members_LieAsEveryDeviceReadsThem)
{
    place(kPart);
    for (const char* line : {"0 Offset 0", "1 Offset 16", "2 Offset 32", "ArrayStride 48", "ArrayStride 4"})
        EXPECT_NE(text().find(line), std::string::npos) << line;
}

TEST_F(PlaceKeptPayloads, Wholes_AreCopied)
{
    const std::string after = place(kWhole);
    EXPECT_NE(after.find("OpCopyLogical %Kept"), std::string::npos) << after;
    EXPECT_NE(after.find("Aligned|MakePointerVisible|NonPrivatePointer 16"), std::string::npos) << after;
}

TEST_F(PlaceKeptPayloads, OtherCode_KeepsWorkgroupMemory)
{
    for (graph::MemoryUse memory : {graph::MemoryUse::Fits, graph::MemoryUse::Reserves}) {
        shader = {};
        EXPECT_NE(place(kPart, memory).find("%kept"), std::string::npos);
        EXPECT_EQ(text().find("UserSemantic"), std::string::npos);
        EXPECT_TRUE(has("OpMemoryModel PhysicalStorageBuffer64 GLSL450"));
    }
}

// What the host has to know before there is such code.
class KeptMemory : public Fuse {
protected:
    // Of a workgroup that keeps eight payloads of 8 bytes, and one more which is nobody's.
    uint32_t bytesOf(const NodeSource& from, const std::string& decorations = "")
    {
        byWorkgroup = true;
        NodeSource to = consumer(kWork);
        to.decorations = decorations;
        to.modes = "OpExecutionMode %main LocalSize 8 1 1\nOpExecutionModeId %main StaticNumWorkgroupsAMDX %u1 %u1 %u1";
        const auto words = tryFuse(from, {{to}});
        EXPECT_TRUE(words) << words.error().text();
        const auto prepared = prepare(*words, options);
        EXPECT_TRUE(prepared);
        m_prepared = *prepared;
        return prepared->node.decided.groupMemoryBytes;
    }

    std::string codeFor(graph::MemoryUse memory)
    {
        Options checked = options;
        checked.checks.validate = true;
        const auto lowered = lower(m_prepared, checked);
        EXPECT_TRUE(lowered) << lowered.error().text();
        const auto words =
            finish(*lowered, {.memory = memory, .traits = graph::codeTraits(m_prepared.node.declared)}, checked);
        EXPECT_TRUE(words) << words.error().text();
        const auto text = spirv::disassemble(*words);
        return text ? *text : "";
    }

    PreparedNode m_prepared;
};

TEST_F(KeptMemory, OfFusedWorkgroups)
{
    const NodeSource from = producer(sends("%u1", "%u0", kFill));
    options.target.keptBytes = 64;
    EXPECT_EQ(bytesOf(from), 128u);
    const std::string leaf = codeFor(graph::MemoryUse::None);
    EXPECT_TRUE(contains(leaf, "OpMemoryModel PhysicalStorageBuffer64 Vulkan"));
    EXPECT_FALSE(contains(leaf, "%item_payloads = OpVariable"));
    EXPECT_TRUE(contains(leaf, "OpConvertUToPtr"));
    EXPECT_TRUE(contains(leaf, "OpLoopMerge")) << "workgroups go on";
    const std::string other = codeFor(graph::MemoryUse::Fits);
    EXPECT_TRUE(contains(other, "%item_payloads = OpVariable"));
    EXPECT_FALSE(contains(other, "UserSemantic"));
}

TEST_F(KeptMemory, NotWanted_OrNotPossible)
{
    const NodeSource from = producer(sends("%u1", "%u0", kFill));
    options.target.keptBytes = 128;
    EXPECT_EQ(bytesOf(from), 0u) << "few enough";
    EXPECT_TRUE(contains(codeFor(graph::MemoryUse::None), "%item_payloads = OpVariable"));
    options.target.keptBytes = 64;
    options.request.pushConstantsInMemory = true;
    EXPECT_EQ(bytesOf(from), 0u) << "their address stands where that of the memory would";
    options.request.pushConstantsInMemory = false;
    options.variant.indirect = true;
    EXPECT_EQ(bytesOf(from), 0u);
    options.variant.indirect = false;
    EXPECT_EQ(bytesOf(from, "OpMemberDecorate %Out 0 Coherent\n"), 0u) << "each access would have to say so";
    NodeSource one = producer(sends("%u1", "%u0", kFill));
    one.body.replace(one.body.find("%np_Items %u4"), 13, "%np_Items %u2");
    EXPECT_EQ(bytesOf(one), 0u) << "one payload is in nobody's way";
}

}  // namespace millrace::nodes
