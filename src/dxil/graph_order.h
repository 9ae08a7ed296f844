// SPDX-License-Identifier: Apache-2.0
// Dominators of small directed graphs.
#pragma once

#include <cstdint>
#include <vector>

namespace millrace::dxil {

inline constexpr uint32_t kNoNode = ~0u;

using Edges = std::vector<std::vector<uint32_t>>;

// Nodes that `root` reaches, each before what it leads to except along back edges.
std::vector<uint32_t> reversePostorder(const Edges& successors, uint32_t root);

class Dominators {
public:
    Dominators(const Edges& successors, uint32_t root);
    bool isReachable(uint32_t node) const { return m_order[node] != kNoNode; }
    uint32_t parent(uint32_t node) const { return m_parent[node]; }  // kNoNode for the root and what is not reached
    bool dominates(uint32_t above, uint32_t below) const;            // also itself
    uint32_t common(uint32_t a, uint32_t b) const;                   // nearest that dominates both
    uint32_t order(uint32_t node) const { return m_order[node]; }    // position in reverse postorder
    const std::vector<uint32_t>& nodes() const { return m_nodes; }   // in reverse postorder

private:
    std::vector<uint32_t> m_nodes;
    std::vector<uint32_t> m_order;
    std::vector<uint32_t> m_parent;
    std::vector<uint32_t> m_depth;
};

Edges reversed(const Edges& edges);

}  // namespace millrace::dxil
