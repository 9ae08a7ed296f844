// SPDX-License-Identifier: Apache-2.0
#include "layer/node_pipelines.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "compiler/reflect_types.h"
#include "layer/chain.h"
#include "layer/pipeline_caches.h"
#include "spirv/edit.h"

namespace millrace::layer {

namespace {

// Flags of a graph that mean the same for the compute pipelines of its nodes.
constexpr VkPipelineCreateFlags kNodeFlags =
    VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT | VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
    VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR |
    VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;

uint64_t nanosecondsSince(std::chrono::steady_clock::time_point start)
{
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count());
}

std::vector<spirv::SpecializationValue> readSpecialization(const VkSpecializationInfo* info)
{
    std::vector<spirv::SpecializationValue> values;
    const auto* data = info ? static_cast<const uint8_t*>(info->pData) : nullptr;
    for (uint32_t i = 0; info && i < info->mapEntryCount; ++i) {
        const VkSpecializationMapEntry& entry = info->pMapEntries[i];
        values.push_back({entry.constantID, {data + entry.offset, data + entry.offset + entry.size}});
    }
    return values;
}

ContentHash::Value keyOf(const NodeRequest& request)
{
    const compiler::Options& options = request.options;
    ContentHash hash;
    hash.add(*request.words);
    hash.add(options.entryPoint);
    hash.addWord(options.nodeName.has_value());
    hash.add(options.nodeName.value_or(""));
    hash.addWord(options.shaderIndex.has_value());
    hash.addWord(options.shaderIndex.value_or(0));
    for (const spirv::SpecializationValue& value : options.specialization) {
        hash.addWord(value.specId);
        hash.add(std::string_view(reinterpret_cast<const char*>(value.data.data()), value.data.size()));
    }
    hash.addWord(options.argumentsOffsetBytes);
    hash.addWord(options.pushConstantsInMemory);
    hash.addWord(options.batched);
    return hash.value();
}

// Equal for requests that give the same code: a node learns its index when it runs, and its name never.
ContentHash::Value codeKeyOf(const NodeRequest& request)
{
    NodeRequest nameless = request;
    nameless.options.nodeName.reset();
    if (nameless.options.shaderIndex)
        nameless.options.shaderIndex = 0;
    const VkPipelineRobustnessCreateInfo robustness = request.robustness.value_or(VkPipelineRobustnessCreateInfo{});
    ContentHash hash;
    for (uint64_t part : keyOf(nameless)) {
        hash.addWord(static_cast<uint32_t>(part));
        hash.addWord(static_cast<uint32_t>(part >> 32));
    }
    hash.addWord(request.stageFlags);
    hash.addWord(request.requiredSubgroupSize);
    hash.addWord(request.robustness.has_value());
    hash.addWord(robustness.storageBuffers);
    hash.addWord(robustness.uniformBuffers);
    hash.addWord(robustness.vertexInputs);
    hash.addWord(robustness.images);
    return hash.value();
}

// For each request the first one that gives the same code.
std::vector<size_t> findOwners(std::span<const NodeRequest> requests)
{
    std::map<ContentHash::Value, size_t> known;
    std::vector<size_t> owners;
    for (size_t i = 0; i < requests.size(); ++i) {
        const size_t owner = known.emplace(codeKeyOf(requests[i]), i).first->second;
        owners.push_back(*requests[owner].words == *requests[i].words ? owner : i);
    }
    return owners;
}

// What the owner of the same code became, under the request's own name and index.
NodeResult share(const NodeResult& owner, const NodeRequest& request)
{
    NodeResult out = owner;
    out.feedback.duration = 0;
    if (!owner.node)
        return out;
    const compiler::Options& options = request.options;
    out.node = std::make_shared<NodePipeline>(owner.node->device);
    out.node->node = owner.node->node;
    out.node->node.id.name = options.nodeName.value_or(options.entryPoint);
    out.node->node.id.index = options.shaderIndex.value_or(owner.node->node.id.index);
    out.node->pipeline = owner.node->pipeline;
    out.node->payloadType = owner.node->payloadType;
    out.node->owner = owner.node;
    return out;
}

// Null if the module does not say; what it says wrong, compiling it has reported.
data::DataTypeRef payloadTypeOf(const NodeRequest& request, const graph::Node& node)
{
    using data::DataType;
    if (!node.declaresPayload && node.mode == graph::LaunchMode::Dynamic)
        return data::structureType({{"grid", 0, data::vectorType(data::scalarType(DataType::Kind::Unsigned, 32), 3)}});
    Result<spirv::Module> module = spirv::read(*request.words);
    // Lengths of arrays may be specialization constants.
    if (!module || !spirv::specialize(*module, request.options.specialization))
        return nullptr;
    return compiler::reflectPayload(*module, request.options.entryPoint);
}

class NodeBuilder {
public:
    NodeBuilder(Device& device, VkPipelineCache cache, VkPipelineCreateFlags2 flags, const GraphLayout& layout)
        : m_device(device),
          m_cache(cache),
          m_known(cache ? device.pipelineCaches.find(handleId(cache)) : nullptr),
          m_flags(static_cast<VkPipelineCreateFlags>(flags) & kNodeFlags),
          m_layout(layout)
    {
    }

    NodeResult build(const NodeRequest& request) const;

private:
    std::shared_ptr<const compiler::CompiledNode> lower(const NodeRequest& request, NodeResult& out) const;
    VkResult createPipeline(const NodeRequest& request, const compiler::CompiledNode& node, NodeResult& out) const;
    VkResult callDriver(const VkComputePipelineCreateInfo& info, VkPipeline* pipeline) const;

    Device& m_device;
    VkPipelineCache m_cache;
    PipelineCache* m_known;
    VkPipelineCreateFlags m_flags;
    const GraphLayout& m_layout;
};

NodeResult NodeBuilder::build(const NodeRequest& request) const
{
    const auto start = std::chrono::steady_clock::now();
    NodeResult out;
    out.feedback.flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
    if (std::shared_ptr<const compiler::CompiledNode> node = lower(request, out))
        out.result = createPipeline(request, *node, out);
    out.feedback.duration = nanosecondsSince(start);
    return out;
}

std::shared_ptr<const compiler::CompiledNode> NodeBuilder::lower(const NodeRequest& request, NodeResult& out) const
{
    const ContentHash::Value key = m_known ? keyOf(request) : ContentHash::Value{};
    if (m_known)
        if (auto known = m_known->find(key))
            return known;
    if (m_flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) {
        out.result = VK_PIPELINE_COMPILE_REQUIRED;
        return nullptr;
    }
    Result<compiler::CompiledNode> compiled = compiler::compile(*request.words, request.options);
    if (!compiled) {
        out.result = VK_ERROR_UNKNOWN;
        out.message = compiled.error().text();
        return nullptr;
    }
    auto node = std::make_shared<const compiler::CompiledNode>(std::move(*compiled));
    if (m_known)
        m_known->insert(key, node);
    return node;
}

VkResult NodeBuilder::createPipeline(const NodeRequest& request, const compiler::CompiledNode& node,
                                     NodeResult& out) const
{
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = node.words.size() * sizeof(uint32_t);
    moduleInfo.pCode = node.words.data();
    VkShaderModule module = VK_NULL_HANDLE;
    VkResult result = m_device.table.CreateShaderModule(m_device.handle, &moduleInfo, nullptr, &module);
    if (result != VK_SUCCESS)
        return result;

    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroupSize{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    subgroupSize.requiredSubgroupSize = request.requiredSubgroupSize;
    VkPipelineRobustnessCreateInfo robustness = request.robustness.value_or(VkPipelineRobustnessCreateInfo{});
    VkPipelineCreationFeedback feedback{};
    VkPipelineCreationFeedbackCreateInfo feedbackInfo{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
    feedbackInfo.pPipelineCreationFeedback = &feedback;

    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &feedbackInfo};
    info.flags = m_flags;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.flags = request.stageFlags;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    if (request.robustness)
        info.stage.pNext = &robustness;
    if (request.requiredSubgroupSize) {
        subgroupSize.pNext = const_cast<void*>(info.stage.pNext);
        info.stage.pNext = &subgroupSize;
    }
    info.layout = m_layout.handle;
    info.basePipelineIndex = -1;

    auto created = std::make_shared<NodePipeline>(m_device);
    created->node = node.node;
    const std::string index = std::to_string(node.node.id.index);
    m_device.names.set(VK_OBJECT_TYPE_SHADER_MODULE, module, {"node ", node.node.id.name, "[", index, "]"});
    if (!m_device.settings().capture.empty())
        created->payloadType = payloadTypeOf(request, node.node);
    result = callDriver(info, &created->pipeline);
    m_device.table.DestroyShaderModule(m_device.handle, module, nullptr);
    out.feedback.flags |= feedback.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
    if (result != VK_SUCCESS)
        return result;
    m_device.names.set(VK_OBJECT_TYPE_PIPELINE, created->pipeline, {"node ", node.node.id.name, "[", index, "]"});
    out.node = std::move(created);
    return VK_SUCCESS;
}

VkResult NodeBuilder::callDriver(const VkComputePipelineCreateInfo& info, VkPipeline* pipeline) const
{
    std::unique_lock<std::mutex> lock;
    if (m_known && m_known->externallySynchronized)
        lock = std::unique_lock(m_known->driverMutex);
    // The application's allocator must not be called from other threads than its own.
    return m_device.table.CreateComputePipelines(m_device.handle, m_cache, 1, &info, nullptr, pipeline);
}

}  // namespace

NodePipeline::~NodePipeline()
{
    if (pipeline && !owner)
        device.table.DestroyPipeline(device.handle, pipeline, nullptr);
}

Result<NodeRequest> readStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage,
                              const GraphLayout& layout)
{
    NodeRequest request;
    request.words = wordsOf(device, stage);
    if (!request.words)
        return Diagnostic{"layer", std::string("entry point ") + stage.pName,
                          "the stage has no shader code with a compute entry point"};
    request.options.entryPoint = stage.pName;
    if (const auto* node = findInChain<VkPipelineShaderStageNodeCreateInfoAMDX>(
            stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX)) {
        if (node->pName)
            request.options.nodeName = node->pName;
        if (node->index != VK_SHADER_INDEX_UNUSED_AMDX)
            request.options.shaderIndex = node->index;
    }
    request.options.specialization = readSpecialization(stage.pSpecializationInfo);
    request.options.argumentsOffsetBytes = layout.argumentsOffsetBytes;
    request.options.pushConstantsInMemory = layout.pushConstantsInMemory;
    request.options.minSubgroupSize = device.support.minSubgroupSize;
    request.options.indirect = device.settings().runtime.path == runtime::Path::Indirect;
    request.options.counted = device.settings().runtime.breadcrumbs;
    request.options.validate = device.settings().validateSpirv;

    request.stageFlags = stage.flags;
    if (const auto* size = findInChain<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
            stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
        request.requiredSubgroupSize = size->requiredSubgroupSize;
    if (const auto* robustness = findInChain<VkPipelineRobustnessCreateInfo>(
            stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO)) {
        request.robustness = *robustness;
        request.robustness->pNext = nullptr;
    }
    return request;
}

std::vector<NodeResult> createNodes(Device& device, VkPipelineCache cache, VkPipelineCreateFlags2 flags,
                                    const GraphLayout& layout, std::span<NodeRequest> requests)
{
    const NodeBuilder builder(device, cache, flags, layout);
    const std::vector<size_t> owners = findOwners(requests);
    for (size_t i = 0; i < requests.size(); ++i)
        if (owners[i] != i)
            requests[owners[i]].options.batched = !requests[owners[i]].options.indirect;
    std::vector<NodeResult> results(requests.size());
    std::atomic<size_t> next{0};
    auto work = [&] {
        for (size_t i = next++; i < requests.size(); i = next++)
            if (owners[i] == i)
                results[i] = builder.build(requests[i]);
    };
    const size_t threads = std::min<size_t>(requests.size(), std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < threads; ++i)
        helpers.emplace_back(work);
    work();
    helpers.clear();
    for (size_t i = 0; i < requests.size(); ++i)
        if (owners[i] != i)
            results[i] = share(results[owners[i]], requests[i]);
    return results;
}

}  // namespace millrace::layer
