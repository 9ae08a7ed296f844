// SPDX-License-Identifier: Apache-2.0
#include "layer/objects/pipeline_layouts.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <vector>
#include <vulkan/utility/vk_safe_struct.hpp>

#include "abi/commands.h"
#include "abi/dispatch.h"
#include "abi/mesh_nodes.h"
#include "layer/chains/chain.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/objects/driver_stages.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

template <typename Value>
void append(std::string& text, const Value& value)
{
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool isDynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

bool hasImmutableSamplers(const VkDescriptorSetLayoutBinding& binding)
{
    return binding.pImmutableSamplers && (binding.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                                          binding.descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER);
}

// A binding whose types an application may choose among has them in any order.
void appendTypes(std::string& text, const VkMutableDescriptorTypeListEXT& list)
{
    std::vector<VkDescriptorType> types(list.pDescriptorTypes, list.pDescriptorTypes + list.descriptorTypeCount);
    std::sort(types.begin(), types.end());
    for (VkDescriptorType type : types)
        append(text, type);
}

// Vulkan compares bindings by their numbers, in whatever order they are listed.
std::string definitionOf(const VkDescriptorSetLayoutCreateInfo& info)
{
    const auto* flags = findInChain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    const auto* mutableTypes = findInChain<VkMutableDescriptorTypeCreateInfoEXT>(
        info.pNext, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
    std::map<uint32_t, std::string> bindings;
    for (uint32_t i = 0; i < info.bindingCount; ++i) {
        const VkDescriptorSetLayoutBinding& binding = info.pBindings[i];
        std::string& text = bindings[binding.binding];
        append(text, binding.binding);
        append(text, binding.descriptorType);
        append(text, binding.descriptorCount);
        append(text, binding.stageFlags);
        append(text, flags && i < flags->bindingCount ? flags->pBindingFlags[i] : VkDescriptorBindingFlags{0});
        for (uint32_t k = 0; hasImmutableSamplers(binding) && k < binding.descriptorCount; ++k)
            append(text, binding.pImmutableSamplers[k]);
        if (mutableTypes && i < mutableTypes->mutableDescriptorTypeListCount)
            appendTypes(text, mutableTypes->pMutableDescriptorTypeLists[i]);
    }
    std::string all;
    append(all, info.flags);
    for (const auto& [number, text] : bindings) {
        append(all, text.size());
        all += text;
    }
    return all;
}

std::shared_ptr<DescriptorSetLayout> describe(const Device& device, const VkDescriptorSetLayoutCreateInfo& info)
{
    auto layout = std::make_shared<DescriptorSetLayout>();
    layout->definition = definitionOf(info);
    if (device.usesCommands() || (device.usesMesh() && device.support.shaderObjects)) {
        layout->info = std::make_shared<const vku::safe_VkDescriptorSetLayoutCreateInfo>(&info);
        layout->notKept = missingStructures(info.pNext, layout->info->pNext);
    }
    for (uint32_t i = 0; i < info.bindingCount; ++i)
        if (isDynamic(info.pBindings[i].descriptorType))
            layout->dynamicDescriptors += info.pBindings[i].descriptorCount;
    return layout;
}

// With stages that the driver knows.
class DriverSetLayout {
public:
    DriverSetLayout(const Device& device, const VkDescriptorSetLayoutCreateInfo& info)
        : m_info(info), m_bindings(info.pBindings, info.pBindings + info.bindingCount)
    {
        for (VkDescriptorSetLayoutBinding& binding : m_bindings)
            binding.stageFlags = driverBindingStages(device, binding.stageFlags);
        m_info.pBindings = m_bindings.data();
    }
    DriverSetLayout(const DriverSetLayout&) = delete;
    DriverSetLayout& operator=(const DriverSetLayout&) = delete;

    const VkDescriptorSetLayoutCreateInfo* get() const { return &m_info; }

private:
    VkDescriptorSetLayoutCreateInfo m_info;
    std::vector<VkDescriptorSetLayoutBinding> m_bindings;
};

template <auto Member>
VKAPI_ATTR void VKAPI_CALL getSetLayoutSupport(VkDevice handle, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                               VkDescriptorSetLayoutSupport* pSupport)
{
    const Device& device = Device::of(handle);
    (device.table.*Member)(handle, DriverSetLayout(device, *pCreateInfo).get(), pSupport);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice handle,
                                                         const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                                         const VkAllocationCallbacks* pAllocator,
                                                         VkDescriptorSetLayout* pSetLayout)
{
    Device& device = Device::of(handle);
    const DriverSetLayout own(device, *pCreateInfo);
    const VkResult result = device.table.CreateDescriptorSetLayout(handle, own.get(), pAllocator, pSetLayout);
    if (result != VK_SUCCESS)
        return result;
    rememberOrUndo([&] { device.table.DestroyDescriptorSetLayout(handle, *pSetLayout, pAllocator); },
                   [&] { device.setLayouts.insert(handleId(*pSetLayout), describe(device, *own.get())); });
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyDescriptorSetLayout(VkDevice handle, VkDescriptorSetLayout setLayout,
                                                      const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    device.setLayouts.remove(handleId(setLayout));
    device.table.DestroyDescriptorSetLayout(handle, setLayout, pAllocator);
}

// Places our arguments behind the application's push constants.
void placeArguments(const VkPipelineLayoutCreateInfo& info, GraphLayout& layout)
{
    std::vector<VkPushConstantRange> ranges(info.pPushConstantRanges,
                                            info.pPushConstantRanges + info.pushConstantRangeCount);
    std::sort(ranges.begin(), ranges.end(), [](const VkPushConstantRange& a, const VkPushConstantRange& b) {
        return std::tie(a.offset, a.size, a.stageFlags) < std::tie(b.offset, b.size, b.stageFlags);
    });
    for (const VkPushConstantRange& range : ranges) {
        append(layout.definition, range);
        if (range.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)
            layout.pushConstantBytes = std::max(layout.pushConstantBytes, range.offset + range.size);
    }
    const uint32_t offset = (layout.pushConstantBytes + 7) & ~7u;
    layout.pushConstantsInMemory = offset + sizeof(abi::NodeArguments) > layout.device.support.maxPushConstantBytes;
    layout.argumentsOffsetBytes = layout.pushConstantsInMemory ? 0 : offset;
}

// Made now, since the set layouts may be gone when a pipeline is created.
std::shared_ptr<GraphLayout> createGraphLayout(Device& device, const VkPipelineLayoutCreateInfo& info)
{
    auto layout = std::make_shared<GraphLayout>(device);
    append(layout->definition, info.flags);
    for (uint32_t i = 0; i < info.setLayoutCount; ++i) {
        layout->sets.push_back(device.setLayouts.share(handleId(info.pSetLayouts[i])));
        const std::string definition = layout->sets.back() ? layout->sets.back()->definition : std::string();
        append(layout->definition, definition.size());
        layout->definition += definition;
    }
    placeArguments(info, *layout);
    VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 0};
    range.size = layout->argumentsOffsetBytes + static_cast<uint32_t>(sizeof(abi::NodeArguments));
    VkPipelineLayoutCreateInfo ours = info;
    ours.pushConstantRangeCount = 1;
    ours.pPushConstantRanges = &range;
    if (device.table.CreatePipelineLayout(device.handle, &ours, runtime::hostMemory(), &layout->handle) != VK_SUCCESS)
        return nullptr;
    device.names.set(VK_OBJECT_TYPE_PIPELINE_LAYOUT, layout->handle, {"layout of nodes"});
    return layout;
}

std::shared_ptr<MeshNodeLayout> createMeshNodeLayout(Device& device, const VkPipelineLayoutCreateInfo& info)
{
    auto layout = std::make_shared<MeshNodeLayout>(device);
    for (uint32_t i = 0; i < info.setLayoutCount; ++i)
        layout->sets.push_back(device.setLayouts.share(handleId(info.pSetLayouts[i])));
    for (const VkPushConstantRange& range : std::span(info.pPushConstantRanges, info.pushConstantRangeCount))
        if (range.stageFlags & kMeshNodeStages)
            layout->pushConstantBytes = std::max(layout->pushConstantBytes, range.offset + range.size);
    layout->argumentsOffsetBytes = (layout->pushConstantBytes + 7) & ~7u;
    if (device.usesMesh())
        return layout;
    VkPushConstantRange range{kMeshNodeStages, 0, 0};
    range.size = layout->argumentsOffsetBytes + static_cast<uint32_t>(sizeof(abi::MeshNodeArguments));
    if (range.size > device.support.maxPushConstantBytes)
        return nullptr;
    VkPipelineLayoutCreateInfo ours = info;
    ours.pushConstantRangeCount = 1;
    ours.pPushConstantRanges = &range;
    if (device.table.CreatePipelineLayout(device.handle, &ours, runtime::hostMemory(), &layout->handle) != VK_SUCCESS)
        return nullptr;
    device.names.set(VK_OBJECT_TYPE_PIPELINE_LAYOUT, layout->handle, {"layout of mesh nodes"});
    return layout;
}

// Without those that no stage of the driver's reads.
std::vector<VkPushConstantRange> driverRanges(const Device& device, const VkPipelineLayoutCreateInfo& info)
{
    std::vector<VkPushConstantRange> ranges(info.pPushConstantRanges,
                                            info.pPushConstantRanges + info.pushConstantRangeCount);
    for (VkPushConstantRange& range : ranges)
        range.stageFlags = driverPushStages(device, range.stageFlags);
    std::erase_if(ranges, [](const VkPushConstantRange& range) { return range.stageFlags == 0; });
    return ranges;
}

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice handle, const VkPipelineLayoutCreateInfo* pCreateInfo,
                                                    const VkAllocationCallbacks* pAllocator,
                                                    VkPipelineLayout* pPipelineLayout)
{
    Device& device = Device::of(handle);
    const std::vector<VkPushConstantRange> ranges = driverRanges(device, *pCreateInfo);
    VkPipelineLayoutCreateInfo own = *pCreateInfo;
    own.pushConstantRangeCount = static_cast<uint32_t>(ranges.size());
    own.pPushConstantRanges = ranges.data();
    const VkResult result = device.table.CreatePipelineLayout(handle, &own, pAllocator, pPipelineLayout);
    if (result != VK_SUCCESS)
        return result;
    rememberOrUndo([&] { device.table.DestroyPipelineLayout(handle, *pPipelineLayout, pAllocator); },
                   [&] {
                       auto layout = std::make_shared<PipelineLayout>(device);
                       layout->mayStay = !pAllocator;
                       if (device.usesGraphs())
                           layout->graph = createGraphLayout(device, *pCreateInfo);
                       if (device.usesMeshNodes())
                           layout->meshNodes = createMeshNodeLayout(device, *pCreateInfo);
                       if (device.usesCommands() || device.usesMesh())
                           layout->sequences = createSequenceLayout(device, *pCreateInfo);
                       device.pipelineLayouts.insert(handleId(*pPipelineLayout), std::move(layout));
                   });
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL DestroyPipelineLayout(VkDevice handle, VkPipelineLayout pipelineLayout,
                                                 const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    const std::shared_ptr<PipelineLayout> layout = device.pipelineLayouts.remove(handleId(pipelineLayout));
    if (layout && layout->mayStay)
        layout->left = pipelineLayout;
    else
        device.table.DestroyPipelineLayout(handle, pipelineLayout, pAllocator);
}

}  // namespace

VkShaderStageFlags sequenceStages(const Device& device)
{
    if (device.usesMesh())
        return kSequenceStages;
    return kSequenceStages | (device.enabled.taskShader ? VkShaderStageFlags{VK_SHADER_STAGE_TASK_BIT_EXT} : 0) |
           (device.enabled.meshShader ? VkShaderStageFlags{VK_SHADER_STAGE_MESH_BIT_EXT} : 0);
}

std::shared_ptr<SequenceLayout> createSequenceLayout(Device& device, const VkPipelineLayoutCreateInfo& info)
{
    auto layout = std::make_shared<SequenceLayout>(device);
    for (uint32_t i = 0; i < info.setLayoutCount; ++i)
        layout->sets.push_back(device.setLayouts.share(handleId(info.pSetLayouts[i])));
    for (const VkPushConstantRange& range : std::span(info.pPushConstantRanges, info.pushConstantRangeCount))
        layout->pushConstantBytes = std::max(layout->pushConstantBytes, range.offset + range.size);
    const VkPushConstantRange range{sequenceStages(device), 0, sizeof(abi::SequenceArguments)};
    VkPipelineLayoutCreateInfo ours = info;
    ours.pushConstantRangeCount = 1;
    ours.pPushConstantRanges = &range;
    if (device.table.CreatePipelineLayout(device.handle, &ours, runtime::hostMemory(), &layout->handle) != VK_SUCCESS)
        return nullptr;
    device.names.set(VK_OBJECT_TYPE_PIPELINE_LAYOUT, layout->handle, {"layout of variants"});
    return layout;
}

std::shared_ptr<OwnSetLayout> copySetLayout(Device& device, VkDescriptorSetLayout setLayout)
{
    const std::shared_ptr<DescriptorSetLayout> known = device.setLayouts.share(handleId(setLayout));
    if (!known || !known->info)
        return nullptr;
    // Before the lock: whoever is told may ask as well.
    device.tellUnknown("vkCreateDescriptorSetLayout", known->notKept, kMadeLater);
    const std::lock_guard lock(known->mutex);
    if (!known->copy) {
        auto copy = std::make_shared<OwnSetLayout>(device);
        if (device.table.CreateDescriptorSetLayout(device.handle, known->info->ptr(), runtime::hostMemory(),
                                                   &copy->handle) != VK_SUCCESS)
            return nullptr;
        known->copy = std::move(copy);
    }
    return known->copy;
}

std::shared_ptr<SequenceLayout> sequenceLayoutOf(const Device& device, VkPipelineLayout layout)
{
    const PipelineLayout* known = device.pipelineLayouts.find(handleId(layout));
    return known ? known->sequences : nullptr;
}

bool isSameSetLayout(const DescriptorSetLayout* a, const DescriptorSetLayout* b)
{
    return a == b || (a && b && a->definition == b->definition);
}

OwnSetLayout::~OwnSetLayout()
{
    if (handle)
        device.table.DestroyDescriptorSetLayout(device.handle, handle, runtime::hostMemory());
}

PipelineLayout::~PipelineLayout()
{
    if (left)
        device.table.DestroyPipelineLayout(device.handle, left, nullptr);
}

SequenceLayout::~SequenceLayout()
{
    if (handle)
        device.table.DestroyPipelineLayout(device.handle, handle, runtime::hostMemory());
}

MeshNodeLayout::~MeshNodeLayout()
{
    if (handle)
        device.table.DestroyPipelineLayout(device.handle, handle, runtime::hostMemory());
}

GraphLayout::~GraphLayout()
{
    if (handle)
        device.table.DestroyPipelineLayout(device.handle, handle, runtime::hostMemory());
}

std::shared_ptr<GraphLayout> graphLayoutOf(const Device& device, VkPipelineLayout layout)
{
    if (!device.usesGraphs())
        return nullptr;
    const PipelineLayout* known = device.pipelineLayouts.find(handleId(layout));
    if (known && known->graph)
        return known->graph;
    device.messages().error("Millrace-pipeline-layout", objectReference(VK_OBJECT_TYPE_PIPELINE_LAYOUT, layout),
                            known ? "the driver refused the layout that nodes need beside this pipeline layout"
                                  : "a node needs a valid pipeline layout",
                            "Give a layout that vkCreatePipelineLayout of this device returned, with at most the "
                            "descriptors that compute shaders may have");
    return nullptr;
}

EntryPoints pipelineLayoutEntryPoints()
{
    using Table = VkuDeviceDispatchTable;
    static const EntryPoint entries[] = {
        {"vkGetDescriptorSetLayoutSupport", guarded<&getSetLayoutSupport<&Table::GetDescriptorSetLayoutSupport>>(),
         kUseMesh},
        {"vkGetDescriptorSetLayoutSupportKHR",
         guarded<&getSetLayoutSupport<&Table::GetDescriptorSetLayoutSupportKHR>>(), kUseMesh},
        MILLRACE_ENTRY(CreateDescriptorSetLayout, kUseState),
        MILLRACE_ENTRY(DestroyDescriptorSetLayout, kUseState),
        MILLRACE_ENTRY(CreatePipelineLayout, kUseState),
        MILLRACE_ENTRY(DestroyPipelineLayout, kUseState),
    };
    return entries;
}

}  // namespace millrace::layer
