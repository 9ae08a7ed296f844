// SPDX-License-Identifier: Apache-2.0
#include "advisor/output_slots.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace millrace::advisor {

namespace {

constexpr size_t kLocations = 64;

struct Location {
    uint8_t words = 0;
    bool isPerPrimitive = false;
    bool isFlat = false;
    bool isPackable = true;
    bool isForeign = false;
    std::vector<std::string> names;
};

// A word of a generic output that may be moved.
struct Word {
    const Output* output = nullptr;
    uint32_t location = 0;
    uint32_t component = 0;
    bool isForeign = false;

    bool isFlat() const { return output->isFlat && !output->isPerPrimitive; }
    auto order() const { return std::tuple(output->isPerPrimitive, isFlat(), location, component); }
};

void put(Location& location, const Output& output, uint32_t component, bool isForeign, bool isPackable)
{
    location.words |= static_cast<uint8_t>(1u << component);
    location.isPerPrimitive = output.isPerPrimitive;
    location.isFlat = output.isFlat && !output.isPerPrimitive;
    location.isPackable = isPackable;
    location.isForeign |= isForeign;
    if (std::ranges::find(location.names, output.name) == location.names.end()) {
        location.names.push_back(output.name);
    }
}

class Packer {
public:
    void add(const Output& output)
    {
        const bool moves = output.widthBits == 32 && !output.isIndexed;
        for (uint32_t s = 0; s < output.slots.size(); s++) {
            for (uint32_t c = 0; c < 4; c++) {
                if ((output.slots[s].words >> c & 1) == 0) {
                    continue;
                }
                const bool isForeign = output.slots[s].isForeign || output.isIndexed;
                const uint32_t location = output.location + s;
                if (moves) {
                    m_words.push_back({&output, location, c, isForeign});
                } else if (location < kLocations) {
                    put(m_locations[location], output, c, isForeign, false);
                }
            }
        }
    }

    std::vector<Location> pack()
    {
        std::ranges::stable_sort(m_words, {}, &Word::order);
        size_t location = 0;
        uint32_t component = 0;
        for (const Word& word : m_words) {
            if (!place(word, location, component)) {
                location = component = 0;
                place(word, location, component);
            }
        }
        return m_locations;
    }

private:
    static bool fits(const Location& location, const Word& word)
    {
        return location.words == 0 || (location.isPackable && location.isPerPrimitive == word.output->isPerPrimitive &&
                                       location.isFlat == word.isFlat());
    }

    // Goes on from where the word before went.
    bool place(const Word& word, size_t& location, uint32_t& component)
    {
        for (; location < kLocations; location++, component = 0) {
            Location& candidate = m_locations[location];
            if (!fits(candidate, word)) {
                continue;
            }
            while (component < 4 && (candidate.words >> component & 1) != 0) {
                component++;
            }
            if (component < 4) {
                put(candidate, *word.output, component++, word.isForeign, true);
                return true;
            }
        }
        return false;
    }

    std::vector<Word> m_words;
    std::vector<Location> m_locations{kLocations};
};

// Clip distances come first, cull distances follow in the same slots.
void addDistances(const Facts& facts, std::vector<DriverSlot>& out)
{
    std::map<uint32_t, DriverSlot> slots;
    uint32_t first = 0;
    for (const OutputKind kind : {OutputKind::ClipDistance, OutputKind::CullDistance}) {
        for (const Output& output : facts.outputs) {
            if (output.kind != kind) {
                continue;
            }
            for (uint32_t e = 0; e < output.elementCount; e++) {
                const OutputSlot& from = output.slots[e / 4];
                if ((from.words >> (e % 4) & 1) == 0) {
                    continue;
                }
                DriverSlot& slot = slots[(first + e) / 4];
                slot.kind = OutputKind::ClipDistance;
                slot.isForeign |= from.isForeign;
                if (std::ranges::find(slot.names, output.name) == slot.names.end()) {
                    slot.names.push_back(output.name);
                }
            }
            first += output.elementCount;
        }
    }
    for (auto& [number, slot] : slots) {
        out.push_back(std::move(slot));
    }
}

void addBuiltIns(const Facts& facts, OutputKind kind, std::vector<DriverSlot>& out)
{
    for (const Output& output : facts.outputs) {
        if (output.kind == kind) {
            out.push_back({kind, output.isPerPrimitive, output.slots[0].isForeign, {output.name}});
        }
    }
}

}  // namespace

std::vector<DriverSlot> assignSlots(const Facts& facts)
{
    std::vector<DriverSlot> out;
    addBuiltIns(facts, OutputKind::Position, out);
    addBuiltIns(facts, OutputKind::PointSize, out);
    addDistances(facts, out);
    for (const OutputKind kind :
         {OutputKind::PrimitiveId, OutputKind::Layer, OutputKind::Viewport, OutputKind::ShadingRate}) {
        addBuiltIns(facts, kind, out);
    }
    Packer packer;
    for (const Output& output : facts.outputs) {
        if (output.kind == OutputKind::Generic) {
            packer.add(output);
        }
    }
    for (const Location& location : packer.pack()) {
        if (location.words != 0) {
            out.push_back({OutputKind::Generic, location.isPerPrimitive, location.isForeign, location.names});
        }
    }
    return out;
}

}  // namespace millrace::advisor
