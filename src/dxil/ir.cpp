// SPDX-License-Identifier: Apache-2.0
#include "dxil/ir.h"

#include <array>

namespace millrace::dxil {

std::string Type::text() const
{
    switch (kind) {
        case Kind::Void:
            return "void";
        case Kind::Int:
            return "i" + std::to_string(bits);
        case Kind::Float:
            return bits == 16 ? "half" : bits == 32 ? "float" : bits == 64 ? "double" : "f" + std::to_string(bits);
        case Kind::Pointer:
            return addressSpace == 0 ? "ptr" : "ptr addrspace(" + std::to_string(addressSpace) + ")";
        case Kind::Array:
            return "[" + std::to_string(count) + " x " + element->text() + "]";
        case Kind::Vector:
            return "<" + std::to_string(count) + " x " + element->text() + ">";
        case Kind::Struct: {
            if (!name.empty())
                return "%" + name;
            std::string out = "{";
            for (const Type* member : members)
                out += (out.size() > 1 ? ", " : "") + member->text();
            return out + "}";
        }
        case Kind::Other:
            break;
    }
    return name.empty() ? "unknown type" : name;
}

const Metadata* Metadata::at(size_t index) const
{
    static const Metadata kNull;
    return index < operands.size() && operands[index] ? operands[index] : &kNull;
}

bool Metadata::number(uint64_t& out) const
{
    if (kind != Kind::Value || !value || !value->isConstantInt())
        return false;
    out = value->bits;
    return true;
}

uint64_t Metadata::numberOr(uint64_t fallback) const
{
    uint64_t out = 0;
    return number(out) ? out : fallback;
}

Value* Module::newValue(Value::Kind kind, const Type* type)
{
    Value& value = values.emplace_back();
    value.kind = kind;
    value.type = type;
    return &value;
}

Value* Module::newInstruction(Function& function, Op op, const Type* type)
{
    Value* value = newValue(Value::Kind::Instruction, type);
    value->op = op;
    value->number = function.valueCount++;
    return value;
}

Block* Module::newBlock(Function& function)
{
    Block& block = blocks.emplace_back();
    block.number = static_cast<uint32_t>(function.blocks.size());
    function.blocks.push_back(&block);
    return &block;
}

const Function* Module::findFunction(std::string_view name) const
{
    for (const auto& function : functions)
        if (function->name == name)
            return function.get();
    return nullptr;
}

const Type* Module::findStruct(std::string_view name) const
{
    for (const auto& [known, type] : structs)
        if (known == name)
            return type;
    return nullptr;
}

const Metadata* Module::named(std::string_view name, size_t index) const
{
    const auto found = metadata.find(std::string(name));
    return found != metadata.end() && index < found->second.size() ? found->second[index] : nullptr;
}

const char* opText(Op op)
{
    static constexpr std::array kTexts = {"ret",
                                          "br",
                                          "br",
                                          "switch",
                                          "unreachable",
                                          "fneg",
                                          "add",
                                          "fadd",
                                          "sub",
                                          "fsub",
                                          "mul",
                                          "fmul",
                                          "udiv",
                                          "sdiv",
                                          "fdiv",
                                          "urem",
                                          "srem",
                                          "frem",
                                          "shl",
                                          "lshr",
                                          "ashr",
                                          "and",
                                          "or",
                                          "xor",
                                          "trunc",
                                          "zext",
                                          "sext",
                                          "fptoui",
                                          "fptosi",
                                          "uitofp",
                                          "sitofp",
                                          "fptrunc",
                                          "fpext",
                                          "bitcast",
                                          "addrspacecast",
                                          "alloca",
                                          "load",
                                          "store",
                                          "getelementptr",
                                          "atomicrmw",
                                          "cmpxchg",
                                          "icmp",
                                          "fcmp",
                                          "phi",
                                          "select",
                                          "call",
                                          "extractelement",
                                          "insertelement",
                                          "shufflevector",
                                          "extractvalue",
                                          "insertvalue",
                                          "freeze",
                                          "instruction"};
    static_assert(kTexts.size() == static_cast<size_t>(Op::Other) + 1);
    return kTexts[static_cast<size_t>(op)];
}

}  // namespace millrace::dxil
