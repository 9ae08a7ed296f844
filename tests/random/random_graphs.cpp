// SPDX-License-Identifier: Apache-2.0
// random_graphs: runs random graphs on a device, through the layer, and compares the results with the oracle's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>

#include "harness/part_times.h"
#include "harness/runner.h"
#include "random/random_graph.h"

namespace millrace::random {

namespace {

constexpr const char* kUsage =
    "usage: random_graphs [--count N] [--seed S] [--long] [--path direct|indirect|both] [--device NAME]\n"
    "                     [--by-commit] [--fusion on|off|all|each] [--dump FOLDER] [--oracle-only] [--times] "
    "[--serve]\n"
    "                     [--mesh native|emulated]\n"
    "  --count   number of graphs, with seeds S, S + 1, ... (default 100)\n"
    "  --by-commit  adds MILLRACE_TEST_SEEDS, which ./test.sh sets by commit, to the seed\n"
    "  --long    larger graphs, both paths and all forms of dispatch for each\n"
    "  --device  part of the device's name (default: MILLRACE_TEST_DEVICE, else the first device)\n"
    "  --fusion  the layer's setting; each: all three for each graph, shared out among its runs (default: on, all and "
    "off\n"
    "            in turn from graph to graph; each with --long)\n"
    "  --mesh    graphs with mesh nodes, drawn by mesh shaders of the driver's or of the layer's\n"
    "  --times   says how long each step of each graph takes\n"
    "  --serve   runs the seeds that standard input has, one a line, and says of each what became of it\n"
    "  --dump    writes the SPIR-V of each graph to FOLDER/<seed>\n";

struct Arguments {
    uint64_t seed = 0;
    uint64_t count = 100;
    bool byCommit = false;
    bool isLong = false;
    bool oracleOnly = false;
    bool times = false;
    bool serve = false;
    std::string path;    // empty: alternates from graph to graph
    std::string fusion;  // likewise
    std::string mesh;    // empty: there are no mesh nodes
    std::string dump;
};

// Prints how long its scope took.
class Timer {
public:
    Timer(bool enabled, std::string what)
        : m_enabled(enabled), m_what(std::move(what)), m_start(std::chrono::steady_clock::now())
    {
    }
    ~Timer()
    {
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - m_start;
        if (m_enabled)
            std::printf("%9.1f ms  %s\n", took.count(), m_what.c_str());
    }
    Timer(const Timer&) = delete;

private:
    bool m_enabled;
    std::string m_what;
    std::chrono::steady_clock::time_point m_start;
};

// One run of a graph.
struct Variant {
    std::string path;
    harness::Scratch scratch;
    harness::Form form;
    std::string fusion;
    bool withoutGraphics = false;  // on a queue of such a family, if the device has one
    std::string mesh{};
    bool inPass = false;  // inside vkCmdBeginRenderPass

    std::string name() const
    {
        return path + " path, " + harness::nameOf(scratch) + " scratch, " + harness::nameOf(form) + " dispatch" +
               ", fusion " + fusion + (inPass ? ", in a render pass" : "") +
               (withoutGraphics ? ", queue without graphics" : "");
    }
};

bool parse(int argc, char** argv, Arguments& out)
{
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (word == "--long") {
            out.isLong = true;
            continue;
        }
        if (word == "--by-commit") {
            out.byCommit = true;
            continue;
        }
        if (word == "--times") {
            out.times = true;
            continue;
        }
        if (word == "--serve") {
            out.serve = true;
            continue;
        }
        if (word == "--oracle-only") {
            out.oracleOnly = true;
            continue;
        }
        if (!value)
            return false;
        ++i;
        if (word == "--count")
            out.count = std::strtoull(value, nullptr, 10);
        else if (word == "--seed")
            out.seed = std::strtoull(value, nullptr, 10);
        else if (word == "--device")
            setenv("MILLRACE_TEST_DEVICE", value, 1);
        else if (word == "--path")
            out.path = value;
        else if (word == "--fusion")
            out.fusion = value;
        else if (word == "--mesh")
            out.mesh = value;
        else if (word == "--dump")
            out.dump = value;
        else
            return false;
    }
    const char* const seeds = std::getenv("MILLRACE_TEST_SEEDS");
    if (out.byCommit && seeds)
        out.seed += std::strtoull(seeds, nullptr, 10);
    const auto isOneOf = [](const std::string& value, std::initializer_list<const char*> words) {
        return value.empty() || std::ranges::find(words, value) != words.end();
    };
    return isOneOf(out.path, {"direct", "indirect", "both"}) && isOneOf(out.fusion, {"on", "off", "all", "each"}) &&
           isOneOf(out.mesh, {"native", "emulated"});
}

std::vector<std::string> pathsFor(uint64_t seed, const Arguments& arguments)
{
    if (arguments.path == "both" || (arguments.path.empty() && arguments.isLong))
        return {"direct", "indirect"};
    return {!arguments.path.empty() ? arguments.path : seed % 2 ? "indirect" : "direct"};
}

std::vector<std::string> fusionsFor(uint64_t seed, const Arguments& arguments)
{
    const std::vector<std::string> each = {"on", "all", "off"};
    if (arguments.fusion == "each" || (arguments.fusion.empty() && arguments.isLong))
        return each;
    return {!arguments.fusion.empty() ? arguments.fusion : each[seed / 6 % each.size()]};
}

// Which cannot be interrupted, so that a graph has to fit.
bool isInPass(uint64_t seed, const Arguments& arguments)
{
    return !arguments.mesh.empty() && seed % 4 == 3;
}

std::vector<Variant> variantsFor(uint64_t seed, const Arguments& arguments)
{
    std::vector<Variant> out;
    const std::vector<std::string> fusions = fusionsFor(seed, arguments);
    if (isInPass(seed, arguments)) {
        for (const std::string& path : pathsFor(seed, arguments))
            for (const std::string& fusion : fusions)
                out.push_back(
                    {path, harness::Scratch::Maximum, harness::Form::Host, fusion, false, arguments.mesh, true});
        return out;
    }
    // Without --long each scratch size meets one form of dispatch; which one changes from graph to graph. So does the
    // fusion that each of them meets, since compiling takes most of the time.
    uint64_t turn = seed / 2;
    const bool withoutGraphics = arguments.mesh.empty() && seed / 18 % 2 == 1;
    for (const std::string& path : pathsFor(seed, arguments)) {
        for (auto scratch : {harness::Scratch::Minimum, harness::Scratch::Between, harness::Scratch::Maximum}) {
            for (uint64_t form = 0; form < 3; ++form) {
                const std::string& fusion = fusions[(seed / 6 + turn + form) % fusions.size()];
                if (arguments.isLong || form == turn % 3)
                    out.push_back(
                        {path, scratch, static_cast<harness::Form>(form), fusion, withoutGraphics, arguments.mesh});
            }
            ++turn;
        }
    }
    return out;
}

// Of mesh nodes or of the others.
std::vector<harness::Stage> stagesOf(const RandomGraph& graph, bool areMesh)
{
    std::vector<harness::Stage> stages;
    for (const NodeSpec& node : graph.spec.nodes) {
        if (node.mesh.has_value() != areMesh)
            continue;
        const GeneratedModule& module = graph.modules[graph.moduleOfNode[node.id]];
        harness::Stage stage;
        stage.words = module.words;
        stage.fragment = areMesh ? graph.fragment : std::vector<uint32_t>();
        stage.entry = node.entry;
        if (node.nameFromApi)
            stage.name = node.name;
        if (node.indexFromApi)
            stage.index = node.index;
        stage.withNodeInfo = node.nameFromApi || node.indexFromApi || node.id % 2 == 0;
        for (const auto& [id, value] : module.specialization)
            stage.specialization[id] = static_cast<uint32_t>(value);
        stages.push_back(std::move(stage));
    }
    return stages;
}

std::vector<harness::Launch> launchesOf(const RandomGraph& graph)
{
    std::vector<harness::Launch> launches;
    for (size_t i = 0; i < graph.spec.launches.size(); ++i) {
        const LaunchSpec& launch = graph.spec.launches[i];
        launches.push_back(
            {graph.spec.families[launch.family].name, launch.index, launch.count, graph.payloads[i], launch.stride});
    }
    return launches;
}

// Says what differs; the counters of the nodes tell where to look.
std::string compare(const RandomGraph& graph, const std::vector<uint32_t>& wanted, const std::vector<uint32_t>& got)
{
    static const char* const kCounters[] = {"workgroups", "invocations", "payloads", "remaining levels"};
    std::string out;
    uint32_t sums = 0;
    uint32_t pixels = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == got[i])
            continue;
        if (i < kSumWords) {
            ++sums;
            continue;
        }
        if (i >= pictureWord(graph.spec)) {
            ++pixels;
            continue;
        }
        const size_t counter = i - kSumWords;
        const NodeSpec& node = graph.spec.nodes[counter / kCountersPerNode];
        out += "    node " + std::to_string(node.id) + " " + node.name + "[" + std::to_string(node.index) +
               "]: " + kCounters[counter % kCountersPerNode] + " " + std::to_string(got[i]) + ", wanted " +
               std::to_string(wanted[i]) + "\n";
    }
    if (pixels)
        out += "    " + std::to_string(pixels) + " pixels differ\n";
    if (sums)
        out += "    " + std::to_string(sums) + " of " + std::to_string(kSumWords) + " sums differ\n";
    return out;
}

harness::DeviceOptions deviceOptions(const Variant& variant)
{
    harness::DeviceOptions options;
    options.path = variant.path;
    options.words["fusion"] = variant.fusion;
    if (variant.fusion == "all")
        options.traits["kept_bytes"] = 1;  // payloads that workgroups keep in scratch memory, where that is possible
    if (variant.fusion == "off") {
        options.traits["sweep_groups"] = 997;  // more sweeps than memory alone makes necessary
        options.traits["first_sweeps"] = 7;    // one behind the other, without a look in between
    }
    options.meshNodes = !variant.mesh.empty();
    if (options.meshNodes)
        options.words["enable"] = "mesh_nodes, mesh_shaders";
    if (variant.mesh == "emulated")
        options.switches["force_enable"] = true;
    return options;
}

// Of payloads on the device.
MemberRules rulesOf(const Variant& variant)
{
    const harness::Device& device = harness::sharedDevice(deviceOptions(variant));
    return {.has8 = device.features12.shaderInt8 && device.features12.storageBuffer8BitAccess,
            .has16 = device.features.features.shaderInt16 && device.features11.storageBuffer16BitAccess,
            .has64 = device.features.features.shaderInt64 != VK_FALSE,
            .hasScalarLayout = device.features12.scalarBlockLayout != VK_FALSE};
}

// A graph on one device: pipeline made once, run for each variant.
class DeviceRun {
public:
    DeviceRun(const RandomGraph& graph, const Variant& variant) : m_graph(graph)
    {
        harness::RunnerOptions runnerOptions;
        runnerOptions.outputWords = outputWords(graph.spec);
        runnerOptions.table = graph.table;
        runnerOptions.pushConstantBytes = graph.spec.pushConstantBytes;
        runnerOptions.side = variant.mesh.empty() ? 0 : kPictureSide;
        runnerOptions.inPass = variant.inPass;
        harness::Device& device = harness::sharedDevice(deviceOptions(variant));
        device.useQueueWithoutGraphics(variant.withoutGraphics);
        m_runner = std::make_unique<harness::Runner>(device, runnerOptions);
        m_runner->pushConstants = graph.pushConstants;
        std::memcpy(m_runner->pushConstants.data() + 8, &m_runner->output().address, 8);
        harness::GraphOptions options;
        for (const harness::Stage& stage : stagesOf(graph, true))
            options.libraries.push_back(m_runner->createMeshLibrary(stage));
        m_pipeline = m_runner->createGraph(stagesOf(graph, false), options);
    }

    // Empty if the result is right. In a render pass that cannot be interrupted a graph which needs more sweeps than
    // are recorded there is incomplete, and the layer says so twice: `isTold` then, and nothing is compared.
    std::string run(const Variant& variant, const std::vector<uint32_t>& wanted, bool& isTold)
    {
        m_runner->clearOutput();
        harness::RunOptions options;
        options.scratch = variant.scratch;
        options.form = variant.form;
        options.infoStride = m_graph.spec.seed % 3 ? 24 : 40;
        // Before that, in the same scratch memory, the same or less: what one dispatch leaves there is nothing to the
        // next.
        if (m_graph.spec.seed % 3 > 0)
            options.rehearsal = launchesOf(m_graph);
        for (harness::Launch& launch : options.rehearsal)
            launch.count = m_graph.spec.seed % 3 == 1 ? launch.count : std::min(launch.count, 1u);
        m_runner->run(m_pipeline, launchesOf(m_graph), options);
        std::string problems;
        bool isWarned = false, isIncomplete = false;
        for (const std::string& message : m_runner->device().takeMessages()) {
            const auto has = [&](const char* id) { return variant.inPass && message.find(id) != std::string::npos; };
            // Scratch memory of the setting's most may still be less than what is proven to do.
            const bool warns = has("Millrace-graph-not-continued"), tells = has("Millrace-graph-incomplete");
            isWarned |= warns;
            isIncomplete |= tells;
            problems += warns || tells ? "" : "    " + message + "\n";
        }
        isTold = isWarned && isIncomplete;
        if (isIncomplete && !isWarned)
            problems += "    incomplete, without a warning when it was recorded\n";
        return isTold ? problems : compare(m_graph, wanted, m_runner->outputWords()) + problems;
    }

private:
    const RandomGraph& m_graph;
    std::unique_ptr<harness::Runner> m_runner;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

struct Totals {
    uint64_t passed = 0, failed = 0, workgroups = 0, payloads = 0;
    uint64_t inPasses = 0, told = 0;  // runs in render passes, and those that were incomplete

    // Graphs that are compared are the most: others show little.
    bool tellsTooMany() const { return told > 8 && 2 * told > inPasses; }
};

// Returns what went wrong.
std::string runGraph(uint64_t seed, const Arguments& arguments, Totals& totals)
{
    Effort effort;
    if (arguments.isLong)
        effort = {2'000'000, 2'000'000'000, {}};
    effort.withMesh = !arguments.mesh.empty();
    if (!arguments.oracleOnly)
        effort.rules = rulesOf(variantsFor(seed, arguments).front());
    const auto [graph, expectation] = [&] {
        const harness::Part part("oracle");
        const Timer timer(arguments.times, "seed " + std::to_string(seed) + ": generate and run on the oracle");
        return makeGraph(seed, effort);
    }();
    totals.workgroups += expectation.statistics.workgroups;
    totals.payloads += expectation.statistics.payloads;
    if (!arguments.dump.empty())
        dumpGraph(graph, arguments.dump + "/" + std::to_string(seed));
    if (arguments.oracleOnly)
        return "";
    std::string problems;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<DeviceRun>> runs;  // by path and fusion
    for (const Variant& variant : variantsFor(seed, arguments)) {
        std::unique_ptr<DeviceRun>& run = runs[{variant.path, variant.fusion}];
        if (!run) {
            const Timer timer(arguments.times,
                              "create the pipeline of " + std::to_string(graph.spec.nodes.size()) + " nodes");
            run = std::make_unique<DeviceRun>(graph, variant);
        }
        const Timer timer(arguments.times, variant.name());
        bool isTold = false;
        const std::string problem = run->run(variant, expectation.output, isTold);
        totals.inPasses += variant.inPass;
        totals.told += isTold;
        if (!problem.empty())
            problems += "  " + variant.name() + "\n" + problem;
    }
    if (!problems.empty())
        problems += describe(graph.spec);
    return problems;
}

void reportFailure(uint64_t seed, const Arguments& arguments, const std::string& problem, const char* program)
{
    std::printf("FAILED seed %llu\n%s", static_cast<unsigned long long>(seed), problem.c_str());
    std::printf("  reproduce: %s --count 1 --seed %llu%s%s%s%s%s%s%s\n", program, static_cast<unsigned long long>(seed),
                arguments.isLong ? " --long" : "", arguments.path.empty() ? "" : " --path ", arguments.path.c_str(),
                arguments.fusion.empty() ? "" : " --fusion ", arguments.fusion.c_str(),
                arguments.mesh.empty() ? "" : " --mesh ", arguments.mesh.c_str());
    std::fflush(stdout);
}

// The seeds to run: a range, or what standard input has.
class Seeds {
public:
    explicit Seeds(const Arguments& arguments)
        : m_serves(arguments.serve), m_next(arguments.seed), m_end(arguments.seed + arguments.count)
    {
        if (!m_serves)
            std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(m_next),
                        static_cast<unsigned long long>(m_end - 1));
    }

    std::optional<uint64_t> next()
    {
        if (m_serves) {
            uint64_t seed = 0;
            return std::cin >> seed ? std::optional(seed) : std::nullopt;
        }
        return m_next < m_end ? std::optional(m_next++) : std::nullopt;
    }

    // Who serves has been asked, and answers at once.
    void answer(uint64_t seed, bool passed) const
    {
        if (!m_serves)
            return;
        std::printf("seed %llu %s\n", static_cast<unsigned long long>(seed), passed ? "passed" : "failed");
        std::fflush(stdout);
    }

private:
    bool m_serves;
    uint64_t m_next;
    uint64_t m_end;
};

int runAll(const Arguments& arguments, const char* program)
{
    Totals totals;
    Seeds seeds(arguments);
    while (const std::optional<uint64_t> seed = seeds.next()) {
        std::string problem;
        try {
            problem = runGraph(*seed, arguments, totals);
        } catch (const std::exception& error) {
            problem = std::string("  ") + error.what() + "\n";
        }
        if (problem.empty()) {
            ++totals.passed;
        } else {
            ++totals.failed;
            reportFailure(*seed, arguments, problem, program);
        }
        seeds.answer(*seed, problem.empty());
    }
    for (const std::string& message : harness::releaseSharedDevices()) {
        std::printf("while destroying the devices: %s\n", message.c_str());
        ++totals.failed;
    }
    std::printf("%llu workgroups, %llu payloads\n", static_cast<unsigned long long>(totals.workgroups),
                static_cast<unsigned long long>(totals.payloads));
    std::printf("parts: %s\n", harness::describe(harness::partTimes().parts()).c_str());
    if (totals.inPasses > 0)
        std::printf("%llu of %llu runs in render passes were incomplete, as the layer said\n",
                    static_cast<unsigned long long>(totals.told), static_cast<unsigned long long>(totals.inPasses));
    if (totals.tellsTooMany()) {
        std::puts("which is more than half, so this shows little");
        ++totals.failed;
    }
    std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(totals.passed),
                static_cast<unsigned long long>(totals.failed));
    if (totals.failed + totals.passed == 0)
        std::fputs("random_graphs: no graph ran, so this shows nothing: give it seeds, or a --count above 0\n", stderr);
    return totals.failed || !totals.passed ? 1 : 0;
}

}  // namespace

}  // namespace millrace::random

int main(int argc, char** argv)
{
    millrace::random::Arguments arguments;
    if (!millrace::random::parse(argc, argv, arguments)) {
        std::fputs(millrace::random::kUsage, stderr);
        return 2;
    }
    return millrace::random::runAll(arguments, argv[0]);
}
