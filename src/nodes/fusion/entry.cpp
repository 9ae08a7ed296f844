// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/entry.h"

#include "nodes/fusion/settle.h"
#include "shader/globals.h"
#include "spirv/edit.h"

namespace millrace::nodes {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

void replaceEntry(NodeShader& shader, Id created)
{
    Module& module = shader.module;
    for (const Section section : {Section::EntryPoints, Section::ExecutionModes}) {
        for (Instruction& i : module.section(section)) {
            const size_t operand = section == Section::EntryPoints ? 1 : 0;
            if (i.id(operand) == shader.entry)
                i.setId(operand, created);
        }
    }
    shader.entry = created;
    spirv::removeUnused(module);
    markAliases(module);
    shader::updateInterface(module, created);
    spirv::orderGlobals(module);
}

void announce(Module& module, Id id, std::string_view name, spv::LinkageType type)
{
    module.section(Section::Annotations)
        .push_back(spirv::instruction(spv::Op::OpDecorate)
                       .add(id)
                       .add(static_cast<uint32_t>(spv::Decoration::LinkageAttributes))
                       .add(name)
                       .add(static_cast<uint32_t>(type)));
}

void setBudget(Module& module, Id array, uint32_t payloads)
{
    constexpr auto kMaxPayloads = static_cast<uint32_t>(spv::Decoration::NodeMaxPayloadsAMDX);
    module.removeDecorations([&](const Instruction& i) {
        return i.op == spv::Op::OpDecorateId && i.id(0) == array && i.literal(1) == kMaxPayloads;
    });
    const Id constant = module.getConstant(payloads);
    module.section(Section::Annotations)
        .push_back(spirv::instruction(spv::Op::OpDecorateId).add(array).add(kMaxPayloads).add(constant));
}

void addBarrier(shader::FunctionWriter& writer, const NodeShader& shader)
{
    using Mask = spv::MemorySemanticsMask;
    uint32_t semantics = 0;
    for (const Mask mask : {Mask::AcquireRelease, Mask::WorkgroupMemory, Mask::UniformMemory})
        semantics |= static_cast<uint32_t>(mask);
    if (shader::hasStorageImages(shader.module))
        semantics |= static_cast<uint32_t>(Mask::ImageMemory);
    if (shader.vulkanMemoryModel)
        semantics |= static_cast<uint32_t>(Mask::MakeAvailable) | static_cast<uint32_t>(Mask::MakeVisible);
    spirv::Emitter out = writer.out();
    const Id workgroup = out.module().getConstant(static_cast<uint32_t>(spv::Scope::Workgroup));
    out.emitVoid(spv::Op::OpControlBarrier, {workgroup, workgroup, out.module().getConstant(semantics)});
}

std::vector<std::pair<Id, Id>> takeInitializers(Module& module, spv::StorageClass storage)
{
    std::vector<std::pair<Id, Id>> values;
    for (Instruction& i : module.section(Section::Globals)) {
        const bool isInitialized = i.op == spv::Op::OpVariable && i.operandCount() > 1 &&
                                   static_cast<spv::StorageClass>(i.literal(0)) == storage;
        if (isInitialized) {
            values.emplace_back(i.result, i.id(1));
            i = spirv::instruction(i.op, i.type, i.result).add(i.literal(0));
        }
    }
    return values;
}

}  // namespace millrace::nodes
