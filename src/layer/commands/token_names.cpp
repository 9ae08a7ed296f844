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

void addChoice(std::vector<std::string>& names, const IndirectLayout& layout)
{
    const Chooser chooser = chooserOf(layout);
    add(names, nameOf(chooser), chooser != Chooser::ExecutionSet || layout.layout.executionSet);
    add(names, nameOf(Chooser::StateFlags), chooser == Chooser::ShaderGroup && layout.hasFrontFaces);
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

Chooser chooserOf(const IndirectLayout& layout)
{
    return layout.hasShaderGroups      ? Chooser::ShaderGroup
           : layout.hasFrontFaces      ? Chooser::StateFlags
           : layout.hasPipelineNumbers ? Chooser::Pipeline
                                       : Chooser::ExecutionSet;
}

const char* nameOf(Chooser chooser)
{
    switch (chooser) {
        case Chooser::ExecutionSet:
            return "EXECUTION_SET";
        case Chooser::ShaderGroup:
            return "SHADER_GROUP";
        case Chooser::StateFlags:
            return "STATE_FLAGS";
        case Chooser::Pipeline:
            return "PIPELINE";
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
