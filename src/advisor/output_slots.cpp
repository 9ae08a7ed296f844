// SPDX-License-Identifier: Apache-2.0
#include "advisor/output_slots.h"

#include <algorithm>
#include <map>
#include <utility>

namespace millrace::advisor {

namespace {

constexpr uint32_t kLocations = 64;

// What can share a slot; of interpolated ones those of equal width.
enum class SlotType : uint8_t { Free, Smooth, Flat, SmoothHalf, PerPrimitive };

// In the order in which they are given slots. Each begins anew and fills what has the same type and is not full.
enum class Group : uint8_t { Smooth, Flat, SmoothHalf, FlatHalf, PerPrimitive, PerPrimitiveHalf };

Group groupOf(const Output& output)
{
    const bool isHalf = output.widthBits < 32;
    if (output.isPerPrimitive)
        return isHalf ? Group::PerPrimitiveHalf : Group::PerPrimitive;
    if (output.isFlat)
        return isHalf ? Group::FlatHalf : Group::Flat;
    return isHalf ? Group::SmoothHalf : Group::Smooth;
}

SlotType typeOf(const Output& output)
{
    if (output.isPerPrimitive)
        return SlotType::PerPrimitive;
    return output.isFlat ? SlotType::Flat : output.widthBits < 32 ? SlotType::SmoothHalf : SlotType::Smooth;
}

struct Location {
    uint8_t halves = 0;  // mask of parts of 16 bits
    SlotType type = SlotType::Free;
    bool isForeign = false;
    std::vector<std::string> names;
};

// A component of a generic output that may be moved; 64 bits are two.
struct Component {
    const Output* output = nullptr;
    uint32_t place = 0;  // where it was, to keep the order
    bool isForeign = false;

    uint32_t halves() const { return output->widthBits < 32 ? 1 : 2; }
    auto order() const { return std::pair(groupOf(*output), place); }
};

void put(Location& location, const Component& component, uint32_t half)
{
    const uint32_t mask = component.halves() == 2 ? 3 : 1;
    location.halves |= static_cast<uint8_t>(mask << half);
    location.type = typeOf(*component.output);
    location.isForeign |= component.isForeign;
    if (std::ranges::find(location.names, component.output->name) == location.names.end())
        location.names.push_back(component.output->name);
}

class Packer {
public:
    void add(const Output& output)
    {
        for (uint32_t s = 0; s < output.slots.size(); ++s) {
            for (uint32_t c = 0; c < 4; ++c)
                if ((output.slots[s].words >> c & 1) != 0)
                    add(output, s, c);
        }
    }

    std::vector<Location> pack()
    {
        std::ranges::stable_sort(m_components, {}, &Component::order);
        const Component* last = nullptr;
        for (const Component& component : m_components) {
            if (last == nullptr || groupOf(*last->output) != groupOf(*component.output))
                m_cursor = 0;
            place(component);
            last = &component;
        }
        return m_locations;
    }

private:
    // What is indexed stays where it is. The primitive's number, which has no location, comes first.
    void add(const Output& output, uint32_t slot, uint32_t component)
    {
        const uint32_t location = output.location + slot;
        const bool isForeign = output.slots[slot].isForeign || output.isIndexed;
        if (output.kind == OutputKind::PrimitiveId)
            m_components.push_back({&output, 0, isForeign});
        else if (!output.isIndexed)
            m_components.push_back({&output, 1 + location * 4 + component, isForeign});
        else if (location < kLocations)
            put(m_locations[location], {&output, 0, isForeign}, component * 2);
    }

    void place(const Component& component)
    {
        while (m_cursor < kLocations * 8) {
            const Location& location = m_locations[m_cursor / 8];
            if (location.type != SlotType::Free && location.type != typeOf(*component.output)) {
                m_cursor = (m_cursor / 8 + 1) * 8;
            } else if ((location.halves >> (m_cursor % 8) & 1) != 0) {
                m_cursor += component.halves();
            } else {
                put(m_locations[m_cursor / 8], component, m_cursor % 8);
                m_cursor += component.halves();
                return;
            }
        }
    }

    uint32_t m_cursor = 0;  // in parts of 16 bits
    std::vector<Component> m_components;
    std::vector<Location> m_locations{kLocations};
};

// Clip distances come first, cull distances follow in the same slots. RADV takes each of them for written by others.
void addDistances(const Facts& facts, std::vector<DriverSlot>& out)
{
    std::map<uint32_t, DriverSlot> slots;
    uint32_t first = 0;
    for (const OutputKind kind : {OutputKind::ClipDistance, OutputKind::CullDistance}) {
        for (const Output& output : facts.outputs) {
            if (output.kind != kind)
                continue;
            for (uint32_t e = 0; e < output.elementCount; ++e) {
                const OutputSlot& from = output.slots[e / 4];
                if ((from.words >> (e % 4) & 1) == 0)
                    continue;
                DriverSlot& slot = slots[(first + e) / 4];
                slot.kind = OutputKind::ClipDistance;
                slot.isForeign = true;
                if (std::ranges::find(slot.names, output.name) == slot.names.end())
                    slot.names.push_back(output.name);
            }
            first += output.elementCount;
        }
    }
    for (auto& [number, slot] : slots)
        out.push_back(std::move(slot));
}

void addBuiltIns(const Facts& facts, OutputKind kind, std::vector<DriverSlot>& out)
{
    for (const Output& output : facts.outputs)
        if (output.kind == kind)
            out.push_back({kind, output.isPerPrimitive, output.slots[0].isForeign, {output.name}});
}

}  // namespace

std::vector<DriverSlot> assignSlots(const Facts& facts)
{
    std::vector<DriverSlot> out;
    addBuiltIns(facts, OutputKind::Position, out);
    addBuiltIns(facts, OutputKind::PointSize, out);
    addDistances(facts, out);
    for (const OutputKind kind : {OutputKind::Layer, OutputKind::Viewport, OutputKind::ShadingRate})
        addBuiltIns(facts, kind, out);
    Packer packer;
    for (const Output& output : facts.outputs)
        if (output.kind == OutputKind::Generic || output.kind == OutputKind::PrimitiveId)
            packer.add(output);
    for (const Location& location : packer.pack()) {
        if (location.halves != 0) {
            const bool isPerPrimitive = location.type == SlotType::PerPrimitive;
            out.push_back({OutputKind::Generic, isPerPrimitive, location.isForeign, location.names});
        }
    }
    return out;
}

}  // namespace millrace::advisor
