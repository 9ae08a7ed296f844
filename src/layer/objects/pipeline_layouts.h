// SPDX-License-Identifier: Apache-2.0
// Pipeline layouts of the application, and the layout of ours that belongs to each.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "layer/chains/unknown_structures.h"

namespace vku {
struct safe_VkDescriptorSetLayoutCreateInfo;
}

namespace millrace::layer {

struct Device;

// One of ours that is defined like one of the application's, which may be gone.
struct OwnSetLayout {
    explicit OwnSetLayout(Device& owner) : device(owner) {}
    ~OwnSetLayout();
    OwnSetLayout(const OwnSetLayout&) = delete;
    OwnSetLayout& operator=(const OwnSetLayout&) = delete;

    Device& device;
    VkDescriptorSetLayout handle = VK_NULL_HANDLE;  // null if the driver refused it
};

struct DescriptorSetLayout {
    uint32_t dynamicDescriptors = 0;
    std::string definition;  // equal for layouts that Vulkan calls identically defined
    // What it was created with, where shader objects may have variants (copySetLayout()).
    std::shared_ptr<const vku::safe_VkDescriptorSetLayoutCreateInfo> info;
    StructureTypes notKept;              // that `info` does not have
    std::mutex mutex;                    // of `copy`
    std::shared_ptr<OwnSetLayout> copy;  // null until somebody asks for it
};

// The layout that node pipelines are created with: the same sets, and one range of push constants for the compute stage
// that holds the application's constants and abi::NodeArguments behind them. Shared by the application's layout and the
// pipelines made with it, which may outlive it.
struct GraphLayout {
    explicit GraphLayout(Device& owner) : device(owner) {}
    ~GraphLayout();

    Device& device;
    VkPipelineLayout handle = VK_NULL_HANDLE;
    std::vector<std::shared_ptr<DescriptorSetLayout>> sets;  // null where the application left the set layout out
    uint32_t pushConstantBytes = 0;  // of the application, from offset 0, visible to the compute stage
    uint32_t argumentsOffsetBytes = 0;
    bool pushConstantsInMemory = false;  // they do not fit beside ours
    std::string definition;              // equal for compatible layouts
};

// The layout that variants of pipelines for generated commands are created with, and pipelines that draw what mesh
// shaders have written: the same sets, and abi::SequenceArguments as the only push constants, for
// sequenceStages(). Shared like a GraphLayout.
struct SequenceLayout {
    explicit SequenceLayout(Device& owner) : device(owner) {}
    ~SequenceLayout();

    Device& device;
    VkPipelineLayout handle = VK_NULL_HANDLE;
    std::vector<std::shared_ptr<DescriptorSetLayout>> sets;  // null where the application left the set layout out
    uint32_t pushConstantBytes = 0;                          // of the application, from offset 0, of all stages
};
inline constexpr VkShaderStageFlags kSequenceStages = VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT;
// And those of mesh shaders, where the driver's own are enabled.
VkShaderStageFlags sequenceStages(const Device& device);

// The layout of the pipelines that draw mesh nodes: the same sets, and one range of push constants that holds the
// application's constants of these stages and abi::MeshNodeArguments behind them. Shared like a GraphLayout. Where the
// layer runs mesh shaders it says where those are in memory.
struct MeshNodeLayout {
    explicit MeshNodeLayout(Device& owner) : device(owner) {}
    ~MeshNodeLayout();

    Device& device;
    VkPipelineLayout handle = VK_NULL_HANDLE;                // null where the layer runs mesh shaders
    std::vector<std::shared_ptr<DescriptorSetLayout>> sets;  // null where the application left the set layout out
    uint32_t pushConstantBytes = 0;                          // of the application, from offset 0
    uint32_t argumentsOffsetBytes = 0;
};
inline constexpr VkShaderStageFlags kMeshNodeStages = VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_FRAGMENT_BIT;

struct PipelineLayout {
    explicit PipelineLayout(Device& owner) : device(owner) {}
    ~PipelineLayout();
    PipelineLayout(const PipelineLayout&) = delete;
    PipelineLayout& operator=(const PipelineLayout&) = delete;

    Device& device;
    std::shared_ptr<GraphLayout> graph;         // null if the driver refused it, or there are no graphs on the device
    std::shared_ptr<MeshNodeLayout> meshNodes;  // likewise mesh nodes; null if push constants leave no room
    std::shared_ptr<SequenceLayout> sequences;  // likewise generated commands and mesh shaders
    // True if the driver's stays when the application destroys it, until nobody shares this any more: commands are
    // recorded again with it. Else it was created with callbacks of the application's, which may be gone then.
    bool mayStay = false;
    VkPipelineLayout left = VK_NULL_HANDLE;  // the driver's, once the application has destroyed it
};

// Null if the driver refuses it.
std::shared_ptr<SequenceLayout> createSequenceLayout(Device& device, const VkPipelineLayoutCreateInfo& info);
// Null for a set layout that the device does not know. While the application's lives: samplers in it do, too.
std::shared_ptr<OwnSetLayout> copySetLayout(Device& device, VkDescriptorSetLayout setLayout);
// Null if the device has none for the layout.
std::shared_ptr<SequenceLayout> sequenceLayoutOf(const Device& device, VkPipelineLayout layout);

// Null after a message if there is none. Null without one where the device has no graphs.
std::shared_ptr<GraphLayout> graphLayoutOf(const Device& device, VkPipelineLayout layout);

// Equal as far as Vulkan asks for it where a set is bound for one and used with the other.
bool isSameSetLayout(const DescriptorSetLayout* a, const DescriptorSetLayout* b);

}  // namespace millrace::layer
