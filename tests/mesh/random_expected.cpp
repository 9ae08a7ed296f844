// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mesh/random_plan.h"

namespace millrace::meshtest {

namespace {

std::string text(uint32_t number)
{
    return std::to_string(number);
}

std::string declarations(const RandomPlan& plan)
{
    std::string code = "#version 460\n" + numberExtensions(plan.abilities);
    if (plan.writes("gl_Layer") || plan.writes("gl_ViewportIndex"))
        code += "#extension GL_ARB_shader_viewport_layer_array : require\n";
    if (plan.readsView)
        code += "#extension GL_EXT_multiview : require\n";
    code += "out gl_PerVertex {\n    vec4 gl_Position;\n    float gl_PointSize;\n";
    for (const RandomBuiltIn& member : plan.ofVertex)
        if (member.length)
            code += "    float " + member.member + "[" + text(member.length) + "];\n";
    code += "};\n" + plan.outputs.declarations(RandomOutputs::Stage::ExpectedVertex);
    if (plan.writes("gl_PrimitiveID"))
        code += "layout(location = " + text(kRandomIdLocation) + ") flat out int primitiveId;\n";
    return code + plan.constants();
}

// `group`, `wg` and `base` of the workgroup, its counts, `i`: the primitive. Returns where there is no such primitive.
std::string findPrimitive(const RandomPlan& plan)
{
    std::string code = "const uint corner = uint(gl_VertexIndex) % " + text(plan.corners) +
                       "u;\nconst uint i = uint(gl_VertexIndex) / " + text(plan.corners) + "u % " +
                       text(plan.primitives) + "u;\nuint group = uint(gl_VertexIndex) / " +
                       text(plan.corners * plan.primitives) + "u;\nconst uint drawId = pushedDraw;\n";
    const std::string place = "uvec3(group % grid.x, group / grid.x % grid.y, group / (grid.x * grid.y));\n";
    code += "uvec3 grid = pushedGrid;\n";
    if (plan.hasTasks)
        code += "const uint number = group % " + text(kRandomEmitted) + "u;\ngroup /= " + text(kRandomEmitted) + "u;\n";
    code += "uvec3 wg = " + place + RandomPlan::base();
    if (plan.hasTasks) {
        code +=
            RandomPlan::emitted() +
            "if (number >= emitted.x * emitted.y * emitted.z)\n    return;\ngrid = emitted;\ngroup = number;\nwg = " +
            place +
            "Payload payload;\nfor (uint k = 0u; k < 5u; ++k)\n    payload.seeds[k] = mixed(base, 50u + k);\n"
            "payload.items[0] = Item(real(base, 60u), (base & 1u) != 0u, bvec3(true, (base & 8u) != 0u, false));\n"
            "payload.items[1] = Item(real(base, 61u), (base & 2u) != 0u, bvec3(true, (base & 4u) == 0u, false));\n"
            "payload.pair = uvec2(1u, payload.seeds[3] & 15u);\nbase = " +
            RandomPlan::baseOfPayload("payload.") + ";\n";
    }
    code += plan.counts();
    if (plan.usesShared) {
        const uint32_t row = plan.sharedLane / plan.size[0] % plan.size[1];
        const uint32_t layer = plan.sharedLane / (plan.size[0] * plan.size[1]);
        code += "base += mixed(base, " + text(plan.sharedLane + row + 5 * layer) + "u + wg.y * " + text(plan.size[1]) +
                "u + wg.z * " + text(5 * plan.size[2]) + "u) & 255u;\n";
    }
    if (plan.usesSubgroups) {
        const uint32_t lanes = std::min(plan.abilities.subgroupSize, plan.invocations());
        code += "base += " + text(3 * lanes * (lanes - 1) / 2 + lanes + lanes - 1) + "u;\n";
    }
    return code + "if (i >= primitiveCount)\n    return;\n";
}

}  // namespace

std::string writeExpectedVertex(RandomPlan& plan)
{
    std::string code = declarations(plan) + payloadDeclaration() +
                       "void main()\n{\ngl_Position = vec4(4.0, 4.0, 4.0, 1.0);\ngl_PointSize = 1.0;\n" +
                       findPrimitive(plan) + "uint value = base + i * 3u;\nconst uint vertices[] = uint[](" +
                       RandomPlan::index(0) + ", " + RandomPlan::index(1) + ", " + RandomPlan::index(2) + ");\n" +
                       plan.valueOfView();
    std::vector<RandomBuiltIn> ofPrimitive;
    for (const RandomBuiltIn& member : plan.ofPrimitive)
        if (member.member == "gl_CullPrimitiveEXT")
            code += "{\n    uint n = value;\n    if (" + member.value + ")\n        return;\n}\n";
        else if (member.member == "gl_PrimitiveID")
            ofPrimitive.push_back({"primitiveId", member.type, member.value});
        else
            ofPrimitive.push_back(member);
    code += RandomPlan::stores(ofPrimitive, "") + plan.outputs.stores(plan.choose, true, "", "value");
    code += "value = base + vertices[corner] * 3u;\n" + plan.valueOfView() + "gl_Position = " + plan.position() + ";\n";
    return code + RandomPlan::stores(plan.ofVertex, "") + plan.outputs.stores(plan.choose, false, "", "value") + "}\n";
}

}  // namespace millrace::meshtest
