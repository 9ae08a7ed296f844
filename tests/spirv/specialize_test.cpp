// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

template <typename T>
SpecializationValue value(uint32_t specId, T v)
{
    SpecializationValue out{specId, std::vector<uint8_t>(sizeof(T))};
    std::memcpy(out.data.data(), &v, sizeof(T));
    return out;
}

Module specialized(std::string_view text, const std::vector<SpecializationValue>& values)
{
    const auto words = specialize(assembled(text), values);
    if (!words) {
        ADD_FAILURE() << words.error().text();
        return {};
    }
    EXPECT_TRUE(validate(*words)) << validate(*words).error().text();
    return *read(*words);
}

// The value of what is stored to, or compared with, is found by its name.
const Instruction* named(const Module& module, std::string_view name)
{
    for (const Instruction& i : module.section(Section::DebugNames))
        if (i.op == spv::Op::OpName && i.string(1) == name)
            return module.findDefinition(i.id(0));
    ADD_FAILURE() << "no " << name;
    return nullptr;
}

TEST(Specialize, NoModify_NoSpecializationConstants)
{
    for (const Program& program : programs()) {
        const Words words = assembled(program.text);
        const std::string before = text(words);
        if (before.find("Spec") == std::string::npos && before.find("Group") == std::string::npos) {
            const auto after = specialize(words, {});
            ASSERT_TRUE(after);
            EXPECT_EQ(*after, words) << program.name;
        }
    }
}

TEST(Specialize, DefaultsAndValues)
{
    const std::string text = compute(R"(
        %float = OpTypeFloat 32
        %double = OpTypeFloat 64
        %ulong = OpTypeInt 64 0
        %short = OpTypeInt 16 1
        %ubyte = OpTypeInt 8 0
        %a = OpSpecConstant %uint 1
        %b = OpSpecConstant %uint 2
        %c = OpSpecConstant %float 3
        %d = OpSpecConstant %double 4
        %e = OpSpecConstant %ulong 5
        %f = OpSpecConstant %short 6
        %g = OpSpecConstant %ubyte 7
        %h = OpSpecConstantTrue %bool
        %i = OpSpecConstantFalse %bool
        %j = OpSpecConstantTrue %bool
        %k = OpSpecConstant %uint 8)",
                                     "", R"(
        OpName %a "a"
        OpName %b "b"
        OpName %c "c"
        OpName %d "d"
        OpName %e "e"
        OpName %f "f"
        OpName %g "g"
        OpName %h "h"
        OpName %i "i"
        OpName %j "j"
        OpName %k "k"
        OpDecorate %a SpecId 0
        OpDecorate %b SpecId 1
        OpDecorate %c SpecId 2
        OpDecorate %d SpecId 3
        OpDecorate %e SpecId 4
        OpDecorate %f SpecId 5
        OpDecorate %g SpecId 6
        OpDecorate %h SpecId 7
        OpDecorate %i SpecId 8
        OpDecorate %j SpecId 9)");
    const Module module =
        specialized(text, {value(1, 0xfffffffeu), value(2, 1.5f), value(3, 2.5), value(4, uint64_t{1} << 40 | 9),
                           value(5, int16_t{-3}), value(6, uint8_t{200}), value(7, 0u), value(8, 256u), value(77, 1u)});
    const auto words = [&](const char* name) { return named(module, name)->words; };
    using W = decltype(Instruction::words);
    EXPECT_EQ(words("a"), (W{1}));
    EXPECT_EQ(words("b"), (W{0xfffffffe}));
    EXPECT_EQ(words("c"), (W{0x3fc00000}));
    EXPECT_EQ(words("d"), (W{0, 0x40040000}));
    EXPECT_EQ(words("e"), (W{9, 256}));
    EXPECT_EQ(words("f"), (W{0xfffffffd}));  // sign-extended
    EXPECT_EQ(words("g"), (W{200}));
    EXPECT_EQ(words("k"), (W{8}));
    EXPECT_EQ(named(module, "h")->op, spv::Op::OpConstantFalse);
    EXPECT_EQ(named(module, "i")->op, spv::Op::OpConstantTrue);
    EXPECT_EQ(named(module, "j")->op, spv::Op::OpConstantTrue);
    EXPECT_EQ(named(module, "a")->op, spv::Op::OpConstant);
    module.forEachInstruction([](const Instruction& i) { EXPECT_FALSE(opName(i.op).starts_with("OpSpec")); });
    EXPECT_EQ(module.findDecoration(named(module, "a")->result, spv::Decoration::SpecId), nullptr);
}

TEST(Specialize, DataOfTheWrongSize_IsReadAsFarAsItGoes)
{
    const std::string text = compute("%a = OpSpecConstant %uint 1", "", "OpName %a \"a\"\nOpDecorate %a SpecId 0");
    EXPECT_EQ(named(specialized(text, {{0, {}}}), "a")->words[0], 0u);
    EXPECT_EQ(named(specialized(text, {{0, {5}}}), "a")->words[0], 5u);
    EXPECT_EQ(named(specialized(text, {{0, {5, 0, 0, 0, 7, 7, 7, 7}}}), "a")->words[0], 5u);
}

TEST(Specialize, NodeDecorationsAndModes_AreConstants)
{
    const Module module = specialized(programs()[3].text, {value(3, 21u), value(5, 4u), value(6, 0u)});
    const auto mode = [&](spv::ExecutionMode wanted) -> const Instruction* {
        for (const Instruction& i : module.section(Section::ExecutionModes))
            if (i.literal(1) == static_cast<uint32_t>(wanted))
                return &i;
        return nullptr;
    };
    const auto constant = [&](Id id) {
        uint32_t out = 999;
        EXPECT_TRUE(module.isConstant(id));
        EXPECT_TRUE(module.constantValue(id, out));
        return out;
    };
    ASSERT_NE(mode(spv::ExecutionMode::StaticNumWorkgroupsAMDX), nullptr);
    EXPECT_EQ(constant(mode(spv::ExecutionMode::StaticNumWorkgroupsAMDX)->id(2)), 42u);
    EXPECT_EQ(constant(mode(spv::ExecutionMode::LocalSizeId)->id(2)), 32u);
    EXPECT_EQ(constant(mode(spv::ExecutionMode::ShaderIndexAMDX)->id(2)), 4u);
    EXPECT_EQ(constant(mode(spv::ExecutionMode::IsApiEntryAMDX)->id(2)), 0u);
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op == spv::Op::OpTypeNodePayloadArrayAMDX) {
            const Instruction* limit = module.findDecoration(i.result, spv::Decoration::NodeMaxPayloadsAMDX);
            ASSERT_NE(limit, nullptr);
            EXPECT_EQ(constant(limit->id(2)), 21u);
        }
    }
}

TEST(Specialize, StringConstant_BecomesOrdinary)
{
    const auto words = specialize(assembled(R"(
        OpCapability Shader
        OpCapability ShaderEnqueueAMDX
        OpExtension "SPV_AMDX_shader_enqueue"
        OpMemoryModel Logical GLSL450
        %name = OpSpecConstantStringAMDX "next")"),
                                  {});
    ASSERT_TRUE(words);
    EXPECT_NE(text(*words).find("OpConstantStringAMDX \"next\""), std::string::npos);
}

TEST(Specialize, WorkgroupSizeBuiltin_Folds)
{
    const Module module =
        specialized(compute(R"(
        %uvec3 = OpTypeVector %uint 3
        %x = OpSpecConstant %uint 4
        %one = OpConstant %uint 1
        %y = OpSpecConstantOp %uint IAdd %x %one
        %size = OpSpecConstantComposite %uvec3 %x %y %one
        %total = OpSpecConstantOp %uint CompositeExtract %size 1)",
                            "%use = OpIAdd %uint %total %one",
                            "OpName %size \"size\"\nOpDecorate %x SpecId 0\nOpDecorate %size BuiltIn WorkgroupSize"),
                    {value(0, 16u)});
    const Instruction* size = named(module, "size");
    EXPECT_EQ(size->op, spv::Op::OpConstantComposite);
    ASSERT_NE(module.findDecoration(size->result, spv::Decoration::BuiltIn), nullptr);
    uint32_t y = 0;
    EXPECT_TRUE(module.constantValue(size->id(1), y));
    EXPECT_EQ(y, 17u);
    EXPECT_EQ(module.functions[0].blocks[0].body[0].id(0), size->id(1));
}

TEST(Specialize, DecorationGroups_AreDissolved)
{
    const Module module = specialized(programs()[1].text, {});
    size_t offsets = 0;
    size_t relaxed = 0;
    for (const Instruction& i : module.section(Section::Annotations)) {
        EXPECT_TRUE(i.op == spv::Op::OpDecorate || i.op == spv::Op::OpMemberDecorate) << opName(i.op);
        offsets += i.op == spv::Op::OpMemberDecorate ? 1 : 0;
        relaxed += i.op == spv::Op::OpDecorate && i.literal(1) == uint32_t(spv::Decoration::RelaxedPrecision) ? 1 : 0;
    }
    EXPECT_EQ(offsets, 3u);
    EXPECT_EQ(relaxed, 2u);
}

}  // namespace
}  // namespace millrace::spirv::test
