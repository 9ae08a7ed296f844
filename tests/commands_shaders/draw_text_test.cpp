// SPDX-License-Identifier: Apache-2.0
// Which stages of a draw change, and how the number of the sequence gets to them.
#include <span>

#include "commands_shaders/variant_text.h"
#include "shaders/commands_shaders.h"
#include "spirv/module.h"
#include "spirv/same_code.h"

namespace millrace::commands {

namespace {

using spirv::isSameCode;

constexpr uint32_t kAll = 0x1f;

StageCode stage(spv::ExecutionModel model, std::span<const uint32_t> words)
{
    return {model, "main", {words.begin(), words.end()}};
}

std::vector<StageCode> vertexAndFragment(std::span<const uint32_t> vertex, std::span<const uint32_t> fragment)
{
    return {stage(spv::ExecutionModel::Vertex, vertex), stage(spv::ExecutionModel::Fragment, fragment)};
}

Layout layoutOf(std::vector<PushRange> ranges)
{
    return {.action = Action::Draw,
            .stride = 32,
            .actionOffset = 16,
            .executionSet = {},
            .pushRanges = std::move(ranges),
            .stages = kAll};
}

const PushRange kToken{PushRange::Source::Stream, 0, 16, kAll, 0};

std::vector<StageCode> variantOf(std::vector<StageCode> stages, const Layout& layout, uint32_t locations = 16)
{
    auto variant = makeDrawVariant(std::move(stages), layout, {locations});
    EXPECT_TRUE(variant) << variant.error().text();
    return variant ? *variant : std::vector<StageCode>();
}

// A vertex shader without a body, with an output at location 0.
ShaderText vertexWithResult()
{
    ShaderText shader;
    shader.model = "Vertex";
    shader.modes = "";
    shader.interface = "%push %result";
    shader.annotations = "OpDecorate %result Location 0";
    shader.globals = R"(
        %out_uint = OpTypePointer Output %uint
        %result = OpVariable %out_uint Output)";
    return shader;
}

// The location of the variable with this name; none if there is none.
std::optional<uint32_t> locationOf(const StageCode& code, const std::string& name)
{
    const auto module = spirv::read(code.words);
    EXPECT_TRUE(module);
    for (const spirv::Instruction& i : module->section(spirv::Section::Globals))
        if (i.op == spv::Op::OpVariable && module->name(i.result) == name)
            return module->findDecoration(i.result, spv::Decoration::Location)->literal(2);
    return std::nullopt;
}

}  // namespace

TEST(DrawText, StagesThatNeedNothing_ComeBackAsTheyWere)
{
    // The vertex shader reads DrawIndex, which has to be 0.
    const auto stages = vertexAndFragment(shaders::vertex_plain, shaders::fragment_plain);
    const auto variant = variantOf(stages, layoutOf({kToken}));
    ASSERT_EQ(variant.size(), 2u);
    EXPECT_NE(variant[0].words, stages[0].words);
    EXPECT_EQ(variant[1].words, stages[1].words);
}

TEST(DrawText, PushConstantsWithoutToken_AreReadWithoutTheSequence)
{
    const auto variant = variantOf(vertexAndFragment(shaders::vertex_push, shaders::fragment_push), layoutOf({}));
    ASSERT_EQ(variant.size(), 2u);
    EXPECT_FALSE(locationOf(variant[0], "sent_sequence"));
    EXPECT_FALSE(locationOf(variant[1], "received_sequence"));
    const auto module = spirv::read(variant[1].words);
    ASSERT_TRUE(module);
    EXPECT_TRUE(module->hasCapability(spv::Capability::PhysicalStorageBufferAddresses));
}

TEST(DrawText, FragmentStageWithToken_GetsTheSequenceAtTheFirstFreeLocation)
{
    const auto variant =
        variantOf(vertexAndFragment(shaders::vertex_plain, shaders::fragment_push), layoutOf({kToken}));
    ASSERT_EQ(variant.size(), 2u);
    // 0 is taken by the hash, 2 and 3 by a matrix.
    EXPECT_EQ(locationOf(variant[0], "sent_sequence"), 1u);
    EXPECT_EQ(locationOf(variant[1], "received_sequence"), 1u);
    EXPECT_TRUE(hasLine(variant[1].words, "OpDecorate %received_sequence Flat"));
}

TEST(DrawText, OnlyTheVertexStageWithToken_SendsNothing)
{
    const auto stages = vertexAndFragment(shaders::vertex_push, shaders::fragment_plain);
    const auto variant = variantOf(stages, layoutOf({kToken}));
    ASSERT_EQ(variant.size(), 2u);
    EXPECT_FALSE(locationOf(variant[0], "sent_sequence"));
    EXPECT_EQ(variant[1].words, stages[1].words);
}

TEST(DrawText, AllStages_HandItOnOnceForEachVertexOrPatch)
{
    const auto variant = variantOf({stage(spv::ExecutionModel::Vertex, shaders::vertex_plain),
                                    stage(spv::ExecutionModel::TessellationControl, shaders::control_plain),
                                    stage(spv::ExecutionModel::TessellationEvaluation, shaders::evaluation_plain),
                                    stage(spv::ExecutionModel::Geometry, shaders::geometry_plain),
                                    stage(spv::ExecutionModel::Fragment, shaders::fragment_push)},
                                   layoutOf({kToken}));
    ASSERT_EQ(variant.size(), 5u);
    for (size_t s = 0; s < variant.size(); ++s) {
        EXPECT_EQ(locationOf(variant[s], "sent_sequence"), s < 4 ? std::optional(4u) : std::nullopt) << s;
        EXPECT_EQ(locationOf(variant[s], "received_sequence"), s > 0 ? std::optional(4u) : std::nullopt) << s;
    }
    EXPECT_TRUE(hasLine(variant[1].words, "OpDecorate %sent_sequence Patch"));
    EXPECT_TRUE(hasLine(variant[2].words, "OpDecorate %received_sequence Patch"));
    EXPECT_FALSE(hasLine(variant[2].words, "OpDecorate %sent_sequence Patch"));
    EXPECT_FALSE(hasLine(variant[3].words, "OpDecorate %received_sequence Patch"));
}

TEST(DrawText, NoFreeLocation_IsRefused)
{
    const auto variant =
        makeDrawVariant(vertexAndFragment(shaders::vertex_plain, shaders::fragment_push), layoutOf({kToken}), {1});
    ASSERT_FALSE(variant);
    EXPECT_NE(variant.error().text().find("no location below 1 is free"), std::string::npos);
}

TEST(DrawText, VertexStage_FindsItsSequenceFirst)
{
    ShaderText shader = vertexWithResult();
    shader.capabilities = "OpCapability DrawParameters";
    shader.interface += " %draw";
    shader.annotations += "\nOpDecorate %draw BuiltIn DrawIndex";
    shader.globals += "\n%draw = OpVariable %in_int Input";
    shader.body = R"(
        %d = OpLoad %int %draw
        %p = OpAccessChain %pc_uint %push %u0
        %v = OpLoad %uint %p
        %ud = OpBitcast %uint %d
        %sum = OpIAdd %uint %v %ud
        OpStore %result %sum)";
    const auto variant = variantOf({{spv::ExecutionModel::Vertex, "main", shader.words()}},
                                   layoutOf({{PushRange::Source::SequenceIndex, 0, 4, 1, 0}}));
    ASSERT_EQ(variant.size(), 1u);
    std::string code = functionText(variant[0].words, "main");
    EXPECT_TRUE(isSameCode(code, R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %firstp = OpAccessChain %_ptr_PushConstant_uint %sequence_arguments %uint_4
        %first = OpLoad %uint %firstp
        %own = OpLoad %uint %sequence_draw
        %s0 = OpIAdd %uint %first %own
        OpStore %sequence %s0
        %s = OpLoad %uint %sequence
        %d = OpLoad %int %draw
        %v = OpCopyObject %uint %s
        %ud = OpBitcast %uint %d
        %sum = OpIAdd %uint %v %ud
        OpStore %result %sum
        OpReturn
        OpFunctionEnd)"));
}

// Nothing asks the driver which draw it is.
TEST(DrawText, DriverWithoutNumbersOfDraws_WhatIsPushedIsTheSequence)
{
    ShaderText shader = vertexWithResult();
    shader.body = R"(
        %p = OpAccessChain %pc_uint %push %u0
        %v = OpLoad %uint %p
        OpStore %result %v)";
    Layout layout = layoutOf({{PushRange::Source::SequenceIndex, 0, 4, 1, 0}});
    layout.numbersDraws = false;
    const auto variant = variantOf({{spv::ExecutionModel::Vertex, "main", shader.words()}}, layout);
    ASSERT_EQ(variant.size(), 1u);
    EXPECT_FALSE(hasLine(variant[0].words, "OpCapability DrawParameters"));
    EXPECT_TRUE(isSameCode(functionText(variant[0].words, "main"), R"(
        %main = OpFunction %void None %func
        %entry = OpLabel
        %firstp = OpAccessChain %_ptr_PushConstant_uint %sequence_arguments %uint_4
        %first = OpLoad %uint %firstp
        OpStore %sequence %first
        %s = OpLoad %uint %sequence
        %v = OpCopyObject %uint %s
        OpStore %result %v
        OpReturn
        OpFunctionEnd)"));
}

namespace {

constexpr uint32_t kFloat2 = 103;  // VK_FORMAT_R32G32_SFLOAT

// A vertex shader that reads a matrix of two columns at locations 4 and 5.
ShaderText readingMatrix()
{
    ShaderText shader;
    shader.model = "Vertex";
    shader.modes = "";
    shader.interface = "%matrix %result";
    shader.annotations = "OpDecorate %matrix Location 4\nOpDecorate %result Location 0";
    shader.globals = R"(
        %v2float = OpTypeVector %float 2
        %mat2 = OpTypeMatrix %v2float 2
        %in_mat2 = OpTypePointer Input %mat2
        %matrix = OpVariable %in_mat2 Input
        %out_float = OpTypePointer Output %float
        %result = OpVariable %out_float Output)";
    shader.body = R"(
        %m = OpLoad %mat2 %matrix
        %f = OpCompositeExtract %float %m 1 0
        OpStore %result %f)";
    return shader;
}

Result<std::vector<StageCode>> pulled(const ShaderText& shader, const VertexInput& input)
{
    Layout layout = layoutOf({});
    layout.vertexBuffers = {{7, 16}};
    return makeDrawVariant({{spv::ExecutionModel::Vertex, "main", shader.words()}}, layout, {}, input);
}

std::string refusal(const ShaderText& shader, const VertexInput& input)
{
    const auto variant = pulled(shader, input);
    EXPECT_FALSE(variant);
    return variant ? std::string() : variant.error().text();
}

}  // namespace

TEST(VertexInput, FormatsThatAreNotMandatory_AreNotFound)
{
    EXPECT_FALSE(findVertexFormat(0));
    EXPECT_FALSE(findVertexFormat(23));   // VK_FORMAT_R8G8B8_UNORM
    EXPECT_FALSE(findVertexFormat(110));  // VK_FORMAT_R64_UINT
}

TEST(VertexInput, Matrix_IsPutTogetherFromItsColumns)
{
    const auto variant = pulled(readingMatrix(), {{{7, {}, false, 1}}, {{4, 7, kFloat2, 0}, {5, 7, kFloat2, 8}}});
    ASSERT_TRUE(variant) << variant.error().text();
    const std::string code = functionText((*variant)[0].words, "pull_vertices");
    EXPECT_NE(code.find("OpCompositeConstruct %mat2v2float"), std::string::npos) << code;
    EXPECT_NE(code.find("%gl_VertexIndex"), std::string::npos);
}

TEST(VertexInput, OtherBindings_AreLeftToTheDevice)
{
    const ShaderText shader = readingMatrix();
    const auto variant = pulled(shader, {{{3, {}, false, 1}}, {{4, 3, kFloat2, 0}, {5, 3, kFloat2, 8}}});
    ASSERT_TRUE(variant) << variant.error().text();
    EXPECT_EQ((*variant)[0].words, shader.words());
}

TEST(VertexInput, WhatCannotBePulled_IsSaid)
{
    const ShaderText shader = readingMatrix();
    EXPECT_NE(refusal(shader, {{{7, {}, false, 1}, {3, {}, false, 1}}, {{4, 7, kFloat2, 0}, {5, 3, kFloat2, 8}}})
                  .find("has attributes of buffers of the sequence and of others"),
              std::string::npos);
    EXPECT_NE(refusal(shader, {{{7, {}, false, 1}}, {{4, 7, 23, 0}, {5, 7, 23, 8}}}).find("has the format 23"),
              std::string::npos);
    EXPECT_NE(refusal(shader, {{}, {{4, 7, kFloat2, 0}, {5, 7, kFloat2, 8}}})
                  .find("has an attribute of a binding that is not described"),
              std::string::npos);
}

TEST(IndexBuffer, ShaderWithoutIndexAndAttributes_StaysAsItIs)
{
    ShaderText shader = vertexWithResult();
    shader.interface = "%result";
    shader.body = "OpStore %result %u1";
    Layout layout = layoutOf({});
    layout.action = Action::DrawIndexed;
    layout.indexBuffer = IndexBuffer{};
    const auto variant = variantOf({{spv::ExecutionModel::Vertex, "main", shader.words()}}, layout);
    ASSERT_EQ(variant.size(), 1u);
    EXPECT_EQ(variant[0].words, shader.words());
}

}  // namespace millrace::commands
