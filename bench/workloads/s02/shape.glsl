// SPDX-License-Identifier: Apache-2.0
// Inputs of 20 bytes, each for a workgroup of 8 invocations: 64 words are added to. GRIDS: through 8 payloads that start a
// workgroup each, otherwise through 64 payloads to a single-invocation node.
#include "../buffers.glsl"
struct Input {
#ifdef MILLRACE
    dispatch_grid uint groups;
#else
    uint groups;
#endif
    uint target;
    uint size;
    uint offset;
    uint increment;
};
