// SPDX-License-Identifier: Apache-2.0
#include "commands/pull_indices.h"

#include <cstddef>
#include <vector>

#include "abi/commands.h"
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

constexpr uint32_t kWordBytes = 4;

// A member of the draw's command.
struct Member {
    uint32_t inRecord;  // of VkDrawIndexedIndirectCommand
    uint32_t inEntry;   // of abi::DrawEntry, where the layout has such
};
constexpr Member kVertexOffset{12, offsetof(abi::DrawEntry, vertexOffset)};
constexpr Member kFirstInstance{16, offsetof(abi::DrawEntry, firstInstance)};

// Types of 32 and 16 bits as the command names them; all others are of 8 bits.
struct TypeNames {
    uint32_t word;
    uint32_t half;
};
constexpr TypeNames kVulkan{1, 0};  // VK_INDEX_TYPE_UINT32, VK_INDEX_TYPE_UINT16
constexpr TypeNames kDxgi{42, 57};  // DXGI_FORMAT_R32_UINT, DXGI_FORMAT_R16_UINT

class IndexPuller {
public:
    IndexPuller(Variant& variant, const Layout& layout)
        : m_variant(variant),
          m_module(variant.module),
          m_layout(layout),
          m_loads(variant),
          m_word(m_loads.wordType()),
          m_out(variant.module, m_start)
    {
    }

    Status run()
    {
        const std::vector<Id> indices = lower(spv::BuiltIn::VertexIndex);
        const std::vector<Id> bases = lower(spv::BuiltIn::BaseVertex);
        const std::vector<Id> instances = lower(spv::BuiltIn::InstanceIndex);
        const std::vector<Id> firsts = lower(spv::BuiltIn::BaseInstance);
        if (m_failure || (indices.empty() && bases.empty() && instances.empty() && firsts.empty()))
            return m_failure.status();
        const Id sequence = m_out.emit(spv::Op::OpLoad, m_word, {m_variant.sequence});
        const LongWords record = m_loads.record(m_out, sequence);
        const Id words = m_loads.readOnlyWords(m_out, record);
        const Id draw =
            hasDrawTable(m_layout) ? m_loads.readOnlyWords(m_out, m_loads.drawEntry(m_out, m_layout)) : words;
        const Id offset = member(draw, kVertexOffset);
        storeAll(bases, offset);
        if (!indices.empty())
            storeAll(indices, emit(spv::Op::OpIAdd, fetch(record, words), offset));
        if (!instances.empty() || !firsts.empty()) {
            const Id first = member(draw, kFirstInstance);
            storeAll(firsts, first);
            storeAll(instances, emit(spv::Op::OpIAdd, number(offset), first));
        }
        shader::insertBehindVariables(*m_module.findFunction(m_variant.entry), m_start);
        return {};
    }

private:
    Id emit(spv::Op op, Id a, Id b) { return m_out.emit(op, m_word, {a, b}); }

    // Variables with the built-in, which become Private.
    std::vector<Id> lower(spv::BuiltIn which)
    {
        const std::vector<Id> variables = findInputs(m_module, which);
        for (const Id variable : variables)
            if (!makePrivate(m_module, variable, m_failure))
                break;
        return variables;
    }

    Id member(Id words, Member member)
    {
        const uint32_t bytes = hasDrawTable(m_layout) ? member.inEntry : m_layout.actionOffset + member.inRecord;
        return m_loads.wordAt(m_out, words, bytes / kWordBytes);
    }

    void storeAll(const std::vector<Id>& variables, Id value)
    {
        for (const Id variable : variables)
            store(variable, value);
    }

    void store(Id variable, Id value)
    {
        const Id type = m_module.pointee(m_module.typeOf(variable));
        m_out.emitVoid(spv::Op::OpStore,
                       {variable, type == m_word ? value : m_out.emit(spv::Op::OpBitcast, type, {value})});
    }

    Id select(Id condition, Id a, Id b) { return m_out.emit(spv::Op::OpSelect, m_word, {condition, a, b}); }

    Id isType(Id type, uint32_t name)
    {
        return m_out.emit(spv::Op::OpIEqual, m_module.getBoolType(), {type, m_loads.math().constant(name)});
    }

    // What the device says, behind lower().
    Id drawn(spv::BuiltIn which)
    {
        return m_out.emit(spv::Op::OpLoad, m_word, {shader::getBuiltInVariable(m_module, which, m_word)});
    }

    // Of the instance, from 0 on: the device counts from vertexOffset, where the draw's firstInstance is, unless it can
    // count from 0 alone.
    Id number(Id vertexOffset)
    {
        const Id counted = drawn(spv::BuiltIn::InstanceIndex);
        return m_layout.startsInstances ? emit(spv::Op::OpISub, counted, vertexOffset) : counted;
    }

    // `words`: of the record.
    Id fetch(LongWords record, Id words)
    {
        spirv::LongArithmetic& math = m_loads.math();
        const uint32_t place = m_layout.indexBuffer->streamOffset;
        const auto said = [&](uint32_t number) { return m_loads.wordAt(m_out, words, place / kWordBytes + number); };
        const LongWords buffer{said(0), said(1)};
        const Id size = m_loads.readableBytes(m_out, buffer, said(2)), type = said(3);
        const TypeNames names = m_layout.indexBuffer->types == IndexBuffer::Types::Vulkan ? kVulkan : kDxgi;
        const Id isWord = isType(type, names.word), isHalf = isType(type, names.half);
        const auto bySize = [&](uint32_t word, uint32_t half, uint32_t byte) {
            return select(isWord, math.constant(word), select(isHalf, math.constant(half), math.constant(byte)));
        };
        const Id zero = math.constant(0);
        const Id log = bySize(2, 1, 0), number = drawn(spv::BuiltIn::VertexIndex);
        const Id count = emit(spv::Op::OpShiftRightLogical, size, log);
        const Id isInside = m_out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {number, count});
        const Id offset = emit(spv::Op::OpShiftLeftLogical, number, log);  // below 2^32 if it is inside
        // The command can be read in any case.
        const LongWords address =
            math.select(m_out, isInside, math.add(m_out, buffer, {offset, zero}), m_loads.add(m_out, record, place));
        const LongWords aligned{emit(spv::Op::OpBitwiseAnd, address.low, math.constant(~(kWordBytes - 1))),
                                address.high};
        const Id skipped = emit(spv::Op::OpBitwiseAnd, address.low, math.constant(kWordBytes - 1));
        const Id shift = emit(spv::Op::OpShiftLeftLogical, skipped, math.constant(3));
        const Id word = m_loads.wordAt(m_out, m_loads.readOnlyWords(m_out, aligned), 0);
        const Id bits = emit(spv::Op::OpShiftRightLogical, word, shift);
        const Id index = emit(spv::Op::OpBitwiseAnd, bits, bySize(~0u, 0xffff, 0xff));
        return select(isInside, index, zero);
    }

    Variant& m_variant;
    Module& m_module;
    const Layout& m_layout;
    ArgumentLoads m_loads;
    Id m_word;
    spirv::InstructionList m_start;  // of the entry point
    Emitter m_out;
    shader::Failure m_failure{"pullIndices"};
};

}  // namespace

bool readsIndex(const Module& module)
{
    const spirv::IdSet used = spirv::usedInFunctions(module);
    for (const spv::BuiltIn builtIn : {spv::BuiltIn::VertexIndex, spv::BuiltIn::BaseVertex, spv::BuiltIn::InstanceIndex,
                                       spv::BuiltIn::BaseInstance}) {
        for (const Id variable : findInputs(module, builtIn))
            if (used.contains(variable))
                return true;
    }
    return false;
}

Status pullIndices(Variant& variant, const Layout& layout)
{
    return IndexPuller(variant, layout).run();
}

}  // namespace millrace::commands
