// SPDX-License-Identifier: Apache-2.0
// Shaders of several compilers become valid modules, without a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "mesh/compile_text.h"
#include "mesh/count_work.h"
#include "mesh/lower_pipeline.h"
#include "mesh/random_shader.h"
#include "spirv/module.h"

namespace millrace::mesh {

namespace {

using meshtest::compileText;

constexpr Target kAll{.interfaceLocations = 32, .layers = true, .viewports = true, .shadingRates = true};

void expectValid(const std::optional<Stage>& stage, const char* what, const std::string& name)
{
    if (!stage)
        return;
    const Status valid = spirv::validate(stage->words);
    EXPECT_TRUE(valid) << name << ", " << what << ": " << valid.error().text();
    const auto module = spirv::read(stage->words);
    ASSERT_TRUE(module) << name << ", " << what;
    EXPECT_FALSE(module->hasCapability(spv::Capability::MeshShadingEXT)) << name << ", " << what;
}

void expectLowered(const Target& target, const std::optional<Stage>& task, const Stage& mesh,
                   const std::optional<Stage>& fragment, const std::string& name, const Views& views,
                   LoweredPipeline& out)
{
    Result<LoweredPipeline> lowered = lowerPipeline(task, mesh, fragment, target, views);
    ASSERT_TRUE(lowered) << name << ": " << lowered.error().text();
    EXPECT_EQ(lowered->task.has_value(), task.has_value());
    EXPECT_EQ(lowered->fragment.has_value(), fragment.has_value());
    EXPECT_GT(lowered->layout.mostUnits, 0u) << name;
    expectValid(lowered->task, "task", name);
    expectValid(lowered->mesh, "mesh", name);
    expectValid(lowered->vertex, "vertex", name);
    expectValid(lowered->fragment, "fragment", name);
    out = std::move(*lowered);
}

// As it is for a device that can do all, and with all vertices in memory.
LoweredPipeline expectLowered(const std::optional<Stage>& task, const Stage& mesh, const std::optional<Stage>& fragment,
                              const std::string& name, const Views& views = {})
{
    LoweredPipeline lowered;
    expectLowered(kAll, task, mesh, fragment, name, views, lowered);
    if (lowered.layout.computesVertices) {
        Target stored = kAll;
        stored.computedVertices = false;
        LoweredPipeline other;
        expectLowered(stored, task, mesh, fragment, name + ", stored", views, other);
        EXPECT_FALSE(other.layout.computesVertices) << name;
    }
    return lowered;
}

// Shaders that count what they do, as drivers with mesh shaders get them, and lowered.
void expectCounted(std::optional<Stage> task, Stage mesh, const std::optional<Stage>& fragment, const std::string& name)
{
    constexpr uint64_t kAddress = 0x123456789a0;
    if (task) {
        const Status counted = countTasks(*task, kAddress);
        ASSERT_TRUE(counted) << name << ": " << counted.error().text();
        const Status valid = spirv::validate(task->words);
        EXPECT_TRUE(valid) << name << ", counted task: " << valid.error().text();
    }
    const Result<MeshShape> shape = countMeshes(mesh, kAddress);
    ASSERT_TRUE(shape) << name << ": " << shape.error().text();
    EXPECT_GT(shape->maxVertices, 0u) << name;
    const Status valid = spirv::validate(mesh.words);
    EXPECT_TRUE(valid) << name << ", counted mesh: " << valid.error().text();
    expectLowered(task, mesh, fragment, name + ", counted");
}

struct File {
    std::string name;
    spirv::Words words;
    spv::ExecutionModel model;
    std::string entryPoint;
};

// SPIR-V of HLSL by way of DXIL, which tests/dxil compares with this text.
std::vector<File> dxilShaders()
{
    std::vector<File> files;
    for (const auto& entry : std::filesystem::directory_iterator(MILLRACE_DXIL_MESH_CORPUS)) {
        if (entry.path().extension() != ".spvasm")
            continue;
        std::ifstream in(entry.path());
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        const auto words = spirv::assemble(text);
        EXPECT_TRUE(words) << entry.path();
        const auto module = spirv::read(*words);
        EXPECT_TRUE(module) << entry.path();
        const spirv::Instruction& point = module->section(spirv::Section::EntryPoints).front();
        files.push_back({entry.path().filename().string(), *words, static_cast<spv::ExecutionModel>(point.literal(0)),
                         point.string(2)});
    }
    std::ranges::sort(files, {}, &File::name);
    return files;
}

Stage stageOf(const File& file)
{
    return {file.entryPoint, file.words, {}};
}

}  // namespace

TEST(MeshLowering, ShadersOfHlsl_BecomeValidModules)
{
    const std::vector<File> files = dxilShaders();
    const auto byName = [&](const std::string& name) { return *std::ranges::find(files, name, &File::name); };
    uint32_t meshes = 0, tasks = 0;
    for (const File& file : files) {
        if (file.model == spv::ExecutionModel::MeshEXT) {
            expectLowered({}, stageOf(file), {}, file.name);
            expectCounted({}, stageOf(file), {}, file.name);
            ++meshes;
        } else if (file.model == spv::ExecutionModel::TaskEXT) {
            expectLowered(stageOf(file), stageOf(byName("payload.spvasm")), {}, file.name);
            expectCounted(stageOf(file), stageOf(byName("payload.spvasm")), {}, file.name);
            ++tasks;
        }
    }
    EXPECT_GT(meshes, 5u);
    EXPECT_GT(tasks, 1u);
}

// As those that are in libraries of pipelines without mesh shaders.
TEST(MeshLowering, FragmentShaderWithoutMeshShader_BecomesAPlainOne)
{
    const spirv::Words words = compileText(R"(#version 460
#extension GL_EXT_mesh_shader : require
layout(location = 1) perprimitiveEXT in vec4 color;
layout(location = 0) out vec4 result;
void main() { result = color * gl_PrimitiveID; }
)",
                                           VK_SHADER_STAGE_FRAGMENT_BIT);
    for (const PrimitiveIdInput input : {PrimitiveIdInput::Drivers, PrimitiveIdInput::Zero}) {
        const auto plain = withoutMeshShading(words, "main", input);
        ASSERT_TRUE(plain) << plain.error().text();
        expectValid(Stage{"main", *plain, {}}, "fragment", "plain");
        EXPECT_EQ(spirv::read(*plain)->hasCapability(spv::Capability::Geometry), input == PrimitiveIdInput::Drivers);
    }
    EXPECT_FALSE(withoutMeshShading(words, "main", PrimitiveIdInput::Refused));
}

// More than a device draws: with all that some device has, and constants that have their values.
TEST(MeshLowering, RandomShaders_BecomeValidModules)
{
    const meshtest::Abilities abilities{.float64 = true,
                                        .int64 = true,
                                        .small = true,
                                        .clipDistance = true,
                                        .cullDistance = true,
                                        .largePoints = true,
                                        .fragmentBuiltIns = true,
                                        .viewports = true,
                                        .tasks = true,
                                        .drawIndex = true,
                                        .multiview = true,
                                        .subgroupSize = 32};
    uint32_t computed = 0;
    for (uint32_t seed = 1000; seed < 1060; ++seed) {
        const meshtest::RandomShader shader = meshtest::makeRandomShader(seed, abilities);
        std::optional<Stage> task;
        if (!shader.task.empty())
            task = Stage{"main", compileText(shader.task, VK_SHADER_STAGE_TASK_BIT_EXT), {{0, {3, 0, 0, 0}}}};
        const Stage mesh{"main", compileText(shader.mesh, VK_SHADER_STAGE_MESH_BIT_EXT), {{0, {7, 0, 0, 0}}}};
        const Stage fragment{"main", compileText(shader.fragment, VK_SHADER_STAGE_FRAGMENT_BIT), {}};
        const LoweredPipeline lowered =
            expectLowered(task, mesh, fragment, "seed " + std::to_string(seed), {.mask = shader.viewMask});
        computed += lowered.layout.computesVertices;
        expectCounted(task, mesh, fragment, "seed " + std::to_string(seed));
    }
    EXPECT_GT(computed, 10u);
}

namespace {

std::string textOf(const std::string& declarations, const std::string& body)
{
    return "#version 460\n#extension GL_EXT_mesh_shader : require\n#extension GL_EXT_fragment_shading_rate : enable\n"
           "layout(local_size_x = 1) in;\nlayout(triangles, max_vertices = 3, max_primitives = 1) out;\n" +
           declarations + "void main()\n{\nSetMeshOutputsEXT(3u, 1u);\n" + body + "}\n";
}

std::string errorOf(const std::string& body, const Target& target)
{
    const std::string text = textOf("", body);
    const auto lowered = lowerPipeline({}, {"main", compileText(text, VK_SHADER_STAGE_MESH_BIT_EXT), {}}, {}, target);
    EXPECT_FALSE(lowered);
    return lowered ? std::string() : lowered.error().text();
}

}  // namespace

TEST(MeshLowering, WhatTheDeviceLacks_IsSaid)
{
    EXPECT_NE(errorOf("gl_MeshPrimitivesEXT[0].gl_Layer = 1;\n", {}).find("shaderOutputLayer"), std::string::npos);
    EXPECT_NE(errorOf("gl_MeshPrimitivesEXT[0].gl_ViewportIndex = 1;\n", {}).find("shaderOutputViewportIndex"),
              std::string::npos);
    EXPECT_NE(
        errorOf("gl_MeshPrimitivesEXT[0].gl_PrimitiveShadingRateEXT = 1;\n", {}).find("primitiveFragmentShadingRate"),
        std::string::npos);
}

namespace {

// The only execution mode LocalSize of a compute shader; zeros if it has another.
GroupSize localSizeOf(const spirv::Module& module)
{
    for (const spirv::Instruction& mode : module.section(spirv::Section::ExecutionModes))
        if (mode.literal(1) == static_cast<uint32_t>(spv::ExecutionMode::LocalSize))
            return {mode.literal(2), mode.literal(3), mode.literal(4)};
    return {};
}

bool hasDecoration(const spirv::Module& module, spv::BuiltIn builtIn)
{
    return std::ranges::any_of(module.section(spirv::Section::Annotations), [&](const spirv::Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
               i.literal(2) == static_cast<uint32_t>(builtIn);
    });
}

}  // namespace

// VK_EXT_mesh_shader promises 128 invocations in each dimension, compute shaders 64 in the third.
TEST(MeshLowering, WorkgroupsOfASizeThatTheDeviceLacks_LieInARow)
{
    const std::string head =
        "#version 460\n#extension GL_EXT_mesh_shader : require\n"
        "layout(local_size_x = 2, local_size_z_id = 3) in;\n";
    const std::string position = "uvec4(gl_LocalInvocationID, gl_GlobalInvocationID.z + gl_WorkGroupSize.z)";
    const Stage task{"main",
                     compileText(head + "taskPayloadSharedEXT uvec4 at;\nvoid main()\n{\nat = " + position +
                                     ";\nEmitMeshTasksEXT(1, 1, 1);\n}\n",
                                 VK_SHADER_STAGE_TASK_BIT_EXT),
                     {{3, {65, 0, 0, 0}}}};
    const Stage mesh{"main",
                     compileText(head +
                                     "layout(points, max_vertices = 1, max_primitives = 1) out;\nvoid main()\n{\n"
                                     "SetMeshOutputsEXT(1, 1);\ngl_MeshVerticesEXT[0].gl_Position = vec4(" +
                                     position + ");\ngl_PrimitivePointIndicesEXT[0] = 0;\n}\n",
                                 VK_SHADER_STAGE_MESH_BIT_EXT),
                     {{3, {128, 0, 0, 0}}}};
    for (const bool isFlat : {false, true}) {
        Target target = kAll;
        target.groupSize = {1024, 1024, isFlat ? 64u : 128u};
        const Result<LoweredPipeline> lowered = lowerPipeline(task, mesh, {}, target);
        ASSERT_TRUE(lowered) << lowered.error().text();
        expectValid(lowered->task, "task", "rows");
        expectValid(lowered->mesh, "mesh", "rows");
        const auto tasks = spirv::read(lowered->task->words), meshes = spirv::read(lowered->mesh.words);
        ASSERT_TRUE(tasks && meshes);
        EXPECT_EQ(localSizeOf(*tasks), (isFlat ? GroupSize{130, 1, 1} : GroupSize{2, 1, 65}));
        EXPECT_EQ(localSizeOf(*meshes), (isFlat ? GroupSize{256, 1, 1} : GroupSize{2, 1, 128}));
        for (const spirv::Module* module : {&*tasks, &*meshes}) {
            EXPECT_NE(hasDecoration(*module, spv::BuiltIn::LocalInvocationId), isFlat);
            EXPECT_TRUE(!isFlat || !hasDecoration(*module, spv::BuiltIn::WorkgroupSize));
        }
    }
}

namespace {

size_t countOf(const spirv::Module& module, spv::Op op)
{
    size_t count = 0;
    for (const spirv::Function& function : module.functions)
        for (const spirv::Block& block : function.blocks)
            count += static_cast<size_t>(std::ranges::count(block.body, op, &spirv::Instruction::op));
    return count;
}

}  // namespace

// Whoever must not run in vain gives back what it reserved.
TEST(MeshLowering, MemoryIsReserved_BySuchAsWriteToOtherMemory)
{
    struct Case {
        const char* body;
        bool reserves;
    };
    const char* const declarations =
        "struct Item { vec4 place; uint number; };\nshared Item items[4];\nshared uint count;\n"
        "layout(std430, set = 0, binding = 0) buffer Items { Item v[]; } all;\n"
        "layout(set = 0, binding = 1) uniform sampler2D heights;\n"
        "layout(set = 0, binding = 2, rgba8) uniform image2D picture;\n";
    const Case cases[] = {
        {"items[0] = all.v[1]; atomicAdd(count, items[0].number); barrier();\n"
         "gl_MeshVerticesEXT[count].gl_Position = items[2].place + textureLod(heights, vec2(0.5), 0.0);",
         false},
        {"Item own[2]; own[count] = all.v[count]; float whole; float part = modf(own[1].place.x, whole);\n"
         "gl_MeshVerticesEXT[0].gl_Position = imageLoad(picture, ivec2(textureSize(heights, 0))) + part;",
         false},
        {"gl_MeshVerticesEXT[1].gl_Position = gl_MeshVerticesEXT[0].gl_Position;", true},  // which may have no place
        {"all.v[2].number = 3u;", true},
        {"atomicAdd(all.v[2].number, 1u);", true},
        {"imageStore(picture, ivec2(0), vec4(1));", true},
    };
    for (const Case& one : cases) {
        const Stage mesh{"main", compileText(textOf(declarations, one.body), VK_SHADER_STAGE_MESH_BIT_EXT), {}};
        const auto lowered = lowerPipeline({}, mesh, {}, kAll);
        ASSERT_TRUE(lowered) << lowered.error().text();
        expectValid(lowered->mesh, "mesh", one.body);
        const auto module = spirv::read(lowered->mesh.words);
        ASSERT_TRUE(module);
        EXPECT_EQ(countOf(*module, spv::Op::OpAtomicISub) > 0, one.reserves) << one.body;
    }
}

// The vertex shader gets the rate from memory. The fragment shader may ask for it.
TEST(MeshLowering, ShadingRates_AreChosenByTheVertexShader)
{
    const std::string text = textOf("",
                                    "gl_MeshPrimitivesEXT[0].gl_PrimitiveShadingRateEXT = "
                                    "gl_ShadingRateFlag2VerticalPixelsEXT;\n");
    const Stage mesh{"main", compileText(text, VK_SHADER_STAGE_MESH_BIT_EXT), {}};
    const Stage fragment{"main",
                         compileText("#version 460\n#extension GL_EXT_fragment_shading_rate : require\n"
                                     "layout(location = 0) out int rate;\nvoid main() { rate = gl_ShadingRateEXT; }\n",
                                     VK_SHADER_STAGE_FRAGMENT_BIT),
                         {}};
    expectLowered({}, mesh, fragment, "rates");
    const auto lowered = lowerPipeline({}, mesh, fragment, kAll);
    ASSERT_TRUE(lowered);
    const auto declares = [](const Stage& stage) {
        return spirv::read(stage.words)->hasCapability(spv::Capability::FragmentShadingRateKHR);
    };
    EXPECT_FALSE(declares(lowered->mesh));
    EXPECT_TRUE(declares(lowered->vertex));
    EXPECT_TRUE(declares(*lowered->fragment));
}

namespace {

std::optional<MeshIndices> indicesOf(const std::string& declarations, const std::string& statements,
                                     const std::string& inputs, const std::string& read, const Views& views = {})
{
    const std::string indices = "gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);\n";
    const Stage mesh{"main", compileText(textOf(declarations, indices + statements), VK_SHADER_STAGE_MESH_BIT_EXT), {}};
    const Stage fragment{
        "main",
        compileText("#version 460\n#extension GL_EXT_mesh_shader : require\n" + inputs +
                        "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(" + read + "); }\n",
                    VK_SHADER_STAGE_FRAGMENT_BIT),
        {}};
    expectLowered({}, mesh, fragment, declarations + statements, views);
    const auto lowered = lowerPipeline({}, mesh, fragment, kAll, views);
    EXPECT_TRUE(lowered);
    return lowered ? lowered->layout.indices : std::nullopt;
}

}  // namespace

// Primitives share vertices unless somebody reads what is theirs.
TEST(MeshLowering, IndexBuffers_WhereNothingPerPrimitiveIsRead)
{
    const std::string color = "layout(location = 3) out vec4 color[];\n";
    const std::string own = "layout(location = 2) perprimitiveEXT out vec4 own[];\n";
    EXPECT_TRUE(indicesOf(color, "color[0] = vec4(1);\n", "layout(location = 3) in vec4 color3;\n", "color3"));
    EXPECT_TRUE(indicesOf("", "gl_MeshPrimitivesEXT[0].gl_CullPrimitiveEXT = true;\n", "", "1"));
    EXPECT_TRUE(indicesOf("", "gl_MeshPrimitivesEXT[0].gl_PrimitiveID = 3;\n", "", "1"));
    EXPECT_TRUE(indicesOf(own, "own[0] = vec4(1);\n", "", "1"));
    EXPECT_FALSE(indicesOf(own, "own[0] = vec4(1);\n", "layout(location = 2) perprimitiveEXT in vec4 own;\n", "own"));
    EXPECT_FALSE(indicesOf("", "gl_MeshPrimitivesEXT[0].gl_PrimitiveID = 3;\n", "", "gl_PrimitiveID"));
    EXPECT_FALSE(indicesOf("", "gl_MeshPrimitivesEXT[0].gl_Layer = 1;\n", "", "1"));
    EXPECT_FALSE(indicesOf("", "gl_MeshPrimitivesEXT[0].gl_ViewportIndex = 1;\n", "", "1"));
    const std::string view = "#extension GL_EXT_multiview : require\nlayout(location = 3) out int view[];\n";
    EXPECT_FALSE(indicesOf(view, "view[0] = gl_ViewIndex;\n", "", "1", {.mask = 3}));
    EXPECT_TRUE(indicesOf(view, "view[0] = gl_ViewIndex;\n", "", "1"));
}

namespace {

// A mesh shader that gives ViewIndex out, or has it and does not read it.
Stage viewStage(bool reads)
{
    const std::string text = textOf("#extension GL_EXT_multiview : require\nlayout(location = 0) out int view[];\n",
                                    reads ? "view[0] = gl_ViewIndex;\n" : "view[0] = 3;\n");
    return {"main", compileText(text, VK_SHADER_STAGE_MESH_BIT_EXT), {}};
}

bool readsBuiltIn(const Stage& stage, spv::BuiltIn builtIn)
{
    const auto module = spirv::read(stage.words);
    EXPECT_TRUE(module);
    return module && hasDecoration(*module, builtIn);
}

LoweredPipeline lowerViews(bool reads, const Views& views)
{
    expectLowered({}, viewStage(reads), {}, "ViewIndex", views);
    auto lowered = lowerPipeline({}, viewStage(reads), {}, kAll, views);
    EXPECT_TRUE(lowered);
    EXPECT_FALSE(readsBuiltIn(lowered->mesh, spv::BuiltIn::ViewIndex));  // which compute shaders cannot have
    return std::move(*lowered);
}

}  // namespace

TEST(MeshLowering, ViewIndexOfSeveralViews_ShaderRunsForEachAndAVertexFindsItsOwn)
{
    for (const uint32_t mask : {0b11u, 0b100101u, ~0u}) {
        const LoweredPipeline lowered = lowerViews(true, {.mask = mask});
        EXPECT_EQ(lowered.layout.viewMask, mask);
        EXPECT_EQ(lowered.layout.runs(), mask == 3 ? 2u : mask == ~0u ? 32u : 3u);
        EXPECT_TRUE(readsBuiltIn(lowered.vertex, spv::BuiltIn::ViewIndex));
    }
}

// Where there are no several views it is 0, and where there is one it is that.
// docs/gpu.md: what the first view clips away would be missing in others.
TEST(MeshLowering, ClipDistancesOfSeveralViews_PrimitivesOutsideOfOneAreDrawnFarAway)
{
    const auto comparisons = [](const std::string& distance, uint32_t mask) {
        const std::string text = textOf(
            "#extension GL_EXT_multiview : require\nlayout(location = 0) out int view[];\n"
            "out gl_MeshPerVertexEXT { vec4 gl_Position; float gl_ClipDistance[2]; } gl_MeshVerticesEXT[];\n",
            distance + "view[0] = gl_ViewIndex;\n");
        const Stage mesh{"main", compileText(text, VK_SHADER_STAGE_MESH_BIT_EXT), {}};
        const LoweredPipeline lowered = expectLowered({}, mesh, {}, "clip distances", {.mask = mask});
        const auto vertex = spirv::read(lowered.vertex.words);
        EXPECT_TRUE(vertex);
        return vertex ? countOf(*vertex, spv::Op::OpFOrdLessThan) : 0;
    };
    const std::string distances = "gl_MeshVerticesEXT[0].gl_ClipDistance[1] = 1.0;\n";
    EXPECT_EQ(comparisons(distances, 3), 2u * 3u);
    EXPECT_EQ(comparisons(distances, 2), 0u);
    EXPECT_EQ(comparisons("gl_MeshVerticesEXT[0].gl_Position = vec4(1);\n", 3), 0u);
}

namespace {

// A mesh shader of points whose positions are each view's own, or which has no views.
Stage pointStage(bool hasViews, bool hasSizes, const std::string& size = "2.0")
{
    return {"main",
            compileText("#version 460\n#extension GL_EXT_mesh_shader : require\n"
                        "#extension GL_EXT_multiview : require\n"
                        "layout(local_size_x = 1) in;\nlayout(points, max_vertices = 1, max_primitives = 1) out;\n"
                        "void main()\n{\nSetMeshOutputsEXT(1u, 1u);\ngl_PrimitivePointIndicesEXT[0] = 0u;\n"
                        "gl_MeshVerticesEXT[0].gl_Position = vec4(" +
                            std::string(hasViews ? "gl_ViewIndex" : "0") + ");\n" +
                            (hasSizes ? "gl_MeshVerticesEXT[0].gl_PointSize = " + size + ";\n" : "") + "}\n",
                        VK_SHADER_STAGE_MESH_BIT_EXT),
            {}};
}

// Whether the vertex shader writes PointSize; what is wrong, if there is none.
Result<bool> writesSize(const Stage& mesh, uint32_t mask, bool areWrittenWell, bool isOneUnwritten)
{
    Target target = kAll;
    target.viewPointSizes = areWrittenWell;
    target.unwrittenPointSizes = isOneUnwritten;
    const auto lowered = lowerPipeline({}, mesh, {}, target, {.mask = mask});
    if (!lowered)
        return lowered.error();
    expectValid(lowered->vertex, "vertex", "points");
    return readsBuiltIn(lowered->vertex, spv::BuiltIn::PointSize);
}

}  // namespace

// docs/gpu.md: one driver's compiler ends the process.
TEST(MeshLowering, PointSizesOfSeveralViews_AreOnlyWrittenWhereThatCompiles)
{
    for (const bool isOneUnwritten : {false, true}) {
        for (const uint32_t mask : {0u, 2u, 3u}) {
            EXPECT_TRUE(*writesSize(pointStage(true, false), mask, true, isOneUnwritten));
            EXPECT_TRUE(*writesSize(pointStage(true, true), mask, true, isOneUnwritten));
            EXPECT_TRUE(*writesSize(pointStage(false, true), mask, false, isOneUnwritten));
            if (mask != 3)
                EXPECT_TRUE(*writesSize(pointStage(true, true), mask, false, isOneUnwritten));
        }
        const auto sized = writesSize(pointStage(true, true), 3, false, isOneUnwritten);
        ASSERT_FALSE(sized);
        EXPECT_NE(sized.error().text().find("PointSize"), std::string::npos) << sized.error().text();
    }
    EXPECT_FALSE(*writesSize(pointStage(true, false), 3, false, true));
    EXPECT_FALSE(*writesSize(pointStage(true, true, "1.0"), 3, false, true)) << "what it is anyway";
    EXPECT_TRUE(*writesSize(pointStage(true, true, "1.0"), 3, true, true));
    EXPECT_FALSE(writesSize(pointStage(true, true, "1.0"), 3, false, false));
    EXPECT_FALSE(writesSize(pointStage(true, true, "gl_MeshVerticesEXT[0].gl_Position.x"), 3, false, true));
    const auto old = writesSize(pointStage(true, false), 3, false, false);
    ASSERT_FALSE(old);
    EXPECT_NE(old.error().text().find("maintenance5"), std::string::npos) << old.error().text();
}

TEST(MeshLowering, ViewIndexThatIsKnownOrNotRead_ShaderRunsOnce)
{
    for (const bool reads : {false, true}) {
        for (const uint32_t mask : {0u, 4u, 3u}) {
            if (reads && mask == 3)
                continue;
            const LoweredPipeline lowered = lowerViews(reads, {.mask = mask});
            EXPECT_EQ(lowered.layout.viewMask, 0u);
            EXPECT_EQ(lowered.layout.runs(), 1u);
            EXPECT_FALSE(readsBuiltIn(lowered.vertex, spv::BuiltIn::ViewIndex));
        }
    }
}

// VK_PIPELINE_CREATE_VIEW_INDEX_FROM_DEVICE_INDEX_BIT.
TEST(MeshLowering, ViewIndexThatIsDeviceIndex_IsReadAsThat)
{
    for (const uint32_t mask : {0u, 3u}) {
        const LoweredPipeline lowered = lowerViews(true, {mask, true});
        EXPECT_EQ(lowered.layout.runs(), 1u);
        EXPECT_TRUE(readsBuiltIn(lowered.mesh, spv::BuiltIn::DeviceIndex));
    }
}

// A driver copies a value number by number, with code for each.
TEST(MeshLowering, LongPayload_IsNotCopiedAsOneValue)
{
    const std::string task = R"(#version 460
#extension GL_EXT_mesh_shader : require
layout(local_size_x = 1) in;
struct Part { float a; uint numbers[1000]; };
struct Payload { Part parts[2]; bool flags[1000]; };
taskPayloadSharedEXT Payload payload;
void main()
{
    payload.parts[1].numbers[3] = 1;
    EmitMeshTasksEXT(1, 1, 1);
}
)";
    const Result<LoweredPipeline> lowered =
        lowerPipeline(Stage{"main", compileText(task, VK_SHADER_STAGE_TASK_BIT_EXT), {}},
                      {"main", compileText(textOf("", ""), VK_SHADER_STAGE_MESH_BIT_EXT), {}}, {}, kAll);
    ASSERT_TRUE(lowered) << lowered.error().text();
    expectValid(lowered->task, "task", "long payload");
    const auto module = spirv::read(lowered->task->words);
    ASSERT_TRUE(module);
    uint32_t stores = 0;
    for (const spirv::Function& function : module->functions)
        for (const spirv::Block& block : function.blocks)
            for (const spirv::Instruction& i : block.body) {
                stores += i.op == spv::Op::OpStore ? 1 : 0;
                if (i.op != spv::Op::OpLoad)
                    continue;
                const spv::Op type = module->findDefinition(i.type)->op;
                EXPECT_TRUE(type != spv::Op::OpTypeStruct && type != spv::Op::OpTypeArray);
            }
    EXPECT_LT(stores, 100u);
}

// As dxc and Slang write them: each built-in is an array of its own.
TEST(MeshLowering, BuiltInsInArraysOfTheirOwn_BecomeValidModules)
{
    const auto words = spirv::assemble(R"(
        OpCapability MeshShadingEXT
        OpCapability ClipDistance
        OpExtension "SPV_EXT_mesh_shader"
        OpMemoryModel Logical GLSL450
        OpEntryPoint MeshEXT %main "main" %position %clip %indices %cull %id %color %lane
        OpExecutionMode %main LocalSize 3 1 1
        OpExecutionMode %main OutputTrianglesEXT
        OpExecutionMode %main OutputVertices 3
        OpExecutionMode %main OutputPrimitivesEXT 1
        OpDecorate %position BuiltIn Position
        OpDecorate %clip BuiltIn ClipDistance
        OpDecorate %indices BuiltIn PrimitiveTriangleIndicesEXT
        OpDecorate %cull BuiltIn CullPrimitiveEXT
        OpDecorate %cull PerPrimitiveEXT
        OpDecorate %id BuiltIn PrimitiveId
        OpDecorate %id PerPrimitiveEXT
        OpDecorate %color Location 0
        OpDecorate %lane BuiltIn LocalInvocationIndex
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %bool = OpTypeBool
        %false = OpConstantFalse %bool
        %uint = OpTypeInt 32 0
        %float = OpTypeFloat 32
        %v4 = OpTypeVector %float 4
        %u3 = OpTypeVector %uint 3
        %c0 = OpConstant %uint 0
        %c1 = OpConstant %uint 1
        %c2 = OpConstant %uint 2
        %c3 = OpConstant %uint 3
        %half = OpConstant %float 0.5
        %all = OpConstantComposite %v4 %half %half %half %half
        %corners = OpConstantComposite %u3 %c0 %c1 %c2
        %a_v4 = OpTypeArray %v4 %c3
        %a_distances = OpTypeArray %float %c2
        %a_clip = OpTypeArray %a_distances %c3
        %a_indices = OpTypeArray %u3 %c1
        %a_cull = OpTypeArray %bool %c1
        %a_id = OpTypeArray %uint %c1
        %p_a_v4 = OpTypePointer Output %a_v4
        %p_a_clip = OpTypePointer Output %a_clip
        %p_a_indices = OpTypePointer Output %a_indices
        %p_a_cull = OpTypePointer Output %a_cull
        %p_a_id = OpTypePointer Output %a_id
        %p_v4 = OpTypePointer Output %v4
        %p_float = OpTypePointer Output %float
        %p_u3 = OpTypePointer Output %u3
        %p_bool = OpTypePointer Output %bool
        %p_uint = OpTypePointer Output %uint
        %p_in = OpTypePointer Input %uint
        %position = OpVariable %p_a_v4 Output
        %clip = OpVariable %p_a_clip Output
        %indices = OpVariable %p_a_indices Output
        %cull = OpVariable %p_a_cull Output
        %id = OpVariable %p_a_id Output
        %color = OpVariable %p_a_v4 Output
        %lane = OpVariable %p_in Input
        %main = OpFunction %void None %function
        %entry = OpLabel
        OpSetMeshOutputsEXT %c3 %c1
        %at = OpLoad %uint %lane
        %to_position = OpAccessChain %p_v4 %position %at
        OpStore %to_position %all
        %to_clip = OpAccessChain %p_float %clip %at %c1
        OpStore %to_clip %half
        %to_color = OpAccessChain %p_v4 %color %at
        OpStore %to_color %all
        %to_indices = OpAccessChain %p_u3 %indices %c0
        OpStore %to_indices %corners
        %to_cull = OpAccessChain %p_bool %cull %c0
        OpStore %to_cull %false
        %to_id = OpAccessChain %p_uint %id %c0
        OpStore %to_id %at
        OpReturn
        OpFunctionEnd)");
    ASSERT_TRUE(words) << words.error().text();
    // Some versions of spirv-val want CullPrimitiveEXT in a block, so this one is not validated as it is.
    const Stage fragment{"main",
                         compileText("#version 460\nlayout(location = 0) in vec4 color;\nlayout(location = 0) out vec4 "
                                     "result;\nvoid main() { result = color * float(gl_PrimitiveID); }\n",
                                     VK_SHADER_STAGE_FRAGMENT_BIT),
                         {}};
    expectLowered({}, {"main", *words, {}}, fragment, "arrays");
}

}  // namespace millrace::mesh
