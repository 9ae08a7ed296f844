// SPDX-License-Identifier: Apache-2.0
// A pipeline or shader objects of the application, as far as variants of them can be made for layouts of generated
// commands.
#pragma once

#include <vulkan/vulkan.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "commands/layout.h"
#include "commands/shader_variants.h"
#include "commands/vertex_input.h"
#include "layer/chains/unknown_structures.h"
#include "layer/objects/pipeline_layouts.h"
#include "layer/objects/pipeline_maker.h"

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
    std::shared_ptr<SequenceLayout> sharedLayout() const { return m_layout; }
    // That the application gave it, where a trace wants to know; else empty.
    std::string name() const;
    void setName(std::string name);

    // Before others have it: structures of the command that created it which it has no copy of.
    void cannotKeep(const char* command, const StructureTypes& types);
    // That what is made of it goes without them.
    void tellWhatIsNotKept() const;

    // True if the vertex input is what vkCmdSetVertexInputEXT sets.
    virtual bool hasDynamicInput() const { return false; }
    // What it is if not.
    virtual commands::VertexInput staticInput() const { return {}; }
    enum class Restart { Off, On, Dynamic };
    virtual Restart primitiveRestart() const { return Restart::Off; }
    virtual bool hasTask() const { return false; }
    // False if its stages may not draw together (commands::fitTogether()).
    virtual bool fits() const { return true; }

    // The code of a graphics pipeline's stages, in which specialization constants have their values; none of what is no
    // graphics pipeline.
    virtual std::vector<commands::StageCode> settledCode() const { return {}; }
    // A variant for the layout, with all state of this one and other code of the same stages: of settledCode().
    virtual VkResult createOf(const std::vector<commands::StageCode>&, const commands::Layout&, VariantHandles&) const
    {
        return VK_ERROR_UNKNOWN;
    }

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
    const char* m_command = "";  // that created it
    StructureTypes m_notKept;
    mutable std::recursive_mutex m_mutex;  // a callback of the application's may ask again, though Vulkan forbids it
    std::string m_name;
    std::deque<Known> m_variants;
    std::shared_ptr<KeptPipeline> m_faces[2];  // by VkFrontFace, null before somebody asks
};

// True if variants for the layout fetch attributes themselves.
bool pullsVertices(const commands::Layout& layout);

}  // namespace millrace::layer
