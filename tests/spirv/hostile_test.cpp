// SPDX-License-Identifier: Apache-2.0
// Input that no compiler writes. What is expected is an answer: a diagnostic, or a module that reads the same again.
#include <random>

#include <gtest/gtest.h>

#include "spirv/library.h"
#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

constexpr uint32_t word(spv::Op op, uint32_t count)
{
    return count << 16 | static_cast<uint32_t>(op);
}

// A module of these words behind a header.
Words withHeader(std::initializer_list<uint32_t> body, uint32_t bound = 16)
{
    Words words = {spv::MagicNumber, 0x00010600, 0, bound, 0};
    words.insert(words.end(), body);
    return words;
}

// %1 = void, %2 = function type, %3 = function with label %4
const std::initializer_list<uint32_t> kInBlock = {
    word(spv::Op::OpTypeVoid, 2),     1,           //
    word(spv::Op::OpTypeFunction, 3), 2, 1,        //
    word(spv::Op::OpFunction, 5),     1, 3, 0, 2,  //
    word(spv::Op::OpLabel, 2),        4,
};
const std::initializer_list<uint32_t> kBehindFunction = {
    word(spv::Op::OpTypeVoid, 2),     1,           //
    word(spv::Op::OpTypeFunction, 3), 2, 1,        //
    word(spv::Op::OpFunction, 5),     1, 3, 0, 2,  //
    word(spv::Op::OpLabel, 2),        4,           //
    word(spv::Op::OpReturn, 1),                    //
    word(spv::Op::OpFunctionEnd, 1),
};

Words joined(std::initializer_list<uint32_t> first, std::initializer_list<uint32_t> second)
{
    Words words = withHeader(first);
    words.insert(words.end(), second);
    return words;
}

void expectMessage(const Words& words, std::string_view part)
{
    const auto module = read(words);
    ASSERT_FALSE(module) << "accepted; expected: " << part;
    EXPECT_NE(module.error().text().find(part), std::string::npos) << module.error().text();
}

// False if it is rejected.
bool readsOrRejects(std::span<const uint32_t> words)
{
    const auto module = read(words);
    if (!module) {
        EXPECT_FALSE(module.error().message.empty());
        return false;
    }
    const Words written = write(*module);
    const auto again = read(written);
    EXPECT_TRUE(again && write(*again) == written);
    return true;
}

TEST(Hostile, Headers)
{
    expectMessage({}, "header");
    expectMessage({spv::MagicNumber, 0x00010600, 0, 1}, "header");
    expectMessage({0x03022307, 0x00000100, 0, 0x01000000, 0}, "byte order");
    expectMessage(withHeader({}, 0), "bound");
    expectMessage(withHeader({}, kMaxBound + 1), "bound");
    expectMessage(withHeader({}, 0xffffffff), "bound");
    EXPECT_TRUE(readsOrRejects(withHeader({}, kMaxBound)));
}

TEST(Hostile, Ids)
{
    expectMessage(withHeader({word(spv::Op::OpTypeVoid, 2), 16}), "not below the bound");
    expectMessage(withHeader({word(spv::Op::OpTypeFunction, 3), 2, 1}), "never defined");
    expectMessage(withHeader({word(spv::Op::OpTypeVoid, 2), 1, word(spv::Op::OpTypeBool, 2), 1}), "more than once");
    expectMessage(withHeader({word(spv::Op::OpTypeVoid, 2), 0}), "0");
}

TEST(Hostile, Layout)
{
    expectMessage(withHeader({word(spv::Op::OpReturn, 1)}), "OpReturn outside of a function");
    expectMessage(withHeader({word(spv::Op::OpFunctionEnd, 1)}), "outside of a function");
    expectMessage(withHeader({word(spv::Op::OpLabel, 2), 1}), "OpLabel outside");
    expectMessage(withHeader({word(spv::Op::OpTypeVoid, 2), 1, word(spv::Op::OpFunctionParameter, 3), 1, 2}),
                  "OpFunctionParameter");
    expectMessage(withHeader(kInBlock), "without OpFunctionEnd");
    expectMessage(joined(kInBlock, {word(spv::Op::OpFunctionEnd, 1)}), "no terminator");
    expectMessage(joined(kInBlock, {word(spv::Op::OpLabel, 2), 5}), "no terminator yet");
    expectMessage(joined(kInBlock, {word(spv::Op::OpFunction, 5), 1, 5, 0, 2}), "OpFunction in a function");
    expectMessage(joined(kInBlock, {word(spv::Op::OpFunctionParameter, 3), 1, 5}), "OpFunctionParameter");
    expectMessage(joined(kInBlock, {word(spv::Op::OpCapability, 2), 1}), "OpCapability in a function");
    expectMessage(joined(kInBlock, {word(spv::Op::OpReturn, 1), word(spv::Op::OpReturn, 1)}), "outside of a block");
    expectMessage(joined(kBehindFunction, {word(spv::Op::OpTypeBool, 2), 5}), "between functions");
}

TEST(Hostile, LongestInstruction_IsKept)
{
    // A name of 65533 words, and the count one too many for the words that are there.
    Words words = withHeader({word(spv::Op::OpTypeVoid, 2), 1});
    words.insert(words.begin() + 5, 65535, 0x41414141u);
    words[5] = word(spv::Op::OpName, 65535);
    words[6] = 1;
    words[5 + 65534] = 0;
    const auto module = read(words);
    ASSERT_TRUE(module) << module.error().text();
    EXPECT_EQ(module->name(Id{1}).size(), 65532u * 4);
    EXPECT_EQ(write(*module), words);
    words.resize(60000);
    expectMessage(words, "");
}

TEST(Hostile, TruncatedAnywhere)
{
    for (const Program& program : programs()) {
        const Words words = assembled(program.text);
        for (size_t size = 0; size < words.size(); ++size)
            readsOrRejects(std::span(words).first(size));
    }
}

TEST(Hostile, EveryBitFlipped)
{
    const Words original = assembled(compute("%u1 = OpConstant %uint 1", "%x = OpIAdd %uint %u1 %u1"));
    size_t accepted = 0;
    for (size_t w = 0; w < original.size(); ++w) {
        for (uint32_t bit = 0; bit < 32; ++bit) {
            Words words = original;
            words[w] ^= 1u << bit;
            accepted += readsOrRejects(words) ? 1 : 0;
        }
    }
    EXPECT_GT(accepted, 0u);
}

// Whatever the result, the tools come back with one.
void runTools(std::span<const uint32_t> words, std::span<const uint32_t> other)
{
    (void)disassemble(words);
    (void)specialize(words, {});
    (void)extractEntryPoint(words, "main");
    (void)inlineAll(words);
    (void)removeUnused(words);
    auto first = read(words);
    auto second = read(other);
    if (first && second) {
        if (const auto library = Library::create(*second))
            (void)library->linkInto(*first);
    }
}

TEST(Hostile, MutatedModules_ToolsReturn)
{
    std::vector<Words> corpus;
    for (const Program& program : programs())
        corpus.push_back(assembled(program.text));
    for (const auto& file : nodePrograms())
        corpus.push_back(assembled(load(file)));
    std::mt19937 random(1);
    for (int run = 0; run < 3000; ++run) {
        Words words = corpus[random() % corpus.size()];
        for (uint32_t edits = 1 + random() % 3; edits > 0; --edits) {
            const size_t at = 5 + random() % (words.size() - 5);
            const uint32_t values[] = {words[at] ^ 1u << random() % 32, uint32_t(random() % words[3]),
                                       words[5 + random() % (words.size() - 5)], words[at] + 1};
            words[at] = values[random() % 4];
        }
        runTools(words, corpus[random() % corpus.size()]);
    }
}

TEST(Hostile, SmallInputWithLargeMeaning_IsRefused)
{
    // 60000 decorations through one group to 60000 targets would be 3.6 G instructions.
    Words words = withHeader({}, 3);
    for (int i = 0; i < 60000; ++i)
        words.insert(words.end(), {word(spv::Op::OpDecorate, 3), 1, uint32_t(spv::Decoration::RelaxedPrecision)});
    words.insert(words.end(), {word(spv::Op::OpDecorationGroup, 2), 1, word(spv::Op::OpGroupDecorate, 60002), 1});
    words.insert(words.end(), 60000, 2);
    words.insert(words.end(), {word(spv::Op::OpTypeVoid, 2), 2});
    const auto result = specialize(words, {});
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().text().find("too many"), std::string::npos);
}

}  // namespace
}  // namespace millrace::spirv::test
