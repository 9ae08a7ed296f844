// SPDX-License-Identifier: Apache-2.0
// Whether scratch memory is that of the graph.
#ifndef MILLRACE_DEVICE_MAY_BEGIN_GLSL
#define MILLRACE_DEVICE_MAY_BEGIN_GLSL

#include "device/graph.glsl"

// Memory of another graph, or of none, or that was initialized elsewhere and copied: nothing behind it can be trusted, and
// nothing is written but the header.
bool mr_may_begin(const uint64_t graph, const uint graphId)
{
    return MR_HEADER(graph).magic == kGraphMagic && MR_HEADER(graph).graph == graphId && MR_HEADER(graph).self == graph;
}

// Without the magic number every later shader of this dispatch does nothing; invocations that still see it find another
// graph's identity.
void mr_refuse_to_begin(const uint64_t graph, const uint64_t status)
{
    MR_HEADER(graph).magic = 0u;
    MR_HEADER(graph).status = GraphStatus(0u, 0u, kErrorNotInitialized, kNoQueue, 0u, 1u, 0u, 0u);
    Statuses(status).v[0] = MR_HEADER(graph).status;
}

#endif
