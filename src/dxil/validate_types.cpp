// SPDX-License-Identifier: Apache-2.0
// Which types may stand where.
#include <algorithm>
#include <array>

#include "dxil/validator.h"

namespace millrace::dxil {

namespace {

constexpr uint64_t kMaxElements = 1024;
constexpr uint64_t kMaxDeclaredElements = 4;

}  // namespace

void Validator::checkIntWidth(const Type& type)
{
    static constexpr std::array<uint32_t, 5> kWidths = {1, 8, 16, 32, 64};
    if (std::ranges::find(kWidths, type.bits) == kWidths.end())
        report("TYPES.INTWIDTH", "Int type '" + type.text() + "' has an invalid width.");
}

bool Validator::checkVector(const Type& type)
{
    if (isLibrary())
        return true;  // the only place for vectors of one element, and for any before 6.9
    if (type.count < 2 || isBefore(9)) {
        report("TYPES.NOVECTOR", "Vector type '" + type.text() + "' is not allowed.");
        return false;
    }
    if (type.count > kMaxElements) {
        report("TYPES.NOVECTOR", "Vector type '" + type.text() + "' has more than 1024 elements.");
        return false;
    }
    if (type.element->isInt())
        checkIntWidth(*type.element);
    if (type.element->isInt(8)) {
        report("TYPES.I8",
               "I8 can only be used as immediate value for intrinsic or as i8* via bitcast by lifetime "
               "intrinsics: '" +
                   type.text() + "'.");
        return false;
    }
    return true;
}

// What operations return: nothing to keep in memory.
bool Validator::isOperationStruct(const Type& type) const
{
    static constexpr std::array<std::string_view, 11> kNames = {"ResRet.",   "CBufRet.", "splitdouble", "twoi32",
                                                                "i32c",      "fouri32",  "fouri16",     "Dimensions",
                                                                "SamplePos", "Handle",   "NodeHandle"};
    constexpr std::string_view kPrefix = "dx.types.";
    return type.name.starts_with(kPrefix) && std::ranges::any_of(kNames, [&](std::string_view name) {
               return std::string_view(type.name).substr(kPrefix.size()).starts_with(name);
           });
}

bool Validator::checkStruct(const Type& type)
{
    if (type.name.starts_with("dx.")) {
        if (type.name == "dx.types.Handle" || type.name.starts_with("dx.types.HitObject"))
            return true;
        if (isOperationStruct(type)) {
            report("INSTR.DXILSTRUCTUSER",
                   "Dxil struct types should only be used by ExtractValue: '" + type.text() + "'.");
        }
        report("DECL.DXILNSRESERVED", "Declaration '" + type.text() + "' uses a reserved prefix.");
        return false;
    }
    return std::ranges::all_of(type.members, [&](const Type* member) { return checkType(*member, true); });
}

bool Validator::checkType(const Type& type, bool isInner)
{
    switch (type.kind) {
        case Type::Kind::Pointer:
            if (isInner)
                report("TYPES.NOPTRTOPTR", "Pointers to pointers, or pointers in structures are not allowed.");
            return !isInner;
        case Type::Kind::Array: {
            if (!isInner && type.element->isArray()) {
                report("TYPES.NOMULTIDIM", "Only one dimension allowed for array type: '" + type.text() + "'.");
                return false;
            }
            const Type* element = type.element;
            while (element->isArray())
                element = element->element;
            return checkType(*element, isInner);
        }
        case Type::Kind::Struct:
            return checkStruct(type);
        case Type::Kind::Int:
            checkIntWidth(type);
            return true;
        case Type::Kind::Float:
            return true;
        case Type::Kind::Vector:
            return checkVector(type);
        default:
            if (!isLibrary())
                report("TYPES.DEFINED", "Type '" + type.text() + "' is not defined on DXIL primitives.");
            return isLibrary();
    }
}

// The reference looks at memory only; the proposal wants no such vector anywhere.
void Validator::checkValueType(const Type& type)
{
    if (type.isVector())
        checkVector(type);
    else if (type.isStruct())
        for (const Type* member : type.members)
            checkValueType(*member);
}

void Validator::checkDeclaredType(const Type& type, const std::string& where)
{
    if (type.isVector()) {
        if (type.count > kMaxDeclaredElements || (type.count == 1 && !isLibrary()))
            report("TYPES.NOVECTOR", "Vector type '" + type.text() + "' is not allowed in " + where + ".");
    } else if (type.isArray()) {
        checkDeclaredType(*type.element, where);
    } else if (type.isStruct()) {
        for (const Type* member : type.members)
            checkDeclaredType(*member, where);
    }
}

uint64_t Validator::alignOf(const Type& type) const
{
    if (type.isStruct()) {
        uint64_t out = 1;
        for (const Type* member : type.members)
            out = std::max(out, alignOf(*member));
        return out;
    }
    if (type.isArray() || type.isVector())
        return alignOf(*type.element);
    const bool isWidened = type.isInt(1) || (type.bits == 16 && m_module.minPrecision) || type.isPointer();
    return isWidened ? 4 : std::max(1u, type.bits / 8);
}

// As DXC lays out memory: vectors like arrays.
uint64_t Validator::sizeOf(const Type& type) const
{
    const auto roundUp = [](uint64_t value, uint64_t to) { return (value + to - 1) / to * to; };
    if (type.isStruct()) {
        uint64_t out = 0;
        for (const Type* member : type.members)
            out = roundUp(out, alignOf(*member)) + sizeOf(*member);
        return roundUp(out, alignOf(type));
    }
    return type.isArray() || type.isVector() ? type.count * sizeOf(*type.element) : alignOf(type);
}

}  // namespace millrace::dxil
