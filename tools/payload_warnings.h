// SPDX-License-Identifier: Apache-2.0
// What only all nodes of a graph together show: a sender and a receiver whose payloads differ.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "spirv/tools.h"

namespace millrace::tools {

struct NodeCode {
    std::string name;  // of the node, as the graph has it
    const spirv::Words* words = nullptr;
    std::string entryPoint;
};

// A sentence for each pair of names. Nodes that nobody sends to, and names that no node has, are no matter here.
std::vector<std::string> payloadWarnings(std::span<const NodeCode> nodes);

}  // namespace millrace::tools
