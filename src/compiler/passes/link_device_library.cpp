// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/link_device_library.h"

#include "abi/graph_memory.h"
#include "compiler/globals.h"
#include "shaders/node_library.h"

namespace millrace::compiler {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;
using spirv::SpecializationValue;
using spirv::Words;

namespace {

// Specialization constants of the library.
constexpr uint32_t kKindId = 2000;
constexpr uint32_t kWorkgroupSizeId = 2001;
constexpr uint32_t kInputTableId = 2002;
constexpr uint32_t kIndirectId = 2003;

std::span<const uint32_t> chooseLibrary(const NodeShader& shader)
{
    if (shader.node.packWidth > 0) {
        return shader.vulkanMemoryModel ? shaders::node_library_packed_vkmm : shaders::node_library_packed;
    }
    return shader.vulkanMemoryModel ? shaders::node_library_vkmm : shaders::node_library;
}

uint32_t kindOf(const graph::Node& node)
{
    if (node.packWidth > 0) {
        return abi::kKindPacked;
    }
    switch (node.mode) {
        case graph::LaunchMode::Static:
            return abi::kKindStatic;
        case graph::LaunchMode::Dynamic:
            return abi::kKindDynamic;
        case graph::LaunchMode::Coalescing:
            break;
    }
    return abi::kKindCoalescing;
}

SpecializationValue specialization(uint32_t id, uint32_t value)
{
    return {id,
            {static_cast<uint8_t>(value), static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value >> 16),
             static_cast<uint8_t>(value >> 24)}};
}

Result<Words> specializeLibrary(const NodeShader& shader, const Options& options)
{
    const graph::Node& node = shader.node;
    const uint32_t size =
        node.packWidth > 0 ? node.packWidth : node.localSize[0] * node.localSize[1] * node.localSize[2];
    const bool isTable = node.mode == graph::LaunchMode::Coalescing && node.packWidth == 0;
    const SpecializationValue values[] = {
        specialization(kKindId, kindOf(node)),
        specialization(kWorkgroupSizeId, size),
        specialization(kInputTableId, isTable ? node.maxInputPayloads : 1),
        specialization(kIndirectId, options.indirect ? 1 : 0),
    };
    return spirv::specialize(chooseLibrary(shader), values);
}

Id findEntry(const Module& module)
{
    const spirv::InstructionList& entryPoints = module.section(Section::EntryPoints);
    return entryPoints.empty() ? Id{} : entryPoints[0].id(1);
}

void removeLinkage(Module& module)
{
    module.removeCapability(spv::Capability::Linkage);
    module.removeDecorations([](const Instruction& i) {
        return i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::LinkageAttributes);
    });
}

}  // namespace

Result<Words> linkDeviceLibrary(const NodeShader& shader, const Options& options)
{
    const auto library = specializeLibrary(shader, options);
    if (!library) {
        return library;
    }
    const Words node = spirv::write(shader.module);
    const std::span<const uint32_t> modules[] = {node, *library};
    const auto linked = spirv::link(modules);
    if (!linked) {
        return linked;
    }
    auto module = spirv::read(*linked);
    if (!module) {
        return module.error();
    }
    removeLinkage(*module);
    // The linker leaves forward declarations behind the pointers that it merges.
    orderGlobals(*module);
    updateInterface(*module, findEntry(*module));
    const auto cleaned = spirv::cleanUp(spirv::write(*module));
    if (!cleaned) {
        return cleaned;
    }
    module = spirv::read(*cleaned);
    if (!module) {
        return module.error();
    }
    updateInterface(*module, findEntry(*module));
    return spirv::write(*module);
}

}  // namespace millrace::compiler
