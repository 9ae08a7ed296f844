// SPDX-License-Identifier: Apache-2.0
#include "spirv/optimizer.h"
#include "spirv/tools.h"

namespace millrace::spirv {

Result<Words> cleanUp(std::span<const uint32_t> words)
{
    return optimize(words, "clean up",
                    {spvtools::CreateEliminateDeadFunctionsPass, spvtools::CreateSSARewritePass,
                     spvtools::CreateCCPPass, spvtools::CreateSimplificationPass, spvtools::CreateDeadBranchElimPass,
                     [] { return spvtools::CreateAggressiveDCEPass(); }, spvtools::CreateEliminateDeadFunctionsPass,
                     spvtools::CreateDeadVariableEliminationPass});
}

}  // namespace millrace::spirv
