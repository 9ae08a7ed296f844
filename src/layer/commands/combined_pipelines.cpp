// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/combined_pipelines.h"

#include <algorithm>
#include <utility>

#include "commands/shader_variants.h"
#include "layer/commands/graphics_variants.h"
#include "layer/loader/device.h"

namespace millrace::layer {

namespace {

const std::shared_ptr<KeptPipeline>& firstOf(const CombinedPipelines::Members& members)
{
    return *std::ranges::find_if(members, [](const auto& member) { return bool(member); });
}

// Who changes a set again and again would wait for the compiler each time.
constexpr uint32_t kMostCombinations = 8;

// In what a set's pipelines have beside their shaders and the driver's state.
bool areAlike(const KeptPipeline& a, const KeptPipeline& b)
{
    return a.bindPoint() == b.bindPoint() && a.hasDynamicInput() == b.hasDynamicInput() &&
           a.staticInput() == b.staticInput() && a.primitiveRestart() == b.primitiveRestart();
}

}  // namespace

CombinedPipelines::CombinedPipelines(Members members)
    : KeptPipeline(VK_PIPELINE_BIND_POINT_GRAPHICS, firstOf(members)->sharedLayout()),
      m_members(std::move(members)),
      m_first(firstOf(m_members))
{
}

const VariantHandles* CombinedPipelines::find(const commands::Layout& layout, const commands::VertexInput& input)
{
    Failed wanted{layout, hasDynamicInput() && pullsVertices(layout) ? input : commands::VertexInput()};
    if (hasFailed(wanted))
        return nullptr;
    const VariantHandles* variant = nullptr;
    if (get(layout, wanted.input, variant) == VK_SUCCESS)
        return variant;
    rememberFailed(std::move(wanted));
    return nullptr;
}

bool CombinedPipelines::hasFailed(const Failed& wanted) const
{
    std::lock_guard lock(m_obstacleMutex);
    return std::ranges::any_of(
        m_failed, [&](const Failed& failed) { return failed.layout == wanted.layout && failed.input == wanted.input; });
}

void CombinedPipelines::rememberFailed(Failed failed)
{
    std::string obstacle;
    {
        std::lock_guard lock(m_obstacleMutex);
        m_failed.push_back(std::move(failed));
        if (m_failed.size() > 1)
            return;
        obstacle = m_obstacle;
    }
    device().messages().info("Millrace-generated-commands", objectReference(VK_OBJECT_TYPE_DEVICE, device().handle),
                             "pipelines of an execution set are not drawn with as one: " + obstacle,
                             "Draws that keep the order of sequences take longer then, see "
                             "docs/generated-commands.md");
}

VkResult CombinedPipelines::hinder(std::string why) const
{
    std::lock_guard lock(m_obstacleMutex);
    m_obstacle = std::move(why);
    return VK_ERROR_UNKNOWN;
}

// All state of the members but their shaders is the same (VUID-VkWriteIndirectExecutionSetPipelineEXT-pipeline-11029).
VkResult CombinedPipelines::create(const commands::Layout& layout, const commands::VertexInput& input,
                                   VariantHandles& out) const
{
    std::vector<std::vector<commands::StageCode>> codes;
    for (const std::shared_ptr<KeptPipeline>& member : m_members) {
        std::vector<commands::StageCode>& code = codes.emplace_back();
        if (!member)
            continue;
        member->tellWhatIsNotKept();
        code = member->settledCode();
        if (code.empty())
            return hinder("the layer does not have the code of one of them as graphics pipelines have it");
    }
    const commands::VertexInput& used = m_first->hasDynamicInput() ? input : m_first->staticInput();
    const std::vector<commands::StageCode>& first =
        codes[static_cast<size_t>(std::ranges::find(m_members, m_first) - m_members.begin())];
    const auto code = commands::makeCombinedVariant(codes, layout, targetOf(device(), first), used);
    if (!code)
        return hinder(code.error().message);
    const VkResult result = m_first->createOf(*code, layout, out);
    return result == VK_SUCCESS ? result : hinder("the driver does not make a pipeline of all of them");
}

std::shared_ptr<CombinedPipelines> Combination::of(const Members& members)
{
    std::lock_guard lock(m_mutex);
    if (m_combined && m_combined->members() == members)
        return m_combined;
    const auto first = std::ranges::find_if(members, [](const auto& member) { return bool(member); });
    const auto isAlike = [&](const auto& member) { return !member || areAlike(*member, **first); };
    if (first == members.end() || m_count == kMostCombinations || !std::ranges::all_of(members, isAlike))
        return nullptr;
    ++m_count;
    m_combined = std::make_shared<CombinedPipelines>(members);
    return m_combined;
}

}  // namespace millrace::layer
