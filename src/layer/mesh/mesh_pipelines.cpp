// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_pipelines.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "layer/chains/chain.h"
#include "layer/chains/patched_chain.h"
#include "layer/loader/device.h"
#include "layer/mesh/mesh_counts.h"
#include "layer/mesh/mesh_draws.h"
#include "layer/mesh/mesh_objects.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/objects/driver_pipeline_info.h"
#include "layer/objects/driver_stages.h"
#include "layer/objects/graphics_parts.h"
#include "layer/objects/pipeline_flags.h"
#include "layer/objects/render_passes.h"
#include "layer/objects/shader_modules.h"
#include "layer/objects/specialization.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

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

// Of the flags of a graphics pipeline those that mean the same to a compute pipeline.
VkPipelineCreateFlags computeFlags(const VkGraphicsPipelineCreateInfo& info)
{
    constexpr VkPipelineCreateFlags2 kShared = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT |
                                               VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
                                               VK_PIPELINE_CREATE_2_DESCRIPTOR_BUFFER_BIT_EXT;
    return static_cast<VkPipelineCreateFlags>(pipelineFlags(info.pNext, info.flags) & kShared);
}

// The application gets feedback on the whole pipeline. Its stages are not those of the driver, so that of them nothing
// is said.
class Feedback {
public:
    explicit Feedback(const void* chain) : m_chain(chain)
    {
        auto* feedback = m_chain.change<VkPipelineCreationFeedbackCreateInfo>(
            VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
        if (!feedback)
            return;
        for (uint32_t i = 0; i < feedback->pipelineStageCreationFeedbackCount; ++i)
            feedback->pPipelineStageCreationFeedbacks[i] = {};
        feedback->pipelineStageCreationFeedbackCount = 0;
    }
    PatchedChain& chain() { return m_chain; }

private:
    PatchedChain m_chain;
};

// For the time of a call. What is there is told if it is lost.
const void* get(const Device& device, PatchedChain& chain)
{
    const void* const structures = chain.get();
    device.tellLost("pipeline creation", chain.lost());
    return structures;
}

VkResult refuse(const Device& device, const std::string& reason)
{
    refuseMeshShaders(device, "a graphics pipeline with a mesh shader cannot be created: " + reason);
    return VK_ERROR_UNKNOWN;
}

// One pipeline or library, step by step. `words`: of its stages.
class Creation {
public:
    Creation(const Device& device, const VkGraphicsPipelineCreateInfo& info, std::vector<SharedWords> words,
             std::shared_ptr<SequenceLayout> layout, VkPipelineCache cache)
        : m_device(device), m_info(info), m_words(std::move(words)), m_layout(std::move(layout)), m_cache(cache)
    {
    }

    // A library keeps the application's handle for what is known only when it is linked: it has the stages that the
    // driver can take, and nothing of it runs.
    VkResult run(const VkAllocationCallbacks* allocator, VkPipeline* out);
    std::shared_ptr<MeshPipeline> take() { return std::move(m_pipeline); }

private:
    std::optional<mesh::Stage> read(const VkPipelineShaderStageCreateInfo& stage) const;
    VkResult lower(mesh::LoweredPipeline& lowered) const;
    VkResult createCompute(const mesh::Stage& lowered, VkShaderStageFlagBits stage, VkPipeline& out) const;
    VkResult createGraphics(const mesh::LoweredPipeline& lowered, const VkAllocationCallbacks* allocator,
                            VkPipeline* out) const;

    const Device& m_device;
    const VkGraphicsPipelineCreateInfo& m_info;
    const std::vector<SharedWords> m_words;
    const std::shared_ptr<SequenceLayout> m_layout;
    const VkPipelineCache m_cache;
    std::shared_ptr<MeshPipeline> m_pipeline;
};

// With a pipeline, or else with the shader objects that `pipeline` has.
class Drawer final : public ListDrawer {
public:
    Drawer(std::shared_ptr<MeshPipeline> pipeline, VkPipeline drawing)
        : m_pipeline(std::move(pipeline)), m_drawing(drawing)
    {
    }
    ~Drawer() override
    {
        const Device& device = m_pipeline->layout->device;
        device.table.DestroyPipeline(device.handle, m_drawing, runtime::hostMemory());
    }
    Drawer(const Drawer&) = delete;
    Drawer& operator=(const Drawer&) = delete;

    void draw(CommandBuffer& commandBuffer, const ListedDraws& draws) const override
    {
        MeshDraw(commandBuffer, m_pipeline, m_drawing, draws).record();
    }

private:
    const std::shared_ptr<MeshPipeline> m_pipeline;
    const VkPipeline m_drawing;
};

std::optional<mesh::Stage> Creation::read(const VkPipelineShaderStageCreateInfo& stage) const
{
    const SharedWords& words = m_words[static_cast<size_t>(&stage - m_info.pStages)];
    if (!words)
        return std::nullopt;
    return mesh::Stage{stage.pName, *words, constantsOf(stage.pSpecializationInfo)};
}

VkResult Creation::lower(mesh::LoweredPipeline& lowered) const
{
    std::optional<mesh::Stage> shader = read(*findStage(m_info, VK_SHADER_STAGE_MESH_BIT_EXT));
    std::optional<mesh::Stage> task, fragment;
    const VkPipelineShaderStageCreateInfo* taskStage = findStage(m_info, VK_SHADER_STAGE_TASK_BIT_EXT);
    const VkPipelineShaderStageCreateInfo* fragmentStage = findStage(m_info, VK_SHADER_STAGE_FRAGMENT_BIT);
    if (taskStage)
        task = read(*taskStage);
    if (fragmentStage)
        fragment = read(*fragmentStage);
    if (!shader || (taskStage && !task) || (fragmentStage && !fragment))
        return refuse(m_device, "the layer does not have the code of a stage, which may be given by an identifier");
    if (MeshCounts* counts = isLibrary(m_info) ? nullptr : meshCountsOf(m_device))
        counts->count(task ? &*task : nullptr, &*shader);
    const bool areDevices =
        pipelineFlags(m_info.pNext, m_info.flags) & VK_PIPELINE_CREATE_2_VIEW_INDEX_FROM_DEVICE_INDEX_BIT;
    Result<mesh::LoweredPipeline> result = mesh::lowerPipeline(task, *shader, fragment, meshTargetOf(m_device),
                                                               {viewMaskOf(m_device, m_info), areDevices});
    if (!result)
        return refuse(m_device, result.error().text());
    lowered = std::move(*result);
    return VK_SUCCESS;
}

VkResult Creation::createCompute(const mesh::Stage& lowered, VkShaderStageFlagBits stage, VkPipeline& out) const
{
    const VkPipelineShaderStageCreateInfo& given = *findStage(m_info, stage);
    const char* const name = stage == VK_SHADER_STAGE_TASK_BIT_EXT ? "task shader" : "mesh shader";
    const TransientModule module(m_device, lowered.words);
    if (module.result() != VK_SUCCESS)
        return module.result();
    m_device.names.set(VK_OBJECT_TYPE_SHADER_MODULE, module.handle(), {name});
    PatchedChain chain(given.pNext);
    chain.remove(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    chain.remove(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = computeFlags(m_info);
    info.stage = module.stage();
    info.stage.pNext = get(m_device, chain);
    info.stage.flags = given.flags;
    info.stage.pName = lowered.entryPoint.c_str();
    info.layout = m_pipeline->layout->handle;
    const VkResult result =
        m_device.table.CreateComputePipelines(m_device.handle, m_cache, 1, &info, runtime::hostMemory(), &out);
    m_device.names.set(VK_OBJECT_TYPE_PIPELINE, out, {name});
    return result;
}

VkResult Creation::createGraphics(const mesh::LoweredPipeline& lowered, const VkAllocationCallbacks* allocator,
                                  VkPipeline* out) const
{
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    const TransientModule vertex(m_device, lowered.vertex.words);
    stages.push_back(vertex.stage());
    stages.back().stage = VK_SHADER_STAGE_VERTEX_BIT;
    stages.back().pName = lowered.vertex.entryPoint.c_str();
    // What computes vertices again reads as the mesh shader does.
    PatchedChain ofMesh(findStage(m_info, VK_SHADER_STAGE_MESH_BIT_EXT)->pNext);
    constexpr VkStructureType kReading[] = {VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO};
    ofMesh.keepOnly(kReading);
    if (lowered.layout.computesVertices)
        stages.back().pNext = ofMesh.get();
    std::optional<TransientModule> fragment;
    std::optional<PatchedChain> chain;
    if (lowered.fragment) {
        const VkPipelineShaderStageCreateInfo& given = *findStage(m_info, VK_SHADER_STAGE_FRAGMENT_BIT);
        fragment.emplace(m_device, lowered.fragment->words);
        chain.emplace(given.pNext);
        chain->remove(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
        chain->remove(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT);
        stages.push_back(given);
        stages.back().pNext = get(m_device, *chain);
        stages.back().module = fragment->handle();
    }
    if (vertex.result() != VK_SUCCESS || (fragment && fragment->result() != VK_SUCCESS))
        return vertex.result() != VK_SUCCESS ? vertex.result() : fragment->result();
    const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = topologyOf(lowered.layout);
    VkGraphicsPipelineCreateInfo info = m_info;
    Feedback feedback(m_info.pNext);
    info.pNext = get(m_device, feedback.chain());
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pTessellationState = nullptr;
    info.layout = m_pipeline->layout->handle;
    return m_device.table.CreateGraphicsPipelines(m_device.handle, m_cache, 1, &info, allocator, out);
}

VkResult Creation::run(const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    if (!m_layout)
        return refuse(m_device, "the layer does not have its layout, or the driver refused one with as many sets");
    mesh::LoweredPipeline lowered;
    VkResult result = lower(lowered);
    if (result != VK_SUCCESS)
        return result;
    m_pipeline = std::make_shared<MeshPipeline>(m_layout, lowered.layout);
    if (isLibrary(m_info))
        return createGraphics(lowered, allocator, out);
    if (lowered.task)
        result = createCompute(*lowered.task, VK_SHADER_STAGE_TASK_BIT_EXT, m_pipeline->task);
    if (result == VK_SUCCESS)
        result = createCompute(lowered.mesh, VK_SHADER_STAGE_MESH_BIT_EXT, m_pipeline->compute);
    return result == VK_SUCCESS ? createGraphics(lowered, allocator, out) : result;
}

}  // namespace

VkPrimitiveTopology topologyOf(const mesh::MeshLayout& layout)
{
    switch (layout.corners) {
        case 1:
            return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        case 2:
            return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
        default:
            return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

mesh::Target meshTargetOf(const Device& device)
{
    const MeshLimits& limits = device.support.meshLimits;
    return {.interfaceLocations = limits.outputComponents / 4,
            .layers = limits.vertexLayers,
            .viewports = limits.vertexViewports,
            .shadingRates = device.support.meshShadingRates,
            .indices = device.settings().meshIndices,
            .computedVertices = device.settings().computedVertices,
            .vertexStores = limits.vertexStores,
            .viewPointSizes = limits.viewPointSizes,
            .unwrittenPointSizes = device.support.maintenance5,
            .groupSize = {limits.groupSize[0], limits.groupSize[1], limits.groupSize[2]}};
}

MeshPipeline::~MeshPipeline()
{
    for (VkShaderEXT shader : {vertex, fragment})
        if (shader)
            layout->device.table.DestroyShaderEXT(layout->device.handle, shader, runtime::hostMemory());
    for (VkPipeline pipeline : {task, compute})
        if (pipeline)
            layout->device.table.DestroyPipeline(layout->device.handle, pipeline, runtime::hostMemory());
}

MeshPipelines::MeshPipelines(Device& device) : m_device(device), m_objects(std::make_unique<MeshObjects>(device)) {}

MeshPipelines::~MeshPipelines() = default;

VkResult MeshPipelines::replaceShaders(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code)
{
    return m_objects->replace(infos, code);
}

void MeshPipelines::shaderCreated(const VkShaderCreateInfoEXT& info, VkShaderEXT shader)
{
    m_objects->created(info, shader);
}

void MeshPipelines::shaderDestroyed(VkShaderEXT shader)
{
    m_objects->destroyed(shader);
}

bool MeshPipelines::makes(const VkGraphicsPipelineCreateInfo& info) const
{
    return std::ranges::any_of(stagesOf(info),
                               [&](const VkPipelineShaderStageCreateInfo& stage) {
                                   return (stage.stage & kMeshStages) || isOfMeshShading(m_device, stage);
                               }) ||
           (hasLibraries(info) && (stagesOf(partsOf(m_device, info)) & kMeshStages));
}

VkResult MeshPipelines::create(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                               const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    // Code may be chained to its stage instead of being in a module.
    m_device.needsFronts = true;
    *out = VK_NULL_HANDLE;
    if (hasLibraries(info))
        return linkLibraries(info, cache, allocator, out);
    if (!findStage(info, VK_SHADER_STAGE_MESH_BIT_EXT))
        return createFragment(info, cache, allocator, out);
    std::vector<SharedWords> words;
    for (const VkPipelineShaderStageCreateInfo& stage : stagesOf(info))
        words.push_back(wordsOf(m_device, stage));
    Creation creation(m_device, info, std::move(words), sequenceLayoutOf(m_device, info.layout), cache);
    const VkResult result = creation.run(allocator, out);
    return result == VK_SUCCESS && !isLibrary(info) ? remember(*out, creation.take(), allocator) : result;
}

VkResult MeshPipelines::createDrawer(const VkGraphicsPipelineCreateInfo& info, std::vector<SharedWords> words,
                                     std::shared_ptr<SequenceLayout> layout, VkPipelineCache cache,
                                     std::shared_ptr<const ListDrawer>& out)
{
    m_device.needsFronts = true;
    VkPipeline drawing = VK_NULL_HANDLE;
    Creation creation(m_device, info, std::move(words), std::move(layout), cache);
    const VkResult result = creation.run(runtime::hostMemory(), &drawing);
    if (result == VK_SUCCESS)
        rememberOrUndo([&] { m_device.table.DestroyPipeline(m_device.handle, drawing, runtime::hostMemory()); },
                       [&] { out = std::make_shared<Drawer>(creation.take(), drawing); });
    return result;
}

VkResult MeshPipelines::createDrawer(std::span<const std::shared_ptr<const KeptShader>> shaders,
                                     std::vector<SharedWords> words, std::shared_ptr<const ListDrawer>& out)
{
    m_device.needsFronts = true;
    std::shared_ptr<MeshPipeline> made = m_objects->create(shaders, words);
    if (!made)
        return VK_ERROR_UNKNOWN;
    out = std::make_shared<Drawer>(std::move(made), VK_NULL_HANDLE);
    return VK_SUCCESS;
}

namespace {

// In front of what libraries were given: what the call itself has for the whole pipeline, whether the layer knows it or
// not. `patched`: of `given`, what the application chained.
const void* addOfCall(PatchedChain& patched, const void* given, const void* ofLibraries)
{
    StructureTypes kept = unknownStructures(given);
    kept.push_back(VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    patched.keepOnly(kept);
    return patched.get(ofLibraries);
}

StructureTypes without(StructureTypes types, const StructureTypes& others)
{
    std::erase_if(types, [&](VkStructureType type) { return std::ranges::count(others, type) > 0; });
    return types;
}

}  // namespace

// All that the libraries were given becomes one pipeline: only together it is known what the mesh shader hands to the
// fragment shader.
VkResult MeshPipelines::linkLibraries(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                                      const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    const GraphicsParts parts = partsOf(m_device, info);
    if (!(stagesOf(parts) & VK_SHADER_STAGE_MESH_BIT_EXT))
        return createFragment(info, cache, allocator, out);
    const LinkedGraphics linked(m_device, info, parts);
    if (!linked.isUsable())
        return refuse(m_device, "none of its libraries says with which attachments it draws");
    VkGraphicsPipelineCreateInfo whole = linked.info();
    VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT};
    library.pNext = const_cast<void*>(whole.pNext);
    library.flags = linked.subsets();
    if (isLibrary(info)) {
        whole.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
        whole.pNext = &library;
    }
    PatchedChain given(info.pNext);
    whole.pNext = addOfCall(given, info.pNext, whole.pNext);
    m_device.tellLost("pipeline creation", given.lost());
    m_device.tellUnknown("vkCreateGraphicsPipelines", without(linked.notKept(), unknownStructures(info.pNext)),
                         "the pipeline that the layer makes of libraries goes without it, since the layer cannot keep "
                         "it with a library");
    Creation creation(m_device, whole, linked.words(), linked.layout(), cache);
    const VkResult result = creation.run(allocator, out);
    return result == VK_SUCCESS && !isLibrary(info) ? remember(*out, creation.take(), allocator) : result;
}

// A fragment shader whose module is one for mesh shaders, and none of those: a library, of which no more is known yet,
// or a pipeline of other stages.
VkResult MeshPipelines::createFragment(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache,
                                       const VkAllocationCallbacks* allocator, VkPipeline* out)
{
    std::vector<VkPipelineShaderStageCreateInfo> stages(stagesOf(info).begin(), stagesOf(info).end());
    std::deque<TransientModule> modules;
    std::deque<PatchedChain> chains;
    for (VkPipelineShaderStageCreateInfo& stage : stages) {
        if (!isOfMeshShading(m_device, stage))
            continue;
        if (stage.stage != VK_SHADER_STAGE_FRAGMENT_BIT)
            return refuse(m_device, "a stage declares MeshShadingEXT, and there is no mesh shader");
        const mesh::PrimitiveIdInput primitiveId = m_device.support.meshLimits.fragmentPrimitiveId
                                                       ? mesh::PrimitiveIdInput::Drivers
                                                   : isLibrary(info) ? mesh::PrimitiveIdInput::Zero
                                                                     : mesh::PrimitiveIdInput::Refused;
        const Result<spirv::Words> words =
            mesh::withoutMeshShading(*wordsOf(m_device, stage), stage.pName, primitiveId);
        if (!words)
            return refuse(m_device, words.error().text());
        const TransientModule& module = modules.emplace_back(m_device, *words);
        if (module.result() != VK_SUCCESS)
            return module.result();
        PatchedChain& chain = chains.emplace_back(stage.pNext);
        chain.remove(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
        stage.pNext = get(m_device, chain);
        stage.module = module.handle();
    }
    const DriverStages driverStages(m_device, stages.data(), static_cast<uint32_t>(stages.size()));
    if (driverStages.result() != VK_SUCCESS)
        return driverStages.result();
    m_device.tellLost("pipeline creation", driverStages.lost());
    VkGraphicsPipelineCreateInfo own = info;
    own.pStages = driverStages.data();
    return m_device.table.CreateGraphicsPipelines(m_device.handle, cache, 1, &own, allocator, out);
}

VkResult MeshPipelines::remember(VkPipeline pipeline, std::shared_ptr<MeshPipeline> made,
                                 const VkAllocationCallbacks* allocator)
{
    rememberOrUndo([&] { m_device.table.DestroyPipeline(m_device.handle, pipeline, allocator); },
                   [&] { m_pipelines.insert(handleId(pipeline), std::move(made)); });
    return VK_SUCCESS;
}

}  // namespace millrace::layer
