// SPDX-License-Identifier: Apache-2.0
// From shader stages to nodes and their code.
#pragma once

#include <vulkan/vulkan.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/data_type.h"
#include "layer/base/content_hash.h"
#include "layer/graphs/node_code.h"
#include "layer/graphs/node_modules.h"
#include "nodes/fuse_graph.h"
#include "runtime/runtime.h"

namespace millrace::layer {

struct MeshNodePipeline;

// A node and its code. Shared by the library it was made for and every graph that includes it.
struct NodePipeline {
    graph::Node node;
    std::shared_ptr<NodeCode> code;  // also of other nodes
    ContentHash::Value content{};    // of the application's shader and all that it is created with, but for its name
    std::shared_ptr<MeshNodePipeline> mesh;  // what draws a mesh node, whose code collects; else null
    data::DataTypeRef payloadType;           // if somebody wants to look into payloads
};

// Fails with the reason if the layer has no code for the stage.
Result<NodeRequest> readStage(const Device& device, const VkPipelineShaderStageCreateInfo& stage,
                              const GraphLayout& layout);

// Of the payload that a node receives. Null if the module does not say; what it says wrong, compiling it has reported.
data::DataTypeRef payloadTypeOf(const NodeRequest& request, const graph::NodeDeclaration& node);

struct NodeResult {
    VkResult result = VK_SUCCESS;
    std::shared_ptr<NodePipeline> node;  // without code at first
    VkPipelineCreationFeedback feedback{};
    std::string message;  // why compiling failed
};

// The stages of one creation command, which become nodes in two steps, since the code of a node depends on the graph.
// Both work in parallel, and do for nodes that differ in name and index only once what can be done once.
class NodeBuilder {
public:
    // `flags` are those of the application's pipeline.
    NodeBuilder(Device& device, VkPipelineCache cache, VkPipelineCreateFlags2 flags,
                std::shared_ptr<GraphLayout> layout, std::vector<NodeRequest> requests);

    // First: what linking has to know. Per request.
    std::span<const NodeResult> prepare();
    // Lets consumers run inside their producers, where `graph`, whose first nodes are the requests, allows it. Returns
    // the graph linked again, which may have more nodes (nodes::fuseGraph), and then there are more requests.
    Result<graph::Graph> fuse(graph::Graph graph, bool all, std::vector<nodes::FusionOutcome>& outcomes);
    std::span<const NodeResult> results() const { return m_results; }
    // Then: their code. `traits` per request; empty for a library, which may become part of any graph. So `uses`, which
    // says what for each node's first pipeline is, if it needs one.
    std::span<const NodeResult> compile(std::span<const graph::CodeTraits> traits,
                                        std::span<const std::optional<graph::MemoryUse>> uses);

private:
    void prepareOne(size_t request);
    void addNode(size_t request);
    Result<nodes::FusedCode> fuseCode(const nodes::FusableNode& producer, const nodes::FusedOutput& output) const;
    void addCopyOf(size_t request);
    void checkOne(size_t request);
    void shareLowered();
    void compileOne(size_t request, graph::MemoryUse memory);

    Device& m_device;
    const NodeCode::Cache m_cache;
    const VkPipelineCreateFlags m_flags;
    const std::shared_ptr<GraphLayout> m_layout;
    std::vector<NodeRequest> m_requests;
    std::optional<NodeModules> m_modules;  // until all is prepared
    std::vector<size_t> m_owners;          // per request the first with the same code
    std::vector<std::shared_ptr<const nodes::PreparedNode>> m_prepared;
    std::vector<std::shared_ptr<LoweredCode>> m_lowered;
    std::vector<NodeResult> m_results;
};

// What each node's pipeline is most likely needed for: without the scheduler (if `leaves` run so) where only the API
// sends to a leaf. None if the node cannot get payloads, as one whose producers have all taken in its code, unless from
// the API.
std::vector<std::optional<graph::MemoryUse>> firstUses(const graph::Graph& graph, bool leaves);

// One for each use, for a dispatch that is recorded. What is made ahead (PipelinesAhead) is waited for. Without that,
// those that are missing are made, in parallel. Errors are those of NodeCode::get().
VkResult getPipelines(Device& device, std::span<const std::shared_ptr<NodePipeline>> nodes,
                      std::span<const runtime::PipelineUse> uses, std::vector<VkPipeline>& out);
VkResult getPipeline(Device& device, std::span<const std::shared_ptr<NodePipeline>> nodes,
                     const runtime::PipelineUse& use, VkPipeline& out);

}  // namespace millrace::layer
