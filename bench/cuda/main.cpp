// SPDX-License-Identifier: Apache-2.0
// W4, W5 and fan-outs of the bench with CUDA dynamic parallelism.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/cuda/measure.h"

namespace {

using millrace::cuda::Options;

constexpr const char* kHelp =
    "bench_cuda [--only W4,W5,S1,S2] [--runs N] [--limit SECONDS] [--smallest] [--json FILE]\n"
    "  --only      only these workloads\n"
    "  --runs      runs of each version (default: 7)\n"
    "  --limit     seconds after which a run ends the program (default: 20)\n"
    "  --smallest  sizes for a test of the program\n"
    "  --json      where the result goes\n";

// A positive number, or the program ends.
double number(const char* option, const char* text)
{
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*text == 0 || *end != 0 || !(value >= 1 && value <= 100000)) {
        std::fprintf(stderr, "bench_cuda: %s needs a number from 1 to 100000, not \"%s\"\n", option, text);
        std::exit(2);
    }
    return value;
}

Options parse(int count, char** words)
{
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--help") {
            std::fputs(kHelp, stdout);
            std::exit(0);
        }
        if (word == "--smallest") {
            options.smallest = true;
            continue;
        }
        if (i + 1 == count || (word != "--only" && word != "--runs" && word != "--limit" && word != "--json")) {
            std::fprintf(stderr, "bench_cuda: unknown or incomplete option %s\n%s", word.c_str(), kHelp);
            std::exit(2);
        }
        const char* const value = words[++i];
        if (word == "--only")
            options.only = value;
        else if (word == "--json")
            options.json = value;
        else if (word == "--runs")
            options.runs = static_cast<uint32_t>(number("--runs", value));
        else
            options.limit = number("--limit", value);
    }
    return options;
}

int run(const Options& options)
{
    int devices = 0;
    const cudaError_t found = cudaGetDeviceCount(&devices);
    if (found != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "bench_cuda: no CUDA device: %s\n", cudaGetErrorString(found));
        return 4;
    }
    millrace::cuda::Bench bench(options);
    std::printf("%s, compute capability %d.%d\n", bench.device().name, bench.device().major, bench.device().minor);
    int status = 0;
    try {
        millrace::cuda::koch(bench);
        millrace::cuda::mandelbrot(bench);
        millrace::cuda::fanOut(bench);
        millrace::cuda::fork(bench);
    } catch (const millrace::cuda::Error& error) {
        std::fprintf(stderr, "bench_cuda: %s\n", error.what());
        status = 1;
    }
    if (bench.results().empty() && status == 0) {
        std::fprintf(stderr, "bench_cuda: no workload is called %s\n", options.only.c_str());
        return 2;
    }
    bench.writeJson();
    return status;
}

}  // namespace

int main(int count, char** words)
{
    try {
        return run(parse(count, words));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_cuda: %s\n", error.what());
        return 1;
    }
}
