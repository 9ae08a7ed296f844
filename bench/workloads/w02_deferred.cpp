// SPDX-License-Identifier: Apache-2.0
// W2: tiled deferred shading: payloads of 268 bytes with a tile's lights, one for each of its materials.
#include <algorithm>
#include <memory>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kClasses = 10, kDark = 8, kSkyClass = 9;
constexpr uint32_t kSky = 255;
constexpr uint32_t kMostLights = 64;

struct Light {
    uint32_t x, y, radius, colour;
};

struct Scene {
    uint32_t width, height, lightCount;

    std::vector<uint32_t> surfaces;
    std::vector<Light> lights{};
    // What comes out, and the number of tiles in each class.
    std::vector<uint32_t> colours{};
    uint32_t classTiles[kClasses] = {};

    void fill();
    Definitions definitions() const
    {
        return {{"WIDTH", text(width)}, {"HEIGHT", text(height)}, {"LIGHTS", text(lightCount)}};
    }

private:
    void shadeTile(uint32_t tileX, uint32_t tileY);
};

void Scene::fill()
{
    Random random(2);
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x) {
            // Blocks that do not begin where tiles do.
            const uint32_t material = mix32(x / 37 * 7919 + y / 29 * 104729) % 9;
            surfaces.push_back((material == 8 ? kSky : material) | (mix32(y * width + x) & ~255u));
        }
    for (uint32_t i = 0; i < lightCount; ++i)
        lights.push_back({random.below(width), random.below(height), 10 + random.below(90), random.word()});
    colours.resize(surfaces.size());
    for (uint32_t y = 0; y < height / 4; ++y)
        for (uint32_t x = 0; x < width / 8; ++x)
            shadeTile(x, y);
}

bool reaches(const Light& light, int32_t x0, int32_t y0)
{
    const auto x = static_cast<int32_t>(light.x), y = static_cast<int32_t>(light.y);
    const int32_t dx = std::max({x0 - x, x - (x0 + 7), 0}), dy = std::max({y0 - y, y - (y0 + 3), 0});
    return static_cast<uint32_t>(dx * dx + dy * dy) < light.radius * light.radius;
}

uint32_t lightOn(uint32_t surface, const Light& light, uint32_t px, uint32_t py)
{
    const uint32_t dx = px - light.x, dy = py - light.y;
    const uint32_t square = dx * dx + dy * dy;
    if (square >= light.radius * light.radius)
        return 0;
    uint32_t value = (light.radius * light.radius - square) * (light.colour & 255);
    for (uint32_t i = 0; i <= (surface & 255); ++i)
        value = value * 1664525u + (surface >> 8);
    return value >> 4;
}

void Scene::shadeTile(uint32_t tileX, uint32_t tileY)
{
    std::vector<const Light*> near;
    for (const Light& light : lights)
        if (reaches(light, static_cast<int32_t>(8 * tileX), static_cast<int32_t>(4 * tileY)))
            near.push_back(&light);
    if (near.size() > kMostLights)
        throw harness::HarnessError("W2: too many lights at one tile");
    uint32_t present = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        const uint32_t x = 8 * tileX + i % 8, y = 4 * tileY + i / 8;
        const uint32_t surface = surfaces[size_t{y} * width + x];
        present |= 1u << std::min(surface & 255, 8u);
        uint32_t sum = 0;
        if ((surface & 255) == kSky)
            sum = mix32(y) | 1;
        else if (near.empty())
            sum = surface * 3 + 1;
        else
            for (const Light* light : near)
                sum += lightOn(surface, *light, x, y);
        colours[size_t{y} * width + x] = sum;
    }
    classTiles[kSkyClass] += present >> 8;
    classTiles[kDark] += near.empty() && (present & 255) != 0;
    for (uint32_t i = 0; i < 8; ++i)
        classTiles[i] += !near.empty() && (present >> i & 1) != 0;
}

struct GraphValues {
    VkDeviceAddress surfaces, colours, lights;
};
struct Values {
    VkDeviceAddress surfaces, colours, lights, found, counts, tiles, counters, nextCounters;
    uint32_t kind, count;
};

class ByHand {
public:
    ByHand(harness::Device& device, const Scene& scene, const GraphValues& shared)
        : m_scene(scene),
          m_tiles(scene.width / 8 * (scene.height / 4)),
          m_found(device, VkDeviceSize{m_tiles} * kMostLights * 4),
          m_counts(device, VkDeviceSize{m_tiles} * 4),
          m_lists(device, VkDeviceSize{m_tiles} * kClasses * 4),
          m_counters{{device, std::vector<uint32_t>(32 * kClasses)}, {device, std::vector<uint32_t>(32 * kClasses)}},
          m_values{shared.surfaces,
                   shared.colours,
                   shared.lights,
                   m_found.address(),
                   m_counts.address(),
                   m_lists.address(),
                   0,
                   0,
                   0,
                   0},
          m_cull(device, "w02/cull_by_hand", sizeof(Values), scene.definitions())
    {
        Definitions definitions = scene.definitions();
        definitions.emplace_back("FUSED", "");
        m_fused = std::make_unique<Kernel>(device, "w02/cull_by_hand", sizeof(Values), definitions);
        definitions.back() = {"CLASS", ""};
        for (uint32_t i = 0; i < kClasses; ++i) {
            definitions.back().second = text(i);
            m_leaves.push_back(std::make_unique<Kernel>(device, "w02/leaf_by_hand", sizeof(Values), definitions));
        }
    }

    void lists(VkCommandBuffer cmd)
    {
        m_values.counters = m_counters[m_run % 2].address();
        m_values.nextCounters = m_counters[(m_run + 1) % 2].address();
        ++m_run;
        m_cull.dispatch(cmd, argumentsOf(m_values), groupsFor(m_tiles, 8));
        computeBarrier(cmd);
        for (uint32_t i = 0; i < kClasses; ++i) {
            Values values = m_values;
            values.kind = i;
            values.count = m_scene.classTiles[i];
            // The first class clears counters, even where it has no tiles.
            m_leaves[i]->dispatch(cmd, argumentsOf(values), std::max(1u, groupsFor(values.count, 8)));
        }
    }
    void fused(VkCommandBuffer cmd) const { m_fused->dispatch(cmd, argumentsOf(m_values), groupsFor(m_tiles, 8)); }

private:
    const Scene& m_scene;
    uint32_t m_tiles;
    Memory m_found, m_counts, m_lists;
    Memory m_counters[2];
    uint32_t m_run = 0;
    Values m_values;
    Kernel m_cull;
    std::unique_ptr<Kernel> m_fused;
    std::vector<std::unique_ptr<Kernel>> m_leaves;
};

std::vector<Node> nodesFor(const Scene& scene)
{
    const auto with = [&](const char* name, const std::string& value = "") {
        Definitions all = scene.definitions();
        all.emplace_back(name, value);
        return all;
    };
    std::vector<Node> nodes{{"w02/cull", "cull", scene.definitions()},
                            {"w02/leaf", "sky", with("SKY")},
                            {"w02/leaf", "dark", with("DARK")}};
    for (uint32_t i = 0; i < 8; ++i)
        nodes.push_back({"w02/leaf", "material", with("MATERIAL", text(i)), 1, {}, i});
    return nodes;
}

}  // namespace

void deferred(Bench& bench)
{
    auto scene = bench.pick(Scene{1920, 1080, 600, {}}, Scene{480, 272, 60, {}}, Scene{96, 64, 4, {}});
    scene.fill();
    harness::Device& device = bench.device();
    Output colours(device, scene.colours);
    const Memory surfaces(device, scene.surfaces);
    std::vector<uint32_t> words;
    for (const Light& light : scene.lights)
        words.insert(words.end(), {light.x, light.y, light.radius, light.colour});
    const Memory lights(device, words);
    const GraphValues values{surfaces.address(), colours.address(), lights.address()};
    Graph graph(device, nodesFor(scene), sizeof values);
    graph.setArguments(argumentsOf(values));
    graph.setLaunches({harness::launchWords("cull", 0, 1, {})});
    ByHand byHand(device, scene, values);
    uint32_t payloads = 0;
    for (uint32_t count : scene.classTiles)
        payloads += count;
    Case todo;
    todo.name = text(scene.width) + " x " + text(scene.height) + " pixels, " + text(payloads) + " payloads";
    todo.scratchBytes = graph.scratchBytes();
    todo.prepare = [&](VkCommandBuffer cmd) { colours.clear(cmd); };
    todo.check = [&] { return colours.difference(); };
    todo.versions = {
        {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
        {Role::Hand, "lists of tiles, counts known", [&](VkCommandBuffer cmd) { byHand.lists(cmd); }},
        {Role::Other, "fused, a switch for all materials", [&](VkCommandBuffer cmd) { byHand.fused(cmd); }},
    };
    bench.measure(todo);
}

}  // namespace millrace::bench
