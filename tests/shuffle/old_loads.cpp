// SPDX-License-Identifier: Apache-2.0
#include "shuffle/old_loads.h"

#include <optional>

#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/memory_operands.h"
#include "shuffle/interface.h"

namespace millrace::shuffle {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kLines = 4;
constexpr uint32_t kWords = 32;     // of a line
constexpr uint32_t kLineShift = 7;  // a line has so many bytes, as a power of two
constexpr uint32_t kAcquires = static_cast<uint32_t>(spv::MemorySemanticsMask::Acquire) |
                               static_cast<uint32_t>(spv::MemorySemanticsMask::AcquireRelease) |
                               static_cast<uint32_t>(spv::MemorySemanticsMask::SequentiallyConsistent);
constexpr uint32_t kBuffers = static_cast<uint32_t>(spv::MemorySemanticsMask::UniformMemory);

class Cache {
public:
    explicit Cache(Module& module) : m_module(module) {}

    void run()
    {
        m_uint = m_module.getIntType(32, false);
        m_pair = m_module.getVectorType(m_uint, 2);
        m_low = createArray(kLines);
        m_high = createArray(kLines);
        m_data = createArray(kLines * kWords);
        m_value = createPrivate(m_uint);
        const Id load = loadFunction(), look = lookFunction(), renew = renewFunction();
        for (spirv::Function& function : m_module.functions)
            if (function.id() != load && function.id() != look && function.id() != renew)
                spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) {
                    rewrite(i, out, {load, look, renew});
                });
    }

private:
    struct Functions {
        Id load, look, renew;
    };

    Id c(uint32_t value) { return m_module.getConstant(value); }

    Id createPrivate(Id type)
    {
        constexpr auto kPrivate = spv::StorageClass::Private;
        const Id pointer = m_module.getPointerType(kPrivate, type);
        const Id variable = m_module.createVariable(pointer, kPrivate, shader::getNull(m_module, type));
        addToInterface(m_module, variable);
        return variable;
    }

    Id createArray(uint32_t length)
    {
        const Id type = m_module.newId(), count = c(length);
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpTypeArray, {}, type).add(m_uint).add(count));
        return createPrivate(type);
    }

    Id at(Emitter out, Id array, Id index)
    {
        const Id pointer = m_module.getPointerType(spv::StorageClass::Private, m_uint);
        return out.emit(spv::Op::OpAccessChain, pointer, {array, index});
    }

    Id read(Emitter out, Id array, Id index) { return out.emit(spv::Op::OpLoad, m_uint, {at(out, array, index)}); }

    Id slotOf(Emitter out, Id low)
    {
        const Id line = out.emit(spv::Op::OpShiftRightLogical, m_uint, {low, c(kLineShift)});
        return out.emit(spv::Op::OpBitwiseAnd, m_uint, {line, c(kLines - 1)});
    }

    Id lineOf(Emitter out, Id low)
    {
        return out.emit(spv::Op::OpBitwiseAnd, m_uint, {low, c(~((1u << kLineShift) - 1))});
    }

    Id wordOf(Emitter out, Id low)
    {
        const Id number = out.emit(spv::Op::OpShiftRightLogical, m_uint, {low, c(2)});
        return out.emit(spv::Op::OpBitwiseAnd, m_uint, {number, c(kWords - 1)});
    }

    Id isThere(Emitter out, Id slot, Id line, Id high)
    {
        const Id boolean = m_module.getBoolType();
        const Id isLow = out.emit(spv::Op::OpIEqual, boolean, {read(out, m_low, slot), line});
        const Id isHigh = out.emit(spv::Op::OpIEqual, boolean, {read(out, m_high, slot), high});
        return out.emit(spv::Op::OpLogicalAnd, boolean, {isLow, isHigh});
    }

    // m_value = the word at an address.
    Id loadFunction()
    {
        shader::FunctionWriter writer(m_module);
        const Id low = writer.addParameter(m_uint), high = writer.addParameter(m_uint);
        writer.beginBlock();
        const Id slot = slotOf(writer.out(), low), line = lineOf(writer.out(), low);
        const Id there = isThere(writer.out(), slot, line, high);
        const Id isMissing = writer.out().emit(spv::Op::OpLogicalNot, m_module.getBoolType(), {there});
        const Id first = writer.out().emit(spv::Op::OpIMul, m_uint, {slot, c(kWords)});
        const Id join = m_module.newId();
        writer.beginIf(isMissing, join);
        writer.forEach(c(kWords), [&](Id word) { fill(writer.out(), line, high, first, word); });
        writer.out().emitVoid(spv::Op::OpStore, {at(writer.out(), m_low, slot), line});
        writer.out().emitVoid(spv::Op::OpStore, {at(writer.out(), m_high, slot), high});
        writer.endIf(join);
        const Id index = writer.out().emit(spv::Op::OpIAdd, m_uint, {first, wordOf(writer.out(), low)});
        const Id value = read(writer.out(), m_data, index);
        writer.out().emitVoid(spv::Op::OpStore, {m_value, value});
        return writer.finish();
    }

    void fill(Emitter out, Id line, Id high, Id first, Id word)
    {
        const Id bytes = out.emit(spv::Op::OpIMul, m_uint, {word, c(4)});
        const Id low = out.emit(spv::Op::OpIAdd, m_uint, {line, bytes});
        const Id address = out.emit(spv::Op::OpCompositeConstruct, m_pair, {low, high});
        const Id type = m_module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, m_uint);
        const Id pointer = out.emit(spv::Op::OpBitcast, type, {address});
        const Id value = m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpLoad, m_uint, value)
                     .add(pointer)
                     .add(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned))
                     .add(4u));
        out.emitVoid(spv::Op::OpStore, {at(out, m_data, out.emit(spv::Op::OpIAdd, m_uint, {first, word})), value});
    }

    // The word at an address is seen as it is, and the rest of its line as it was.
    Id lookFunction()
    {
        shader::FunctionWriter writer(m_module);
        const Id low = writer.addParameter(m_uint), high = writer.addParameter(m_uint);
        writer.beginBlock();
        const Id slot = slotOf(writer.out(), low), line = lineOf(writer.out(), low);
        const Id join = m_module.newId();
        writer.beginIf(isThere(writer.out(), slot, line, high), join);
        const Id first = writer.out().emit(spv::Op::OpIMul, m_uint, {slot, c(kWords)});
        fill(writer.out(), line, high, first, wordOf(writer.out(), low));
        writer.endIf(join);
        return writer.finish();
    }

    // All lines are loaded again: others may have loaded them right behind the barrier, and what comes later is not
    // seen.
    Id renewFunction()
    {
        shader::FunctionWriter writer(m_module);
        writer.beginBlock();
        writer.forEach(c(kLines), [&](Id slot) {
            const Id line = read(writer.out(), m_low, slot), high = read(writer.out(), m_high, slot);
            const Id boolean = m_module.getBoolType();
            const Id isLine = writer.out().emit(spv::Op::OpIEqual, boolean, {lineOf(writer.out(), line), line});
            const Id place = writer.out().emit(spv::Op::OpBitwiseOr, m_uint, {line, high});
            const Id isPlace = writer.out().emit(spv::Op::OpINotEqual, boolean, {place, c(0)});
            const Id first = writer.out().emit(spv::Op::OpIMul, m_uint, {slot, c(kWords)});
            const Id join = m_module.newId();
            writer.beginIf(writer.out().emit(spv::Op::OpLogicalAnd, boolean, {isLine, isPlace}), join);
            writer.forEach(c(kWords), [&](Id word) { fill(writer.out(), line, high, first, word); });
            writer.endIf(join);
        });
        return writer.finish();
    }

    void rewrite(const Instruction& i, Emitter& out, const Functions& functions)
    {
        if (isCached(i)) {
            load(i, out, functions.load);
            return;
        }
        out.keep(i);
        const bool isBarrier = i.op == spv::Op::OpMemoryBarrier || i.op == spv::Op::OpControlBarrier;
        const bool copies = i.op == spv::Op::OpCopyMemory || i.op == spv::Op::OpCopyMemorySized;
        if (copies || (isBarrier && acquires(i.id(i.operandCount() - 1))) ||
            (shader::isAtomic(i.op) && acquires(i.id(2))))
            renew(out, functions);
        else if ((i.op == spv::Op::OpStore || shader::isAtomic(i.op)) && isByAddress(i.id(0)))
            lookAtWhatIsWritten(i.id(0), out, functions);
    }

    bool isByAddress(Id pointer) const
    {
        return m_module.storageOf(m_module.typeOf(pointer)) == spv::StorageClass::PhysicalStorageBuffer;
    }

    bool acquires(Id semantics) const
    {
        uint32_t value = ~0u;
        return !m_module.constantValue(semantics, value) || ((value & kAcquires) && (value & kBuffers));
    }

    void renew(Emitter& out, const Functions& functions) { out.call(functions.renew, m_module.getVoidType(), {}); }

    void lookAtWhatIsWritten(Id pointer, Emitter& out, const Functions& functions)
    {
        const auto bytes = sizeOf(m_module.pointee(m_module.typeOf(pointer)));
        if (!bytes) {
            renew(out, functions);
            return;
        }
        const auto [low, high] = addressOf(pointer, out);
        for (uint32_t offset = 0; offset < *bytes; offset += 4)
            out.call(functions.look, m_module.getVoidType(), {offsetBy(out, low, offset), high});
    }

    // Of numbers and vectors.
    std::optional<uint32_t> sizeOf(Id type) const
    {
        const Instruction* definition = m_module.findDefinition(type);
        uint32_t count = 1;
        if (definition && definition->op == spv::Op::OpTypeVector) {
            count = definition->literal(1);
            definition = m_module.findDefinition(definition->id(0));
        }
        if (!definition || (definition->op != spv::Op::OpTypeInt && definition->op != spv::Op::OpTypeFloat))
            return std::nullopt;
        return count * definition->literal(0) / 8;
    }

    bool isCached(const Instruction& i) const
    {
        return i.op == spv::Op::OpLoad && isByAddress(i.id(0)) && !isCoherent(i) && isOfWords(i.type);
    }

    // Numbers of 32 and 64 bits, and what is made of them.
    bool isOfWords(Id type) const
    {
        const Instruction& i = *m_module.findDefinition(type);
        switch (i.op) {
            case spv::Op::OpTypeInt:
            case spv::Op::OpTypeFloat:
                return i.literal(0) >= 32;
            case spv::Op::OpTypeVector:
                return isOfWords(i.id(0));
            case spv::Op::OpTypeStruct:
                for (size_t member = 0; member < i.operandCount(); ++member)
                    if (!isOfWords(i.id(member)))
                        return false;
                return true;
            default:
                return false;
        }
    }

    bool isCoherent(const Instruction& load) const
    {
        constexpr uint32_t kVolatile = static_cast<uint32_t>(spv::MemoryAccessMask::Volatile);
        if (load.operandCount() > 1 && (load.literal(1) & kVolatile))
            return true;
        for (Id pointer = load.id(0);;) {
            const Instruction* i = m_module.findDefinition(pointer);
            if (isMarked(pointer) || !i)
                return true;
            if (i->op != spv::Op::OpAccessChain && i->op != spv::Op::OpInBoundsAccessChain)
                return false;
            if (hasMarkedMember(*i))
                return true;
            pointer = i->id(0);
        }
    }

    bool isMarked(Id pointer) const
    {
        return m_module.findDecoration(pointer, spv::Decoration::Coherent) ||
               m_module.findDecoration(pointer, spv::Decoration::Volatile);
    }

    bool hasMarkedMember(const Instruction& chain) const
    {
        Id type = m_module.pointee(m_module.typeOf(chain.id(0)));
        for (size_t o = 1; o < chain.operandCount(); ++o) {
            const Instruction* definition = m_module.findDefinition(type);
            uint32_t member = 0;
            if (definition->op != spv::Op::OpTypeStruct) {
                type = definition->id(0);
                continue;
            }
            m_module.constantValue(chain.id(o), member);
            if (m_module.findMemberDecoration(type, member, spv::Decoration::Coherent) ||
                m_module.findMemberDecoration(type, member, spv::Decoration::Volatile))
                return true;
            type = definition->id(member);
        }
        return false;
    }

    std::pair<Id, Id> addressOf(Id pointer, Emitter& out)
    {
        const Id pair = out.emit(spv::Op::OpBitcast, m_pair, {pointer});
        const Id low = m_module.newId(), high = m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpCompositeExtract, m_uint, low).add(pair).add(0u));
        out.keep(spirv::instruction(spv::Op::OpCompositeExtract, m_uint, high).add(pair).add(1u));
        return {low, high};
    }

    // Nothing lies across 4 GiB.
    Id offsetBy(Emitter& out, Id low, uint32_t bytes)
    {
        return bytes == 0 ? low : out.emit(spv::Op::OpIAdd, m_uint, {low, c(bytes)});
    }

    struct Address {
        Id low, high;
        uint32_t offset;
    };

    void load(const Instruction& i, Emitter& out, Id function)
    {
        const auto [low, high] = addressOf(i.id(0), out);
        const Id value = loadPart(out, i.type, {low, high, 0}, function);
        out.keep(spirv::instruction(spv::Op::OpCopyObject, i.type, i.result).add(value));
    }

    Id loadWord(Emitter& out, const Address& from, Id function)
    {
        out.call(function, m_module.getVoidType(), {offsetBy(out, from.low, from.offset), from.high});
        return out.emit(spv::Op::OpLoad, m_uint, {m_value});
    }

    Id loadPart(Emitter& out, Id type, const Address& from, Id function)
    {
        const Instruction definition = *m_module.findDefinition(type);
        if (definition.op == spv::Op::OpTypeVector || definition.op == spv::Op::OpTypeStruct)
            return loadParts(out, definition, from, function);
        Id value = loadWord(out, from, function);
        if (definition.literal(0) == 64)
            value = out.emit(spv::Op::OpCompositeConstruct, m_pair,
                             {value, loadWord(out, {from.low, from.high, from.offset + 4}, function)});
        return type == m_uint ? value : out.emit(spv::Op::OpBitcast, type, {value});
    }

    Id loadParts(Emitter& out, const Instruction& type, const Address& from, Id function)
    {
        const bool isVector = type.op == spv::Op::OpTypeVector;
        const auto count = isVector ? type.literal(1) : static_cast<uint32_t>(type.operandCount());
        const uint32_t stride = isVector ? *sizeOf(type.id(0)) : 0;
        Instruction whole = spirv::instruction(spv::Op::OpCompositeConstruct, type.result, m_module.newId());
        for (uint32_t part = 0; part < count; ++part) {
            const uint32_t offset = isVector ? part * stride : offsetOf(type.result, part);
            whole.add(
                loadPart(out, type.id(isVector ? 0 : part), {from.low, from.high, from.offset + offset}, function));
        }
        const Id value = whole.result;
        out.keep(std::move(whole));
        return value;
    }

    // What is loaded by address has offsets (VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708).
    uint32_t offsetOf(Id structure, uint32_t member) const
    {
        return m_module.findMemberDecoration(structure, member, spv::Decoration::Offset)->literal(3);
    }

    Module& m_module;
    Id m_uint, m_pair;
    Id m_low, m_high;  // addresses of the lines that are there; 0 at first, where nothing is
    Id m_data;
    Id m_value;  // what was loaded last
};

}  // namespace

void keepOldLoads(Module& module)
{
    if (module.hasCapability(spv::Capability::PhysicalStorageBufferAddresses) &&
        !module.hasCapability(spv::Capability::VulkanMemoryModel))
        Cache(module).run();
}

}  // namespace millrace::shuffle
