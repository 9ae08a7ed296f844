// SPDX-License-Identifier: Apache-2.0
#include "mesh/random_plan.h"

#include <algorithm>
#include <bit>

namespace millrace::meshtest {

namespace {

// Values are exact in float: multiples of 1/256 between -2 and 2.
constexpr char kFunctions[] = R"(
uint mixed(uint a, uint b)
{
    uint x = a * 0x9e3779b1u ^ (b + 0x7f4a7c15u) * 0x85ebca6bu;
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    x ^= x >> 13;
    return x;
}
float real(uint a, uint b) { return float(int(mixed(a, b) & 1023u) - 512) / 256.0; }
vec4 v4(uint a, uint b) { return vec4(real(a, b), real(a, b + 1000u), real(a, b + 2000u), real(a, b + 3000u)); }
uvec4 u4(uint a, uint b) { return uvec4(mixed(a, b), mixed(a, b + 1000u), mixed(a, b + 2000u), mixed(a, b + 3000u)); }
)";

using Triple = std::array<uint32_t, 3>;

std::string text(uint32_t number)
{
    return std::to_string(number);
}

}  // namespace

RandomPlan::RandomPlan(uint32_t seed, const Abilities& given)
    : choose(seed),
      sharesVertices(sharesVerticesBySeed(seed)),
      hasIndependentVertices(hasIndependentVerticesBySeed(seed)),
      abilities(given),
      outputs(choose, abilities, !sharesVertices)
{
    const std::vector<Triple> sizes{{1, 1, 1}, {3, 1, 1},  {8, 1, 1}, {32, 1, 1},  {33, 1, 1},  {64, 1, 1},
                                    {8, 8, 1}, {1, 16, 1}, {4, 2, 3}, {128, 1, 1}, {1, 1, 128}, {1, 2, 65}};
    size = choose.of(sizes);
    hasTasks = abilities.tasks && choose.chance(40);
    taskSize = choose.of(sizes);
    corners = choose.number(1, 3);
    vertices = choose.chance(50) ? choose.number(corners, 96) : 64;
    primitives = choose.chance(50) ? choose.number(1, 40) : 20;
    isFull = choose.chance(40);
    usesSubgroups = abilities.subgroupSize > 0 && choose.chance(30) && !hasIndependentVertices;
    usesShared = choose.chance(50) && !hasIndependentVertices;
    sharedLane = choose.number(0, invocations() - 1);
    if (corners == 1 && abilities.largePoints && choose.chance(60))
        ofVertex.push_back({"gl_PointSize", "float", "float(mixed(n, 1u) % 9u + 1u)"});
    if (abilities.clipDistance && choose.chance(25))
        ofVertex.push_back({"gl_ClipDistance", "float", "real(n, 2u) + 1.0", choose.number(1, 4)});
    if (abilities.cullDistance && choose.chance(25))
        ofVertex.push_back({"gl_CullDistance", "float", "real(n, 3u) + 1.5", choose.number(1, 4)});
    if (choose.chance(30))
        ofPrimitive.push_back({"gl_CullPrimitiveEXT", "bool", "mixed(n, 4u) % 3u == 0u"});
    if (choose.chance(30) && !sharesVertices)
        ofPrimitive.push_back({"gl_PrimitiveID", "int", "int(mixed(n, 5u))"});
    if (abilities.multiview && choose.chance(50))
        viewMask = choose.of<uint32_t>({3, 5, 7, 6, 4});
    readsView = abilities.multiview && choose.chance(70);
    if (!abilities.viewPointSizes && readsView && std::popcount(viewMask) > 1)
        std::erase_if(ofVertex, [](const RandomBuiltIn& builtIn) { return builtIn.member == "gl_PointSize"; });
    showsView = abilities.multiview && choose.chance(30);
    if (abilities.viewports && viewMask == 0 && choose.chance(25) && !sharesVertices)
        ofPrimitive.push_back({"gl_Layer", "int", "int(mixed(n, 6u) % " + text(kRandomLayers) + "u)"});
    if (abilities.viewports && choose.chance(25) && !sharesVertices)
        ofPrimitive.push_back({"gl_ViewportIndex", "int", "int(mixed(n, 7u) % 2u)"});
}

bool RandomPlan::writes(const std::string& member) const
{
    return std::ranges::find(ofPrimitive, member, &RandomBuiltIn::member) != ofPrimitive.end();
}

std::string RandomPlan::constants() const
{
    return std::string("#define DRAW_ID ") + (abilities.drawIndex ? "uint(gl_DrawID)" : "0u") +
           "\nlayout(constant_id = 0) const uint kSalt = 1u;\n"
           "layout(push_constant) uniform Push { uint pushed; uint pushedDraw; layout(offset = 16) uvec3 pushedGrid; "
           "};\n"
           "layout(set = 0, binding = 0) readonly buffer Words { uint words[" +
           text(kRandomWords) + "]; };\n" + kFunctions;
}

std::string RandomPlan::base()
{
    return "uint base = pushed + kSalt * 77u + drawId * 5077u + 1000u * group;\nbase ^= words[wg.x % " +
           text(kRandomWords) + "u];\n";
}

std::string RandomPlan::emitted()
{
    return "const uvec3 emitted = uvec3(mixed(base, 40u) % 4u, mixed(base, 41u) % 2u + 1u, mixed(base, 42u) % 2u + "
           "1u);\n";
}

std::string RandomPlan::baseOfPayload(const std::string& payload)
{
    return payload + "seeds[group % 5u] + 1000u * group + (" + payload + "items[group % 2u].isOdd ? 7u : 0u) + (" +
           payload + "items[group & 1u].signs.y ? 3u : 0u) + uint(" + payload + "items[1].bias * 256.0 + 512.0) + " +
           payload + "pair.y";
}

std::string RandomPlan::counts() const
{
    return "uint vertexCount = " + (isFull ? text(vertices) + "u" : "mixed(base, 30u) % " + text(vertices + 1) + "u") +
           ";\nuint primitiveCount = vertexCount == 0u ? 0u : mixed(base, 31u) % " + text(primitives + 1) + "u;\n";
}

std::string RandomPlan::position() const
{
    return "vec4(real(value, 8u) * 0.625, real(value, 9u) * 0.625, float(mixed(value, 10u) & 255u) / 256.0, 1.0) * "
           "(mixed(value, 11u) % 3u == 0u ? 0.5 : mixed(value, 11u) % 3u == 1u ? 1.0 : 2.0)";
}

std::string RandomPlan::index(uint32_t corner)
{
    return "mixed(value, " + text(20 + corner) + "u) % vertexCount";
}

std::string RandomPlan::valueOfView() const
{
    return readsView ? "value ^= uint(gl_ViewIndex) * 0x51ed27u;\n" : "";
}

std::string RandomPlan::stores(const std::vector<RandomBuiltIn>& members, const std::string& place)
{
    std::string code;
    for (const RandomBuiltIn& member : members) {
        const std::string target = place + member.member;
        if (member.length) {
            code += "for (int d = 0; d < " + text(member.length) + "; ++d) {\n    uint n = value + uint(d);\n    " +
                    target + "[d] = " + member.value + ";\n}\n";
        } else {
            code += "{\n    uint n = value;\n    " + target + " = " + member.value + ";\n}\n";
        }
    }
    return code;
}

}  // namespace millrace::meshtest
