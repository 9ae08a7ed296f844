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
    std::string code = "#version 460\n";
    if (plan.writes("gl_Layer") || plan.writes("gl_ViewportIndex")) {
        code += "#extension GL_ARB_shader_viewport_layer_array : require\n";
    }
    code += "out gl_PerVertex {\n    vec4 gl_Position;\n    float gl_PointSize;\n";
    for (const RandomBuiltIn& member : plan.ofVertex) {
        if (member.length) {
            code += "    float " + member.member + "[" + text(member.length) + "];\n";
        }
    }
    code += "};\n" + plan.outputs.declarations(RandomOutputs::Stage::ExpectedVertex);
    if (plan.writes("gl_PrimitiveID")) {
        code += "layout(location = " + text(kRandomIdLocation) + ") flat out int primitiveId;\n";
    }
    return code + plan.constants();
}

// `base` of the workgroup, its counts, `i`: the primitive.
std::string findPrimitive(const RandomPlan& plan)
{
    const auto& [x, y, z] = plan.groups;
    std::string code = "const uint corner = uint(gl_VertexIndex) % " + text(plan.corners) +
                       "u;\nconst uint i = uint(gl_VertexIndex) / " + text(plan.corners) + "u % " +
                       text(plan.primitives) + "u;\nconst uint group = uint(gl_VertexIndex) / " +
                       text(plan.corners * plan.primitives) +
                       "u;\nuint base = pushed + kSalt * 77u + 1000u * group;\nbase ^= words[group % " + text(x) +
                       "u % " + text(kRandomWords) + "u];\n" + plan.counts();
    if (plan.usesShared) {
        const uint32_t row = plan.sharedLane / plan.size[0] % plan.size[1];
        code += "base += mixed(base, " + text(plan.sharedLane + row) + "u + group / " + text(x) + "u % " + text(y) +
                "u * " + text(plan.size[1]) + "u) & 255u;\n";
    }
    if (plan.usesSubgroups) {
        const uint32_t lanes = std::min(plan.abilities.subgroupSize, plan.invocations());
        code += "base += " + text(3 * lanes * (lanes - 1) / 2 + lanes + lanes - 1) + "u;\n";
    }
    return code;
}

}  // namespace

std::string writeExpectedVertex(RandomPlan& plan)
{
    std::string code =
        declarations(plan) + "void main()\n{\n" + findPrimitive(plan) +
        "gl_Position = vec4(4.0, 4.0, 4.0, 1.0);\ngl_PointSize = 1.0;\nif (i >= primitiveCount)\n    return;\n"
        "uint value = base + i * 3u;\n";
    std::vector<RandomBuiltIn> ofPrimitive;
    for (const RandomBuiltIn& member : plan.ofPrimitive) {
        if (member.member == "gl_CullPrimitiveEXT") {
            code += "{\n    uint n = value;\n    if (" + member.value + ")\n        return;\n}\n";
        } else if (member.member == "gl_PrimitiveID") {
            ofPrimitive.push_back({"primitiveId", member.type, member.value});
        } else {
            ofPrimitive.push_back(member);
        }
    }
    code += RandomPlan::stores(ofPrimitive, "") + plan.outputs.stores(plan.choose, true, "", "value");
    code += "const uint vertices[] = uint[](" + RandomPlan::index(0) + ", " + RandomPlan::index(1) + ", " +
            RandomPlan::index(2) + ");\nvalue = base + vertices[corner] * 3u;\ngl_Position = " + plan.position() +
            ";\n";
    return code + RandomPlan::stores(plan.ofVertex, "") + plan.outputs.stores(plan.choose, false, "", "value") + "}\n";
}

}  // namespace millrace::meshtest
