// SPDX-License-Identifier: Apache-2.0
// Of which mesh shaders the vertex shader computes the vertices again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "mesh/compile_text.h"
#include "mesh/lower_pipeline.h"
#include "spirv/module.h"

namespace millrace::mesh {

namespace {

using meshtest::compileText;

constexpr uint32_t kInvocations = 32;

// `body`: statements between the counts and the primitives. `lane` is the number of the invocation.
std::string textOf(const std::string& body, uint32_t vertices)
{
    return "#version 460\n#extension GL_EXT_mesh_shader : require\n"
           "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
           "layout(local_size_x = 32) in;\nlayout(triangles, max_vertices = " +
           std::to_string(vertices) + R"(, max_primitives = 30) out;
layout(location = 0) out vec4 color[];
struct Payload { uint seed; vec4 colors[8]; };
taskPayloadSharedEXT Payload payload;
layout(push_constant) uniform Push { vec4 pushed; };
layout(std430, set = 0, binding = 0) readonly buffer Points { vec4 points[]; };
layout(std430, set = 0, binding = 1) buffer Written { uint written[]; };
layout(set = 0, binding = 2) uniform sampler2D heights;
shared uint kept[32];
shared uint total;
#define lane gl_LocalInvocationIndex
vec4 at(uint i) { return points[i + gl_WorkGroupID.x * 32u] + pushed; }
void main()
{
    const uint count = min(payload.seed, 30u);
    SetMeshOutputsEXT(count, count);
)" + body + R"(
    for (uint p = lane; p < count; p += 32u)
        gl_PrimitiveTriangleIndicesEXT[p] = uvec3(0u, p, 1u);
}
)";
}

LoweredPipeline lower(const std::string& body, uint32_t vertices = 30, const Target& target = {})
{
    const Stage mesh{"main", compileText(textOf(body, vertices), VK_SHADER_STAGE_MESH_BIT_EXT), {}};
    const Stage task{"main",
                     compileText("#version 460\n#extension GL_EXT_mesh_shader : require\n"
                                 "struct Payload { uint seed; vec4 colors[8]; };\n"
                                 "taskPayloadSharedEXT Payload payload;\n"
                                 "void main()\n{\npayload.seed = 3u;\nEmitMeshTasksEXT(1, 1, 1);\n}\n",
                                 VK_SHADER_STAGE_TASK_BIT_EXT),
                     {}};
    auto lowered = lowerPipeline(task, mesh, {}, target);
    EXPECT_TRUE(lowered) << lowered.error().text();
    if (!lowered)
        return {};
    for (const Stage* stage : {&lowered->mesh, &lowered->vertex}) {
        const Status valid = spirv::validate(stage->words);
        EXPECT_TRUE(valid) << body << ": " << valid.error().text();
    }
    return std::move(*lowered);
}

bool isComputed(const std::string& body, uint32_t vertices = 30)
{
    return lower(body, vertices).layout.computesVertices;
}

bool hasVariable(const Stage& stage, spv::StorageClass storage)
{
    const auto module = spirv::read(stage.words);
    EXPECT_TRUE(module);
    return module && std::ranges::any_of(module->section(spirv::Section::Globals), [&](const spirv::Instruction& i) {
               return i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(storage);
           });
}

size_t countReadOnly(const Stage& stage)
{
    const auto module = spirv::read(stage.words);
    EXPECT_TRUE(module);
    return static_cast<size_t>(
        std::ranges::count_if(module->section(spirv::Section::Annotations), [&](const spirv::Instruction& i) {
            return i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::NonWritable);
        }));
}

const std::string kOwn = "gl_MeshVerticesEXT[lane].gl_Position = at(lane);\n";

}  // namespace

TEST(IndependentVertices, VerticesOfTheInvocationsNumber_Computed)
{
    EXPECT_TRUE(isComputed(kOwn));
    EXPECT_TRUE(isComputed("gl_MeshVerticesEXT[gl_LocalInvocationID.x].gl_Position = at(lane);\n"));
    EXPECT_TRUE(isComputed("if (lane < count) { " + kOwn + "color[lane].yz = payload.colors[lane & 7u].xw; }\n"));
    EXPECT_TRUE(
        isComputed("gl_MeshVerticesEXT[lane].gl_Position = textureLod(heights, vec2(0.5), 0.0) + "
                   "vec4(gl_GlobalInvocationID, gl_NumWorkGroups.y + gl_DrawID);\n"));
    EXPECT_TRUE(
        isComputed("if (count == 0u) return;\nfor (uint k = 0u; k < 3u; ++k)\n    color[lane][k] = at(k).x;\n" + kOwn));
}

TEST(IndependentVertices, LoopsByTheSizeOfTheWorkgroup_ComputedWhileTheyAreShort)
{
    const std::string loop =
        "for (uint i = lane; i < count; i += 32u) { gl_MeshVerticesEXT[i].gl_Position = at(i); "
        "color[i] = pushed; }\n";
    EXPECT_TRUE(isComputed(loop));
    EXPECT_TRUE(isComputed(loop, 4 * kInvocations));
    EXPECT_FALSE(isComputed(loop, 4 * kInvocations + 1));
    EXPECT_TRUE(
        isComputed("for (int i = int(lane); i < 90; i += 32)\n    gl_MeshVerticesEXT[i].gl_Position = pushed;\n", 96));
    EXPECT_TRUE(isComputed("gl_MeshVerticesEXT[lane + 32u].gl_Position = at(3u);\n" + kOwn, 64));
}

TEST(IndependentVertices, VerticesOfOtherNumbers_Stored)
{
    EXPECT_FALSE(isComputed("gl_MeshVerticesEXT[31u - lane].gl_Position = at(lane);\n", 32));
    EXPECT_FALSE(isComputed("gl_MeshVerticesEXT[0].gl_Position = at(0u);\n" + kOwn));
    EXPECT_FALSE(isComputed("gl_MeshVerticesEXT[lane + 1u].gl_Position = at(lane);\n", 33));
    EXPECT_FALSE(isComputed("gl_MeshVerticesEXT[points[lane].x > 0.0 ? lane : 3u].gl_Position = at(lane);\n"));
    EXPECT_FALSE(
        isComputed("for (uint i = lane; i < count; i += 16u)\n    gl_MeshVerticesEXT[i].gl_Position = at(i);\n"));
    EXPECT_FALSE(
        isComputed("color = vec4[30](pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, "
                   "pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed, "
                   "pushed, pushed, pushed, pushed, pushed, pushed, pushed, pushed);\n" +
                   kOwn));
}

TEST(IndependentVertices, WhatOtherInvocationsHave_Stored)
{
    const std::string keep = "kept[lane] = uint(points[lane].x);\nbarrier();\n";
    EXPECT_FALSE(isComputed(keep + "gl_MeshVerticesEXT[lane].gl_Position = at(kept[0]);\n"));
    EXPECT_FALSE(isComputed(keep + "if (kept[0] > 3u) { " + kOwn + "}\n"));
    EXPECT_FALSE(isComputed("gl_MeshVerticesEXT[lane].gl_Position = at(atomicAdd(total, 1u));\n"));
    EXPECT_FALSE(isComputed("gl_MeshVerticesEXT[lane].gl_Position = at(subgroupAdd(lane));\n"));
    EXPECT_FALSE(isComputed("gl_MeshVerticesEXT[lane].gl_Position = at(gl_SubgroupInvocationID);\n"));
    EXPECT_FALSE(isComputed(kOwn + "color[lane] = gl_MeshVerticesEXT[lane].gl_Position;\n"));
    EXPECT_FALSE(isComputed(kOwn + "written[lane] = 3u;\n"));
    EXPECT_FALSE(isComputed(kOwn + "atomicAdd(written[0], 3u);\n"));
}

// What only primitives and counts need takes no part.
TEST(IndependentVertices, WhatOtherInvocationsHaveForPrimitives_Computed)
{
    const LoweredPipeline lowered =
        lower(kOwn +
              "kept[lane] = uint(points[lane].x) + subgroupMax(lane);\natomicAdd(total, 1u);\n"
              "barrier();\nif (kept[3] + total > 9u)\n"
              "    gl_PrimitiveTriangleIndicesEXT[lane] = uvec3(0u);\n");
    EXPECT_TRUE(lowered.layout.computesVertices);
    EXPECT_FALSE(hasVariable(lowered.vertex, spv::StorageClass::Workgroup));
}

TEST(IndependentVertices, Computed_TakeAUnitForAWorkgroup)
{
    Target stored;
    stored.computedVertices = false;
    const MeshLayout computed = lower(kOwn + "color[lane] = pushed;\n").layout,
                     inMemory = lower(kOwn + "color[lane] = pushed;\n", 30, stored).layout;
    ASSERT_TRUE(computed.computesVertices);
    EXPECT_FALSE(inMemory.computesVertices);
    constexpr uint64_t kVertexBytes = 48;  // gl_PerVertex as a whole, color
    EXPECT_EQ(inMemory.mostUnits - computed.mostUnits, 30 * kVertexBytes / abi::kMeshUnitBytes - 1);
}

// VUID-RuntimeSpirv-NonWritable-06341
TEST(IndependentVertices, DevicesWithoutStoresInVertexShaders_SeeReadOnlyVariables)
{
    const std::string body = "gl_MeshVerticesEXT[lane].gl_Position = at(written[lane]);\n";
    EXPECT_EQ(countReadOnly(lower(body, 30, {.vertexStores = true}).vertex), 1u);  // as the application says
    EXPECT_EQ(countReadOnly(lower(body, 30, {.vertexStores = false}).vertex), 2u);
}

}  // namespace millrace::mesh
