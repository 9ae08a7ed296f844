// SPDX-License-Identifier: Apache-2.0
#include "tools/declared_node.h"

#include <algorithm>

#include "tools/modules.h"

namespace millrace::tools {

bool isMeshNode(const nodes::SourceModule& module, const std::string& entryPoint)
{
    return module.contains(entryPoint, spv::ExecutionModel::MeshEXT) &&
           !module.contains(entryPoint, spv::ExecutionModel::GLCompute);
}

Result<graph::Node> declaredNode(const spirv::Words& words, const nodes::Options& options, bool isMesh)
{
    if (isMesh) {
        auto collector = collectorOf(words, options);
        return collector ? Result<graph::Node>({std::move(collector->declared), {}}) : collector.error();
    }
    auto compiled = nodes::compile(words, options);
    return compiled ? Result<graph::Node>(std::move(compiled->node)) : compiled.error();
}

Result<Collector> collectorOf(const spirv::Words& words, const nodes::Options& options)
{
    // How many workgroups a draw may have is for the device to say, and where push constants go for a pipeline layout.
    nodes::Options own = options;
    own.request.pushConstantsInMemory = true;
    auto compiled = nodes::compileMeshNode(words, own, graph::kMaxGroups);
    if (!compiled)
        return compiled.error();
    Collector out{std::move(compiled->declared), std::move(compiled->collector), std::move(own)};
    out.options.request.entryPoint = "main";
    out.options.request.nodeName = out.declared.id.name;
    out.options.request.shaderIndex = out.declared.id.index;
    out.options.request.specialization.clear();
    return out;
}

}  // namespace millrace::tools
