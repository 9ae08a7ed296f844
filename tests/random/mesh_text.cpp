// SPDX-License-Identifier: Apache-2.0
// What mesh nodes draw: points whose places and values follow from the payload.
#include "random/node_text.h"

namespace millrace::random {

namespace {

constexpr uint32_t kPixels = kPictureSide * kPictureSide;

void useMeshShading(ModuleText& module)
{
    module.capability("MeshShadingEXT");
    module.extension("SPV_EXT_mesh_shader");
}

Id floatConstant(ModuleText& module, const std::string& value)
{
    const Id id = module.newId("f");
    module.global(id + " = OpConstant " + module.floatType() + " " + value);
    return id;
}

}  // namespace

void NodeText::declareMesh()
{
    useMeshShading(m_module);
    const NodeSpec::Mesh& mesh = *m_node.mesh;
    const auto mode = [&](const std::string& text) {
        m_module.executionMode("OpExecutionMode " + m_function + " " + text);
    };
    mode("OutputVertices " + std::to_string(mesh.vertices));
    mode("OutputPrimitivesEXT " + std::to_string(mesh.primitives));
    mode("OutputPoints");
    const Id word = m_module.uintType();
    const Id number = m_module.floatType();
    const auto declare = [&](const Id& element, uint32_t count) {
        const Id variable = m_module.newId("output");
        const Id array = m_module.arrayType(element, count, 0);
        m_module.global(variable + " = OpVariable " + m_module.pointerType("Output", array) + " Output");
        m_module.addInterface(variable);
        return variable;
    };
    const Id block = m_module.newId("Vertex");
    m_module.global(block + " = OpTypeStruct " + m_module.vectorType(number, 4) + " " + number);
    m_module.decorate("OpDecorate " + block + " Block");
    m_module.decorate("OpMemberDecorate " + block + " 0 BuiltIn Position");
    m_module.decorate("OpMemberDecorate " + block + " 1 BuiltIn PointSize");
    m_vertices = declare(block, mesh.vertices);
    m_points = declare(word, mesh.primitives);
    m_module.decorate("OpDecorate " + m_points + " BuiltIn PrimitivePointIndicesEXT");
    m_vertexValues = declare(word, mesh.vertices);
    m_module.decorate("OpDecorate " + m_vertexValues + " Location 0");
    m_primitiveValues = declare(word, mesh.primitives);
    m_module.decorate("OpDecorate " + m_primitiveValues + " Location 1");
    m_module.decorate("OpDecorate " + m_primitiveValues + " PerPrimitiveEXT");
}

// Requires: all invocations of the workgroup come here.
void NodeText::drawPoints(const Id& uniform)
{
    const Id word = m_module.uintType();
    const Id number = m_module.floatType();
    const Id step = m_body.c(m_node.invocations());
    const auto hash = [&](const Id& of, uint32_t salt) { return m_body.mix(m_body.mix(uniform, of), m_body.c(salt)); };
    const auto count = [&](uint32_t salt, uint32_t most) {
        return m_body.u("OpUMod", m_body.mix(uniform, m_body.c(salt)), m_body.c(most + 1));
    };
    const auto chain = [&](const Id& type, const Id& variable, const std::string& indices) {
        return m_body.chain("Output", type, variable, indices);
    };
    const Id vertices = count(31, m_node.mesh->vertices);
    const Id hasSome = m_body.test("OpINotEqual", vertices, m_body.c(0));
    const Id primitives = m_body.select(hasSome, count(32, m_node.mesh->primitives), m_body.c(0));
    m_body.line("OpSetMeshOutputsEXT " + vertices + " " + primitives);

    // The middle of a pixel.
    const Id scale = floatConstant(m_module, std::to_string(1.0 / kPictureSide));
    const Id one = floatConstant(m_module, "1");
    const Id zero = floatConstant(m_module, "0");
    const auto coordinate = [&](const Id& pixel) {
        const Id twice = m_body.u("OpIAdd", m_body.u("OpIMul", pixel, m_body.c(2)), m_body.c(1));
        const Id scaled = m_body.op(number, "OpFMul", m_body.op(number, "OpConvertUToF", twice) + " " + scale);
        return m_body.op(number, "OpFSub", scaled + " " + one);
    };
    m_body.loop(m_lane, vertices, step, [&](const Id& v) {
        const Id pixel = m_body.u("OpUMod", hash(v, 33), m_body.c(kPixels));
        const Id x = coordinate(m_body.u("OpUMod", pixel, m_body.c(kPictureSide)));
        const Id y = coordinate(m_body.u("OpUDiv", pixel, m_body.c(kPictureSide)));
        const Id four = m_module.vectorType(number, 4);
        const Id place = m_body.op(four, "OpCompositeConstruct", x + " " + y + " " + zero + " " + one);
        m_body.store(chain(four, m_vertices, v + " " + m_body.c(0)), place);
        m_body.store(chain(number, m_vertices, v + " " + m_body.c(1)), one);
        m_body.store(chain(word, m_vertexValues, v), hash(v, 34));
    });
    m_body.loop(m_lane, primitives, step, [&](const Id& p) {
        m_body.store(chain(word, m_points, p), m_body.u("OpUMod", hash(p, 35), vertices));
        m_body.store(chain(word, m_primitiveValues, p), hash(p, 36));
    });
}

uint32_t drawnValue(uint32_t vertexValue, uint32_t primitiveValue, uint32_t pixel)
{
    return mix(mix(vertexValue, primitiveValue), pixel);
}

std::string emitFragmentShader(const GraphSpec& graph)
{
    Random random(1);
    const ModuleSpec spec;
    ModuleText module(random, spec);
    BodyText body(module);
    useMeshShading(module);
    const Id word = module.uintType();
    const Id four = module.vectorType(module.floatType(), 4);
    const Id function = module.newId("main");
    const auto input = [&](uint32_t location, bool isOfPrimitive) {
        const Id id = module.newId("input");
        module.global(id + " = OpVariable " + module.pointerType("Input", word) + " Input");
        module.decorate("OpDecorate " + id + " Location " + std::to_string(location));
        module.decorate("OpDecorate " + id + " Flat");
        if (isOfPrimitive)
            module.decorate("OpDecorate " + id + " PerPrimitiveEXT");
        module.addInterface(id);
        return body.load(word, id);
    };
    const Id vertexValue = input(0, false);
    const Id primitiveValue = input(1, true);
    const Id where = body.load(four, module.builtIn("FragCoord", four));
    const auto coordinate = [&](uint32_t i) {
        const Id value = body.op(module.floatType(), "OpCompositeExtract", where + " " + std::to_string(i));
        return body.op(word, "OpConvertFToU", value);
    };
    const Id x = coordinate(0);
    const Id pixel = body.u("OpIAdd", body.u("OpIMul", coordinate(1), body.c(kPictureSide)), x);
    const Id value = body.mix(body.mix(vertexValue, primitiveValue), pixel);
    body.atomicAdd(body.u("OpIAdd", pixel, body.c(pictureWord(graph))), value);
    module.function(body.finish(function, module.voidType(), {}));
    module.executionMode("OpExecutionMode " + function + " OriginUpperLeft");
    std::string line = "OpEntryPoint Fragment " + function + " \"main\"";
    for (const Id& id : module.interface())
        line += " " + id;
    module.entryPoint(line);
    return module.text();
}

}  // namespace millrace::random
