// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/inline_calls.h"

#include "spirv/call_expansion.h"
#include "spirv/edit.h"
#include "spirv/inlined_size.h"

namespace millrace::nodes {

namespace {

uint64_t sizeOf(const spirv::Module& module)
{
    uint64_t size = 0;
    module.forEachInstruction([&](const spirv::Instruction&) { ++size; });
    return size;
}

}  // namespace

Status inlineCalls(NodeShader& shader, const Target& target)
{
    if (!target.inlinesCalls)
        return {};
    constexpr uint64_t kMostGrowth = 2;
    if (spirv::inlinedSize(shader.module, shader.entry) > kMostGrowth * sizeOf(shader.module))
        return {};
    spirv::expandCalls(shader.module, shader.entry);
    spirv::removeUnused(shader.module);
    return {};
}

}  // namespace millrace::nodes
