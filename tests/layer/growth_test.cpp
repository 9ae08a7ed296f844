// SPDX-License-Identifier: Apache-2.0
// What the stages of one module take grows as their number does: counted in bytes that are allocated, not in time.
#include <gtest/gtest.h>

#include "counted_bytes.h"
#include "layer/fake_driver.h"
#include "layer/graphs/pipelines.h"
#include "spirv/many_entry_points.h"

namespace millrace::layertest {

namespace {

class Growth : public testing::Test {
protected:
    // Of a module for each stage, as where it is chained to the stage, or of one for all.
    std::vector<layer::NodeRequest> requests(uint32_t count, bool copies = false)
    {
        const auto assembled = spirv::assemble(spirv::test::manyEntryPoints(count));
        EXPECT_TRUE(assembled) << assembled.error().text();
        const auto words = std::make_shared<const spirv::Words>(*assembled);
        std::vector<layer::NodeRequest> out(count);
        for (uint32_t n = 0; n < count; ++n) {
            out[n].words = copies ? std::make_shared<const spirv::Words>(*words) : words;
            out[n].options.request.entryPoint = "node_" + std::to_string(n);
        }
        return out;
    }

    void prepareAndFuse(std::vector<layer::NodeRequest> asked, VkPipelineCache cache)
    {
        layer::NodeBuilder builder(driver.device(), cache, 0, std::make_shared<layer::GraphLayout>(driver.device()),
                                   std::move(asked));
        std::vector<graph::Node> nodes;
        for (const layer::NodeResult& result : builder.prepare()) {
            ASSERT_EQ(result.result, VK_SUCCESS) << result.message;
            nodes.push_back(result.node->node);
        }
        auto graph = graph::link(std::move(nodes));
        ASSERT_TRUE(graph) << graph.error().text();
        std::vector<nodes::FusionOutcome> outcomes;
        EXPECT_TRUE(builder.fuse(std::move(*graph), false, outcomes));
    }

    size_t bytesOfStages(uint32_t count, VkPipelineCache cache = VK_NULL_HANDLE)
    {
        std::vector<layer::NodeRequest> asked = requests(count);
        return bytesOf([&] { prepareAndFuse(std::move(asked), cache); });
    }

    VkPipelineCache makeCache()
    {
        const VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
        VkPipelineCache cache = VK_NULL_HANDLE;
        EXPECT_EQ(FakeDriver::get<PFN_vkCreatePipelineCache>("vkCreatePipelineCache")(driver.handle(), &info, nullptr,
                                                                                      &cache),
                  VK_SUCCESS);
        return cache;
    }

    void destroy(VkPipelineCache cache)
    {
        FakeDriver::get<PFN_vkDestroyPipelineCache>("vkDestroyPipelineCache")(driver.handle(), cache, nullptr);
    }

    FakeDriver driver;
};

TEST_F(Growth, StagesOfOneModule_TakeMemoryAsTheirNumber)
{
    const size_t least = bytesOfStages(400);
    EXPECT_LT(bytesOfStages(800), 2.5 * least);
    EXPECT_LT(bytesOfStages(1600), 5 * least);
}

TEST_F(Growth, StagesOfOneModuleWithACache_TakeMemoryAsTheirNumber)
{
    size_t first[2] = {}, again[2] = {};
    for (const uint32_t count : {400, 1600}) {
        const VkPipelineCache cache = makeCache();
        first[count == 1600] = bytesOfStages(count, cache);
        again[count == 1600] = bytesOfStages(count, cache);
        destroy(cache);
    }
    EXPECT_LT(first[1], 5 * first[0]);
    EXPECT_LT(again[1], 5 * again[0]);
    EXPECT_LT(again[1], first[1] / 4);
}

// Equal words are taken for one module, wherever they are.
TEST_F(Growth, CopiesOfAModule_AreReadAsOne)
{
    constexpr uint32_t kCount = 400;
    const size_t least = bytesOfStages(kCount);
    std::vector<layer::NodeRequest> asked = requests(kCount, true);
    EXPECT_LT(bytesOf([&] { prepareAndFuse(std::move(asked), VK_NULL_HANDLE); }), 1.5 * least);
}

}  // namespace

}  // namespace millrace::layertest
