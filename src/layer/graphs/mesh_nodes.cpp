// SPDX-License-Identifier: Apache-2.0
#include "layer/graphs/mesh_nodes.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layer/chains/chain.h"
#include "layer/graphs/pipelines.h"
#include "layer/graphs/validate.h"
#include "layer/objects/counted_code.h"
#include "layer/objects/driver_pipeline_info.h"
#include "layer/objects/graphics_parts.h"
#include "layer/objects/transient_module.h"
#include "nodes/mesh_node.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

constexpr VkStructureType kNodeInfo = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX;
constexpr VkStructureType kFlags2 = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO;
constexpr char kSeeDocument[] = "docs/mesh-nodes.md says what is there";

std::span<const VkPipelineShaderStageCreateInfo> stagesOf(const VkGraphicsPipelineCreateInfo& info)
{
    return info.pStages ? std::span(info.pStages, info.stageCount) : std::span<const VkPipelineShaderStageCreateInfo>();
}

const VkPipelineShaderStageCreateInfo* findStage(const VkGraphicsPipelineCreateInfo& info, VkShaderStageFlagBits stage)
{
    const auto stages = stagesOf(info);
    const auto found = std::ranges::find(stages, stage, &VkPipelineShaderStageCreateInfo::stage);
    return found == stages.end() ? nullptr : &*found;
}

VkResult refuseMeshNode(const Device& device, const std::string& rule, const std::string& why,
                        std::string_view advice = kSeeDocument)
{
    device.messages().error(rule.c_str(), objectReference(VK_OBJECT_TYPE_DEVICE, device.handle),
                            "vkCreateGraphicsPipelines: " + why, advice);
    return VK_ERROR_VALIDATION_FAILED_EXT;
}

VkResult checkFlags(const Device& device, VkPipelineCreateFlags2 flags)
{
    if (!(flags & VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR))
        return refuseMeshNode(device, "VUID-VkGraphicsPipelineCreateInfo-flags-10188",
                              "a mesh node is created without VK_PIPELINE_CREATE_LIBRARY_BIT_KHR",
                              "Create it with this flag and with VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX");
    if (!(flags & VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX))
        return refuseMeshNode(device, "VUID-VkGraphicsPipelineCreateInfo-pStages-10189",
                              "a mesh node is created without VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX",
                              "Create it with this flag and with VK_PIPELINE_CREATE_LIBRARY_BIT_KHR");
    return VK_SUCCESS;
}

// The stages without what is the layer's: the node's name and code of the extension.
struct PlainStages {
    // `code`: null for the application's module.
    void add(const VkPipelineShaderStageCreateInfo& given, SharedWords code)
    {
        PatchedChain& chain = chains.emplace_back(given.pNext);
        chain.remove(kNodeInfo);
        if (code)
            chain.remove(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
        infos.push_back(given);
        infos.back().pNext = chain.get();
        words.push_back(std::move(code));
    }

    std::vector<VkPipelineShaderStageCreateInfo> infos;
    std::vector<SharedWords> words;
    std::deque<PatchedChain> chains;
};

// Creates one library.
class Creation {
public:
    // `flags`: of the pipeline or library that the application asks for.
    Creation(Device& device, VkPipelineCache cache, const VkGraphicsPipelineCreateInfo& info,
             VkPipelineCreateFlags2 flags, const VkPipeline* created)
        : m_device(device), m_cache(cache), m_info(info), m_flags(flags), m_created(created)
    {
    }

    VkResult run(std::shared_ptr<GraphObject>& out);

private:
    VkResult refuse(const std::string& rule, const std::string& why, std::string_view advice = kSeeDocument) const
    {
        return refuseMeshNode(m_device, rule, why, advice);
    }
    VkResult checkStages() const;
    VkResult compile(nodes::MeshNode& node);
    VkResult addCollector(const nodes::MeshNode& node, GraphObject& object);
    VkResult createPipeline(const nodes::MeshNode& node, MeshNodePipeline& pipeline) const;
    VkResult callMaker(VkGraphicsPipelineCreateInfo& info, PlainStages& stages, MeshNodePipeline& pipeline) const;
    VkResult callDriver(VkGraphicsPipelineCreateInfo& info, PlainStages& stages, MeshNodePipeline& pipeline) const;

    Device& m_device;
    const VkPipelineCache m_cache;
    const VkGraphicsPipelineCreateInfo& m_info;
    const VkPipelineCreateFlags2 m_flags;
    const VkPipeline* const m_created;
    std::shared_ptr<GraphLayout> m_graphLayout;
    std::shared_ptr<MeshNodeLayout> m_layout;
    std::optional<NodeRequest> m_request;
    std::string m_name;  // of the node
};

VkResult Creation::checkStages() const
{
    for (const VkPipelineShaderStageCreateInfo& stage : stagesOf(m_info))
        if (stage.stage != VK_SHADER_STAGE_MESH_BIT_EXT && stage.stage != VK_SHADER_STAGE_FRAGMENT_BIT)
            return refuse("VUID-VkGraphicsPipelineCreateInfo-flags-10190",
                          "a mesh node has another stage than a mesh and a fragment shader",
                          "Leave task and vertex shaders out");
    if (!findStage(m_info, VK_SHADER_STAGE_MESH_BIT_EXT))
        return refuse("Millrace-mesh-nodes", "a node that is a graphics pipeline has no mesh shader");
    return VK_SUCCESS;
}

VkResult Creation::compile(nodes::MeshNode& node)
{
    m_graphLayout = graphLayoutOf(m_device, m_info.layout);
    if (!m_graphLayout)
        return VK_ERROR_VALIDATION_FAILED_EXT;
    m_layout = m_device.pipelineLayouts.find(handleId(m_info.layout))->meshNodes;
    if (!m_layout)
        return refuse("Millrace-mesh-nodes",
                      "the layout has so many push constants that 32 bytes of the layer's do not fit, or the driver "
                      "refused one with them");
    Result<NodeRequest> request = readStage(m_device, *findStage(m_info, VK_SHADER_STAGE_MESH_BIT_EXT), *m_graphLayout);
    if (!request)
        return m_flags & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT
                   ? VK_PIPELINE_COMPILE_REQUIRED
                   : refuse("Millrace-library-creation", request.error().text());
    m_request = std::move(*request);
    nodes::Options options = m_request->options;
    options.request.argumentsOffsetBytes = m_layout->argumentsOffsetBytes;
    options.request.pushConstantsInMemory = false;
    Result<nodes::MeshNode> compiled =
        nodes::compileMeshNode(*m_request->words, options, m_device.support.maxMeshNodeGroups);
    if (!compiled) {
        (void)refuse("Millrace-library-creation", compiled.error().text(), kSeeLowerCommand);
        return VK_ERROR_UNKNOWN;
    }
    node = std::move(*compiled);
    m_name = node.declared.id.name;
    uint64_t groups = 1;
    for (const uint32_t size : node.declared.staticGrid)
        groups *= std::min(size, graph::kMaxGroupsPerDimension + 1);
    if (node.declared.mode == graph::LaunchMode::Static && groups > m_device.support.maxMeshNodeGroups)
        return refuse("VUID-RuntimeSpirv-StaticNumWorkgroupsAMDX-09186",
                      "StaticNumWorkgroupsAMDX of a mesh node starts more workgroups than maxMeshWorkGroupTotalCount");
    return VK_SUCCESS;
}

// The node as far as the graph is concerned.
VkResult Creation::addCollector(const nodes::MeshNode& node, GraphObject& object)
{
    NodeRequest collector;
    collector.words = std::make_shared<const spirv::Words>(node.collector);
    collector.options = m_request->options;
    collector.options.request.entryPoint = "main";
    collector.options.request.nodeName = node.declared.id.name;
    collector.options.request.shaderIndex = node.declared.id.index;
    collector.options.request.specialization.clear();
    collector.options.request.pushConstantsInMemory = true;
    NodeBuilder builder(m_device, m_cache, m_flags, m_graphLayout, {std::move(collector)});
    NodeResult result = builder.prepare().front();
    if (result.result == VK_SUCCESS)
        result = builder.compile({}, {}).front();
    if (!result.message.empty())
        (void)refuse("Millrace-library-creation", result.message, kSeeLowerCommand);
    if (result.result != VK_SUCCESS)
        return result.result;
    result.node->node = nodes::asMeshNode(std::move(result.node->node), node.declared);
    // With the names that the collector lacks.
    if (result.node->payloadType)
        result.node->payloadType = payloadTypeOf(*m_request, node.declared);
    object.nodes.push_back(std::move(result.node));
    return VK_SUCCESS;
}

VkResult Creation::createPipeline(const nodes::MeshNode& node, MeshNodePipeline& pipeline) const
{
    PlainStages stages;
    stages.add(*findStage(m_info, VK_SHADER_STAGE_MESH_BIT_EXT), std::make_shared<const spirv::Words>(node.shader));
    stages.infos[0].pSpecializationInfo = nullptr;  // they have their values
    if (const auto* given = findStage(m_info, VK_SHADER_STAGE_FRAGMENT_BIT)) {
        SharedWords words;
        if (usesShaderEnqueue(m_device, *given)) {
            Result<spirv::Words> plain = nodes::withoutNodes(*wordsOf(m_device, *given), given->pName);
            if (!plain)
                return refuse("Millrace-library-creation", plain.error().text());
            words = std::make_shared<const spirv::Words>(std::move(*plain));
        }
        stages.add(*given, std::move(words));
    }
    VkGraphicsPipelineCreateInfo own = m_info;
    PatchedChain chain(own.pNext);
    own.flags &= ~VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    if (auto* flags2 = chain.change<VkPipelineCreateFlags2CreateInfo>(kFlags2))
        flags2->flags &= ~VK_PIPELINE_CREATE_2_LIBRARY_BIT_KHR;
    own.pNext = chain.get();
    m_device.tellLost("pipeline creation", chain.lost());
    DriverPipelineInfo<VkGraphicsPipelineCreateInfo> translated(m_device, own, m_created);
    m_device.tellLost("pipeline creation", translated.lost());
    translated.info().stageCount = static_cast<uint32_t>(stages.infos.size());
    return m_device.usesMesh() ? callMaker(translated.info(), stages, pipeline)
                               : callDriver(translated.info(), stages, pipeline);
}

VkResult Creation::callMaker(VkGraphicsPipelineCreateInfo& info, PlainStages& stages, MeshNodePipeline& pipeline) const
{
    for (size_t i = 0; i < stages.infos.size(); ++i)
        if (!stages.words[i])
            stages.words[i] = wordsOf(m_device, stages.infos[i]);
    info.pStages = stages.infos.data();
    return m_device.pipelineMaker->createDrawer(info, std::move(stages.words), sequenceLayoutOf(m_device, info.layout),
                                                m_cache, pipeline.made);
}

VkResult Creation::callDriver(VkGraphicsPipelineCreateInfo& info, PlainStages& stages, MeshNodePipeline& pipeline) const
{
    std::deque<TransientModule> modules;
    // The first is the mesh shader.
    stages.words[0] = countedCode(m_device, {stages.infos.data(), 1}, {stages.words[0]})[0];
    for (size_t i = 0; i < stages.infos.size(); ++i) {
        if (!stages.words[i])
            continue;
        const TransientModule& module = modules.emplace_back(m_device, *stages.words[i]);
        if (module.result() != VK_SUCCESS)
            return module.result();
        m_device.names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {"mesh node ", m_name});
        stages.infos[i].module = module.handle();
    }
    const DriverStages driverStages(m_device, stages.infos.data(), info.stageCount, true);
    if (driverStages.result() != VK_SUCCESS)
        return driverStages.result();
    m_device.tellLost("pipeline creation", driverStages.lost());
    info.pStages = driverStages.data();
    info.layout = pipeline.layout->handle;
    const VkResult result = m_device.table.CreateGraphicsPipelines(m_device.handle, m_cache, 1, &info,
                                                                   runtime::hostMemory(), &pipeline.handle);
    if (result == VK_SUCCESS)
        m_device.names.set(VK_OBJECT_TYPE_PIPELINE, pipeline.handle, {"mesh node ", m_name});
    return result;
}

VkResult Creation::run(std::shared_ptr<GraphObject>& out)
{
    VkResult result = checkStages();
    nodes::MeshNode node;
    if (result == VK_SUCCESS)
        result = compile(node);
    if (result != VK_SUCCESS)
        return result;
    auto object = std::make_shared<GraphObject>();
    object->kind = GraphObject::Kind::MeshLibrary;
    object->flags = m_flags;
    object->layout = m_graphLayout;
    result = addCollector(node, *object);
    if (result != VK_SUCCESS)
        return result;
    auto pipeline = std::make_shared<MeshNodePipeline>(m_layout);
    result = createPipeline(node, *pipeline);
    if (result != VK_SUCCESS)
        return result;
    object->nodes[0]->mesh = std::move(pipeline);
    // A render pass instance that begins from here on may have dispatches with it.
    m_device.needsPassFronts = true;
    out = std::move(object);
    return VK_SUCCESS;
}

bool isOfParts(const VkGraphicsPipelineCreateInfo& info)
{
    return hasLibraries(info) || findInChain<VkGraphicsPipelineLibraryCreateInfoEXT>(
                                     info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT);
}

// Stages whose modules may be gone, with their code instead.
struct LinkedStages {
    explicit LinkedStages(const LinkedGraphics& linked)
    {
        const VkGraphicsPipelineCreateInfo& info = linked.info();
        for (uint32_t i = 0; i < info.stageCount; ++i) {
            VkPipelineShaderStageCreateInfo stage = info.pStages[i];
            if (const SharedWords& words = linked.words()[i]) {
                PatchedChain& chain = chains.emplace_back(stage.pNext);
                chain.remove(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
                VkShaderModuleCreateInfo& code = codes.emplace_back();
                code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, chain.get()};
                code.codeSize = words->size() * sizeof(uint32_t);
                code.pCode = words->data();
                stage.pNext = &code;
                stage.module = VK_NULL_HANDLE;
            }
            infos.push_back(stage);
        }
    }

    std::vector<VkPipelineShaderStageCreateInfo> infos;
    std::deque<PatchedChain> chains;
    std::deque<VkShaderModuleCreateInfo> codes;
};

// A library of some state of a mesh node, or what several of them are together: the node, where that is all of it.
VkResult createOfParts(Device& device, VkPipelineCache cache, const VkGraphicsPipelineCreateInfo& info,
                       VkPipelineCreateFlags2 flags, std::shared_ptr<GraphObject>& out)
{
    const GraphicsParts parts = partsOf(device, info);
    if (parts.empty())
        return refuseMeshNode(
            device, "VUID-VkGraphicsPipelineCreateInfo-flags-10191",
            "a library of a mesh node was created without VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX",
            "Create all parts with this flag");
    const LinkedGraphics linked(device, info, parts);
    constexpr GraphicsSubsets kNeeded = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT |
                                        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT |
                                        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT;
    if ((linked.subsets() & kNeeded) != kNeeded) {
        out = std::make_shared<GraphObject>();
        out->kind = GraphObject::Kind::MeshPart;
        out->flags = flags;
        return VK_SUCCESS;
    }
    if (!linked.isUsable())
        return refuseMeshNode(device, "Millrace-mesh-nodes", "the driver refused a second render pass like its own");
    device.tellUnknown("vkCreateGraphicsPipelines", linked.notKept(), kMadeLater);
    const LinkedStages stages(linked);
    VkGraphicsPipelineCreateInfo whole = linked.info();
    whole.pStages = stages.infos.data();
    whole.layout = info.layout;
    return Creation(device, cache, whole, flags, nullptr).run(out);
}

}  // namespace

MeshNodePipeline::~MeshNodePipeline()
{
    if (handle)
        layout->device.table.DestroyPipeline(layout->device.handle, handle, runtime::hostMemory());
}

VkResult createMeshLibrary(Device& device, VkPipelineCache cache, const VkGraphicsPipelineCreateInfo& createInfo,
                           const VkPipeline* created, VkPipeline* out)
{
    const VkPipelineCreateFlags2 flags = pipelineFlags(createInfo.pNext, createInfo.flags);
    std::shared_ptr<GraphObject> object;
    VkResult result = checkFlags(device, flags);
    if (result == VK_SUCCESS)
        result = isOfParts(createInfo) ? createOfParts(device, cache, createInfo, flags, object)
                                       : Creation(device, cache, createInfo, flags, created).run(object);
    if (result == VK_SUCCESS)
        *out = publish(device, std::move(object));
    return result;
}

}  // namespace millrace::layer
