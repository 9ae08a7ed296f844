// SPDX-License-Identifier: Apache-2.0
// Nodes and their outputs in words, for table and drawing.
#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace millrace::tools {

std::string gridText(const uint32_t (&grid)[3]);              // "4 x 1 x 1"
std::string launchWord(const graph::NodeDeclaration& node);   // "static", "dynamic", "coalescing"
std::string launchText(const graph::Node& node);              // the grid, or how many payloads come together
std::string payloadText(const graph::NodeDeclaration& node);  // "payload 8 bytes", "no payload"
std::string idText(const graph::NodeId& id);                  // "name[3]"
std::string budgetText(const graph::NodeDeclaration& node, size_t output);  // "at most 8", "at most 8 with output 0"
std::string levelsText(const std::vector<uint32_t>& levels);                // "1-4", "-" for none

}  // namespace millrace::tools
