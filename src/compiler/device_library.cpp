// SPDX-License-Identifier: Apache-2.0
#include "compiler/device_library.h"

#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "compiler/device_functions.h"
#include "compiler/memory_model.h"
#include "shaders/node_library.h"
#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::compiler {

using spirv::SpecializationValue;

namespace {

std::span<const uint32_t> chooseBuild(const DeviceLibraryVariant& variant)
{
    if (variant.memory == graph::MemoryUse::None) {
        return shaders::leaf_library;
    }
    if (variant.memory == graph::MemoryUse::Fed) {
        return shaders::leaf_library_fed;
    }
    const bool fits = variant.memory != graph::MemoryUse::Reserves;
    if (variant.kind == abi::kKindPacked) {
        return fits ? shaders::node_library_fits_packed : shaders::node_library_packed;
    }
    if (!fits) {
        return shaders::node_library;
    }
    return variant.kind == abi::kKindDynamic ? shaders::node_library_fits_dynamic : shaders::node_library_fits;
}

SpecializationValue word(uint32_t specId, uint32_t value)
{
    return {specId, {static_cast<uint8_t>(value), 0, 0, 0}};
}

// Branches on `values` are decided here, once, and what they leave dead is removed.
Result<spirv::Library> makeLibrary(std::span<const uint32_t> words, std::span<const SpecializationValue> values,
                                   const DeviceLibraryVariant& variant)
{
    auto module = spirv::read(words);
    if (!module) {
        return module.error();
    }
    if (const Status status = spirv::specialize(*module, values, spirv::Unnamed::StayOpen); !status) {
        return status.error();
    }
    // glslang exports all functions of a library, and simplifying takes as long as the library is large.
    spirv::keepExports(*module, [&variant](std::string_view name) {
        const auto function = findDeviceFunction(name);
        return function && (variant.sends || !sendsPayloads(*function));
    });
    do {
        module = spirv::simplify(*module);
        if (!module) {
            return module.error();
        }
    } while (spirv::foldConstantCalls(*module));
    if (!variant.longAtomics) {
        module->removeCapability(spv::Capability::Int64Atomics);
    }
    spirv::removeUnusedSubgroupCapabilities(*module);
    if (variant.vulkanMemoryModel) {
        useVulkanMemoryModel(*module);
    }
    return spirv::Library::create(std::move(*module));
}

Result<spirv::Library> makeLibrary(const DeviceLibraryVariant& variant)
{
    const SpecializationValue values[] = {
        word(abi::kKindSpecId, variant.kind),
        word(abi::kEmitsSpecId, variant.emits),
        word(abi::kIndirectSpecId, variant.indirect),
        word(abi::kBatchedSpecId, variant.batched),
        word(abi::kBeginsSpecId, variant.begins),
        word(abi::kCountedSpecId, variant.counted),
        word(abi::kLooseSpecId, variant.loose),
        word(abi::kStepsInsideSpecId, variant.stepsInside),
        word(abi::kSendsOnceSpecId, variant.once),
        word(abi::kKeepsSpecId, variant.keeps),
        word(abi::kSendsGridsSpecId, variant.sendsGrids),
        word(abi::kSendsTrackedSpecId, variant.sendsTracked),
        word(abi::kPlainQueuesSpecId, variant.plainQueues),
        word(abi::kLongAtomicsSpecId, variant.longAtomics),
        word(abi::kSubgroupOperationsSpecId, variant.subgroupOperations),
    };
    return makeLibrary(chooseBuild(variant), values, variant);
}

// Made by whoever asks first; all others wait. Not by std::call_once(): what is thrown cannot pass the C library's part
// of it where the C++ library is linked statically.
struct Entry {
    std::mutex mutex;
    std::optional<Result<spirv::Library>> library;

    template <typename Make>
    const Result<spirv::Library>& get(const Make& make)
    {
        std::lock_guard lock(mutex);
        if (!library)
            library.emplace(make());
        return *library;
    }
};

Entry& entryOf(const DeviceLibraryVariant& variant)
{
    static std::mutex mutex;
    static auto& entries = *new std::map<DeviceLibraryVariant, Entry>;  // never destroyed: threads may outlive main()
    std::lock_guard lock(mutex);
    return entries[variant];
}

}  // namespace

const Result<spirv::Library>& getDeviceLibrary(const DeviceLibraryVariant& variant)
{
    return entryOf(variant).get([&] { return makeLibrary(variant); });
}

}  // namespace millrace::compiler
