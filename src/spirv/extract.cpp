// SPDX-License-Identifier: Apache-2.0
// Not done with SPIRV-Tools' passes: nothing inside functions may change here, whatever extension it comes from.
#include "spirv/edit.h"
#include "spirv/reach.h"

namespace millrace::spirv {

Status extractEntryPoint(Module& module, std::string_view name)
{
    InstructionList& entryPoints = module.section(Section::EntryPoints);
    std::erase_if(entryPoints, [&](const Instruction& i) {
        const bool isCompute = i.literal(0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute);
        return !isCompute || i.string(2) != name;
    });
    if (entryPoints.size() != 1) {
        return Diagnostic{"spirv", {}, "not exactly one compute entry point \"" + std::string(name) + "\""};
    }
    Reach reach(module);
    reach.addUses(entryPoints[0]);
    for (const Instruction& i : module.section(Section::ExecutionModes)) {
        if (i.id(0) == entryPoints[0].id(1)) {
            reach.addUses(i);
        }
    }
    reach.addDescriptions();
    removeUnreached(module, reach.takeIds());
    return {};
}

}  // namespace millrace::spirv
