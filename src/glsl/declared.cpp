// SPDX-License-Identifier: Apache-2.0
#include "glsl/declared.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace millrace::glsl {

namespace {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

// "mr_declare_12(" to 12.
bool numberOf(const std::string& name, uint32_t& number)
{
    if (!name.starts_with(kDeclareFunction))
        return false;
    const char* first = name.data() + kDeclareFunction.size();
    return std::from_chars(first, name.data() + name.size(), number).ec == std::errc();
}

// A component of a composite that is there as a constant of its own, which is all that the grids of nodes are.
Id withoutExtraction(const Module& module, Id value)
{
    const Instruction* extract = module.findDefinition(value);
    const bool isExtract = extract && extract->op == spv::Op::OpSpecConstantOp && extract->operandCount() == 3 &&
                           extract->literal(0) == static_cast<uint32_t>(spv::Op::OpCompositeExtract);
    const Instruction* whole = isExtract ? module.findDefinition(extract->id(1)) : nullptr;
    const bool isComposite = whole && whole->op == spv::Op::OpSpecConstantComposite;
    return isComposite ? whole->id(extract->literal(2)) : value;
}

void takeValues(const Module& module, const spirv::Function& function, Id set, Declared& out)
{
    for (const spirv::Block& block : function.blocks) {
        for (const Instruction& i : block.body) {
            const bool isAttribute = i.op == spv::Op::OpExtInst && i.id(0) == set &&
                                     i.literal(1) == static_cast<uint32_t>(Placeholder::Attribute);
            uint32_t attribute = 0;
            if (!isAttribute || !module.constantValue(i.id(3), attribute))
                continue;
            std::vector<Id>& values = out.values[static_cast<Attribute>(attribute)];
            for (size_t o = 4; o < i.operandCount(); ++o)
                values.push_back(withoutExtraction(module, i.id(o)));
        }
    }
}

Status checkNode(const Declared& node)
{
    const std::array<bool, 3> grids = {node.has(Attribute::StaticGrid), node.has(Attribute::MaxGrid),
                                       node.has(Attribute::Coalescing)};
    if (std::ranges::count(grids, true) > 1)
        return Diagnostic{{}, {}, node.at() + "a node has one of static_grid, max_grid and coalescing"};
    if (node.has(Attribute::SharesInputIndex) && !node.has(Attribute::SharesInputWith))
        return Diagnostic{{}, {}, node.at() + "shares_input_index needs shares_input_with"};
    if (node.has(Attribute::SharesInputWith) && node.has(Attribute::ApiEntry))
        return Diagnostic{{}, {}, node.at() + "a node with shares_input_with is never an API entry; drop api_entry"};
    return {};
}

struct Bound {
    Attribute attribute;
    std::string_view what;
    uint32_t least;
};

constexpr Bound kBounds[] = {
    {Attribute::MaxPayloads, "the number of payloads", 1},
    {Attribute::StaticGrid, "static_grid", 1},
    {Attribute::MaxGrid, "max_grid", 1},
    {Attribute::ArraySize, "array_size", 1},
    {Attribute::Index, "index", 0},
    {Attribute::Recursion, "recursion", 0},
    {Attribute::SharesInputIndex, "shares_input_index", 0},
    {Attribute::BaseIndex, "base_index", 0},
};

// Of what is no specialization constant.
Status checkBounds(const Module& module, const Declared& declared)
{
    for (const Bound& bound : kBounds) {
        const auto found = declared.values.find(bound.attribute);
        for (const Id id : found == declared.values.end() ? std::vector<Id>() : found->second) {
            const bool isOpen = !module.isConstant(id);
            uint32_t value = 0;
            // A large number is a negative one that GLSL has converted.
            if (!isOpen && module.constantValue(id, value) && (value < bound.least || value > INT32_MAX)) {
                return Diagnostic{
                    {},
                    {},
                    declared.at() + std::string(bound.what) + " must be at least " + std::to_string(bound.least)};
            }
        }
    }
    return {};
}

}  // namespace

Id placeholderSet(const Module& module)
{
    for (const Instruction& i : module.section(Section::ExtInstImports))
        if (i.string(0) == kPlaceholderSet)
            return i.result;
    return {};
}

std::vector<Declared> takeDeclared(Module& module, const Declarations& declarations)
{
    const Id set = placeholderSet(module);
    std::vector<Declared> out;
    std::vector<Id> functions;
    for (const spirv::Function& function : module.functions) {
        uint32_t number = 0;
        if (numberOf(module.name(function.id()), number) && number < declarations.size()) {
            out.push_back({number, &declarations[number], {}});
            takeValues(module, function, set, out.back());
            functions.push_back(function.id());
        }
    }
    const auto isTaken = [&](Id id) { return std::ranges::find(functions, id) != functions.end(); };
    std::erase_if(module.functions, [&](const spirv::Function& f) { return isTaken(f.id()); });
    std::erase_if(module.section(Section::DebugNames),
                  [&](const Instruction& i) { return i.op == spv::Op::OpName && isTaken(i.id(0)); });
    std::ranges::sort(out, {}, &Declared::number);
    return out;
}

Status checkDeclared(const Module& module, const std::vector<Declared>& declared)
{
    std::array<const Declared*, 2> only = {};  // node, nodein
    for (const Declared& d : declared) {
        const auto kind = static_cast<size_t>(d.source->kind);
        if (kind < only.size()) {
            if (only[kind]) {
                return Diagnostic{{},
                                  {},
                                  d.at() + "a shader has one " + (kind == 0 ? "node" : "nodein") +
                                      " declaration, and there is one in line " +
                                      std::to_string(only[kind]->source->line) + " of " + only[kind]->source->file};
            }
            only[kind] = &d;
        }
        if (d.source->kind == DeclarationKind::Node) {
            if (Status status = checkNode(d); !status)
                return status;
        }
        if (Status status = checkBounds(module, d); !status)
            return status;
    }
    const bool sharesInput = only[0] && only[0]->has(Attribute::SharesInputWith);
    if (sharesInput && only[1] && !only[1]->source->isReadOnly)
        return Diagnostic{{}, {}, only[1]->at() + "an input that is shared must be \"readonly nodein\""};
    const bool coalesces = only[0] && only[0]->has(Attribute::Coalescing);
    if (only[1] && only[1]->source->isArray && !coalesces)
        return Diagnostic{{}, {}, only[1]->at() + "only a coalescing node has an array of payloads as its input"};
    return {};
}

}  // namespace millrace::glsl
