// SPDX-License-Identifier: Apache-2.0
#include "random/random_graph.h"

#include <cstring>
#include <filesystem>
#include <fstream>

#include "oracle/assembler.h"
#include "random/node_text.h"

namespace millrace::random {

namespace {

constexpr uint64_t kFakeAddress = 0x100000;

std::vector<uint8_t> launchBytes(const GraphSpec& graph, const LaunchSpec& launch)
{
    const Layout& layout = graph.families[launch.family].layout;
    std::vector<uint8_t> out(launch.count ? (launch.count - 1) * size_t{launch.stride} + layout.size : 0);
    for (uint32_t i = 0; i < launch.count; ++i) {
        const std::vector<uint8_t> payload = payloadBytes(layout, launch.keys[i]);
        if (!payload.empty())
            std::memcpy(out.data() + i * size_t{launch.stride}, payload.data(), payload.size());
    }
    return out;
}

template <typename T>
T valueOf(std::span<const uint8_t> bytes, size_t number = 0)
{
    T value{};
    std::memcpy(&value, bytes.data() + number * sizeof value, sizeof value);
    return value;
}

// What a rasterizer and the fragment shader make of the points.
void draw(const oracle::MeshOutputs& outputs, std::span<uint32_t> picture)
{
    for (uint32_t p = 0; p < outputs.primitives; ++p) {
        const auto vertex = valueOf<uint32_t>(outputs.at(spv::BuiltInPrimitivePointIndicesEXT, p));
        if (vertex >= outputs.vertices)
            throw oracle::RuleError("a primitive with a vertex that does not exist");
        const std::span<const uint8_t> place = outputs.at(spv::BuiltInPosition, vertex);
        const auto coordinate = [&](size_t i) {
            return static_cast<uint32_t>((valueOf<float>(place, i) + 1) * (kPictureSide / 2));
        };
        const uint32_t pixel = coordinate(1) * kPictureSide + coordinate(0);
        picture[pixel] += drawnValue(valueOf<uint32_t>(outputs.at(uint32_t{0}, vertex)),
                                     valueOf<uint32_t>(outputs.at(uint32_t{1}, p)), pixel);
    }
}

}  // namespace

RandomGraph buildGraph(uint64_t seed, uint32_t attempt, const MemberRules& rules, bool withMesh)
{
    RandomGraph out;
    out.spec = chooseGraph(seed, attempt, rules, withMesh);
    Random random(seed * 977 + attempt);
    out.moduleOfNode.resize(out.spec.nodes.size());
    for (uint32_t i = 0; i < out.spec.modules.size(); ++i) {
        ModuleResult result = emitModule(out.spec, out.spec.modules[i], random);
        GeneratedModule module;
        module.text = std::move(result.text);
        module.words = oracle::assemble(module.text);
        module.specialization.insert(result.specialization.begin(), result.specialization.end());
        module.specifiedValidity = result.specifiedValidity;
        out.modules.push_back(std::move(module));
        for (uint32_t node : out.spec.modules[i].nodes)
            out.moduleOfNode[node] = i;
    }
    for (const NodeSpec& node : out.spec.nodes)
        if (node.twinOf)
            out.moduleOfNode[node.id] = out.moduleOfNode[*node.twinOf];
    out.pushConstants.resize(out.spec.pushConstantBytes);
    std::memcpy(out.pushConstants.data(), &kPushSalt, 4);
    const uint32_t last = kPushSalt + 1;
    if (out.spec.pushConstantBytes > 16)
        std::memcpy(out.pushConstants.data() + out.spec.pushConstantBytes - 4, &last, 4);
    for (uint32_t i = 0; i < kTableWords; ++i)
        out.table.push_back(random.word());
    for (const LaunchSpec& launch : out.spec.launches)
        out.payloads.push_back(launchBytes(out.spec, launch));
    if (out.spec.hasMesh()) {
        out.fragmentText = emitFragmentShader(out.spec);
        out.fragment = oracle::assemble(out.fragmentText);
    }
    return out;
}

Expectation runOnOracle(const RandomGraph& graph, const oracle::Options& options)
{
    std::vector<oracle::NodeSource> sources;
    for (const NodeSpec& node : graph.spec.nodes) {
        const GeneratedModule& module = graph.modules[graph.moduleOfNode[node.id]];
        oracle::NodeSource source{module.words, node.entry, std::nullopt, std::nullopt, module.specialization};
        if (node.nameFromApi)
            source.name = node.name;
        if (node.indexFromApi)
            source.index = node.index;
        sources.push_back(std::move(source));
    }
    Expectation out;
    out.output.resize(outputWords(graph.spec));
    std::vector<uint32_t> table = graph.table;
    std::vector<uint8_t> pushConstants = graph.pushConstants;
    std::memcpy(pushConstants.data() + 8, &kFakeAddress, 8);
    oracle::Graph runner(sources, options);
    runner.bindBuffer(0, 0, {reinterpret_cast<uint8_t*>(out.output.data()), out.output.size() * 4}, kFakeAddress);
    runner.bindBuffer(1, 3, {reinterpret_cast<uint8_t*>(table.data()), table.size() * 4});
    runner.setPushConstants(pushConstants);
    runner.onMesh([&](const oracle::Node&, const oracle::MeshOutputs& outputs) {
        draw(outputs, std::span(out.output).subspan(pictureWord(graph.spec)));
    });
    std::vector<oracle::Launch> launches;
    for (size_t i = 0; i < graph.spec.launches.size(); ++i) {
        const LaunchSpec& launch = graph.spec.launches[i];
        launches.push_back(
            {graph.spec.families[launch.family].name, launch.index, launch.count, graph.payloads[i], launch.stride});
    }
    runner.dispatch(launches);
    out.statistics = runner.statistics();
    return out;
}

std::pair<RandomGraph, Expectation> makeGraph(uint64_t seed, const Effort& effort)
{
    for (uint32_t attempt = 0;; ++attempt) {
        RandomGraph graph = buildGraph(seed, attempt, effort.rules, effort.withMesh);
        if (effort.withMesh && !graph.spec.hasMesh())
            continue;
        oracle::Options options;
        options.seed = static_cast<uint32_t>(seed) + 1;
        options.maxWorkgroups = effort.maxWorkgroups;
        options.maxOperations = effort.maxOperations;
        try {
            Expectation expectation = runOnOracle(graph, options);
            return {std::move(graph), std::move(expectation)};
        } catch (const oracle::TooMuchWork&) {
            if (attempt >= 30)
                throw;
        }
    }
}

void dumpGraph(const RandomGraph& graph, const std::string& folder)
{
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/graph.txt") << describe(graph.spec);
    if (!graph.fragmentText.empty())
        std::ofstream(folder + "/fragment.spvasm") << graph.fragmentText;
    for (size_t i = 0; i < graph.modules.size(); ++i) {
        const GeneratedModule& module = graph.modules[i];
        const std::string name = folder + "/module" + std::to_string(i);
        std::ofstream text(name + ".spvasm");
        text << "; nodes:";
        for (uint32_t node : graph.spec.modules[i].nodes)
            text << " " << graph.spec.nodes[node].name << "[" << graph.spec.nodes[node].index << "]";
        text << "\n; specialization:";
        for (const auto& [id, value] : module.specialization)
            text << " " << id << "=" << value;
        text << "\n" << module.text;
        std::ofstream binary(name + ".spv", std::ios::binary);
        binary.write(reinterpret_cast<const char*>(module.words.data()),
                     static_cast<std::streamsize>(module.words.size() * 4));
    }
}

}  // namespace millrace::random
