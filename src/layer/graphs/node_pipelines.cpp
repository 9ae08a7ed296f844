// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/node_pipelines.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/parallel.h"
#include "graph/code_traits.h"
#include "layer/chains/chain.h"
#include "layer/graphs/pipelines_ahead.h"
#include "layer/loader/device.h"
#include "layer/objects/pipeline_caches.h"
#include "layer/objects/specialization.h"
#include "nodes/reflect_types.h"
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

nodes::Target targetOf(const Device& device, std::span<const uint32_t> words)
{
    const runtime::DeviceTraits& traits = device.runtime->traits();
    const runtime::Settings& settings = device.settings().runtime;
    const uint32_t groups = runtime::fullGrid(traits, traits.packedInvocations);
    nodes::Target target;
    target.minSubgroupSize = device.support.minSubgroupSize;
    target.packWidth = traits.packedInvocations;
    target.staticInvocations = traits.staticInvocations;
    target.dynamicInvocations = traits.dynamicInvocations;
    target.sendingInvocations = traits.sendingInvocations;
    target.chunkGroups = traits.chunkGroups;
    target.silentChunkGroups = traits.silentChunkGroups;
    target.orderedBytes = traits.orderedBytes;
    target.leafRows = traits.leafRows;
    target.loopingLeafRows = traits.loopingLeafRows;
    // Payloads elsewhere take the Vulkan memory model.
    if (device.support.deviceScope)
        target.keptBytes = traits.keptBytes;
    target.busyPayloads = std::max(groups * traits.packedInvocations / 4, 1u);
    target.longIntegers = traits.integerBits == 64 || nodes::usesLongIntegers(words);
    target.longAtomics = traits.atomicBits == 64;
    target.subgroupOperations = traits.subgroupOperations;
    target.nonUniformIndexing = device.support.nonUniformIndexing;
    target.scansToReduce = device.support.scans && (device.support.reducesWrongly || !settings.reduces);
    target.dropsReadOnly = device.support.loadsReadOnlyWrongly || !settings.hasReadOnly;
    target.inlinesCalls = device.support.callsAreSlow || !settings.hasCalls;
    return target;
}

}  // namespace

data::DataTypeRef payloadTypeOf(const NodeRequest& request, const graph::NodeDeclaration& node)
{
    using data::DataType;
    if (!node.declaresPayload && node.mode == graph::LaunchMode::Dynamic)
        return data::structureType({{"grid", 0, data::vectorType(data::scalarType(DataType::Kind::Unsigned, 32), 3)}});
    Result<spirv::Module> module = spirv::read(*request.words);
    // Lengths of arrays may be specialization constants.
    if (!module || !spirv::specialize(*module, request.options.request.specialization))
        return nullptr;
    return nodes::reflectPayload(*module, request.options.request.entryPoint);
}

Result<NodeRequest> readStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage,
                              const GraphLayout& layout)
{
    NodeRequest request;
    request.words = wordsOf(device, stage);
    if (!request.words)
        return Diagnostic{"layer", std::string("entry point ") + stage.pName,
                          "the stage has no shader code with a compute entry point"};
    nodes::Request& asked = request.options.request;
    asked.entryPoint = stage.pName;
    if (const auto* node = findInChain<VkPipelineShaderStageNodeCreateInfoAMDX>(
            stage.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX)) {
        if (node->pName)
            asked.nodeName = node->pName;
        if (node->index != VK_SHADER_INDEX_UNUSED_AMDX)
            asked.shaderIndex = node->index;
    }
    asked.specialization = constantsOf(stage.pSpecializationInfo);
    asked.argumentsOffsetBytes = layout.argumentsOffsetBytes;
    asked.pushConstantsInMemory = layout.pushConstantsInMemory;
    request.options.target = targetOf(device, *request.words);
    request.options.variant.indirect = device.settings().runtime.path == runtime::Path::Indirect;
    request.options.variant.counted = device.settings().runtime.breadcrumbs;
    request.options.variant.checkBudgets = device.settings().validate;
    request.options.checks.validate = device.settings().validateSpirv;

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

NodeBuilder::NodeBuilder(Device& device, VkPipelineCache cache, VkPipelineCreateFlags2 flags,
                         std::shared_ptr<GraphLayout> layout, std::vector<NodeRequest> requests)
    : m_device(device),
      m_cache{cache, cache ? device.pipelineCaches.find(handleId(cache)) : nullptr},
      m_flags(static_cast<VkPipelineCreateFlags>(flags) & kNodeFlags),
      m_layout(std::move(layout)),
      m_requests(std::move(requests)),
      m_modules(std::in_place, m_requests, m_cache.known ? &m_cache.known->modules : nullptr),
      m_owners(m_modules->findOwners(m_requests)),
      m_prepared(m_requests.size()),
      m_results(m_requests.size())
{
}

void NodeBuilder::prepareOne(size_t request)
{
    const auto start = std::chrono::steady_clock::now();
    NodeResult& out = m_results[request];
    out.feedback.flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
    const ContentKey key = m_cache.known ? m_modules->keyOf(m_requests[request]) : ContentKey{};
    if (m_cache.known)
        m_prepared[request] = m_cache.known->prepared.find(key);
    if (!m_prepared[request] && (m_flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)) {
        out.result = VK_PIPELINE_COMPILE_REQUIRED;
    } else if (!m_prepared[request]) {
        Result<nodes::PreparedNode> prepared =
            nodes::prepare(m_modules->sourceOf(m_requests[request]), m_requests[request].options);
        if (prepared) {
            m_prepared[request] = std::make_shared<const nodes::PreparedNode>(std::move(*prepared));
            if (m_cache.known)
                m_cache.known->prepared.insert(key, m_prepared[request]);
        } else {
            out.result = VK_ERROR_UNKNOWN;
            out.message = prepared.error().text();
        }
    }
    out.feedback.duration = nanosecondsSince(start);
}

std::span<const NodeResult> NodeBuilder::prepare()
{
    inParallel(m_requests.size(), [this](size_t i) {
        if (m_owners[i] == i)
            prepareOne(i);
    });
    for (size_t i = 0; i < m_requests.size(); ++i) {
        m_prepared[i] = m_prepared[m_owners[i]];
        if (m_owners[i] != i) {
            m_results[i] = m_results[m_owners[i]];
            m_results[i].feedback.duration = 0;
        }
        if (m_prepared[i])
            addNode(i);
    }
    m_modules.reset();  // what is left of them is with each node
    return m_results;
}

void NodeBuilder::addNode(size_t request)
{
    NodeRequest& own = m_requests[request];
    const size_t owner = m_owners[request];
    const auto added = std::make_shared<NodePipeline>();
    added->content = m_modules->codeKeyOf(own).hash();
    if (m_prepared[request]->words)
        own.words = m_prepared[request]->words;
    graph::Node& node = added->node;
    node = m_prepared[request]->node;
    if (!m_device.settings().capture.empty())
        added->payloadType = owner == request ? payloadTypeOf(own, node.declared) : m_results[owner].node->payloadType;
    // What is prepared may be that of another request.
    const nodes::Request& asked = own.options.request;
    node.declared.id.name = asked.nodeName.value_or(owner == request ? node.declared.id.name : asked.entryPoint);
    node.declared.id.index = asked.shaderIndex.value_or(node.declared.id.index);
    m_results[request].node = added;
}

Result<graph::Graph> NodeBuilder::fuse(graph::Graph graph, bool all, std::vector<nodes::FusionOutcome>& outcomes)
{
    std::vector<nodes::FusableNode> nodes;
    for (size_t i = 0; i < m_requests.size(); ++i) {
        const NodeRequest& request = m_requests[i];
        const bool isPlain = !request.robustness && request.requiredSubgroupSize == 0 && request.stageFlags == 0;
        nodes.push_back({request.words, request.options, *m_prepared[i], m_owners[i], isPlain});
    }
    const auto fuseOne = [this](const nodes::FusableNode& producer, const nodes::FusedOutput& output) {
        return fuseCode(producer, output);
    };
    Result<graph::Graph> fused = nodes::fuseGraph(nodes, std::move(graph), all, outcomes, fuseOne);
    bool changed = false;
    for (size_t i = 0; fused && i < nodes.size(); ++i) {
        if (!nodes[i].changed)
            continue;
        changed = true;
        if (i == m_requests.size())
            addCopyOf(nodes[i].prepared.node.decided.levelGroup->of);
        m_requests[i].words = std::move(nodes[i].words);
        m_requests[i].options = std::move(nodes[i].options);
        m_results[i].node->node = nodes[i].prepared.node;
        m_prepared[i] = std::make_shared<const nodes::PreparedNode>(std::move(nodes[i].prepared));
    }
    if (changed)
        m_owners = NodeModules(m_requests, nullptr).findOwners(m_requests);
    return fused;
}

Result<nodes::FusedCode> NodeBuilder::fuseCode(const nodes::FusableNode& producer,
                                               const nodes::FusedOutput& output) const
{
    if (!m_cache.known)
        return nodes::fuseCode(producer, output);
    const ContentKey key = keyOf(producer, output);
    if (const auto known = m_cache.known->fused.find(key))
        return *known;
    Result<nodes::FusedCode> code = nodes::fuseCode(producer, output);
    if (code)
        m_cache.known->fused.insert(key, std::make_shared<const nodes::FusedCode>(*code));
    return code;
}

// A further request, with other code for the same stage.
void NodeBuilder::addCopyOf(size_t request)
{
    m_requests.push_back(m_requests[request]);
    m_prepared.push_back(m_prepared[request]);
    m_results.push_back({.node = std::make_shared<NodePipeline>(*m_results[request].node)});
    m_results.back().feedback.flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT;
}

// Code that has a mistake is reported even if nobody needs it.
void NodeBuilder::checkOne(size_t request)
{
    const auto lowered = m_lowered[request]->get();
    if (lowered)
        return;
    m_results[request].result = VK_ERROR_UNKNOWN;
    m_results[request].message = lowered.error().text();
}

// Nodes with the same code have one together, even if what their code is for differs.
void NodeBuilder::shareLowered()
{
    m_lowered.clear();
    for (size_t i = 0; i < m_requests.size(); ++i)
        m_lowered.push_back(
            m_owners[i] == i ? std::make_shared<LoweredCode>(m_requests[i].words, m_requests[i].options, m_prepared[i])
                             : m_lowered[m_owners[i]]);
}

void NodeBuilder::compileOne(size_t request, graph::MemoryUse memory)
{
    const auto start = std::chrono::steady_clock::now();
    NodeResult& out = m_results[request];
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkPipelineCreationFeedbackFlags flags = 0;
    out.result = out.node->code->get(memory, m_cache, pipeline, &flags);
    out.feedback.flags |= flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
    out.feedback.duration += nanosecondsSince(start);
}

std::span<const NodeResult> NodeBuilder::compile(std::span<const graph::CodeTraits> traits,
                                                 std::span<const std::optional<graph::MemoryUse>> uses)
{
    shareLowered();
    auto traitsOf = [&](size_t i) {
        return traits.empty() ? graph::codeTraits(m_prepared[i]->node.declared) : traits[i];
    };
    std::vector<size_t> users(m_requests.size(), 0);
    std::vector<std::optional<graph::MemoryUse>> needed(m_requests.size());
    for (size_t i = 0; i < m_requests.size(); ++i) {
        if (!(traitsOf(m_owners[i]) == traitsOf(i)))
            m_owners[i] = i;
        const std::optional<graph::MemoryUse> use = uses.empty() ? graph::MemoryUse::Fits : uses[i];
        if (!use)
            continue;
        ++users[m_owners[i]];
        if (needed[m_owners[i]] != graph::MemoryUse::Fits)
            needed[m_owners[i]] = use;
    }
    for (size_t i = 0; i < m_requests.size(); ++i) {
        const size_t owner = m_owners[i];
        m_results[i].node->node.decided.anyGraph = traits.empty();
        const nodes::Code code{.batched = users[i] > 1 && !m_requests[i].options.variant.indirect,
                               .traits = traitsOf(i)};
        m_results[i].node->code = owner == i
                                      ? std::make_shared<NodeCode>(m_layout, m_requests[i], m_lowered[i], code, m_flags)
                                      : m_results[owner].node->code;
    }
    inParallel(m_requests.size(), [&](size_t i) {
        if (needed[i])
            compileOne(i, *needed[i]);
        else if (m_owners[i] == i)
            checkOne(i);
    });
    for (size_t i = 0; i < m_requests.size(); ++i) {
        m_results[i].result = m_results[m_owners[i]].result;
        m_results[i].feedback.flags = m_results[m_owners[i]].feedback.flags;
    }
    return m_results;
}

std::vector<std::optional<graph::MemoryUse>> firstUses(const graph::Graph& graph, bool leaves)
{
    std::vector<bool> isSentTo(graph.queues.size(), false);
    for (const std::vector<uint32_t>& queues : graph.receivers)
        for (const uint32_t queue : queues)
            isSentTo[queue] = true;
    std::vector<std::optional<graph::MemoryUse>> uses(graph.nodes.size());
    for (const graph::Slot& slot : graph.slots) {
        if (slot.level == 0)
            continue;
        const bool isLaunched = leaves && !isSentTo[slot.queue] && graph::isLeaf(graph.nodes[slot.node].declared);
        if (graph.nodes[slot.node].decided.depthFirst > 0)
            uses[slot.node] = graph::MemoryUse::Reserves;
        else if (uses[slot.node] != graph::MemoryUse::Fits)
            uses[slot.node] = isLaunched ? graph::MemoryUse::None : graph::MemoryUse::Fits;
    }
    return uses;
}

VkResult getPipelines(Device& device, std::span<const std::shared_ptr<NodePipeline>> nodes,
                      std::span<const runtime::PipelineUse> uses, std::vector<VkPipeline>& out)
{
    out.assign(uses.size(), VK_NULL_HANDLE);
    std::vector<runtime::PipelineUse> missing;  // mostly none
    for (size_t i = 0; i < uses.size(); ++i) {
        out[i] = nodes[uses[i].node]->code->find(uses[i].memory);
        if (!out[i])
            missing.push_back(uses[i]);
    }
    if (missing.empty())
        return VK_SUCCESS;
    const bool ahead = device.settings().ahead;
    if (ahead)
        device.pipelinesAhead->waitFor(nodes, missing);
    std::vector<VkResult> results(uses.size(), VK_SUCCESS);
    const auto get = [&](size_t i) {
        NodeCode& code = *nodes[uses[i].node]->code;
        if (!out[i])
            out[i] = code.find(uses[i].memory);
        if (!out[i])
            results[i] = code.get(uses[i].memory, {}, out[i]);
    };
    // What has failed, or had no thread to be made on, gets none here either.
    if (!ahead)
        inParallel(uses.size(), get);
    else
        for (size_t i = 0; i < uses.size(); ++i)
            get(i);
    const auto failed = std::ranges::find_if(results, [](VkResult result) { return result != VK_SUCCESS; });
    return failed == results.end() ? VK_SUCCESS : *failed;
}

VkResult getPipeline(Device& device, std::span<const std::shared_ptr<NodePipeline>> nodes,
                     const runtime::PipelineUse& use, VkPipeline& out)
{
    out = nodes[use.node]->code->find(use.memory);
    if (out)
        return VK_SUCCESS;
    std::vector<VkPipeline> pipelines;
    const VkResult result = getPipelines(device, nodes, {&use, 1}, pipelines);
    out = pipelines.front();
    return result;
}

}  // namespace millrace::layer
