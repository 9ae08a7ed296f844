// SPDX-License-Identifier: Apache-2.0
#include "layer/mesh/mesh_objects.h"

#include <algorithm>

#include "layer/loader/device.h"
#include "layer/mesh/mesh_counts.h"
#include "layer/mesh/mesh_shaders.h"
#include "layer/objects/driver_stages.h"
#include "layer/objects/shader_modules.h"
#include "layer/objects/specialization.h"
#include "layer/objects/transient_module.h"
#include "runtime/host_memory.h"
#include "shaders/mesh_kernels.h"

namespace millrace::layer {

namespace {

std::span<const uint32_t> codeOf(const VkShaderCreateInfoEXT& info)
{
    if (info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT)
        return {};
    return {static_cast<const uint32_t*>(info.pCode), info.codeSize / sizeof(uint32_t)};
}

// A compute shader that does nothing.
void becomeNothing(VkShaderCreateInfoEXT& info)
{
    info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = shaders::mesh_nothing.size_bytes();
    info.pCode = shaders::mesh_nothing.data();
    info.pName = "main";
}

}  // namespace

VkResult MeshObjects::replace(std::span<VkShaderCreateInfoEXT> infos, ReplacedCode& code) const
{
    for (VkShaderCreateInfoEXT& info : infos) {
        // What is linked is known at the first draw.
        info.flags &= ~VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
        if (info.stage & kMeshStages) {
            if (info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT)
                return VK_INCOMPATIBLE_SHADER_BINARY_EXT;
            becomeNothing(info);
        } else if (info.stage == VK_SHADER_STAGE_FRAGMENT_BIT && declaresMeshShading(codeOf(info))) {
            Result<spirv::Words> words =
                mesh::withoutMeshShading(codeOf(info), info.pName, mesh::PrimitiveIdInput::Zero);
            if (!words) {
                refuseMeshShaders(m_device, "vkCreateShadersEXT: " + words.error().text());
                return VK_ERROR_INITIALIZATION_FAILED;
            }
            const std::vector<uint32_t>& kept = code.emplace_back(std::move(*words));
            info.codeSize = kept.size() * sizeof(uint32_t);
            info.pCode = kept.data();
        }
    }
    return VK_SUCCESS;
}

void MeshObjects::tellWhatIsNotKept(const KeptShader& shader) const
{
    m_device.tellUnknown("vkCreateShadersEXT", shader.notKept, kMadeLater);
}

void MeshObjects::created(const VkShaderCreateInfoEXT& info, VkShaderEXT shader)
{
    if (!(info.stage & (kMeshStages | VK_SHADER_STAGE_FRAGMENT_BIT)) || codeOf(info).empty())
        return;
    if (info.stage & kMeshStages)
        m_device.needsFronts = true;
    m_shaders.created(m_device, info, shader);
    // Nobody else gets those of a mesh shader.
    const KeptShader* const kept = info.stage & kMeshStages ? m_shaders.find(shader) : nullptr;
    if (kept)
        tellWhatIsNotKept(*kept);
}

std::shared_ptr<MeshPipeline> MeshObjects::find(std::vector<VkShaderEXT> shaders)
{
    return m_shaders.find(std::move(shaders), [this](const ShadersTogether<MeshPipeline>::Shaders& kept) {
        std::vector<SharedWords> words;
        for (const std::shared_ptr<const KeptShader>& shader : kept)
            words.push_back(shader ? std::make_shared<const std::vector<uint32_t>>(shader->words) : nullptr);
        return create(kept, words);
    });
}

std::shared_ptr<MeshPipeline> MeshObjects::create(Shaders shaders, std::span<const SharedWords> words) const
{
    const auto find = [&](VkShaderStageFlagBits stage) -> const KeptShader* {
        const auto found = std::ranges::find_if(shaders, [=](const auto& one) { return one && one->stage == stage; });
        return found == shaders.end() ? nullptr : found->get();
    };
    const auto read = [&](const KeptShader* shader) -> std::optional<mesh::Stage> {
        for (size_t i = 0; shader && i < shaders.size(); ++i)
            if (shaders[i].get() == shader)
                return mesh::Stage{shader->entryPoint, *words[i], constantsOf(shader->constants())};
        return std::nullopt;
    };
    const KeptShader* const shader = find(VK_SHADER_STAGE_MESH_BIT_EXT);
    const KeptShader* const task = find(VK_SHADER_STAGE_TASK_BIT_EXT);
    const KeptShader* const fragment = find(VK_SHADER_STAGE_FRAGMENT_BIT);
    if (!shader)
        return nullptr;
    if (fragment)
        tellWhatIsNotKept(*fragment);
    std::optional<mesh::Stage> tasks = read(task), meshes = read(shader);
    if (MeshCounts* counts = meshCountsOf(m_device))
        counts->count(tasks ? &*tasks : nullptr, &*meshes);
    const Result<mesh::LoweredPipeline> lowered =
        mesh::lowerPipeline(tasks, *meshes, read(fragment), meshTargetOf(m_device));
    if (!lowered) {
        refuseMeshShaders(m_device, "shader objects cannot draw together: " + lowered.error().text());
        return nullptr;
    }
    auto made = std::make_shared<MeshPipeline>(shader->layout, lowered->layout);
    VkResult result = task ? createCompute(*task, *lowered->task, made->task) : VK_SUCCESS;
    if (result == VK_SUCCESS)
        result = createCompute(*shader, lowered->mesh, made->compute);
    if (result == VK_SUCCESS)
        result = createDrawing(*shader, fragment, *lowered, *made);
    if (result == VK_SUCCESS)
        return made;
    refuseMeshShaders(m_device, "shader objects cannot draw together: the driver returns " + std::to_string(result));
    return nullptr;
}

VkResult MeshObjects::createCompute(const KeptShader& shader, const mesh::Stage& lowered, VkPipeline& out) const
{
    const char* const name = shader.stage == VK_SHADER_STAGE_TASK_BIT_EXT ? "task shader" : "mesh shader";
    const TransientModule module(m_device, lowered.words);
    if (module.result() != VK_SUCCESS)
        return module.result();
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = module.stage();
    info.stage.pNext = shader.chain.get();
    info.stage.flags = shader.stageFlags();
    info.stage.pName = lowered.entryPoint.c_str();
    info.layout = shader.layout->handle;
    const VkResult result =
        m_device.table.CreateComputePipelines(m_device.handle, VK_NULL_HANDLE, 1, &info, runtime::hostMemory(), &out);
    m_device.names.set(VK_OBJECT_TYPE_PIPELINE, out, {name});
    return result;
}

// What draws the areas: a vertex shader of the layer's, and the fragment shader as it reads them.
VkResult MeshObjects::createDrawing(const KeptShader& mesh, const KeptShader* fragment,
                                    const mesh::LoweredPipeline& lowered, MeshPipeline& out) const
{
    const VkPushConstantRange range{kSequenceStages, 0, sizeof(abi::SequenceArguments)};
    const std::vector<VkDescriptorSetLayout> sets = mesh.setHandles();
    VkShaderCreateInfoEXT vertex{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    vertex.stage = VK_SHADER_STAGE_VERTEX_BIT;
    vertex.nextStage = VK_SHADER_STAGE_FRAGMENT_BIT;
    vertex.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    vertex.codeSize = lowered.vertex.words.size() * sizeof(uint32_t);
    vertex.pCode = lowered.vertex.words.data();
    vertex.pName = lowered.vertex.entryPoint.c_str();
    vertex.setLayoutCount = static_cast<uint32_t>(sets.size());
    vertex.pSetLayouts = sets.data();
    vertex.pushConstantRangeCount = 1;
    vertex.pPushConstantRanges = &range;
    const auto make = [&](const VkShaderCreateInfoEXT& info, VkShaderEXT& made) {
        const VkResult result =
            m_device.table.CreateShadersEXT(m_device.handle, 1, &info, runtime::hostMemory(), &made);
        m_device.names.set(VK_OBJECT_TYPE_SHADER_EXT, made, {"draws what a mesh shader has written"});
        return result;
    };
    out.hasObjects = true;
    const VkResult result = make(vertex, out.vertex);
    if (result != VK_SUCCESS || !fragment)
        return result;
    return make(fragment->createInfo(lowered.fragment->words, sets, range), out.fragment);
}

}  // namespace millrace::layer
