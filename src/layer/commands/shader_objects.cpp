// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/shader_objects.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "abi/commands.h"
#include "commands/shader_variants.h"
#include "layer/chains/chain.h"
#include "layer/commands/compute_variants.h"
#include "layer/commands/generated_commands.h"
#include "layer/commands/graphics_variants.h"
#include "layer/loader/device.h"
#include "layer/loader/entry_points.h"
#include "layer/objects/driver_shaders.h"
#include "layer/objects/kept_shader.h"
#include "layer/objects/pipeline_maker.h"
#include "layer/objects/shader_counter.h"
#include "layer/objects/shader_modules.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

namespace {

using Shaders = ShadersTogether<KeptPipeline>::Shaders;

constexpr char kCommand[] = "vkCreateShadersEXT";

class KeptObjects final : public KeptPipeline {
public:
    explicit KeptObjects(Shaders shaders)
        : KeptPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, shaders[0]->layout), m_shaders(std::move(shaders))
    {
        for (const std::shared_ptr<const KeptShader>& shader : m_shaders)
            cannotKeep(kCommand, shader->notKept);
    }

    bool hasDynamicInput() const override { return true; }
    bool hasTask() const override { return hasStage(codeOf(), spv::ExecutionModel::TaskEXT); }
    Restart primitiveRestart() const override { return Restart::Dynamic; }
    bool fits() const override
    {
        const std::lock_guard lock(m_mutex);
        if (!m_fits)
            m_fits = commands::fitTogether(codeOf());
        return *m_fits;
    }

protected:
    VkResult create(const commands::Layout& layout, const commands::VertexInput& input,
                    VariantHandles& out) const override
    {
        const std::vector<commands::StageCode> code = codeOf();
        if (const char* obstacle = obstacleOf(code, layout))
            return refuse(obstacle);
        const auto variants = commands::makeDrawVariant(code, layout, targetOf(device(), code), input);
        if (!variants)
            return refuse(variants.error().text());
        if (runsMeshes(device(), code))
            return device().pipelineMaker->createDrawer(m_shaders, wordsOf(*variants), out.drawer);
        for (size_t i = 0; i < m_shaders.size(); ++i) {
            VkShaderEXT made = VK_NULL_HANDLE;
            const VkResult result = createOne(*m_shaders[i], (*variants)[i].words, made);
            if (result != VK_SUCCESS)
                return result;
            out.stages.push_back(m_shaders[i]->stage);
            out.shaders.push_back(made);
            device().names.set(VK_OBJECT_TYPE_SHADER_EXT, made, {"variant for generated commands"});
        }
        return VK_SUCCESS;
    }

private:
    std::vector<commands::StageCode> codeOf() const
    {
        std::vector<commands::StageCode> code;
        for (const std::shared_ptr<const KeptShader>& shader : m_shaders)
            code.push_back({*modelOf(shader->stage), shader->entryPoint, shader->words});
        return code;
    }

    VkResult createOne(const KeptShader& shader, const spirv::Words& words, VkShaderEXT& out) const
    {
        const VkPushConstantRange range{sequenceStages(device()), 0, sizeof(abi::SequenceArguments)};
        // Identically defined for all of them (VUID-vkCmdDraw-None-08879).
        const std::vector<VkDescriptorSetLayout> sets = m_shaders[0]->setHandles();
        VkShaderCreateInfoEXT info = shader.createInfo(words, sets, range);
        ReplacedCode counted;
        if (device().shaderCounter)
            device().shaderCounter->count({&info, 1}, counted);
        return device().table.CreateShadersEXT(device().handle, 1, &info, runtime::hostMemory(), &out);
    }

    const Shaders m_shaders;
    // Not std::call_once(): what is thrown cannot pass the C library's part of that.
    mutable std::mutex m_mutex;
    mutable std::optional<bool> m_fits;
};

// A compute pipeline does the same as a shader object.
std::shared_ptr<KeptPipeline> keepCompute(const KeptShader& shader)
{
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.pNext = shader.chain.get();
    info.stage.flags = shader.stageFlags();
    info.stage.stage = shader.stage;
    info.stage.pName = shader.entryPoint.c_str();
    info.stage.pSpecializationInfo = shader.constants();
    std::shared_ptr<KeptPipeline> kept =
        keep(shader.layout, std::make_shared<const std::vector<uint32_t>>(shader.words), info);
    kept->cannotKeep(kCommand, shader.notKept);
    return kept;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateShadersEXT(VkDevice handle, uint32_t count,
                                                const VkShaderCreateInfoEXT* pCreateInfos,
                                                const VkAllocationCallbacks* pAllocator, VkShaderEXT* pShaders)
{
    Device& device = Device::of(handle);
    DriverShaders infos(device, {pCreateInfos, count});
    ReplacedCode code;
    PipelineMaker* const maker = device.pipelineMaker.get();
    VkResult result = maker ? maker->replaceShaders(infos.infos(), code) : VK_SUCCESS;
    if (result != VK_SUCCESS) {
        std::fill_n(pShaders, count, VkShaderEXT{});
        return result;
    }
    if (device.shaderCounter)
        device.shaderCounter->count(infos.infos(), code);
    result = device.table.CreateShadersEXT(handle, count, infos.data(), pAllocator, pShaders);
    for (uint32_t i = 0; i < count; ++i) {
        if (pShaders[i] && device.usesCommands())
            device.generatedCommands->shaders.created(pCreateInfos[i], pShaders[i]);
        if (pShaders[i] && maker)
            maker->shaderCreated(pCreateInfos[i], pShaders[i]);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL DestroyShaderEXT(VkDevice handle, VkShaderEXT shader,
                                            const VkAllocationCallbacks* pAllocator)
{
    Device& device = Device::of(handle);
    if (device.usesCommands())
        device.generatedCommands->shaders.destroyed(shader);
    if (device.pipelineMaker)
        device.pipelineMaker->shaderDestroyed(shader);
    device.table.DestroyShaderEXT(handle, shader, pAllocator);
}

}  // namespace

void ShaderObjects::created(const VkShaderCreateInfoEXT& info, VkShaderEXT shader)
{
    constexpr VkShaderStageFlags kMesh = VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT;
    const bool isOurs = info.stage == VK_SHADER_STAGE_COMPUTE_BIT ||
                        (modelOf(info.stage) && (m_device.support.generatedMeshDraws || !(info.stage & kMesh)));
    if (!isOurs || info.codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT)
        return;
    m_shaders.created(m_device, info, shader);
}

VkShaderStageFlags ShaderObjects::stageOf(VkShaderEXT shader) const
{
    const KeptShader* kept = m_shaders.find(shader);
    return kept ? VkShaderStageFlags{kept->stage} : 0;
}

std::shared_ptr<KeptPipeline> ShaderObjects::find(std::vector<VkShaderEXT> shaders)
{
    return m_shaders.find(std::move(shaders), [this](Shaders kept) { return create(std::move(kept)); });
}

std::shared_ptr<KeptPipeline> ShaderObjects::create(Shaders ordered) const
{
    if (std::ranges::count(ordered, nullptr) > 0)
        return nullptr;
    std::ranges::sort(ordered, {}, [](const auto& shader) { return shader->stage; });
    if (ordered.empty())
        return nullptr;
    if (ordered[0]->stage == VK_SHADER_STAGE_COMPUTE_BIT)
        return ordered.size() == 1 ? keepCompute(*ordered[0]) : nullptr;
    const auto has = [&](VkShaderStageFlagBits stage) {
        return std::ranges::any_of(ordered, [=](const auto& shader) { return shader->stage == stage; });
    };
    if (has(VK_SHADER_STAGE_VERTEX_BIT) == has(VK_SHADER_STAGE_MESH_BIT_EXT))
        return nullptr;
    return std::make_shared<KeptObjects>(std::move(ordered));
}

EntryPoints shaderObjectEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CreateShadersEXT, kUseCommands | kUseMesh | kUseMeshCounts),
        MILLRACE_ENTRY(DestroyShaderEXT, kUseCommands | kUseMesh),
    };
    return entries;
}

}  // namespace millrace::layer
