// SPDX-License-Identifier: Apache-2.0
// The commands that the layer intercepts: every source file has a table of its own.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>
#include <vector>

#include "layer/base/guard.h"

namespace millrace::layer {

// Devices on which a command is intercepted. A device that does not use the layer's extensions gets the pointers of the
// next layer, so the layer costs it nothing.
enum Use : uint32_t {
    kUseAlways = 1,         // every device
    kUseExtension = 2,      // VK_AMDX_shader_enqueue is enabled and emulated
    kUseGraphs = 4,         // and so is the feature shaderEnqueue
    kUseMaintenance5 = 8,   // VK_KHR_maintenance5 is enabled and emulated
    kUseCommands = 16,      // VK_EXT_device_generated_commands is enabled with its feature, and emulated; or NV's
    kUseMesh = 32,          // VK_EXT_mesh_shader is enabled with its feature, and emulated
    kUseTokenStreams = 64,  // VK_NV_device_generated_commands is enabled with its feature, and emulated
    kUseMeshNodes = 128,    // kUseGraphs, and so is the feature shaderMeshEnqueue
    kUseTokenChecks = 256,  // kUseCommands, and streams are checked (setting "validate")
    kUseMeshCounts = 512,   // VK_EXT_mesh_shader is enabled with its feature, and its shaders count (setting "trace")
    kUseTally = 1024,       // kUseCommands, and sequences are counted (setting "trace")
};
// A command buffer may become several of the driver's,
inline constexpr uint32_t kUseStreams = kUseGraphs | kUseMesh | kUseCommands | kUseMeshCounts;
// and what the application sets in it is kept.
inline constexpr uint32_t kUseState = kUseStreams;
// Between some of those a submission waits for what is in front.
inline constexpr uint32_t kUseSplits = kUseGraphs | kUseMesh;
// What is submitted and what the application waits for is watched (submission/status_watch.h).
inline constexpr uint32_t kUseWatch = kUseSplits | kUseTokenChecks | kUseMeshCounts | kUseTally;

struct EntryPoint {
    const char* name;
    EntryFunction function;
    uint32_t uses;               // any of these
    bool provided = false;       // exists even where the driver has no such command
    uint32_t providedFor = ~0u;  // of `uses`
};

// A row for the static function that has the command's name without "vk".
#define MILLRACE_ENTRY(name, ...)                                    \
    {                                                                \
        "vk" #name, ::millrace::layer::guarded<&name>(), __VA_ARGS__ \
    }

using EntryPoints = std::span<const EntryPoint>;

EntryPoints instanceEntryPoints();
EntryPoints extensionEntryPoints();
EntryPoints featureEntryPoints();
EntryPoints externalBufferEntryPoints();
EntryPoints toolPropertyEntryPoints();
EntryPoints deviceInstanceEntryPoints();  // vkCreateDevice

EntryPoints deviceEntryPoints();
EntryPoints bufferEntryPoints();
EntryPoints shaderModuleEntryPoints();
EntryPoints pipelineLayoutEntryPoints();
EntryPoints renderPassEntryPoints();
EntryPoints queryPoolEntryPoints();
EntryPoints updateTemplateEntryPoints();
EntryPoints pipelineCacheEntryPoints();
EntryPoints ordinaryPipelineEntryPoints();
EntryPoints graphPipelineEntryPoints();
EntryPoints pipelineQueryEntryPoints();
EntryPoints debugUtilsEntryPoints();
EntryPoints debugMarkerEntryPoints();
EntryPoints privateDataEntryPoints();
EntryPoints commandPoolEntryPoints();
EntryPoints commandBufferEntryPoints();
EntryPoints bindingEntryPoints();
EntryPoints pushDescriptorEntryPoints();
EntryPoints descriptorBufferEntryPoints();
EntryPoints dynamicStateEntryPoints();
EntryPoints vertexStateEntryPoints();
EntryPoints renderingEntryPoints();
EntryPoints scopeEntryPoints();
EntryPoints queryEntryPoints();
EntryPoints barrierEntryPoints();
EntryPoints redirectEntryPoints();
EntryPoints graphCommandEntryPoints();
EntryPoints queueEntryPoints();
EntryPoints waitEntryPoints();

// Null if the layer does not intercept the command.
const EntryPoint* findInstanceEntryPoint(const char* name);
const EntryPoint* findDeviceEntryPoint(const char* name);

// Names that a table has twice, of which only the first row would be called: there must be none.
std::vector<const char*> repeatedEntryPoints();

}  // namespace millrace::layer
