// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

Id named(const Module& module, std::string_view name)
{
    for (const Instruction& i : module.section(Section::DebugNames))
        if (i.op == spv::Op::OpName && i.string(1) == name)
            return i.id(0);
    ADD_FAILURE() << "no " << name;
    return {};
}

TEST(Definitions, AllKinds_AreFound)
{
    const Module module = moduleOf(programs()[2].text);
    size_t found = 0;
    module.forEachInstruction([&](const Instruction& i) {
        if (i.op == spv::Op::OpLabel) {
            EXPECT_EQ(module.findDefinition(i.result), nullptr);
        } else if (i.result) {
            const Instruction* definition = module.findDefinition(i.result);
            ASSERT_NE(definition, nullptr);
            EXPECT_EQ(definition->result, i.result);
            EXPECT_EQ(definition->op, i.op);
            ++found;
        }
    });
    EXPECT_GT(found, 20u);
    EXPECT_EQ(module.findDefinition(Id{}), nullptr);
    EXPECT_EQ(module.findDefinition(Id{module.bound}), nullptr);
    EXPECT_EQ(module.findFunction(Id{}), nullptr);
    EXPECT_EQ(module.findFunction(named(module, "pick"))->parameters.size(), 1u);
}

// Where they are, whatever is known of where they were.
TEST(Definitions, FunctionsThatMoved_AreFound)
{
    Module module = moduleOf(compute("", "%c = OpFunctionCall %void %f\n") +
                             "%f = OpFunction %void None %function\n%in_f = OpLabel\nOpReturn\nOpFunctionEnd\n");
    ASSERT_EQ(module.functions.size(), 2u);
    const Id first = module.functions[0].id();
    const Id second = module.functions[1].id();
    ASSERT_TRUE(module.findDefinition(first) && module.findDefinition(second));
    EXPECT_EQ(module.findFunction(first), &module.functions[0]);
    EXPECT_EQ(module.findFunction(second), &module.functions[1]);
    std::swap(module.functions[0], module.functions[1]);
    EXPECT_EQ(module.findFunction(first), &module.functions[1]);
    EXPECT_EQ(module.findFunction(second), &module.functions[0]);
    module.functions.pop_back();
    EXPECT_EQ(module.findFunction(first), nullptr);
    EXPECT_EQ(module.findFunction(second), &module.functions[0]);
}

TEST(Definitions, AfterEdits_AreStillRight)
{
    Module module = moduleOf(programs()[2].text);
    const Id u0 = module.getConstant(0);
    ASSERT_NE(module.findDefinition(u0), nullptr);
    InstructionList& globals = module.section(Section::Globals);

    // Shifted.
    globals.insert(globals.begin(), instruction(spv::Op::OpNop));
    EXPECT_EQ(module.findDefinition(u0)->result, u0);
    // Appended.
    const Id fresh = module.newId();
    globals.push_back(instruction(spv::Op::OpConstant, module.typeOf(u0), fresh).add(77u));
    ASSERT_NE(module.findDefinition(fresh), nullptr);
    // Renamed in place.
    const Id other = module.newId();
    globals.back().result = other;
    EXPECT_EQ(module.findDefinition(fresh), nullptr);
    ASSERT_NE(module.findDefinition(other), nullptr);
    // Removed.
    globals.pop_back();
    EXPECT_EQ(module.findDefinition(other), nullptr);
    // Moved between functions.
    std::swap(module.functions[0], module.functions[1]);
    module.forEachInstruction([&](const Instruction& i) {
        if (i.result && i.op != spv::Op::OpLabel) {
            ASSERT_NE(module.findDefinition(i.result), nullptr);
            EXPECT_EQ(module.findDefinition(i.result)->op, i.op);
        }
    });
    // And a copy has its own.
    Module copy = module;
    globals.clear();
    EXPECT_EQ(module.findDefinition(u0), nullptr);
    EXPECT_NE(copy.findDefinition(u0), nullptr);
}

TEST(Types, AreShared)
{
    Module module;
    const Id u32 = module.getIntType(32, false);
    EXPECT_EQ(module.getIntType(32, false), u32);
    EXPECT_NE(module.getIntType(32, true), u32);
    EXPECT_NE(module.getIntType(64, false), u32);
    EXPECT_EQ(module.getVoidType(), module.getVoidType());
    EXPECT_EQ(module.getBoolType(), module.getBoolType());
    EXPECT_EQ(module.getFloatType(32), module.getFloatType(32));
    EXPECT_EQ(module.getVectorType(u32, 3), module.getVectorType(u32, 3));
    EXPECT_NE(module.getVectorType(u32, 3), module.getVectorType(u32, 4));
    const Id pointer = module.getPointerType(spv::StorageClass::Private, u32);
    EXPECT_EQ(module.getPointerType(spv::StorageClass::Private, u32), pointer);
    EXPECT_NE(module.getPointerType(spv::StorageClass::Function, u32), pointer);
    const Id parameters[] = {u32, pointer};
    EXPECT_EQ(module.getFunctionType(u32, parameters), module.getFunctionType(u32, parameters));
    EXPECT_NE(module.getFunctionType(u32, {}), module.getFunctionType(u32, parameters));
    const uint32_t words[] = {32, 0};
    EXPECT_EQ(module.findType(spv::Op::OpTypeInt, words), u32);
    const uint32_t missing[] = {8, 0};
    EXPECT_FALSE(module.findType(spv::Op::OpTypeInt, missing));

    EXPECT_EQ(module.pointee(pointer), u32);
    EXPECT_EQ(module.storageOf(pointer), spv::StorageClass::Private);
    EXPECT_FALSE(module.pointee(u32));
    EXPECT_EQ(module.storageOf(u32), spv::StorageClass::Max);
    const Id variable = module.createVariable(pointer, spv::StorageClass::Private, module.getConstant(1));
    EXPECT_EQ(module.typeOf(variable), pointer);
    EXPECT_NE(module.createVariable(pointer, spv::StorageClass::Private), variable);
}

TEST(Constants, ValuesAreKnown)
{
    Module module = moduleOf(compute(R"(
        %int = OpTypeInt 32 1
        %ulong = OpTypeInt 64 0
        %spec = OpSpecConstant %uint 12
        %yes = OpSpecConstantTrue %bool
        %null = OpConstantNull %uint
        %wide = OpConstant %ulong 1
        %string = OpConstantStringAMDX "name")",
                                     "", R"(OpDecorate %spec SpecId 1
        OpDecorate %yes SpecId 2
        OpName %spec "spec"
        OpName %yes "yes"
        OpName %null "null"
        OpName %wide "wide"
        OpName %string "string")"));
    uint32_t value = 99;
    EXPECT_TRUE(module.constantValue(module.getConstant(7), value));
    EXPECT_EQ(value, 7u);
    EXPECT_EQ(module.getConstant(7), module.getConstant(7));
    EXPECT_TRUE(module.constantValue(named(module, "spec"), value));
    EXPECT_EQ(value, 12u);
    EXPECT_TRUE(module.constantValue(named(module, "yes"), value));
    EXPECT_EQ(value, 1u);
    EXPECT_TRUE(module.constantValue(named(module, "null"), value));
    EXPECT_EQ(value, 0u);
    EXPECT_FALSE(module.constantValue(named(module, "wide"), value));
    EXPECT_FALSE(module.constantValue(module.getIntType(32, false), value));
    EXPECT_TRUE(module.constantValue(module.getConstantBool(false), value));
    EXPECT_EQ(module.getConstantBool(true), module.getConstantBool(true));
    EXPECT_TRUE(module.isConstant(named(module, "null")));
    EXPECT_TRUE(module.isConstant(named(module, "string")));
    EXPECT_FALSE(module.isConstant(named(module, "spec")));
    EXPECT_EQ(module.constantString(named(module, "string")), "name");
    EXPECT_EQ(module.constantString(named(module, "null")), "");
}

TEST(Capabilities, AreAddedOnce)
{
    Module module;
    module.addCapability(spv::Capability::Shader);
    module.addCapability(spv::Capability::Shader);
    module.addExtension("SPV_A");
    module.addExtension("SPV_A");
    EXPECT_EQ(module.section(Section::Capabilities).size(), 1u);
    EXPECT_EQ(module.section(Section::Extensions).size(), 1u);
    EXPECT_TRUE(module.hasCapability(spv::Capability::Shader));
    module.removeCapability(spv::Capability::Shader);
    module.removeExtension("SPV_A");
    EXPECT_FALSE(module.hasCapability(spv::Capability::Shader));
    EXPECT_TRUE(module.section(Section::Extensions).empty());
}

TEST(Decorations, AreFoundAndRemoved)
{
    Module module;
    const Id id = module.newId();
    const uint32_t four[] = {4};
    module.decorate(id, spv::Decoration::ArrayStride, four);
    module.decorate(id, spv::Decoration::ArrayStride, four);
    module.decorateMember(id, 2, spv::Decoration::Offset, four);
    EXPECT_EQ(module.section(Section::Annotations).size(), 2u);
    ASSERT_NE(module.findDecoration(id, spv::Decoration::ArrayStride), nullptr);
    EXPECT_EQ(module.findDecoration(id, spv::Decoration::ArrayStride)->literal(2), 4u);
    EXPECT_EQ(module.findDecoration(id, spv::Decoration::Offset), nullptr);
    ASSERT_NE(module.findMemberDecoration(id, 2, spv::Decoration::Offset), nullptr);
    EXPECT_EQ(module.findMemberDecoration(id, 1, spv::Decoration::Offset), nullptr);
    module.removeDecorations([](const Instruction& i) { return i.op == spv::Op::OpMemberDecorate; });
    EXPECT_EQ(module.findMemberDecoration(id, 2, spv::Decoration::Offset), nullptr);

    const Module node = moduleOf(programs()[3].text);
    for (const Instruction& i : node.section(Section::Globals)) {
        if (i.op == spv::Op::OpTypeNodePayloadArrayAMDX) {
            const Instruction* name = node.findDecoration(i.result, spv::Decoration::PayloadNodeNameAMDX);
            ASSERT_NE(name, nullptr);
            EXPECT_EQ(node.constantString(name->id(2)), "next");
        }
    }
}

TEST(Names, AreSetOnce)
{
    Module module;
    module.setName(Id{3}, "before");
    module.setName(Id{3}, "a name of several words");
    EXPECT_EQ(module.name(Id{3}), "a name of several words");
    EXPECT_EQ(module.name(Id{4}), "");
    EXPECT_EQ(module.section(Section::DebugNames).size(), 1u);
    // Empty, and exactly a word long.
    module.setName(Id{4}, "");
    module.setName(Id{5}, "four");
    EXPECT_EQ(module.section(Section::DebugNames)[1].words.size(), 2u);
    EXPECT_EQ(module.section(Section::DebugNames)[2].words.size(), 3u);
    EXPECT_EQ(module.name(Id{5}), "four");
}

TEST(ReplaceUses, NamesAndDecorationsIncluded)
{
    Module module = moduleOf(compute("%a = OpConstant %uint 1\n%b = OpConstant %uint 2", "%x = OpIAdd %uint %a %b",
                                     "OpName %a \"a\"\nOpName %b \"b\"\nOpDecorate %a RelaxedPrecision\n"
                                     "OpDecorate %b RelaxedPrecision"));
    const Id a = named(module, "a");
    const Id b = named(module, "b");
    module.replaceUses({{a.value, b.value}});
    const Instruction& add = module.functions[0].blocks[0].body[0];
    EXPECT_EQ(add.id(0), b);
    EXPECT_EQ(add.id(1), b);
    EXPECT_NE(module.findDefinition(a), nullptr);  // a use, not a definition, is replaced
    EXPECT_EQ(module.section(Section::Annotations).size(), 1u);
    EXPECT_EQ(module.section(Section::DebugNames).size(), 1u);
}

TEST(ReplaceUses, InterfacesTypesAndBranches)
{
    Module module = moduleOf(programs()[2].text);
    const Id uint = module.getIntType(32, false);
    const Id variable = module.section(Section::EntryPoints)[0].id(3);
    const Id label = module.functions[1].blocks[1].label;
    module.replaceUses({{uint.value, 1000}, {variable.value, 1001}, {label.value, 1002}});
    EXPECT_EQ(module.section(Section::EntryPoints)[0].id(3).value, 1001u);
    EXPECT_EQ(module.functions[0].definition.type.value, 1000u);
    EXPECT_EQ(module.functions[0].parameters[0].type.value, 1000u);
    EXPECT_EQ(module.functions[1].blocks[0].body[0].id(0).value, 1002u);
    EXPECT_EQ(module.functions[1].blocks[1].label, label);
}

TEST(ForEachInstruction, OrderIsThatOfWrite)
{
    for (const Program& program : programs()) {
        const Module module = moduleOf(program.text);
        const Words words = write(module);
        size_t at = 5;
        module.forEachInstruction([&](const Instruction& i) {
            if ((words[at] & 0xffff) == static_cast<uint32_t>(spv::Op::OpFunctionEnd))
                ++at;
            EXPECT_EQ(words[at] & 0xffff, static_cast<uint32_t>(i.op));
            at += words[at] >> 16;
        });
    }
}

TEST(Operations, HaveNamesAndClasses)
{
    EXPECT_EQ(opName(spv::Op::OpIAdd), "OpIAdd");
    EXPECT_EQ(opName(spv::Op::OpEnqueueNodePayloadsAMDX), "OpEnqueueNodePayloadsAMDX");
    EXPECT_TRUE(isType(spv::Op::OpTypeNodePayloadArrayAMDX));
    EXPECT_FALSE(isType(spv::Op::OpTypeForwardPointer));
    EXPECT_FALSE(isType(spv::Op::OpConstant));
    EXPECT_TRUE(isTerminator(spv::Op::OpSwitch));
    EXPECT_FALSE(isTerminator(spv::Op::OpSelectionMerge));
}

}  // namespace
}  // namespace millrace::spirv::test
