// SPDX-License-Identifier: Apache-2.0
// Draws the Mandelbrot set with an execution graph and checks every pixel on the host. The program knows nothing of
// Millrace: it uses VK_AMDX_shader_enqueue as its specification says.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <exception>

#include "device.h"
#include "graph.h"
#include "options.h"
#include "picture.h"
#include "reference.h"

namespace {

int32_t toFixed(double value)
{
    return static_cast<int32_t>(std::lround(std::ldexp(value, kFractionBits)));
}

View makeView(const Options& options)
{
    View view;
    view.side = options.side;
    view.maxIterations = options.maxIterations;
    view.step = std::max(toFixed(options.span / options.side), 1);
    view.left = toFixed(options.centerRe) - view.step * static_cast<int32_t>(options.side / 2);
    view.top = toFixed(options.centerIm) + view.step * static_cast<int32_t>(options.side / 2);
    return view;
}

double mib(uint64_t bytes)
{
    return static_cast<double>(bytes) / (1 << 20);
}

void printTimes(const std::vector<RunTimes>& runs)
{
    const RunTimes& best =
        *std::ranges::min_element(runs, {}, [](const RunTimes& run) { return run.gpuMs.value_or(run.hostMs); });
    std::printf("time        ");
    if (best.gpuMs)
        std::printf("%.2f ms for the graph (GPU timestamps), ", *best.gpuMs);
    std::printf("%.2f ms from submission to fence", best.hostMs);
    if (runs.size() > 1)
        std::printf(", fastest of %zu", runs.size());
    std::printf("\n");
}

// Levels and payloads as the shaders counted them.
void printWork(const Counters& counters)
{
    std::printf("\nlevel  node              payloads    filled  iterated     split  workgroups\n");
    std::printf("    1  start                    1         -         -         -           1\n");
    std::printf("    2  tiles                    1         -         -         -           -\n");
    uint64_t squares = 0, painted = 0;
    uint32_t level = 2;
    for (uint32_t remaining = kMaxRecursion + 1; remaining-- > 0;) {
        const LevelCounters& each = counters[remaining];
        if (each.squares() == 0)
            continue;
        std::printf("%5u  mariani_silver %10u%10u%10u%10u%12u\n", ++level, each.squares(), each.filled, each.iterated,
                    each.split, each.workgroups);
        squares += each.squares();
        painted += each.filled + each.iterated;
    }
    std::printf("    -  paint          %10" PRIu64 "\n", painted);
    std::printf("in all %u levels, %" PRIu64 " payloads\n\n", level + 1, 2 + squares + painted);
}

size_t countDifferences(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b)
{
    size_t count = 0;
    for (size_t i = 0; i < a.size(); ++i)
        count += a[i] != b[i];
    return count;
}

// True if the graph computed what the host computes.
bool compare(const View& view, const std::vector<uint32_t>& dwells, const Counters& counters,
             const Reference& reference)
{
    const size_t wrong = countDifferences(dwells, reference.subdivided);
    if (wrong > 0) {
        const auto [mine, host] = std::ranges::mismatch(dwells, reference.subdivided);
        const size_t first = static_cast<size_t>(mine - dwells.begin());
        std::printf(
            "check       FAILED: %zu of %zu pixels differ from the same subdivision on the host; the first is "
            "column %zu, row %zu: %u instead of %u\n",
            wrong, dwells.size(), first % view.side, first / view.side, *mine, *host);
    } else {
        std::printf(
            "check       all %zu pixels equal the same subdivision on the host; %zu differ from iterating every "
            "pixel\n",
            dwells.size(), countDifferences(dwells, reference.plain));
    }
    if (counters != reference.counters)
        std::printf("check       FAILED: the squares of the subdivision are not those of the host\n");
    return wrong == 0 && counters == reference.counters;
}

bool draw(const Options& options)
{
    const View view = makeView(options);
    const Device device(options.device);
    std::printf("device      %s\n", device.description().c_str());
    std::printf("graphs by   %s\n", device.graphProvider().c_str());
    std::printf("image       %u x %u pixels, up to %u iterations\n", view.side, view.side, view.maxIterations);

    std::optional<uint64_t> scratchBytes;
    if (options.scratchMib)
        scratchBytes = *options.scratchMib << 20;
    Graph graph(device, view, scratchBytes);
    const VkExecutionGraphPipelineScratchSizeAMDX& limits = graph.scratchLimits();
    std::printf("scratch     %.2f MiB (the implementation takes %.2f to %.2f)\n", mib(graph.scratchBytes()),
                mib(limits.minSize), mib(limits.maxSize));

    std::vector<RunTimes> runs;
    for (uint32_t i = 0; i < options.repeat; ++i)
        runs.push_back(graph.run());
    printTimes(runs);
    const std::vector<uint32_t> dwells = graph.dwells();
    const Counters counters = graph.counters();
    printWork(counters);

    const Reference reference = computeReference(view);
    const bool correct = compare(view, dwells, counters, reference);
    if (!options.output.empty()) {
        writePicture(options.output, view, dwells, options.showSquares ? reference.borders : std::vector<bool>());
        std::printf("picture     %s\n", options.output.c_str());
    }
    return correct;
}

}  // namespace

int main(int argc, char** argv)
{
    const Options options = parseOptions(argc, argv);
    try {
        return draw(options) ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "mandelbrot: %s\n", error.what());
        return 1;
    }
}
