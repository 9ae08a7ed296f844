// SPDX-License-Identifier: Apache-2.0
#include "random/payload_text.h"

namespace millrace::random {

namespace {

Id numberType(ModuleText& module, const Member& member)
{
    return member.isFloat ? module.floatType() : module.uintType(member.bits);
}

Id vectorOf(ModuleText& module, const Member& member)
{
    const Id number = numberType(module, member);
    return member.components > 1 ? module.vectorType(number, member.components) : number;
}

// A member's pointer: `inner` are further indices into it.
Id memberPointer(BodyText& body, const PayloadPlace& place, const Member& member, uint32_t number, const Id& type,
                 const std::string& inner = "")
{
    std::string indices = place.indices + " " + body.c(number);
    if (member.nested)
        indices += " " + body.c(0);
    return body.chain(place.storage, type, place.base, indices + inner);
}

Id toUint(BodyText& body, const Member& member, const Id& value)
{
    const Id word = body.module().uintType();
    if (member.isFloat)
        return body.op(word, "OpConvertFToU", value);
    if (member.bits == 32)
        return value;
    if (member.bits != 64)
        return body.op(word, "OpUConvert", value);
    const Id wide = body.module().uintType(64);
    const Id high = body.op(wide, "OpShiftRightLogical", value + " " + body.c(32));
    const Id scaled = body.u("OpIMul", body.op(word, "OpUConvert", high), body.c(5));
    return body.u("OpBitwiseXor", body.op(word, "OpUConvert", value), scaled);
}

Id fromUint(BodyText& body, const Member& member, const Id& value)
{
    ModuleText& module = body.module();
    if (member.isFloat)
        return body.op(module.floatType(), "OpConvertUToF", body.u("OpBitwiseAnd", value, body.c(0xfff)));
    if (member.bits == 32)
        return value;
    const Id narrow = body.op(module.uintType(member.bits), "OpUConvert", value);
    if (member.bits != 64)
        return narrow;
    return body.op(module.uintType(64), "OpIMul", narrow + " " + module.longConstant(0x100000001ull));
}

// Element number of component `component` of vector `vector` of a member.
Id elementNumber(BodyText& body, const Member& member, const Id& vector, uint32_t component)
{
    Id number = vector;
    if (member.components > 1)
        number = body.u("OpIMul", number, body.c(member.components));
    return body.u("OpIAdd", number, body.c(component));
}

// The value of one vector (or scalar) of a data member; `first` is the number of its first element.
Id dataVector(BodyText& body, const Member& member, uint32_t number, const Id& key, const Id& vector)
{
    std::string parts;
    Id last;
    for (uint32_t i = 0; i < member.components; ++i) {
        const Id element = body.u("OpIAdd", elementNumber(body, member, vector, i), body.c(number * 1000));
        last = fromUint(body, member, body.mix(key, element));
        parts += " " + last;
    }
    return member.components == 1 ? last : body.op(vectorOf(body.module(), member), "OpCompositeConstruct", parts);
}

Id gridValue(BodyText& body, const GridRange& range, const Id& key, uint32_t component)
{
    const Id hash = body.mix(key, body.c(100 + component));
    const uint32_t most = range.max[component];
    const uint32_t least = range.zeros && component == 0 ? 0 : 1;
    if (!range.skewed)
        return body.u("OpIAdd", body.u("OpUMod", hash, body.c(most + 1 - least)), body.c(least));
    if (most < 2)
        return body.c(most);
    const Id rare = body.u("OpUMod", body.mix(key, body.c(77)), body.c(16));
    const Id small = body.u("OpIAdd", body.u("OpUMod", hash, body.c(2)), body.c(1));
    return body.select(body.test("OpIEqual", rare, body.c(0)), body.c(most), small);
}

void storeGrid(BodyText& body, const PayloadType& type, const PayloadPlace& place, const Id& key, uint32_t number)
{
    const Member& member = type.layout->members[number];
    std::string parts;
    std::vector<Id> values;
    for (uint32_t i = 0; i < member.elements(); ++i) {
        values.push_back(fromUint(body, member, gridValue(body, type.layout->grid, key, i)));
        parts += " " + values.back();
    }
    if (member.length) {
        for (uint32_t i = 0; i < member.length; ++i)
            body.store(memberPointer(body, place, member, number, numberType(body.module(), member), " " + body.c(i)),
                       values[i]);
        return;
    }
    const Id whole = vectorOf(body.module(), member);
    const Id value = values.size() == 1 ? values[0] : body.op(whole, "OpCompositeConstruct", parts);
    body.store(memberPointer(body, place, member, number, whole), value);
}

// sum += mix of each component of a vector with its place
void addVector(BodyText& body, const Member& member, uint32_t number, const Id& sum, const Id& value, const Id& vector)
{
    for (uint32_t i = 0; i < member.components; ++i) {
        Id component = value;
        if (member.components > 1)
            component =
                body.op(numberType(body.module(), member), "OpCompositeExtract", value + " " + std::to_string(i));
        const Id place = body.u("OpIAdd", elementNumber(body, member, vector, i), body.c(number * 1000));
        const Id hash = body.mix(toUint(body, member, component), place);
        const Id old = body.load(body.module().uintType(), sum);
        body.store(sum, body.u("OpIAdd", old, hash));
    }
}

}  // namespace

PayloadType declarePayload(ModuleText& module, const Layout& layout, bool decorateGrid, bool readOnly)
{
    PayloadType type;
    type.layout = &layout;
    type.structure = module.newId("Payload");
    std::string list;
    for (uint32_t i = 0; i < layout.members.size(); ++i) {
        const Member& member = layout.members[i];
        Id inner = vectorOf(module, member);
        if (member.length)
            inner = module.arrayType(inner, member.length, member.strideBytes);
        type.members.push_back(inner);
        Id outer = inner;
        std::string gridOwner = type.structure + " " + std::to_string(i);
        if (member.nested) {
            outer = module.newId("Nested");
            module.global(outer + " = OpTypeStruct " + inner);
            module.decorate("OpMemberDecorate " + outer + " 0 Offset " + std::to_string(member.innerOffset));
            gridOwner = outer + " 0";
        }
        list += " " + outer;
        module.decorate("OpMemberDecorate " + type.structure + " " + std::to_string(i) + " Offset " +
                        std::to_string(member.offset - member.innerOffset));
        if (member.role == Role::Grid && decorateGrid)
            module.decorate("OpMemberDecorate " + gridOwner + " PayloadDispatchIndirectAMDX");
        if (member.role == Role::Slots && !module.vulkanModel())
            module.decorate("OpMemberDecorate " + type.structure + " " + std::to_string(i) + " Coherent");
        if (readOnly)
            module.decorate("OpMemberDecorate " + type.structure + " " + std::to_string(i) + " NonWritable");
    }
    module.global(type.structure + " = OpTypeStruct" + list);
    if (layout.trackFinish)
        module.decorate("OpDecorate " + type.structure + " TrackFinishWritingAMDX");
    return type;
}

Id loadKey(BodyText& body, const PayloadType& type, const PayloadPlace& place)
{
    for (uint32_t i = 0; i < type.layout->members.size(); ++i) {
        const Member& member = type.layout->members[i];
        if (member.role != Role::Key)
            continue;
        const Id pointer = memberPointer(body, place, member, i, type.members[i]);
        return body.load(type.members[i], pointer);
    }
    return body.c(0xabcdef);
}

void storeKey(BodyText& body, const PayloadType& type, const PayloadPlace& place, const Id& key)
{
    for (uint32_t i = 0; i < type.layout->members.size(); ++i)
        if (type.layout->members[i].role == Role::Key)
            body.store(memberPointer(body, place, type.layout->members[i], i, type.members[i]), key);
}

Id hashPayload(BodyText& body, const PayloadType& type, const PayloadPlace& place, const NodeSpec& node,
               const Id& first, const Id& step)
{
    ModuleText& module = body.module();
    const Id sum = body.variable(module.uintType());
    body.store(sum, body.c(0));
    for (uint32_t i = 0; i < type.layout->members.size(); ++i) {
        const Member& member = type.layout->members[i];
        if (member.role == Role::Key || member.role == Role::Slots || !node.reads(i))
            continue;
        const Id element = vectorOf(module, member);
        if (member.length == 0) {
            addVector(body, member, i, sum, body.load(element, memberPointer(body, place, member, i, element)),
                      body.c(0));
            continue;
        }
        body.loop(first, body.c(member.length), step, [&](const Id& j) {
            const Id pointer = memberPointer(body, place, member, i, element, " " + j);
            addVector(body, member, i, sum, body.load(element, pointer), j);
        });
    }
    return body.load(module.uintType(), sum);
}

void fillArrays(BodyText& body, const PayloadType& type, const PayloadPlace& place, const Id& key, const Id& first,
                const Id& step)
{
    for (uint32_t i = 0; i < type.layout->members.size(); ++i) {
        const Member& member = type.layout->members[i];
        if (member.role != Role::Data || member.length == 0)
            continue;
        const Id element = vectorOf(body.module(), member);
        body.loop(first, body.c(member.length), step, [&](const Id& j) {
            const Id value = dataVector(body, member, i, key, j);
            body.store(memberPointer(body, place, member, i, element, " " + j), value);
        });
    }
}

void fillScalars(BodyText& body, const PayloadType& type, const PayloadPlace& place, const Id& key)
{
    for (uint32_t i = 0; i < type.layout->members.size(); ++i) {
        const Member& member = type.layout->members[i];
        if (member.role == Role::Key)
            body.store(memberPointer(body, place, member, i, type.members[i]), key);
        else if (member.role == Role::Grid)
            storeGrid(body, type, place, key, i);
        else if (member.role == Role::Data && member.length == 0)
            body.store(memberPointer(body, place, member, i, type.members[i]),
                       dataVector(body, member, i, key, body.c(0)));
    }
}

Id gridSide(BodyText& body, const Layout& layout, const Id& key, uint32_t component)
{
    const Member* grid = layout.find(Role::Grid);
    return grid && component < grid->elements() ? gridValue(body, layout.grid, key, component) : body.c(1);
}

}  // namespace millrace::random
