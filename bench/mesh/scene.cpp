// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/scene.h"

#include <bit>
#include <cmath>

#include "bench/mesh/rock.h"

namespace millrace::bench {

namespace {

constexpr uint32_t kMostItems = 65535;  // workgroups of a dispatch that every driver has

Scene inPicture(const std::string& name, bool isSmall)
{
    Scene scene;
    scene.name = name;
    scene.width = isSmall ? 320 : 1920;
    scene.height = isSmall ? 180 : 1080;
    scene.frame.columns = scene.width / 4;
    scene.frame.pixel = {2 / static_cast<float>(scene.width), 2 / static_cast<float>(scene.height)};
    return scene;
}

float widthToHeight(const Scene& scene)
{
    return static_cast<float>(scene.width) / static_cast<float>(scene.height);
}

// Rocks in rows in front of the eye and beside it, more of them than it sees.
Scene meshletScene(bool isSmall)
{
    Scene scene = inPicture("meshlets", isSmall);
    scene.shape = Shape::Meshlets;
    scene.leastCovered = 0.05;
    const Rock rock = createRock(5);
    scene.meshlets = rock.meshlets;
    scene.corners = rock.corners;
    scene.triangles = rock.triangles;
    scene.frame.perObject = static_cast<uint32_t>(rock.meshlets.size() / kMeshletWords);
    const uint32_t rows = isSmall ? 3 : 19, columns = isSmall ? 2 : 36;
    scene.frame.units = rows * columns * scene.frame.perObject;
    for (uint32_t i = 0; i < rows * columns; ++i) {
        const auto column = static_cast<float>(i % columns), row = static_cast<float>(i / columns);
        const float turn = 0.7f * static_cast<float>(i);
        const float across = column - 0.5f * static_cast<float>(columns - 1);
        for (const float value : {2.4f * across, 0.4f * std::sin(turn), 3 + 2.6f * row, 1 + 0.15f * std::cos(3 * turn),
                                  std::cos(turn), std::sin(turn)})
            scene.objects.push_back(std::bit_cast<uint32_t>(value));
    }
    look(scene.frame, {0, 2.5f, -3}, 60, widthToHeight(scene));
    scene.capacity = {kMostItems, kMostItems * 64, kMostItems * kPatchTriangles};
    return scene;
}

Scene grassScene(const std::string& name, Draws draws, bool isSmall)
{
    Scene scene = inPicture(name, isSmall);
    scene.draws = draws;
    scene.shape = Shape::Grass;
    scene.leastCovered = 0.1;
    scene.frame.side = isSmall ? 6 : 64;
    scene.frame.units = scene.frame.side * scene.frame.side * 64;
    scene.frame.nearDetail = isSmall ? 6 : 30;
    scene.frame.middleDetail = isSmall ? 16 : 90;
    look(scene.frame, {4.0f * static_cast<float>(scene.frame.side), 2, -2}, isSmall ? 40 : 250, widthToHeight(scene));
    scene.capacity = {kMostItems, kMostItems * 60, kMostItems * 40};
    return scene;
}

Scene tinyScene(const std::string& name, Draws draws, bool isSmall)
{
    Scene scene = inPicture(name, isSmall);
    scene.draws = draws;
    scene.frame.units = isSmall ? 1000 : 100000;
    scene.leastCovered = 0.05;
    scene.capacity = {scene.frame.units, scene.frame.units * 4, scene.frame.units * 2};
    scene.commands.assign(size_t{scene.frame.units} * 3, 1);
    if (draws == Draws::IndirectCount) {
        scene.commands[0] = 256;
        scene.commandCount = 1;
        scene.leastCovered = 256 * 4.0 / (scene.width * scene.height);
    }
    return scene;
}

}  // namespace

uint64_t Scene::inputBytes() const
{
    return (meshlets.size() + corners.size() + triangles.size() + objects.size()) * 4;
}

std::vector<Scene> allScenes(bool isSmall)
{
    const std::string many = isSmall ? "1,000" : "100,000";
    return {meshletScene(isSmall),
            grassScene("grass", Draws::Tasks, isSmall),
            tinyScene(many + " draws of a workgroup", Draws::Each, isSmall),
            tinyScene(many + " draws of a workgroup, one indirect command", Draws::Indirect, isSmall),
            tinyScene("indirect count of 1 of " + many, Draws::IndirectCount, isSmall),
            grassScene("grass by a mesh node", Draws::Nodes, isSmall)};
}

}  // namespace millrace::bench
