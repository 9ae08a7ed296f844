// SPDX-License-Identifier: Apache-2.0
#include "compiler/passes/link_device_library.h"

#include "compiler/device_library.h"
#include "spirv/edit.h"

namespace millrace::compiler {

namespace {

uint32_t emitsOf(const graph::Node& node)
{
    uint32_t emitting = 0;
    bool toOne = true;
    for (const graph::NodeOutput& output : node.outputs) {
        if (output.allocationSites == 0)
            continue;
        ++emitting;
        toOne = toOne && (output.constantIndex || output.arraySize == 1u);
    }
    return emitting == 0 ? abi::kEmitsNothing : emitting == 1 && toOne ? abi::kEmitsToOne : abi::kEmitsToSeveral;
}

DeviceLibraryVariant variantOf(const NodeShader& shader, const Options& options)
{
    DeviceLibraryVariant variant;
    variant.vulkanMemoryModel = shader.vulkanMemoryModel;
    variant.indirect = options.indirect;
    variant.batched = options.batched;
    variant.counted = options.counted;
    variant.emits = emitsOf(shader.node);
    if (shader.node.packWidth > 0) {
        variant.kind = abi::kKindPacked;
        return variant;
    }
    switch (shader.node.mode) {
        case graph::LaunchMode::Static:
            variant.kind = abi::kKindStatic;
            break;
        case graph::LaunchMode::Dynamic:
            variant.kind = abi::kKindDynamic;
            break;
        case graph::LaunchMode::Coalescing:
            variant.kind = abi::kKindCoalescing;
            break;
    }
    return variant;
}

}  // namespace

Status linkDeviceLibrary(NodeShader& shader, const Options& options)
{
    const auto& library = getDeviceLibrary(variantOf(shader, options));
    if (!library) {
        return library.error();
    }
    shader.node.batched = options.batched;
    const graph::Node& node = shader.node;
    const bool isPacked = node.packWidth > 0;
    const uint32_t size = isPacked ? node.packWidth : node.localSize[0] * node.localSize[1] * node.localSize[2];
    const bool hasTable = node.mode == graph::LaunchMode::Coalescing && !isPacked;
    const spirv::Library::Constant constants[] = {
        {kWorkgroupSizeSpecId, size},
        {kInputTableSpecId, hasTable ? node.maxInputPayloads : 1},
        {kSubgroupSizeSpecId, options.minSubgroupSize},
    };
    if (const Status status = library->linkInto(shader.module, constants); !status) {
        return status;
    }
    spirv::removeUnused(shader.module);
    return {};
}

}  // namespace millrace::compiler
