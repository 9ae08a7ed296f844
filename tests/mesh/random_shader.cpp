// SPDX-License-Identifier: Apache-2.0
#include "mesh/random_shader.h"

#include "mesh/random_outputs.h"
#include "mesh/random_plan.h"

namespace millrace::meshtest {

namespace {

std::string text(uint32_t number)
{
    return std::to_string(number);
}

class MeshText {
public:
    explicit MeshText(RandomPlan& plan) : m_plan(plan), m_choose(plan.choose), m_size(text(plan.invocations()) + "u") {}

    std::string write()
    {
        std::string code =
            declarations() + writers() +
            "void main()\n{\nconst uint lane = gl_LocalInvocationIndex;\nconst uvec3 wg = gl_WorkGroupID;\n"
            "const uint group = wg.x + gl_NumWorkGroups.x * (wg.y + gl_NumWorkGroups.y * wg.z);\n"
            "const uint drawId = DRAW_ID;\n";
        code += m_plan.hasTasks ? "uint base = " + RandomPlan::baseOfPayload("payload.") + ";\n" : RandomPlan::base();
        code += setCounts();
        if (m_plan.usesShared) {
            code +=
                "kept[lane] = mixed(base, lane + gl_LocalInvocationID.y + gl_WorkGroupID.y * gl_WorkGroupSize.y + "
                "5u * gl_GlobalInvocationID.z);\nbarrier();\nbase += kept[" +
                text(m_plan.sharedLane) + "u] & 255u;\n";
        }
        if (m_plan.usesSubgroups) {
            code +=
                "if (lane < gl_SubgroupSize)\n    ofSubgroup = subgroupAdd(lane * 3u + 1u) + subgroupMax(lane);\n"
                "barrier();\nbase += ofSubgroup;\n";
        }
        code += m_plan.hasIndependentVertices ? ownVertices() : loop("writeVertex", "vertexCount", "");
        const std::string again = "SetMeshOutputsEXT(vertexCount, primitiveCount);\n";
        const bool isLast = m_choose.chance(50);
        code += m_setsAgain && !isLast ? again : "";
        code += loop("writePrimitive", "primitiveCount", ", vertexCount");
        return code + (m_setsAgain && isLast ? again : "") + "}\n";
    }

private:
    std::string block(const std::vector<RandomBuiltIn>& members, const std::string& head, const std::string& tail) const
    {
        std::string code = head;
        for (const RandomBuiltIn& member : members) {
            code += "    " + member.type + " " + member.member +
                    (member.length ? "[" + text(member.length) + "]" : std::string()) + ";\n";
        }
        return code + tail;
    }

    std::string declarations() const
    {
        const char* const topologies[] = {"points", "lines", "triangles"};
        std::string code = "#version 460\n#extension GL_EXT_mesh_shader : require\n";
        code += numberExtensions(m_plan.abilities);
        if (m_plan.readsView)
            code += "#extension GL_EXT_multiview : require\n";
        if (m_plan.usesSubgroups)
            code += "#extension GL_KHR_shader_subgroup_arithmetic : require\n";
        code += "layout(local_size_x = " + text(m_plan.size[0]) + ", local_size_y = " + text(m_plan.size[1]) +
                ", local_size_z = " + text(m_plan.size[2]) + ") in;\nlayout(" + topologies[m_plan.corners - 1] +
                ", max_vertices = " + text(m_plan.vertices) + ", max_primitives = " + text(m_plan.primitives) +
                ") out;\nshared uint counts[2];\nshared uint ofSubgroup;\nshared uint kept[" + m_size + "];\n";
        code +=
            block(m_plan.ofVertex, "out gl_MeshPerVertexEXT {\n    vec4 gl_Position;\n", "} gl_MeshVerticesEXT[];\n");
        if (!m_plan.ofPrimitive.empty()) {
            code += block(m_plan.ofPrimitive, "perprimitiveEXT out gl_MeshPerPrimitiveEXT {\n",
                          "} gl_MeshPrimitivesEXT[];\n");
        }
        if (m_plan.hasTasks)
            code += payloadDeclaration() + "taskPayloadSharedEXT Payload payload;\n";
        return code + m_plan.outputs.declarations(RandomOutputs::Stage::Mesh) + m_plan.constants();
    }

    // Functions that write a vertex and a primitive.
    std::string writers()
    {
        const std::string where = "gl_MeshVerticesEXT[i].gl_Position";
        const bool isPassed = m_choose.chance(30);
        std::string code =
            "void place(out vec4 where, vec4 value) { where = value; }\n"
            "void writeVertex(uint i, uint value)\n{\n" +
            m_plan.valueOfView() +
            (isPassed ? "place(" + where + ", " + m_plan.position() + ");\n"
                      : where + " = " + m_plan.position() + ";\n") +
            RandomPlan::stores(m_plan.ofVertex, "gl_MeshVerticesEXT[i].") +
            m_plan.outputs.stores(m_choose, false, "[i]", "value") + "}\n";
        code += "void writePrimitive(uint i, uint value, uint vertexCount)\n{\n" + indices() + m_plan.valueOfView() +
                RandomPlan::stores(m_plan.ofPrimitive, "gl_MeshPrimitivesEXT[i].") +
                m_plan.outputs.stores(m_choose, true, "[i]", "value") + "}\n";
        return code;
    }

    std::string indices() const
    {
        switch (m_plan.corners) {
            case 1:
                return "gl_PrimitivePointIndicesEXT[i] = " + RandomPlan::index(0) + ";\n";
            case 2:
                return "gl_PrimitiveLineIndicesEXT[i] = uvec2(" + RandomPlan::index(0) + ", " + RandomPlan::index(1) +
                       ");\n";
            default:
                return "gl_PrimitiveTriangleIndicesEXT[i] = uvec3(" + RandomPlan::index(0) + ", " +
                       RandomPlan::index(1) + ", " + RandomPlan::index(2) + ");\n";
        }
    }

    // As hasIndependentVerticesBySeed() says.
    std::string ownVertices()
    {
        const std::string call = "writeVertex(e, base + e * 3u);\n";
        switch (m_plan.vertices <= m_plan.invocations() ? m_choose.number(0, 2) : m_choose.number(0, 1)) {
            case 0:
                return "for (uint e = lane; e < vertexCount; e += " + m_size + ")\n    " + call;
            case 1:
                return "for (int o = int(lane); uint(o) < vertexCount; o += int(" + m_size +
                       ")) {\n    const uint e = uint(o);\n    " + call + "}\n";
            default:
                return "if (lane < vertexCount) {\n    const uint e = lane;\n    " + call + "}\n";
        }
    }

    // Writes `count` elements, each by one invocation.
    std::string loop(const std::string& function, const std::string& count, const std::string& further)
    {
        const std::string call = "(e, base + e * 3u" + further + ");\n";
        switch (m_choose.number(0, 3)) {
            case 0:
                return "for (uint e = lane; e < " + count + "; e += " + m_size + ")\n    " + function + call;
            case 1:
                return "for (uint o = lane; o < " + count + "; o += " + m_size + ") {\n    const uint e = " + count +
                       " - 1u - o;\n    " + function + call + "}\n";
            case 2:
                return "if (lane == " + text(m_choose.number(0, m_plan.invocations() - 1)) +
                       "u)\n  for (uint e = 0u; e < " + count + "; ++e)\n    " + function + call;
            default:
                return "for (uint e = lane * " + count + " / " + m_size + "; e < (lane + 1u) * " + count + " / " +
                       m_size + "; ++e)\n    " + function + call;
        }
    }

    std::string setCounts()
    {
        std::string code = m_plan.counts();
        if (m_choose.chance(40) && !m_plan.hasIndependentVertices) {
            code +=
                "if (lane == 0u) {\n    counts[0] = vertexCount;\n    counts[1] = primitiveCount;\n}\nbarrier();\n"
                "vertexCount = counts[0];\nprimitiveCount = counts[1];\n";
        }
        if (m_choose.chance(30))
            code += "if (primitiveCount == 0u) {\n    SetMeshOutputsEXT(0u, 0u);\n    return;\n}\n";
        // As of HLSL: the last ones count.
        m_setsAgain = m_choose.chance(20) && !m_plan.hasIndependentVertices;
        const std::string vertices = text(m_plan.vertices) + "u", primitives = text(m_plan.primitives) + "u";
        const std::vector<std::string> first{"vertexCount, primitiveCount", vertices + ", " + primitives,
                                             "vertexCount, " + primitives, "0u, 0u"};
        return code + "SetMeshOutputsEXT(" + (m_setsAgain ? m_choose.of(first) : first.front()) + ");\n";
    }

    RandomPlan& m_plan;
    Choice& m_choose;
    const std::string m_size;
    bool m_setsAgain = false;  // the counts
};

std::string writeFragment(const RandomPlan& plan, RandomOutputs::Stage stage)
{
    const bool isExpected = stage == RandomOutputs::Stage::ExpectedFragment;
    std::string code = "#version 460\n#extension GL_EXT_mesh_shader : require\n" + numberExtensions(plan.abilities) +
                       (plan.showsView ? "#extension GL_EXT_multiview : require\n" : "") +
                       plan.outputs.declarations(stage);
    const bool readsId = plan.abilities.fragmentBuiltIns && plan.writes("gl_PrimitiveID");
    if (isExpected && plan.writes("gl_PrimitiveID"))
        code += "layout(location = " + text(kRandomIdLocation) + ") flat in int primitiveId;\n";
    code +=
        "layout(location = 0) out vec4 color;\n"
        "layout(push_constant) uniform Push { layout(offset = 32) uint pushed; };\n"
        "uint sum = pushed;\nvoid mixIn(uint value) { sum = (sum ^ value) * 0x01000193u; sum ^= sum >> 11; }\n"
        "void main()\n{\n" +
        plan.outputs.reads();
    code += readsId ? std::string("mixIn(uint(") + (isExpected ? "primitiveId" : "gl_PrimitiveID") + "));\n" : "";
    for (const char* member : {"gl_Layer", "gl_ViewportIndex"})
        if (plan.abilities.fragmentBuiltIns && plan.writes(member))
            code += std::string("mixIn(uint(") + member + "));\n";
    code += plan.showsView ? "mixIn(uint(gl_ViewIndex));\n" : "";
    return code + "mixIn(floatBitsToUint(gl_FragCoord.z));\ncolor = unpackUnorm4x8(sum);\n}\n";
}

}  // namespace

RandomShader makeRandomShader(uint32_t seed, const Abilities& abilities)
{
    RandomPlan plan(seed, abilities);
    RandomShader shader;
    const std::vector<std::array<uint32_t, 3>> grids{{1, 1, 1}, {4, 1, 1}, {3, 2, 1}, {2, 1, 3}, {2, 3, 2}, {17, 1, 1}};
    shader.kind = plan.choose.of<RandomDraws>({RandomDraws::Direct, RandomDraws::Indirect, RandomDraws::IndirectCount});
    for (uint32_t draws = plan.choose.number(1, 3); draws > 0; --draws)
        shader.draws.push_back(plan.choose.of(grids));
    shader.corners = plan.corners;
    shader.viewMask = plan.viewMask;
    shader.expectedVertices = plan.corners * plan.primitives * (plan.hasTasks ? kRandomEmitted : 1);
    shader.task = plan.hasTasks ? writeTask(plan) : std::string();
    shader.mesh = MeshText(plan).write();
    shader.fragment = writeFragment(plan, RandomOutputs::Stage::Fragment);
    shader.expectedVertex = writeExpectedVertex(plan);
    shader.expectedFragment = writeFragment(plan, RandomOutputs::Stage::ExpectedFragment);
    return shader;
}

}  // namespace millrace::meshtest
