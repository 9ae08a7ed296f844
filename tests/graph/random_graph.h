// SPDX-License-Identifier: Apache-2.0
// Valid graphs of all shapes, and inputs for them, from a seed.
#pragma once

#include <random>
#include <vector>

#include "graph/plan.h"

namespace millrace::graph {

using Random = std::mt19937;

// Uniform in [low, high].
uint32_t draw(Random& random, uint32_t low, uint32_t high);

std::vector<Node> randomNodes(Random& random);
std::vector<KnownInput> randomInputs(Random& random, const Graph& graph);

}  // namespace millrace::graph
