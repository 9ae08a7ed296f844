// SPDX-License-Identifier: Apache-2.0
#include "shader/non_uniform.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "shader/type_layouts.h"

namespace millrace::shader {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

bool isArray(const Instruction* type)
{
    return type && (type->op == spv::Op::OpTypeArray || type->op == spv::Op::OpTypeRuntimeArray);
}

bool isOpaque(const Module& module, Id type)
{
    const Instruction* definition = module.findDefinition(type);
    return definition && (definition->op == spv::Op::OpTypeImage || definition->op == spv::Op::OpTypeSampler ||
                          definition->op == spv::Op::OpTypeSampledImage);
}

// The capability for arrays of what a variable holds; none if it is no array of descriptors.
std::optional<spv::Capability> capabilityOf(const Module& module, Id variable)
{
    const Instruction* definition = module.findDefinition(variable);
    if (!definition || definition->op != spv::Op::OpVariable)
        return std::nullopt;
    const Instruction* type = module.findDefinition(module.pointee(definition->type));
    if (!isArray(type))
        return std::nullopt;
    switch (static_cast<spv::StorageClass>(definition->literal(0))) {
        case spv::StorageClass::Uniform:
            return spv::Capability::UniformBufferArrayNonUniformIndexing;
        case spv::StorageClass::StorageBuffer:
            return spv::Capability::StorageBufferArrayNonUniformIndexing;
        case spv::StorageClass::UniformConstant:
            break;
        default:
            return std::nullopt;
    }
    while (isArray(type))
        type = module.findDefinition(type->id(0));
    if (type->op != spv::Op::OpTypeImage)
        return spv::Capability::SampledImageArrayNonUniformIndexing;
    // OpTypeImage: sampled type, dimension, depth, arrayed, multisampled, 2 for storage images.
    const bool isBuffer = static_cast<spv::Dim>(type->literal(1)) == spv::Dim::Buffer;
    const bool isStorage = type->literal(5) == 2;
    return isBuffer ? (isStorage ? spv::Capability::StorageTexelBufferArrayNonUniformIndexing
                                 : spv::Capability::UniformTexelBufferArrayNonUniformIndexing)
                    : (isStorage ? spv::Capability::StorageImageArrayNonUniformIndexing
                                 : spv::Capability::SampledImageArrayNonUniformIndexing);
}

class Search {
public:
    explicit Search(const Module& module) : m_module(module)
    {
        for (const spirv::Function& function : module.functions)
            m_functions[function.id().value] = &function;
        for (bool changed = true; changed;) {
            const size_t before = m_found.size();
            for (const spirv::Function& function : module.functions)
                for (const spirv::Block& block : function.blocks)
                    std::ranges::for_each(block.body, [this](const Instruction& i) { visit(i); });
            changed = m_found.size() > before;
        }
    }

    const std::unordered_set<uint32_t>& found() const { return m_found; }
    const std::unordered_set<uint32_t>& capabilities() const { return m_capabilities; }

private:
    bool isFound(Id id) const { return m_found.contains(id.value); }

    void visit(const Instruction& i)
    {
        if (isAccessChain(i.op)) {
            visitChain(i);
            return;
        }
        switch (i.op) {
            case spv::Op::OpFunctionCall:
                visitCall(i);
                break;
            case spv::Op::OpLoad:
                add(i.result, isFound(i.id(0)) && isOpaque(m_module, i.type));
                break;
            case spv::Op::OpSampledImage:
                add(i.result, isFound(i.id(0)) || isFound(i.id(1)));
                break;
            case spv::Op::OpImage:
            case spv::Op::OpImageTexelPointer:
            case spv::Op::OpCopyObject:
                add(i.result, isFound(i.id(0)));
                break;
            default:
                break;
        }
    }

    void visitChain(const Instruction& i)
    {
        const size_t first = firstIndexOperand(i.op);
        const auto capability = capabilityOf(m_module, i.id(0));
        const bool isChosen = capability && i.operandCount() > first && !m_module.isConstant(i.id(first));
        if (isChosen && !m_module.findDecoration(i.result, spv::Decoration::NonUniform)) {
            m_capabilities.insert(static_cast<uint32_t>(*capability));
            add(i.result, true);
        }
        add(i.result, isFound(i.id(0)));
    }

    void visitCall(const Instruction& i)
    {
        const auto callee = m_functions.find(i.id(0).value);
        for (size_t o = 1; callee != m_functions.end() && o < i.operandCount(); ++o)
            add(callee->second->parameters[o - 1].result, isFound(i.id(o)));
    }

    void add(Id id, bool condition)
    {
        if (condition)
            m_found.insert(id.value);
    }

    const Module& m_module;
    std::unordered_map<uint32_t, const spirv::Function*> m_functions;
    std::unordered_set<uint32_t> m_found;
    std::unordered_set<uint32_t> m_capabilities;
};

}  // namespace

bool indexesDescriptors(const Module& module)
{
    return !Search(module).found().empty();
}

void markNonUniform(Module& module)
{
    const Search search(module);
    if (search.found().empty())
        return;
    module.addCapability(spv::Capability::ShaderNonUniform);
    for (const uint32_t capability : search.capabilities())
        module.addCapability(static_cast<spv::Capability>(capability));
    std::vector<uint32_t> ids(search.found().begin(), search.found().end());
    std::ranges::sort(ids);
    for (const uint32_t id : ids)
        if (!module.findDecoration(Id{id}, spv::Decoration::NonUniform))
            module.decorate(Id{id}, spv::Decoration::NonUniform);
}

}  // namespace millrace::shader
