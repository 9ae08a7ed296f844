// SPDX-License-Identifier: Apache-2.0
// A function cut where the invocations of a subgroup meet: at operations of subgroups, at barriers, and where an
// iteration of a loop ends in which they meet. What lies between is left as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv/module.h"

namespace millrace::subgroups {

// What an invocation does by itself, or one meeting.
struct State {
    // Start: the first one. Whole: inside of a construct that is left as it is. Behind: where such a construct ends.
    // Handover: the same, where others come to the block as well, which is a state by itself.
    enum class Role { Start, Whole, Behind, Handover };
    struct Part {
        uint32_t label;
        Role role;
    };
    uint32_t label;
    bool meets = false;
    std::vector<Part> parts;
};

class Flow {
public:
    // Cuts the function's blocks anew, without line information. Requires: it is a valid shader's, and calls nobody.
    Flow(spirv::Module& module, spirv::Function& function);

    // In an order in which a construct's blocks are in front of what follows it, as are the iterations of a loop.
    const std::vector<State>& states() const { return m_states; }
    uint32_t numberOf(uint32_t label) const { return m_numbers.at(label); }
    // The state in which the block runs.
    uint32_t stateOf(uint32_t label) const { return m_stateOf.at(label); }
    bool runs(uint32_t label) const { return m_stateOf.contains(label); }
    bool runsIn(uint32_t label, uint32_t state) const { return runs(label) && stateOf(label) == state; }
    const spirv::Block& block(uint32_t label) const { return m_function.blocks[m_index.at(label)]; }
    // Whether the block begins a construct in which nobody meets, and which has one end.
    bool isWhole(uint32_t header) const { return m_whole.contains(header); }
    bool isInside(uint32_t header, uint32_t label) const { return m_whole.at(header).contains(label); }

private:
    using Labels = std::unordered_set<uint32_t>;

    void split();
    void split(const spirv::Block& block);
    void endIterations();
    void index();
    void findWhole();
    Labels between(uint32_t header, uint32_t end) const;
    void visit(uint32_t label);
    void findStates();
    std::optional<State::Part> findNext(uint32_t label) const;
    void follow(State& state);

    spirv::Module& m_module;
    spirv::Function& m_function;
    std::vector<spirv::Block> m_cut;                // while blocks are cut
    std::unordered_map<uint32_t, uint32_t> m_last;  // by label: of the part with the terminator
    Labels m_meetings;                              // blocks of a meeting alone
    std::unordered_map<uint32_t, size_t> m_index;   // by label
    std::unordered_map<uint32_t, Labels> m_before;  // predecessors
    std::unordered_map<uint32_t, Labels> m_whole;   // by header: the blocks inside
    std::vector<uint32_t> m_order;
    Labels m_seen;
    std::vector<State> m_states;
    std::unordered_map<uint32_t, uint32_t> m_numbers, m_stateOf;
};

std::vector<uint32_t> successors(const spirv::Block& block);
// OpSelectionMerge or OpLoopMerge; none.
const spirv::Instruction* mergeOf(const spirv::Block& block);

}  // namespace millrace::subgroups
