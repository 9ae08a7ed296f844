// SPDX-License-Identifier: Apache-2.0
// The ways in which a tree (trees.h) grows: a launch for each record, for each workgroup, for each level, and levels
// that the host launches.
#pragma once

#include "bench/cuda/launch.cuh"
#include "bench/cuda/trees.h"

namespace millrace::cuda {

constexpr uint32_t kTreeBlock = 256;
// A level of so few records is one workgroup, which goes on with the next level without a launch.
constexpr uint32_t kOneBlock = 1024;

template <class Tree>
struct Grown {
    Tree tree;
    uint32_t depth;
    // Levels in turn; of launches for each workgroup, the first has all.
    typename Tree::Record* queues[2];
    unsigned int* counts;                    // records of a level, [0]: all of them where there is one queue
    unsigned int* finished;                  // workgroups of a level
    static constexpr uint32_t kStride = 32;  // words from one level's counter to the next
};

// A record, of which the leaves are records as well.
template <class Tree>
__global__ void oneRecord(Tree tree, typename Tree::Record record, uint32_t remaining)
{
    if (remaining == 0) {
        tree.write(record);
        return;
    }
    for (uint32_t i = 0; i < Tree::kChildren; ++i) {
        oneRecord<Tree><<<1, 1, 0, cudaStreamFireAndForget>>>(tree, Tree::child(record, i), remaining - 1);
        noteLaunch();
    }
}

template <class Tree>
__global__ void eachRoot(Tree tree, const typename Tree::Record* roots, uint32_t count, uint32_t remaining)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        oneRecord<Tree><<<1, 1, 0, cudaStreamFireAndForget>>>(tree, roots[i], remaining);
        noteLaunch();
    }
}

// The children of `count` records by the threads of one workgroup: leaves, or records.
template <class Tree>
__device__ void grow(const Tree& tree, const typename Tree::Record* from, typename Tree::Record* to, uint32_t count)
{
    for (uint32_t i = threadIdx.x; i < count * Tree::kChildren; i += blockDim.x) {
        const typename Tree::Record child = Tree::child(from[i / Tree::kChildren], i % Tree::kChildren);
        if (to)
            to[i] = child;
        else
            tree.write(child);
    }
}

template <class Tree>
__global__ void oneGroup(Grown<Tree> grown, const typename Tree::Record* from, uint32_t count, uint32_t level);

// A workgroup launches one grid for the children of all its records.
template <class Tree>
__device__ void growGroup(const Grown<Tree>& grown, const typename Tree::Record* from, uint32_t count, uint32_t level,
                          uint32_t block)
{
    __shared__ unsigned int first;
    const uint32_t begin = block * blockDim.x;
    const uint32_t here = min(count - begin, blockDim.x);
    if (level + 1 == grown.depth) {
        grow<Tree>(grown.tree, from + begin, nullptr, here);
        return;
    }
    const uint32_t children = here * Tree::kChildren;
    if (threadIdx.x == 0)
        first = atomicAdd(grown.counts, children);
    __syncthreads();
    typename Tree::Record* const to = grown.queues[0] + first;
    grow<Tree>(grown.tree, from + begin, to, here);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        oneGroup<Tree><<<groupsFor(children, kTreeBlock), kTreeBlock, 0, cudaStreamFireAndForget>>>(grown, to, children,
                                                                                                    level + 1);
        noteLaunch();
    }
}

template <class Tree>
__global__ void oneGroup(Grown<Tree> grown, const typename Tree::Record* from, uint32_t count, uint32_t level)
{
    growGroup<Tree>(grown, from, count, level, blockIdx.x);
}

template <class Tree>
__global__ void oneLevel(Grown<Tree> grown, uint32_t level, uint32_t count, Next next);

// Levels from this one on, until one needs more than one workgroup: that is launched. Workgroup `block` of `blocks`.
template <class Tree>
__device__ void levels(const Grown<Tree>& grown, const typename Tree::Record* roots, uint32_t level, uint32_t count,
                       uint32_t block, uint32_t blocks, Next next)
{
    __shared__ unsigned int first;
    for (;; ++level) {
        const typename Tree::Record* const from = roots ? roots : grown.queues[level % 2];
        roots = nullptr;
        const uint32_t each = blocks == 1 ? count : kTreeBlock;
        const uint32_t begin = block * each;
        const uint32_t here = min(count - begin, each);
        if (level + 1 == grown.depth) {
            grow<Tree>(grown.tree, from + begin, nullptr, here);
            return;
        }
        unsigned int* const counter = grown.counts + (level + 1) * Grown<Tree>::kStride;
        if (threadIdx.x == 0)
            first = atomicAdd(counter, here * Tree::kChildren);
        __syncthreads();
        grow<Tree>(grown.tree, from + begin, grown.queues[(level + 1) % 2] + first, here);
        if (!isLastBlock(grown.finished + level * Grown<Tree>::kStride, blocks))
            return;
        count = load(counter);
        if (blocks > 1 || count > kOneBlock) {
            if (threadIdx.x == 0) {
                oneLevel<Tree>
                    <<<groupsFor(count, kTreeBlock), kTreeBlock, 0, streamOf(next)>>>(grown, level + 1, count, next);
                noteLaunch();
            }
            return;
        }
    }
}

template <class Tree>
__global__ void oneLevel(Grown<Tree> grown, uint32_t level, uint32_t count, Next next)
{
    levels<Tree>(grown, nullptr, level, count, blockIdx.x, gridDim.x, next);
}

template <class Tree>
__global__ void firstLevel(Grown<Tree> grown, const typename Tree::Record* roots, uint32_t count, Next next)
{
    levels<Tree>(grown, roots, 0, count, blockIdx.x, gridDim.x, next);
}

// A level whose size the host knows.
template <class Tree>
__global__ void plainLevel(Tree tree, const typename Tree::Record* from, typename Tree::Record* to, uint32_t count)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count * Tree::kChildren)
        return;
    const typename Tree::Record child = Tree::child(from[i / Tree::kChildren], i % Tree::kChildren);
    if (to)
        to[i] = child;
    else
        tree.write(child);
}

}  // namespace millrace::cuda
