// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/place_kept_payloads.h"

#include <unordered_set>

#include "graph/saturating.h"
#include "nodes/fusion/kept_memory.h"
#include "nodes/payload_types.h"
#include "shader/diagnose.h"
#include "shader/globals.h"
#include "shader/memory_model.h"
#include "shader/memory_operands.h"
#include "shader/type_layouts.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr auto kMemory = spv::StorageClass::PhysicalStorageBuffer;

class Placer {
public:
    explicit Placer(NodeShader& shader) : m_shader(shader), m_module(shader.module) {}

    Status run(const std::vector<KeptVariable>& variables)
    {
        for (const KeptVariable& kept : variables)
            m_offsets.emplace(kept.variable.value, kept.offsetBytes);
        for (spirv::Function& function : m_module.functions)
            spirv::rewriteFunction(m_module, function, [this](const Instruction& i, Emitter& out) { visit(i, out); });
        m_shader.device.declare(m_module);
        shader::updateInterface(m_module, m_shader.entry);
        spirv::orderGlobals(m_module);
        shader::alignPhysicalAccesses(m_module, std::move(m_alignments));
        return m_failure.status();
    }

private:
    // The type with a layout; itself if it needs none.
    Id laidOut(Id type)
    {
        if (const auto known = m_laidOut.find(type.value); known != m_laidOut.end())
            return known->second;
        // By value: types are added meanwhile.
        const Instruction t = *m_module.findDefinition(type);
        Id result = type;
        if (t.op == spv::Op::OpTypeArray) {
            const Id element = laidOut(t.id(0));
            const auto stride = static_cast<uint32_t>(plainSizeOf(m_module, t.id(0))->bytes);
            result = add(spirv::instruction(t.op, {}, m_module.newId()).add(element).add(t.id(1)));
            m_module.decorate(result, spv::Decoration::ArrayStride, {{stride}});
        } else if (t.op == spv::Op::OpTypeStruct) {
            result = laidOutStruct(t);
        }
        m_laidOut.emplace(type.value, result);
        return result;
    }

    Id laidOutStruct(const Instruction& type)
    {
        Instruction copy = spirv::instruction(type.op, {}, m_module.newId());
        for (size_t o = 0; o < type.operandCount(); ++o)
            copy.add(laidOut(type.id(o)));
        const Id result = add(std::move(copy));
        if (const std::string name = m_module.name(type.result); !name.empty())
            m_module.setName(result, name);
        uint64_t at = 0;
        for (uint32_t member = 0; member < type.operandCount(); ++member) {
            const PlainSize size = *plainSizeOf(m_module, type.id(member));
            at = graph::roundUp(at, size.alignment);
            m_module.decorateMember(result, member, spv::Decoration::Offset, {{static_cast<uint32_t>(at)}});
            at += size.bytes;
        }
        return result;
    }

    Id add(Instruction type)
    {
        const Id result = type.result;
        m_module.section(Section::Globals).push_back(std::move(type));
        return result;
    }

    Id pointerTo(Id plain) { return m_module.getPointerType(kMemory, laidOut(plain)); }

    void visit(const Instruction& i, Emitter& out)
    {
        const bool passesOn = shader::isAccessChain(i.op) || i.op == spv::Op::OpCopyObject;
        if (shader::isAccessChain(i.op) && m_offsets.contains(i.id(0).value)) {
            begin(i, out);
        } else if (passesOn && m_moved.contains(i.id(0).value)) {
            pass(i, i.id(0), out);
        } else if (i.op == spv::Op::OpLoad && m_moved.contains(i.id(0).value)) {
            load(i, out);
        } else if (i.op == spv::Op::OpStore && m_moved.contains(i.id(0).value)) {
            store(i, out);
        } else {
            check(i);
            out.keep(i);
        }
    }

    void begin(const Instruction& i, Emitter& out)
    {
        const Id offset = m_module.getConstant(m_offsets.at(i.id(0).value));
        const Id address = m_shader.device.call(out, DeviceFunction::WorkgroupMemory, {offset});
        const Id type = pointerTo(m_module.pointee(m_module.typeOf(i.id(0))));
        const Id base = out.emit(spv::Op::OpConvertUToPtr, type, {address});
        m_alignments.emplace(base.value, kKeptAlignment);
        pass(i, base, out);
    }

    void pass(const Instruction& i, Id base, Emitter& out)
    {
        Instruction moved = i;
        moved.type = pointerTo(m_module.pointee(i.type));
        moved.setId(0, base);
        m_moved.insert(i.result.value);
        out.keep(std::move(moved));
    }

    void load(const Instruction& i, Emitter& out)
    {
        const Id type = laidOut(i.type);
        Instruction moved = spirv::instruction(i.op, type, type == i.type ? i.result : m_module.newId()).add(i.id(0));
        shader::MemoryOperands operands;
        operands.set(spv::MemoryAccessMask::NonPrivatePointer);
        operands.set(spv::MemoryAccessMask::MakePointerVisible);
        operands.visible = m_scope;
        shader::addMemoryOperands(moved, operands);
        const Id value = moved.result;
        out.keep(std::move(moved));
        if (type != i.type)
            out.keep(spirv::instruction(spv::Op::OpCopyLogical, i.type, i.result).add(value));
    }

    void store(const Instruction& i, Emitter& out)
    {
        const Id plain = m_module.typeOf(i.id(1));
        const Id type = laidOut(plain);
        const Id value = type == plain ? i.id(1) : out.emit(spv::Op::OpCopyLogical, type, {i.id(1)});
        Instruction moved = spirv::instruction(i.op).add(i.id(0)).add(value);
        shader::MemoryOperands operands;
        operands.set(spv::MemoryAccessMask::NonPrivatePointer);
        operands.set(spv::MemoryAccessMask::MakePointerAvailable);
        operands.available = m_scope;
        shader::addMemoryOperands(moved, operands);
        out.keep(std::move(moved));
    }

    // Nothing else uses what PlainMemory has made.
    void check(const Instruction& i)
    {
        for (size_t o = 0; o < i.operandCount(); ++o)
            if (i.isId(o) && (m_offsets.contains(i.id(o).value) || m_moved.contains(i.id(o).value)))
                m_failure.at(m_module, i, "uses payloads that a workgroup keeps for more than loads and stores");
    }

    NodeShader& m_shader;
    Module& m_module;
    shader::Failure m_failure{"placeKeptPayloads"};
    Id m_scope = m_module.getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
    std::unordered_map<uint32_t, uint32_t> m_offsets;  // of variables
    std::unordered_set<uint32_t> m_moved;              // pointers
    std::unordered_map<uint32_t, Id> m_laidOut;        // by plain type
    std::unordered_map<uint32_t, uint32_t> m_alignments;
};

}  // namespace

Status placeKeptPayloads(NodeShader& shader, const Code& code)
{
    const bool moves = code.memory == graph::MemoryUse::None && shader.node.decided.groupMemoryBytes > 0;
    const std::vector<KeptVariable> variables = moves ? keptVariables(shader.module) : std::vector<KeptVariable>();
    unmarkKept(shader.module);
    if (variables.empty())
        return {};
    shader::useVulkanMemoryModel(shader.module);
    shader.vulkanMemoryModel = true;
    return Placer(shader).run(variables);
}

}  // namespace millrace::nodes
