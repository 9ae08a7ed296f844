// SPDX-License-Identifier: Apache-2.0
// W4: two trees that grow by 4 and by 8 a level.
#include "bench/cuda/forest.cuh"
#include "bench/workloads/w04_reference.h"

namespace millrace::cuda {

namespace {

using bench::w04::Depths;

// Both trees, a workgroup each.
__global__ void bothTrees(Grown<Koch> koch, const Koch::Record* lines, Grown<Sponge> sponge, const Sponge::Record* box,
                          Next next)
{
    if (blockIdx.x == 0)
        levels<Koch>(koch, lines, 0, 3, 0, 1, next);
    else
        levels<Sponge>(sponge, box, 0, 1, 0, 1, next);
}

__global__ void bothByGroup(Grown<Koch> koch, const Koch::Record* lines, Grown<Sponge> sponge,
                            const Sponge::Record* box)
{
    if (blockIdx.x == 0)
        growGroup<Koch>(koch, lines, 3, 0, 0);
    else
        growGroup<Sponge>(sponge, box, 1, 0, 0);
}

__global__ void bothByRecord(Koch koch, const Koch::Record* lines, uint32_t kochDepth, Sponge sponge,
                             const Sponge::Record* box, uint32_t spongeDepth)
{
    if (threadIdx.x < 3)
        oneRecord<Koch><<<1, 1, 0, cudaStreamFireAndForget>>>(koch, lines[threadIdx.x], kochDepth);
    else
        oneRecord<Sponge><<<1, 1, 0, cudaStreamFireAndForget>>>(sponge, box[0], spongeDepth);
    noteLaunch();
}

std::vector<Koch::Record> triangle()
{
    std::vector<Koch::Record> lines;
    for (uint32_t i = 0; i < 3; ++i) {
        const bench::w04::Line& line = bench::w04::kTriangle[i];
        lines.push_back({line[0], line[1], line[2], line[3], i});
    }
    return lines;
}

void measure(Bench& bench, const Depths& depths, bool byRecord)
{
    const Output output(bench::w04::expectedFor(depths));
    const Forest<Koch> koch(output.words(), triangle(), depths.koch);
    const Forest<Sponge> sponge(output.words() + size_t{depths.segments()} * 4, {{0, 0, depths.boxSize(), 0}},
                                depths.sponge);
    const Captured plain([&](cudaStream_t stream) {
        cudaStream_t other = nullptr;
        cudaEvent_t split = nullptr, join = nullptr;
        check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), "cudaStreamCreate");
        check(cudaEventCreate(&split), "cudaEventCreate");
        check(cudaEventCreate(&join), "cudaEventCreate");
        check(cudaEventRecord(split, stream), "cudaEventRecord");
        check(cudaStreamWaitEvent(other, split), "cudaStreamWaitEvent");
        koch.plain(stream);
        sponge.plain(other);
        check(cudaEventRecord(join, other), "cudaEventRecord");
        check(cudaStreamWaitEvent(stream, join), "cudaStreamWaitEvent");
    });
    Case todo;
    todo.workload = "W4";
    todo.name = "snowflake " + std::to_string(depths.koch) + ", sponge " + std::to_string(depths.sponge) + " levels";
    todo.records = koch.records() + sponge.records();
    todo.prepare = [&](cudaStream_t stream) {
        output.fill(stream, 0xee);
        koch.prepare(stream);
        sponge.prepare(stream);
    };
    todo.check = [&](cudaStream_t stream) { return output.difference(stream); };
    const auto byLevels = [&](Next next) {
        return [&, next](cudaStream_t stream) {
            bothTrees<<<2, kTreeBlock, 0, stream>>>(koch.byLevels(), koch.roots(), sponge.byLevels(), sponge.roots(),
                                                    next);
        };
    };
    todo.versions = {
        {Role::Plain, "sizes known to the host, two streams, a graph", [&](cudaStream_t stream) { plain(stream); }},
        {Role::Aggregated, "levels, fire and forget", byLevels(Next::Forget)},
        {Role::Aggregated, "levels, tail launch", byLevels(Next::Tail)},
        {Role::Aggregated, "a launch for each workgroup",
         [&](cudaStream_t stream) {
             bothByGroup<<<2, kTreeBlock, 0, stream>>>(koch.byGroups(), koch.roots(), sponge.byGroups(),
                                                       sponge.roots());
         },
         koch.groupLaunches() + sponge.groupLaunches(),
         static_cast<uint32_t>(koch.groupLaunches() + sponge.groupLaunches() + 1024)},
    };
    if (byRecord)
        todo.versions.push_back({Role::PerRecord, "a launch for each record",
                                 [&](cudaStream_t stream) {
                                     bothByRecord<<<1, 4, 0, stream>>>(koch.tree(), koch.roots(), koch.depth(),
                                                                       sponge.tree(), sponge.roots(), sponge.depth());
                                 },
                                 todo.records, static_cast<uint32_t>(todo.records + 1024)});
    bench.measure(todo);
}

}  // namespace

void koch(Bench& bench)
{
    if (!bench.wants("W4"))
        return;
    if (bench.options().smallest) {
        measure(bench, {3, 2}, true);
        return;
    }
    measure(bench, {10, 6}, false);
    measure(bench, {6, 4}, true);
    measure(bench, {8, 6}, true);
}

}  // namespace millrace::cuda
