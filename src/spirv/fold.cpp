// SPDX-License-Identifier: Apache-2.0
// Our own, because SPIRV-Tools' pass folds 32-bit integers only and does not know conversions.
#include "spirv/fold.h"

#include <bit>
#include <map>
#include <optional>

namespace millrace::spirv {

namespace {

// Longest vector, and the longest composite that an insertion may copy: expressions over larger ones stay.
constexpr size_t kMaxComponents = 16;
constexpr size_t kMaxInserted = 256;

using Components = std::vector<uint64_t>;

uint64_t mask(uint64_t value, uint32_t width)
{
    return width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
}

struct Folder {
    Module& module;
    InstructionList out;                               // the new globals
    std::unordered_map<uint32_t, size_t> positions;    // of ids in `out`
    std::unordered_map<uint32_t, uint32_t> aliases;    // folded ids that are other constants
    std::map<std::pair<uint32_t, uint64_t>, Id> made;  // scalars by type and value

    void run()
    {
        InstructionList old = std::move(module.section(Section::Globals));
        out.reserve(old.size());
        for (Instruction& i : old) {
            i.forEachUse([this](Id& id) {
                const auto alias = aliases.find(id.value);
                id.value = alias == aliases.end() ? id.value : alias->second;
            });
            if (i.op == spv::Op::OpSpecConstantComposite || i.op == spv::Op::OpSpecConstantCompositeReplicateEXT)
                composite(i);
            else if (i.op == spv::Op::OpSpecConstantOp && operation(i))
                continue;
            append(std::move(i));
        }
        module.section(Section::Globals) = std::move(out);
        if (!aliases.empty())
            module.replaceUses(aliases);
    }

    void append(Instruction i)
    {
        if (i.result)
            positions[i.result.value] = out.size();
        out.push_back(std::move(i));
    }

    // Defined further up, or null.
    const Instruction* find(Id id) const
    {
        const auto found = positions.find(id.value);
        return found == positions.end() ? nullptr : &out[found->second];
    }

    bool isOrdinary(Id id) const
    {
        const Instruction* i = find(id);
        return i &&
               (i->op == spv::Op::OpConstant || i->op == spv::Op::OpConstantTrue || i->op == spv::Op::OpConstantFalse ||
                i->op == spv::Op::OpConstantComposite || i->op == spv::Op::OpConstantNull || i->op == spv::Op::OpUndef);
    }

    void composite(Instruction& i)
    {
        for (size_t o = 0; o < i.operandCount(); ++o)
            if (!i.isId(o) || !isOrdinary(i.id(o)))
                return;
        const bool replicates = i.op == spv::Op::OpSpecConstantCompositeReplicateEXT;
        i.op = replicates ? spv::Op::OpConstantCompositeReplicateEXT : spv::Op::OpConstantComposite;
    }

    // 1 for bool, 0 for what is no integer, floating-point or boolean scalar.
    uint32_t widthOf(Id type) const
    {
        const Instruction* i = find(type);
        if (i && i->op == spv::Op::OpTypeBool)
            return 1;
        const bool isNumber = i && (i->op == spv::Op::OpTypeInt || i->op == spv::Op::OpTypeFloat);
        const uint32_t width = isNumber ? i->literal(0) : 0;
        return width == 8 || width == 16 || width == 32 || width == 64 ? width : 0;
    }

    bool isFloat(Id scalarType) const
    {
        const Instruction* i = find(scalarType);
        return i && i->op == spv::Op::OpTypeFloat;
    }

    // The type itself if it is no vector; count is 0 for a vector that is too long.
    Id componentType(Id type, size_t& count) const
    {
        const Instruction* i = find(type);
        count = 1;
        if (!i || i->op != spv::Op::OpTypeVector)
            return type;
        count = i->literal(1) <= kMaxComponents ? i->literal(1) : 0;
        return i->id(0);
    }

    std::optional<uint64_t> scalar(Id id) const
    {
        const Instruction* i = find(id);
        const uint32_t width = i ? widthOf(i->type) : 0;
        if (width == 0)
            return std::nullopt;
        switch (i->op) {
            case spv::Op::OpConstantTrue:
                return 1;
            case spv::Op::OpConstantFalse:
            case spv::Op::OpConstantNull:
            case spv::Op::OpUndef:
                return 0;
            case spv::Op::OpConstant:
                if (i->words.size() != (width == 64 ? 2u : 1u))
                    return std::nullopt;
                return mask(i->words[0] | (i->words.size() > 1 ? uint64_t{i->words[1]} << 32 : 0), width);
            default:
                return std::nullopt;
        }
    }

    // Of a scalar or vector constant.
    std::optional<Components> components(Id id) const
    {
        const Instruction* i = find(id);
        if (!i || !isOrdinary(id))
            return std::nullopt;
        size_t count = 0;
        const Id component = componentType(i->type, count);
        if (count == 0 || widthOf(component) == 0)
            return std::nullopt;
        if (i->op == spv::Op::OpConstantNull || i->op == spv::Op::OpUndef)
            return Components(count, 0);
        if (i->op != spv::Op::OpConstantComposite) {
            const std::optional<uint64_t> value = scalar(id);
            return value ? std::optional(Components{*value}) : std::nullopt;
        }
        Components values;
        for (size_t o = 0; o < i->operandCount(); ++o) {
            const std::optional<uint64_t> value = scalar(i->id(o));
            if (!value)
                return std::nullopt;
            values.push_back(*value);
        }
        return values.size() == count ? std::optional(values) : std::nullopt;
    }

    Instruction scalarConstant(Id type, uint64_t value, Id result) const
    {
        const Instruction& t = *find(type);
        if (t.op == spv::Op::OpTypeBool)
            return instruction(value != 0 ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, type, result);
        const uint32_t width = t.literal(0);
        value = mask(value, width);
        const bool isNegative = t.op == spv::Op::OpTypeInt && t.literal(1) == 1 && (value >> (width - 1) & 1) != 0;
        if (width < 32 && isNegative)
            value |= ~uint64_t{0} << width;
        Instruction constant = instruction(spv::Op::OpConstant, type, result).add(static_cast<uint32_t>(value));
        if (width == 64) {
            // One literal of two words.
            constant.words.push_back(static_cast<uint32_t>(value >> 32));
            constant.operands[0].count = 2;
        }
        return constant;
    }

    void define(Id type, const Components& values, Id result)
    {
        size_t count = 0;
        const Id component = componentType(type, count);
        if (component == type) {
            append(scalarConstant(type, values[0], result));
            return;
        }
        Instruction vector = instruction(spv::Op::OpConstantComposite, type, result);
        for (const uint64_t value : values) {
            Id& shared = made[{component.value, value}];
            if (!shared) {
                shared = module.newId();
                append(scalarConstant(component, value, shared));
            }
            vector.add(shared);
        }
        append(std::move(vector));
    }

    // True if the result is defined otherwise now.
    bool operation(const Instruction& i)
    {
        const auto op = static_cast<spv::Op>(i.literal(0));
        switch (op) {
            case spv::Op::OpCompositeExtract:
                return extract(i);
            case spv::Op::OpCompositeInsert:
                return insert(i);
            case spv::Op::OpSelect:
                return select(i) || componentwise(i, op);
            case spv::Op::OpVectorShuffle:
                return shuffle(i);
            default:
                return componentwise(i, op);
        }
    }

    bool alias(const Instruction& i, Id same)
    {
        const Instruction* definition = find(same);
        if (!definition || definition->type != i.type || !isOrdinary(same))
            return false;
        aliases[i.result.value] = same.value;
        return true;
    }

    bool extract(const Instruction& i)
    {
        if (i.operandCount() < 2 || !i.isId(1))
            return false;
        Id object = i.id(1);
        for (size_t o = 2; o < i.operandCount(); ++o) {
            const Instruction* from = find(object);
            if (from && from->op == spv::Op::OpConstantNull) {
                append(instruction(spv::Op::OpConstantNull, i.type, i.result));
                return true;
            }
            if (!from || from->op != spv::Op::OpConstantComposite || i.literal(o) >= from->operandCount())
                return false;
            object = from->id(i.literal(o));
        }
        return alias(i, object);
    }

    // One level deep, which is what compilers emit for vectors and structures alike.
    bool insert(const Instruction& i)
    {
        if (i.operandCount() != 4 || !i.isId(1) || !i.isId(2) || !isOrdinary(i.id(1)))
            return false;
        const Instruction* into = find(i.id(2));
        if (into && into->op == spv::Op::OpConstantNull) {
            std::optional<Components> values = components(i.id(2));
            const std::optional<uint64_t> value = scalar(i.id(1));
            if (!values || !value || i.literal(3) >= values->size())
                return false;
            (*values)[i.literal(3)] = *value;
            define(i.type, *values, i.result);
            return true;
        }
        if (!into || into->op != spv::Op::OpConstantComposite || into->operandCount() > kMaxInserted ||
            i.literal(3) >= into->operandCount())
            return false;
        Instruction result = *into;
        result.type = i.type;
        result.result = i.result;
        result.setId(i.literal(3), i.id(1));
        append(std::move(result));
        return true;
    }

    // With one condition; one condition per component is left to componentwise().
    bool select(const Instruction& i)
    {
        if (i.operandCount() != 4)
            return false;
        const std::optional<uint64_t> condition = scalar(i.id(1));
        return condition && alias(i, *condition != 0 ? i.id(2) : i.id(3));
    }

    bool shuffle(const Instruction& i)
    {
        if (i.operandCount() < 3)
            return false;
        std::optional<Components> all = components(i.id(1));
        const std::optional<Components> second = components(i.id(2));
        size_t count = 0;
        const Id component = componentType(i.type, count);
        if (!all || !second || count != i.operandCount() - 3 || widthOf(component) == 0)
            return false;
        all->insert(all->end(), second->begin(), second->end());
        Components values;
        for (size_t o = 3; o < i.operandCount(); ++o) {
            const uint32_t from = i.literal(o);
            if (from != UINT32_MAX && from >= all->size())
                return false;
            values.push_back(from == UINT32_MAX ? 0 : (*all)[from]);
        }
        define(i.type, values, i.result);
        return true;
    }

    static bool convert(spv::Op op, uint32_t from, uint32_t to, uint64_t value, uint64_t& result)
    {
        if (op == spv::Op::OpUConvert)
            result = value;
        else if (op == spv::Op::OpSConvert)
            result = static_cast<uint64_t>(static_cast<int64_t>(value << (64 - from)) >> (64 - from));
        else if (op == spv::Op::OpFConvert && from == 32 && to == 64)
            result = std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value))));
        else if (op == spv::Op::OpFConvert && from == 64 && to == 32)
            result = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
        else
            return false;
        return true;
    }

    bool componentwise(const Instruction& i, spv::Op op)
    {
        std::vector<Components> arguments;
        for (size_t o = 1; o < i.operandCount(); ++o) {
            const std::optional<Components> argument = i.isId(o) ? components(i.id(o)) : std::nullopt;
            if (!argument)
                return false;
            arguments.push_back(*argument);
        }
        size_t count = 0;
        const Id component = componentType(i.type, count);
        const uint32_t width = widthOf(component);
        if (arguments.empty() || arguments.size() > 3 || width == 0)
            return false;
        size_t ignored = 0;
        const Id argumentComponent = componentType(find(i.id(1))->type, ignored);
        const uint32_t argumentWidth = widthOf(argumentComponent);
        const bool onFloats = isFloat(component) || isFloat(argumentComponent);
        Components values(count);
        for (size_t c = 0; c < count; ++c) {
            Components a;
            for (const Components& argument : arguments) {
                if (argument.size() != count)
                    return false;
                a.push_back(argument[c]);
            }
            if (op == spv::Op::OpSelect && a.size() == 3) {
                values[c] = a[0] != 0 ? a[1] : a[2];
                continue;
            }
            const bool converted = a.size() == 1 && onFloats == (op == spv::Op::OpFConvert) &&
                                   convert(op, argumentWidth, width, a[0], values[c]);
            if (!converted && (onFloats || !foldScalar(op, argumentWidth, a, values[c])))
                return false;
            values[c] = mask(values[c], width);
        }
        if (count == 0)
            return false;
        define(i.type, values, i.result);
        return true;
    }
};

}  // namespace

void foldSpecConstants(Module& module)
{
    Folder{module, {}, {}, {}, {}}.run();
}

}  // namespace millrace::spirv
