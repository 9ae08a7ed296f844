// SPDX-License-Identifier: Apache-2.0
// S1: 254 records of 8 bytes from each input, over eight levels.
#include "bench/cuda/forest.cuh"

namespace millrace::cuda {

namespace {

constexpr uint32_t kDepth = 7;

void measure(Bench& bench, uint32_t inputs, bool byRecord)
{
    std::vector<uint32_t> expected(size_t{inputs} << kDepth);
    for (uint32_t i = 0; i < expected.size(); ++i)
        expected[i] = i ^ 0x5a5au;
    std::vector<Fork::Record> roots;
    for (uint32_t i = 0; i < inputs; ++i)
        roots.push_back({0, i});
    const Output output(expected);
    const Forest<Fork> forks(output.words(), roots, kDepth);
    const Captured plain([&](cudaStream_t stream) { forks.plain(stream); });
    const uint32_t groups = inputs <= kOneBlock ? 1 : groupsFor(inputs, kTreeBlock);
    Case todo;
    todo.workload = "S1";
    todo.name = "8 levels, " + std::to_string(inputs) + " inputs";
    todo.records = forks.records();
    todo.prepare = [&](cudaStream_t stream) {
        output.fill(stream, 0xee);
        forks.prepare(stream);
    };
    todo.check = [&](cudaStream_t stream) { return output.difference(stream); };
    const auto byLevels = [&](Next next) {
        return [&, next](cudaStream_t stream) {
            firstLevel<Fork><<<groups, kTreeBlock, 0, stream>>>(forks.byLevels(), forks.roots(), inputs, next);
        };
    };
    todo.versions = {
        {Role::Plain, "sizes known to the host, a graph", [&](cudaStream_t stream) { plain(stream); }},
        {Role::Aggregated, "levels, fire and forget", byLevels(Next::Forget)},
        {Role::Aggregated, "levels, tail launch", byLevels(Next::Tail)},
        {Role::Aggregated, "a launch for each workgroup",
         [&](cudaStream_t stream) {
             oneGroup<Fork>
                 <<<groupsFor(inputs, kTreeBlock), kTreeBlock, 0, stream>>>(forks.byGroups(), forks.roots(), inputs, 0);
         },
         forks.groupLaunches(), static_cast<uint32_t>(2 * forks.groupLaunches() + 1024)},
    };
    if (byRecord)
        todo.versions.push_back({Role::PerRecord, "a launch for each record",
                                 [&](cudaStream_t stream) {
                                     eachRoot<Fork><<<groupsFor(inputs, 64), 64, 0, stream>>>(
                                         forks.tree(), forks.roots(), inputs, kDepth);
                                 },
                                 todo.records, static_cast<uint32_t>(todo.records + 1024)});
    bench.measure(todo);
}

}  // namespace

void fork(Bench& bench)
{
    if (!bench.wants("S1"))
        return;
    if (bench.options().smallest) {
        measure(bench, 20, true);
        return;
    }
    measure(bench, 100'000, false);
    measure(bench, 1, true);
    measure(bench, 1000, true);
}

}  // namespace millrace::cuda
