// SPDX-License-Identifier: Apache-2.0
// A node as JSON.
#pragma once

#include <string>

#include "graph/graph.h"

namespace millrace::api {

std::string describe(const graph::Node& node);

}  // namespace millrace::api
