// SPDX-License-Identifier: Apache-2.0
#include "random/choose.h"

#include <algorithm>

namespace millrace::random {

namespace {

uint32_t alignUp(uint32_t value, uint32_t to)
{
    return (value + to - 1) / to * to;
}

Member dataMember(Random& random)
{
    Member member;
    switch (random.below(8)) {
        case 0:
            member.bits = 64;
            break;
        case 1:
            member.bits = 16;
            break;
        case 2:
            member.bits = 8;
            break;
        case 3:
            member.isFloat = true;
            break;
        default:
            break;
    }
    if (random.chance(30))
        member.components = random.range(2, 4);
    if (random.chance(35))
        member.length = random.chance(80) ? random.range(1, 12) : random.range(16, 64);
    return member;
}

// That its offset is a multiple of (Vulkan, "Alignment Requirements": the scalar alignment, or the base alignment).
uint32_t alignmentOf(const Member& member, bool isScalar)
{
    return member.bits / 8 * (isScalar || member.components == 1 ? 1 : member.components == 2 ? 2 : 4);
}

}  // namespace

Member gridMember(Random& random)
{
    Member member;
    member.role = Role::Grid;
    member.bits = random.pick<uint32_t>({32, 32, 32, 16, 16, 8});
    member.components = random.range(1, 3);
    if (random.chance(25)) {  // DXC: uint[3]
        member.length = member.components;
        member.components = 1;
    }
    member.nested = random.chance(20);
    if (member.nested && random.chance(50))
        member.innerOffset = random.range(1, 4) * member.bits / 8;
    return member;
}

void placeMembers(Random& random, Layout& layout)
{
    uint32_t at = 0;
    for (Member& member : layout.members) {
        const uint32_t alignment = alignmentOf(member, layout.isScalar);
        member.strideBytes = alignUp(member.vectorBytes(), alignment);
        member.innerOffset = alignUp(member.innerOffset, alignment);
        at = alignUp(at, alignment);
        if (member.role == Role::Grid && random.chance(40))
            at += random.range(1, 7) * member.bits / 8;
        else if (random.chance(15))
            at += random.range(1, 3) * std::max(4u, member.bits / 8);
        at = alignUp(at, alignment) + member.innerOffset;
        member.offset = at;
        at += member.bytes();
        if (member.nested)
            at = alignUp(at, alignment);  // nothing lies between a structure and what would follow it in an array
    }
    layout.size = 0;
    for (const Member& member : layout.members)
        layout.size = std::max(layout.size, member.offset + member.bytes());
}

void obeyRules(Random& random, Layout& layout, const MemberRules& rules)
{
    bool changed = !rules.hasScalarLayout;
    layout.isScalar = rules.hasScalarLayout;
    for (Member& member : layout.members) {
        if (rules.has(member.bits))
            continue;
        member.innerOffset = member.innerOffset / (member.bits / 8) * 4;
        member.bits = 32;
        changed = true;
    }
    if (changed)
        placeMembers(random, layout);
}

GridRange chooseGridRange(Random& random, const Member& grid, uint32_t most)
{
    GridRange range;
    const uint32_t components = grid.elements();
    for (uint32_t i = 0; i < components; ++i)
        range.max[i] = random.range(1, 4);
    const uint32_t large = random.below(components);
    range.max[large] = std::min(random.range(1, most), grid.bits == 8 ? 255u : 60000u);
    range.zeros = random.chance(20);
    range.skewed = random.chance(35);
    return range;
}

// The layout that the payloads of a family have. `heavy` payloads take kilobytes.
Layout chooseLayout(Random& random, bool withGrid, bool heavy)
{
    Layout layout;
    Member key;
    key.role = Role::Key;
    layout.members.push_back(key);
    if (withGrid)
        layout.members.push_back(gridMember(random));
    const uint32_t data = random.pick<uint32_t>({0, 0, 1, 1, 2, 3});
    for (uint32_t i = 0; i < data; ++i)
        layout.members.push_back(dataMember(random));
    if (heavy) {
        Member large;
        large.components = random.pick<uint32_t>({1, 1, 4});
        large.length = random.range(128, 1024) / large.components;
        layout.members.push_back(large);
    }
    for (size_t i = layout.members.size(); i > 1; --i)
        std::swap(layout.members[i - 1], layout.members[random.below(static_cast<uint32_t>(i))]);
    placeMembers(random, layout);
    return layout;
}

void widen(Random& random, Layout& layout)
{
    Member wide;
    wide.components = random.pick<uint32_t>({1, 1, 4});
    wide.length = random.range(68, 200) / wide.components;
    layout.members.push_back(wide);
    placeMembers(random, layout);
}

}  // namespace millrace::random
