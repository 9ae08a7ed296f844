// SPDX-License-Identifier: Apache-2.0
// Levels of a recursion of which an invocation runs one payload each.
#pragma once

#include "nodes/fusion/held_input.h"
#include "nodes/fusion/kept_outputs.h"
#include "shader/function_writer.h"

namespace millrace::nodes {

// Of a tree of payloads in which each has `fanOut` children, invocations that have the same payload go down to one
// descendant each, which their WorkgroupId says (graph::NodeDecisions::parts): each runs all nodes on its way.
class Descent {
public:
    Descent(NodeShader& shader, PlainMemory& memory, shader::Failure& failure, uint32_t levels, uint32_t fanOut)
        : m_shader(shader),
          m_module(shader.module),
          m_memory(memory),
          m_failure(failure),
          m_levels(levels),
          m_fanOut(fanOut)
    {
    }

    // The node finds its payload and what remains of its recursion in variables. Before KeptOutputs::lower().
    bool lower();
    // Runs the entry point for each level. `kept` is what it sends to itself.
    void write(shader::FunctionWriter& writer, const KeptOutput& kept);
    // The payload where the way ends.
    const HeldInput& item() const { return m_item; }

private:
    bool freeWorkgroupId();
    bool checkLayouts(const KeptOutput& kept);
    void start(shader::FunctionWriter& writer);
    void take(shader::FunctionWriter& writer, const KeptOutput& kept);
    spirv::Id nextChild(shader::FunctionWriter& writer);
    void load(shader::FunctionWriter& writer, const KeptOutput& kept, spirv::Id child);

    NodeShader& m_shader;
    spirv::Module& m_module;
    PlainMemory& m_memory;
    shader::Failure& m_failure;
    uint32_t m_levels, m_fanOut;
    HeldInput m_item;
    spirv::Id m_way;                        // variables: what is left of the way, as a fraction of 2^32,
    spirv::Id m_remaining;                  // and of the recursion; none if nobody asks
    spirv::Id m_builtIn;                    // that m_remaining starts with
    std::vector<spirv::Id> m_workgroupIds;  // that the node reads
};

// Payloads at the end of so many levels, UINT32_MAX if they are too many for a way.
uint32_t countWays(uint32_t fanOut, uint32_t levels);
// A way is an integer of 32 bits, a fraction of 2^32: the part's number times this. At each level the upper half of its
// product with the number of children is the child, the lower half the rest of the way.
uint32_t stepOfWays(uint32_t ways);

}  // namespace millrace::nodes
