// SPDX-License-Identifier: Apache-2.0
// Nodes as libraries of ordinary pipelines, and what else the core asks of graphs.
#pragma once

#include <memory>

#include "layer/objects/own_pipelines.h"

namespace millrace::layer {

struct Device;

// For Device::ownPipelines, also where there are no graphs: then it refuses, with messages, what needs them.
std::shared_ptr<OwnPipelines> createOwnPipelines(Device& device);

}  // namespace millrace::layer
