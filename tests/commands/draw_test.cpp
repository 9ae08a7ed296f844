// SPDX-License-Identifier: Apache-2.0
// Generated draws of random layouts, by the layer and by the driver if it can: equal to a loop on the host.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "commands/draws.h"

namespace millrace::commandtest {

namespace {

using Way = std::tuple<Provider, Maker>;

class GeneratedDraws : public testing::TestWithParam<Way> {
protected:
    void SetUp() override
    {
        const auto [provider, maker] = GetParam();
        if (provider == Provider::Driver && !driverHasGeneratedCommands())
            GTEST_SKIP() << "the driver lacks VK_EXT_device_generated_commands";
        if (maker == Maker::Objects && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
        if (maker == Maker::Libraries && !driverHas(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_graphics_pipeline_library";
    }
};

TEST_P(GeneratedDraws, RandomLayouts_AsALoopOnTheHost)
{
    const auto [provider, maker] = GetParam();
    const uint32_t seeds = maker == Maker::Whole ? 150 : 80;
    Draws draws(provider, maker);
    for (uint32_t seed = 0; seed < seeds && !HasFailure(); ++seed) {
        DrawCase drawn(seed, maker);
        EXPECT_EQ(draws.run(drawn), drawn.expected()) << "seed " << seed;
    }
}

std::string nameOf(const testing::TestParamInfo<Way>& info)
{
    const auto [provider, maker] = info.param;
    const char* const makers[] = {"", "OfLibraries", "OfObjects"};
    return std::string(provider == Provider::Driver ? "Driver" : "Layer") + makers[static_cast<int>(maker)];
}

INSTANTIATE_TEST_SUITE_P(By, GeneratedDraws,
                         testing::Combine(testing::Values(Provider::Driver, Provider::Layer),
                                          testing::Values(Maker::Whole, Maker::Libraries, Maker::Objects)),
                         nameOf);

}  // namespace

}  // namespace millrace::commandtest
