// SPDX-License-Identifier: Apache-2.0
#include "dxil/graph_order.h"

#include <algorithm>
#include <utility>

namespace millrace::dxil {

std::vector<uint32_t> reversePostorder(const Edges& successors, uint32_t root)
{
    std::vector<uint32_t> out;
    std::vector<bool> seen(successors.size());
    std::vector<std::pair<uint32_t, size_t>> stack = {{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == successors[node].size()) {
            out.push_back(node);
            stack.pop_back();
            continue;
        }
        const uint32_t target = successors[node][next++];
        if (!seen[target]) {
            seen[target] = true;
            stack.emplace_back(target, 0);
        }
    }
    std::ranges::reverse(out);
    return out;
}

Edges reversed(const Edges& edges)
{
    Edges out(edges.size());
    for (uint32_t from = 0; from < edges.size(); ++from)
        for (const uint32_t to : edges[from])
            out[to].push_back(from);
    return out;
}

// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
Dominators::Dominators(const Edges& successors, uint32_t root)
    : m_nodes(reversePostorder(successors, root)),
      m_order(successors.size(), kNoNode),
      m_parent(successors.size(), kNoNode),
      m_depth(successors.size(), 0)
{
    for (uint32_t n = 0; n < m_nodes.size(); ++n)
        m_order[m_nodes[n]] = n;
    const Edges predecessors = reversed(successors);
    m_parent[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (const uint32_t node : m_nodes) {
            uint32_t best = kNoNode;
            for (const uint32_t from : node == root ? std::vector<uint32_t>() : predecessors[node]) {
                if (m_order[from] == kNoNode || m_parent[from] == kNoNode)
                    continue;
                uint32_t a = from;
                uint32_t b = best == kNoNode ? from : best;
                while (a != b) {
                    while (m_order[a] > m_order[b])
                        a = m_parent[a];
                    while (m_order[b] > m_order[a])
                        b = m_parent[b];
                }
                best = a;
            }
            if (best != kNoNode && m_parent[node] != best) {
                m_parent[node] = best;
                changed = true;
            }
        }
    }
    m_parent[root] = kNoNode;
    for (const uint32_t node : m_nodes)
        m_depth[node] = m_parent[node] == kNoNode ? 0 : m_depth[m_parent[node]] + 1;
}

bool Dominators::dominates(uint32_t above, uint32_t below) const
{
    if (!isReachable(above) || !isReachable(below))
        return false;
    while (m_depth[below] > m_depth[above])
        below = m_parent[below];
    return below == above;
}

uint32_t Dominators::common(uint32_t a, uint32_t b) const
{
    while (a != b) {
        uint32_t& deeper = m_depth[a] > m_depth[b] ? a : b;
        deeper = m_parent[deeper];
    }
    return a;
}

}  // namespace millrace::dxil
