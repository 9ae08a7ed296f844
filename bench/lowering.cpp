// SPDX-License-Identifier: Apache-2.0
// What lowering a node costs beside the driver's own compilation of the result.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bench/plain_device.h"
#include "nodes/compile.h"
#include "spirv/module.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kArgumentsOffsetBytes = 96;  // push constants that an application may well have

struct Shader {
    std::string name;
    spirv::Words words;
    std::string entryPoint;
};

struct Times {
    double lowering = 0;
    double driver = 0;
};

template <typename T>
T valueOf(Result<T> result, const std::string& what)
{
    if (!result)
        throw std::runtime_error(what + ": " + result.error().text());
    return std::move(*result);
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

spirv::Words readWords(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (!file)
        throw std::runtime_error("cannot read " + path.string());
    if (path.extension() == ".spvasm")
        return valueOf(spirv::assemble(content), path.string());
    spirv::Words words(content.size() / 4);
    std::copy_n(content.data(), words.size() * 4, reinterpret_cast<char*>(words.data()));
    return words;
}

// The compute entry points of every module in the folder that uses the extension, in the order of their names.
std::vector<Shader> readFolder(const std::filesystem::path& folder)
{
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".spv" || entry.path().extension() == ".spvasm")
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Shader> shaders;
    for (const std::filesystem::path& path : paths) {
        const spirv::Words words = readWords(path);
        if (!nodes::usesShaderEnqueue(words))
            continue;
        const spirv::Module module = valueOf(spirv::read(words), path.string());
        for (const spirv::Instruction& i : module.section(spirv::Section::EntryPoints))
            if (i.literal(0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute))
                shaders.push_back({path.stem().string() + ":" + i.string(2), words, i.string(2)});
    }
    return shaders;
}

nodes::Options optionsFor(const Shader& shader)
{
    nodes::Options options;
    options.request.entryPoint = shader.entryPoint;
    options.request.argumentsOffsetBytes = kArgumentsOffsetBytes;
    return options;
}

// A result that spirv-val rejects would make the times meaningless.
spirv::Words lowerValidated(const Shader& shader)
{
    nodes::Options options = optionsFor(shader);
    options.checks.validate = true;
    return valueOf(nodes::compile(shader.words, options), shader.name).words;
}

double timeLowering(const Shader& shader)
{
    const nodes::Options options = optionsFor(shader);
    const auto start = std::chrono::steady_clock::now();
    const auto compiled = nodes::compile(shader.words, options);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (!compiled)
        throw std::runtime_error(shader.name + ": " + compiled.error().text());
    return time.count();
}

Times measure(const PlainDevice& device, const Shader& shader, int runs)
{
    const spirv::Words lowered = lowerValidated(shader);
    std::vector<double> lowering, driver;
    for (int run = 0; run < runs; ++run) {
        lowering.push_back(timeLowering(shader));
        driver.push_back(device.compile(lowered));
    }
    return {median(std::move(lowering)), median(std::move(driver))};
}

void printRow(const std::string& name, size_t wordCount, const Times& times)
{
    std::printf("%-32s %8zu %12.3f %12.3f %8.2f\n", name.c_str(), wordCount, times.lowering, times.driver,
                times.lowering / times.driver);
}

void measureAll(const PlainDevice& device, const std::vector<Shader>& shaders, int runs)
{
    std::printf("%s, medians of %d\n%-32s %8s %12s %12s %8s\n", device.name().c_str(), runs, "module:entry point",
                "words", "lowering ms", "driver ms", "ratio");
    Times total;
    size_t words = 0;
    for (const Shader& shader : shaders) {
        const Times times = measure(device, shader, runs);
        printRow(shader.name, shader.words.size(), times);
        total.lowering += times.lowering;
        total.driver += times.driver;
        words += shader.words.size();
    }
    const auto count = static_cast<double>(shaders.size());
    printRow("total of " + std::to_string(shaders.size()), words, total);
    printRow("average", words / shaders.size(), {total.lowering / count, total.driver / count});
}

// Drivers keep compiled shaders on disk, which would be found again. A user's own setting stands.
void turnOffDriverCaches()
{
    setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
    setenv("__GL_SHADER_DISK_CACHE", "0", 0);
}

int run(int argc, char** argv)
{
    CLI::App app("Times the lowering of node shaders and the driver's compilation of the results");
    std::vector<std::string> folders = {MILLRACE_PROGRAMS};
    std::string device;
    int runs = 7;
    app.add_option("folder", folders, "folders of modules, binary (.spv) or text (.spvasm)")->capture_default_str();
    app.add_option("--device", device, "a part of the device's name");
    app.add_option("--runs", runs, "how often, for the median")->check(CLI::PositiveNumber)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    turnOffDriverCaches();
    std::vector<Shader> shaders;
    for (const std::string& folder : folders)
        std::ranges::move(readFolder(folder), std::back_inserter(shaders));
    if (shaders.empty())
        throw std::runtime_error("no node shaders found");
    measureAll(PlainDevice(device), shaders, runs);
    return 0;
}

}  // namespace

}  // namespace millrace::bench

int main(int argc, char** argv)
{
    try {
        return millrace::bench::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lowering: error: %s\n", error.what());
        return 1;
    }
}
