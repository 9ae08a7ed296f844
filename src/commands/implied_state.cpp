// SPDX-License-Identifier: Apache-2.0
#include "commands/implied_state.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "shader/type_layouts.h"

namespace millrace::commands {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr spv::BuiltIn kOfVertices[] = {
    spv::BuiltIn::PointSize,
    spv::BuiltIn::ClipDistance,
    spv::BuiltIn::CullDistance,
    spv::BuiltIn::Layer,
    spv::BuiltIn::ViewportIndex,
    spv::BuiltIn::PrimitiveShadingRateKHR,
    spv::BuiltIn::ViewportMaskNV,
    spv::BuiltIn::SecondaryPositionNV,
    spv::BuiltIn::SecondaryViewportMaskNV,
    spv::BuiltIn::PositionPerViewNV,
    spv::BuiltIn::ViewportMaskPerViewNV,
};

constexpr spv::Capability kPerSample[] = {
    spv::Capability::SampleRateShading,
    spv::Capability::TileImageColorReadAccessEXT,
    spv::Capability::TileImageDepthReadAccessEXT,
    spv::Capability::TileImageStencilReadAccessEXT,
};

// Built-ins by variable; members of a block by its type.
class BuiltIns {
public:
    explicit BuiltIns(const Module& module) : m_module(module)
    {
        for (const Instruction& i : module.section(Section::Annotations)) {
            const bool isMember = i.op == spv::Op::OpMemberDecorate;
            const size_t at = isMember ? 2 : 1;
            const bool isBuiltIn = (isMember || i.op == spv::Op::OpDecorate) && i.operandCount() > at + 1 &&
                                   i.literal(at) == static_cast<uint32_t>(spv::Decoration::BuiltIn);
            if (isBuiltIn)
                m_known[{i.id(0).value, isMember ? i.literal(1) : kWhole}] =
                    static_cast<spv::BuiltIn>(i.literal(at + 1));
        }
    }

    // What an instruction mentions by one of its operands.
    template <typename Visit>
    void visit(const Instruction& i, Id operand, const Visit& visit) const
    {
        if (const auto own = m_known.find({operand.value, kWhole}); own != m_known.end())
            visit(own->second);
        const Instruction* variable = m_module.findDefinition(operand);
        if (!variable || variable->op != spv::Op::OpVariable)
            return;
        const Id block = m_module.pointee(variable->type);
        uint32_t member = kWhole;
        const bool isOne = shader::isAccessChain(i.op) && i.operandCount() > 1 && i.id(0) == operand &&
                           m_module.constantValue(i.id(1), member);
        for (auto known = m_known.lower_bound({block.value, 0}); known != m_known.end(); ++known) {
            if (known->first.first != block.value)
                break;
            if (!isOne || known->first.second == member)
                visit(known->second);
        }
    }

private:
    static constexpr uint32_t kWhole = ~0u;

    const Module& m_module;
    std::map<std::pair<uint32_t, uint32_t>, spv::BuiltIn> m_known;
};

}  // namespace

ImpliedState impliedStateOf(const Variant& stage)
{
    ImpliedState state;
    const bool isFragment = stage.model == spv::ExecutionModel::Fragment;
    const BuiltIns builtIns(stage.module);
    const auto note = [&](spv::BuiltIn builtIn) {
        const bool counts = isFragment ? builtIn == spv::BuiltIn::SampleMask
                                       : std::ranges::find(kOfVertices, builtIn) != std::end(kOfVertices);
        if (counts)
            state.builtIns.insert(builtIn);
    };
    for (const spirv::Function& function : stage.module.functions) {
        for (const spirv::Block& block : function.blocks)
            for (const Instruction& i : block.body)
                i.forEachUse([&](Id id) { builtIns.visit(i, id, note); });
    }
    state.isPerSample = isFragment && std::ranges::any_of(kPerSample, [&](spv::Capability capability) {
                            return stage.module.hasCapability(capability);
                        });
    return state;
}

}  // namespace millrace::commands
