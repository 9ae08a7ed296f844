// SPDX-License-Identifier: Apache-2.0
#include "nodes/passes/split_payload_copies.h"

#include "nodes/payload_origins.h"
#include "nodes/payload_types.h"
#include "shader/diagnose.h"
#include "shader/memory_operands.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;

Status splitPayloadCopies(NodeShader& shader)
{
    shader::Failure failure("splitPayloadCopies");
    spirv::Module& module = shader.module;
    const PayloadOrigins origins(module, shader.input);
    const auto isAffected = [&](Id pointer) {
        return origins.isPayloadMemory(pointer) || payloadArrayOf(module, module.typeOf(pointer));
    };
    for (spirv::Function& function : module.functions) {
        spirv::rewriteFunction(module, function, [&](const Instruction& i, Emitter& out) {
            if (i.op == spv::Op::OpCopyMemorySized && (isAffected(i.id(0)) || isAffected(i.id(1))))
                failure.at(module, i, "copies bytes of payloads");
            if (i.op != spv::Op::OpCopyMemory || (!isAffected(i.id(0)) && !isAffected(i.id(1)))) {
                out.keep(i);
                return;
            }
            size_t next = shader::memoryOperandsBegin(i.op);
            shader::MemoryOperands target = shader::readMemoryOperands(i, next);
            shader::MemoryOperands source = next < i.operandCount() ? shader::readMemoryOperands(i, next) : target;
            // One set of operands may speak of both sides; each has bits that only fit one of them.
            target.clear(spv::MemoryAccessMask::MakePointerVisible);
            source.clear(spv::MemoryAccessMask::MakePointerAvailable);
            const Id type = module.pointee(module.typeOf(i.id(1)));
            Instruction load = spirv::instruction(spv::Op::OpLoad, type, module.newId()).add(i.id(1));
            shader::addMemoryOperands(load, source);
            Instruction store = spirv::instruction(spv::Op::OpStore).add(i.id(0)).add(load.result);
            shader::addMemoryOperands(store, target);
            out.keep(std::move(load));
            out.keep(std::move(store));
        });
    }
    return failure.status();
}

}  // namespace millrace::nodes
