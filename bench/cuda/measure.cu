// SPDX-License-Identifier: Apache-2.0
#include "bench/cuda/measure.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench/cuda/launch.cuh"

namespace millrace::cuda {

__device__ unsigned int g_refused;
__device__ int g_refusal;

namespace {

// Keeps the device busy, so that its clocks are up and all that the host submits behind it waits there.
__global__ void spin(unsigned long long nanoseconds)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - begin < nanoseconds);
}

struct Found {
    unsigned int wrong, first;
};

__global__ void compare(const uint32_t* words, const uint32_t* expected, uint32_t count, Found* found)
{
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        if (words[i] != expected[i]) {
            atomicAdd(&found->wrong, 1u);
            atomicMin(&found->first, i);
        }
}

}  // namespace

void check(cudaError_t result, const char* what)
{
    if (result != cudaSuccess)
        throw Error(std::string(what) + ": " + cudaGetErrorName(result) + ", " + cudaGetErrorString(result));
}

Memory::Memory(size_t bytes) : m_size(std::max<size_t>(bytes, 16))
{
    check(cudaMalloc(&m_data, m_size), "cudaMalloc");
}

Memory::~Memory()
{
    cudaFree(m_data);
}

void Memory::fill(cudaStream_t stream, int byte) const
{
    check(cudaMemsetAsync(m_data, byte, m_size, stream), "cudaMemsetAsync");
}

Output::Output(const std::vector<uint32_t>& expected)
    : m_memory(expected.size() * 4),
      m_expected(expected),
      m_result(sizeof(Found)),
      m_count(static_cast<uint32_t>(expected.size()))
{
}

std::string Output::difference(cudaStream_t stream) const
{
    Found found{0, ~0u};
    check(cudaMemcpyAsync(m_result.as<Found>(), &found, sizeof found, cudaMemcpyHostToDevice, stream), "cudaMemcpy");
    compare<<<1024, 256, 0, stream>>>(words(), m_expected.as(), m_count, m_result.as<Found>());
    check(cudaGetLastError(), "compare");
    check(cudaMemcpyAsync(&found, m_result.as<Found>(), sizeof found, cudaMemcpyDeviceToHost, stream), "cudaMemcpy");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    if (found.wrong == 0)
        return {};
    uint32_t is = 0, wanted = 0;
    check(cudaMemcpy(&is, words() + found.first, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaMemcpy(&wanted, m_expected.as() + found.first, 4, cudaMemcpyDeviceToHost), "cudaMemcpy");
    return std::to_string(found.wrong) + " words are wrong, the first is word " + std::to_string(found.first) + ": " +
           std::to_string(is) + " instead of " + std::to_string(wanted);
}

const char* nameOf(Role role)
{
    return role == Role::PerRecord ? "per record" : role == Role::Aggregated ? "aggregated" : "plain";
}

Bench::Bench(const Options& options) : m_options(options)
{
    check(cudaGetDeviceProperties(&m_device, 0), "cudaGetDeviceProperties");
    check(cudaDriverGetVersion(&m_driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&m_runtime), "cudaRuntimeGetVersion");
    check(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaEventCreate(&m_begin), "cudaEventCreate");
    check(cudaEventCreate(&m_end), "cudaEventCreate");
    check(cudaDeviceGetLimit(&m_defaultPending, cudaLimitDevRuntimePendingLaunchCount), "cudaDeviceGetLimit");
}

Bench::~Bench()
{
    cudaEventDestroy(m_begin);
    cudaEventDestroy(m_end);
    cudaStreamDestroy(m_stream);
}

bool Bench::wants(const std::string& workload) const
{
    return m_options.only.empty() || ("," + m_options.only + ",").find("," + workload + ",") != std::string::npos;
}

// The device's runtime reserves memory for launches that have not begun; above the default it has to be told.
void Bench::makeRoom(const Version& version, Times* times)
{
    const size_t wanted = std::max<size_t>(version.pending, m_defaultPending);
    size_t has = 0, before = 0, after = 0, total = 0;
    check(cudaDeviceGetLimit(&has, cudaLimitDevRuntimePendingLaunchCount), "cudaDeviceGetLimit");
    if (has == wanted)
        return;
    check(cudaMemGetInfo(&before, &total), "cudaMemGetInfo");
    const cudaError_t result = cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, wanted);
    if (result != cudaSuccess) {
        cudaGetLastError();
        times->error = "no room for " + std::to_string(wanted) + " pending launches: " + cudaGetErrorName(result);
        return;
    }
    check(cudaMemGetInfo(&after, &total), "cudaMemGetInfo");
    times->pendingBytes = before > after ? before - after : 0;
}

// Seconds until m_end. A kernel cannot be stopped, so the program ends where the limit is reached.
double Bench::wait(const std::string& what)
{
    const auto begin = std::chrono::steady_clock::now();
    for (;;) {
        const cudaError_t state = cudaEventQuery(m_end);
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
        if (state == cudaSuccess)
            return time.count();
        if (state != cudaErrorNotReady)
            check(state, what.c_str());
        if (time.count() > m_options.limit) {
            std::printf("%s: not done after %.0f s; the program ends here\n", what.c_str(), m_options.limit);
            m_results.back().versions.back().error = "not done in time";
            m_results.back().versions.back().runs.clear();
            writeJson();
            std::fflush(nullptr);
            std::_Exit(3);
        }
        if (time.count() > 0.01)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

// Microseconds.
double Bench::time(const Case& todo, const Version& version, std::string* refused)
{
    const unsigned int none = 0;
    check(cudaMemcpyToSymbolAsync(g_refused, &none, sizeof none, 0, cudaMemcpyHostToDevice, m_stream), "g_refused");
    todo.prepare(m_stream);
    const auto blocks = static_cast<unsigned int>(m_device.multiProcessorCount);
    spin<<<blocks, 256, 0, m_stream>>>(2'000'000);
    check(cudaGetLastError(), "spin");
    check(cudaEventRecord(m_begin, m_stream), "cudaEventRecord");
    version.run(m_stream);
    check(cudaGetLastError(), version.name.c_str());
    check(cudaEventRecord(m_end, m_stream), "cudaEventRecord");
    wait(todo.workload + ", " + todo.name + ", " + version.name);
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, m_begin, m_end), "cudaEventElapsedTime");
    unsigned int count = 0;
    int reason = 0;
    check(cudaMemcpyFromSymbol(&count, g_refused, sizeof count), "g_refused");
    check(cudaMemcpyFromSymbol(&reason, g_refusal, sizeof reason), "g_refusal");
    if (count > 0) {
        *refused =
            std::to_string(count) + " launches refused with " + cudaGetErrorName(static_cast<cudaError_t>(reason));
        return 0;
    }
    const std::string wrong = todo.check(m_stream);
    if (!wrong.empty())
        throw Error(todo.workload + ", " + todo.name + ", " + version.name + ": " + wrong);
    return milliseconds * 1000.0;
}

void Bench::measureVersion(const Case& todo, const Version& version, Times* times)
{
    makeRoom(version, times);
    // The first one does not count.
    for (uint32_t i = 0; i <= m_options.runs && times->error.empty(); ++i) {
        const double took = time(todo, version, &times->error);
        if (i > 0 && times->error.empty())
            times->runs.push_back(took);
    }
    if (!times->error.empty())
        times->runs.clear();
    std::sort(times->runs.begin(), times->runs.end());
}

void Bench::measure(const Case& todo)
{
    std::printf("%-4s %s (%llu records)\n", todo.workload.c_str(), todo.name.c_str(),
                static_cast<unsigned long long>(todo.records));
    m_results.push_back({todo.workload, todo.name, todo.records, {}});
    for (const Version& version : todo.versions) {
        m_results.back().versions.push_back({version.role, version.name, version.launches, version.pending, 0, {}, {}});
        Times& times = m_results.back().versions.back();
        try {
            measureVersion(todo, version, &times);
        } catch (const Error& error) {
            times.runs.clear();
            times.error = error.what();
            throw;
        }
        std::printf("       %-11s %-44s ", nameOf(times.role), times.name.c_str());
        if (times.error.empty())
            std::printf("%12.1f us  (%.1f to %.1f)", times.median(), times.runs.front(), times.runs.back());
        else
            std::printf("%s", times.error.c_str());
        if (times.error.empty() && times.launches)
            std::printf("  %llu launches, %.3f us each", static_cast<unsigned long long>(times.launches),
                        times.median() / static_cast<double>(times.launches));
        if (times.pendingBytes)
            std::printf("  %zu MiB for pending launches", times.pendingBytes >> 20);
        std::printf("\n");
        std::fflush(stdout);
    }
}

Captured::Captured(const std::function<void(cudaStream_t)>& record)
{
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    record(stream);
    check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&m_graph, graph, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

Captured::~Captured()
{
    cudaGraphExecDestroy(m_graph);
}

void Captured::operator()(cudaStream_t stream) const
{
    check(cudaGraphLaunch(m_graph, stream), "cudaGraphLaunch");
}

}  // namespace millrace::cuda
