// SPDX-License-Identifier: Apache-2.0
// Modules with words that no compiler would write. None may crash; each is lowered and counts, or there is a
// diagnostic.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mesh/compile_text.h"
#include "mesh/count_work.h"
#include "mesh/lower_pipeline.h"
#include "mesh/random_shader.h"

namespace millrace::mesh {

namespace {

enum class Changed { Task, Mesh, Fragment };

// A pipeline with most that there is.
const std::vector<spirv::Words>& stages()
{
    static const std::vector<spirv::Words> kWords = [] {
        meshtest::Abilities abilities{.float64 = true, .clipDistance = true, .cullDistance = true};
        abilities.fragmentBuiltIns = abilities.viewports = abilities.tasks = true;
        for (uint32_t seed = 0;; ++seed) {
            const meshtest::RandomShader shader = meshtest::makeRandomShader(seed, abilities);
            if (shader.task.empty() || shader.mesh.find("gl_CullPrimitiveEXT") == std::string::npos ||
                shader.mesh.find("gl_PrimitiveID") == std::string::npos ||
                shader.mesh.find("perprimitiveEXT out OfPrimitive") == std::string::npos)
                continue;
            return std::vector<spirv::Words>{meshtest::compileText(shader.task, VK_SHADER_STAGE_TASK_BIT_EXT),
                                             meshtest::compileText(shader.mesh, VK_SHADER_STAGE_MESH_BIT_EXT),
                                             meshtest::compileText(shader.fragment, VK_SHADER_STAGE_FRAGMENT_BIT)};
        }
    }();
    return kWords;
}

// Only what changed, so that each attempt gets to it.
void lower(Changed which, spirv::Words words)
{
    const Target target{.layers = true, .viewports = true};
    const Stage mesh{"main", which == Changed::Mesh ? words : stages()[1], {}};
    std::optional<Stage> task, fragment;
    if (which == Changed::Task)
        task = Stage{"main", std::move(words), {}};
    else if (which == Changed::Fragment)
        fragment = Stage{"main", std::move(words), {}};
    (void)lowerPipeline(task, mesh, fragment, target, {.mask = 5});
    Stage counted = task.value_or(mesh);
    if (which == Changed::Task)
        (void)countTasks(counted, 0);
    else if (which == Changed::Mesh)
        (void)countMeshes(counted, 0);
}

class HostileMesh : public testing::TestWithParam<Changed> {};

}  // namespace

TEST_P(HostileMesh, SomePrefixes)
{
    const spirv::Words& words = stages()[static_cast<size_t>(GetParam())];
    for (size_t size = 0; size < words.size(); size += 29)
        lower(GetParam(), {words.begin(), words.begin() + static_cast<ptrdiff_t>(size)});
}

TEST_P(HostileMesh, WordsChanged)
{
    const spirv::Words& words = stages()[static_cast<size_t>(GetParam())];
    std::mt19937 random(static_cast<uint32_t>(GetParam()));
    for (size_t at = 5; at < words.size(); at += 3) {
        spirv::Words changed = words;
        // Mostly another id or a small number, which the reader may take.
        changed[at] = static_cast<uint32_t>(random()) % (random() % 4 == 0 ? UINT32_MAX : words[3]);
        lower(GetParam(), std::move(changed));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, HostileMesh, testing::Values(Changed::Task, Changed::Mesh, Changed::Fragment),
                         [](const testing::TestParamInfo<Changed>& info) {
                             return std::string(info.param == Changed::Task   ? "Task"
                                                : info.param == Changed::Mesh ? "Mesh"
                                                                              : "Fragment");
                         });

}  // namespace millrace::mesh
