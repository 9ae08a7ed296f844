// SPDX-License-Identifier: Apache-2.0
#include "spirv/id_set.h"

#include <gtest/gtest.h>

#include "spirv/programs.h"

namespace millrace::spirv::test {
namespace {

TEST(IdSet, KnowsWhatWasInserted)
{
    IdSet set;
    EXPECT_FALSE(set.contains(Id{1}));
    EXPECT_TRUE(set.insert(Id{1000}));
    EXPECT_TRUE(set.insert(Id{1}));
    EXPECT_FALSE(set.insert(Id{1000}));
    EXPECT_TRUE(set.contains(Id{1}));
    EXPECT_TRUE(set.contains(Id{1000}));
    EXPECT_FALSE(set.contains(Id{999}));
    EXPECT_FALSE(set.contains(Id{1u << 30}));
}

TEST(UsedInFunctions, HasOperandsAndTypes_NotResultsAndGlobals)
{
    const Module module =
        moduleOf(compute("%u1 = OpConstant %uint 1\n%u2 = OpConstant %uint 2\n%pair = OpTypeVector %uint 2\n"
                         "%unused = OpConstantComposite %pair %u2 %u2",
                         "%x = OpIAdd %uint %u1 %u1"));
    const IdSet used = usedInFunctions(module);
    const Instruction& add = module.functions[0].blocks[0].body[0];
    ASSERT_EQ(add.op, spv::Op::OpIAdd);
    EXPECT_TRUE(used.contains(add.type));
    EXPECT_TRUE(used.contains(add.id(0)));
    EXPECT_FALSE(used.contains(add.result));
    for (const Instruction& i : module.section(Section::Globals))
        EXPECT_EQ(used.contains(i.result), i.result == add.type || i.result == add.id(0)) << i.result.value;
}

}  // namespace
}  // namespace millrace::spirv::test
