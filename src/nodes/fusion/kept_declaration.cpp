// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/kept_declaration.h"

#include <algorithm>

namespace millrace::nodes {

namespace {

bool isSameGrid(const graph::NodeDeclaration& a, const graph::NodeDeclaration& b)
{
    return a.mode == b.mode && std::ranges::equal(a.staticGrid, b.staticGrid) &&
           a.declaresMaxGrid == b.declaresMaxGrid && std::ranges::equal(a.maxGrid, b.maxGrid) &&
           a.grid.offsetBytes == b.grid.offsetBytes && a.grid.components == b.grid.components &&
           a.grid.componentBytes == b.grid.componentBytes;
}

bool isSamePayload(const graph::NodeDeclaration& a, const graph::NodeDeclaration& b)
{
    return a.declaresPayload == b.declaresPayload && a.payloadBytes == b.payloadBytes &&
           a.payloadAlignment == b.payloadAlignment;
}

bool isSameReceiver(const graph::NodeDeclaration& a, const graph::NodeDeclaration& b)
{
    return a.apiEntry == b.apiEntry && a.sharesInputWith == b.sharesInputWith && a.maxRecursion == b.maxRecursion;
}

}  // namespace

Status keepsDeclaration(const graph::NodeDeclaration& before, const graph::NodeDeclaration& after)
{
    const char* lost = !isSamePayload(before, after)    ? "its payload"
                       : !isSameGrid(before, after)     ? "its grid"
                       : !isSameReceiver(before, after) ? "who sends to it"
                                                        : nullptr;
    if (!lost)
        return {};
    const std::string name = "'" + before.id.name + "'[" + std::to_string(before.id.index) + "]";
    return Diagnostic{"fuse", name, std::string("the fused code declares otherwise ") + lost};
}

}  // namespace millrace::nodes
