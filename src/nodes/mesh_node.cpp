// SPDX-License-Identifier: Apache-2.0
#include "nodes/mesh_node.h"

#include <algorithm>
#include <vector>

#include "abi/mesh_nodes.h"
#include "nodes/collector.h"
#include "nodes/passes/inline_payload_functions.h"
#include "nodes/passes/lower_mesh_payload.h"
#include "nodes/passes/lower_payloads.h"
#include "nodes/passes/lower_push_constants.h"
#include "nodes/passes/make_payloads_coherent.h"
#include "nodes/passes/order_payload_memory.h"
#include "nodes/passes/reflect_node.h"
#include "nodes/passes/reflect_outputs.h"
#include "nodes/passes/reject_unsupported.h"
#include "nodes/passes/split_payload_copies.h"
#include "nodes/passes/upgrade_module.h"
#include "nodes/prepare.h"
#include "nodes/source_module.h"
#include "shader/globals.h"
#include "spirv/edit.h"

namespace millrace::nodes {

namespace {

constexpr std::string_view kPass = "compileMeshNode";
constexpr uint32_t kImplicitPayloadBytes = 12;  // a grid of three words

Status inlineFunctions(NodeShader& shader)
{
    const Status status = inlinePayloadFunctions(shader.module);
    return status ? findEntry(shader) : status;
}

// What the module declares, of the extension still.
Status read(NodeShader& shader, const Options& options)
{
    Status status;
    if (!options.checks.isValid)
        status = rejectInvalid(shader.module);
    if (status)
        status = spirv::specialize(shader.module, options.request.specialization);
    if (status)
        status = inlineFunctions(shader);
    if (status)
        status = upgradeModule(shader);
    if (status)
        status = reflectNode(shader, options.request);
    if (status)
        status = splitPayloadCopies(shader);
    if (status)
        status = reflectOutputs(shader);
    return status;
}

// What graphs cannot do with mesh shaders.
Status checkNode(const graph::NodeDeclaration& node)
{
    const auto refuse = [&](std::string_view where, std::string_view why) -> Status {
        return Diagnostic{std::string(kPass), std::string(where), std::string(why)};
    };
    if (node.mode == graph::LaunchMode::Coalescing)
        return refuse("CoalescingAMDX", "a mesh node must not declare it");
    if (!node.outputs.empty())
        return refuse("node '" + node.outputs.front().targetName + "'", "a mesh node must not send payloads");
    if (node.usesFinishWriting)
        return refuse("OpFinishWritingNodePayloadAMDX", "is not supported in mesh nodes");
    if (node.mode == graph::LaunchMode::Dynamic && node.grid.offsetBytes % node.grid.componentBytes != 0)
        return refuse("payload", "of mesh nodes the grid must be at a multiple of the size of its components");
    return {};
}

// Inputs and outputs that the passes for nodes, which have none, drop where no code uses them: stages declare them for
// each other.
class Interface {
public:
    explicit Interface(const spirv::Module& module)
    {
        const spirv::Instruction& entryPoint = module.section(spirv::Section::EntryPoints).at(0);
        for (size_t o = 3; o < entryPoint.operandCount(); ++o) {
            const spv::StorageClass storage = module.storageOf(module.typeOf(entryPoint.id(o)));
            if (storage == spv::StorageClass::Output)
                m_variables.push_back(entryPoint.id(o));
        }
    }

    void restore(spirv::Module& module) const
    {
        spirv::Instruction& entryPoint = module.section(spirv::Section::EntryPoints).at(0);
        for (const spirv::Id variable : m_variables) {
            bool isListed = false;
            for (size_t o = 3; o < entryPoint.operandCount(); ++o)
                isListed |= entryPoint.id(o) == variable;
            if (!isListed && module.findDefinition(variable))
                entryPoint.add(variable);
        }
    }

private:
    std::vector<spirv::Id> m_variables;
};

Status lower(NodeShader& shader, const Options& options, uint32_t strideBytes)
{
    const Interface interface(shader.module);
    Status status = makePayloadsCoherent(shader);
    if (status)
        status = lowerMeshBuiltIns(shader);
    if (status)
        status = lowerPayloads(shader);
    if (status)
        status = lowerPushConstants(shader, options.request);
    if (status)
        status = orderPayloadMemory(shader);
    if (status)
        status = lowerMeshPayload(shader, strideBytes);
    if (status && !options.target.longIntegers)
        status = spirv::splitLongIntegers(shader.module);
    if (!status)
        return status;
    spirv::setForgottenOutputs(shader.module);
    shader::updateInterface(shader.module, shader.entry);
    interface.restore(shader.module);
    spirv::orderGlobals(shader.module);
    return {};
}

uint32_t strideOf(const graph::NodeDeclaration& node)
{
    return (node.payloadBytes + abi::kMeshPayloadAlignment - 1) / abi::kMeshPayloadAlignment *
           abi::kMeshPayloadAlignment;
}

}  // namespace

Result<MeshNode> compileMeshNode(std::span<const uint32_t> words, const Options& options, uint32_t maxGroups)
{
    auto module = SourceModule(words).extract(options.request.entryPoint, spv::ExecutionModel::MeshEXT);
    if (!module)
        return module.error();
    NodeShader shader;
    shader.module = std::move(*module);
    Status status = read(shader, options);
    graph::NodeDeclaration& declared = shader.node.declared;
    if (status)
        status = checkNode(declared);
    if (!status)
        return status.error();
    MeshNode out;
    if (!declared.declaresPayload && declared.mode == graph::LaunchMode::Dynamic)
        declared.payloadBytes = kImplicitPayloadBytes;
    out.declared = declared;
    out.strideBytes = strideOf(out.declared);
    if (status = lower(shader, options, out.strideBytes); !status)
        return status.error();
    out.shader = spirv::write(shader.module);
    if (options.checks.validate) {
        if (status = spirv::validate(out.shader); !status)
            return status.error();
    }
    auto collector = makeCollector(out.declared, out.strideBytes, maxGroups);
    if (!collector)
        return collector.error();
    out.collector = std::move(*collector);
    return out;
}

graph::Node asMeshNode(graph::Node collector, const graph::NodeDeclaration& mesh)
{
    collector.declared.drawn = mesh.mode;
    collector.declared.entryPoint = mesh.entryPoint;
    collector.declared.payloadAlignment = mesh.payloadAlignment;
    return collector;
}

Result<spirv::Words> withoutNodes(std::span<const uint32_t> words, const std::string& entryPoint)
{
    auto module = spirv::read(words);
    if (!module)
        return module.error();
    if (const Status status = spirv::extractEntryPoint(*module, entryPoint, spv::ExecutionModel::Fragment); !status)
        return status.error();
    spirv::removeUnused(*module);
    module->removeCapability(spv::Capability::ShaderEnqueueAMDX);
    module->removeExtension("SPV_AMDX_shader_enqueue");
    module->addCapability(spv::Capability::Shader);
    return spirv::write(*module);
}

}  // namespace millrace::nodes
