// SPDX-License-Identifier: Apache-2.0
// The stages of draws on their way to variants: which of them need what, and its making but for the route of the
// sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "commands/hand_on_sequence.h"
#include "commands/layout.h"
#include "commands/shader_variants.h"
#include "commands/variant.h"
#include "commands/vertex_input.h"

namespace millrace::commands {

// What there is to do in a stage.
struct StageNeeds {
    spirv::Id pushConstants;
    bool ownSequence = false;  // of its push constants, or to choose by it
    bool drawIndex = false;    // reads DrawIndex, which would no longer be 0
    bool vertices = false;     // fetches attributes
    bool indices = false;      // fetches its index
};

// Of one pipeline, or of several: then there may be several of a stage. Those up to the last one that asks for the
// sequence hand it on.
class DrawShaders {
public:
    Status add(const StageCode& code, const Layout& layout, const VertexInput& vertexInput);
    // The stage needs the sequence, whatever its code does.
    void demandSequence(size_t stage);

    // Behind the last of these. Errors: no location below the target's is free in all stages.
    Status findLocation(const VariantTarget& target);
    bool changes(size_t stage) const;
    SequenceRoute route(size_t stage) const;
    // All but the route. Each step puts what it has for the start of the entry point in front of what was put there
    // before, so the route must come behind it (handOnSequence()).
    Status change(size_t stage, const Layout& layout, const VertexInput& vertexInput);

    Variant& operator[](size_t stage) { return m_stages[stage]; }

private:
    bool sends(size_t stage) const { return m_last && rankOf(m_stages[stage].model) < *m_last; }
    bool sendsAny() const;
    bool hasTasks() const;
    bool fetches(size_t stage) const { return m_needs[stage].vertices || m_needs[stage].indices; }
    bool receives(size_t stage) const { return sends(stage) || m_needs[stage].ownSequence || fetches(stage); }

    std::vector<Variant> m_stages;
    std::vector<StageNeeds> m_needs;
    std::optional<uint32_t> m_last;  // its rank
    uint32_t m_location = 0;
};

}  // namespace millrace::commands
