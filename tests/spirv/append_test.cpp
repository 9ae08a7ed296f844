// SPDX-License-Identifier: Apache-2.0
// The code of one module in another.
#include "spirv/append.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

// A fragment shader with a block of its own, a private variable, and a function that is called.
Module shader(const std::string& decorations = "", const std::string& value = "7", const std::string& model = "GLSL450")
{
    const std::string text =
        "OpCapability Shader\n%set = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical " + model +
        "\nOpEntryPoint Fragment %main \"main\" %in %out %data %own\nOpExecutionMode %main OriginUpperLeft\n"
        "OpName %main \"main\"\nOpName %block \"Block\"\n"
        "OpDecorate %in Location 0\nOpDecorate %out Location 0\n" +
        decorations +
        "OpDecorate %block Block\nOpMemberDecorate %block 0 Offset 0\n"
        "OpDecorate %data DescriptorSet 0\nOpDecorate %data Binding 1\nOpDecorate %sum NoContraction\n"
        "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%get = OpTypeFunction %float\n"
        "%uint = OpTypeInt 32 0\n%zero = OpConstant %uint 0\n"
        "%block = OpTypeStruct %float\n%pblock = OpTypePointer Uniform %block\n%pfloat = OpTypePointer Uniform %float\n"
        "%data = OpVariable %pblock Uniform\n"
        "%pin = OpTypePointer Input %float\n%in = OpVariable %pin Input\n"
        "%pout = OpTypePointer Output %float\n%out = OpVariable %pout Output\n"
        "%pprivate = OpTypePointer Private %float\n%own = OpVariable %pprivate Private\n"
        "%value = OpConstant %float " +
        value +
        "\n"
        "%main = OpFunction %void None %fn\n%1 = OpLabel\n"
        "%a = OpLoad %float %in\n%b = OpFunctionCall %float %read\n%sum = OpFAdd %float %a %b\n"
        "OpStore %own %sum\n%c = OpLoad %float %own\n%d = OpExtInst %float %set Sqrt %c\nOpStore %out %d\n"
        "OpReturn\nOpFunctionEnd\n"
        "%read = OpFunction %float None %get\n%2 = OpLabel\n%place = OpAccessChain %pfloat %data %zero\n"
        "%e = OpLoad %float %place\n%f = OpFMul %float %e %value\nOpReturnValue %f\nOpFunctionEnd\n";
    const auto words = assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    auto module = read(*words);
    EXPECT_TRUE(module);
    return *module;
}

size_t count(const Module& module, Section section, spv::Op op)
{
    return static_cast<size_t>(std::ranges::count(module.section(section), op, &Instruction::op));
}

void expectValid(Module module)
{
    const Status valid = validate(write(module), Environment::Vulkan13);
    EXPECT_TRUE(valid) << valid.error().text();
}

}  // namespace

TEST(Append, SameDeclarations_AreThereOnce)
{
    Module module = shader();
    const size_t before = module.section(Section::Globals).size();
    const Module other = shader();
    Appender appender(module);
    ASSERT_TRUE(appender.append(other, {}));
    // The variable that is an invocation's own.
    EXPECT_EQ(module.section(Section::Globals).size(), before + 1);
    EXPECT_EQ(module.functions.size(), 4u);
    EXPECT_EQ(count(module, Section::ExtInstImports, spv::Op::OpExtInstImport), 1u);
    expectValid(module);
}

TEST(Append, OtherDecorations_AreAnotherVariable)
{
    Module module = shader();
    const Module other = shader("OpDecorate %in Flat\n");
    Appender appender(module);
    ASSERT_TRUE(appender.append(other, {}));
    size_t inputs = 0;
    for (const Instruction& i : module.section(Section::Globals))
        inputs += i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Input);
    EXPECT_EQ(inputs, 2u);
}

TEST(Append, SeveralModules_EachHasItsFunctionsAndItsDecorations)
{
    Module module = shader();
    Appender appender(module);
    for (uint32_t value = 10; value < 13; ++value) {
        const Module other = shader("", std::to_string(value));
        ASSERT_TRUE(appender.append(other, {}));
        const Id main = appender.find(other.section(Section::EntryPoints)[0].id(1));
        ASSERT_TRUE(module.findFunction(main));
        EXPECT_EQ(module.name(main), "main");
    }
    EXPECT_EQ(module.functions.size(), 8u);
    size_t exact = 0;
    for (const Instruction& i : module.section(Section::Annotations))
        exact += i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::NoContraction);
    EXPECT_EQ(exact, 4u);
    expectValid(module);
}

TEST(Append, WhatIsGiven_StandsForTheirs)
{
    Module module = shader();
    const Module other = shader();
    const auto privateOf = [](const Module& own) {
        return std::ranges::find_if(own.section(Section::Globals),
                                    [](const Instruction& i) {
                                        return i.op == spv::Op::OpVariable &&
                                               i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Private);
                                    })
            ->result;
    };
    const std::pair<Id, Id> same[] = {{privateOf(other), privateOf(module)}};
    const size_t before = module.section(Section::Globals).size();
    Appender appender(module);
    ASSERT_TRUE(appender.append(other, same));
    EXPECT_EQ(module.section(Section::Globals).size(), before);
    EXPECT_EQ(appender.find(same[0].first), same[0].second);
    expectValid(module);
}

TEST(Append, OtherMemoryModel_Refused)
{
    Module module = shader();
    const std::vector<uint32_t> before = write(module);
    const Module other = shader("", "7", "Simple");
    Appender appender(module);
    EXPECT_FALSE(appender.append(other, {}));
    EXPECT_EQ(write(module), before);
}

}  // namespace millrace::spirv
