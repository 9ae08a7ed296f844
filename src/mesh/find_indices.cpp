// SPDX-License-Identifier: Apache-2.0
// Which draws may have index buffers, and where their indices are.
#include <algorithm>
#include <bit>
#include <vector>

#include "abi/mesh.h"
#include "commands/interface_locations.h"
#include "mesh/passes.h"

namespace millrace::mesh {

namespace {

// The rasterizer reads them.
bool isRead(spv::BuiltIn builtIn)
{
    return builtIn == spv::BuiltIn::Layer || builtIn == spv::BuiltIn::ViewportIndex ||
           builtIn == spv::BuiltIn::PrimitiveShadingRateKHR;
}

bool readsWhatIsPerPrimitive(const commands::Variant& mesh, const MeshOutputs& outputs,
                             const commands::Variant& fragment)
{
    std::vector<spirv::Id> handedOn;
    for (const Output& output : outputs.variables)
        if (output.isPerPrimitive && !output.isBuiltIn)
            handedOn.push_back(output.variable);
    return commands::readsLocations(mesh, handedOn, fragment);
}

uint32_t offsetOf(const commands::Variant& mesh, const OutputAreas& areas, const BuiltInOutput& builtIn)
{
    std::vector<uint32_t> members;
    if (builtIn.member)
        members.push_back(*builtIn.member);
    return areas.primitive.offsetOf(mesh.module, areas.members[builtIn.output], members);
}

}  // namespace

std::optional<MeshIndices> findIndices(const commands::Variant& mesh, const MeshOutputs& outputs,
                                       const OutputAreas& areas, const PrimitiveInputs& inputs,
                                       const commands::Variant* fragment, uint32_t viewMask)
{
    const BuiltInOutput* const own = outputs.findIndices();
    const BuiltInOutput* const cull = outputs.find(spv::BuiltIn::CullPrimitiveEXT);
    const bool isRasterized =
        std::ranges::any_of(outputs.builtIns, [](const BuiltInOutput& output) { return isRead(output.builtIn); });
    if (!own || viewMask != 0 || isRasterized || inputs.primitiveId ||
        (fragment && readsWhatIsPerPrimitive(mesh, outputs, *fragment)))
        return std::nullopt;
    MeshIndices indices;
    indices.mostPrimitives = outputs.maxPrimitives;
    // One number more than there are vertices: that of what is culled.
    indices.vertexBits = static_cast<uint32_t>(std::bit_width(outputs.maxVertices));
    if (areas.hasOffset(outputs))
        indices.primitivesOffset = areas.primitivesOffset(outputs);
    else
        indices.vertexBytes = areas.vertex.stride();
    indices.primitiveBytes = areas.primitive.stride();
    indices.indicesOffset = offsetOf(mesh, areas, *own);
    indices.cullOffset = cull ? offsetOf(mesh, areas, *cull) : abi::kNeverCulled;
    return indices;
}

}  // namespace millrace::mesh
