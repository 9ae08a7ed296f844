// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/mesh.h"
#include "commands/interface_locations.h"
#include "mesh/compute_vertex.h"
#include "mesh/find_place.h"
#include "mesh/passes.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "spirv/edit.h"

namespace millrace::mesh {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr float kFarAway = 1e20f;  // of all that can be seen, whatever is clipped

constexpr char kSizes[] = "PointSize beside positions of several views (docs/gpu.md)";

constexpr spv::Capability kKept[] = {
    spv::Capability::Shader,
    spv::Capability::Int8,
    spv::Capability::Int16,
    spv::Capability::Int64,
    spv::Capability::Float16,
    spv::Capability::Float64,
    spv::Capability::Matrix,
    spv::Capability::ClipDistance,
    spv::Capability::CullDistance,
    spv::Capability::StorageInputOutput16,
    spv::Capability::StorageBuffer16BitAccess,
    spv::Capability::StorageBuffer8BitAccess,
};

class Draw {
public:
    Draw(commands::Variant& vertex, const VertexCode* code, const MeshOutputs& outputs, const OutputAreas& areas,
         const PrimitiveInputs& inputs, const Target& target, const MeshLayout& layout)
        : m_vertex(vertex),
          m_module(vertex.module),
          m_code(code),
          m_outputs(outputs),
          m_areas(areas),
          m_inputs(inputs),
          m_target(target),
          m_viewMask(layout.viewMask),
          m_indices(layout.indices),
          m_writer(vertex.module)
    {
    }

    Status run()
    {
        clear();
        if (m_code)
            m_compute.emplace(m_vertex, *m_code, m_outputs.maxVertices, m_target.vertexStores);
        if (const Status status = m_compute ? m_compute->prepare() : commands::declareArguments(m_vertex); !status)
            return status;
        m_loads.emplace(m_vertex);
        m_finder.emplace(m_writer, *m_loads, m_module, m_outputs, m_areas, m_viewMask);
        const Id quad = m_module.getVectorType(real(), 4);
        const Id position = writtenAtEnd(createBuiltIn(spv::BuiltIn::Position, quad), quad);
        m_writer.beginBlock();
        store(position, farAway());
        chooseFirst(position);
        if (m_indices)
            drawEitherWay(position);
        else
            drawCorner(position);
        writeLate();
        finish();
        return m_failure.status();
    }

private:
    // Vertices are numbered by the primitives.
    void drawCorner(Id position)
    {
        m_place = m_finder->byNumber();
        const Id joinThere = m_module.newId(), join = m_module.newId();
        if (m_viewMask != 0)
            m_writer.beginIf(m_place.isThere, joinThere);
        beginDrawn(join);
        m_vertexIndex = findVertex(m_place.corner);
        const BuiltInOutput* const clip = m_viewMask != 0 ? m_outputs.find(spv::BuiltIn::ClipDistance) : nullptr;
        const Id joinInside = m_module.newId();
        if (clip)
            m_writer.beginIf(isInside(*clip), joinInside);
        writeVertex(position);
        if (clip)
            m_writer.endIf(joinInside);
        m_writer.endIf(join);
        if (m_viewMask != 0)
            m_writer.endIf(joinThere);
    }

    // Vertices are numbered likewise, or by indices.
    void drawEitherWay(Id position)
    {
        const Id pair = m_module.getVectorType(word(), 2), boolean = m_module.getBoolType();
        const Found found{createPrivate(pair), createPrivate(word()), createPrivate(word())};
        store(found.isDrawn, number(0));
        const Id joinIndexed = m_module.newId(), joinCorner = m_module.newId(), join = m_module.newId();
        Emitter before = m_writer.out();
        const Id given = m_loads->word(before, offsetof(abi::SequenceArguments, firstSequence));
        m_writer.beginIf(emit(spv::Op::OpINotEqual, boolean, {given, number(0)}), joinIndexed);
        const IndexedPlace indexed = m_finder->byIndex(*m_indices);
        m_vertexIndex = indexed.index;
        m_place.vertices = indexed.vertices;
        keepPlace(found, emit(spv::Op::OpSelect, word(), {indexed.isDrawn, number(1), number(0)}));
        m_writer.endIf(joinIndexed);
        m_writer.beginIf(emit(spv::Op::OpIEqual, boolean, {given, number(0)}), joinCorner);
        m_place = m_finder->byNumber();
        const Id joinDrawn = m_module.newId();
        beginDrawn(joinDrawn);
        m_vertexIndex = findVertex(m_place.corner);
        keepPlace(found, number(1));
        m_writer.endIf(joinDrawn);
        m_writer.endIf(joinCorner);
        const Id isDrawn = emit(spv::Op::OpLoad, word(), {found.isDrawn});
        m_writer.beginIf(emit(spv::Op::OpINotEqual, boolean, {isDrawn, number(0)}), join);
        const Id vertices = emit(spv::Op::OpLoad, pair, {found.vertices});
        Emitter out = m_writer.out();
        const Id low = component(out, vertices, 0);
        m_place.vertices = {low, component(out, vertices, 1)};
        m_vertexIndex = emit(spv::Op::OpLoad, word(), {found.index});
        writeVertex(position);
        m_writer.endIf(join);
    }

    void writeVertex(Id position)
    {
        if (m_compute)
            m_compute->run(m_writer, m_place.vertices, m_vertexIndex);
        writeBuiltIns(position);
        writeVaryings();
    }

    // Private variables: where the vertices of the workgroup are, which one it is, and whether it is drawn.
    struct Found {
        Id vertices;
        Id index;
        Id isDrawn;
    };

    void keepPlace(const Found& found, Id isDrawn)
    {
        Emitter out = m_writer.out();
        store(found.vertices, m_loads->pair(out, m_place.vertices));
        store(found.index, m_vertexIndex);
        store(found.isDrawn, isDrawn);
    }

    Id word() { return m_module.getIntType(32, false); }
    Id real() { return m_module.getFloatType(32); }
    Id number(uint32_t value) { return m_module.getConstant(value); }
    Id emit(spv::Op op, Id type, std::initializer_list<Id> operands) { return m_writer.out().emit(op, type, operands); }
    void store(Id variable, Id value) { m_writer.out().emitVoid(spv::Op::OpStore, {variable, value}); }

    // Of the mesh shader's module only types and decorations are of use.
    void clearCode()
    {
        m_module.functions.clear();
        m_module.trailing.clear();
        m_module.section(Section::ExecutionModes).clear();
        std::erase_if(m_module.section(Section::Capabilities), [](const Instruction& i) {
            return std::ranges::find(kKept, static_cast<spv::Capability>(i.literal(0))) == std::end(kKept);
        });
        for (Instruction& i : m_module.section(Section::MemoryModel))
            i.setLiteral(1, static_cast<uint32_t>(spv::MemoryModel::GLSL450));
    }

    void clear()
    {
        if (!m_code)
            clearCode();
        m_module.section(Section::EntryPoints).clear();
        removeMeshDeclarations(m_module);
        std::vector<Id> variables;
        for (const Instruction& i : m_module.section(Section::Globals))
            if (i.op == spv::Op::OpVariable && !isHandedOn(i.result) && (!m_code || isOutput(i)))
                variables.push_back(i.result);
        for (const Id variable : variables)
            shader::forget(m_module, variable);
        std::erase_if(m_module.section(Section::Globals), [&](const Instruction& i) {
            return i.op == spv::Op::OpVariable && std::ranges::count(variables, i.result) > 0;
        });
        m_vertex.model = spv::ExecutionModel::Vertex;
    }

    static bool isOutput(const Instruction& variable)
    {
        return variable.literal(0) == static_cast<uint32_t>(spv::StorageClass::Output);
    }

    // What has a location. With indices nobody reads what is per primitive.
    bool isVarying(const Output& output) const { return !output.isBuiltIn && !(m_indices && output.isPerPrimitive); }

    bool isHandedOn(Id variable) const
    {
        return std::ranges::any_of(m_outputs.variables, [&](const Output& output) {
            return output.variable == variable && isVarying(output);
        });
    }

    Id createBuiltIn(spv::BuiltIn builtIn, Id type)
    {
        constexpr auto kOutput = spv::StorageClass::Output;
        const Id variable = m_module.createVariable(m_module.getPointerType(kOutput, type), kOutput);
        const uint32_t literal[] = {static_cast<uint32_t>(builtIn)};
        m_module.decorate(variable, spv::Decoration::BuiltIn, literal);
        return variable;
    }

    // The variable that stands for an output which has a value in any case. Outputs are written once, behind all
    // branches: with several views, NVIDIA's driver draws wrongly where a branch writes ViewportIndex again
    // (docs/gpu.md).
    Id writtenAtEnd(Id output, Id type)
    {
        const Id variable = createPrivate(type);
        m_late.push_back({output, variable, type});
        return variable;
    }

    Id createPrivate(Id type)
    {
        constexpr auto kPrivate = spv::StorageClass::Private;
        return m_module.createVariable(m_module.getPointerType(kPrivate, type), kPrivate);
    }

    void writeLate()
    {
        for (const Late& late : m_late)
            store(late.output, emit(spv::Op::OpLoad, late.type, {late.variable}));
    }

    Id farAway()
    {
        const Id value = m_module.newId();
        uint32_t bits = 0;
        static_assert(sizeof bits == sizeof kFarAway);
        std::memcpy(&bits, &kFarAway, sizeof bits);
        m_module.section(Section::Globals).push_back(spirv::instruction(spv::Op::OpConstant, real(), value).add(bits));
        return emit(spv::Op::OpCompositeConstruct, m_module.getVectorType(real(), 4), {value, value, value, one()});
    }

    // NVIDIA's compiler ends the process or makes wrong code where the views' positions differ and PointSize is
    // written (docs/gpu.md).
    bool mayHaveSizes() const { return m_viewMask == 0 || m_target.viewPointSizes; }
    // They are what they are where nobody writes them.
    bool leavesSizes() const { return !mayHaveSizes() && m_target.unwrittenPointSizes && m_outputs.hasUnitSizes; }

    // What is not drawn has a layer, a viewport and a rate all the same, and one that there is: others are undefined
    // behavior. Likewise a size, and distances at which nothing is clipped.
    void chooseFirst(Id position)
    {
        constexpr spv::BuiltIn kAlways[] = {spv::BuiltIn::ClipDistance,  spv::BuiltIn::CullDistance,
                                            spv::BuiltIn::Layer,         spv::BuiltIn::PointSize,
                                            spv::BuiltIn::ViewportIndex, spv::BuiltIn::PrimitiveShadingRateKHR};
        for (const BuiltInOutput& builtIn : m_outputs.builtIns) {
            const bool isChosen = std::ranges::find(kAlways, builtIn.builtIn) != std::end(kAlways);
            if (const Id target = isChosen ? targetOf(builtIn, position) : Id{})
                store(target,
                      builtIn.builtIn == spv::BuiltIn::PointSize ? one() : shader::getNull(m_module, builtIn.type));
        }
        // Points have a size, written or not.
        if (m_outputs.corners != 1 || m_outputs.find(spv::BuiltIn::PointSize))
            return;
        if (mayHaveSizes())
            store(createBuiltIn(spv::BuiltIn::PointSize, real()), one());
        else if (!m_target.unwrittenPointSizes)
            cannotWrite(std::string(kSizes) + ", and points need it without VK_KHR_maintenance5");
    }

    Id one()
    {
        constexpr uint32_t kOne = 0x3f800000;
        const Id value = m_module.newId();
        m_module.section(Section::Globals).push_back(spirv::instruction(spv::Op::OpConstant, real(), value).add(kOne));
        return value;
    }

    // `indices`: the first is that of the vertex or primitive.
    Area::Place place(size_t number, const std::vector<Id>& indices)
    {
        const Output& output = m_outputs.variables[number];
        const Area& area = m_areas.of(output);
        Emitter out = m_writer.out();
        const Id offset = emit(spv::Op::OpIMul, word(), {indices[0], m_module.getConstant(area.stride())});
        const spirv::LongWords begin = output.isPerPrimitive ? m_place.primitives : m_place.vertices;
        const spirv::LongWords element = m_loads->math().add(out, begin, {offset, m_module.getConstant(0)});
        return area.place(out, area.pointTo(m_vertex, out, element), m_areas.members[number],
                          {indices.begin() + 1, indices.end()});
    }

    Id load(size_t output, const std::vector<Id>& indices, Id type)
    {
        Emitter out = m_writer.out();
        return m_areas.of(m_outputs.variables[output]).load(out, place(output, indices), type);
    }

    Id loadOfPrimitive(const BuiltInOutput& builtIn)
    {
        return load(builtIn.output, chain(m_place.primitive, builtIn), builtIn.type);
    }

    std::vector<Id> chain(Id element, const BuiltInOutput& builtIn)
    {
        std::vector<Id> indices{element};
        if (builtIn.member)
            indices.push_back(number(*builtIn.member));
        return indices;
    }

    // Primitives that are culled have a place all the same.
    void beginDrawn(Id join)
    {
        const BuiltInOutput* cull = m_outputs.find(spv::BuiltIn::CullPrimitiveEXT);
        m_writer.beginIf(cull ? emit(spv::Op::OpLogicalNot, m_module.getBoolType(), {loadOfPrimitive(*cull)})
                              : m_module.getConstantBool(true),
                         join);
    }

    // False where all corners are outside of the same half-space, so that nothing of the primitive is seen. It is drawn
    // far away then, and not clipped: with several views, NVIDIA's driver draws what the first one clips away in none
    // (docs/gpu.md).
    Id isInside(const BuiltInOutput& clip)
    {
        const Id boolean = m_module.getBoolType();
        uint32_t count = 0;
        m_module.constantValue(m_module.findDefinition(clip.type)->id(1), count);
        Id inside = m_module.getConstantBool(true);
        for (uint32_t distance = 0; distance < count; ++distance) {
            Id outside = m_module.getConstantBool(true);
            for (uint32_t corner = 0; corner < m_outputs.corners; ++corner) {
                std::vector<Id> where = chain(findVertex(number(corner)), clip);
                where.push_back(number(distance));
                const Id value = load(clip.output, where, real());
                const Id isNegative =
                    emit(spv::Op::OpFOrdLessThan, boolean, {value, shader::getNull(m_module, real())});
                outside = emit(spv::Op::OpLogicalAnd, boolean, {outside, isNegative});
            }
            inside = emit(spv::Op::OpLogicalAnd, boolean, {inside, emit(spv::Op::OpLogicalNot, boolean, {outside})});
        }
        return inside;
    }

    Id findVertex(Id corner)
    {
        const BuiltInOutput* indices = m_outputs.findIndices();
        if (!indices)
            return number(0);  // nothing is ever drawn
        std::vector<Id> where = chain(m_place.primitive, *indices);
        if (m_outputs.corners > 1)
            where.push_back(corner);
        const Instruction* type = m_module.findDefinition(indices->type);
        const Id component = type->op == spv::Op::OpTypeVector ? type->id(0) : indices->type;
        const Id value = load(indices->output, where, component);
        const Id index = component == word() ? value : emit(spv::Op::OpBitcast, word(), {value});
        // Whatever the shader wrote, nothing else's memory is read.
        const Id isThere = emit(spv::Op::OpULessThan, m_module.getBoolType(), {index, m_place.vertexCount});
        return emit(spv::Op::OpSelect, word(), {isThere, index, number(0)});
    }

    void writeBuiltIns(Id position)
    {
        for (const BuiltInOutput& builtIn : m_outputs.builtIns)
            if (const Id target = targetOf(builtIn, position))
                store(target, valueOf(builtIn));
    }

    Id valueOf(const BuiltInOutput& builtIn)
    {
        const bool isPerPrimitive = m_outputs.variables[builtIn.output].isPerPrimitive;
        if (m_code && !isPerPrimitive)
            return computed({builtIn.output, builtIn.member}, builtIn.type);
        return load(builtIn.output, chain(isPerPrimitive ? m_place.primitive : m_vertexIndex, builtIn), builtIn.type);
    }

    // Behind what ComputeVertex::run() has written.
    Id computed(const VertexValue& value, Id type) { return emit(spv::Op::OpLoad, type, {m_code->values.at(value)}); }

    // The output of the vertex shader; none if it has no use here.
    Id targetOf(const BuiltInOutput& builtIn, Id position)
    {
        switch (builtIn.builtIn) {
            case spv::BuiltIn::Position:
                return position;
            case spv::BuiltIn::PointSize:
                return m_outputs.corners == 1 && !leavesSizes()
                           ? chosen(builtIn, mayHaveSizes(), spv::Capability::Shader, kSizes)
                           : Id{};
            case spv::BuiltIn::ClipDistance:
                return chosen(builtIn, true, spv::Capability::ClipDistance, "");
            case spv::BuiltIn::CullDistance:
                return chosen(builtIn, true, spv::Capability::CullDistance, "");
            case spv::BuiltIn::Layer:
                return chosen(builtIn, m_target.layers, spv::Capability::ShaderLayer, "Layer (shaderOutputLayer)");
            case spv::BuiltIn::ViewportIndex:
                return chosen(builtIn, m_target.viewports, spv::Capability::ShaderViewportIndex,
                              "ViewportIndex (shaderOutputViewportIndex)");
            case spv::BuiltIn::PrimitiveId:
                return m_inputs.primitiveId ? primitiveId(builtIn.type) : Id{};
            case spv::BuiltIn::PrimitiveShadingRateKHR:
                m_module.addExtension("SPV_KHR_fragment_shading_rate");
                return chosen(builtIn, m_target.shadingRates, spv::Capability::FragmentShadingRateKHR,
                              "PrimitiveShadingRateKHR (primitiveFragmentShadingRate)");
            default:
                return {};  // indices and what is culled
        }
    }

    void cannotWrite(const std::string& what) { m_failure.at("", "vertex shaders of the device cannot write " + what); }

    Id chosen(const BuiltInOutput& builtIn, bool isSupported, spv::Capability capability, const std::string& name)
    {
        if (const auto known = m_chosen.find(builtIn.builtIn); known != m_chosen.end())
            return known->second;
        if (!isSupported) {
            cannotWrite(name);
            return {};
        }
        m_module.addCapability(capability);
        const Id variable = writtenAtEnd(createBuiltIn(builtIn.builtIn, builtIn.type), builtIn.type);
        m_chosen[builtIn.builtIn] = variable;
        return variable;
    }

    Id primitiveId(Id type)
    {
        const Id pointer = m_module.getPointerType(spv::StorageClass::Output, type);
        const Id variable = m_module.createVariable(pointer, spv::StorageClass::Output);
        const uint32_t location[] = {*m_inputs.primitiveId};
        m_module.decorate(variable, spv::Decoration::Location, location);
        return variable;
    }

    // Variables at locations stay, for one vertex.
    void writeVaryings()
    {
        for (size_t v = 0; v < m_outputs.variables.size(); ++v) {
            const Output& output = m_outputs.variables[v];
            if (!isVarying(output))
                continue;
            const Id pointer = m_module.getPointerType(spv::StorageClass::Output, output.element);
            m_module.findDefinition(output.variable)->type = pointer;
            if (m_code && !output.isPerPrimitive) {
                store(output.variable, computed({v, std::nullopt}, output.element));
                continue;
            }
            Emitter out = m_writer.out();
            const Id element = output.isPerPrimitive ? m_place.primitive : m_vertexIndex;
            m_areas.of(output).copy(out, place(v, {element}), output.variable, output.element);
        }
    }

    void finish()
    {
        m_vertex.entry = m_writer.finish();
        for (Instruction& mode : m_module.section(Section::ExecutionModes))
            mode.setId(0, m_vertex.entry);
        m_module.section(Section::EntryPoints)
            .push_back(spirv::instruction(spv::Op::OpEntryPoint)
                           .add(static_cast<uint32_t>(spv::ExecutionModel::Vertex))
                           .add(m_vertex.entry)
                           .add("main"));
    }

    commands::Variant& m_vertex;
    Module& m_module;
    const VertexCode* const m_code;  // null: vertices are in memory
    const MeshOutputs& m_outputs;
    const OutputAreas& m_areas;
    const PrimitiveInputs& m_inputs;
    const Target& m_target;
    const uint32_t m_viewMask;
    const std::optional<MeshIndices> m_indices;
    shader::FunctionWriter m_writer;
    struct Late {
        Id output;
        Id variable;
        Id type;
    };
    std::vector<Late> m_late;
    std::map<spv::BuiltIn, Id> m_chosen;  // variables of outputs that have a value in any case
    VertexPlace m_place;
    Id m_vertexIndex;
    std::optional<commands::ArgumentLoads> m_loads;
    std::optional<PlaceFinder> m_finder;
    std::optional<ComputeVertex> m_compute;  // where there is code
    shader::Failure m_failure{"drawVertices"};
};

}  // namespace

Status drawVertices(commands::Variant& vertex, const VertexCode* code, const MeshOutputs& outputs,
                    const OutputAreas& areas, const PrimitiveInputs& inputs, const Target& target,
                    const MeshLayout& layout)
{
    return Draw(vertex, code, outputs, areas, inputs, target, layout).run();
}

}  // namespace millrace::mesh
