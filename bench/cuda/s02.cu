// SPDX-License-Identifier: Apache-2.0
// S2: an input's 8 threads make 64 records, each of which adds to a word.
#include "bench/cuda/launch.cuh"
#include "bench/cuda/measure.h"

namespace millrace::cuda {

namespace {

constexpr uint32_t kWords = 1u << 20;
constexpr uint32_t kEach = 64;
constexpr uint32_t kBlock = 256;

// As bench/workloads/s02/shape.glsl.
struct Input {
    uint32_t groups, target, size, offset, increment;
};

struct FanOut {
    uint32_t* sums;
    const Input* inputs;
    uint32_t count;  // of inputs
    uint2* list;
    unsigned int* counters;  // records, workgroups that are done
};

__global__ void addOne(uint32_t* sums, uint32_t offset, uint32_t increment)
{
    atomicAdd(sums + offset, increment);
}

__global__ void addList(uint32_t* sums, const uint2* list, uint32_t count)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        atomicAdd(sums + list[i].x, list[i].y);
}

// A workgroup for each input.
__global__ void eachRecord(FanOut work)
{
    const Input input = work.inputs[blockIdx.x];
    for (uint32_t i = 0; i < kEach; i += blockDim.x) {
        addOne<<<1, 1, 0, cudaStreamFireAndForget>>>(work.sums, input.offset + i + threadIdx.x, input.increment);
        noteLaunch();
    }
}

// The records of as many inputs as a workgroup has threads for, 8 for each.
__device__ uint32_t writeRecords(const FanOut& work, unsigned int* first, uint2** to)
{
    constexpr uint32_t kInputs = kBlock / 8;
    const uint32_t begin = blockIdx.x * kInputs;
    const uint32_t count = min(work.count - begin, kInputs) * kEach;
    if (threadIdx.x == 0)
        *first = atomicAdd(work.counters, count);
    __syncthreads();
    *to = work.list + *first;
    for (uint32_t i = threadIdx.x; i < count; i += kBlock) {
        const Input& input = work.inputs[begin + i / kEach];
        (*to)[i] = make_uint2(input.offset + i % kEach, input.increment);
    }
    return count;
}

__global__ void eachGroup(FanOut work)
{
    __shared__ unsigned int first;
    uint2* to;
    const uint32_t count = writeRecords(work, &first, &to);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        addList<<<groupsFor(count, kBlock), kBlock, 0, cudaStreamFireAndForget>>>(work.sums, to, count);
        noteLaunch();
    }
}

__global__ void eachLevel(FanOut work, Next next)
{
    __shared__ unsigned int first;
    uint2* to;
    writeRecords(work, &first, &to);
    if (isLastBlock(work.counters + 32, gridDim.x) && threadIdx.x == 0) {
        const uint32_t count = load(work.counters);
        addList<<<groupsFor(count, kBlock), kBlock, 0, streamOf(next)>>>(work.sums, work.list, count);
        noteLaunch();
    }
}

__global__ void plainRecords(FanOut work)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < work.count * kEach) {
        const Input& input = work.inputs[i / kEach];
        work.list[i] = make_uint2(input.offset + i % kEach, input.increment);
    }
}

void measure(Bench& bench, uint32_t count, bool byRecord)
{
    std::vector<Input> inputs;
    std::vector<uint32_t> expected(kWords);
    for (uint32_t i = 0; i < count; ++i) {
        inputs.push_back({1, 0, 1, i * 64 % kWords, 1 + i % 3});
        for (uint32_t j = 0; j < kEach; ++j)
            expected[inputs[i].offset + j] += inputs[i].increment;
    }
    const uint32_t records = count * kEach;
    const Output sums(expected);
    const Memory given(inputs), list(size_t{records} * 8), counters(256);
    const FanOut work{sums.words(), given.as<Input>(), count, list.as<uint2>(), counters.as<unsigned int>()};
    const uint32_t groups = groupsFor(count, kBlock / 8);
    const Captured plain([&](cudaStream_t stream) {
        plainRecords<<<groupsFor(records, kBlock), kBlock, 0, stream>>>(work);
        addList<<<groupsFor(records, kBlock), kBlock, 0, stream>>>(work.sums, work.list, records);
        check(cudaGetLastError(), "addList");
    });
    Case todo;
    todo.workload = "S2";
    todo.name = std::to_string(count) + " inputs, " + std::to_string(records) + " payloads";
    todo.records = count + uint64_t{records};
    todo.prepare = [&](cudaStream_t stream) {
        sums.fill(stream, 0);
        counters.fill(stream, 0);
    };
    todo.check = [&](cudaStream_t stream) { return sums.difference(stream); };
    const auto byLevel = [&](Next next) {
        return [&, next](cudaStream_t stream) { eachLevel<<<groups, kBlock, 0, stream>>>(work, next); };
    };
    todo.versions = {
        {Role::Plain, "sizes known to the host, a graph", [&](cudaStream_t stream) { plain(stream); }},
        {Role::Aggregated, "levels, fire and forget", byLevel(Next::Forget), 1},
        {Role::Aggregated, "levels, tail launch", byLevel(Next::Tail), 1},
        {Role::Aggregated, "a launch for each workgroup",
         [&](cudaStream_t stream) { eachGroup<<<groups, kBlock, 0, stream>>>(work); }, groups, groups + 1024},
    };
    if (byRecord)
        todo.versions.push_back({Role::PerRecord, "a launch for each record",
                                 [&](cudaStream_t stream) { eachRecord<<<count, 8, 0, stream>>>(work); }, records,
                                 records + 1024});
    bench.measure(todo);
}

}  // namespace

void fanOut(Bench& bench)
{
    if (!bench.wants("S2"))
        return;
    if (bench.options().smallest) {
        measure(bench, 40, true);
        return;
    }
    measure(bench, 100'000, false);
    measure(bench, 1, true);
    measure(bench, 1000, true);
}

}  // namespace millrace::cuda
