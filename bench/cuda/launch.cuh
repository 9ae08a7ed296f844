// SPDX-License-Identifier: Apache-2.0
// What device code that launches has in common.
#pragma once

#include <cstdint>

namespace millrace::cuda {

// Who launches the next level, and when it may begin.
enum class Next : uint32_t {
    Forget,  // the last workgroup to finish: at once
    Tail,    // the last workgroup to finish: when the whole grid has ended
};

__device__ inline cudaStream_t streamOf(Next next)
{
    return next == Next::Tail ? cudaStreamTailLaunch : cudaStreamFireAndForget;
}

// Launches that were refused. One kernel that is not launched makes the result wrong, so this only says why.
extern __device__ unsigned int g_refused;
extern __device__ int g_refusal;

__device__ inline void noteLaunch()
{
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        atomicAdd(&g_refused, 1u);
        atomicExch(&g_refusal, static_cast<int>(error));
    }
}

// In all threads of the last of `blocks` workgroups that come here, what all have written can be seen. *counter begins
// with 0.
__device__ inline bool isLastBlock(unsigned int* counter, unsigned int blocks)
{
    __shared__ unsigned int finished;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        finished = blocks == 1 ? 0 : atomicAdd(counter, 1u);
        __threadfence();
    }
    __syncthreads();
    return finished + 1 == blocks;
}

__device__ inline unsigned int load(const unsigned int* word)
{
    return *static_cast<const volatile unsigned int*>(word);
}

__host__ __device__ inline uint32_t groupsFor(uint32_t count, uint32_t size)
{
    return (count + size - 1) / size;
}

}  // namespace millrace::cuda
