// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/decide_branches.h"

#include "spirv/edit.h"

namespace millrace::nodes {

Status decideBranches(NodeShader& shader)
{
    spirv::decideBranches(shader.module, shader.ownFunctions);
    spirv::removeUnused(shader.module);
    spirv::removeUnusedSubgroupCapabilities(shader.module);
    return {};
}

}  // namespace millrace::nodes
