// SPDX-License-Identifier: Apache-2.0
#include "mesh/mesh_outputs.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "abi/mesh.h"
#include "shader/control_flow.h"
#include "shader/diagnose.h"

namespace millrace::mesh {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

class Reader {
public:
    explicit Reader(const Module& module) : m_module(module) {}

    Result<MeshOutputs> run()
    {
        readModes();
        for (const Instruction& i : m_module.section(Section::Globals))
            if (i.op == spv::Op::OpVariable && i.literal(0) == static_cast<uint32_t>(spv::StorageClass::Output))
                add(i);
        if (m_failure)
            return m_failure.diagnostic();
        findUses();
        m_outputs.setsCountsAgain = std::ranges::any_of(m_module.functions, setsCountsAgain);
        for (size_t v = 0; v < m_outputs.variables.size(); ++v)
            addBuiltIns(v);
        readSizes();
        return std::move(m_outputs);
    }

private:
    void readModes()
    {
        for (const Instruction& i : m_module.section(Section::ExecutionModes)) {
            switch (static_cast<spv::ExecutionMode>(i.literal(1))) {
                case spv::ExecutionMode::OutputVertices:
                    m_outputs.maxVertices = i.literal(2);
                    break;
                case spv::ExecutionMode::OutputPrimitivesEXT:
                    m_outputs.maxPrimitives = i.literal(2);
                    break;
                case spv::ExecutionMode::OutputPoints:
                    m_outputs.corners = 1;
                    break;
                case spv::ExecutionMode::OutputLinesEXT:
                    m_outputs.corners = 2;
                    break;
                default:
                    break;
            }
        }
    }

    bool hasMemberDecoration(Id type, spv::Decoration decoration) const
    {
        return std::ranges::any_of(m_module.section(Section::Annotations), [&](const Instruction& i) {
            return i.op == spv::Op::OpMemberDecorate && i.id(0) == type &&
                   i.literal(2) == static_cast<uint32_t>(decoration);
        });
    }

    // They need no decoration that says so.
    static bool areIndices(const Instruction& builtIn)
    {
        switch (static_cast<spv::BuiltIn>(builtIn.literal(2))) {
            case spv::BuiltIn::PrimitivePointIndicesEXT:
            case spv::BuiltIn::PrimitiveLineIndicesEXT:
            case spv::BuiltIn::PrimitiveTriangleIndicesEXT:
                return true;
            default:
                return false;
        }
    }

    void add(const Instruction& variable)
    {
        Output output;
        output.variable = variable.result;
        output.array = m_module.pointee(variable.type);
        const Instruction* array = m_module.findDefinition(output.array);
        if (!array || array->op != spv::Op::OpTypeArray) {
            m_failure.at(m_module, variable, "is an output of a mesh shader and no array");
            return;
        }
        output.element = array->id(0);
        output.isPerPrimitive = m_module.findDecoration(output.variable, spv::Decoration::PerPrimitiveEXT) ||
                                hasMemberDecoration(output.element, spv::Decoration::PerPrimitiveEXT);
        const Instruction* builtIn = m_module.findDecoration(output.variable, spv::Decoration::BuiltIn);
        output.isPerPrimitive = output.isPerPrimitive || (builtIn && areIndices(*builtIn));
        output.isBuiltIn = builtIn || hasMemberDecoration(output.element, spv::Decoration::BuiltIn);
        m_outputs.variables.push_back(output);
    }

    // Members of elements that code may write: each by itself, or all.
    void findUses()
    {
        for (const spirv::Function& function : m_module.functions) {
            for (const spirv::Block& block : function.blocks)
                for (const Instruction& i : block.body)
                    noteUse(i);
        }
    }

    static bool setsCounts(const Instruction& i) { return i.op == spv::Op::OpSetMeshOutputsEXT; }

    static bool setsCountsAgain(const spirv::Function& function)
    {
        const shader::ControlFlow flow(function);
        const auto count = [&](size_t block) { return std::ranges::count_if(function.blocks[block].body, setsCounts); };
        for (size_t block = 0; block < function.blocks.size(); ++block) {
            const auto own = count(block);
            if (own == 0)
                continue;
            std::vector<bool> behind(function.blocks.size(), false);
            std::vector<size_t> open = flow.successors(block);
            bool again = own > 1;
            while (!open.empty() && !again) {
                const size_t next = open.back();
                open.pop_back();
                if (!behind[next]) {
                    behind[next] = true;
                    again = count(next) > 0;
                    open.insert(open.end(), flow.successors(next).begin(), flow.successors(next).end());
                }
            }
            if (again)
                return true;
        }
        return false;
    }

    void noteUse(const Instruction& i)
    {
        const bool isChain = i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain;
        i.forEachUse([&](Id id) {
            uint32_t member = 0;
            const bool isMember =
                isChain && i.id(0) == id && i.operandCount() > 2 && m_module.constantValue(i.id(2), member);
            m_uses.emplace(id.value, isMember ? member : kAll);
        });
    }

    bool isUsed(Id variable, uint32_t member) const
    {
        return m_uses.contains({variable.value, member}) || m_uses.contains({variable.value, kAll});
    }

    void addBuiltIns(size_t v)
    {
        const Output& output = m_outputs.variables[v];
        if (const Instruction* own = m_module.findDecoration(output.variable, spv::Decoration::BuiltIn)) {
            // Chains into it have a second index where it is a vector.
            const auto first = m_uses.lower_bound({output.variable.value, 0});
            if (first != m_uses.end() && first->first == output.variable.value)
                m_outputs.builtIns.push_back({static_cast<spv::BuiltIn>(own->literal(2)), v, {}, output.element});
            return;
        }
        const Instruction* element = m_module.findDefinition(output.element);
        if (!output.isBuiltIn || element->op != spv::Op::OpTypeStruct)
            return;
        for (uint32_t m = 0; m < element->operandCount(); ++m) {
            const Instruction* own = m_module.findMemberDecoration(output.element, m, spv::Decoration::BuiltIn);
            if (own && isUsed(output.variable, m))
                m_outputs.builtIns.push_back({static_cast<spv::BuiltIn>(own->literal(3)), v, m, element->id(m)});
        }
    }

    // What its value is, that is stored by itself; all other ways to write count as another value.
    void readSizes()
    {
        const BuiltInOutput* size = m_outputs.find(spv::BuiltIn::PointSize);
        if (!size || m_uses.contains({m_outputs.variables[size->output].variable.value, kAll}))
            return;
        std::set<uint32_t> places;
        m_outputs.hasUnitSizes = true;
        for (const spirv::Function& function : m_module.functions)
            for (const spirv::Block& block : function.blocks)
                for (const Instruction& i : block.body) {
                    if (isSize(i, *size))
                        places.insert(i.result.value);
                    else if (i.op == spv::Op::OpStore && places.contains(i.id(0).value))
                        m_outputs.hasUnitSizes = m_outputs.hasUnitSizes && isOne(i.id(1));
                    else if (i.op != spv::Op::OpLoad)
                        i.forEachUse([&](Id id) {
                            if (places.contains(id.value))
                                m_outputs.hasUnitSizes = false;
                        });
                }
    }

    bool isSize(const Instruction& i, const BuiltInOutput& size) const
    {
        uint32_t member = 0;
        return (i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain) &&
               i.id(0) == m_outputs.variables[size.output].variable && i.operandCount() == 3 && size.member &&
               m_module.constantValue(i.id(2), member) && member == *size.member;
    }

    bool isOne(Id value) const
    {
        constexpr uint32_t kOne = 0x3f800000;
        const Instruction* constant = m_module.findDefinition(value);
        return constant && constant->op == spv::Op::OpConstant && constant->literal(0) == kOne;
    }

    static constexpr uint32_t kAll = ~0u;

    const Module& m_module;
    MeshOutputs m_outputs;
    std::set<std::pair<uint32_t, uint32_t>> m_uses;  // variable, member
    shader::Failure m_failure{"readOutputs"};
};

// How many of abi::kMeshUnitBytes so many elements take.
uint64_t units(const Area& area, uint64_t count)
{
    return (count * area.stride() + abi::kMeshUnitBytes - 1) / abi::kMeshUnitBytes;
}

static_assert(sizeof(abi::MeshOrigin) == abi::kMeshUnitBytes);

}  // namespace

const BuiltInOutput* MeshOutputs::find(spv::BuiltIn builtIn) const
{
    const auto found = std::ranges::find(builtIns, builtIn, &BuiltInOutput::builtIn);
    return found == builtIns.end() ? nullptr : &*found;
}

const BuiltInOutput* MeshOutputs::findIndices() const
{
    constexpr spv::BuiltIn kIndices[] = {spv::BuiltIn::PrimitivePointIndicesEXT, spv::BuiltIn::PrimitiveLineIndicesEXT,
                                         spv::BuiltIn::PrimitiveTriangleIndicesEXT};
    return find(kIndices[corners - 1]);
}

uint64_t OutputAreas::mostUnits(const MeshOutputs& outputs) const
{
    return primitivesOffset(outputs) / abi::kMeshUnitBytes + units(primitive, outputs.maxPrimitives);
}

uint32_t OutputAreas::primitivesOffset(const MeshOutputs& outputs) const
{
    return hasOrigin ? sizeof(abi::MeshOrigin)
                     : static_cast<uint32_t>(units(vertex, outputs.maxVertices)) * abi::kMeshUnitBytes;
}

Result<OutputAreas> layOutOutputs(Module& module, const MeshOutputs& outputs, bool hasOrigin)
{
    std::vector<Id> vertex, primitive;
    OutputAreas areas;
    areas.hasOrigin = hasOrigin;
    for (const Output& output : outputs.variables) {
        std::vector<Id>& elements = output.isPerPrimitive ? primitive : vertex;
        areas.members.push_back(elements.size());
        if (output.isPerPrimitive || !hasOrigin)
            elements.push_back(output.element);
    }
    auto ofVertex = Area::create(module, vertex);
    if (!ofVertex)
        return ofVertex.error();
    auto ofPrimitive = Area::create(module, primitive);
    if (!ofPrimitive)
        return ofPrimitive.error();
    areas.vertex = std::move(*ofVertex);
    areas.primitive = std::move(*ofPrimitive);
    constexpr uint32_t kRoom = abi::kMeshHeadBytes - sizeof(abi::MeshOutputMemory);
    if (std::max(areas.vertex.stride(), areas.primitive.stride()) > kRoom) {
        return Diagnostic{
            "mesh", {}, "a vertex or a primitive has more outputs than " + std::to_string(kRoom) + " bytes"};
    }
    if (std::max(outputs.maxVertices, outputs.maxPrimitives) > abi::kMeshCountMask) {
        return Diagnostic{
            "mesh",
            {},
            "the mesh shader declares more than " + std::to_string(abi::kMeshCountMask) + " vertices or primitives"};
    }
    return areas;
}

Result<MeshOutputs> readOutputs(const Module& module)
{
    return Reader(module).run();
}

}  // namespace millrace::mesh
