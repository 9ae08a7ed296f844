// SPDX-License-Identifier: Apache-2.0
// Vertex and pixel shaders: what comes in, what goes out.
#include <algorithm>

#include "dxil/emitter.h"

namespace millrace::dxil {

using spirv::instruction;

void Emitter::declareGraphicsModes(Id function)
{
    using Mode = spv::ExecutionMode;
    constexpr uint64_t kEarlyDepth = 8;  // of the program's flags
    if (m_entry.kind != ShaderKind::Pixel)
        return;
    const auto add = [&](Mode mode) {
        m_b.module()
            .section(spirv::Section::ExecutionModes)
            .push_back(instruction(spv::Op::OpExecutionMode).add(function).add(static_cast<uint32_t>(mode)));
    };
    add(Mode::OriginUpperLeft);
    if (m_writesDepth)
        add(Mode::DepthReplacing);
    if ((m_info.flags & kEarlyDepth) != 0)
        add(Mode::EarlyFragmentTests);
}

std::optional<spv::BuiltIn> Emitter::graphicsBuiltIn(SemanticKind kind, bool isInput) const
{
    const bool isPixel = m_entry.kind == ShaderKind::Pixel;
    switch (kind) {
        case SemanticKind::VertexId:
            return spv::BuiltIn::VertexIndex;
        case SemanticKind::InstanceId:
            return spv::BuiltIn::InstanceIndex;
        case SemanticKind::Position:
            return isPixel ? spv::BuiltIn::FragCoord : spv::BuiltIn::Position;
        case SemanticKind::ClipDistance:
            return spv::BuiltIn::ClipDistance;
        case SemanticKind::CullDistance:
            return spv::BuiltIn::CullDistance;
        case SemanticKind::Layer:
            return spv::BuiltIn::Layer;
        case SemanticKind::Viewport:
            return spv::BuiltIn::ViewportIndex;
        case SemanticKind::PrimitiveId:
            return spv::BuiltIn::PrimitiveId;
        case SemanticKind::SampleIndex:
            return spv::BuiltIn::SampleId;
        case SemanticKind::IsFrontFace:
            return spv::BuiltIn::FrontFacing;
        case SemanticKind::Depth:
            return isInput ? std::nullopt : std::optional(spv::BuiltIn::FragDepth);
        default:
            return std::nullopt;
    }
}

void Emitter::decorateStageVariable(const SignatureElement& element, bool isInput, Id variable)
{
    const auto flag = [&](spv::Decoration decoration) { m_b.decorate(variable, decoration); };
    const bool isInteger = element.component < ComponentType::F16;
    const auto builtIn = graphicsBuiltIn(element.kind, isInput);
    if (builtIn) {
        m_b.decorate(variable, spv::Decoration::BuiltIn, {static_cast<uint32_t>(*builtIn)});
        m_writesDepth = m_writesDepth || *builtIn == spv::BuiltIn::FragDepth;
        const auto need = [&](spv::BuiltIn which, spv::Capability capability) {
            if (*builtIn == which)
                m_b.capability(capability);
        };
        need(spv::BuiltIn::ClipDistance, spv::Capability::ClipDistance);
        need(spv::BuiltIn::CullDistance, spv::Capability::CullDistance);
        need(spv::BuiltIn::PrimitiveId, spv::Capability::Geometry);
        need(spv::BuiltIn::SampleId, spv::Capability::SampleRateShading);
        need(spv::BuiltIn::Layer, spv::Capability::ShaderLayer);
        need(spv::BuiltIn::ViewportIndex, spv::Capability::ShaderViewportIndex);
        if (isInput && m_entry.kind == ShaderKind::Pixel && isInteger && *builtIn != spv::BuiltIn::FrontFacing)
            flag(spv::Decoration::Flat);
        return;
    }
    const bool isTarget = element.kind == SemanticKind::Target;
    if (!isTarget && (element.kind != SemanticKind::Arbitrary || element.startRow == kUnbounded)) {
        unsupported(std::string(isInput ? "the input " : "the output ") + element.name);
        return;
    }
    m_b.decorate(variable, spv::Decoration::Location, {isTarget ? element.index : element.startRow});
    if (!isTarget && element.startColumn > 0)
        m_b.decorate(variable, spv::Decoration::Component, {element.startColumn});
    if (isInput && m_entry.kind == ShaderKind::Pixel) {
        // 1 constant, 3 centroid, 4 not perspective, 5 both, 6 sample, 7 sample, not perspective.
        const uint32_t mode = element.interpolation;
        if (mode == 1 || isInteger) {
            flag(spv::Decoration::Flat);
            return;
        }
        if (mode == 4 || mode == 5 || mode == 7)
            flag(spv::Decoration::NoPerspective);
        if (mode == 3 || mode == 5) {
            flag(spv::Decoration::Centroid);
        } else if (mode == 6 || mode == 7) {
            m_b.capability(spv::Capability::SampleRateShading);
            flag(spv::Decoration::Sample);
        }
    }
}

// Several elements of distances are one array of Vulkan's.
const Emitter::StageVariable& Emitter::stageVariable(const SignatureElement& element, bool isInput)
{
    const auto known = m_stageVariables.find(&element);
    if (known != m_stageVariables.end())
        return known->second;
    StageVariable out;
    const bool isDistance = element.kind == SemanticKind::ClipDistance || element.kind == SemanticKind::CullDistance;
    out.component = element.kind == SemanticKind::IsFrontFace ? m_b.boolType() : outputComponent(element);
    out.columns = isDistance ? 1 : element.columns;
    out.elements = isDistance ? 0 : element.rows;
    for (const SignatureElement& other : isInput ? m_entry.inputs : m_entry.outputs) {
        if (isDistance && other.kind == element.kind) {
            out.first += other.index < element.index ? other.rows * other.columns : 0;
            out.elements += other.rows * other.columns;
            const auto shared = m_stageVariables.find(&other);
            out.variable = shared != m_stageVariables.end() ? shared->second.variable : out.variable;
        }
    }
    if (!out.variable) {
        const Id row = m_b.vectorType(out.component, out.columns);
        const Id type = out.elements > 1 || isDistance ? m_b.arrayType(row, out.elements) : row;
        out.variable = m_b.variable(isInput ? spv::StorageClass::Input : spv::StorageClass::Output, type);
        m_b.name(out.variable, element.name + (element.index > 0 ? std::to_string(element.index) : ""));
        decorateStageVariable(element, isInput, out.variable);
    }
    out.elements = isDistance ? std::max(out.elements, 2u) : out.elements;
    return m_stageVariables[&element] = out;
}

Id Emitter::stagePointer(const StageVariable& variable, bool isInput, Id row, uint32_t column)
{
    std::vector<Id> chain = {variable.variable};
    if (variable.elements > 1)
        chain.push_back(m_b.add(row, m_b.uintConstant(variable.first)));
    if (variable.columns > 1)
        chain.push_back(m_b.uintConstant(column));
    if (chain.size() == 1)
        return variable.variable;
    const auto storage = isInput ? spv::StorageClass::Input : spv::StorageClass::Output;
    return m_b.emit(spv::Op::OpAccessChain, m_b.pointerType(storage, variable.component), chain);
}

// What Vulkan counts or tells otherwise.
std::optional<Id> Emitter::inputOfVulkan(const SignatureElement& element, uint32_t column)
{
    const Id number = m_b.uintType();
    const auto countedFrom = [&](spv::BuiltIn base) {
        m_b.capability(spv::Capability::DrawParameters);
        const Id index = m_b.load(number, stageVariable(element, true).variable);
        return m_b.emit(spv::Op::OpISub, number, {index, builtIn(base, number)});
    };
    switch (element.kind) {
        case SemanticKind::VertexId:
            return countedFrom(spv::BuiltIn::BaseVertex);
        case SemanticKind::InstanceId:
            return countedFrom(spv::BuiltIn::BaseInstance);
        case SemanticKind::IsFrontFace: {
            const Id front = m_b.load(m_b.boolType(), stageVariable(element, true).variable);
            return m_b.emit(spv::Op::OpSelect, number, {front, m_b.uintConstant(~0u), m_b.uintConstant(0)});
        }
        case SemanticKind::Position: {
            if (m_entry.kind != ShaderKind::Pixel || column != 3)
                return std::nullopt;
            // Vulkan has 1/w there.
            constexpr uint64_t kOne = 0x3f800000;
            const StageVariable& variable = stageVariable(element, true);
            const Id w = m_b.load(variable.component, stagePointer(variable, true, m_b.uintConstant(0), column));
            return m_b.emit(spv::Op::OpFDiv, variable.component, {m_b.constant(variable.component, kOne), w});
        }
        default:
            return std::nullopt;
    }
}

static const SignatureElement* findElement(const std::vector<SignatureElement>& elements, std::optional<uint64_t> id)
{
    const auto found = std::ranges::find_if(elements, [&](const auto& element) { return id == element.id; });
    return found == elements.end() ? nullptr : &*found;
}

// Signature element, row, column.
void Emitter::opLoadInput(const Value& call)
{
    const SignatureElement* element = findElement(m_entry.inputs, constantOf(call.operands[1]));
    const auto column = static_cast<uint32_t>(constantOf(call.operands[3]).value_or(kUnbounded));
    if (!element || column >= element->columns) {
        unsupported("an input that the shader does not declare");
        return;
    }
    if (const auto made = inputOfVulkan(*element, column)) {
        set(call, *made);
        return;
    }
    const StageVariable& variable = stageVariable(*element, true);
    const Id own = scalarType(*call.type);
    if (m_b.bitsOf(own) != m_b.bitsOf(variable.component)) {
        unsupported("a load of " + call.type->text() + " from " + element->name);
        return;
    }
    const Id value = m_b.load(variable.component, stagePointer(variable, true, getUint(call.operands[2]), column));
    set(call, m_b.bitcast(own, value, variable.component));
}

// Signature element, row, column, value.
void Emitter::opStoreOutput(const Value& call)
{
    const SignatureElement* element = findElement(m_entry.outputs, constantOf(call.operands[1]));
    const auto column = static_cast<uint32_t>(constantOf(call.operands[3]).value_or(kUnbounded));
    if (!element || column >= element->columns) {
        unsupported("an output that the shader does not declare");
        return;
    }
    const StageVariable& variable = stageVariable(*element, false);
    Id row = getUint(call.operands[2]);
    if (element->kind == SemanticKind::ClipDistance || element->kind == SemanticKind::CullDistance)
        row = m_b.add(m_b.mul(row, element->columns), m_b.uintConstant(column));
    const Id value = outputValue(*element, variable.component, *call.operands[4]);
    m_b.store(stagePointer(variable, false, row, column), value);
}

void Emitter::opDiscard(const Value& call)
{
    m_b.capability(spv::Capability::DemoteToHelperInvocation);
    const Id merge = openIf(getId(call.operands[1]));
    m_b.emitVoid(spv::Op::OpDemoteToHelperInvocation, {});
    closeIf(merge);
}

}  // namespace millrace::dxil
