// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/upgrade_module.h"

#include "shader/globals.h"
#include "shader/modern_forms.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

constexpr uint32_t kVersion = 0x00010600;
constexpr uint32_t kVersionOfWholeInterfaces = 0x00010400;

// Before SPIR-V 1.4 interfaces have no payloads. What extractEntryPoint left is the entry point's.
void listInputs(Module& module, Id entry)
{
    for (Instruction& i : module.section(Section::EntryPoints)) {
        if (i.id(1) != entry)
            continue;
        for (const Instruction& global : module.section(Section::Globals)) {
            const bool isInput =
                global.op == spv::Op::OpVariable &&
                static_cast<spv::StorageClass>(global.literal(0)) == spv::StorageClass::NodePayloadAMDX;
            if (isInput)
                i.add(global.result);
        }
    }
}

}  // namespace

Status upgradeModule(NodeShader& shader)
{
    if (const Status status = shader::useModernForms(shader.module); !status)
        return status;
    if (shader.module.version < kVersionOfWholeInterfaces)
        listInputs(shader.module, shader.entry);
    if (shader.module.version < kVersion) {
        shader.module.version = kVersion;
        shader::updateInterface(shader.module, shader.entry);
    }
    spirv::orderGlobals(shader.module);
    return {};
}

}  // namespace millrace::nodes
