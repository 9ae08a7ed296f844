// SPDX-License-Identifier: Apache-2.0
// Measures versions of one program in turn: clocks up, each result compared on the device with the CPU's, medians. A
// version that takes too long or whose launches are refused is reported, never waited for.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace millrace::cuda {

struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void check(cudaError_t result, const char* what);

// Memory of the device.
class Memory {
public:
    explicit Memory(size_t bytes);
    template <typename T>
    explicit Memory(const std::vector<T>& values) : Memory(values.size() * sizeof(T))
    {
        check(cudaMemcpy(m_data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    ~Memory();
    Memory(const Memory&) = delete;

    template <typename T = uint32_t>
    T* as() const
    {
        return static_cast<T*>(m_data);
    }
    size_t size() const { return m_size; }
    void fill(cudaStream_t stream, int byte) const;

private:
    void* m_data = nullptr;
    size_t m_size;
};

// What a program writes, and what that must be.
class Output {
public:
    explicit Output(const std::vector<uint32_t>& expected);
    uint32_t* words() const { return m_memory.as(); }
    void fill(cudaStream_t stream, int byte) const { m_memory.fill(stream, byte); }
    // Empty if all is as expected, else what is not.
    std::string difference(cudaStream_t stream) const;

private:
    Memory m_memory, m_expected, m_result;
    uint32_t m_count;
};

enum class Role { PerRecord, Aggregated, Plain };
const char* nameOf(Role role);

struct Version {
    Role role;
    std::string name;
    std::function<void(cudaStream_t)> run;
    uint64_t launches = 0;  // by the device, if known
    uint32_t pending = 0;   // room for as many launches that have not begun; 0: the default
};

struct Case {
    std::string workload, name;  // as bench_suite's
    uint64_t records = 0;
    std::vector<Version> versions;
    std::function<void(cudaStream_t)> prepare;
    std::function<std::string(cudaStream_t)> check;
};

struct Times {
    Role role;
    std::string name;
    uint64_t launches = 0;
    uint32_t pending = 0;
    size_t pendingBytes = 0;   // what the room for pending launches takes
    std::vector<double> runs;  // microseconds, in ascending order
    std::string error;         // why there are none
    double median() const { return runs[runs.size() / 2]; }
};

struct CaseResult {
    std::string workload, name;
    uint64_t records = 0;
    std::vector<Times> versions;
};

struct Options {
    uint32_t runs = 7;
    double limit = 20;  // seconds for one run of a version
    bool smallest = false;
    std::string only, json;
};

class Bench {
public:
    explicit Bench(const Options& options);
    ~Bench();
    Bench(const Bench&) = delete;

    const Options& options() const { return m_options; }
    bool wants(const std::string& workload) const;
    // Throws Error if a result is wrong, or if the device cannot be used any more.
    void measure(const Case& todo);
    const std::vector<CaseResult>& results() const { return m_results; }
    const cudaDeviceProp& device() const { return m_device; }
    void writeJson() const;

private:
    void makeRoom(const Version& version, Times* times);
    double time(const Case& todo, const Version& version, std::string* refused);
    double wait(const std::string& what);
    void measureVersion(const Case& todo, const Version& version, Times* times);

    Options m_options;
    cudaDeviceProp m_device{};
    cudaStream_t m_stream = nullptr;
    cudaEvent_t m_begin = nullptr, m_end = nullptr;
    size_t m_defaultPending = 0;
    int m_driver = 0, m_runtime = 0;  // versions
    std::vector<CaseResult> m_results;
};

// Kernels of the host in one graph, so that the host's launches cost nothing. Runs what is captured, once for each
// call.
class Captured {
public:
    explicit Captured(const std::function<void(cudaStream_t)>& record);
    ~Captured();
    Captured(const Captured&) = delete;
    void operator()(cudaStream_t stream) const;

private:
    cudaGraphExec_t m_graph = nullptr;
};

// The workloads.
void koch(Bench& bench);
void mandelbrot(Bench& bench);
void fork(Bench& bench);
void fanOut(Bench& bench);

}  // namespace millrace::cuda
