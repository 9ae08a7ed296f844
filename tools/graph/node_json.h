// SPDX-License-Identifier: Apache-2.0
// A node for programs: what its shader declares and what linking makes of it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "graph/graph.h"

namespace millrace::tools {

nlohmann::json nodeJson(const graph::Node& node);

}  // namespace millrace::tools
