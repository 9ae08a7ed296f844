// SPDX-License-Identifier: Apache-2.0
// Processor time of translating DXIL, without validation of the result: bench_dxil FILE... [--runs N]
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "dxil/translate.h"

namespace {

using namespace millrace;

double processorMilliseconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv)
{
    CLI::App app("Processor time of translating DXIL to SPIR-V, by kind of shader");
    std::vector<std::string> files;
    unsigned runs = 9;
    app.add_option("files", files, "DXIL containers")->required();
    app.add_option("--runs", runs, "of each; the median counts")->check(CLI::Range(1, 1000));
    CLI11_PARSE(app, argc, argv);
    std::map<std::string, std::vector<double>> times;
    size_t refused = 0;
    for (const std::string& path : files) {
        std::ifstream file(path, std::ios::binary);
        const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
        const auto container = dxil::readContainer(bytes);
        std::vector<double> own;
        for (unsigned r = 0; container && r < runs; ++r) {
            const double before = processorMilliseconds();
            const bool isDone = static_cast<bool>(dxil::translate(bytes, {}));
            if (!isDone)
                break;
            own.push_back(processorMilliseconds() - before);
        }
        if (own.empty()) {
            ++refused;
            continue;
        }
        times[dxil::shaderKindText(container->kind)].push_back(median(own));
    }
    for (const auto& [kind, list] : times) {
        std::printf("%-13s %4zu programs, median %.2f ms, most %.2f ms\n", kind.c_str(), list.size(), median(list),
                    *std::ranges::max_element(list));
    }
    std::printf("%zu not translated\n", refused);
    return times.empty() ? 1 : 0;
}
