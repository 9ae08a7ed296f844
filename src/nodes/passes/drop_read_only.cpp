// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/drop_read_only.h"

#include "spirv/module.h"

namespace millrace::nodes {

using spirv::Instruction;
using spirv::Module;

namespace {

bool isBuffer(const Module& module, spirv::Id variable)
{
    const Instruction* declaration = module.findDefinition(variable);
    return declaration && declaration->op == spv::Op::OpVariable &&
           declaration->literal(0) == static_cast<uint32_t>(spv::StorageClass::StorageBuffer);
}

bool isReadOnlyBuffer(const Module& module, const Instruction& i)
{
    constexpr auto kNonWritable = static_cast<uint32_t>(spv::Decoration::NonWritable);
    if (i.op == spv::Op::OpMemberDecorate)
        return i.literal(2) == kNonWritable;
    return i.op == spv::Op::OpDecorate && i.literal(1) == kNonWritable && isBuffer(module, i.id(0));
}

}  // namespace

Status dropReadOnly(NodeShader& shader, const Target& target)
{
    if (!target.dropsReadOnly)
        return {};
    Module& module = shader.module;
    std::erase_if(module.section(spirv::Section::Annotations),
                  [&](const Instruction& i) { return isReadOnlyBuffer(module, i); });
    return {};
}

}  // namespace millrace::nodes
