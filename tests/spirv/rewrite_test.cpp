// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

const std::string kAdds = compute("%u1 = OpConstant %uint 1", "%x = OpIAdd %uint %u1 %u1\n%y = OpIAdd %uint %x %u1");

TEST(RewriteBlock, KeepingAll_ChangesNothing)
{
    for (const Program& program : programs()) {
        Module module = moduleOf(program.text);
        const Words before = write(module);
        for (Function& function : module.functions) {
            rewriteFunction(module, function, [](const Instruction& i, Emitter& e) { e.keep(i); });
            for (Block& block : function.blocks)
                rewriteBlock(module, block, [](const Instruction& i, Emitter& e) { e.keep(i); });
        }
        EXPECT_EQ(write(module), before);
    }
}

TEST(RewriteBlock, EmitsAroundAndDrops)
{
    Module module = moduleOf(kAdds);
    Block& block = module.functions[0].blocks[0];
    std::unordered_map<uint32_t, uint32_t> replaced;
    rewriteBlock(module, block, [&](const Instruction& i, Emitter& e) {
        if (i.op != spv::Op::OpIAdd) {
            e.keep(i);
            return;
        }
        // a + b as a - (0 - b)
        const Id negative = e.emit(spv::Op::OpSNegate, i.type, {i.id(1)});
        replaced[i.result.value] = e.emit(spv::Op::OpISub, i.type, {i.id(0), negative}).value;
    });
    module.replaceUses(replaced);
    ASSERT_EQ(block.body.size(), 5u);
    EXPECT_EQ(block.body[0].op, spv::Op::OpSNegate);
    EXPECT_EQ(block.body[3].op, spv::Op::OpISub);
    EXPECT_EQ(block.body[3].id(0), block.body[1].result);
    const Words words = write(module);
    EXPECT_TRUE(validate(words)) << validate(words).error().text();
}

TEST(RewriteFunction, OldInstructionsAndNewGlobals_AreFound)
{
    Module module = moduleOf(kAdds);
    Function& main = module.functions[0];
    rewriteFunction(module, main, [&](const Instruction& i, Emitter& e) {
        if (i.result)
            ASSERT_EQ(module.findDefinition(i.result), &i);
        const Id constant = module.getConstant(100 + static_cast<uint32_t>(i.operandCount()));
        uint32_t value = 0;
        EXPECT_TRUE(module.constantValue(constant, value));
        e.keep(i);
    });
    const Words words = write(module);
    EXPECT_TRUE(validate(words)) << validate(words).error().text();
}

TEST(RewriteFunction, MayAddFunctions)
{
    Module module = moduleOf(kAdds);
    const Id voidType = module.getVoidType();
    const Id type = module.getFunctionType(voidType, {});
    rewriteFunction(module, module.functions[0], [&](const Instruction& i, Emitter& e) {
        if (i.op == spv::Op::OpIAdd) {
            Function added;
            added.definition = instruction(spv::Op::OpFunction, voidType, module.newId()).add(0u).add(type);
            added.blocks.push_back({module.newId(), {instruction(spv::Op::OpReturn)}, {}});
            module.functions.push_back(added);
            const Id result = e.call(added.id(), voidType, {});
            EXPECT_TRUE(result);
        }
        e.keep(i);
    });
    EXPECT_EQ(module.functions.size(), 3u);
    EXPECT_EQ(module.functions[0].blocks[0].body.size(), 5u);
    const Words words = write(module);
    EXPECT_TRUE(validate(words)) << validate(words).error().text();
}

TEST(Emitter, EmitVoid_HasNoResult)
{
    Module module;
    InstructionList out;
    Emitter emitter(module, out);
    emitter.emitVoid(spv::Op::OpStore, {Id{1}, Id{2}});
    ASSERT_EQ(out.size(), 1u);
    EXPECT_FALSE(out[0].result);
    EXPECT_EQ(out[0].id(1), Id{2});
}

}  // namespace
}  // namespace millrace::spirv::test
