// SPDX-License-Identifier: Apache-2.0
// The scalar files of the corpus on the device, against the same text compiled as C++.
#include <functional>
#include <ostream>
#include <random>

#include "dxil/support/compute_runner.h"
#include "dxil/support/corpus.h"
#include "dxil/support/hlsl_as_cpp.h"
#include "harness/vulkan_test.h"

namespace millrace::dxil {

namespace {

struct Reference {
    std::string name;
    std::function<uint32_t(uint32_t, uint32_t)> compute;
};

void PrintTo(const Reference& reference, std::ostream* out)
{
    *out << reference.name;
}

// Generated: a namespace for each file, and a table of all.
#include "scalar_references.inc"

class Scalar : public harness::VulkanTest, public testing::WithParamInterface<Reference> {
protected:
    void compare(const Translation& made);
};

void Scalar::compare(const Translation& made)
{
    ASSERT_EQ(made.shaders.size(), 1u);
    harness::DeviceOptions options;
    options.allFeatures = true;
    std::mt19937 random(20);
    for (const uint32_t range : {16u, 256u, ~0u}) {
        ComputeRun run;
        run.words = made.shaders[0].words;
        std::vector<uint32_t> source(128);
        for (uint32_t& word : source)
            word = range == ~0u ? random() : random() % range;
        run.buffers[{0, 1000}] = source;
        run.buffers[{0, 0}] = std::vector<uint32_t>(64);
        std::ranges::copy(source, cpu::sourceWords);
        const BufferContents result = runCompute(device(options), run);
        for (uint32_t i = 0; i < 64; ++i) {
            EXPECT_EQ(result.at({0, 0})[i], GetParam().compute(source[i], source[i + 64]))
                << "compute(" << source[i] << ", " << source[i + 64] << ")";
        }
    }
}

TEST_P(Scalar, SameAsOnTheCpu)
{
    compare(translateFile("scalar/" + GetParam().name));
}

// Those with vectors, which are kept in arrays, or split, other than by default.
class ScalarVectors : public Scalar {};

TEST_P(ScalarVectors, SameInTheOtherForm)
{
    const std::string& name = GetParam().name;
    Options options;
    options.splitUpTo = std::stoul(name.substr(name.rfind('_') + 1)) > options.splitUpTo ? 1024 : 4;
    const Translation made = translateFile("scalar/" + name, options);
    const Status valid = validate(made.shaders.at(0));
    EXPECT_TRUE(valid) << valid.error().text();
    compare(made);
}

TEST(ScalarCorpus, HasAReferenceForEachFile)
{
    EXPECT_EQ(corpusNames("scalar").size(), references().size());
}

INSTANTIATE_TEST_SUITE_P(Corpus, Scalar, testing::ValuesIn(references()),
                         [](const auto& info) { return info.param.name; });

std::vector<Reference> vectors()
{
    std::vector<Reference> out = references();
    std::erase_if(out, [](const Reference& r) { return !r.name.starts_with("vector_"); });
    return out;
}

INSTANTIATE_TEST_SUITE_P(Corpus, ScalarVectors, testing::ValuesIn(vectors()),
                         [](const auto& info) { return info.param.name; });

}  // namespace

}  // namespace millrace::dxil
