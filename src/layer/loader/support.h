// SPDX-License-Identifier: Apache-2.0
// What a physical device really implements, and so what the layer has to provide.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>

namespace millrace::layer {

struct Instance;

// A limit of ours that is not part of the graph library.
inline constexpr uint32_t kDispatchAddressAlignment = 4;

// Of a draw with the layer's mesh shaders, beside abi::kMaxMeshGroups.
inline constexpr uint32_t kMaxMeshGroupsPerDimension = 65535;

struct MeshLimits {
    uint32_t groupInvocations = 0;
    uint32_t groupSize[3] = {};
    uint32_t sharedBytes = 0;
    uint32_t outputComponents = 0;  // that fragment shaders read
    uint32_t layers = 0;
    uint32_t views = 1;         // one more than the index of the last one; 1: there is no multiview
    bool vertexLayers = false;  // vertex shaders can write Layer
    bool vertexViewports = false;
    uint32_t mostIndex = 0;            // of an index buffer
    bool allIndices = false;           // that is all of 32 bits (fullDrawIndexUint32)
    bool vertexStores = false;         // vertex shaders can write to memory (vertexPipelineStoresAndAtomics)
    bool viewPointSizes = true;        // vertex shaders may read ViewIndex and write PointSize
    bool queries = false;              // timestamps say when a query has ended
    bool fragmentPrimitiveId = false;  // fragment shaders can read PrimitiveId behind vertex shaders (geometryShader)
};

// What a call for generated commands may have at most, and has to have (Vulkan, "Required Limits",
// maxIndirectSequenceCount).
inline constexpr uint32_t kMaxSequences = 1u << 20;

struct Support {
    bool native = false;           // the driver implements VK_AMDX_shader_enqueue
    bool emulated = false;         // the layer provides it
    std::string lacks;             // why neither does, to follow "graphs need"; empty if one does
    bool maintenance5 = false;     // the driver has VK_KHR_maintenance5
    bool pipelineLibrary = false;  // the driver has VK_KHR_pipeline_library
    // VK_EXT_device_generated_commands: the driver has it and is not to be overruled, or the layer provides it.
    bool nativeGeneratedCommands = false;
    bool generatedCommands = false;
    // Both: the driver's cannot draw the layer's mesh shaders, so devices that use those have the layer's.
    bool commandsForMeshes = false;
    bool generatedMeshDraws = false;  // draws with task and mesh shaders, of the driver's or of the layer's
    bool numbersDraws = false;        // one command draws several, and their shaders know which one
    bool countsDraws = false;         // commands take from memory how many they draw, up to kMaxSequences,
    bool startsInstances = false;     // and with which instance they begin
    bool tessellation = false;        // the driver has tessellation and
    bool geometry = false;            // geometry shaders
    // VK_NV_device_generated_commands, likewise; the layer provides it where it does the other.
    bool nativeStreams = false;
    bool streams = false;
    bool nativeComputeStreams = false;  // the driver has VK_NV_device_generated_commands_compute
    bool shaderObjects = false;         // the driver has VK_EXT_shader_object
    // VK_EXT_mesh_shader, likewise, and the limits of compute shaders, which its shaders run as.
    bool nativeMeshShader = false;
    bool meshShader = false;
    MeshLimits meshLimits;
    bool meshShadingRates = false;            // with it, where vertex shaders choose shading rates
    bool countsMeshes = false;                // setting "trace": task and mesh shaders of either count what they do
    bool meshNodes = false;                   // shaderMeshEnqueue: the layer provides it
    uint32_t maxMeshNodeGroups = 0;           // workgroups of one of its draws
    bool viewportLayerExtension = false;      // the driver has VK_EXT_shader_viewport_index_layer
    bool drawIndirectCountExtension = false;  // the driver has VK_KHR_draw_indirect_count
    uint32_t maxDrawIndirectCount = 1;
    uint32_t interfaceLocations = 16;  // that all stages between vertices and fragments have
    uint32_t maxPushConstantBytes = 128;
    uint32_t minSubgroupSize = 1;
    // Lowered nodes reach payloads through storage buffer addresses, and use device scope where their memory model has
    // scopes; so these are switched on where the driver has them.
    bool int64 = false;
    bool int64Atomics = false;
    uint32_t subgroupOperations = 0;  // abi::kSubgroup*
    bool scalarBlockLayout = false;
    bool storage8 = false;
    bool storage16 = false;
    bool deviceScope = false;
    bool hostQueryReset = false;     // for traces
    bool portabilitySubset = false;  // the driver has VK_KHR_portability_subset: it may lack what Vulkan guarantees,
    bool events = true;              // such as these
    bool scans = false;              // subgroup scans can do what reductions do,
    bool reducesWrongly = false;     // and have to
    // No buffer of lowered nodes may be declared as read only.
    bool loadsReadOnlyWrongly = false;
    // The driver takes longer to compile lowered nodes that call functions.
    bool callsAreSlow = false;
    // Indirect draws read as many bytes behind each command as the stride says, also behind the last one.
    bool readsWholeStrides = false;
    // Workgroups that share one of ours may choose different descriptors.
    bool nonUniformIndexing = false;
};

// Asks the driver. `knownPhantom`: it claims the feature of VK_AMDX_shader_enqueue and has no commands.
Support querySupport(Instance& instance, VkPhysicalDevice physical, bool knownPhantom);

}  // namespace millrace::layer
