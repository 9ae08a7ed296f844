// SPDX-License-Identifier: Apache-2.0
#include "mesh/random_plan.h"

namespace millrace::meshtest {

namespace {

std::string text(uint32_t number)
{
    return std::to_string(number);
}

// One invocation fills all of it, or each a part.
std::string fill(RandomPlan& plan)
{
    const uint32_t count = plan.taskSize[0] * plan.taskSize[1] * plan.taskSize[2];
    std::string code;
    if (plan.choose.chance(50)) {
        code += "for (uint k = gl_LocalInvocationIndex; k < 5u; k += " + text(count) +
                "u)\n    payload.seeds[k] = mixed(base, 50u + k);\n";
    } else {
        code += "if (gl_LocalInvocationIndex == " + text(plan.choose.number(0, count - 1)) +
                "u)\n    for (uint k = 0u; k < 5u; ++k)\n        payload.seeds[k] = mixed(base, 50u + k);\n";
    }
    code += "if (gl_LocalInvocationIndex == " + text(count - 1) +
            "u) {\n    payload.items[0] = Item(real(base, 60u), (base & 1u) != 0u, bvec3(true, (base & 8u) != 0u, "
            "false));\n"
            "    payload.items[1].bias = real(base, 61u);\n    payload.items[1].isOdd = (base & 2u) != 0u;\n    "
            "payload.items[1].signs.y = (base & 4u) == 0u;\n}\n";
    if (plan.choose.chance(50)) {
        // What other invocations have written is read.
        return code +
               "memoryBarrierShared();\nbarrier();\nif (gl_LocalInvocationIndex == 0u)\n"
               "    payload.pair = uvec2(1u, payload.seeds[3] & 15u);\n";
    }
    return code + "if (gl_LocalInvocationIndex == 0u)\n    payload.pair = uvec2(1u, mixed(base, 53u) & 15u);\n";
}

}  // namespace

std::string payloadDeclaration()
{
    return "struct Item { float bias; bool isOdd; bvec3 signs; };\n"
           "struct Payload { uint seeds[5]; Item items[2]; uvec2 pair; };\n";
}

std::string writeTask(RandomPlan& plan)
{
    std::string code =
        "#version 460\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = " + text(plan.taskSize[0]) +
        ", local_size_y = " + text(plan.taskSize[1]) + ", local_size_z = " + text(plan.taskSize[2]) + ") in;\n" +
        plan.constants() + payloadDeclaration() +
        "taskPayloadSharedEXT Payload payload;\nvoid main()\n{\n"
        "const uvec3 wg = gl_WorkGroupID;\nconst uint group = wg.x + gl_NumWorkGroups.x * (wg.y + "
        "gl_NumWorkGroups.y * wg.z);\nconst uint drawId = DRAW_ID;\n" +
        RandomPlan::base() + RandomPlan::emitted();
    if (plan.choose.chance(40))
        code += "if (emitted.x == 0u)\n    EmitMeshTasksEXT(0u, 0u, 0u);\n";
    return code + fill(plan) + "EmitMeshTasksEXT(emitted.x, emitted.y, emitted.z);\n}\n";
}

}  // namespace millrace::meshtest
