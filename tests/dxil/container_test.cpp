// SPDX-License-Identifier: Apache-2.0
// Containers that are not what they say.
#include "dxil/container.h"

#include "dxil/bitcode.h"
#include "dxil/root_signature.h"
#include "dxil/support/corpus.h"

namespace millrace::dxil {

namespace {

std::vector<uint8_t> sample()
{
    return readBytes(corpusFile("scalar/bits"));
}

void put(std::vector<uint8_t>& bytes, size_t at, uint32_t value)
{
    for (size_t b = 0; b < 4; ++b)
        bytes.at(at + b) = static_cast<uint8_t>(value >> (8 * b));
}

size_t programAt(const std::vector<uint8_t>& bytes)
{
    const auto container = readContainer(bytes);
    return container ? static_cast<size_t>(container->findPart("DXIL")->bytes.data() - bytes.data()) : 0;
}

TEST(Container, ComputeShader_IsRead)
{
    const std::vector<uint8_t> bytes = sample();
    const auto container = readContainer(bytes);
    ASSERT_TRUE(container) << container.error().text();
    EXPECT_EQ(container->kind, ShaderKind::Compute);
    EXPECT_EQ(container->major, 6u);
    EXPECT_EQ(container->minor, 6u);
    EXPECT_NE(container->findPart("PSV0"), nullptr);
    EXPECT_EQ(container->findPart("RTS0"), nullptr);
    EXPECT_EQ(container->bitcode[0], 'B');
}

TEST(Container, EveryPrefix_IsRefused)
{
    const std::vector<uint8_t> bytes = sample();
    for (size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 97)
        EXPECT_FALSE(readContainer(std::span(bytes).first(size))) << size;
}

TEST(Container, PartOutsideOfTheFile_IsRefused)
{
    std::vector<uint8_t> bytes = sample();
    put(bytes, 32, 0xfffffff8);
    EXPECT_FALSE(readContainer(bytes));
    bytes = sample();
    put(bytes, programAt(sample()) - 4, 0xffffffff);
    EXPECT_FALSE(readContainer(bytes));
}

TEST(Container, BitcodeOutsideOfItsPart_IsRefused)
{
    for (const size_t field : {size_t{16}, size_t{20}}) {
        std::vector<uint8_t> bytes = sample();
        put(bytes, programAt(bytes) + field, 0xfffffff0);
        const auto container = readContainer(bytes);
        ASSERT_FALSE(container);
        EXPECT_NE(container.error().text().find("outside"), std::string::npos) << container.error().text();
    }
}

TEST(Container, ManyParts_AreRefused)
{
    std::vector<uint8_t> bytes = sample();
    put(bytes, 28, 0x10000000);
    EXPECT_FALSE(readContainer(bytes));
}

TEST(Container, UnknownKind_IsRefused)
{
    std::vector<uint8_t> bytes = sample();
    put(bytes, programAt(bytes), 99u << 16 | 0x66);
    EXPECT_FALSE(readContainer(bytes));
}

TEST(Container, OldBytecode_IsNamed)
{
    std::vector<uint8_t> bytes = sample();
    const size_t at = programAt(bytes) - 8;
    bytes[at + 1] = 'H';
    bytes[at] = 'S';
    bytes[at + 2] = 'E';
    bytes[at + 3] = 'X';
    const auto container = readContainer(bytes);
    ASSERT_FALSE(container);
    EXPECT_NE(container.error().text().find("shader model 5"), std::string::npos);
}

std::vector<uint8_t> rootSignature()
{
    const std::vector<uint8_t> bytes = readBytes(corpusFile("compute/root_signature"));
    const auto container = readContainer(bytes);
    const Bytes part = container->findPart("RTS0")->bytes;
    return {part.begin(), part.end()};
}

TEST(RootSignature, ParametersOfEveryKind_AreRead)
{
    const auto signature = readRootSignature(rootSignature());
    ASSERT_TRUE(signature) << signature.error().text();
    ASSERT_EQ(signature->parameters.size(), 4u);
    EXPECT_EQ(signature->parameters[0].kind, RootParameter::Kind::Constants);
    EXPECT_EQ(signature->parameters[0].constants, 4u);
    EXPECT_EQ(signature->parameters[1].kind, RootParameter::Kind::Uav);
    EXPECT_EQ(signature->parameters[2].kind, RootParameter::Kind::Srv);
    ASSERT_EQ(signature->parameters[3].ranges.size(), 2u);
    EXPECT_EQ(signature->parameters[3].ranges[0].resourceClass, ResourceClass::Uav);
    EXPECT_EQ(signature->parameters[3].ranges[1].resourceClass, ResourceClass::Cbv);
    EXPECT_EQ(signature->staticSamplers.size(), 1u);
}

std::vector<uint8_t> signatureOf(const std::string& file)
{
    const std::vector<uint8_t> bytes = readBytes(dataPath("signatures") / file);
    const auto parts = readParts(bytes);
    const Bytes part = std::ranges::find(*parts, "RTS0", &Part::name)->bytes;
    return {part.begin(), part.end()};
}

std::string text(const RootSignature& signature)
{
    std::string out;
    const auto add = [&](std::initializer_list<uint32_t> numbers) {
        for (const uint32_t number : numbers)
            out += std::to_string(static_cast<int32_t>(number)) + " ";
    };
    for (const RootParameter& p : signature.parameters) {
        add({static_cast<uint32_t>(p.kind), p.shaderRegister, p.space, p.constants});
        for (const DescriptorRange& r : p.ranges) {
            out += resourceClassText(r.resourceClass);
            add({r.firstRegister, r.space, r.count, r.tableOffset});
        }
        out += "| ";
    }
    for (const StaticSampler& s : signature.staticSamplers) {
        out += "s";
        add({s.shaderRegister, s.space});
    }
    return out;
}

// 1.1 and 1.2 have flags besides; the compiler writes none of 1.2, whose static samplers have one word more.
TEST(RootSignature, EveryVersion_SaysTheSame)
{
    const std::vector<uint8_t> newer = signatureOf("version_1_1.dxil");
    std::vector<uint8_t> newest = newer;
    put(newest, 0, 3);
    constexpr size_t kSampler = 13 * 4;
    newest.insert(newest.end() - kSampler, 4, 0);
    newest.insert(newest.end(), 4, 0);
    const std::string wanted =
        "1 0 0 4 | 4 0 2 0 | 3 3 0 0 | 2 1 0 0 | 0 0 0 0 u1 0 8 -1 t5 0 -1 12 | 0 0 0 0 s2 0 2 -1 | s0 0 s1 1 ";
    for (const std::vector<uint8_t>& bytes : {signatureOf("version_1_0.dxil"), newer, newest}) {
        const auto signature = readRootSignature(bytes);
        ASSERT_TRUE(signature) << signature.error().text();
        EXPECT_EQ(text(*signature), wanted);
    }
}

TEST(RootSignature, EveryPrefixAndEveryFlippedWord_IsReadOrRefused)
{
    const std::vector<uint8_t> whole = rootSignature();
    for (size_t size = 0; size + 4 < whole.size(); size += 4)
        EXPECT_FALSE(readRootSignature(Bytes(whole).first(size))) << size;
    for (size_t at = 0; at + 4 <= whole.size(); at += 4) {
        for (const uint32_t value : {0u, 0xffffffffu, 0x7fffffffu, 0xfffffffcu}) {
            std::vector<uint8_t> bytes = whole;
            put(bytes, at, value);
            const auto signature = readRootSignature(bytes);
            EXPECT_TRUE(!signature || signature->parameters.size() <= 4096);
        }
    }
}

TEST(Translate, OtherKindOfShader_IsNamed)
{
    std::vector<uint8_t> bytes = sample();
    // In the part for drivers too, which is checked first.
    const auto container = readContainer(bytes);
    const auto state = static_cast<size_t>(container->findPart("PSV0")->bytes.data() - bytes.data());
    put(bytes, state + 28, 2);
    put(bytes, programAt(bytes), 2u << 16 | 0x66);
    const auto made = translate(bytes, {});
    ASSERT_FALSE(made);
    if (canReadBitcode())
        EXPECT_NE(made.error().text().find("geometry shader"), std::string::npos) << made.error().text();
}

}  // namespace

}  // namespace millrace::dxil
