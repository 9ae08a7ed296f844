// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Sets graph::NodeDecisions::packWidth: how many of the node's workgroups share one of ours, where nothing in the
// shader can tell. Single-invocation nodes do whatever they send; others only if they send nothing, since allocating
// takes all invocations of ours. What chooses a descriptor is declared NonUniform then; where the device cannot take
// that, such nodes run one workgroup at a time. Also what follows for a node that goes depth first, for leaves, and
// whether payloads that workgroups keep are in scratch memory.
Status choosePacking(NodeShader& shader, const Options& options);

}  // namespace millrace::nodes
