// SPDX-License-Identifier: Apache-2.0
#include "commands/hand_on_sequence.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "abi/commands.h"
#include "commands/interface_locations.h"
#include "compiler/diagnose.h"
#include "compiler/function_writer.h"
#include "compiler/globals.h"
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

    void write()
    {
        spirv::InstructionList start;
        Emitter out(m_module, start);
        if (m_route.isReceived) {
            out.emitVoid(spv::Op::OpStore, {m_variant.sequence, receive(out)});
        }
        if (m_route.isSent && m_variant.model == spv::ExecutionModel::Geometry) {
            sendWithVertices();
        } else if (m_route.isSent) {
            send(out, createOutput());
        }
        compiler::insertBehindVariables(*m_module.findFunction(m_variant.entry), start);
    }

private:
    Id receive(Emitter& out)
    {
        switch (m_variant.model) {
            case spv::ExecutionModel::Vertex:
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
        if (hasDrawTable(m_layout)) {
            static_assert(offsetof(abi::DrawEntry, sequence) == 0);
            return m_loads.load(out, m_loads.drawEntry(out), m_word, sizeof(abi::DrawEntry));
        }
        m_module.addCapability(spv::Capability::DrawParameters);
        const Id pointer = m_module.getPointerType(spv::StorageClass::Input, m_word);
        const Id variable = m_module.createVariable(pointer, spv::StorageClass::Input);
        const uint32_t builtIn[] = {static_cast<uint32_t>(spv::BuiltIn::DrawIndex)};
        m_module.decorate(variable, spv::Decoration::BuiltIn, builtIn);
        m_module.setName(variable, "sequence_draw");
        const Id draw = out.emit(spv::Op::OpLoad, m_word, {variable});
        const Id first = m_loads.word(out, offsetof(abi::SequenceArguments, firstSequence));
        return out.emit(spv::Op::OpIAdd, m_word, {first, draw});
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
            if (isInput && m_module.constantValue(m_module.findDefinition(m_module.pointee(i.type))->id(1), length)) {
                return length;
            }
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
        if (m_variant.model == spv::ExecutionModel::Fragment) {
            m_module.decorate(variable, spv::Decoration::Flat);
        } else if (m_variant.model == spv::ExecutionModel::TessellationEvaluation) {
            m_module.decorate(variable, spv::Decoration::Patch);
        }
        return variable;
    }

    Id createOutput()
    {
        const Id variable = createVariable(spv::StorageClass::Output, m_word);
        m_module.setName(variable, "sent_sequence");
        if (m_variant.model == spv::ExecutionModel::TessellationControl) {
            m_module.decorate(variable, spv::Decoration::Patch);
        }
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
                if (i.op == spv::Op::OpEmitVertex || i.op == spv::Op::OpEmitStreamVertex) {
                    send(out, output);
                }
                out.keep(i);
            });
        }
    }

    Variant& m_variant;
    Module& m_module;
    SequenceRoute m_route;
    const Layout& m_layout;
    ArgumentLoads m_loads;
    Id m_word;
};

}  // namespace

void handOnSequence(Variant& variant, const SequenceRoute& route, const Layout& layout)
{
    Route(variant, route, layout).write();
}

bool readsDrawIndex(const Module& module)
{
    const spirv::IdSet used = spirv::usedInFunctions(module);
    for (const Id variable : findInputs(module, spv::BuiltIn::DrawIndex)) {
        if (used.contains(variable)) {
            return true;
        }
    }
    return false;
}

Status lowerDrawIndex(Module& module)
{
    compiler::Failure failure("lowerDrawIndex");
    for (const Id variable : findInputs(module, spv::BuiltIn::DrawIndex)) {
        const Id zero = compiler::getNull(module, module.pointee(module.typeOf(variable)));
        if (!makePrivate(module, variable, failure)) {
            break;
        }
        module.findDefinition(variable)->add(zero);
    }
    return failure.status();
}

Status fetchDrawIndex(Variant& variant)
{
    Module& module = variant.module;
    const std::vector<Id> variables = findInputs(module, spv::BuiltIn::DrawIndex);
    const Status status = lowerDrawIndex(module);
    if (!status || variables.empty()) {
        return status;
    }
    spirv::InstructionList start;
    Emitter out(module, start);
    ArgumentLoads loads(variant);
    const LongWords where = loads.add(out, loads.drawEntry(out), offsetof(abi::DrawEntry, drawIndex));
    const Id number = loads.load(out, where, loads.wordType(), 4);
    for (const Id variable : variables) {
        const Id type = module.pointee(module.typeOf(variable));
        const Id value = type == loads.wordType() ? number : out.emit(spv::Op::OpBitcast, type, {number});
        out.emitVoid(spv::Op::OpStore, {variable, value});
    }
    compiler::insertBehindVariables(*module.findFunction(variant.entry), start);
    return {};
}

}  // namespace millrace::commands
