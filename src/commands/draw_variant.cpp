// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "commands/fetch_push_constants.h"
#include "commands/hand_on_sequence.h"
#include "commands/interface_locations.h"
#include "commands/pull_indices.h"
#include "commands/pull_vertices.h"
#include "commands/shader_variants.h"
#include "commands/variant.h"

namespace millrace::commands {

using spirv::Id;

namespace {

// What there is to do in a stage.
struct StageNeeds {
    Id pushConstants;
    bool ownSequence = false;  // of its push constants
    bool drawIndex = false;    // reads DrawIndex, which would no longer be 0
    bool vertices = false;     // fetches attributes
    bool indices = false;      // fetches its index
};

// The stages up to the last one that asks for the sequence hand it on.
struct DrawShaders {
    std::vector<Variant> stages;
    std::vector<StageNeeds> needs;
    std::optional<uint32_t> last;  // its rank

    bool sends(size_t stage) const { return last && rankOf(stages[stage].model) < *last; }
    bool hasTasks() const { return std::ranges::count(stages, spv::ExecutionModel::TaskEXT, &Variant::model) > 0; }
    bool sendsAny() const
    {
        for (size_t s = 0; s < stages.size(); s++) {
            if (sends(s)) {
                return true;
            }
        }
        return false;
    }
    bool fetches(size_t stage) const { return needs[stage].vertices || needs[stage].indices; }
    bool receives(size_t stage) const { return sends(stage) || needs[stage].ownSequence || fetches(stage); }
    bool changes(size_t stage) const
    {
        return needs[stage].pushConstants || needs[stage].drawIndex || fetches(stage) || sends(stage);
    }
};

// The stages that a draw begins with, which know it by DrawIndex.
bool knowsDraw(spv::ExecutionModel model)
{
    return model == spv::ExecutionModel::Vertex || model == spv::ExecutionModel::TaskEXT ||
           model == spv::ExecutionModel::MeshEXT;
}

Status addStage(DrawShaders& shaders, const StageCode& code, const Layout& layout, const VertexInput& vertexInput)
{
    auto variant = readStage(code.words, code.entryPoint, code.model);
    if (!variant) {
        return variant.error();
    }
    const auto block = findPushConstants(variant->module);
    if (!block) {
        return block.error();
    }
    StageNeeds needs{.pushConstants = *block};
    needs.ownSequence = *block && dependsOnSequence(variant->module, *block, stageBit(code.model), layout);
    needs.drawIndex = knowsDraw(code.model) && readsDrawIndex(variant->module);
    needs.vertices = code.model == spv::ExecutionModel::Vertex && readsVertices(variant->module, layout, vertexInput);
    needs.indices = code.model == spv::ExecutionModel::Vertex && layout.indexBuffer &&
                    (needs.vertices || readsIndex(variant->module));
    if (needs.ownSequence) {
        shaders.last = std::max(shaders.last.value_or(0), rankOf(code.model));
    }
    shaders.stages.push_back(std::move(*variant));
    shaders.needs.push_back(needs);
    return {};
}

// Each step puts what it has for the start of the entry point in front of what was put there before. So handOnSequence,
// which finds the sequence, must come last, and pullIndices behind pullVertices, which asks for the index.
Status changeStage(Variant& variant, const StageNeeds& needs, const SequenceRoute& route, const Layout& layout,
                   const VertexInput& vertexInput)
{
    if (const Status status = declareArguments(variant); !status) {
        return status;
    }
    if (needs.pushConstants) {
        if (const Status status = fetchPushConstants(variant, needs.pushConstants, layout); !status) {
            return status;
        }
    }
    if (knowsDraw(variant.model)) {
        const Status status = isCounted(layout.action) ? fetchDrawIndex(variant) : lowerDrawIndex(variant.module);
        if (!status) {
            return status;
        }
    }
    if (needs.vertices) {
        if (const Status status = pullVertices(variant, layout, vertexInput); !status) {
            return status;
        }
    }
    if (needs.indices) {
        if (const Status status = pullIndices(variant, layout); !status) {
            return status;
        }
    }
    return handOnSequence(variant, route, layout);
}

}  // namespace

Result<std::vector<StageCode>> makeDrawVariant(std::vector<StageCode> stages, const Layout& layout,
                                               const VariantTarget& target, const VertexInput& vertexInput)
{
    DrawShaders shaders;
    for (const StageCode& code : stages) {
        if (const Status status = addStage(shaders, code, layout, vertexInput); !status) {
            return status.error();
        }
    }
    std::optional<uint32_t> location = 0;
    if (shaders.sendsAny()) {
        location = findFreeLocation(shaders.stages, target.interfaceLocations);
    }
    if (!location) {
        return Diagnostic{"commands",
                          {},
                          "no location below " + std::to_string(target.interfaceLocations) +
                              " is free in all stages, to hand on the number of the sequence"};
    }
    for (size_t s = 0; s < stages.size(); s++) {
        if (!shaders.changes(s)) {
            continue;
        }
        const SequenceRoute route{*location, shaders.receives(s), shaders.sends(s), shaders.hasTasks()};
        if (const Status status = changeStage(shaders.stages[s], shaders.needs[s], route, layout, vertexInput);
            !status) {
            return status.error();
        }
        stages[s].words = finishVariant(shaders.stages[s]);
    }
    return stages;
}

}  // namespace millrace::commands
