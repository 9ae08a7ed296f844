// SPDX-License-Identifier: Apache-2.0
// The files of pairs/ on the device, against the same program in GLSL, which glslang compiles.
#include "dxil/support/compute_runner.h"
#include "dxil/support/corpus.h"
#include "harness/vulkan_test.h"
#include "spirv/module.h"

namespace millrace::dxil {

namespace {

using Words = std::vector<uint32_t>;

class Pairs : public harness::VulkanTest, public testing::WithParamInterface<std::string> {};

// Of derivatives glslang knows the name only that the extension had first.
Words readWords(const std::filesystem::path& path)
{
    const std::vector<uint8_t> bytes = readBytes(path);
    Words out(bytes.size() / 4);
    std::copy_n(bytes.begin(), out.size() * 4, reinterpret_cast<uint8_t*>(out.data()));
    auto module = spirv::read(out);
    EXPECT_TRUE(module) << module.error().text();
    const size_t before = module->section(spirv::Section::Extensions).size();
    module->removeExtension("SPV_NV_compute_shader_derivatives");
    if (module->section(spirv::Section::Extensions).size() < before)
        module->addExtension("SPV_KHR_compute_shader_derivatives");
    return spirv::write(*module);
}

// Small numbers that repeat now and then; what is written begins with something that is not zero.
BufferContents contents()
{
    BufferContents out;
    // Set 4 is the heap.
    for (const auto& place : {std::pair{0u, 1000u}, {0u, 1001u}, {0u, 2000u}, {4u, 0u}}) {
        Words& words = out[place];
        for (uint32_t i = 0; i < 1024; ++i)
            words.push_back((i * 37 + place.second) % 401);
    }
    for (const uint32_t binding : {0u, 1u, 2u})
        out[{0, binding}] = Words(1024, 3 + binding);
    for (const uint32_t binding : {4000u, 4001u, 4002u})
        out[{0, binding}] = Words(1);
    return out;
}

// What a device must have besides Vulkan 1.3 to run a file.
const std::map<std::string, std::string> kWants = {
    {"texture_compares_in_squares", VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME},
    {"texture_derivatives", VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME},
    {"derivatives_in_a_row", VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME},
    {"derivatives_of_vectors", VK_KHR_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME},
    {"texture_offsets", VK_KHR_MAINTENANCE_8_EXTENSION_NAME},
    {"texture_exchange", VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME},
};

// What has a status is read from sparse images: the software driver of Mesa 25.0 crashes on others, out of GLSL too.
bool canBindSparsely(const harness::Device& device)
{
    uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(device.physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(device.physical, &count, families.data());
    const VkPhysicalDeviceFeatures& features = device.features.features;
    return features.sparseResidencyImage2D != 0 && features.shaderResourceResidency != 0 &&
           (families[device.queueFamily].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT) != 0;
}

TEST_P(Pairs, SameAsInGlsl)
{
    const Translation made = translateFile("pairs/" + GetParam());
    ASSERT_EQ(made.shaders.size(), 1u);
    harness::DeviceOptions options;
    options.allFeatures = true;
    options.shaderExtras = true;
    const auto wants = kWants.find(GetParam());
    if (wants != kWants.end() && !device(options).extras.contains(wants->second))
        GTEST_SKIP() << "the device has no " << wants->second;
    ComputeRun run;
    run.hasSparseImages = GetParam() == "texture_status";
    if (run.hasSparseImages && !canBindSparsely(device(options)))
        GTEST_SKIP() << "the device has no sparse images of which shaders are told";
    run.words = made.shaders[0].words;
    run.buffers = contents();
    run.groups = 2;
    run.depths = {{0, 1009}};
    run.comparing = {{0, 3001}};
    const BufferContents got = runCompute(device(options), run);
    run.words = readWords(std::filesystem::path(MILLRACE_DXIL_GLSL) / (GetParam() + ".spv"));
    const BufferContents wanted = runCompute(device(options), run);
    ASSERT_EQ(got.size(), wanted.size());
    EXPECT_EQ(got, wanted);
    EXPECT_TRUE(std::ranges::any_of(got, [&](const auto& buffer) {
        return buffer.first.second < 3 && buffer.second != run.buffers[buffer.first];
    })) << "nothing was written";
}

std::string nameOf(const testing::TestParamInfo<std::string>& info)
{
    return info.param;
}

std::vector<std::string> pairNames()
{
    std::vector<std::string> out;
    for (const std::string& name : corpusNames("pairs"))
        out.push_back(name.substr(name.find('/') + 1));
    return out;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Pairs, testing::ValuesIn(pairNames()), nameOf);

}  // namespace

}  // namespace millrace::dxil
