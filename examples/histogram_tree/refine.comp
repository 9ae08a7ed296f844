#version 460
// SPDX-License-Identifier: Apache-2.0
// Counts the samples of a range in 16 bins; bins that hold too many become ranges of their own. So the histogram is fine
// where the samples are, and nowhere else.
layout(constant_id = 0) const uint DEPTH = 3;
layout(constant_id = 1) const uint MOST = 96;
layout(name = "refine", static_grid = uvec3(1, 1, 1), recursion = DEPTH) node;
layout(local_size_x = 64) in;

struct Range {
    uint first;
    uint size;  // a power of 16
};
nodein Range range;
layout(node = "refine") nodeout Range bins[16];

layout(set = 0, binding = 0) readonly buffer Samples { uint samples[]; };
struct Leaf {
    uint first;
    uint size;
    uint count;
};
layout(set = 0, binding = 1, scalar) writeonly buffer Leaves { Leaf leaves[]; };
layout(set = 0, binding = 2) buffer Totals {
    uint leaf_count;
    uint range_count;
    uint smallest;
};

shared uint counts[16];

void main()
{
    const uint i = gl_LocalInvocationIndex;
    const uint width = range.size / 16;
    if (i < 16) {
        counts[i] = 0;
    }
    barrier();
    for (uint s = i; s < samples.length(); s += 64) {
        if (samples[s] - range.first < range.size) {
            atomicAdd(counts[(samples[s] - range.first) / width], 1);
        }
    }
    barrier();
    const uint count = i < 16 ? counts[i] : 0;
    const bool isRefined = count > MOST && remainingRecursion() > 0;
    if (count > 0 && !isRefined) {
        leaves[atomicAdd(leaf_count, 1)] = Leaf(range.first + i * width, width, count);
        atomicMin(smallest, width);
    }
    if (i == 0) {
        atomicAdd(range_count, 1);
    }
    if (remainingRecursion() > 0) {
        allocateInvocation(bins, isRefined ? 1 : 0);
        if (isRefined) {
            bins[0].first = range.first + i * width;
            bins[0].size = width;
        }
        enqueue(bins);
    }
}
