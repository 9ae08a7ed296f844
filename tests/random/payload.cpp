// SPDX-License-Identifier: Apache-2.0
// The contents of payloads, computed on the host as node_emitter.cpp computes them in shaders.
#include <cstring>

#include "random/graph_spec.h"
#include "random/random.h"

namespace millrace::random {

namespace {

// Bits of element j of a data member.
uint64_t dataBits(const Member& member, uint32_t memberNumber, uint32_t key, uint32_t j)
{
    const uint32_t hash = mix(key, memberNumber * 1000 + j);
    if (member.isFloat) {
        const auto value = static_cast<float>(hash & 0xfff);
        uint32_t bits = 0;
        std::memcpy(&bits, &value, 4);
        return bits;
    }
    if (member.bits == 64)
        return uint64_t{hash} * 0x100000001ull;
    return hash;
}

}  // namespace

uint32_t gridComponent(const GridRange& range, uint32_t key, uint32_t component)
{
    const uint32_t hash = mix(key, 100 + component);
    const uint32_t most = range.max[component];
    const uint32_t least = range.zeros && component == 0 ? 0 : 1;
    const uint32_t plain = least + hash % (most + 1 - least);
    if (!range.skewed)
        return plain;
    return mix(key, 77) % 16 == 0 ? most : most < 2 ? most : 1 + hash % 2;
}

std::vector<uint8_t> payloadBytes(const Layout& layout, uint32_t key)
{
    std::vector<uint8_t> out(layout.size);
    for (uint32_t i = 0; i < layout.members.size(); ++i) {
        const Member& member = layout.members[i];
        for (uint32_t j = 0; j < member.elements(); ++j) {
            uint64_t bits = 0;
            switch (member.role) {
                case Role::Key:
                    bits = key;
                    break;
                case Role::Grid:
                    bits = gridComponent(layout.grid, key, j);
                    break;
                case Role::Data:
                    bits = dataBits(member, i, key, j);
                    break;
                case Role::Slots:
                    break;
            }
            const uint32_t vector = j / member.components, component = j % member.components;
            std::memcpy(out.data() + member.offset + vector * member.strideBytes + component * (member.bits / 8), &bits,
                        member.bits / 8);
        }
    }
    return out;
}

}  // namespace millrace::random
