// SPDX-License-Identifier: Apache-2.0
// Not done with SPIRV-Tools' passes: nothing inside functions may change here, whatever extension it comes from.
#include <algorithm>

#include "spirv/edit.h"
#include "spirv/id_set.h"
#include "spirv/reach.h"

namespace millrace::spirv {

namespace {

constexpr uint32_t kVersionOfWholeInterfaces = 0x00010400;

bool isInputPayload(const Instruction& i)
{
    return i.op == spv::Op::OpVariable &&
           static_cast<spv::StorageClass>(i.literal(0)) == spv::StorageClass::NodePayloadAMDX;
}

// What only the code of entry points other than `own` reads.
IdSet inputsOfOthers(const Module& module, const Instruction& own)
{
    Reach ofOwn(module), ofOthers(module);
    ofOwn.add(own.id(1));
    for (const Instruction& other : module.section(Section::EntryPoints))
        if (&other != &own)
            ofOthers.add(other.id(1));
    IdSet inputs;
    for (const Instruction& i : module.section(Section::Globals))
        if (isInputPayload(i) && ofOthers.contains(i.result) && !ofOwn.contains(i.result))
            inputs.insert(i.result);
    return inputs;
}

// An entry point has one input, which it need not read; but some modules list those of others as well.
Instruction withOneInput(const Module& module, const Instruction& entryPoint, const IdSet& inputsOfOthers)
{
    Instruction kept =
        instruction(entryPoint.op).add(entryPoint.literal(0)).add(entryPoint.id(1)).add(entryPoint.string(2));
    bool hasInput = false;
    for (size_t o = 3; o < entryPoint.operandCount(); ++o) {
        if (!inputsOfOthers.contains(entryPoint.id(o))) {
            kept.add(entryPoint.id(o));
            const Instruction* variable = module.findDefinition(entryPoint.id(o));
            hasInput |= variable && isInputPayload(*variable);
        }
    }
    return hasInput ? kept : entryPoint;
}

// Before SPIR-V 1.4 interfaces list no payloads. One that no code reads is declared for the entry point all the same.
void addUnlistedInputs(const Module& module, const IdSet& inputsOfOthers, Reach& reach)
{
    for (const Instruction& i : module.section(Section::Globals))
        if (module.version < kVersionOfWholeInterfaces && isInputPayload(i) && !inputsOfOthers.contains(i.result))
            reach.add(i.result);
}

}  // namespace

Status extractEntryPoint(Module& module, std::string_view name, spv::ExecutionModel model)
{
    const auto isWanted = [&](const Instruction& i) {
        return i.literal(0) == static_cast<uint32_t>(model) && i.string(2) == name;
    };
    InstructionList& entryPoints = module.section(Section::EntryPoints);
    if (std::ranges::count_if(entryPoints, isWanted) != 1) {
        const std::string kind = model == spv::ExecutionModel::GLCompute ? "compute " : "";
        return Diagnostic{"spirv", {}, "not exactly one " + kind + "entry point \"" + std::string(name) + "\""};
    }
    IdSet notOwn;
    if (entryPoints.size() > 1) {
        const Instruction& own = *std::ranges::find_if(entryPoints, isWanted);
        notOwn = inputsOfOthers(module, own);
        entryPoints = {withOneInput(module, own, notOwn)};
    }
    Reach reach(module);
    reach.addUses(entryPoints[0]);
    for (const Instruction& i : module.section(Section::ExecutionModes))
        if (i.id(0) == entryPoints[0].id(1))
            reach.addUses(i);
    addUnlistedInputs(module, notOwn, reach);
    reach.addWorkgroupSize();
    reach.addDescriptions();
    removeUnreached(module, reach.takeIds());
    return {};
}

}  // namespace millrace::spirv
