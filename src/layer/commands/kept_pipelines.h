// SPDX-License-Identifier: Apache-2.0
// Pipelines and shader objects of the application, as far as variants of them can be made for layouts of generated
// commands.
#pragma once

#include <vulkan/vulkan.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "commands/layout.h"
#include "commands/vertex_input.h"
#include "layer/base/registry.h"
#include "layer/commands/indirect_pipelines.h"
#include "layer/commands/shader_groups.h"
#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/pipeline_maker.h"
#include "layer/objects/pipeline_observer.h"

namespace millrace::layer {

// What is bound to run generated commands: a pipeline, or else shader objects. Where the layer runs mesh shaders
// nothing is bound, and draws are given to `drawer`.
struct VariantHandles {
    VkPipeline pipeline = VK_NULL_HANDLE;
    std::vector<VkShaderStageFlagBits> stages;
    std::vector<VkShaderEXT> shaders;
    std::shared_ptr<const ListDrawer> drawer;
};

// Everything that its creation was given, which may be gone since: of a pipeline, or of shader objects that are bound
// together. Thread-safe.
class KeptPipeline {
public:
    KeptPipeline(VkPipelineBindPoint bindPoint, std::shared_ptr<SequenceLayout> layout);
    virtual ~KeptPipeline();
    KeptPipeline(const KeptPipeline&) = delete;
    KeptPipeline& operator=(const KeptPipeline&) = delete;

    VkPipelineBindPoint bindPoint() const { return m_bindPoint; }
    const SequenceLayout& layout() const { return *m_layout; }

    // True if the vertex input is what vkCmdSetVertexInputEXT sets.
    virtual bool hasDynamicInput() const { return false; }
    // What it is if not.
    virtual commands::VertexInput staticInput() const { return {}; }
    enum class Restart { Off, On, Dynamic };
    virtual Restart primitiveRestart() const { return Restart::Off; }
    virtual bool hasTask() const { return false; }
    // False if its stages may not draw together (commands::fitTogether()).
    virtual bool fits() const { return true; }

    // The same with another front face, which no command sets then. Null for what has none. Lives as long as this.
    std::shared_ptr<KeptPipeline> withFrontFace(VkFrontFace face);

    // The variant for a layout that fits the bind point, made when it is first asked for; it lives as long as this.
    // `input`: what is set, where it is dynamic. Fails with an error of the driver's, or after a message of the
    // layer's.
    VkResult get(const commands::Layout& layout, const commands::VertexInput& input, const VariantHandles*& out);

protected:
    virtual VkResult create(const commands::Layout& layout, const commands::VertexInput& input,
                            VariantHandles& out) const = 0;
    virtual std::shared_ptr<KeptPipeline> createWithFrontFace(VkFrontFace) const { return nullptr; }
    Device& device() const { return m_layout->device; }
    std::shared_ptr<SequenceLayout> sharedLayout() const { return m_layout; }
    // Reports why there is no variant.
    VkResult refuse(const std::string& reason) const;

private:
    struct Known {
        commands::Layout layout;
        commands::VertexInput input;
        VariantHandles handles;
    };

    const VkPipelineBindPoint m_bindPoint;
    const std::shared_ptr<SequenceLayout> m_layout;
    std::recursive_mutex m_mutex;  // a callback of the application's may ask again, though Vulkan forbids it
    std::deque<Known> m_variants;
    std::shared_ptr<KeptPipeline> m_faces[2];  // by VkFrontFace, null before somebody asks
};

// True if variants for the layout fetch attributes themselves.
bool pullsVertices(const commands::Layout& layout);

// All pipelines of which variants can be made, since each may be used with generated commands: the flag
// VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT is for those of execution sets alone.
class KeptPipelines final : public PipelineObserver {
public:
    explicit KeptPipelines(Device& device) : m_device(device) {}

    void created(const VkComputePipelineCreateInfo& info, VkPipeline pipeline) override;
    void created(const VkGraphicsPipelineCreateInfo& info, VkPipeline pipeline) override;
    VkResult createParts(const VkGraphicsPipelineCreateInfo& info, VkPipelineCache cache, VkPipeline pipeline) override;
    VkPipeline findPart(VkPipeline pipeline, uint32_t number) const override;
    void destroyed(VkPipeline pipeline) override;

    // Null if it is not kept.
    std::shared_ptr<KeptPipeline> find(VkPipeline pipeline) const { return m_pipelines.share(handleId(pipeline)); }

    // Those of its shader groups in their order; none if it has none.
    std::vector<std::shared_ptr<KeptPipeline>> groupsOf(VkPipeline pipeline) const;
    bool isPart(VkPipeline pipeline, VkPipeline part) const;
    // Whose addresses streams name.
    const IndirectPipelines& indirect() const { return m_indirect; }

private:
    Device& m_device;
    Registry<KeptPipeline> m_pipelines;
    Registry<ShaderGroups> m_groups;
    IndirectPipelines m_indirect;
};

// Null if the layer does not have the code of all stages and libraries, or the driver refused the layout; likewise if
// the layouts of libraries have different sets and the structure does not say the layout of all.
std::shared_ptr<KeptPipeline> keep(Device& device, const VkComputePipelineCreateInfo& info);
std::shared_ptr<KeptPipeline> keep(Device& device, const VkGraphicsPipelineCreateInfo& info);

}  // namespace millrace::layer
