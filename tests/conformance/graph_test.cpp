// SPDX-License-Identifier: Apache-2.0
#include "conformance/graph_test.h"

#include <algorithm>

namespace millrace::conformance {

std::vector<uint32_t> GraphTest::runOnOracle(const std::vector<Stage>& stages, const std::vector<Launch>& launches,
                                             const Options& options)
{
    std::vector<oracle::NodeSource> sources;
    for (const Stage& stage : stages) {
        oracle::NodeSource source{stage.words, stage.entry, std::nullopt, std::nullopt, {}};
        if (stage.withNodeInfo) {
            source.name = stage.name;
            source.index = stage.index;
        }
        source.specialization.insert(stage.specialization.begin(), stage.specialization.end());
        sources.push_back(std::move(source));
    }
    oracle::Options oracleOptions;
    oracleOptions.limits.workgroups = 1u << 24;
    oracle::Graph graph(sources, oracleOptions);
    std::vector<uint32_t> out(options.words);
    graph.bindBuffer(0, 0, {reinterpret_cast<uint8_t*>(out.data()), out.size() * 4});
    graph.setPushConstants(options.pushConstants);
    std::vector<oracle::Launch> list;
    for (const Launch& launch : launches)
        list.push_back({launch.name, launch.index, launch.count, launch.bytes, launch.stride});
    graph.dispatch(list);
    return out;
}

bool GraphTest::hasIntegers(std::initializer_list<uint32_t> widths)
{
    const harness::DeviceOptions usual;
    const harness::Device& asked = device(usual);
    return std::ranges::all_of(widths, [&](uint32_t bits) -> bool {
        switch (bits) {
            case 8:
                return asked.features12.shaderInt8 && asked.features12.storageBuffer8BitAccess;
            case 16:
                return asked.features.features.shaderInt16 && asked.features11.storageBuffer16BitAccess;
            default:
                return asked.features.features.shaderInt64;
        }
    });
}

std::vector<uint32_t> GraphTest::run(const std::vector<Stage>& stages, const std::vector<Launch>& launches,
                                     const Options& options)
{
    const auto comparable = [&](std::vector<uint32_t> words) {
        for (uint32_t word : options.unspecified)
            words[word] = 0;
        return words;
    };
    std::vector<uint32_t> result;
    std::vector<uint32_t> wanted;
    if (options.onOracle)
        wanted = comparable(runOnOracle(stages, launches, options));
    for (const char* path : {"direct", "indirect"}) {
        DeviceOptions deviceOptions;
        deviceOptions.path = path;
        if (std::string_view(options.fusion) != "on")
            deviceOptions.words["fusion"] = options.fusion;
        RunnerOptions runnerOptions;
        runnerOptions.outputWords = options.words;
        runnerOptions.pushConstantBytes = static_cast<uint32_t>(options.pushConstants.size());
        Runner runner(device(deviceOptions), runnerOptions);
        runner.pushConstants = options.pushConstants;
        const VkPipeline graph = runner.createGraph(stages);
        for (Scratch scratch : {Scratch::Minimum, Scratch::Between, Scratch::Maximum}) {
            for (Form form : {Form::Host, Form::Indirect, Form::IndirectCount}) {
                SCOPED_TRACE(std::string(path) + ", " + nameOf(scratch) + " scratch, " + nameOf(form) + " dispatch");
                runner.clearOutput();
                RunOptions runOptions;
                runOptions.scratch = scratch;
                runOptions.form = form;
                runner.run(graph, launches, runOptions);
                result = runner.outputWords();
                if (wanted.empty())
                    wanted = comparable(result);
                EXPECT_EQ(comparable(result), wanted);
            }
        }
    }
    return result;
}

void GraphTest::expectRefused(const std::vector<Stage>& stages, const std::string& part)
{
    Device& used = device();
    Runner runner(used, RunnerOptions{});
    VkPipeline graph = VK_NULL_HANDLE;
    EXPECT_LT(runner.tryCreateGraph(stages, {}, graph), 0);
    EXPECT_EQ(graph, VkPipeline{VK_NULL_HANDLE});
    expectMessage(used, part);
}

void GraphTest::expectRuleBroken(const std::vector<Stage>& stages, const std::vector<Launch>& launches, uint32_t words)
{
    Options options;
    options.words = words;
    EXPECT_THROW(runOnOracle(stages, launches, options), oracle::RuleError);
}

}  // namespace millrace::conformance
