// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/kept_pipeline.h"

#include <utility>

#include "layer/loader/device.h"
#include "runtime/host_memory.h"

namespace millrace::layer {

KeptPipeline::KeptPipeline(VkPipelineBindPoint bindPoint, std::shared_ptr<SequenceLayout> layout)
    : m_bindPoint(bindPoint), m_layout(std::move(layout))
{
}

KeptPipeline::~KeptPipeline()
{
    for (const Known& known : m_variants) {
        device().table.DestroyPipeline(device().handle, known.handles.pipeline, runtime::hostMemory());
        for (VkShaderEXT shader : known.handles.shaders)
            device().table.DestroyShaderEXT(device().handle, shader, runtime::hostMemory());
    }
}

std::string KeptPipeline::name() const
{
    std::lock_guard lock(m_mutex);
    return m_name;
}

void KeptPipeline::setName(std::string name)
{
    std::lock_guard lock(m_mutex);
    m_name = std::move(name);
}

void KeptPipeline::cannotKeep(const char* command, const StructureTypes& types)
{
    m_command = command;
    addStructures(m_notKept, types);
}

void KeptPipeline::tellWhatIsNotKept() const
{
    device().tellUnknown(m_command, m_notKept, kMadeLater);
}

VkResult KeptPipeline::get(const commands::Layout& layout, const commands::VertexInput& input,
                           const VariantHandles*& out)
{
    std::lock_guard lock(m_mutex);
    const bool hasInput = hasDynamicInput() && pullsVertices(layout);
    const commands::VertexInput key = hasInput ? input : commands::VertexInput();
    for (const Known& known : m_variants)
        if (known.layout == layout && known.input == key) {
            out = &known.handles;
            return VK_SUCCESS;
        }
    tellWhatIsNotKept();
    Known& known = m_variants.emplace_back(Known{layout, key, {}});
    const VkResult result = create(layout, key, known.handles);
    if (result != VK_SUCCESS) {
        for (VkShaderEXT shader : known.handles.shaders)
            device().table.DestroyShaderEXT(device().handle, shader, runtime::hostMemory());
        m_variants.pop_back();
        return result;
    }
    if (known.handles.pipeline)
        device().names.set(VK_OBJECT_TYPE_PIPELINE, known.handles.pipeline, {"variant for generated commands"});
    out = &known.handles;
    return VK_SUCCESS;
}

std::shared_ptr<KeptPipeline> KeptPipeline::withFrontFace(VkFrontFace face)
{
    std::lock_guard lock(m_mutex);
    std::shared_ptr<KeptPipeline>& own = m_faces[face == VK_FRONT_FACE_CLOCKWISE];
    if (!own && (own = createWithFrontFace(face)))
        own->cannotKeep(m_command, m_notKept);
    if (own)
        own->setName(m_name);
    return own;
}

bool pullsVertices(const commands::Layout& layout)
{
    return !layout.vertexBuffers.empty() || layout.indexBuffer;
}

VkResult KeptPipeline::refuse(const std::string& reason) const
{
    device().messages().error("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, device().handle),
                              "a pipeline cannot run generated commands: " + reason,
                              "docs/generated-commands.md says what pipelines can");
    return VK_ERROR_UNKNOWN;
}

}  // namespace millrace::layer
