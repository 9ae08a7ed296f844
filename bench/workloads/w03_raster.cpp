// SPDX-License-Identifier: Apache-2.0
// W3: a rasterizer: grids of any size, and payloads to bins by the size of triangles that range from one pixel to half
// a million.
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/workloads/list.h"

namespace millrace::bench {

namespace {

struct Point {
    int32_t x, y;
};
struct Box {
    int32_t x0, y0, x1, y1;
    int64_t size() const { return int64_t{x1 - x0 + 1} * (y1 - y0 + 1); }
};
using Corners = std::array<Point, 3>;

int32_t edge(Point a, Point b, Point p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

std::array<int32_t, 3> edges(const Corners& v, Point p)
{
    return {edge(v[1], v[2], p), edge(v[2], v[0], p), edge(v[0], v[1], p)};
}

struct Scene {
    uint32_t width, height, objects, triangles;

    std::vector<Corners> corners{};
    std::vector<std::array<uint32_t, 3>> depths{};
    std::vector<uint32_t> objectWords{};  // first, count
    std::vector<uint32_t> expected{};
    uint32_t tiles = 0;  // of the program by hand

    void fill();
    std::vector<uint32_t> vertexWords() const;
    Definitions definitions() const { return {{"WIDTH", text(width)}, {"OBJECTS", text(objects)}}; }

private:
    void addTriangle(Random& random);
    void draw(uint32_t id);
    Box boxOf(const Corners& v) const
    {
        return {std::min({v[0].x, v[1].x, v[2].x}), std::min({v[0].y, v[1].y, v[2].y}),
                std::max({v[0].x, v[1].x, v[2].x}), std::max({v[0].y, v[1].y, v[2].y})};
    }
};

// Log-normal sizes with a median of some pixels.
void Scene::addTriangle(Random& random)
{
    const double normal = std::sqrt(-2 * std::log(random.unit() + 1e-12)) * std::cos(6.283185307179586 * random.unit());
    const double side = std::min(1000.0, 5 * std::exp(1.1 * normal));
    const double cx = random.unit() * width, cy = random.unit() * height, turn = random.unit() * 6.283185307179586;
    Corners v;
    for (uint32_t i = 0; i < 3; ++i) {
        const double angle = turn + 2.0944 * i + random.unit();
        v[i] = {std::clamp(static_cast<int32_t>(cx + side * std::cos(angle)), 0, static_cast<int32_t>(width) - 1),
                std::clamp(static_cast<int32_t>(cy + side * std::sin(angle)), 0, static_cast<int32_t>(height) - 1)};
    }
    if (random.word() & 1)
        std::swap(v[0], v[1]);
    corners.push_back(v);
    depths.push_back({random.below(1024), random.below(1024), random.below(1024)});
}

void Scene::draw(uint32_t id)
{
    const Corners& v = corners[id];
    const int32_t area = edge(v[0], v[1], v[2]);
    if (area <= 0)
        return;
    const Box box = boxOf(v);
    for (int32_t y = box.y0; y <= box.y1; ++y)
        for (int32_t x = box.x0; x <= box.x1; ++x) {
            const auto w = edges(v, {x, y});
            if (w[0] < 0 || w[1] < 0 || w[2] < 0)
                continue;
            uint32_t sum = 0;
            for (uint32_t i = 0; i < 3; ++i)
                sum += static_cast<uint32_t>(w[i]) * depths[id][i];
            uint32_t& pixel = expected[static_cast<size_t>(y) * width + static_cast<size_t>(x)];
            pixel = std::min(pixel, sum / static_cast<uint32_t>(area) << 17 | id);
        }
    if (box.size() <= 64)
        return;
    for (int32_t y = box.y0; y <= box.y1; y += 16)
        for (int32_t x = box.x0; x <= box.x1; x += 16) {
            std::array<int32_t, 3> most{INT32_MIN, INT32_MIN, INT32_MIN};
            for (const int32_t px : {x, std::min(x + 15, box.x1)})
                for (const int32_t py : {y, std::min(y + 15, box.y1)})
                    for (uint32_t i = 0; i < 3; ++i)
                        most[i] = std::max(most[i], edges(v, {px, py})[i]);
            tiles += most[0] >= 0 && most[1] >= 0 && most[2] >= 0;
        }
}

void Scene::fill()
{
    Random random(3);
    for (uint32_t i = 0; i < triangles; ++i)
        addTriangle(random);
    // Objects of very different sizes.
    uint32_t first = 0;
    for (uint32_t i = 0; i < objects; ++i) {
        const uint32_t left = triangles - first;
        const uint32_t count = i + 1 == objects ? left : std::min(left, random.below(2 * left / (objects - i) + 1));
        objectWords.insert(objectWords.end(), {first, count});
        first += count;
    }
    expected.assign(size_t{width} * height, ~0u);
    for (uint32_t i = 0; i < triangles; ++i)
        draw(i);
}

std::vector<uint32_t> Scene::vertexWords() const
{
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < triangles; ++i)
        for (uint32_t j = 0; j < 3; ++j) {
            const Point& v = corners[i][j];
            words.push_back(static_cast<uint32_t>(v.x) | static_cast<uint32_t>(v.y) << 16);
            words.push_back(depths[i][j]);
        }
    return words;
}

struct GraphValues {
    VkDeviceAddress depths, vertices, objects;
};
struct Values {
    VkDeviceAddress depths, vertices, tiles, counter, nextCounter;
    uint32_t count;
    uint32_t padding = 0;
};

std::vector<Node> nodesFor(const Scene& scene)
{
    Definitions isSmall = scene.definitions();
    isSmall.emplace_back("SMALL", "");
    Definitions wide = scene.definitions();
    wide.emplace_back("WIDE", "");
    // Boxes of up to 64 pixels, as the first pass by hand draws with one invocation.
    const uint32_t kBins = 9, kNarrow = 7;
    return {{"w03/distribute", "distribute", scene.definitions()},
            {"w03/fetch", "fetch", scene.definitions()},
            {"w03/split", "split_fixed", isSmall},
            {"w03/split", "split", scene.definitions()},
            {"w03/raster", "raster", scene.definitions(), kNarrow},
            {"w03/raster", "raster", wide, kBins - kNarrow, {}, kNarrow}};
}

}  // namespace

void raster(Bench& bench)
{
    auto scene = bench.pick(Scene{1920, 1080, 61, 68501}, Scene{960, 540, 61, 8000}, Scene{200, 150, 10, 300});
    scene.fill();
    harness::Device& device = bench.device();
    Output depths(device, scene.expected);
    const Memory vertices(device, scene.vertexWords()), objects(device, scene.objectWords);
    const Memory tiles(device, VkDeviceSize{scene.tiles} * 8 + 8);
    const Memory counters[2] = {{device, std::vector<uint32_t>{0}}, {device, std::vector<uint32_t>{0}}};
    Definitions second = scene.definitions();
    second.emplace_back("TILES", "");
    const Kernel first(device, "w03/by_hand", sizeof(Values), scene.definitions());
    const Kernel large(device, "w03/by_hand", sizeof(Values), second);
    const GraphValues graphValues{depths.address(), vertices.address(), objects.address()};
    uint32_t run = 0;
    // What a published implementation of the real scene needs, and all that there is.
    for (const VkDeviceSize limit : std::array{VkDeviceSize{VK_WHOLE_SIZE}, VkDeviceSize{30660} << 10}) {
        Graph graph(device, nodesFor(scene), sizeof graphValues, limit);
        graph.setArguments(argumentsOf(graphValues));
        graph.setLaunches({harness::launchWords("distribute", 0, 1, {})});
        Case todo;
        todo.name = text(scene.triangles) + " triangles" + (limit == VK_WHOLE_SIZE ? "" : ", 30660 KiB of scratch");
        todo.scratchBytes = graph.scratchBytes();
        todo.prepare = [&](VkCommandBuffer cmd) { depths.clear(cmd, ~0u); };
        todo.check = [&] { return depths.difference(); };
        todo.versions = {
            {Role::Graph, "graph", [&](VkCommandBuffer cmd) { graph.record(cmd); }},
            {Role::Hand, "two passes, large ones by tiles",
             [&](VkCommandBuffer cmd) {
                 Values values{depths.address(),
                               vertices.address(),
                               tiles.address(),
                               counters[run % 2].address(),
                               counters[(run + 1) % 2].address(),
                               scene.triangles};
                 ++run;
                 first.dispatch(cmd, argumentsOf(values), groupsFor(scene.triangles, 64));
                 computeBarrier(cmd);
                 values.count = scene.tiles;
                 large.dispatchRows(cmd, argumentsOf(values), std::max(1u, scene.tiles));
             }},
        };
        bench.measure(todo);
    }
}

}  // namespace millrace::bench
