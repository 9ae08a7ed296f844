// SPDX-License-Identifier: Apache-2.0
// Steps in words, the same in debug labels, breadcrumbs and documentation.
#pragma once

#include <string>

#include "runtime/step_observer.h"

namespace millrace::runtime {

// "node split[0]", "nodes tint[0] to tint[7]".
std::string nodesText(const graph::Graph& graph, const Step& step);

// "graph 'koch', step 4, level 2: node split[0], 3 recursions left, at most 12 records".
std::string stepText(const ObservedDispatch& dispatch, const Step& step);

}  // namespace millrace::runtime
