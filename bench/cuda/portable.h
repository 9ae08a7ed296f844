// SPDX-License-Identifier: Apache-2.0
// For arithmetic that device code and the test on the host (arithmetic_test.cpp) share.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __CUDACC__
#define MILLRACE_BOTH __host__ __device__
#else
#define MILLRACE_BOTH
#endif

namespace millrace::cuda {

// Rounded by themselves, never part of a fused operation. Host code is compiled with -ffp-contract=off.
MILLRACE_BOTH inline float multiply(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}

MILLRACE_BOTH inline float add(float a, float b)
{
#ifdef __CUDA_ARCH__
    return __fadd_rn(a, b);
#else
    return a + b;
#endif
}

}  // namespace millrace::cuda
