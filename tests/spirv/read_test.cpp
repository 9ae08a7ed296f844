// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "shaders/spirv_test_shaders.h"
#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

// Every id moved above the old bound, last becoming first: an operand that is an id but not known as one would be
// undefined afterwards.
Module renumbered(Module module)
{
    const uint32_t bound = module.bound;
    const auto renumber = [&](Id& id) { id.value = 2 * bound - id.value; };
    module.forEachInstruction([&](Instruction& i) {
        if (i.result)
            renumber(i.result);
        i.forEachUse(renumber);
    });
    module.bound = 2 * bound;
    return module;
}

void expectFaithful(const Words& words, bool isValid)
{
    const auto module = read(words);
    ASSERT_TRUE(module) << module.error().text();
    EXPECT_EQ(write(*module), words);

    const Words other = write(renumbered(*module));
    EXPECT_NE(other, words);
    ASSERT_TRUE(read(other)) << read(other).error().text();
    if (isValid) {
        EXPECT_TRUE(validate(words)) << validate(words).error().text();
        EXPECT_TRUE(validate(other)) << validate(other).error().text();
    }
}

TEST(Read, OwnPrograms_WriteGivesSameWords)
{
    for (const Program& program : programs()) {
        SCOPED_TRACE(program.name);
        expectFaithful(assembled(program.text), program.isValid);
    }
}

TEST(Read, NodePrograms_WriteGivesSameWords)
{
    const auto files = nodePrograms();
    ASSERT_FALSE(files.empty());
    for (const auto& file : files) {
        SCOPED_TRACE(file.string());
        const Words words = assembled(load(file));
        expectFaithful(words, bool(validate(words)));
    }
}

TEST(Read, DebugInformation_WriteGivesSameWords)
{
    const Words words(shaders::early_returns_debug.begin(), shaders::early_returns_debug.end());
    expectFaithful(words, true);
}

TEST(Read, LooseInstructions_StayOutOfPureLists)
{
    const Module module = moduleOf(programs()[0].text);
    ASSERT_EQ(module.functions.size(), 2u);
    const Function& main = module.functions[0];
    const Function& add = module.functions[1];
    ASSERT_EQ(main.blocks.size(), 2u);
    EXPECT_TRUE(main.before.empty());
    EXPECT_EQ(main.blocks[0].before.size(), 1u);
    EXPECT_EQ(main.blocks[0].body.back().op, spv::Op::OpBranch);
    EXPECT_EQ(main.blocks[1].before.size(), 1u);
    EXPECT_EQ(main.blocks[1].body.back().op, spv::Op::OpReturn);
    EXPECT_EQ(main.after.size(), 1u);
    EXPECT_EQ(add.before.size(), 1u);
    EXPECT_EQ(add.parameters.size(), 2u);
    ASSERT_EQ(add.beforeParameter.size(), 2u);
    EXPECT_EQ(add.beforeParameter[1].first, 1u);
    EXPECT_EQ(module.trailing.size(), 1u);
}

TEST(Read, Operands_HaveTheirKinds)
{
    const Module module = moduleOf(programs()[2].text);
    const Function* pick = module.findFunction(module.functions[0].id());
    const Instruction& branch = pick->blocks[0].body.back();
    ASSERT_EQ(branch.op, spv::Op::OpSwitch);
    EXPECT_TRUE(branch.isId(0));
    EXPECT_TRUE(branch.isId(1));
    EXPECT_FALSE(branch.isId(2));
    EXPECT_EQ(branch.literal(2), 1u);
    EXPECT_EQ(branch.literal(6), 0xffffffffu);
    EXPECT_FALSE(branch.isId(99));

    const Instruction& entry = module.section(Section::EntryPoints)[0];
    EXPECT_EQ(entry.operands[2].kind, OperandKind::String);
    EXPECT_EQ(entry.string(2), "main");
    EXPECT_TRUE(entry.isId(3));

    // Scopes and memory semantics are ids.
    for (const Instruction& i : module.functions[1].blocks[2].body)
        if (i.op == spv::Op::OpControlBarrier)
            EXPECT_TRUE(i.isId(0) && i.isId(1) && i.isId(2));
}

TEST(Read, WideLiteral_IsOneOperand)
{
    const Module module = moduleOf(programs()[1].text);
    for (const Instruction& i : module.section(Section::Globals)) {
        if (i.op == spv::Op::OpConstant && i.words.size() == 2) {
            ASSERT_EQ(i.operandCount(), 1u);
            EXPECT_EQ(i.operands[0].count, 2u);
            EXPECT_EQ(i.words[0], 0x9abcdef0u);
            EXPECT_EQ(i.words[1], 0x12345678u);
            return;
        }
    }
    ADD_FAILURE() << "no 64-bit constant";
}

TEST(Write, Declarations_ComeFirst)
{
    Module module = moduleOf(programs()[2].text);
    Function declaration;
    declaration.definition = module.functions[0].definition;
    declaration.definition.result = module.newId();
    declaration.parameters = module.functions[0].parameters;
    declaration.parameters[0].result = module.newId();
    const Id id = declaration.id();
    module.functions.push_back(declaration);
    const auto again = read(write(module));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(again->functions[0].id(), id);
    EXPECT_TRUE(again->functions[0].blocks.empty());
}

}  // namespace
}  // namespace millrace::spirv::test
