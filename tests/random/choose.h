// SPDX-License-Identifier: Apache-2.0
// The steps of chooseGraph().
#pragma once

#include "random/graph_spec.h"
#include "random/random.h"

namespace millrace::random {

// choose_payload.cpp
Layout chooseLayout(Random& random, bool withGrid, bool heavy);
// Adds more numbers than functions are given one by one, which an invocation may keep.
void widen(Random& random, Layout& layout);
Member gridMember(Random& random);
GridRange chooseGridRange(Random& random, const Member& grid, uint32_t most);
void placeMembers(Random& random, Layout& layout);
// Members of other widths get 32 bits, and vectors lie at multiples of their size. Draws nothing where layouts may be
// scalar and all members have such widths.
void obeyRules(Random& random, Layout& layout, const MemberRules& rules);

// choose_outputs.cpp: what the members of a family, and the nodes that share their input, send to later families.
void chooseOutputs(Random& random, GraphSpec& graph, uint32_t family);
// A family of nodes that work on each payload by itself, which receives from one output of one node, and may run inside
// that. Null if no node may send more.
NodeSpec* findSender(Random& random, GraphSpec& graph);
void chooseSingleOutput(Random& random, GraphSpec& graph, NodeSpec& node, uint32_t targetFamily);
// Likewise, but from each of its invocations.
void chooseCrowdOutput(Random& random, GraphSpec& graph, NodeSpec& node, uint32_t targetFamily);
// Nodes of such a family send to themselves as well. Requires: they work on one payload each.
void chooseSingleRecursion(Random& random, GraphSpec& graph, uint32_t family);
// choose_mesh.cpp: makes mesh nodes of some that send nothing.
void chooseMeshNodes(Random& random, GraphSpec& graph);

// How often a family comes back to itself, as a factor of its payloads; its nodes get the statements.
double chooseRecursion(Random& random, GraphSpec& graph, uint32_t family);

}  // namespace millrace::random
