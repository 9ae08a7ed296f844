// SPDX-License-Identifier: Apache-2.0
// Compute shaders of the corpus that need more than two inputs, against what their text says.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <ranges>

#include "dxil/support/compute_runner.h"
#include "dxil/support/corpus.h"
#include "harness/vulkan_test.h"

namespace millrace::dxil {

namespace {

using Words = std::vector<uint32_t>;

class DxilCompute : public harness::VulkanTest {
protected:
    static BufferContents runFile(const std::string& name, BufferContents buffers, uint32_t splitUpTo = 16)
    {
        Options form;
        form.splitUpTo = splitUpTo;
        const Translation made = translateFile("compute/" + name, form);
        harness::DeviceOptions options;
        options.allFeatures = true;
        ComputeRun run;
        run.words = made.shaders.at(0).words;
        run.buffers = std::move(buffers);
        return runCompute(device(options), run);
    }
};

Words counted(size_t count, uint32_t factor, uint32_t modulus)
{
    Words out(count);
    for (size_t i = 0; i < count; ++i)
        out[i] = static_cast<uint32_t>(i * factor % modulus);
    return out;
}

uint32_t bits(float value)
{
    return std::bit_cast<uint32_t>(value);
}

// The size that is preferred, or the nearest that the device has; 0 if it has none or cannot be asked for one.
uint32_t subgroupSizeFor(const harness::Device& device, uint32_t smallest, uint32_t largest, uint32_t preferred)
{
    VkPhysicalDeviceVulkan13Properties has{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &has};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    const uint32_t from = std::max(smallest, has.minSubgroupSize);
    const uint32_t to = std::min(largest, has.maxSubgroupSize);
    const bool canAsk = device.features13.subgroupSizeControl != 0 &&
                        (has.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    return canAsk && from <= to ? std::clamp(preferred, from, to) : 0;
}

struct Item {
    float a[3];
    uint32_t b;
    uint16_t c, d;
    uint32_t unused;
    uint64_t e;
    double f;
};
static_assert(sizeof(Item) == 40);

TEST_F(DxilCompute, BuffersOfEveryKind)
{
    std::vector<Item> items(16);
    for (uint32_t i = 0; i < 16; ++i) {
        items[i] = {{1.0f * i, 2.0f * i, 3.0f * i},
                    10 + i,
                    uint16_t(65530 + i),
                    uint16_t(7 * i),
                    0,
                    uint64_t{i} << 40,
                    0.5 * i};
    }
    Words itemWords(16 * 10);
    std::memcpy(itemWords.data(), items.data(), itemWords.size() * 4);
    Words constants(16);
    constants[0] = 3;
    const float rows[8] = {0, 0, 0, 0, 0.5f, 1.5f, 2.5f, 0};
    std::memcpy(&constants[4], rows, sizeof(rows));
    constants[12] = 11u | 9u << 16;
    constants[14] = 5;
    constants[15] = 1;
    const auto got = runFile("memory", {{{0, 1000}, itemWords},
                                        {{0, 1001}, counted(16, 5, 97)},
                                        {{0, 2000}, constants},
                                        {{0, 0}, Words(64)},
                                        {{0, 1}, Words(160)},
                                        {{0, 2}, Words(17)},
                                        {{0, 3}, Words(32)},
                                        {{0, 4003}, Words(1)}});
    std::vector<Item> copies(16);
    std::memcpy(copies.data(), got.at({0, 1}).data(), 640);
    for (uint32_t i = 0; i < 16; ++i) {
        const uint32_t count = 4 * (i & 3) + 24;  // i, i + 4, i + 8, i + 12 below 16
        EXPECT_EQ(copies[i].b, (10 + i) * 3 + count);
        EXPECT_EQ(copies[i].a[0], 1.0f * i + 0.5f);
        EXPECT_EQ(copies[i].a[2], 3.0f * i + 2.5f);
        EXPECT_EQ(copies[i].c, uint16_t(65530 + i + 9));
        EXPECT_EQ(copies[i].d, 7 * i);
        EXPECT_EQ(copies[i].e, (uint64_t{i} << 40) + (uint64_t{1} << 32) + 5);
        EXPECT_EQ(copies[i].f, 1.0 * i);
        EXPECT_EQ(got.at({0, 2})[i], (15 - i) * 5 % 97 + 1);
        EXPECT_EQ(got.at({0, 0})[i], 15u + 2u);
        EXPECT_EQ(got.at({0, 0})[16 + i], 16040u);
        EXPECT_EQ(got.at({0, 3})[2 * i + 1], 1u);
    }
    EXPECT_EQ(got.at({0, 2})[16], 120u);
    EXPECT_EQ(got.at({0, 4003})[0], 16u);
}

// Constants at 0, addresses of u0 and t0 behind them, a table with u1 and b1.
TEST_F(DxilCompute, RootSignatureOfTheContainer)
{
    const Translation made = translateFile("compute/root_signature");
    EXPECT_EQ(made.bindings.pushConstantBytes, 32u);
    harness::DeviceOptions options;
    options.allFeatures = true;
    ComputeRun run;
    run.words = made.shaders.at(0).words;
    run.pushConstants = {3, 5, 7, 11, 0, 0, 0, 0};
    run.addressed[4] = Words(32);
    run.addressed[6] = counted(64, 17, 61);
    run.buffers[{0, 0}] = Words(32);
    run.buffers[{0, 1}] = counted(64, 1, 1000);
    const BufferContents got = runCompute(device(options), run);
    const Words source = counted(64, 17, 61);
    for (uint32_t i = 0; i < 16; ++i) {
        EXPECT_EQ(got.at({kAddressed, 4})[2 * i], source[2 * i] * 3 + 7);
        EXPECT_EQ(got.at({kAddressed, 4})[2 * i + 1], source[2 * i + 1] + 11);
        EXPECT_EQ(got.at({0, 0})[i], 5 * (i % 4) + 8 + i);
    }
}

TEST_F(DxilCompute, Waves)
{
    const Words source = counted(64, 37, 101);
    const Words got = runFile("waves", {{{0, 1000}, source}, {{0, 0}, Words(64 * 32)}}).at({0, 0});
    const uint32_t size = got[0];
    ASSERT_TRUE(size >= 4 && size <= 32 && 64 % size == 0) << size;
    for (uint32_t i = 0; i < 64; ++i) {
        SCOPED_TRACE(i);
        const uint32_t* out = &got[32 * i];
        const uint32_t lane = i % size;
        const uint32_t* wave = &source[i - lane];
        const auto v = [&](uint32_t l) { return wave[l]; };
        uint32_t sum = 0, largest = 0, all = 0, before = 0, product = 1, above = 0, aboveBefore = 0, mask = 0,
                 match = 0;
        uint32_t matchSum = 0, matchXor = 0, matchCount = 0, odd = 0;
        int32_t smallest = INT32_MAX;
        for (uint32_t l = 0; l < size; ++l) {
            const bool isBefore = l < lane;
            const bool matches = (v(l) & 3) == (v(lane) & 3);
            sum += v(l);
            largest = std::max(largest, v(l));
            smallest = std::min(smallest, static_cast<int32_t>(v(l)) - 100);
            all |= v(l);
            before += isBefore ? v(l) : 0;
            product *= isBefore ? v(l) | 1 : 1;
            above += v(l) > 50;
            aboveBefore += isBefore && v(l) > 50;
            mask |= (v(l) > 50 ? 1u : 0u) << l;
            match |= (matches ? 1u : 0u) << l;
            matchSum += matches && isBefore ? v(l) : 0;
            matchXor ^= matches && isBefore ? v(l) : 0;
            matchCount += matches && isBefore && v(l) > 50;
            odd += v(l) % 2 != 0 ? v(l) : 0;
        }
        const Words wanted = {size,
                              lane,
                              sum,
                              largest,
                              static_cast<uint32_t>(smallest),
                              all,
                              before,
                              product,
                              above,
                              aboveBefore,
                              mask,
                              std::ranges::any_of(wave, wave + size, [](uint32_t x) { return x > 90; }),
                              std::ranges::all_of(wave, wave + size, [](uint32_t x) { return x < 90; }),
                              v(lane * 3 % size),
                              v(0),
                              lane == 0,
                              v(lane ^ 1),
                              v(lane ^ 2),
                              v(lane ^ 3),
                              v((lane & ~3u) + 2),
                              match,
                              matchSum,
                              matchXor,
                              matchCount,
                              1,
                              v(lane) % 2 ? odd : 0};
        EXPECT_EQ(Words(out, out + wanted.size()), wanted);
    }
}

// Converted DXBC.
TEST_F(DxilCompute, RegistersWithoutTypes)
{
    const Words got = runFile("registers", {{{0, 0}, {bits(2.25f), 0, 0}}}).at({0, 0});
    EXPECT_EQ(got, (Words{bits(2.25f), bits(3.25f), bits(1.5f)}));
}

// An array of 16 elements is registers 0 to 3; a pointer to its element 8 begins at register 2.
TEST_F(DxilCompute, RegistersWithAnIndexAndReducedPrecision)
{
    const Words got = runFile("indexable_registers", {{{0, 0}, {2, 40, 65533, 0, 0, 0, 0}}}).at({0, 0});
    EXPECT_EQ(got, (Words{2, 40, 65533, bits(40.5f), 65533, bits(3.140625f), bits(7.5f)}));
}

// Word 1 says where the float is: at byte 36.
TEST_F(DxilCompute, ConstantsByByte)
{
    Words constants(16);
    constants[1] = 36;
    constants[9] = bits(2.5f);
    constants[6] = 77;
    constants[7] = 88;
    constants[13] = 0x40020000;  // 2.25 as a double
    const Words got = runFile("constants_by_byte", {{{0, 2000}, constants}, {{0, 0}, Words(4)}}).at({0, 0});
    EXPECT_EQ(got, (Words{bits(3.5f), 77, 88, bits(2.25f)}));
}

// Of four samples, and of those that there are not.
TEST_F(DxilCompute, SamplePositions)
{
    const Words got = runFile("sample_positions", {{{0, 0}, Words(64)}}).at({0, 0});
    const std::pair<float, float> wanted[] = {{-2, -6}, {6, -2}, {-6, 2}, {2, 6}, {0, 0}, {0, 0}};
    for (size_t s = 0; s < std::size(wanted); ++s) {
        const auto [x, y] = wanted[s];
        EXPECT_EQ(Words(got.begin() + 4 * s, got.begin() + 4 * s + 4),
                  (Words{bits(x / 16), bits(y / 16), bits(x / 16), bits(y / 16)}))
            << s;
    }
}

TEST_F(DxilCompute, Clock)
{
    harness::DeviceOptions options;
    options.shaderExtras = true;
    if (!device(options).extras.contains(VK_KHR_SHADER_CLOCK_EXTENSION_NAME))
        GTEST_SKIP() << "the device has no " << VK_KHR_SHADER_CLOCK_EXTENSION_NAME;
    ComputeRun run;
    run.words = translateFile("compute/clock").shaders.at(0).words;
    run.buffers = {{{0, 0}, Words(6, 0xcdcdcdcd)}};
    const Words got = runCompute(device(options), run).at({0, 0});
    const uint64_t first = got[0] | uint64_t{got[1]} << 32;
    const uint64_t second = got[2] | uint64_t{got[3]} << 32;
    EXPECT_NE(first, 0u);
    EXPECT_NE(first, 0xcdcdcdcdcdcdcdcd);
    EXPECT_LE(first, second);
    EXPECT_LT(second - first, uint64_t{1} << 40);  // so that its halves are not exchanged
    EXPECT_EQ(got[4], 1u);
    EXPECT_EQ(got[5], 0xcdcdcdcd);
}

// What the shader wants stands in the container and in the metadata; SPIR-V has no such word for plain shaders, so that
// who makes the pipeline asks for a size.
TEST_F(DxilCompute, WaveSize)
{
    const Translation made = translateFile("compute/wave_size");
    ASSERT_TRUE(made.pipelineState);
    const std::vector<uint32_t> wanted = made.shaders.at(0).entry.waveSizes;
    ASSERT_EQ(wanted, (Words{made.pipelineState->minWaveLanes, made.pipelineState->maxWaveLanes, 8}));
    harness::DeviceOptions options;
    options.allFeatures = true;
    ComputeRun run;
    run.subgroupSize = subgroupSizeFor(device(options), wanted[0], wanted[1], wanted[2]);
    if (run.subgroupSize == 0)
        GTEST_SKIP() << "the device has no subgroups of 4 to 64 that can be asked for";
    run.words = made.shaders[0].words;
    const Words got = runCompute(device(options), run).at({0, 0});
    for (uint32_t i = 0; i < 64; ++i) {
        EXPECT_EQ(got[2 * i], run.subgroupSize) << i;
        // Texel 0 of images 0 to 3.
        EXPECT_EQ(got[2 * i + 1], bits(static_cast<float>((1002 + i / 8 % 4) % 401) / 16)) << i;
    }
}

// Vectors of more than four elements in both forms: split, and as arrays.
class DxilVectors : public DxilCompute, public testing::WithParamInterface<uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Forms, DxilVectors, testing::Values(4u, 16u));

TEST_P(DxilVectors, LongVectorsInMemory)
{
    const Words source = counted(256, 13, 1009);
    const Words list = counted(96, 7, 509);
    const auto got =
        runFile("vector_memory", {{{0, 1000}, source}, {{0, 1001}, list}, {{0, 0}, Words(1100)}, {{0, 1}, Words(80)}},
                GetParam());
    for (uint32_t i = 0; i < 16; ++i) {
        SCOPED_TRACE(i);
        for (uint32_t e = 0; e < 7; ++e)
            EXPECT_EQ(got.at({0, 0})[7 * i + e], source[7 * (15 - i) + e] + 15 - i + (e == i % 7 ? 100 : 0));
        uint32_t sum = std::accumulate(&list[6 * i], &list[6 * i + 6], 0u);
        // kept[i & 1] is what was loaded, the other is 5.
        sum += (i & 1) == 0 ? source[i + 3] : 5;
        sum += (i & 1) == 1 ? source[i + i % 9] : 5;
        EXPECT_EQ(got.at({0, 0})[1024 + i], sum);
        for (uint32_t e = 0; e < 5; ++e)
            EXPECT_EQ(got.at({0, 1})[5 * i + e], bits(0.5f * source[5 * i + e]));
    }
}

TEST_P(DxilVectors, LongVectorsOfOtherWidth)
{
    const Words source = counted(128, 1000003, 999983);
    const Words got = runFile("vector_bitcasts", {{{0, 1000}, source}, {{0, 0}, Words(128)}}, GetParam()).at({0, 0});
    Words wanted(128);
    const auto copy = [&](size_t word, size_t count) { std::copy_n(&source[word], count, &wanted[word]); };
    copy(0, 8);
    wanted[2] = wanted[3] = 0;  // of 64 bits
    copy(16, 6);
    wanted[16] &= 0xffff;  // of 16 bits
    copy(32, 4);
    wanted[34] = wanted[35] = 0;
    copy(48, 5);
    wanted[49] = 0;
    copy(64, 3);
    wanted[65] = 0;
    EXPECT_EQ(got, wanted);
}

TEST_P(DxilVectors, LongVectorsInWaves)
{
    const Words source = counted(160, 11, 251);
    const Words got = runFile("vector_waves", {{{0, 1000}, source}, {{0, 0}, Words(32 * 20)}}, GetParam()).at({0, 0});
    for (uint32_t i = 0; i < 32; ++i) {
        SCOPED_TRACE(i);
        const uint32_t* out = &got[20 * i];
        const uint32_t lane = out[17];
        const uint32_t base = i - lane;
        const uint32_t size = 32 / static_cast<uint32_t>(std::ranges::count_if(
                                       std::views::iota(0u, 32u), [&](uint32_t j) { return got[20 * j + 17] == 0; }));
        float dot = 0;
        bool any7 = false;
        for (uint32_t e = 0; e < 5; ++e) {
            uint32_t exclusive = 0;
            for (uint32_t l = 0; l < size; ++l)
                exclusive ^= source[5 * (base + l) + e] & 15;
            EXPECT_EQ(out[e], source[5 * base + e]);
            EXPECT_EQ(out[5 + e], source[5 * (base + (lane + 1) % 4) + e]);
            EXPECT_EQ(out[10 + e], exclusive);
            const auto value = static_cast<float>(source[5 * i + e] & 255);
            dot += value * value;
            any7 = any7 || source[5 * i + e] == 7;
        }
        EXPECT_EQ(out[15], static_cast<uint32_t>(dot));
        EXPECT_EQ(out[16], 1u);
        EXPECT_EQ(out[18], static_cast<uint32_t>(std::popcount(source[5 * i + 4])));
        EXPECT_EQ(out[19], any7 ? 1u : 0u);
    }
}

}  // namespace

}  // namespace millrace::dxil
