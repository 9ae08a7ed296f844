// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/measure.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "bench/mesh/picture.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kIndexBytes = 4;  // of a triangle, three indices in a meshlet: the least that anybody writes

struct Entry {
    Version version;
    std::unique_ptr<Way> way;
    std::vector<Times> times;
};

std::vector<Entry> createWays(Devices& devices, const Scene& scene)
{
    const bool isNative = devices.driver().hasExtension();
    std::vector<Entry> ways;
    const auto add = [&](const char* name, const char* role, std::unique_ptr<Way> way) {
        ways.push_back({{name, role}, std::move(way), {}});
    };
    if (scene.draws == Draws::Nodes) {
        if (isNative) {
            add(kHand, "hand", createTileWay(devices.driver(), scene));
            add(kNodes, "graph", createNodeWay(devices.nodes(), scene));
        }
        add(kEmulated, isNative ? "other" : "graph", createNodeWay(devices.nodesAndShaders(), scene));
        return ways;
    }
    if (isNative)
        add(kNative, "other", createMeshWay(devices.driver(), scene));
    add(kEmulated, "graph", createMeshWay(devices.layer(), scene));
    auto hand = std::make_unique<HandWay>(devices.driver(), scene);
    hand->record();
    add(kHand, "hand", std::move(hand));
    return ways;
}

// Pictures are those of the first way.
void checkPictures(std::vector<Entry>& ways, const Scene& scene)
{
    const std::vector<uint32_t> expected = ways[0].way->pixels();
    if (covered(expected) < scene.leastCovered)
        throw std::runtime_error(scene.name + ", " + ways[0].version.name + ": only " +
                                 std::to_string(100 * covered(expected)) + " % of the picture are covered");
    for (Entry& entry : ways) {
        const size_t differing = countDiffering(expected, entry.way->pixels());
        entry.version.differing = std::max(entry.version.differing, differing);
        if (static_cast<double>(differing) > kMostDiffering * static_cast<double>(expected.size()))
            throw std::runtime_error(scene.name + ": the pictures of \"" + ways[0].version.name + "\" and \"" +
                                     entry.version.name + "\" differ in " + std::to_string(differing) + " pixels");
    }
}

void writePictures(const std::vector<Entry>& ways, const Scene& scene, const std::string& folder)
{
    for (const Entry& entry : ways)
        writePpm(folder + "/" + scene.name + ", " + entry.version.name + ".ppm", scene, entry.way->pixels());
}

// Keeps the device busy as well, so that its clocks are up.
void warmUp(Way& way, bool isMeasured)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(isMeasured ? 60 : 0);
    do
        way.run();
    while (std::chrono::steady_clock::now() < end);
}

double medianOf(const std::vector<Times>& times, double Times::*which)
{
    std::vector<double> values;
    for (const Times& one : times)
        values.push_back(one.*which);
    std::ranges::sort(values);
    return values[values.size() / 2] / 1e3;
}

Version versionOf(const Entry& entry)
{
    Version version = entry.version;
    version.frame = medianOf(entry.times, &Times::frame);
    version.compute = medianOf(entry.times, &Times::compute);
    const auto [least, most] = std::ranges::minmax(entry.times, {}, &Times::frame);
    version.least = least.frame / 1e3;
    version.most = most.frame / 1e3;
    version.recording = entry.way->recordNanoseconds() / 1e3;
    return version;
}

void addCounts(Result& result, const Scene& scene, const std::vector<Entry>& ways)
{
    for (const Entry& entry : ways)
        if (const auto* const hand = dynamic_cast<const HandWay*>(entry.way.get()))
            result.counts = hand->counts();
    if (result.counts)
        result.bytes = scene.inputBytes() + uint64_t{result.counts->vertices} * kVertexBytes +
                       uint64_t{result.counts->indices} / 3 * kIndexBytes;
}

}  // namespace

Gpu& Devices::get(std::unique_ptr<Gpu>& gpu, Provider provider, Extension extension)
{
    if (!gpu)
        gpu = std::make_unique<Gpu>(provider, extension, m_name);
    if (provider == Provider::Layer && !gpu->hasExtension())
        throw std::runtime_error("the layer does not provide on this device what is measured");
    return *gpu;
}

Gpu& Devices::driver()
{
    return get(m_driver, Provider::Driver, Extension::MeshShaders);
}

Gpu& Devices::layer()
{
    return get(m_layer, Provider::Layer, Extension::MeshShaders);
}

Gpu& Devices::nodes()
{
    return get(m_nodes, Provider::Layer, Extension::MeshNodes);
}

Gpu& Devices::nodesAndShaders()
{
    return get(m_both, Provider::Layer, Extension::MeshNodesAndShaders);
}

const Version* Result::find(const std::string& version) const
{
    const auto found = std::ranges::find(versions, version, &Version::name);
    return found == versions.end() ? nullptr : &*found;
}

Result measure(Devices& devices, const Scene& scene, const Options& options)
{
    std::vector<Entry> ways = createWays(devices, scene);
    for (Entry& entry : ways)
        warmUp(*entry.way, options.runs > 1);
    checkPictures(ways, scene);
    if (!options.pictures.empty())
        writePictures(ways, scene, options.pictures);
    for (uint32_t run = 0; run < options.runs; ++run)
        for (Entry& entry : ways)
            entry.times.push_back(entry.way->run());
    checkPictures(ways, scene);
    Result result{scene.name, {}, {}, 0};
    for (const Entry& entry : ways)
        result.versions.push_back(versionOf(entry));
    addCounts(result, scene, ways);
    return result;
}

}  // namespace millrace::bench
