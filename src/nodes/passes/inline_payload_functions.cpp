// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/inline_payload_functions.h"

#include "nodes/payload_origins.h"
#include "nodes/payload_types.h"
#include "spirv/tools.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

bool changesType(const Module& module, Id type)
{
    if (holdsHandles(module, type) || holdsHandles(module, module.pointee(type)))
        return true;
    switch (module.storageOf(type)) {
        case spv::StorageClass::NodePayloadAMDX:
        case spv::StorageClass::Input:
        case spv::StorageClass::PushConstant:
        case spv::StorageClass::Uniform:
            return true;
        default:
            return false;
    }
}

bool needsInlining(const Module& module)
{
    for (const spirv::Function& function : module.functions) {
        if (changesType(module, function.definition.type))
            return true;
        for (const Instruction& parameter : function.parameters)
            if (changesType(module, parameter.type))
                return true;
    }
    // Pointers into payloads whose storage class does not say so.
    const PayloadOrigins origins(module, {});
    for (const spirv::Function& function : module.functions) {
        for (const Instruction& parameter : function.parameters)
            if (origins.isPayloadMemory(parameter.result))
                return true;
    }
    return false;
}

}  // namespace

Status inlinePayloadFunctions(Module& module)
{
    if (!needsInlining(module))
        return {};
    const auto inlined = spirv::inlineAll(spirv::write(module));
    if (!inlined)
        return inlined.error();
    auto read = spirv::read(*inlined);
    if (!read)
        return read.error();
    module = std::move(*read);
    return {};
}

}  // namespace millrace::nodes
