// SPDX-License-Identifier: Apache-2.0
#include "mesh/random_outputs.h"

namespace millrace::meshtest {

namespace {

std::vector<RandomType> typesOf(const Abilities& abilities)
{
    std::vector<RandomType> types{
        {"float", 1, 1, true, 1},  {"vec2", 2, 1, true, 1},   {"vec3", 3, 1, true, 1},   {"vec4", 4, 1, true, 1},
        {"int", 1, 1, false, 1},   {"ivec2", 2, 1, false, 1}, {"ivec3", 3, 1, false, 1}, {"ivec4", 4, 1, false, 1},
        {"uint", 1, 1, false, 1},  {"uvec2", 2, 1, false, 1}, {"uvec3", 3, 1, false, 1}, {"uvec4", 4, 1, false, 1},
        {"mat2x3", 3, 2, true, 2}, {"mat3", 3, 3, true, 3},   {"mat2", 2, 2, true, 2},   {"mat3x4", 4, 3, true, 3}};
    if (abilities.float64)
        types.insert(types.end(), {{"double", 1, 1, false, 1}, {"dvec2", 2, 1, false, 1}, {"dvec3", 3, 1, false, 2}});
    if (abilities.int64)
        types.insert(types.end(), {{"int64_t", 1, 1, false, 1}, {"u64vec2", 2, 1, false, 1}});
    if (abilities.small) {
        types.insert(types.end(), {{"float16_t", 1, 1, true, 1},
                                   {"f16vec3", 3, 1, true, 1},
                                   {"int16_t", 1, 1, false, 1},
                                   {"u16vec4", 4, 1, false, 1}});
    }
    return types;
}

std::string text(uint32_t number)
{
    return std::to_string(number);
}

// A column of the values for `value`, a number of GLSL: v4() gives floats, u4() integers.
std::string column(const RandomOutput& output, const std::string& value, uint32_t number)
{
    const std::string parts = std::string(".xyzw").substr(0, output.type.components + 1);
    const std::string arguments = "(" + value + ", " + text(output.key + number) + "u)" + parts;
    const char first = output.type.name[0];
    const std::string values = (first == 'i' || first == 'u' ? "u4" : "v4") + arguments;
    return output.type.columns > 1 ? values : output.type.name + "(" + values + ")";
}

std::string whole(const RandomOutput& output, const std::string& value, uint32_t number)
{
    if (output.type.columns == 1)
        return column(output, value, number);
    std::string columns;
    for (uint32_t c = 0; c < output.type.columns; ++c)
        columns += (c ? ", " : "") + column(output, value, number + c);
    return output.type.name + "(" + columns + ")";
}

// An element's components one by one.
std::string storedByParts(Choice& choose, const RandomOutput& output, const std::string& element,
                          const std::string& value)
{
    const RandomType& type = output.type;
    std::string code;
    for (uint32_t c = 0; c < type.columns; ++c) {
        const std::string target = type.columns > 1 ? element + "[" + text(c) + "]" : element;
        const std::string values = column(output, value, c);
        if (choose.chance(50)) {
            code +=
                "for (int c = 0; c < " + text(type.components) + "; ++c)\n    " + target + "[c] = " + values + "[c];\n";
            continue;
        }
        for (uint32_t part = 0; part < type.components; ++part)
            code += target + "." + "xyzw"[part] + " = " + values + "." + "xyzw"[part] + ";\n";
    }
    return code;
}

}  // namespace

std::string numberExtensions(const Abilities& abilities)
{
    return abilities.int64 || abilities.small ? "#extension GL_EXT_shader_explicit_arithmetic_types : require\n" : "";
}

RandomOutputs::RandomOutputs(Choice& choose, const Abilities& abilities, bool ofPrimitives)
{
    const std::vector<RandomType> types = typesOf(abilities);
    const uint32_t count = choose.number(0, 6);
    uint32_t location = 0;
    for (uint32_t i = 0; i < count; ++i) {
        RandomOutput output;
        output.type = choose.of(types);
        output.name = "value" + text(i);
        output.length = choose.chance(25) ? choose.number(2, 3) : 0;
        output.isPerPrimitive = choose.chance(40) && ofPrimitives;
        output.isInBlock = choose.chance(30);
        output.key = 16 * (i + 1);
        const bool isSmall = !output.length && output.type.columns == 1 && output.type.name[0] != 'd' &&
                             output.type.name.find_first_of("16") == std::string::npos;
        if (isSmall && !output.isInBlock && output.type.components < 4 && choose.chance(30))
            output.component = choose.number(1, 4 - output.type.components);
        output.interpolation = !output.type.isFloat    ? "flat "
                               : output.isPerPrimitive ? ""
                               : choose.chance(20)     ? "flat "
                               : choose.chance(20)     ? "noperspective "
                                                       : "";
        output.location = location + (choose.chance(15) ? 1 : 0);
        const uint32_t end = output.location + output.type.locations * (output.length ? output.length : 1);
        if (end <= kRandomIdLocation) {
            location = end;
            m_outputs.push_back(output);
        }
    }
}

std::string RandomOutputs::declaration(const RandomOutput& output, Stage stage)
{
    const bool isInput = stage == Stage::Fragment || stage == Stage::ExpectedFragment;
    const bool isOfMesh = stage == Stage::Mesh || stage == Stage::Fragment;
    std::string code = "layout(location = " + text(output.location);
    if (output.component)
        code += ", component = " + text(output.component);
    code += ") ";
    if (output.isPerPrimitive && isOfMesh && !output.isInBlock)
        code += "perprimitiveEXT ";
    if (output.isPerPrimitive && !isOfMesh)
        code += "flat ";
    else if (stage != Stage::Mesh)
        code += output.interpolation;
    if (!output.isInBlock)
        code += isInput ? "in " : "out ";
    code += output.type.name + " " + output.name;
    if (stage == Stage::Mesh && !output.isInBlock)
        code += "[]";
    return code + (output.length ? "[" + text(output.length) + "]" : "") + ";\n";
}

std::string RandomOutputs::block(bool isPerPrimitive, Stage stage) const
{
    std::string members;
    for (const RandomOutput& output : m_outputs)
        if (output.isInBlock && output.isPerPrimitive == isPerPrimitive)
            members += "  " + declaration(output, stage);
    if (members.empty())
        return {};
    const bool isInput = stage == Stage::Fragment || stage == Stage::ExpectedFragment;
    const bool isOfMesh = stage == Stage::Mesh || stage == Stage::Fragment;
    const std::string name = isPerPrimitive ? "OfPrimitive" : "OfVertex";
    return (isPerPrimitive && isOfMesh ? "perprimitiveEXT " : "") + std::string(isInput ? "in " : "out ") + name +
           " {\n" + members + "} block" + name + (stage == Stage::Mesh ? "[]" : "") + ";\n";
}

std::string RandomOutputs::declarations(Stage stage) const
{
    std::string code = block(false, stage) + block(true, stage);
    for (const RandomOutput& output : m_outputs)
        code += output.isInBlock ? "" : declaration(output, stage);
    return code;
}

std::string RandomOutputs::stored(Choice& choose, const RandomOutput& output, const std::string& place,
                                  const std::string& value, bool isOfVertexShader)
{
    if (output.length && choose.chance(50)) {
        // By a loop: the index is known at run time only.
        return "for (uint e = 0u; e < " + text(output.length) + "u; ++e)\n    " + place +
               "[e] = " + whole(output, "(" + value + " + e)", 0) + ";\n";
    }
    std::string code;
    for (uint32_t e = 0; e < (output.length ? output.length : 1); ++e) {
        const std::string element = output.length ? place + "[" + text(e) + "]" : place;
        const std::string shifted = "(" + value + " + " + text(e) + "u)";
        if (output.type.components == 1 || !choose.chance(30)) {
            code += element + " = " + whole(output, shifted, 0) + ";\n";
        } else if (isOfVertexShader) {
            const std::string parts = storedByParts(choose, output, "parts", shifted);
            code += "{\n" + output.type.name + " parts;\n" + parts + element + " = parts;\n}\n";
        } else {
            code += storedByParts(choose, output, element, shifted);
        }
    }
    return code;
}

std::string RandomOutputs::stores(Choice& choose, bool ofPrimitives, const std::string& subscript,
                                  const std::string& value) const
{
    std::string code;
    for (const RandomOutput& output : m_outputs) {
        if (output.isPerPrimitive != ofPrimitives)
            continue;
        const std::string block = ofPrimitives ? "blockOfPrimitive" : "blockOfVertex";
        const std::string place = output.isInBlock ? block + subscript + "." + output.name : output.name + subscript;
        code += stored(choose, output, place, value, subscript.empty());
    }
    return code;
}

std::string RandomOutputs::reads() const
{
    std::string code;
    for (const RandomOutput& output : m_outputs) {
        const std::string block = output.isPerPrimitive ? "blockOfPrimitive." : "blockOfVertex.";
        for (uint32_t e = 0; e < (output.length ? output.length : 1); ++e) {
            std::string element = (output.isInBlock ? block : std::string()) + output.name;
            element += output.length ? "[" + text(e) + "]" : "";
            for (uint32_t c = 0; c < output.type.columns; ++c) {
                const std::string column = output.type.columns > 1 ? element + "[" + text(c) + "]" : element;
                for (uint32_t part = 0; part < output.type.components; ++part) {
                    const std::string scalar = output.type.components > 1 ? column + "." + "xyzw"[part] : column;
                    const bool isReal = output.type.isFloat || output.type.name[0] == 'd';
                    code += "mixIn(" + (isReal ? "floatBitsToUint(float(" + scalar + "))" : "uint(" + scalar + ")") +
                            ");\n";
                }
            }
        }
    }
    return code;
}

}  // namespace millrace::meshtest
