// SPDX-License-Identifier: Apache-2.0
#include "commands/hand_on_sequence.h"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "abi/commands.h"
#include "commands/interface_locations.h"
#include "commands/task_payload.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "spirv/id_set.h"

namespace millrace::commands {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::LongWords;
using spirv::Module;
using spirv::Section;

namespace {

// gl_MaxPatchVertices of glslang, which every device takes (maxTessellationPatchSize).
constexpr uint32_t kMaxPatchVertices = 32;

class Route {
public:
    Route(Variant& variant, const SequenceRoute& route, const Layout& layout)
        : m_variant(variant),
          m_module(variant.module),
          m_route(route),
          m_layout(layout),
          m_loads(variant),
          m_word(m_loads.wordType())
    {
    }

    Status write()
    {
        const bool hasPayload = m_variant.model == spv::ExecutionModel::TaskEXT
                                    ? m_route.isSent
                                    : m_variant.model == spv::ExecutionModel::MeshEXT && m_route.hasTasks;
        if (hasPayload) {
            const auto word = addPayloadWord(m_module, m_word);
            if (!word)
                return word.error();
            m_payload = *word;
        }
        spirv::InstructionList start;
        Emitter out(m_module, start);
        if (m_route.isReceived)
            out.emitVoid(spv::Op::OpStore, {m_variant.sequence, receive(out)});
        if (m_route.isSent && m_variant.model == spv::ExecutionModel::Geometry)
            sendWithVertices();
        else if (m_route.isSent && m_variant.model == spv::ExecutionModel::MeshEXT)
            sendWithOutputs();
        else if (m_route.isSent && m_variant.model == spv::ExecutionModel::TaskEXT)
            sendWithPayload();
        else if (m_route.isSent)
            send(out, createOutput());
        shader::insertBehindVariables(*m_module.findFunction(m_variant.entry), start);
        return {};
    }

private:
    Id receive(Emitter& out)
    {
        switch (m_variant.model) {
            case spv::ExecutionModel::Vertex:
            case spv::ExecutionModel::TaskEXT:
                return numberOfDraw(out);
            case spv::ExecutionModel::MeshEXT:
                // DrawIndex is not there behind a task shader (VUID-VkGraphicsPipelineCreateInfo-pStages-09631).
                if (m_route.hasTasks)
                    return out.emit(spv::Op::OpLoad, m_word, {pointerTo(out, m_payload, m_word)});
                return numberOfDraw(out);
            case spv::ExecutionModel::TessellationControl:
                return firstOf(out, verticesOfPatch());
            case spv::ExecutionModel::Geometry:
                return firstOf(out, verticesOfPrimitive());
            default:
                return out.emit(spv::Op::OpLoad, m_word, {createInput(m_word)});
        }
    }

    Id numberOfDraw(Emitter& out)
    {
        static_assert(offsetof(abi::DrawEntry, sequence) == 0);
        if (hasDrawTable(m_layout))
            return m_loads.load(out, m_loads.drawEntry(out, m_layout), m_word, sizeof(abi::DrawEntry));
        return m_loads.drawNumber(out, m_layout);
    }

    // All vertices have the same.
    Id firstOf(Emitter& out, uint32_t vertices)
    {
        const Id array = m_module.newId();
        const Id length = m_module.getConstant(vertices);
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, array).add(m_word).add(length));
        const Id variable = createInput(array);
        const Id pointer = m_module.getPointerType(spv::StorageClass::Input, m_word);
        const Id where = out.emit(spv::Op::OpAccessChain, pointer, {variable, m_module.getConstant(0)});
        return out.emit(spv::Op::OpLoad, m_word, {where});
    }

    // As the module has it for other inputs.
    uint32_t verticesOfPatch() const
    {
        for (const Instruction& i : m_module.section(Section::Globals)) {
            uint32_t length = 0;
            const bool isInput = i.op == spv::Op::OpVariable &&
                                 i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Input) &&
                                 isPerVertex(m_variant, i);
            if (isInput && m_module.constantValue(m_module.findDefinition(m_module.pointee(i.type))->id(1), length))
                return length;
        }
        return kMaxPatchVertices;
    }

    uint32_t verticesOfPrimitive() const
    {
        for (const Instruction& i : m_module.section(Section::ExecutionModes)) {
            switch (static_cast<spv::ExecutionMode>(i.literal(1))) {
                case spv::ExecutionMode::InputPoints:
                    return 1;
                case spv::ExecutionMode::InputLines:
                    return 2;
                case spv::ExecutionMode::InputLinesAdjacency:
                    return 4;
                case spv::ExecutionMode::InputTrianglesAdjacency:
                    return 6;
                default:
                    break;
            }
        }
        return 3;
    }

    Id createVariable(spv::StorageClass storage, Id type)
    {
        const Id variable = m_module.createVariable(m_module.getPointerType(storage, type), storage);
        const uint32_t location[] = {m_route.location};
        m_module.decorate(variable, spv::Decoration::Location, location);
        return variable;
    }

    Id createInput(Id type)
    {
        const Id variable = createVariable(spv::StorageClass::Input, type);
        m_module.setName(variable, "received_sequence");
        if (m_variant.model == spv::ExecutionModel::Fragment)
            m_module.decorate(variable, spv::Decoration::Flat);
        else if (m_variant.model == spv::ExecutionModel::TessellationEvaluation)
            m_module.decorate(variable, spv::Decoration::Patch);
        return variable;
    }

    Id createOutput()
    {
        const Id variable = createVariable(spv::StorageClass::Output, m_word);
        m_module.setName(variable, "sent_sequence");
        if (m_variant.model == spv::ExecutionModel::TessellationControl)
            m_module.decorate(variable, spv::Decoration::Patch);
        return variable;
    }

    void send(Emitter& out, Id output)
    {
        out.emitVoid(spv::Op::OpStore, {output, out.emit(spv::Op::OpLoad, m_word, {m_variant.sequence})});
    }

    // Outputs are undefined behind each vertex.
    void sendWithVertices()
    {
        const Id output = createOutput();
        for (spirv::Function& function : m_module.functions) {
            spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) {
                if (i.op == spv::Op::OpEmitVertex || i.op == spv::Op::OpEmitStreamVertex)
                    send(out, output);
                out.keep(i);
            });
        }
    }

    // Behind the instruction that says how many vertices there are, which all invocations reach together.
    void sendWithOutputs()
    {
        const Id sender = createSender();
        for (spirv::Function& function : m_module.functions) {
            spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) {
                out.keep(i);
                if (i.op == spv::Op::OpSetMeshOutputsEXT)
                    out.call(sender, m_module.getVoidType(), {i.id(0)});
            });
        }
    }

    // In front of the instruction that ends the shader, which all invocations reach together.
    void sendWithPayload()
    {
        for (spirv::Function& function : m_module.functions) {
            spirv::rewriteFunction(m_module, function, [&](Instruction i, Emitter& out) {
                if (i.op == spv::Op::OpEmitMeshTasksEXT) {
                    send(out, pointerTo(out, m_payload, m_word));
                    if (i.operandCount() == 3)
                        i.add(m_payload.variable);
                }
                out.keep(i);
            });
        }
    }

    // A function of the number of vertices, which the invocations of a workgroup share.
    Id createSender()
    {
        shader::FunctionWriter writer(m_module);
        const Id count = writer.addParameter(m_word);
        const Id pointer = m_module.getPointerType(spv::StorageClass::Output, m_word);
        const Id output = createArrayOutput(mostVertices());
        writer.beginBlock();
        Emitter out = writer.out();
        const Id own = loadBuiltIn(out, spv::BuiltIn::LocalInvocationIndex, m_word);
        const Id size = groupSize(out);
        const Id sequence = out.emit(spv::Op::OpLoad, m_word, {m_variant.sequence});
        const Id more = out.emit(spv::Op::OpIAdd, m_word, {count, size});
        const Id last = out.emit(spv::Op::OpISub, m_word, {more, m_module.getConstant(1)});
        const Id left = out.emit(spv::Op::OpISub, m_word, {last, own});
        writer.forEach(out.emit(spv::Op::OpUDiv, m_word, {left, size}), [&](Id round) {
            Emitter inside = writer.out();
            const Id before = inside.emit(spv::Op::OpIMul, m_word, {round, size});
            const Id vertex = inside.emit(spv::Op::OpIAdd, m_word, {before, own});
            inside.emitVoid(spv::Op::OpStore,
                            {inside.emit(spv::Op::OpAccessChain, pointer, {output, vertex}), sequence});
        });
        return writer.finish();
    }

    Id createArrayOutput(uint32_t length)
    {
        const Id array = m_module.newId();
        const Id count = m_module.getConstant(length);
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, array).add(m_word).add(count));
        const Id variable = createVariable(spv::StorageClass::Output, array);
        m_module.setName(variable, "sent_sequence");
        return variable;
    }

    uint32_t mostVertices() const
    {
        for (const Instruction& i : m_module.section(Section::ExecutionModes))
            if (static_cast<spv::ExecutionMode>(i.literal(1)) == spv::ExecutionMode::OutputVertices)
                return i.literal(2);
        return 1;
    }

    // Invocations of a workgroup. The constant WorkgroupSize wins over execution modes.
    Id groupSize(Emitter& out)
    {
        for (const Instruction& i : m_module.section(Section::Annotations)) {
            const bool isSize = i.op == spv::Op::OpDecorate && i.operandCount() > 2 &&
                                i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                                i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
            if (isSize)
                return product(out, partsOf(out, i.id(0)));
        }
        for (const Instruction& i : m_module.section(Section::ExecutionModes)) {
            const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
            if (mode == spv::ExecutionMode::LocalSizeId)
                return product(out, {i.id(2), i.id(3), i.id(4)});
            if (mode == spv::ExecutionMode::LocalSize)
                return m_module.getConstant(i.literal(2) * i.literal(3) * i.literal(4));
        }
        return m_module.getConstant(1);
    }

    std::array<Id, 3> partsOf(Emitter& out, Id size)
    {
        std::array<Id, 3> parts;
        for (uint32_t k = 0; k < 3; ++k) {
            parts[k] = m_module.newId();
            out.keep(spirv::instruction(spv::Op::OpCompositeExtract, m_word, parts[k]).add(size).add(k));
        }
        return parts;
    }

    Id product(Emitter& out, const std::array<Id, 3>& parts)
    {
        return out.emit(spv::Op::OpIMul, m_word, {out.emit(spv::Op::OpIMul, m_word, {parts[0], parts[1]}), parts[2]});
    }

    Variant& m_variant;
    Module& m_module;
    SequenceRoute m_route;
    const Layout& m_layout;
    ArgumentLoads m_loads;
    Id m_word;
    PayloadWord m_payload;
};

}  // namespace

Status handOnSequence(Variant& variant, const SequenceRoute& route, const Layout& layout)
{
    return Route(variant, route, layout).write();
}

bool readsDrawIndex(const Module& module)
{
    const spirv::IdSet used = spirv::usedInFunctions(module);
    for (const Id variable : findInputs(module, spv::BuiltIn::DrawIndex))
        if (used.contains(variable))
            return true;
    return false;
}

Status lowerDrawIndex(Module& module)
{
    shader::Failure failure("lowerDrawIndex");
    for (const Id variable : findInputs(module, spv::BuiltIn::DrawIndex)) {
        const Id zero = shader::getNull(module, module.pointee(module.typeOf(variable)));
        if (!makePrivate(module, variable, failure))
            break;
        module.findDefinition(variable)->add(zero);
    }
    return failure.status();
}

Status fetchDrawIndex(Variant& variant, const Layout& layout)
{
    Module& module = variant.module;
    const std::vector<Id> variables = findInputs(module, spv::BuiltIn::DrawIndex);
    const Status status = lowerDrawIndex(module);
    if (!status || variables.empty())
        return status;
    spirv::InstructionList start;
    Emitter out(module, start);
    ArgumentLoads loads(variant);
    const LongWords where = loads.add(out, loads.drawEntry(out, layout), offsetof(abi::DrawEntry, drawIndex));
    const Id number = loads.load(out, where, loads.wordType(), 4);
    for (const Id variable : variables) {
        const Id type = module.pointee(module.typeOf(variable));
        const Id value = type == loads.wordType() ? number : out.emit(spv::Op::OpBitcast, type, {number});
        out.emitVoid(spv::Op::OpStore, {variable, value});
    }
    shader::insertBehindVariables(*module.findFunction(variant.entry), start);
    return {};
}

}  // namespace millrace::commands
