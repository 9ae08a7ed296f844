// SPDX-License-Identifier: Apache-2.0
// A graph as a picture, laid out by Graphviz.
#pragma once

#include <string>

#include "base/result.h"
#include "tools/graph/report.h"

namespace millrace::tools {

// SVG: a box for each group of nodes, its shape by kind, levels as ranks; an arrow for each output and each node that
// it reaches, with the budget; dashed arrows to nodes that share an input; dotted boxes for names that no node has.
Result<std::string> drawGraph(const GraphReport& report);

}  // namespace millrace::tools
