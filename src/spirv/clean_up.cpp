// SPDX-License-Identifier: Apache-2.0
#include "spirv/edit.h"
#include "spirv/optimizer.h"
#include "spirv/reach.h"
#include "spirv/tools.h"

namespace millrace::spirv {

namespace {

bool hasLinkage(const Instruction& i)
{
    return i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::LinkageAttributes);
}

// What entry points execute and what others may link to. Interface lists are not among the roots.
void addCode(const Module& module, Reach& reach)
{
    for (const Instruction& i : module.section(Section::EntryPoints))
        reach.add(i.id(1));
    for (const Instruction& i : module.section(Section::ExecutionModes))
        reach.addUses(i);
    for (const Instruction& i : module.section(Section::Annotations))
        if (hasLinkage(i) && module.findFunction(i.id(0)))
            reach.add(i.id(0));
}

// Drops variables from the interface that no code uses. Inputs and outputs stay where another stage may count on them,
// and so does the payload, whose type says something even of a node that does not read it.
void trimInterface(const Module& module, Instruction& entryPoint, const Reach& reach)
{
    const bool isCompute = entryPoint.literal(0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute);
    Instruction trimmed = instruction(entryPoint.op);
    trimmed.add(entryPoint.literal(0)).add(entryPoint.id(1)).add(entryPoint.string(2));
    for (size_t o = 3; o < entryPoint.operandCount(); ++o) {
        const Id variable = entryPoint.id(o);
        const spv::StorageClass storage = module.storageOf(module.typeOf(variable));
        const bool isStageIo = storage == spv::StorageClass::Input || storage == spv::StorageClass::Output;
        const bool isNodeInput = storage == spv::StorageClass::NodePayloadAMDX;
        if (reach.contains(variable) || (isStageIo && !isCompute) || isNodeInput)
            trimmed.add(variable);
    }
    entryPoint = std::move(trimmed);
}

}  // namespace

void removeUnused(Module& module)
{
    const ReachIndex index(module);
    Reach reach(index);
    addCode(module, reach);
    for (Instruction& entryPoint : module.section(Section::EntryPoints)) {
        trimInterface(module, entryPoint, reach);
        reach.addUses(entryPoint);  // for what the remaining interfaces need
        reach.addWorkgroupSize();
    }
    reach.addDescriptions();
    removeUnreached(module, reach.takeIds());
}

void keepExports(Module& module, const std::function<bool(std::string_view)>& isWanted)
{
    std::erase_if(module.section(Section::Annotations), [&](const Instruction& i) {
        const bool isExport = hasLinkage(i) && i.literal(3) == static_cast<uint32_t>(spv::LinkageType::Export);
        return isExport && module.findFunction(i.id(0)) && !isWanted(i.string(2));
    });
    removeUnused(module);
}

Result<Module> simplify(const Module& module)
{
    // Nothing here rearranges arithmetic; the simplification pass would, so it is not used.
    const auto optimized =
        optimize(write(module), "simplify",
                 {spvtools::CreateSSARewritePass, spvtools::CreateCCPPass, spvtools::CreateDeadBranchElimPass,
                  spvtools::CreateBlockMergePass, [] { return spvtools::CreateAggressiveDCEPass(); }});
    if (!optimized)
        return optimized.error();
    auto simplified = read(*optimized);
    if (simplified)
        removeUnused(*simplified);
    return simplified;
}

Result<Words> simplify(std::span<const uint32_t> words)
{
    const auto module = read(words);
    if (!module)
        return module.error();
    const auto simplified = simplify(*module);
    return simplified ? Result<Words>(write(*simplified)) : simplified.error();
}

}  // namespace millrace::spirv
