// SPDX-License-Identifier: Apache-2.0
#include "commands/fetch_push_constants.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <spirv/unified1/GLSL.std.450.h>

#include "abi/commands.h"
#include "commands/places.h"
#include "commands/sources.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "shader/memory_operands.h"
#include "shader/pointers.h"
#include "shader/type_layouts.h"

namespace millrace::commands {

using shader::Failure;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::LongWords;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kWordBytes = 4;
// Streams and all offsets in them are multiples of 4, so nothing there is known to lie at a multiple of 8.
constexpr uint32_t kRecordAlignment = 4;

bool isChain(spv::Op op)
{
    return op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain;
}

class Fetch {
public:
    Fetch(Variant& variant, Id block, const Layout& layout)
        : m_module(variant.module),
          m_variant(variant),
          m_block(block),
          m_loads(variant),
          m_places(variant.module),
          m_layouts(variant.module),
          m_pieces(findPieces(layout, stageBit(variant.model)))
    {
    }

    Status run()
    {
        const Id type = m_module.pointee(m_module.typeOf(m_block));
        const Instruction* definition = m_module.findDefinition(type);
        if (!definition || definition->op != spv::Op::OpTypeStruct) {
            m_failure.at(shader::describe(m_module, m_block), "the push constant block is no structure");
            return m_failure.status();
        }
        m_type = type;
        m_readOnlyType = createReadOnlyCopy(type);
        for (spirv::Function& function : m_module.functions)
            if (!function.blocks.empty())
                rewrite(function);
        if (!m_failure) {
            removePointers();
            shader::addPhysicalStorageCapabilities(m_module);
        }
        return m_failure.status();
    }

private:
    // Drivers may keep in registers what nobody writes. Members with values that may only be loaded and stored are left
    // out, because no pointer to such may be made of an address: there is no arithmetic for its size.
    Id createReadOnlyCopy(Id type)
    {
        const Id copy = m_module.newId();
        const Instruction whole = *m_module.findDefinition(type);
        Instruction definition = spirv::instruction(spv::Op::OpTypeStruct, {}, copy);
        for (uint32_t m = 0; m < whole.operandCount(); ++m) {
            if (!holdsStoredOnly(whole.id(m))) {
                m_copiedMembers.emplace(m, static_cast<uint32_t>(definition.operandCount()));
                definition.add(whole.id(m));
            }
        }
        m_isWhole = definition.operandCount() == whole.operandCount();
        copyAnnotations(type, copy);
        m_module.section(Section::Globals).push_back(std::move(definition));
        return copy;
    }

    void copyAnnotations(Id type, Id copy)
    {
        for (const Section section : {Section::DebugNames, Section::Annotations}) {
            spirv::InstructionList copies;
            for (Instruction i : m_module.section(section)) {
                const bool isOfMember = i.op == spv::Op::OpMemberDecorate || i.op == spv::Op::OpMemberName;
                const bool isAbout = i.op == spv::Op::OpDecorate || i.op == spv::Op::OpName || isOfMember;
                if (!isAbout || i.id(0) != type)
                    continue;
                const auto member = isOfMember ? m_copiedMembers.find(i.literal(1)) : m_copiedMembers.end();
                if (isOfMember && member == m_copiedMembers.end())
                    continue;
                if (isOfMember)
                    i.setLiteral(1, member->second);
                i.setId(0, copy);
                copies.push_back(std::move(i));
            }
            spirv::InstructionList& list = m_module.section(section);
            list.insert(list.end(), copies.begin(), copies.end());
        }
        for (const auto& [from, to] : m_copiedMembers)
            if (!m_module.findMemberDecoration(copy, to, spv::Decoration::NonWritable))
                m_module.decorateMember(copy, to, spv::Decoration::NonWritable);
    }

    bool holdsStoredOnly(Id type) const
    {
        const Instruction* definition = m_module.findDefinition(type);
        switch (definition ? definition->op : spv::Op::OpNop) {
            case spv::Op::OpTypeInt:
            case spv::Op::OpTypeFloat:
                return isStoredOnly(*definition);
            case spv::Op::OpTypeArray:
            case spv::Op::OpTypeVector:
            case spv::Op::OpTypeMatrix:
                return holdsStoredOnly(definition->id(0));
            case spv::Op::OpTypeStruct: {
                bool holds = false;
                for (size_t m = 0; m < definition->operandCount(); ++m)
                    holds |= holdsStoredOnly(definition->id(m));
                return holds;
            }
            default:
                return false;
        }
    }

    void rewrite(spirv::Function& function)
    {
        m_start.clear();
        m_bases.clear();
        m_pointers.clear();
        m_record.reset();
        m_sequence = {};
        spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) { visit(i, out); });
        shader::insertBehindVariables(function, m_start);
        checkUses(function);
    }

    void visit(const Instruction& i, Emitter& out)
    {
        const Place* place = i.operandCount() > 0 && i.isId(0) ? findPlace(i.id(0)) : nullptr;
        if (place && isChain(i.op)) {
            Place part = *place;
            for (size_t o = 1; o < i.operandCount() && part.type; ++o)
                part = m_places.part(part, i.id(o));
            addPlace(i, std::move(part));
        } else if (place && i.op == spv::Op::OpCopyObject) {
            addPlace(i, *place);
        } else if (place && i.op == spv::Op::OpLoad) {
            if (const Id value = load(*place, out, i.result); value != i.result)
                out.keep(spirv::instruction(spv::Op::OpCopyObject, i.type, i.result).add(value));
        } else if (i.op == spv::Op::OpCopyMemory && findPlace(i.id(1))) {
            copyTo(i, *findPlace(i.id(1)), out);
        } else {
            out.keep(i);
        }
    }

    const Place* findPlace(Id pointer)
    {
        if (pointer == m_block && !m_byPointer.contains(pointer.value))
            m_byPointer.emplace(pointer.value, m_places.block(m_type));
        const auto found = m_byPointer.find(pointer.value);
        return found == m_byPointer.end() ? nullptr : &found->second;
    }

    void addPlace(const Instruction& i, Place place)
    {
        if (!place.type)
            m_failure.at(m_module, i, "leads to no laid-out part of the push constants");
        m_byPointer.emplace(i.result.value, std::move(place));
    }

    // What the first memory operands say is about the target, or about both.
    void copyTo(const Instruction& i, const Place& from, Emitter& out)
    {
        size_t next = shader::memoryOperandsBegin(i.op);
        const shader::MemoryOperands operands = shader::readMemoryOperands(i, next);
        Instruction store = spirv::instruction(spv::Op::OpStore).add(i.id(0)).add(load(from, out, {}));
        shader::setMemoryOperands(store, operands);
        out.keep(std::move(store));
    }

    // Whatever else is done with a pointer.
    void checkUses(const spirv::Function& function)
    {
        for (const spirv::Block& block : function.blocks) {
            for (const Instruction& i : block.body) {
                i.forEachUse([&](Id id) {
                    if (id == m_block || m_byPointer.contains(id.value))
                        m_failure.at(m_module, i, "uses a pointer to push constants in a way that is not supported");
                });
            }
        }
    }

    void removePointers()
    {
        const auto isAbout = [&](const Instruction& i) { return i.isId(0) && m_byPointer.contains(i.id(0).value); };
        std::erase_if(m_module.section(Section::DebugNames), isAbout);
        m_module.removeDecorations(isAbout);
        shader::forget(m_module, m_block);
        std::erase_if(m_module.section(Section::Globals), [&](const Instruction& i) { return i.result == m_block; });
    }

    // Loads ------------------------------------------------------------------------------------------------------

    // The piece that all bytes are in; none if they are in several.
    const Piece* onlyPiece(uint64_t begin, uint64_t end) const
    {
        for (const Piece& piece : m_pieces)
            if (begin >= piece.begin && begin < piece.end)
                return end <= piece.end ? &piece : nullptr;
        return nullptr;
    }

    uint64_t endOf(const Place& place) const
    {
        const uint64_t bytes = m_places.bytes(place);
        return bytes == kNoEnd || place.spanBytes == kNoEnd ? kNoEnd : place.offsetBytes + place.spanBytes + bytes;
    }

    // Emits what gives the value. The result may be another id than `result`, which may be none.
    Id load(const Place& place, Emitter& out, Id result)
    {
        if (!place.type || m_failure)
            return {};
        const Piece* piece = onlyPiece(place.offsetBytes, endOf(place));
        if (piece && mayBeTyped(place, *piece)) {
            // The block as a whole is of its own type.
            return place.indices.empty() ? loadAligned(out, m_loads.pointer(out, baseOf(*piece), m_type), m_type,
                                                       m_layouts.scalarAlignment(m_type), result)
                                         : loadTyped(place, pointerTo(*piece), out, result);
        }
        const uint32_t bits = m_places.scalarBits(scalarOf(place.type));
        if (bits != 0 && bits < 32)
            return loadSmall(place, out, result);
        const bool isScalar = m_places.scalarBits(place.type) != 0;
        return isScalar ? loadWords(place, bits / 32, out, result) : loadParts(place, out, result);
    }

    bool mayBeTyped(const Place& place, const Piece& piece) const
    {
        const bool isAligned = (m_layouts.scalarWidths(place.type) & 64) == 0;
        uint32_t member = 0;
        const bool isThere = place.indices.empty()
                                 ? m_isWhole
                                 : m_module.constantValue(place.indices[0], member) && m_copiedMembers.contains(member);
        return isThere && (piece.kind == Piece::Kind::Pushed || (piece.kind == Piece::Kind::Record && isAligned));
    }

    // Of a vector its components'.
    Id scalarOf(Id type) const
    {
        const Instruction* definition = m_module.findDefinition(type);
        return definition && definition->op == spv::Op::OpTypeVector ? definition->id(0) : type;
    }

    Id loadTyped(const Place& place, Id base, Emitter& out, Id result)
    {
        const Id pointerType = m_module.getPointerType(spv::StorageClass::PhysicalStorageBuffer, place.type);
        Instruction chain = spirv::instruction(spv::Op::OpAccessChain, pointerType, m_module.newId()).add(base);
        uint32_t member = 0;
        m_module.constantValue(place.indices[0], member);
        chain.add(m_module.getConstant(m_copiedMembers.at(member)));
        for (size_t n = 1; n < place.indices.size(); ++n)
            chain.add(place.indices[n]);
        const Id pointer = chain.result;
        out.keep(std::move(chain));
        return loadAligned(out, pointer, place.type, m_layouts.scalarAlignment(place.type), result);
    }

    Id loadParts(const Place& place, Emitter& out, Id result)
    {
        const uint32_t count = m_places.partCount(place);
        if (count == 0) {
            fail(place, "has a length that a specialization constant says, and values from several places");
            return {};
        }
        result = result ? result : m_module.newId();
        Instruction whole = spirv::instruction(spv::Op::OpCompositeConstruct, place.type, result);
        for (uint32_t p = 0; p < count && !m_failure; ++p) {
            const Place part = m_places.part(place, m_module.getConstant(p));
            if (!part.type) {
                fail(place, "is not laid out");
                return {};
            }
            if (holdsStoredOnly(part.type)) {
                fail(part, "is too small to be computed with here, and part of a value that is loaded as a whole");
                return {};
            }
            whole.add(load(part, out, {}));
        }
        out.keep(std::move(whole));
        return result;
    }

    // A number that may be loaded, stored and converted only: no arithmetic of its size.
    bool isStoredOnly(const Instruction& number) const
    {
        const uint32_t bits = number.literal(0);
        if (bits >= 32)
            return false;
        const spv::Capability arithmetic = number.op == spv::Op::OpTypeFloat ? spv::Capability::Float16
                                           : bits == 8                       ? spv::Capability::Int8
                                                                             : spv::Capability::Int16;
        return !m_module.hasCapability(arithmetic);
    }

    Id loadWords(const Place& place, uint32_t count, Emitter& out, Id result)
    {
        std::vector<Id> words;
        for (uint32_t w = 0; w < count; ++w)
            words.push_back(loadWord(place, kWordBytes * w, out));
        Id value = words[0];
        if (count == 2)
            value = m_loads.pair(out, {words[0], words[1]});
        if (place.type == m_loads.wordType())
            return value;
        result = result ? result : m_module.newId();
        out.keep(spirv::instruction(spv::Op::OpBitcast, place.type, result).add(value));
        return result;
    }

    // The word at `skip` bytes from a scalar's first, or the one that a smaller scalar is in.
    Id loadWord(const Place& place, uint32_t skip, Emitter& out)
    {
        const uint64_t first = (place.offsetBytes + skip) / kWordBytes * kWordBytes;
        const uint64_t end = place.spanBytes == kNoEnd ? kNoEnd : first + place.spanBytes + kWordBytes;
        const Piece* piece = onlyPiece(first, end);
        if (piece && piece->kind == Piece::Kind::SequenceIndex)
            return sequence();
        Id offset = offsetOf(place, skip, out);
        if (m_places.scalarBits(place.type) < 32) {
            const Id mask = m_loads.math().constant(~(kWordBytes - 1));
            offset = out.emit(spv::Op::OpBitwiseAnd, m_loads.wordType(), {offset, mask});
        }
        if (piece)
            return loadAt(baseOf(*piece), offset, out);
        Id value = loadAt(selectBase(first, end, offset, out), offset, out);
        for (const Piece& other : m_pieces)
            if (other.kind == Piece::Kind::SequenceIndex && other.begin < end && other.end > first)
                value = out.emit(spv::Op::OpSelect, m_loads.wordType(), {isIn(other, offset, out), sequence(), value});
        return value;
    }

    Id loadAt(LongWords base, Id offset, Emitter& out)
    {
        const LongWords address = m_loads.math().add(out, base, {offset, m_loads.math().constant(0)});
        return m_loads.load(out, address, m_loads.wordType(), kRecordAlignment);
    }

    // A number of 8 or 16 bits, or a vector of such: out of the words that they are in. Pieces begin and end at words.
    Id loadSmall(const Place& place, Emitter& out, Id result)
    {
        const Id scalarType = scalarOf(place.type);
        const uint32_t count = scalarType == place.type ? 1 : m_places.partCount(place);
        std::vector<Id> bits;
        for (uint32_t c = 0; c < count; ++c) {
            const Place part = scalarType == place.type ? place : m_places.part(place, m_module.getConstant(c));
            bits.push_back(loadBits(part, out));
        }
        result = result ? result : m_module.newId();
        const Instruction& scalar = *m_module.findDefinition(scalarType);
        if (scalar.op == spv::Op::OpTypeFloat) {
            convertHalves(place.type, bits, out, result);
        } else {
            // Both drop the upper bits; which one says of what signedness the result is.
            const spv::Op convert = scalar.literal(1) == 0 ? spv::Op::OpUConvert : spv::Op::OpSConvert;
            out.keep(spirv::instruction(convert, place.type, result).add(together(m_loads.wordType(), bits, out)));
        }
        return result;
    }

    Id together(Id scalarType, const std::vector<Id>& values, Emitter& out)
    {
        if (values.size() == 1)
            return values[0];
        const Id type = m_module.getVectorType(scalarType, static_cast<uint32_t>(values.size()));
        Instruction vector = spirv::instruction(spv::Op::OpCompositeConstruct, type, m_module.newId());
        for (const Id value : values)
            vector.add(value);
        const Id result = vector.result;
        out.keep(std::move(vector));
        return result;
    }

    // A word with the scalar in its lower bits; what is above is anything.
    Id loadBits(const Place& place, Emitter& out)
    {
        const Id word = m_loads.wordType();
        const Id offset = offsetOf(place, 0, out);
        const Id inWord = out.emit(spv::Op::OpBitwiseAnd, word, {offset, m_loads.math().constant(kWordBytes - 1)});
        const Id shift = out.emit(spv::Op::OpShiftLeftLogical, word, {inWord, m_loads.math().constant(3)});
        return out.emit(spv::Op::OpShiftRightLogical, word, {loadWord(place, 0, out), shift});
    }

    // Numbers of 16 bits from the lower halves of words. Without arithmetic of that size they come from 32 bits, which
    // have all of them.
    void convertHalves(Id type, const std::vector<Id>& bits, Emitter& out, Id result)
    {
        const bool isStored = holdsStoredOnly(type);
        const Id component = isStored ? m_module.getFloatType(32) : scalarOf(type);
        const Id pair = m_module.getVectorType(component, 2);
        std::vector<Id> values;
        for (const Id word : bits) {
            const Id both = m_module.newId();
            if (isStored) {
                out.keep(spirv::instruction(spv::Op::OpExtInst, pair, both)
                             .add(m_loads.glslFunctions())
                             .add(static_cast<uint32_t>(GLSLstd450UnpackHalf2x16))
                             .add(word));
            } else {
                out.keep(spirv::instruction(spv::Op::OpBitcast, pair, both).add(word));
            }
            values.push_back(m_module.newId());
            out.keep(spirv::instruction(spv::Op::OpCompositeExtract, component, values.back()).add(both).add(0u));
        }
        const spv::Op last = isStored ? spv::Op::OpFConvert : spv::Op::OpCopyObject;
        out.keep(spirv::instruction(last, type, result).add(together(component, values, out)));
    }

    // What a place's offset is at run time, with `skip` added.
    Id offsetOf(const Place& place, uint32_t skip, Emitter& out)
    {
        const Id word = m_loads.wordType();
        Id offset = m_loads.math().constant(static_cast<uint32_t>(place.offsetBytes + skip));
        for (const Place::Step& step : place.steps) {
            const Id stride = m_loads.math().constant(step.strideBytes);
            const Id bytes = out.emit(spv::Op::OpIMul, word, {asWord(step.index, out), stride});
            offset = out.emit(spv::Op::OpIAdd, word, {offset, bytes});
        }
        return offset;
    }

    // Indices may be integers of any kind.
    Id asWord(Id index, Emitter& out)
    {
        const Id type = m_module.typeOf(index);
        const Instruction* definition = m_module.findDefinition(type);
        if (type == m_loads.wordType() || !definition || definition->op != spv::Op::OpTypeInt)
            return index;
        const bool isWord = definition->literal(0) == 32;
        return out.emit(isWord ? spv::Op::OpBitcast : spv::Op::OpUConvert, m_loads.wordType(), {index});
    }

    Id isIn(const Piece& piece, Id offset, Emitter& out)
    {
        spirv::LongArithmetic& math = m_loads.math();
        // One comparison does for both ends: what is in front of the piece wraps around.
        const Id from =
            out.emit(spv::Op::OpISub, m_loads.wordType(), {offset, math.constant(static_cast<uint32_t>(piece.begin))});
        const Id size = math.constant(static_cast<uint32_t>(piece.end - piece.begin));
        return out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {from, size});
    }

    // The base of what `offset`, from `first` to `end`, is in. Where that is the sequence index it is what the
    // application pushed, which may be read too.
    LongWords selectBase(uint64_t first, uint64_t end, Id offset, Emitter& out)
    {
        LongWords base = baseOf({});
        for (const Piece& piece : m_pieces)
            if (piece.kind == Piece::Kind::Record && piece.begin < end && piece.end > first)
                base = m_loads.math().select(out, isIn(piece, offset, out), baseOf(piece), base);
        return base;
    }

    // At the start of the function ---------------------------------------------------------------------------------

    Id sequence()
    {
        if (!m_sequence) {
            Emitter start(m_module, m_start);
            m_sequence = start.emit(spv::Op::OpLoad, m_loads.wordType(), {m_variant.sequence});
        }
        return m_sequence;
    }

    // The address that push constant offsets of the piece are added to.
    LongWords baseOf(const Piece& piece)
    {
        const bool isPushed = piece.kind == Piece::Kind::Pushed;
        const auto key = std::pair(isPushed, piece.baseOffset);
        if (const auto known = m_bases.find(key); known != m_bases.end())
            return known->second;
        LongWords base;
        if (isPushed) {
            const Id number = m_variant.mayBeSeries ? sequence() : Id{};
            Emitter start(m_module, m_start);
            base = m_loads.pushed(start, number);
        } else {
            const Id number = sequence();
            Emitter start(m_module, m_start);
            m_record = m_record ? m_record : m_loads.record(start, number);
            base = m_loads.add(start, *m_record, piece.baseOffset);
        }
        m_bases.emplace(key, base);
        return base;
    }

    // To a block of which the bytes of the piece are there.
    Id pointerTo(const Piece& piece)
    {
        const auto key = std::pair(piece.kind == Piece::Kind::Pushed, piece.baseOffset);
        if (const auto known = m_pointers.find(key); known != m_pointers.end())
            return known->second;
        const LongWords base = baseOf(piece);
        Emitter start(m_module, m_start);
        const Id pointer = m_loads.pointer(start, base, m_readOnlyType);
        m_pointers.emplace(key, pointer);
        return pointer;
    }

    void fail(const Place& place, const std::string& message)
    {
        m_failure.at(shader::describe(m_module, m_block),
                     "the push constant at byte " + std::to_string(place.offsetBytes) + " " + message);
    }

    using BaseKey = std::pair<bool, int64_t>;  // is pushed; Piece::baseOffset

    Module& m_module;
    Variant& m_variant;
    Id m_block;
    Id m_type;
    Id m_readOnlyType;                             // without the members that m_copiedMembers does not have
    std::map<uint32_t, uint32_t> m_copiedMembers;  // member of m_type to member of m_readOnlyType
    bool m_isWhole = false;                        // it has all
    ArgumentLoads m_loads;
    Places m_places;
    mutable shader::TypeLayouts m_layouts;  // computes when asked
    std::vector<Piece> m_pieces;
    std::unordered_map<uint32_t, Place> m_byPointer;
    Failure m_failure{"fetchPushConstants"};

    // Of the function at hand.
    spirv::InstructionList m_start;
    std::map<BaseKey, LongWords> m_bases;
    std::map<BaseKey, Id> m_pointers;
    std::optional<LongWords> m_record;
    Id m_sequence;
};

}  // namespace

bool dependsOnSequence(const Module& module, Id block, uint32_t stage, const Layout& layout)
{
    const Places places(module);
    const uint64_t bytes = places.bytes(places.block(module.pointee(module.typeOf(block))));
    return std::ranges::any_of(layout.pushRanges, [&](const PushRange& range) {
        return (range.stages & stage) != 0 && range.destination < bytes;
    });
}

Status fetchPushConstants(Variant& variant, Id block, const Layout& layout)
{
    return Fetch(variant, block, layout).run();
}

}  // namespace millrace::commands
