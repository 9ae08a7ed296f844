// SPDX-License-Identifier: Apache-2.0
// What the stages of several pipelines are as those of one, and which cannot be.
#include <string>

#include "commands_shaders/variant_text.h"
#include "shaders/commands_shaders.h"
#include "spirv/module.h"

namespace millrace::commands {

namespace {

using spirv::Section;

const Layout kLayout{.action = Action::Draw,
                     .stride = 32,
                     .actionOffset = 16,
                     .executionSet = {},
                     .combinedSet = 8,
                     .pushRanges = {},
                     .stages = 0x11};

// A fragment shader that shows an input, or else a constant.
struct FragmentText {
    std::string modes;
    std::string input = "OpDecorate %in Location 0\nOpDecorate %in Flat\n";
    std::string inputType = "uint";
    uint32_t shown = 0;  // 0: the input
    std::string model = "Logical GLSL450";

    StageCode code() const
    {
        const std::string text =
            "OpCapability Shader\nOpMemoryModel " + model +
            "\nOpEntryPoint Fragment %main \"main\" %in %out\n"
            "OpExecutionMode %main OriginUpperLeft\n" +
            modes + input +
            "OpDecorate %out Location 0\n"
            "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
            "%uint = OpTypeInt 32 0\n%v2uint = OpTypeVector %uint 2\n"
            "%shown = OpConstant %uint " +
            std::to_string(shown) + "\n%pin = OpTypePointer Input %" + inputType +
            "\n%in = OpVariable %pin Input\n"
            "%pout = OpTypePointer Output %uint\n%out = OpVariable %pout Output\n"
            "%main = OpFunction %void None %fn\n%label = OpLabel\n"
            "%value = OpLoad %" +
            inputType + " %in\n" +
            (shown == 0 && inputType == "uint" ? "OpStore %out %value\n" : "OpStore %out %shown\n") +
            "OpReturn\nOpFunctionEnd\n";
        auto words = spirv::assemble(text);
        EXPECT_TRUE(words) << words.error().text();
        return {spv::ExecutionModel::Fragment, "main", words ? *words : spirv::Words()};
    }
};

StageCode vertexCode()
{
    return {spv::ExecutionModel::Vertex, "main", {shaders::vertex_plain.begin(), shaders::vertex_plain.end()}};
}

std::vector<StageCode> with(const StageCode& fragment)
{
    return {vertexCode(), fragment};
}

size_t variablesOf(const StageCode& code, spv::StorageClass storage)
{
    const auto module = spirv::read(code.words);
    size_t count = 0;
    for (const spirv::Instruction& i : module->section(Section::Globals))
        count += i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(storage);
    return count;
}

void expectRefused(const std::vector<std::vector<StageCode>>& members, const std::string& part)
{
    const auto variant = makeCombinedVariant(members, kLayout, {});
    ASSERT_FALSE(variant);
    EXPECT_NE(variant.error().message.find(part), std::string::npos) << variant.error().message;
}

}  // namespace

TEST(CombinedStages, EqualFragmentShaders_ComeBackAsTheyWere)
{
    const StageCode fragment = FragmentText().code();
    const auto variant = makeCombinedVariant({with(fragment), {}, with(fragment)}, kLayout, {});
    ASSERT_TRUE(variant) << variant.error().text();
    EXPECT_EQ((*variant)[1].words, fragment.words);
}

TEST(CombinedStages, InterfacesThatAreAlike_AreThereOnce)
{
    const auto variant = makeCombinedVariant(
        {with(FragmentText().code()), with(FragmentText{.shown = 5}.code()), with(FragmentText{.shown = 6}.code())},
        kLayout, {});
    ASSERT_TRUE(variant) << variant.error().text();
    const Status valid = spirv::validate((*variant)[1].words);
    EXPECT_TRUE(valid) << valid.error().text();
    // The number of the sequence is another input.
    EXPECT_EQ(variablesOf((*variant)[1], spv::StorageClass::Input), 2u);
    EXPECT_EQ(variablesOf((*variant)[1], spv::StorageClass::Output), 1u);
}

TEST(CombinedStages, InputsOfOtherTypes_Refused)
{
    expectRefused({with(FragmentText().code()), with(FragmentText{.inputType = "v2uint"}.code())},
                  "different inputs at one location");
}

TEST(CombinedStages, BuiltInOfOtherType_Refused)
{
    const std::string index = "OpDecorate %in BuiltIn PrimitiveId\nOpDecorate %in Flat\n";
    const StageCode plain = FragmentText{.input = index}.code();
    StageCode wide = plain;
    // The same built-in of a signed integer.
    auto module = spirv::read(wide.words);
    ASSERT_TRUE(module);
    for (spirv::Instruction& i : module->section(Section::Globals))
        if (i.op == spv::Op::OpTypeInt)
            i.setLiteral(1, 1);
    wide.words = spirv::write(*module);
    expectRefused({with(plain), with(wide)}, "built-in inputs");
}

TEST(CombinedStages, OtherModes_Refused)
{
    expectRefused({with(FragmentText().code()),
                   with(FragmentText{.modes = "OpExecutionMode %main EarlyFragmentTests\n", .shown = 1}.code())},
                  "execution modes");
}

namespace {

// A vertex shader that writes a built-in output, which it declares in any case.
StageCode vertexWith(const std::string& builtIn, const std::string& capability, const std::string& type, bool writes)
{
    const std::string text = "OpCapability Shader\n" + capability +
                             "OpMemoryModel Logical GLSL450\n"
                             "OpEntryPoint Vertex %main \"main\" %out\n"
                             "OpDecorate %out BuiltIn " +
                             builtIn +
                             "\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
                             "%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n%float = OpTypeFloat 32\n"
                             "%two = OpConstant %uint 2\n%floats = OpTypeArray %float %two\n"
                             "%pout = OpTypePointer Output %" +
                             type + "\n%out = OpVariable %pout Output\n%value = OpConstantNull %" + type +
                             "\n%main = OpFunction %void None %fn\n%label = OpLabel\n" +
                             (writes ? "OpStore %out %value\n" : "") + "OpReturn\nOpFunctionEnd\n";
    auto words = spirv::assemble(text);
    EXPECT_TRUE(words) << words.error().text();
    return {spv::ExecutionModel::Vertex, "main", words ? *words : spirv::Words()};
}

}  // namespace

// What one of them alone writes would be undefined for the others, or be theirs as well.
TEST(CombinedStages, BuiltInsThatOneVertexShaderWrites_Refused)
{
    const std::string layers = "OpCapability ShaderLayer\n", viewports = "OpCapability ShaderViewportIndex\n";
    const std::string rates = "OpCapability FragmentShadingRateKHR\nOpExtension \"SPV_KHR_fragment_shading_rate\"\n";
    const std::string wanted[][3] = {{"PointSize", "", "float"},
                                     {"ClipDistance", "OpCapability ClipDistance\n", "floats"},
                                     {"CullDistance", "OpCapability CullDistance\n", "floats"},
                                     {"Layer", layers, "int"},
                                     {"ViewportIndex", viewports, "int"},
                                     {"PrimitiveShadingRateKHR", rates, "int"}};
    const StageCode fragment =
        FragmentText{.input = "OpDecorate %in BuiltIn PrimitiveId\nOpDecorate %in Flat\n"}.code();
    for (const auto& [builtIn, capability, type] : wanted) {
        const StageCode writes = vertexWith(builtIn, capability, type, true);
        const StageCode declares = vertexWith(builtIn, capability, type, false);
        expectRefused({{writes, fragment}, {declares, fragment}}, "size of points, layer");
        const auto alike = makeCombinedVariant({{writes, fragment}, {writes, fragment}}, kLayout, {});
        EXPECT_TRUE(alike) << builtIn << ": " << alike.error().text();
    }
}

TEST(CombinedStages, FragmentShadersOfWhichOneWritesTheSampleMask_Refused)
{
    const auto textOf = [](bool writes) {
        return std::string(
                   "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
                   "OpEntryPoint Fragment %main \"main\" %mask\nOpExecutionMode %main OriginUpperLeft\n"
                   "OpDecorate %mask BuiltIn SampleMask\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
                   "%uint = OpTypeInt 32 0\n%int = OpTypeInt 32 1\n%one = OpConstant %uint 1\n"
                   "%masks = OpTypeArray %int %one\n%pmasks = OpTypePointer Output %masks\n"
                   "%mask = OpVariable %pmasks Output\n%value = OpConstantNull %masks\n"
                   "%main = OpFunction %void None %fn\n%label = OpLabel\n") +
               (writes ? "OpStore %mask %value\n" : "") + "OpReturn\nOpFunctionEnd\n";
    };
    std::vector<std::vector<StageCode>> members;
    for (const bool writes : {true, false}) {
        auto words = spirv::assemble(textOf(writes));
        ASSERT_TRUE(words) << words.error().text();
        members.push_back(with({spv::ExecutionModel::Fragment, "main", std::move(*words)}));
    }
    expectRefused(members, "sample mask");
}

// One alone would have all of them run for each sample, and at the finest shading rate.
TEST(CombinedStages, FragmentShadersOfWhichOneRunsForEachSample_Refused)
{
    const StageCode plain = FragmentText{.shown = 3}.code();
    for (const char* input : {"OpDecorate %in BuiltIn SampleId\nOpDecorate %in Flat\n",
                              "OpDecorate %in Location 0\nOpDecorate %in Flat\nOpDecorate %in Sample\n"}) {
        StageCode each = FragmentText{.input = input, .shown = 4}.code();
        auto module = spirv::read(each.words);
        ASSERT_TRUE(module);
        module->addCapability(spv::Capability::SampleRateShading);
        each.words = spirv::write(*module);
        expectRefused({with(each), with(plain)}, "for each sample");
        expectRefused({with(plain), with(each)}, "for each sample");
    }
}

TEST(CombinedStages, OtherStages_Refused)
{
    expectRefused({with(FragmentText().code()), {vertexCode()}}, "different stages");
}

TEST(CombinedStages, TooMuchCode_Refused)
{
    std::vector<std::vector<StageCode>> members;
    const size_t each = FragmentText().code().words.size();
    for (uint32_t m = 0; m * each <= 1u << 18; ++m) {
        FragmentText text;
        text.shown = m + 1;
        members.push_back(with(text.code()));
    }
    expectRefused(members, "words together");
}

}  // namespace millrace::commands
