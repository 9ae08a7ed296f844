// SPDX-License-Identifier: Apache-2.0
#include "subgroups/subgroup_module.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "shader/function_writer.h"
#include "spirv/edit.h"
#include "spirv/module.h"
#include "spirv/tools.h"
#include "subgroups/lockstep.h"
#include "subgroups/meeting.h"

namespace millrace::subgroups {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::InstructionList;
using spirv::Module;
using spirv::Section;

namespace {

constexpr std::array kBuiltIns = {
    spv::BuiltIn::SubgroupSize,   spv::BuiltIn::NumSubgroups,   spv::BuiltIn::SubgroupId,
    spv::BuiltIn::SubgroupEqMask, spv::BuiltIn::SubgroupGeMask, spv::BuiltIn::SubgroupGtMask,
    spv::BuiltIn::SubgroupLeMask, spv::BuiltIn::SubgroupLtMask, spv::BuiltIn::SubgroupLocalInvocationId};

class Resizer {
public:
    Resizer(Module& module, uint32_t size) : m_module(module), m_size(size) {}

    // Whether it is a shader that knows of subgroups.
    bool find()
    {
        const InstructionList& entries = m_module.section(Section::EntryPoints);
        if (entries.size() != 1 || entries[0].literal(0) != static_cast<uint32_t>(spv::ExecutionModel::GLCompute))
            return false;
        m_entry = entries[0].id(1);
        bool uses = std::ranges::any_of(
            kBuiltIns, [&](spv::BuiltIn builtIn) -> bool { return bool{findBuiltIn(m_module, builtIn)}; });
        for (const spirv::Block& block : m_module.findFunction(m_entry)->blocks)
            for (const Instruction& i : block.body)
                uses |=
                    isLonely(i.op) || (isMeeting(i.op) && i.op != spv::Op::OpNop && i.op != spv::Op::OpControlBarrier);
        return uses;
    }

    void run()
    {
        m_uint = m_module.getIntType(32, false);
        m_count = countInvocations();
        replaceBuiltIns();
        thinkAlone();
        if (m_size > 1)
            meetInSubgroups(m_module, m_entry, m_size, m_count);
        spirv::orderGlobals(m_module);
    }

private:
    Id c(uint32_t value) { return m_module.getConstant(value); }

    std::array<Id, 3> sides()
    {
        std::array<Id, 3> out;
        if (const Id whole = findBuiltIn(m_module, spv::BuiltIn::WorkgroupSize)) {
            const Instruction& composite = *m_module.findDefinition(whole);
            for (uint32_t side = 0; side < 3; ++side)
                out[side] = composite.id(side);
            return out;
        }
        const InstructionList modes = m_module.section(Section::ExecutionModes);
        for (const Instruction& i : modes) {
            const auto mode = static_cast<spv::ExecutionMode>(i.literal(1));
            for (uint32_t side = 0; side < 3; ++side) {
                if (mode == spv::ExecutionMode::LocalSize)
                    out[side] = c(i.literal(2 + side));
                if (mode == spv::ExecutionMode::LocalSizeId)
                    out[side] = i.id(2 + side);
            }
        }
        return out;
    }

    Id countInvocations()
    {
        uint32_t known = 1;
        Id product = c(1);
        bool isKnown = true;
        for (const Id side : sides()) {
            uint32_t value = 0;
            isKnown &= m_module.isConstant(side) && m_module.constantValue(side, value);
            known *= value;
            const Id id = m_module.newId();
            m_module.section(Section::Globals)
                .push_back(spirv::instruction(spv::Op::OpSpecConstantOp, m_uint, id)
                               .add(static_cast<uint32_t>(spv::Op::OpIMul))
                               .add(product)
                               .add(side));
            product = id;
        }
        return isKnown ? c(known) : product;
    }

    // What stands for a built-in. Masks: lanes at, in front of or behind the own one.
    Id valueOf(Emitter out, spv::BuiltIn builtIn)
    {
        const auto emit = [&](spv::Op op, std::initializer_list<Id> operands) {
            return out.emit(op, m_uint, operands);
        };
        switch (builtIn) {
            case spv::BuiltIn::SubgroupSize:
                return c(m_size);
            case spv::BuiltIn::NumSubgroups:
                return emit(spv::Op::OpUDiv, {emit(spv::Op::OpIAdd, {m_count, c(m_size - 1)}), c(m_size)});
            case spv::BuiltIn::SubgroupId:
                return emit(spv::Op::OpUDiv, {m_index, c(m_size)});
            case spv::BuiltIn::SubgroupLocalInvocationId:
                return m_lane;
            default:
                return maskOf(out, builtIn);
        }
    }

    Id maskOf(Emitter out, spv::BuiltIn builtIn)
    {
        const Id four = m_module.getVectorType(m_uint, 4), boolean = m_module.getBoolType();
        const auto op = builtIn == spv::BuiltIn::SubgroupEqMask   ? spv::Op::OpIEqual
                        : builtIn == spv::BuiltIn::SubgroupGeMask ? spv::Op::OpUGreaterThanEqual
                        : builtIn == spv::BuiltIn::SubgroupGtMask ? spv::Op::OpUGreaterThan
                        : builtIn == spv::BuiltIn::SubgroupLeMask ? spv::Op::OpULessThanEqual
                                                                  : spv::Op::OpULessThan;
        std::array<Id, 4> words = {c(0), c(0), c(0), c(0)};
        for (uint32_t lane = 0; lane < m_size; ++lane) {
            const Id isIn = out.emit(op, boolean, {c(lane), m_lane});
            const Id bit = out.emit(spv::Op::OpSelect, m_uint, {isIn, c(1u << lane % 32), c(0)});
            words[lane / 32] = out.emit(spv::Op::OpBitwiseOr, m_uint, {words[lane / 32], bit});
        }
        return out.emit(spv::Op::OpCompositeConstruct, four, {words[0], words[1], words[2], words[3]});
    }

    // Code reads variables of its own, which are the first thing that is written.
    void replaceBuiltIns()
    {
        InstructionList code;
        Emitter out(m_module, code);
        m_index = out.emit(spv::Op::OpLoad, m_uint, {getBuiltIn(m_module, spv::BuiltIn::LocalInvocationIndex, m_uint)});
        m_lane = out.emit(spv::Op::OpUMod, m_uint, {m_index, c(m_size)});
        std::unordered_map<uint32_t, Id> replaced;
        for (const spv::BuiltIn builtIn : kBuiltIns) {
            const Id found = findBuiltIn(m_module, builtIn);
            if (!found)
                continue;
            const Id type = m_module.pointee(m_module.typeOf(found));
            const Id own = addVariable(m_module, type, spv::StorageClass::Private);
            out.emitVoid(spv::Op::OpStore, {own, valueOf(out, builtIn)});
            replaced[found.value] = own;
        }
        const Id component = m_module.getPointerType(spv::StorageClass::Private, m_uint);
        spirv::Function& entry = *m_module.findFunction(m_entry);
        for (spirv::Block& block : entry.blocks) {
            for (Instruction& i : block.body) {
                bool reads = false;
                i.forEachUse([&](Id& id) {
                    if (const auto own = replaced.find(id.value); own != replaced.end()) {
                        id = own->second;
                        reads = true;
                    }
                });
                if (reads && (i.op == spv::Op::OpAccessChain || i.op == spv::Op::OpInBoundsAccessChain))
                    i.type = component;
            }
        }
        shader::insertBehindVariables(entry, code);
    }

    // What needs nobody else: all of it where subgroups have one invocation.
    void thinkAlone()
    {
        std::unordered_map<uint32_t, uint32_t> results;
        spirv::rewriteFunction(m_module, *m_module.findFunction(m_entry), [&](const Instruction& i, Emitter& out) {
            const bool isAlone =
                m_size == 1 && isMeeting(i.op) && i.op != spv::Op::OpNop && i.op != spv::Op::OpControlBarrier;
            if (isLonely(i.op))
                results[i.result.value] = think(out, m_size, m_lane, i).value;
            else if (isAlone)
                results[i.result.value] = meetNobody(out, i).value;
            else
                out.keep(i);
        });
        // Results may be operands of each other.
        for (auto& [id, value] : results)
            while (results.contains(value))
                value = results.at(value);
        m_module.removeDecorations([&](const Instruction& i) { return i.isId(0) && results.contains(i.id(0).value); });
        std::erase_if(m_module.section(Section::DebugNames),
                      [&](const Instruction& i) { return i.isId(0) && results.contains(i.id(0).value); });
        m_module.replaceUses(results);
    }

    Module& m_module;
    uint32_t m_size;
    Id m_entry, m_count, m_uint;
    Id m_index, m_lane;
};

}  // namespace

std::vector<uint32_t> withSubgroups(std::span<const uint32_t> words, uint32_t size)
{
    const auto inlined = spirv::inlineAll(words);
    auto module = spirv::read(inlined ? *inlined : words);
    if (!module)
        return {words.begin(), words.end()};
    Resizer resizer(*module, size);
    if (!resizer.find())
        return {words.begin(), words.end()};
    resizer.run();
    return spirv::write(*module);
}

}  // namespace millrace::subgroups
