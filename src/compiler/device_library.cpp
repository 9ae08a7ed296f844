// SPDX-License-Identifier: Apache-2.0
#include "compiler/device_library.h"

#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "shaders/node_library.h"
#include "spirv/edit.h"
#include "spirv/tools.h"

namespace millrace::compiler {

using spirv::SpecializationValue;

namespace {

constexpr uint32_t kKindSpecId = 2000;
constexpr uint32_t kIndirectSpecId = 2003;
constexpr uint32_t kEmitsSpecId = 2004;
constexpr uint32_t kBatchedSpecId = 2005;
constexpr uint32_t kCountedSpecId = 2007;
constexpr uint32_t kSendsGridsSpecId = 2008;
constexpr uint32_t kSendsTrackedSpecId = 2009;
constexpr uint32_t kPlainQueuesSpecId = 2010;
constexpr uint32_t kLooseSpecId = 2016;
constexpr uint32_t kTriesSpecId = 2018;
constexpr uint32_t kKeepsSpecId = 2029;
constexpr uint32_t kSendsOnceSpecId = 2034;
constexpr uint32_t kStepsInsideSpecId = 2035;

std::span<const uint32_t> chooseBuild(const DeviceLibraryVariant& variant)
{
    const bool vkmm = variant.vulkanMemoryModel;
    if (variant.memory == graph::MemoryUse::None) {
        return vkmm ? shaders::leaf_library_vkmm : shaders::leaf_library;
    }
    if (variant.begins) {
        return variant.kind == abi::kKindPacked    ? shaders::node_library_begins_packed
               : variant.kind == abi::kKindDynamic ? shaders::node_library_begins_dynamic
                                                   : shaders::node_library_begins;
    }
    const bool fits = variant.memory != graph::MemoryUse::Reserves;
    if (variant.kind == abi::kKindPacked) {
        return fits ? (vkmm ? shaders::node_library_fits_packed_vkmm : shaders::node_library_fits_packed)
                    : (vkmm ? shaders::node_library_packed_vkmm : shaders::node_library_packed);
    }
    if (!fits) {
        return vkmm ? shaders::node_library_vkmm : shaders::node_library;
    }
    if (variant.kind == abi::kKindDynamic) {
        return vkmm ? shaders::node_library_fits_dynamic_vkmm : shaders::node_library_fits_dynamic;
    }
    return vkmm ? shaders::node_library_fits_vkmm : shaders::node_library_fits;
}

// Branches on `values` are decided here, once, and what they leave dead is removed.
Result<spirv::Library> makeLibrary(std::span<const uint32_t> words, std::span<const SpecializationValue> values,
                                   bool longAtomics)
{
    auto module = spirv::read(words);
    if (!module) {
        return module.error();
    }
    if (const Status status = spirv::specialize(*module, values, spirv::Unnamed::StayOpen); !status) {
        return status.error();
    }
    do {
        module = spirv::simplify(*module);
        if (!module) {
            return module.error();
        }
    } while (spirv::foldConstantCalls(*module));
    if (!longAtomics) {
        module->removeCapability(spv::Capability::Int64Atomics);
    }
    spirv::removeUnusedSubgroupCapabilities(*module);
    return spirv::Library::create(std::move(*module));
}

Result<spirv::Library> makeLibrary(const DeviceLibraryVariant& variant)
{
    const SpecializationValue values[] = {
        {kKindSpecId, {static_cast<uint8_t>(variant.kind), 0, 0, 0}},
        {kIndirectSpecId, {static_cast<uint8_t>(variant.indirect), 0, 0, 0}},
        {kEmitsSpecId, {static_cast<uint8_t>(variant.emits), 0, 0, 0}},
        {kBatchedSpecId, {static_cast<uint8_t>(variant.batched), 0, 0, 0}},
        {kCountedSpecId, {static_cast<uint8_t>(variant.counted), 0, 0, 0}},
        {kSendsGridsSpecId, {static_cast<uint8_t>(variant.sendsGrids), 0, 0, 0}},
        {kSendsTrackedSpecId, {static_cast<uint8_t>(variant.sendsTracked), 0, 0, 0}},
        {kPlainQueuesSpecId, {static_cast<uint8_t>(variant.plainQueues), 0, 0, 0}},
        {kLooseSpecId, {static_cast<uint8_t>(variant.loose), 0, 0, 0}},
        {kTriesSpecId, {variant.memory == graph::MemoryUse::Tries, 0, 0, 0}},
        {kKeepsSpecId, {static_cast<uint8_t>(variant.keeps), 0, 0, 0}},
        {kSendsOnceSpecId, {static_cast<uint8_t>(variant.once), 0, 0, 0}},
        {kStepsInsideSpecId, {static_cast<uint8_t>(variant.stepsInside), 0, 0, 0}},
        {abi::kLongAtomicsSpecId, {static_cast<uint8_t>(variant.longAtomics), 0, 0, 0}},
        {abi::kSubgroupOperationsSpecId, {static_cast<uint8_t>(variant.subgroupOperations), 0, 0, 0}},
    };
    return makeLibrary(chooseBuild(variant), values, variant.longAtomics);
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
