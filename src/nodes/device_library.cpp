// SPDX-License-Identifier: Apache-2.0
#include "nodes/device_library.h"

#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "nodes/device_functions.h"
#include "shader/memory_model.h"
#include "shaders/node_library.h"
#include "spirv/edit.h"

namespace millrace::nodes {

namespace {

std::span<const uint32_t> chooseWords(const DeviceLibraryBuild& build)
{
    if (build.memory == graph::MemoryUse::None)
        return shaders::leaf_library;
    if (build.memory == graph::MemoryUse::Fed)
        return shaders::leaf_library_fed;
    const bool fits = build.memory != graph::MemoryUse::Reserves;
    if (build.kind == abi::kKindPacked && fits)
        return shaders::node_library_fits_packed;
    if (build.kind == abi::kKindPacked)
        return build.depthFirst ? shaders::depth_first_library : shaders::node_library_packed;
    if (!fits)
        return shaders::node_library;
    return build.kind == abi::kKindDynamic ? shaders::node_library_fits_dynamic : shaders::node_library_fits;
}

Result<spirv::Library> makeLibrary(const DeviceLibraryBuild& build)
{
    auto module = spirv::read(chooseWords(build));
    if (!module)
        return module.error();
    // glslang exports all functions of a library.
    spirv::keepExports(*module, [](std::string_view name) { return findDeviceFunction(name).has_value(); });
    if (build.vulkanMemoryModel)
        shader::useVulkanMemoryModel(*module);
    return spirv::Library::create(std::move(*module));
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

Entry& entryOf(const DeviceLibraryBuild& build)
{
    static std::mutex mutex;
    static auto& entries = *new std::map<DeviceLibraryBuild, Entry>;  // never destroyed: threads may outlive main()
    std::lock_guard lock(mutex);
    return entries[build];
}

}  // namespace

const Result<spirv::Library>& getDeviceLibrary(const DeviceLibraryBuild& build)
{
    return entryOf(build).get([&] { return makeLibrary(build); });
}

}  // namespace millrace::nodes
