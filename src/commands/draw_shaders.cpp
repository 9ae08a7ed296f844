// SPDX-License-Identifier: Apache-2.0
#include "commands/draw_shaders.h"

#include <algorithm>
#include <string>
#include <utility>

#include "commands/fetch_push_constants.h"
#include "commands/interface_locations.h"
#include "commands/pull_indices.h"
#include "commands/pull_vertices.h"

namespace millrace::commands {

using spirv::Id;

namespace {

// The stages that a draw begins with, which know it by DrawIndex.
bool knowsDraw(spv::ExecutionModel model)
{
    return model == spv::ExecutionModel::Vertex || model == spv::ExecutionModel::TaskEXT ||
           model == spv::ExecutionModel::MeshEXT;
}

}  // namespace

Status DrawShaders::add(const StageCode& code, const Layout& layout, const VertexInput& vertexInput)
{
    auto variant = readStage(code.words, code.entryPoint, code.model);
    if (!variant)
        return variant.error();
    const auto block = findPushConstants(variant->module);
    if (!block)
        return block.error();
    StageNeeds needs{.pushConstants = *block};
    needs.ownSequence = *block && dependsOnSequence(variant->module, *block, stageBit(code.model), layout);
    needs.drawIndex = knowsDraw(code.model) && readsDrawIndex(variant->module);
    needs.vertices = code.model == spv::ExecutionModel::Vertex && readsVertices(variant->module, layout, vertexInput);
    needs.indices = code.model == spv::ExecutionModel::Vertex && layout.indexBuffer &&
                    (needs.vertices || readsIndex(variant->module));
    m_stages.push_back(std::move(*variant));
    m_needs.push_back(needs);
    if (needs.ownSequence)
        demandSequence(m_stages.size() - 1);
    return {};
}

void DrawShaders::demandSequence(size_t stage)
{
    m_needs[stage].ownSequence = true;
    m_last = std::max(m_last.value_or(0), rankOf(m_stages[stage].model));
}

Status DrawShaders::findLocation(const VariantTarget& target)
{
    if (!sendsAny())
        return {};
    const std::optional<uint32_t> location = findFreeLocation(m_stages, target.interfaceLocations);
    if (!location) {
        return Diagnostic{"commands",
                          {},
                          "no location below " + std::to_string(target.interfaceLocations) +
                              " is free in all stages, to hand on the number of the sequence"};
    }
    m_location = *location;
    return {};
}

bool DrawShaders::sendsAny() const
{
    for (size_t s = 0; s < m_stages.size(); ++s)
        if (sends(s))
            return true;
    return false;
}

bool DrawShaders::hasTasks() const
{
    return std::ranges::count(m_stages, spv::ExecutionModel::TaskEXT, &Variant::model) > 0;
}

bool DrawShaders::changes(size_t stage) const
{
    return m_needs[stage].pushConstants || m_needs[stage].drawIndex || receives(stage);
}

SequenceRoute DrawShaders::route(size_t stage) const
{
    return {m_location, receives(stage), sends(stage), hasTasks()};
}

Status DrawShaders::change(size_t stage, const Layout& layout, const VertexInput& vertexInput)
{
    Variant& variant = m_stages[stage];
    const StageNeeds& needs = m_needs[stage];
    if (const Status status = declareArguments(variant); !status)
        return status;
    if (needs.pushConstants) {
        if (const Status status = fetchPushConstants(variant, needs.pushConstants, layout); !status)
            return status;
    }
    if (knowsDraw(variant.model)) {
        const Status status =
            isCounted(layout.action) ? fetchDrawIndex(variant, layout) : lowerDrawIndex(variant.module);
        if (!status)
            return status;
    }
    if (needs.vertices) {
        if (const Status status = pullVertices(variant, layout, vertexInput); !status)
            return status;
    }
    // Behind pullVertices(), which asks for the index.
    return needs.indices ? pullIndices(variant, layout) : Status();
}

}  // namespace millrace::commands
