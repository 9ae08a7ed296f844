// SPDX-License-Identifier: Apache-2.0
// Mesh and amplification shaders as those of SPV_EXT_mesh_shader.
#include <algorithm>

#include "dxil/emitter.h"
#include "dxil/opcodes.h"

namespace millrace::dxil {

using spirv::Instruction;
using spirv::instruction;

namespace {

constexpr uint32_t kGroupMemory = 2;  // of emitBarrier()

bool isPrimitiveStore(const Value& call)
{
    return opcodeOf(call) == opcode::StorePrimitiveOutput;
}

// What Vulkan has as a built-in of vertices or primitives; none for what is not one.
std::optional<spv::BuiltIn> builtInOf(SemanticKind kind, bool isPrimitive)
{
    switch (kind) {
        case SemanticKind::Position:
            return isPrimitive ? std::nullopt : std::optional(spv::BuiltIn::Position);
        case SemanticKind::ClipDistance:
            return isPrimitive ? std::nullopt : std::optional(spv::BuiltIn::ClipDistance);
        case SemanticKind::CullDistance:
            return isPrimitive ? std::nullopt : std::optional(spv::BuiltIn::CullDistance);
        case SemanticKind::PrimitiveId:
            return isPrimitive ? std::optional(spv::BuiltIn::PrimitiveId) : std::nullopt;
        case SemanticKind::Layer:
            return isPrimitive ? std::optional(spv::BuiltIn::Layer) : std::nullopt;
        case SemanticKind::Viewport:
            return isPrimitive ? std::optional(spv::BuiltIn::ViewportIndex) : std::nullopt;
        case SemanticKind::ShadingRate:
            return isPrimitive ? std::optional(spv::BuiltIn::PrimitiveShadingRateKHR) : std::nullopt;
        case SemanticKind::CullPrimitive:
            return isPrimitive ? std::optional(spv::BuiltIn::CullPrimitiveEXT) : std::nullopt;
        default:
            return std::nullopt;
    }
}

bool isDistance(SemanticKind kind)
{
    return kind == SemanticKind::ClipDistance || kind == SemanticKind::CullDistance;
}

}  // namespace

void Emitter::declareMesh(Id function)
{
    using Mode = spv::ExecutionMode;
    spirv::InstructionList& modes = m_b.module().section(spirv::Section::ExecutionModes);
    const auto mode = [&](Mode which) {
        return instruction(spv::Op::OpExecutionMode).add(function).add(static_cast<uint32_t>(which));
    };
    // Vulkan wants room for one at least.
    modes.push_back(mode(Mode::OutputVertices).add(std::max(1u, m_entry.mesh.maxVertices)));
    modes.push_back(mode(Mode::OutputPrimitivesEXT).add(std::max(1u, m_entry.mesh.maxPrimitives)));
    modes.push_back(mode(m_entry.mesh.verticesPerPrimitive == 2 ? Mode::OutputLinesEXT : Mode::OutputTrianglesEXT));
}

// OpEmitMeshTasksEXT ends the shader, DispatchMesh need not, and all invocations must get there: so the program is a
// function that says how many workgroups it wants.
Id Emitter::taskMain(Id body)
{
    const Id uintType = m_b.uintType();
    const Id groupsType = m_b.vectorType(uintType, 3);
    spirv::Function out;
    const Id main = m_b.newId();
    out.definition =
        instruction(spv::Op::OpFunction, m_b.voidType(), main).add(0u).add(m_b.functionType(m_b.voidType(), {}));
    spirv::Block block;
    block.label = m_b.newId();
    m_b.setBlock(&block.body);
    m_b.emit(spv::Op::OpFunctionCall, m_b.voidType(), {body});
    Instruction emit = instruction(spv::Op::OpEmitMeshTasksEXT);
    const Id groups = m_meshGroups ? m_b.load(groupsType, m_meshGroups) : m_b.constant(groupsType, 0);
    for (uint32_t c = 0; c < 3; ++c)
        emit.add(m_b.extract(uintType, groups, c));
    if (m_payload)
        emit.add(m_payload);
    m_b.append(std::move(emit));
    out.blocks.push_back(std::move(block));
    m_b.module().functions.push_back(std::move(out));
    return main;
}

void Emitter::opSetMeshOutputs(const Value& call)
{
    m_b.emitVoid(spv::Op::OpSetMeshOutputsEXT, {getUint(call.operands[1]), getUint(call.operands[2])});
}

void Emitter::opEmitIndices(const Value& call)
{
    const uint32_t count = m_entry.mesh.verticesPerPrimitive;
    const Id type = m_b.vectorType(m_b.uintType(), count);
    if (!m_meshIndices) {
        // Per primitive by what it is, without the decoration.
        const Id array = m_b.arrayType(type, std::max(1u, m_entry.mesh.maxPrimitives));
        m_meshIndices = m_b.variable(spv::StorageClass::Output, array);
        const auto which =
            count == 2 ? spv::BuiltIn::PrimitiveLineIndicesEXT : spv::BuiltIn::PrimitiveTriangleIndicesEXT;
        m_b.decorate(m_meshIndices, spv::Decoration::BuiltIn, {static_cast<uint32_t>(which)});
    }
    std::vector<Id> vertices;
    for (uint32_t v = 0; v < count; ++v)
        vertices.push_back(getUint(call.operands[2 + v]));
    const Id place = m_b.emit(spv::Op::OpAccessChain, m_b.pointerType(spv::StorageClass::Output, type),
                              {m_meshIndices, getUint(call.operands[1])});
    m_b.store(place, m_b.construct(type, vertices));
}

const SignatureElement* Emitter::elementOf(const Value& call) const
{
    const auto& elements = isPrimitiveStore(call) ? m_entry.primitives : m_entry.outputs;
    const auto id = constantOf(call.operands[1]);
    const auto found =
        std::ranges::find_if(elements, [&](const SignatureElement& element) { return id == element.id; });
    return found == elements.end() ? nullptr : &*found;
}

Id Emitter::outputComponent(const SignatureElement& element)
{
    const auto narrow = [&] {
        if (m_ir.minPrecision)
            return 32u;
        m_b.capability(spv::Capability::StorageInputOutput16);
        return 16u;
    };
    switch (element.component) {
        case ComponentType::F16:
            return m_b.floatType(narrow());
        case ComponentType::F32:
            return m_b.floatType(32);
        case ComponentType::I16:
        case ComponentType::U16:
            return m_b.intType(narrow());
        case ComponentType::I1:
        case ComponentType::I32:
        case ComponentType::U32:
            return m_b.uintType();
        default:
            return unsupported("the output " + element.name + " of this type");
    }
}

// Registers are locations; those of primitives come behind those of vertices, since Vulkan numbers them together.
uint32_t Emitter::locationOf(const SignatureElement& element, bool isPrimitive) const
{
    uint32_t first = 0;
    for (const SignatureElement& vertex : m_entry.outputs)
        if (isPrimitive && vertex.startRow != kUnbounded)
            first = std::max(first, vertex.startRow + vertex.rows);
    return first + element.startRow;
}

// D3D12 has several elements of up to four distances each, Vulkan one array.
Id Emitter::builtInMember(const SignatureElement& element)
{
    if (element.kind == SemanticKind::CullPrimitive)
        return m_b.boolType();
    const Id component = outputComponent(element);
    if (!isDistance(element.kind))
        return m_b.vectorType(component, element.columns);
    const bool isClip = element.kind == SemanticKind::ClipDistance;
    m_b.capability(isClip ? spv::Capability::ClipDistance : spv::Capability::CullDistance);
    uint32_t count = 0;
    for (const SignatureElement& other : m_entry.outputs)
        count += other.kind == element.kind ? other.rows * other.columns : 0;
    return m_b.arrayType(component, count);
}

// One block, as compilers of GLSL write it: spirv-val does not take some built-ins as variables of their own, and Mesa
// does not find the position.
Id Emitter::builtInBlock(bool isPrimitive)
{
    std::vector<Id> members;
    for (const SignatureElement* element : builtInsOf(isPrimitive))
        members.push_back(builtInMember(*element));
    const Id block = m_b.structType(members);
    m_b.name(block, isPrimitive ? "PrimitiveBuiltIns" : "VertexBuiltIns");
    m_b.decorate(block, spv::Decoration::Block);
    uint32_t member = 0;
    for (const SignatureElement* element : builtInsOf(isPrimitive)) {
        const auto which = static_cast<uint32_t>(*builtInOf(element->kind, isPrimitive));
        m_b.decorateMember(block, member, spv::Decoration::BuiltIn, {which});
        if (isPrimitive)
            m_b.decorateMember(block, member, spv::Decoration::PerPrimitiveEXT);
        if (element->kind == SemanticKind::ShadingRate) {
            m_b.capability(spv::Capability::FragmentShadingRateKHR);
            m_b.extension("SPV_KHR_fragment_shading_rate");
        }
        ++member;
    }
    const uint32_t count = isPrimitive ? m_entry.mesh.maxPrimitives : m_entry.mesh.maxVertices;
    return m_b.variable(spv::StorageClass::Output, m_b.arrayType(block, std::max(1u, count)));
}

// The first element of each semantic.
std::vector<const SignatureElement*> Emitter::builtInsOf(bool isPrimitive) const
{
    std::vector<const SignatureElement*> out;
    for (const SignatureElement& element : isPrimitive ? m_entry.primitives : m_entry.outputs) {
        const bool isKnown = std::ranges::any_of(out, [&](const auto* other) { return other->kind == element.kind; });
        if (builtInOf(element.kind, isPrimitive) && !isKnown)
            out.push_back(&element);
    }
    return out;
}

Emitter::MeshOutput Emitter::builtInOutput(const SignatureElement& element, bool isPrimitive)
{
    Id& block = m_builtInBlocks[isPrimitive];
    if (!block)
        block = builtInBlock(isPrimitive);
    MeshOutput out;
    out.variable = block;
    out.component = element.kind == SemanticKind::CullPrimitive ? m_b.boolType() : outputComponent(element);
    const auto all = builtInsOf(isPrimitive);
    const auto found = std::ranges::find_if(all, [&](const auto* other) { return other->kind == element.kind; });
    out.member = static_cast<uint32_t>(found - all.begin());
    for (const SignatureElement& other : m_entry.outputs) {
        const bool isBefore = other.kind == element.kind && other.index < element.index;
        out.firstDistance += isDistance(element.kind) && isBefore ? other.rows * other.columns : 0;
    }
    return out;
}

const Emitter::MeshOutput& Emitter::meshOutput(const SignatureElement& element, bool isPrimitive)
{
    const auto known = m_meshOutputs.find(&element);
    if (known != m_meshOutputs.end())
        return known->second;
    MeshOutput& out = m_meshOutputs[&element];
    if (builtInOf(element.kind, isPrimitive))
        return out = builtInOutput(element, isPrimitive);
    if (element.kind != SemanticKind::Arbitrary || element.startRow == kUnbounded) {
        unsupported("the output " + element.name);
        return out;
    }
    out.component = outputComponent(element);
    const Id row = m_b.vectorType(out.component, element.columns);
    const uint32_t count = isPrimitive ? m_entry.mesh.maxPrimitives : m_entry.mesh.maxVertices;
    const Id type = element.rows > 1 ? m_b.arrayType(row, element.rows) : row;
    out.variable = m_b.variable(spv::StorageClass::Output, m_b.arrayType(type, std::max(1u, count)));
    m_b.name(out.variable, element.name + (element.index > 0 ? std::to_string(element.index) : ""));
    if (isPrimitive)
        m_b.decorate(out.variable, spv::Decoration::PerPrimitiveEXT);
    m_b.decorate(out.variable, spv::Decoration::Location, {locationOf(element, isPrimitive)});
    if (element.startColumn > 0)
        m_b.decorate(out.variable, spv::Decoration::Component, {element.startColumn});
    return out;
}

// The calls that store all columns of a row of one vertex or primitive, if this is one of them and they stand together.
std::vector<const Value*> Emitter::storesOfRow(const Value& call, uint32_t column, uint32_t columns)
{
    const auto isEqual = [&](const Value* a, const Value* b) {
        return a == b || (constantOf(a) && constantOf(a) == constantOf(b));
    };
    const auto& list = call.parent->instructions;
    const auto at = std::ranges::find(list, &call) - list.begin();
    const auto first = at - static_cast<std::ptrdiff_t>(column);
    std::vector<const Value*> out;
    for (auto i = first; i >= 0 && i < first + columns && static_cast<size_t>(i) < list.size(); ++i) {
        const Value& other = *list[static_cast<size_t>(i)];
        const bool isStore = other.op == Op::Call && other.function == call.function && other.operands.size() == 6;
        const bool isSame =
            isStore && isEqual(other.operands[0], call.operands[0]) && isEqual(other.operands[1], call.operands[1]) &&
            isEqual(other.operands[2], call.operands[2]) && isEqual(other.operands[5], call.operands[5]) &&
            constantOf(other.operands[3]) == static_cast<uint64_t>(i - first);
        if (!isSame)
            return {};
        out.push_back(&other);
    }
    return out.size() == columns ? out : std::vector<const Value*>();
}

Id Emitter::outputValue(const SignatureElement& element, Id component, const Value& value)
{
    const Type& type = *value.type;
    if (element.kind == SemanticKind::CullPrimitive && !type.isInt(1))
        return m_b.emit(spv::Op::OpINotEqual, m_b.boolType(), {getId(&value), m_b.constant(scalarType(type), 0)});
    if (m_b.bitsOf(scalarType(type)) != m_b.bitsOf(component))
        return unsupported("a store of " + type.text() + " to " + element.name);
    return m_b.bitcast(component, getId(&value), scalarType(type));
}

// Signature element, row, column, value, vertex or primitive. Rows are stored whole where they can be, which is less
// work, and what Mesa 25.0 needs: its software driver loses single components.
void Emitter::opStoreMeshOutput(const Value& call)
{
    const SignatureElement* element = elementOf(call);
    const auto column = static_cast<uint32_t>(constantOf(call.operands[3]).value_or(kUnbounded));
    if (!element || column >= element->columns) {
        unsupported("an output that the shader does not declare");
        return;
    }
    const MeshOutput& output = meshOutput(*element, isPrimitiveStore(call));
    if (!output.variable)
        return;
    const Id row = getUint(call.operands[2]);
    std::vector<Id> chain = {output.variable, getUint(call.operands[5])};
    if (output.member)
        chain.push_back(m_b.uintConstant(*output.member));
    const auto storeAt = [&](Id type, Id value) {
        const Id pointer = m_b.pointerType(spv::StorageClass::Output, type);
        m_b.store(m_b.emit(spv::Op::OpAccessChain, pointer, chain), value);
    };
    if (isDistance(element->kind)) {
        chain.push_back(m_b.add(m_b.mul(row, element->columns), m_b.uintConstant(output.firstDistance + column)));
        storeAt(output.component, outputValue(*element, output.component, *call.operands[4]));
        return;
    }
    if (element->rows > 1)
        chain.push_back(row);
    const auto all = storesOfRow(call, column, element->columns);
    if (!all.empty()) {
        if (&call == all.back()) {
            std::vector<Id> values;
            for (const Value* store : all)
                values.push_back(outputValue(*element, output.component, *store->operands[4]));
            const Id type = m_b.vectorType(output.component, element->columns);
            storeAt(type, m_b.construct(type, values));
        }
        return;
    }
    chain.push_back(m_b.uintConstant(column));
    storeAt(output.component, outputValue(*element, output.component, *call.operands[4]));
}

Id Emitter::payloadVariable(const Type& type)
{
    if (!m_payload) {
        m_payload = m_b.variable(spv::StorageClass::TaskPayloadWorkgroupEXT, memoryType(type, Form::Plain));
        m_b.name(m_payload, "payload");
    }
    return m_payload;
}

void Emitter::opMeshPayload(const Value& call)
{
    // The type is found by the name of the function.
    constexpr std::string_view kPrefix = "dx.op.getMeshPayload.";
    const std::string& name = call.function->name;
    const Type* type = name.starts_with(kPrefix) ? m_ir.findStruct(name.substr(kPrefix.size())) : nullptr;
    if (!type) {
        unsupported("a payload of unknown type");
        return;
    }
    auto pointer = std::make_shared<Pointer>();
    pointer->base = payloadVariable(*type);
    pointer->storage = spv::StorageClass::TaskPayloadWorkgroupEXT;
    pointer->type = type;
    Val out;
    out.pointer = std::move(pointer);
    set(call, std::move(out));
}

// Groupshared variables of floats that are changed by atomic operations are integers: those are copied one by one.
void Emitter::copyMemory(const Pointer& to, const Pointer& from)
{
    if (from.form == to.form) {
        Id type;
        const Id source = chain(from, type);
        m_b.emitVoid(spv::Op::OpCopyMemory, {chain(to, type), source});
        return;
    }
    const Type& type = *from.type;
    if (!type.isAggregate() && !isLong(type)) {
        storeTo(to, type, loadFrom(from, type));
        return;
    }
    const uint64_t count = type.isStruct() ? type.members.size() : type.count;
    for (uint32_t e = 0; e < count; ++e) {
        const auto element = [&](Pointer pointer) {
            pointer.within.push_back(&type);
            pointer.indices.push_back(m_b.uintConstant(e));
            pointer.type = type.isStruct() ? type.members[e] : type.element;
            return pointer;
        };
        copyMemory(element(to), element(from));
    }
}

// Group counts in three dimensions, payload.
void Emitter::opDispatchMesh(const Value& call)
{
    const Val payload = get(call.operands[4]);
    if (!payload.pointer || !payload.pointer->type->isStruct()) {
        unsupported("a payload that is no groupshared structure");
        return;
    }
    // What the others wrote must be there when one copies it.
    emitBarrier(kGroupMemory, true, spv::Scope::Workgroup);
    const Id invocation = builtIn(spv::BuiltIn::LocalInvocationIndex, m_b.uintType());
    const Id merge = openIf(m_b.emit(spv::Op::OpIEqual, m_b.boolType(), {invocation, m_b.uintConstant(0)}));
    Pointer to;
    to.base = payloadVariable(*payload.pointer->type);
    to.storage = spv::StorageClass::TaskPayloadWorkgroupEXT;
    to.type = payload.pointer->type;
    copyMemory(to, *payload.pointer);
    closeIf(merge);
    const Id type = m_b.vectorType(m_b.uintType(), 3);
    if (!m_meshGroups) {
        m_meshGroups = m_b.variable(spv::StorageClass::Private, type, m_b.constant(type, 0));
        m_b.name(m_meshGroups, "groups");
    }
    const Id groups[] = {getUint(call.operands[1]), getUint(call.operands[2]), getUint(call.operands[3])};
    m_b.store(m_meshGroups, m_b.construct(type, groups));
}

void Emitter::opViewId(const Value& call)
{
    m_b.capability(spv::Capability::MultiView);
    set(call, builtIn(spv::BuiltIn::ViewIndex, m_b.uintType()));
}

}  // namespace millrace::dxil
