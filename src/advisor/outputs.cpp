// SPDX-License-Identifier: Apache-2.0
#include "advisor/outputs.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "advisor/source_places.h"
#include "advisor/stored_types.h"

namespace millrace::advisor {

using spirv::Id;
using spirv::Instruction;

namespace {

constexpr uint32_t kWhole = UINT32_MAX;  // in place of a member: the variable is one output
constexpr uint32_t kMaxSlots = 64;       // more than any device has; what is beyond is not looked at

struct BuiltInRow {
    spv::BuiltIn builtIn;
    OutputKind kind;
    const char* name;  // SPIR-V's
};

constexpr std::array kBuiltIns = {
    BuiltInRow{spv::BuiltIn::Position, OutputKind::Position, "Position"},
    BuiltInRow{spv::BuiltIn::PointSize, OutputKind::PointSize, "PointSize"},
    BuiltInRow{spv::BuiltIn::ClipDistance, OutputKind::ClipDistance, "ClipDistance"},
    BuiltInRow{spv::BuiltIn::CullDistance, OutputKind::CullDistance, "CullDistance"},
    BuiltInRow{spv::BuiltIn::PrimitiveId, OutputKind::PrimitiveId, "PrimitiveId"},
    BuiltInRow{spv::BuiltIn::Layer, OutputKind::Layer, "Layer"},
    BuiltInRow{spv::BuiltIn::ViewportIndex, OutputKind::Viewport, "ViewportIndex"},
    BuiltInRow{spv::BuiltIn::PrimitiveShadingRateKHR, OutputKind::ShadingRate, "PrimitiveShadingRateKHR"},
    BuiltInRow{spv::BuiltIn::CullPrimitiveEXT, OutputKind::Cull, "CullPrimitiveEXT"},
    BuiltInRow{spv::BuiltIn::PrimitivePointIndicesEXT, OutputKind::Indices, "PrimitivePointIndicesEXT"},
    BuiltInRow{spv::BuiltIn::PrimitiveLineIndicesEXT, OutputKind::Indices, "PrimitiveLineIndicesEXT"},
    BuiltInRow{spv::BuiltIn::PrimitiveTriangleIndicesEXT, OutputKind::Indices, "PrimitiveTriangleIndicesEXT"},
};

const BuiltInRow* findBuiltIn(uint32_t number)
{
    const auto found = std::ranges::find(kBuiltIns, static_cast<spv::BuiltIn>(number), &BuiltInRow::builtIn);
    return found == kBuiltIns.end() ? nullptr : &*found;
}

bool isPerPrimitive(OutputKind kind)
{
    return kind == OutputKind::PrimitiveId || kind == OutputKind::Layer || kind == OutputKind::Viewport ||
           kind == OutputKind::ShadingRate || kind == OutputKind::Cull || kind == OutputKind::Indices;
}

bool isDistance(OutputKind kind)
{
    return kind == OutputKind::ClipDistance || kind == OutputKind::CullDistance;
}

// A pointer into an output: indices behind the variable, the vertex's or primitive's first.
struct Target {
    Id variable;
    std::vector<Id> indices;
};

class Reader {
public:
    Reader(const PreparedShader& shader, const shader::OwnLane& lanes)
        : m_shader(shader), m_module(shader.module), m_lanes(lanes), m_places(shader.module)
    {
    }

    std::vector<Output> read();

private:
    // An output and where its components begin in the first slot.
    struct Entry {
        Output output;
        Id type;
        uint32_t firstWord = 0;
    };
    using Key = std::pair<uint32_t, uint32_t>;  // variable, member

    void declare(Id variable);
    void declare(Id variable, uint32_t member, Id type);
    const Instruction* decorationOf(Id variable, uint32_t member, spv::Decoration decoration) const;
    uint32_t literalOf(Id variable, uint32_t member, spv::Decoration decoration, uint32_t otherwise) const;
    std::string nameOf(Id variable, uint32_t member, const std::string& builtIn) const;
    std::optional<Target> findTarget(Id pointer) const;
    void store(const Target& target);
    bool storeElement(Entry& entry, std::span<const Id> indices, bool isForeign);
    void mark(Entry& entry, Id type, uint32_t slot, bool isForeign);
    void markWords(Entry& entry, uint32_t slot, uint32_t firstWord, uint32_t count, bool isForeign);
    void markDistances(Entry& entry, std::span<const Id> indices, bool isForeign);

    const PreparedShader& m_shader;
    const spirv::Module& m_module;
    const shader::OwnLane& m_lanes;
    SourcePlaces m_places;
    std::map<Key, size_t> m_index;
    std::vector<Entry> m_entries;
};

const Instruction* Reader::decorationOf(Id variable, uint32_t member, spv::Decoration decoration) const
{
    if (member == kWhole)
        return m_module.findDecoration(variable, decoration);
    const Id structure = elementType(m_module, m_module.pointee(m_module.typeOf(variable)), 0);
    const Instruction* found = m_module.findMemberDecoration(structure, member, decoration);
    return found != nullptr ? found : m_module.findDecoration(variable, decoration);
}

uint32_t Reader::literalOf(Id variable, uint32_t member, spv::Decoration decoration, uint32_t otherwise) const
{
    const Instruction* found = decorationOf(variable, member, decoration);
    return found == nullptr ? otherwise : found->literal(found->op == spv::Op::OpMemberDecorate ? 3 : 2);
}

// Built-ins that have no name of their own have that of SPIR-V, `builtIn`.
std::string Reader::nameOf(Id variable, uint32_t member, const std::string& builtIn) const
{
    const std::string own = m_module.name(variable);
    const std::string otherwise = own.empty() ? "%" + std::to_string(variable.value) : own;
    if (member == kWhole)
        return own.empty() && !builtIn.empty() ? builtIn : otherwise;
    const Id structure = elementType(m_module, m_module.pointee(m_module.typeOf(variable)), 0);
    for (const Instruction& i : m_module.section(spirv::Section::DebugNames)) {
        if (i.op == spv::Op::OpMemberName && i.id(0) == structure && i.literal(1) == member) {
            const std::string name = i.string(2);
            return name.starts_with("gl_") || own.empty() ? name : own + "." + name;
        }
    }
    return builtIn.empty() ? otherwise + "." + std::to_string(member) : builtIn;
}

void Reader::declare(Id variable, uint32_t member, Id type)
{
    Entry entry;
    Output& out = entry.output;
    const uint32_t builtIn = literalOf(variable, member, spv::Decoration::BuiltIn, UINT32_MAX);
    const BuiltInRow* row = findBuiltIn(builtIn);
    if (builtIn != UINT32_MAX && row == nullptr)
        return;
    out.kind = row != nullptr ? row->kind : OutputKind::Generic;
    out.name = nameOf(variable, member, row != nullptr ? row->name : "");
    out.isPerPrimitive =
        isPerPrimitive(out.kind) || decorationOf(variable, member, spv::Decoration::PerPrimitiveEXT) != nullptr;
    out.location = literalOf(variable, member, spv::Decoration::Location, 0);
    entry.firstWord = literalOf(variable, member, spv::Decoration::Component, 0) % 4;
    Id scalar = type;
    for (Id inner = type; inner; inner = elementType(m_module, inner, 0))
        scalar = inner;
    const Components components = componentsOf(m_module, scalar);
    out.widthBits = components.widthBits;
    out.isFlat = components.isInteger || decorationOf(variable, member, spv::Decoration::Flat) != nullptr;
    out.elementCount = isDistance(out.kind) ? arrayLength(m_module, type) : 0;
    const uint32_t slots = isDistance(out.kind) ? (out.elementCount + 3) / 4 : slotCount(m_module, type);
    out.slots.resize(std::min(slots, kMaxSlots));
    entry.type = type;
    m_index[{variable.value, member}] = m_entries.size();
    m_entries.push_back(std::move(entry));
}

// Blocks and structures whose members say what they are have an output for each member.
void Reader::declare(Id variable)
{
    const Id element = elementType(m_module, m_module.pointee(m_module.typeOf(variable)), 0);
    const Instruction* type = m_module.findDefinition(element);
    if (type == nullptr)
        return;
    const bool hasMembers = type->op == spv::Op::OpTypeStruct &&
                            (m_module.findMemberDecoration(element, 0, spv::Decoration::BuiltIn) != nullptr ||
                             m_module.findMemberDecoration(element, 0, spv::Decoration::Location) != nullptr);
    if (type->op == spv::Op::OpTypeStruct && !hasMembers) {
        // Locations follow each other from that of the variable.
        uint32_t location = literalOf(variable, kWhole, spv::Decoration::Location, 0);
        for (uint32_t m = 0; m < type->operandCount(); ++m) {
            declare(variable, m, type->id(m));
            m_entries.back().output.location = location;
            location += slotCount(m_module, type->id(m));
        }
        return;
    }
    if (!hasMembers) {
        declare(variable, kWhole, element);
        return;
    }
    for (uint32_t m = 0; m < type->operandCount(); ++m)
        declare(variable, m, type->id(m));
}

std::optional<Target> Reader::findTarget(Id pointer) const
{
    Target out;
    std::vector<Id> reversed;
    for (const Instruction* i = m_module.findDefinition(pointer); i != nullptr; i = m_module.findDefinition(i->id(0))) {
        if (i->op == spv::Op::OpVariable) {
            const bool isOutput = i->literal(0) == static_cast<uint32_t>(spv::StorageClass::Output);
            out.variable = i->result;
            out.indices.assign(reversed.rbegin(), reversed.rend());
            return isOutput ? std::optional(std::move(out)) : std::nullopt;
        }
        const bool isChain = i->op == spv::Op::OpAccessChain || i->op == spv::Op::OpInBoundsAccessChain;
        if (!isChain && i->op != spv::Op::OpCopyObject)
            return std::nullopt;
        for (size_t o = i->operandCount(); isChain && o-- > 1;)
            reversed.push_back(i->id(o));
    }
    return std::nullopt;
}

void Reader::markWords(Entry& entry, uint32_t slot, uint32_t firstWord, uint32_t count, bool isForeign)
{
    for (uint32_t word = firstWord; word < firstWord + count; ++word) {
        const uint32_t at = slot + word / 4;
        if (at < entry.output.slots.size()) {
            entry.output.slots[at].words |= static_cast<uint8_t>(1u << (word % 4));
            entry.output.slots[at].isForeign |= isForeign;
        }
    }
}

// All of a type that begins in a slot.
void Reader::mark(Entry& entry, Id type, uint32_t slot, bool isForeign)
{
    const Instruction* definition = m_module.findDefinition(type);
    if (definition == nullptr || slot >= entry.output.slots.size())
        return;
    if (definition->op == spv::Op::OpTypeStruct || definition->op == spv::Op::OpTypeArray ||
        definition->op == spv::Op::OpTypeMatrix) {
        const uint32_t count = definition->op == spv::Op::OpTypeStruct
                                   ? static_cast<uint32_t>(definition->operandCount())
                               : definition->op == spv::Op::OpTypeMatrix ? definition->literal(1)
                                                                         : arrayLength(m_module, type);
        for (uint32_t e = 0; e < count && slot < entry.output.slots.size(); ++e) {
            const Id element = elementType(m_module, type, e);
            mark(entry, element, slot, isForeign);
            slot += std::max(1u, slotCount(m_module, element));
        }
        return;
    }
    const Components components = componentsOf(m_module, type);
    markWords(entry, slot, entry.firstWord, components.count * (components.widthBits == 64 ? 2 : 1), isForeign);
}

void Reader::markDistances(Entry& entry, std::span<const Id> indices, bool isForeign)
{
    uint32_t element = 0;
    const bool isOne = !indices.empty() && m_module.constantValue(indices[0], element);
    const uint32_t first = isOne ? element : 0;
    const uint32_t count = isOne ? 1 : entry.output.elementCount;
    markWords(entry, first / 4, first % 4, count, isForeign);
}

// True if the driver takes it for a store of other invocations.
bool Reader::storeElement(Entry& entry, std::span<const Id> indices, bool isForeign)
{
    if (isDistance(entry.output.kind)) {
        markDistances(entry, indices, isForeign);
        return isForeign;
    }
    Id type = entry.type;
    uint32_t slot = 0;
    for (const Id index : indices) {
        const Instruction* definition = m_module.findDefinition(type);
        uint32_t value = 0;
        const bool isKnown = m_module.constantValue(index, value);
        const bool isVector = definition != nullptr && definition->op == spv::Op::OpTypeVector;
        if (isVector && isKnown) {
            const uint32_t words = componentsOf(m_module, type).widthBits == 64 ? 2 : 1;
            markWords(entry, slot, entry.firstWord + value * words, words, isForeign);
            return isForeign;
        }
        if (!isKnown || isVector) {
            // Registers cannot be indexed: the driver treats such an output as one that others write.
            entry.output.isIndexed |= !isVector;
            mark(entry, type, slot, isForeign || !isVector);
            return isForeign || !isVector;
        }
        const bool isStructure = definition != nullptr && definition->op == spv::Op::OpTypeStruct;
        for (uint32_t e = 0; e < value && slot < entry.output.slots.size(); ++e)
            slot += std::max(1u, slotCount(m_module, elementType(m_module, type, isStructure ? e : 0)));
        type = elementType(m_module, type, value);
    }
    mark(entry, type, slot, isForeign);
    return isForeign;
}

void Reader::store(const Target& target)
{
    const bool isForeign = target.indices.empty() || !m_lanes.isOwn(target.indices[0]);
    std::span<const Id> rest(target.indices);
    rest = rest.empty() ? rest : rest.subspan(1);
    const auto whole = m_index.find({target.variable.value, kWhole});
    uint32_t member = 0;
    const bool hasMember = whole == m_index.end() && !rest.empty() && m_module.constantValue(rest[0], member);
    for (auto& [key, index] : m_index) {
        if (key.first != target.variable.value || (hasMember && key.second != member))
            continue;
        Entry& entry = m_entries[index];
        const bool isStaged = storeElement(entry, hasMember ? rest.subspan(1) : rest, isForeign);
        std::vector<Place>& places = entry.output.foreignStores;
        if (isStaged && std::ranges::find(places, m_places.place()) == places.end())
            places.push_back(m_places.place());
    }
}

std::vector<Output> Reader::read()
{
    for (size_t o = 3; o < m_shader.interface().operandCount(); ++o) {
        const Id variable = m_shader.interface().id(o);
        if (m_module.storageOf(m_module.typeOf(variable)) == spv::StorageClass::Output)
            declare(variable);
    }
    for (const spirv::Block& block : m_shader.function().blocks) {
        m_places.beginBlock();
        for (const Instruction& i : block.body) {
            m_places.step(i);
            if (i.op == spv::Op::OpStore || i.op == spv::Op::OpCopyMemory) {
                if (const auto target = findTarget(i.id(0)))
                    store(*target);
            }
        }
    }
    std::vector<Output> out;
    for (Entry& entry : m_entries) {
        const auto isWritten = [](const OutputSlot& slot) { return slot.words != 0; };
        if (std::ranges::any_of(entry.output.slots, isWritten))
            out.push_back(std::move(entry.output));
    }
    return out;
}

}  // namespace

std::vector<Output> readOutputs(const PreparedShader& shader, const shader::OwnLane& lanes)
{
    return Reader(shader, lanes).read();
}

}  // namespace millrace::advisor
