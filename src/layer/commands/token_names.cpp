// SPDX-License-Identifier: Apache-2.0
#include "layer/commands/token_names.h"

#include "layer/commands/indirect_layouts.h"

namespace millrace::layer {

namespace {

using commands::Action;

void add(std::vector<std::string>& names, const char* name, size_t count)
{
    if (count > 0)
        names.push_back(name + (count > 1 ? " x " + std::to_string(count) : std::string()));
}

// What sequences choose their pipeline by.
void addChoice(std::vector<std::string>& names, const IndirectLayout& layout)
{
    const bool isNv = layout.hasShaderGroups || layout.hasFrontFaces || layout.hasPipelineNumbers;
    add(names, "SHADER_GROUP", layout.hasShaderGroups);
    add(names, "STATE_FLAGS", layout.hasFrontFaces);
    add(names, "PIPELINE", layout.hasPipelineNumbers);
    add(names, "EXECUTION_SET", layout.layout.executionSet && !isNv);
}

}  // namespace

const char* nameOf(Action action)
{
    switch (action) {
        case Action::Dispatch:
            return "DISPATCH";
        case Action::Draw:
            return "DRAW";
        case Action::DrawIndexed:
            return "DRAW_INDEXED";
        case Action::DrawCount:
            return "DRAW_COUNT";
        case Action::DrawIndexedCount:
            return "DRAW_INDEXED_COUNT";
        case Action::DrawMesh:
            return "DRAW_MESH_TASKS";
        case Action::DrawMeshCount:
            return "DRAW_MESH_TASKS_COUNT";
    }
    return "";
}

std::vector<std::string> tokenNames(const IndirectLayout& layout)
{
    size_t indices = 0;
    for (const commands::PushRange& range : layout.layout.pushRanges)
        indices += range.source == commands::PushRange::Source::SequenceIndex;
    std::vector<std::string> names;
    addChoice(names, layout);
    add(names, "PUSH_CONSTANT", layout.layout.pushRanges.size() - indices);
    add(names, "SEQUENCE_INDEX", indices);
    add(names, "VERTEX_BUFFER", layout.layout.vertexBuffers.size());
    add(names, "INDEX_BUFFER", layout.layout.indexBuffer.has_value());
    add(names, nameOf(layout.layout.action), 1);
    return names;
}

}  // namespace millrace::layer
