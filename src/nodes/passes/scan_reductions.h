// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nodes/compile.h"
#include "nodes/node_shader.h"

namespace millrace::nodes {

// Where Target::scansToReduce: a reduction of integers over the subgroup becomes an inclusive scan, of which each
// invocation takes the last one's value (SPIR-V 3.32.24, OpGroupNonUniformShuffle). Both what the node says and what
// the device functions say. Reductions of 64 bits, of floats and of booleans stay, as do clustered ones.
Status scanReductions(NodeShader& shader, const Target& target);

}  // namespace millrace::nodes
