// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/decide_branches.h"

#include "spirv/edit.h"

namespace millrace::compiler {

Status decideBranches(NodeShader& shader)
{
    spirv::decideBranches(shader.module, shader.ownFunctions);
    spirv::removeUnused(shader.module);
    spirv::removeUnusedSubgroupCapabilities(shader.module);
    return {};
}

}  // namespace millrace::compiler
