// SPDX-License-Identifier: Apache-2.0
// The result as JSON in bench_suite's layout, so that bench/compare and bench/cuda/ratios read it.
#include <cstdio>
#include <ctime>
#include <fstream>
#include <sstream>

#include "bench/cuda/measure.h"

namespace millrace::cuda {

namespace {

std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

std::string version(int number)
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::string now()
{
    const std::time_t time = std::time(nullptr);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text;
}

void write(std::ostream& out, const Times& times)
{
    out << "    {\"name\": " << quoted(times.name) << ", \"role\": " << quoted(nameOf(times.role));
    if (times.launches)
        out << ", \"launches\": " << times.launches;
    if (times.pendingBytes)
        out << ", \"pendingLaunchBytes\": " << times.pendingBytes;
    if (times.runs.empty())
        out << ", \"error\": " << quoted(times.error);
    else
        out << ", \"median\": " << times.median() << ", \"least\": " << times.runs.front()
            << ", \"most\": " << times.runs.back();
    out << "}";
}

void write(std::ostream& out, const CaseResult& result)
{
    out << "  {\"workload\": " << quoted(result.workload) << ", \"case\": " << quoted(result.name)
        << ", \"records\": " << result.records << ", \"versions\": [\n";
    for (size_t i = 0; i < result.versions.size(); ++i) {
        write(out, result.versions[i]);
        out << (i + 1 < result.versions.size() ? ",\n" : "\n");
    }
    out << "  ]}";
}

}  // namespace

void Bench::writeJson() const
{
    if (m_options.json.empty())
        return;
    std::ofstream out(m_options.json, std::ios::binary);
    out.precision(10);
    out << "{\n \"date\": " << quoted(now()) << ",\n \"device\": {\"name\": " << quoted(m_device.name)
        << ", \"driver\": \"CUDA\", \"driverInfo\": "
        << quoted("CUDA driver " + version(m_driver) + ", runtime " + version(m_runtime))
        << "},\n \"environment\": {},\n \"size\": " << (m_options.smallest ? "\"smallest\"" : "\"full\"")
        << ",\n \"runs\": " << m_options.runs << ",\n \"unit\": \"us\",\n \"cases\": [\n";
    for (size_t i = 0; i < m_results.size(); ++i) {
        write(out, m_results[i]);
        out << (i + 1 < m_results.size() ? ",\n" : "\n");
    }
    out << " ],\n \"figures\": []\n}\n";
    out.close();
    if (!out)
        throw Error("cannot write " + m_options.json);
}

}  // namespace millrace::cuda
