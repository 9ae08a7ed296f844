// SPDX-License-Identifier: Apache-2.0
// The nodes of graph.json do next to nothing, so their shaders are the device functions. Each kind of node receives a
// payload with a name of its own, by which radv_pipelines.py finds it.
struct OfStatic { uint value; };
struct OfDynamic { dispatch_grid uvec3 groups; uint value; };
struct OfCoalescing { uint value; };
struct OfPacked { uint value; };
struct OfLeaf { uint value; };

layout(set = 0, binding = 0) buffer Result { uint result; };
