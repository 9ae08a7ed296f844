// SPDX-License-Identifier: Apache-2.0
#include "commands/pull_vertices.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <spirv/unified1/GLSL.std.450.h>

#include "abi/commands.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/globals.h"
#include "spirv/id_set.h"

namespace millrace::commands {

using shader::Failure;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::LongWords;
using spirv::Module;
using spirv::Section;

namespace {

using Number = VertexFormat::Number;

constexpr uint32_t kWordBytes = 4;
constexpr uint32_t kMaxLocations = 0x10000;  // more than any device has

const VertexBuffer* findToken(const Layout& layout, uint32_t binding)
{
    const auto found = std::ranges::find(layout.vertexBuffers, binding, &VertexBuffer::binding);
    return found == layout.vertexBuffers.end() ? nullptr : &*found;
}

// Where a buffer is described, as VkBindVertexBufferIndirectCommandEXT.
struct Description {
    bool isInRecord = true;  // else in abi::BoundVertexBuffer[]
    uint64_t offset = 0;     // bytes
};

// None for bindings that the device fetches from: without the index and the first instance it can from none.
std::optional<Description> findDescription(const Layout& layout, const VertexInput& input, uint32_t binding)
{
    if (const VertexBuffer* token = findToken(layout, binding))
        return Description{true, token->streamOffset};
    const auto row = std::ranges::find(input.bindings, binding, &VertexBinding::binding);
    if (!layout.indexBuffer || row == input.bindings.end())
        return std::nullopt;
    return Description{false, sizeof(abi::BoundVertexBuffer) * static_cast<uint64_t>(row - input.bindings.begin())};
}

const VertexAttribute* findAttribute(const VertexInput& input, uint32_t location)
{
    const auto found = std::ranges::find(input.attributes, location, &VertexAttribute::location);
    return found == input.attributes.end() ? nullptr : &*found;
}

// Locations of an input without numbers of 64 bits; none if a specialization constant says how many.
uint32_t locationCount(const Module& module, Id type)
{
    const Instruction* definition = module.findDefinition(type);
    switch (definition ? definition->op : spv::Op::OpNop) {
        case spv::Op::OpTypeMatrix:
            return definition->literal(1);
        case spv::Op::OpTypeArray: {
            uint32_t length = 0;
            const bool isKnown = module.isConstant(definition->id(1)) &&
                                 module.constantValue(definition->id(1), length) && length < kMaxLocations;
            return isKnown ? std::min(length * locationCount(module, definition->id(0)), kMaxLocations) : 0;
        }
        default:
            return 1;
    }
}

// An input variable with locations.
struct Attributes {
    Id variable;
    uint32_t location = 0;
    uint32_t component = 0;
    uint32_t count = 1;   // locations
    uint32_t pulled = 0;  // of them those whose attributes are the sequence's
};

std::vector<Attributes> findPulled(const Module& module, const Layout& layout, const VertexInput& input)
{
    const spirv::IdSet used = spirv::usedInFunctions(module);
    std::vector<Attributes> found;
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op != spv::Op::OpVariable || i.literal(0) != static_cast<uint32_t>(spv::StorageClass::Input) ||
            !used.contains(i.result))
            continue;
        const Instruction* location = module.findDecoration(i.result, spv::Decoration::Location);
        if (!location)
            continue;
        const Instruction* component = module.findDecoration(i.result, spv::Decoration::Component);
        Attributes a{i.result, location->literal(2), component ? component->literal(2) : 0,
                     locationCount(module, module.pointee(i.type)), 0};
        for (uint32_t l = 0; l < std::max(a.count, 1u); ++l) {
            const VertexAttribute* attribute = findAttribute(input, a.location + l);
            a.pulled += attribute && findDescription(layout, input, attribute->binding) ? 1 : 0;
        }
        if (a.pulled > 0)
            found.push_back(a);
    }
    return found;
}

// Four components, of float or of unsigned integer.
struct Element {
    std::array<Id, 4> components;
    bool isFloat = false;
};

class Puller {
public:
    Puller(Variant& variant, const Layout& layout, const VertexInput& input)
        : m_variant(variant),
          m_module(variant.module),
          m_layout(layout),
          m_input(input),
          m_loads(variant),
          m_word(m_loads.wordType()),
          m_float(variant.module.getFloatType(32)),
          m_function(variant.module)
    {
    }

    // Mostly all elements are in their buffers: then nothing else is looked at. Else each one is.
    Status run()
    {
        const std::vector<Attributes> all = findPulled(m_module, m_layout, m_input);
        m_function.beginBlock();
        use();
        std::optional<Id> areInside;
        for (const Attributes& attributes : all)
            if (!prepare(attributes))
                return m_failure.status();
        for (auto& [binding, buffer] : m_buffers) {
            const Id isInside = m_out->emit(spv::Op::OpUGreaterThanEqual, m_module.getBoolType(),
                                            {buffer.room, m_loads.math().constant(buffer.longest)});
            areInside = areInside ? m_out->emit(spv::Op::OpLogicalAnd, m_module.getBoolType(), {*areInside, isInside})
                                  : isInside;
        }
        const Id join = m_module.newId(), careful = m_module.newId();
        m_function.beginIf(*areInside, join, careful);
        pull(all, false);
        m_function.beginElse(careful, join);
        pull(all, true);
        m_function.endIf(join);
        const Id function = m_function.finish();
        m_module.setName(function, "pull_vertices");
        spirv::InstructionList start;
        Emitter(m_module, start).call(function, m_module.getVoidType(), {});
        shader::insertBehindVariables(*m_module.findFunction(m_variant.entry), start);
        return m_failure.status();
    }

private:
    struct Buffer {
        Description place;
        LongWords base;  // of what describes it
        LongWords element;
        Id room;               // bytes from there to the end; 0: it is behind the end
        uint32_t longest = 0;  // bytes of it that attributes reach
        Id words;              // ReadOnlyWords of `element`
    };

    // Writes into the function's last block from now on.
    void use()
    {
        m_out.emplace(m_function.out());
        m_unpacked.clear();
    }

    bool prepare(const Attributes& a)
    {
        if (a.pulled != a.count)
            return fail(a.variable, "has attributes of buffers of the sequence and of others");
        for (uint32_t l = 0; l < a.count; ++l)
            if (!prepare(a.variable, *findAttribute(m_input, a.location + l)))
                return false;
        return makePrivate(m_module, a.variable, m_failure);
    }

    bool prepare(Id variable, const VertexAttribute& attribute)
    {
        const auto format = findVertexFormat(attribute.vkFormat);
        const auto binding = std::ranges::find(m_input.bindings, attribute.binding, &VertexBinding::binding);
        if (!format || binding == m_input.bindings.end()) {
            return fail(variable, format ? "has an attribute of a binding that is not described"
                                         : "has the format " + std::to_string(attribute.vkFormat) +
                                               ", which buffers of sequences cannot have");
        }
        const auto [known, isNew] = m_buffers.try_emplace(binding->binding);
        if (isNew)
            describe(*binding, known->second);
        known->second.longest = std::max(known->second.longest, endOf(attribute, *format));
        return true;
    }

    // Behind an attribute in the element. No element is as long as 2^32.
    static uint32_t endOf(const VertexAttribute& attribute, const VertexFormat& format)
    {
        return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{attribute.offsetBytes} + format.bytes(), UINT32_MAX));
    }

    // `isCareful`: each attribute may reach behind the end of its buffer, and is zero then.
    void pull(const std::vector<Attributes>& all, bool isCareful)
    {
        use();
        m_isCareful = isCareful;
        for (auto& [binding, buffer] : m_buffers)
            if (!isCareful)
                buffer.words = m_loads.readOnlyWords(*m_out, buffer.element);
        for (const Attributes& a : all) {
            uint32_t location = a.location;
            const Id value = valueOf(a, m_module.pointee(m_module.typeOf(a.variable)), location);
            m_out->emitVoid(spv::Op::OpStore, {a.variable, value});
        }
    }

    // Takes as many locations as the type has.
    Id valueOf(const Attributes& a, Id type, uint32_t& location)
    {
        const Instruction definition = *m_module.findDefinition(type);
        uint32_t length = 0;
        if (definition.op == spv::Op::OpTypeMatrix)
            length = definition.literal(1);
        else if (definition.op == spv::Op::OpTypeArray)
            m_module.constantValue(definition.id(1), length);
        else
            return vectorOf(a, definition, location++);
        Instruction whole = spirv::instruction(spv::Op::OpCompositeConstruct, type, m_module.newId());
        for (uint32_t n = 0; n < length && !m_failure; ++n)
            whole.add(valueOf(a, definition.id(0), location));
        const Id result = whole.result;
        m_out->keep(std::move(whole));
        return result;
    }

    Id vectorOf(const Attributes& a, const Instruction& type, uint32_t location)
    {
        const bool isVector = type.op == spv::Op::OpTypeVector;
        const Instruction scalar = isVector ? *m_module.findDefinition(type.id(0)) : type;
        const bool isNumber = scalar.op == spv::Op::OpTypeFloat || scalar.op == spv::Op::OpTypeInt;
        if (!isNumber || scalar.literal(0) != 32) {
            fail(a.variable, "is not of numbers of 32 bits");
            return {};
        }
        const Element element = fetch(*findAttribute(m_input, location));
        const Id own = element.isFloat ? m_float : m_word;
        std::vector<Id> values;
        for (uint32_t c = 0; c < (isVector ? type.literal(1) : 1); ++c) {
            const Id value = element.components.at(std::min(a.component + c, 3u));
            values.push_back(own == scalar.result ? value : m_out->emit(spv::Op::OpBitcast, scalar.result, {value}));
        }
        return isVector ? together(type.result, values) : values[0];
    }

    Id together(Id type, const std::vector<Id>& values)
    {
        Instruction vector = spirv::instruction(spv::Op::OpCompositeConstruct, type, m_module.newId());
        for (const Id value : values)
            vector.add(value);
        const Id result = vector.result;
        m_out->keep(std::move(vector));
        return result;
    }

    // Where the element is ----------------------------------------------------------------------------------------

    Element fetch(const VertexAttribute& attribute)
    {
        const VertexFormat format = *findVertexFormat(attribute.vkFormat);
        const Buffer& buffer = m_buffers.at(attribute.binding);
        return convert(format, m_isCareful ? loadCarefully(format, attribute, buffer)
                                           : loadWords(format, attribute.offsetBytes, buffer));
    }

    std::vector<Id> loadCarefully(const VertexFormat& format, const VertexAttribute& attribute, const Buffer& buffer)
    {
        spirv::LongArithmetic& math = m_loads.math();
        const Id isBehind = m_out->emit(spv::Op::OpULessThan, m_module.getBoolType(),
                                        {buffer.room, math.constant(endOf(attribute, format))});
        // The command has as many bytes as the longest element, and may always be read.
        const LongWords command = m_loads.add(*m_out, buffer.base, static_cast<int64_t>(buffer.place.offset));
        const LongWords element = m_loads.add(*m_out, buffer.element, attribute.offsetBytes);
        std::vector<Id> words = loadFrom(format, math.select(*m_out, isBehind, command, element));
        for (Id& word : words)
            word = m_out->emit(spv::Op::OpSelect, m_word, {isBehind, math.constant(0), word});
        return words;
    }

    void describe(const VertexBinding& binding, Buffer& buffer)
    {
        spirv::LongArithmetic& math = m_loads.math();
        const Id zero = math.constant(0);
        buffer.place = *findDescription(m_layout, m_input, binding.binding);
        buffer.base =
            buffer.place.isInRecord ? record() : m_loads.address(*m_out, offsetof(abi::SequenceArguments, table));
        const Id said = buffer.place.isInRecord ? recordWords() : m_loads.readOnlyWords(*m_out, buffer.base);
        const auto word = [&](uint32_t number) {
            return m_loads.wordAt(*m_out, said, static_cast<uint32_t>(buffer.place.offset / kWordBytes) + number);
        };
        const LongWords address{word(0), word(1)};
        const Id size = m_loads.readableBytes(*m_out, address, word(2));
        const Id stride = binding.strideBytes ? math.constant(*binding.strideBytes) : word(3);
        const LongWords first = math.multiply(*m_out, {indexOf(binding), zero}, {stride, zero});
        buffer.element = math.add(*m_out, address, first);
        const Id isShort = math.isLess(*m_out, {size, zero}, first, false);
        buffer.room = m_out->emit(spv::Op::OpSelect, m_word, {isShort, zero, emit(spv::Op::OpISub, size, first.low)});
    }

    Id recordWords()
    {
        if (!m_recordWords)
            m_recordWords = m_loads.readOnlyWords(*m_out, record());
        return m_recordWords;
    }

    LongWords record()
    {
        if (!m_record) {
            const Id sequence = m_out->emit(spv::Op::OpLoad, m_word, {m_variant.sequence});
            m_record = m_loads.record(*m_out, sequence);
        }
        return *m_record;
    }

    Id extract(Id type, Id composite, uint32_t number)
    {
        const Id result = m_module.newId();
        m_out->keep(spirv::instruction(spv::Op::OpCompositeExtract, type, result).add(composite).add(number));
        return result;
    }

    Id indexOf(const VertexBinding& binding)
    {
        if (!binding.isPerInstance)
            return builtIn(spv::BuiltIn::VertexIndex);
        if (binding.divisor == 1)
            return builtIn(spv::BuiltIn::InstanceIndex);
        const Id base = baseInstance();
        if (binding.divisor == 0)
            return base;
        const Id number = m_out->emit(spv::Op::OpISub, m_word, {builtIn(spv::BuiltIn::InstanceIndex), base});
        const Id group = m_out->emit(spv::Op::OpUDiv, m_word, {number, m_module.getConstant(binding.divisor)});
        return m_out->emit(spv::Op::OpIAdd, m_word, {base, group});
    }

    Id builtIn(spv::BuiltIn which) { return loadBuiltIn(*m_out, which, m_word); }

    // Where the sequence has indices of its own, pullIndices() says what the built-in is.
    Id baseInstance()
    {
        if (!m_layout.numbersDraws && !m_layout.indexBuffer)
            return firstInstance();
        if (!m_layout.indexBuffer)
            m_module.addCapability(spv::Capability::DrawParameters);
        return builtIn(spv::BuiltIn::BaseInstance);
    }

    // As the draw's command says.
    Id firstInstance()
    {
        const uint32_t last = m_layout.actionOffset + commandBytes(m_layout.action) - kWordBytes;
        if (!hasDrawTable(m_layout))
            return m_loads.wordAt(*m_out, recordWords(), last / kWordBytes);
        const Id entry = m_loads.readOnlyWords(*m_out, m_loads.drawEntry(*m_out, m_layout));
        return m_loads.wordAt(*m_out, entry, offsetof(abi::DrawEntry, firstInstance) / kWordBytes);
    }

    // What it says --------------------------------------------------------------------------------------------------

    // The element's bytes, from the lowest of the first word on; what is behind them is anything.
    std::vector<Id> loadWords(const VertexFormat& format, uint32_t offsetBytes, const Buffer& buffer)
    {
        if (isOfWords(format) && offsetBytes % kWordBytes == 0)
            return loadAt(format, buffer.words, offsetBytes / kWordBytes);
        return loadFrom(format, m_loads.add(*m_out, buffer.element, offsetBytes));
    }

    std::vector<Id> loadFrom(const VertexFormat& format, LongWords address)
    {
        return isOfWords(format) ? loadAt(format, m_loads.readOnlyWords(*m_out, address), 0)
                                 : loadUnaligned(format, address, wordCount(format));
    }

    std::vector<Id> loadAt(const VertexFormat& format, Id readOnlyWords, uint32_t first)
    {
        std::vector<Id> words;
        for (uint32_t w = 0; w < wordCount(format); ++w)
            words.push_back(m_loads.wordAt(*m_out, readOnlyWords, first + w));
        return words;
    }

    // Such an element begins at a multiple of 4.
    static bool isOfWords(const VertexFormat& format) { return format.bits == 32 || format.bits == 10; }

    static uint32_t wordCount(const VertexFormat& format) { return (format.bytes() + kWordBytes - 1) / kWordBytes; }

    Id load(LongWords address) { return m_loads.wordAt(*m_out, m_loads.readOnlyWords(*m_out, address), 0); }

    Id emit(spv::Op op, Id a, Id b) { return m_out->emit(op, m_word, {a, b}); }

    // Elements of 8 and 16 bits begin anywhere. Only words that have bytes of the element are read.
    std::vector<Id> loadUnaligned(const VertexFormat& format, LongWords address, uint32_t count)
    {
        spirv::LongArithmetic& math = m_loads.math();
        const Id skipped = emit(spv::Op::OpBitwiseAnd, address.low, math.constant(kWordBytes - 1));
        const LongWords base{emit(spv::Op::OpBitwiseAnd, address.low, math.constant(~(kWordBytes - 1))), address.high};
        const Id shift = emit(spv::Op::OpShiftLeftLogical, skipped, math.constant(3));
        std::vector<Id> words = {load(base)};
        if (format.components == 1)
            return {emit(spv::Op::OpShiftRightLogical, words[0], shift)};
        const Id last = emit(spv::Op::OpBitwiseAnd, emit(spv::Op::OpIAdd, skipped, math.constant(format.bytes() - 1)),
                             math.constant(~(kWordBytes - 1)));
        for (uint32_t w = 1; w <= count; ++w) {
            const Id offset = m_module.newId();
            m_out->keep(spirv::instruction(spv::Op::OpExtInst, m_word, offset)
                            .add(m_loads.glslFunctions())
                            .add(static_cast<uint32_t>(GLSLstd450UMin))
                            .add(math.constant(kWordBytes * w))
                            .add(last));
            words.push_back(load(math.add(*m_out, base, {offset, math.constant(0)})));
        }
        // In two steps, since a shift by 32 bits has no meaning.
        const Id left = emit(spv::Op::OpISub, math.constant(31), shift);
        std::vector<Id> joined;
        for (uint32_t w = 0; w < count; ++w) {
            const Id low = emit(spv::Op::OpShiftRightLogical, words[w], shift);
            const Id doubled = emit(spv::Op::OpShiftLeftLogical, words[w + 1], math.constant(1));
            joined.push_back(emit(spv::Op::OpBitwiseOr, low, emit(spv::Op::OpShiftLeftLogical, doubled, left)));
        }
        return joined;
    }

    Element convert(const VertexFormat& format, const std::vector<Id>& words)
    {
        const bool isFloat = format.number != Number::Uint && format.number != Number::Sint;
        const Id type = isFloat ? m_float : m_word;
        Element element{{}, isFloat};
        for (uint32_t c = 0; c < 4; ++c)
            element.components[c] = c < format.components ? component(format, words, c) : missing(type, c);
        if (format.isBgra)
            std::swap(element.components[0], element.components[2]);
        return element;
    }

    // 0, 0, 0, 1
    Id missing(Id type, uint32_t component)
    {
        return type == m_float ? floatConstant(component == 3 ? 1.0f : 0.0f)
                               : m_module.getConstant(component == 3 ? 1 : 0);
    }

    Id floatConstant(float value)
    {
        const auto bits = std::bit_cast<uint32_t>(value);
        for (const Instruction& i : m_module.section(Section::Globals))
            if (i.op == spv::Op::OpConstant && i.type == m_float && i.literal(0) == bits)
                return i.result;
        const Id constant = m_module.newId();
        m_module.section(Section::Globals)
            .push_back(spirv::instruction(spv::Op::OpConstant, m_float, constant).add(bits));
        return constant;
    }

    Id component(const VertexFormat& format, const std::vector<Id>& words, uint32_t number)
    {
        if (format.bits == 32) {
            return format.number == Number::Sfloat ? m_out->emit(spv::Op::OpBitcast, m_float, {words[number]})
                                                   : words[number];
        }
        if (format.bits == 10)
            return tenBits(words[0], number);
        const uint32_t perWord = 32 / format.bits;
        const Id word = words[number / perWord];
        if (format.number == Number::Uint || format.number == Number::Sint)
            return integer(format, word, number % perWord * format.bits);
        return extract(m_float, unpacked(format, word), number % perWord);
    }

    Id integer(const VertexFormat& format, Id word, uint32_t firstBit)
    {
        const bool isSigned = format.number == Number::Sint;
        const Id type = isSigned ? m_module.getIntType(32, true) : m_word;
        const Id base = isSigned ? m_out->emit(spv::Op::OpBitcast, type, {word}) : word;
        const Id value = m_out->emit(isSigned ? spv::Op::OpBitFieldSExtract : spv::Op::OpBitFieldUExtract, type,
                                     {base, m_module.getConstant(firstBit), m_module.getConstant(format.bits)});
        return isSigned ? m_out->emit(spv::Op::OpBitcast, m_word, {value}) : value;
    }

    // A word as floats. Each word is unpacked once.
    Id unpacked(const VertexFormat& format, Id word)
    {
        const auto [known, isNew] = m_unpacked.try_emplace(word.value);
        if (isNew) {
            const bool isByte = format.bits == 8;
            const uint32_t function = format.number == Number::Sfloat ? GLSLstd450UnpackHalf2x16
                                      : format.number == Number::Unorm
                                          ? (isByte ? GLSLstd450UnpackUnorm4x8 : GLSLstd450UnpackUnorm2x16)
                                      : isByte ? GLSLstd450UnpackSnorm4x8
                                               : GLSLstd450UnpackSnorm2x16;
            known->second = m_module.newId();
            m_out->keep(
                spirv::instruction(spv::Op::OpExtInst, m_module.getVectorType(m_float, isByte ? 4 : 2), known->second)
                    .add(m_loads.glslFunctions())
                    .add(function)
                    .add(word));
        }
        return known->second;
    }

    // Three unsigned numbers of ten bits and one of two, normalized.
    Id tenBits(Id word, uint32_t number)
    {
        const uint32_t bits = number == 3 ? 2 : 10;
        const Id value = m_out->emit(spv::Op::OpBitFieldUExtract, m_word,
                                     {word, m_module.getConstant(10 * number), m_module.getConstant(bits)});
        const Id real = m_out->emit(spv::Op::OpConvertUToF, m_float, {value});
        return m_out->emit(spv::Op::OpFDiv, m_float, {real, floatConstant(static_cast<float>((1u << bits) - 1))});
    }

    bool fail(Id variable, const std::string& message)
    {
        return m_failure.at(shader::describe(m_module, variable), "the input " + message);
    }

    Variant& m_variant;
    Module& m_module;
    const Layout& m_layout;
    const VertexInput& m_input;
    ArgumentLoads m_loads;
    Id m_word;
    Id m_float;
    shader::FunctionWriter m_function;
    std::optional<Emitter> m_out;  // of its last block
    bool m_isCareful = false;
    Failure m_failure{"pullVertices"};
    std::optional<LongWords> m_record;
    Id m_recordWords;
    std::map<uint32_t, Buffer> m_buffers;  // by binding
    std::map<uint32_t, Id> m_unpacked;     // by word
};

}  // namespace

bool readsVertices(const Module& module, const Layout& layout, const VertexInput& input)
{
    return !findPulled(module, layout, input).empty();
}

Status pullVertices(Variant& variant, const Layout& layout, const VertexInput& input)
{
    return Puller(variant, layout, input).run();
}

}  // namespace millrace::commands
