// SPDX-License-Identifier: Apache-2.0
// Shaders that find the sequence they run for, and its push constants, by themselves. Vulkan's own types stay outside.
// Thread-safe: calls share nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

#include "base/result.h"
#include "commands/layout.h"
#include "commands/vertex_input.h"
#include "spirv/tools.h"

namespace millrace::commands {

// What variants have to know of the device. They need bufferDeviceAddress, and draws shaderDrawParameters. They
// compute addresses with 32-bit integers.
struct VariantTarget {
    // Locations that every stage can read and write: the least of maxVertexOutputComponents,
    // maxTessellationControlPerVertexOutputComponents and so on up to maxFragmentInputComponents, divided by 4.
    uint32_t interfaceLocations = 16;
};

// One stage of a graphics pipeline.
struct StageCode {
    spv::ExecutionModel model = spv::ExecutionModel::Vertex;
    std::string entryPoint = "main";
    spirv::Words words;
};

// The code of a compute shader that runs all sequences of a dispatch layout at once: a dispatch of
// abi::SequenceTable::groupCount workgroups or more, with abi::SequenceArguments as its only push constants. The entry
// point keeps its name, specialization constants their numbers. WorkgroupId, NumWorkgroups and GlobalInvocationId are
// those of the sequence. `words`: a valid module for Vulkan; Requires: layout.action is Dispatch. Errors: no such entry
// point, code that cannot be lowered.
Result<spirv::Words> makeDispatchVariant(std::span<const uint32_t> words, std::string_view entryPoint,
                                         const Layout& layout);

// All stages of a graphics pipeline with a vertex shader, or with a mesh shader where layout.action is of such draws,
// in their order, for one multi-draw-indirect over the application's stream: sequence SequenceArguments::firstSequence
// + DrawIndex. The shaders' own DrawIndex is 0. With hasDrawTable() the multi-draw is one over commands that kernels
// wrote, and abi::DrawEntry says the rest. Stages that need no change come back as they were (no push constants in use,
// nothing to hand on). The vertex shader fetches attributes of bindings that are in layout.vertexBuffers by itself;
// `vertexInput` has to say all of them, and may say others; the variant's pipeline goes without those bindings and
// attributes. What is behind the end of such a buffer is zero. With layout.indexBuffer the multi-draw is one of
// VkDrawIndirectCommand over the same records, so that the first members of VkDrawIndexedIndirectCommand are the
// counts, firstIndex as firstVertex, and vertexOffset as firstInstance. The vertex shader fetches its index then, and
// all attributes: those of other bindings from abi::BoundVertexBuffer. Indices behind the end are 0. Primitive restart
// is not there. Requires: layout.action is of draws. Errors as above; no location below
// VariantTarget::interfaceLocations is free in all stages; see pullVertices().
Result<std::vector<StageCode>> makeDrawVariant(std::vector<StageCode> stages, const Layout& layout,
                                               const VariantTarget& target, const VertexInput& vertexInput = {});

// The stages of several pipelines that differ in their shaders alone as those of one, each of which runs the code of
// the pipeline that the word at layout.combinedSet of its sequence's record means: the order of sequences stays,
// whichever pipelines they have. `members`: by that word; empty where there is no pipeline. A sequence without one
// draws nothing. The stages are in the order of the first member that there is, and have its names. Requires: vertex
// and fragment shaders whose specialization constants have their values. Errors as above; code that cannot be together,
// which the text says.
Result<std::vector<StageCode>> makeCombinedVariant(const std::vector<std::vector<StageCode>>& members,
                                                   const Layout& layout, const VariantTarget& target,
                                                   const VertexInput& vertexInput = {});

// True if each stage declares as outputs all locations and components that the next one declares as inputs: what does
// not fit may not draw (VUID-RuntimeSpirv-OpEntryPoint-08743). `stages`: of one draw, in any order. Also true for code
// that cannot be read.
bool fitTogether(const std::vector<StageCode>& stages);

}  // namespace millrace::commands
