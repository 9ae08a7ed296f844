// SPDX-License-Identifier: Apache-2.0
#include "dxil/called_functions.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>

namespace millrace::dxil {

namespace {

// Functions of one block that only call each other.
class Program {
public:
    explicit Program(size_t count)
    {
        for (size_t i = 0; i < count; ++i) {
            Function& function = *m_module.functions.emplace_back(std::make_unique<Function>());
            function.name = "f" + std::to_string(i);
            m_module.newBlock(function);
        }
    }

    Function& operator[](size_t index) { return *m_module.functions[index]; }

    void call(size_t from, size_t to)
    {
        Value* call = m_module.newInstruction((*this)[from], Op::Call, nullptr);
        call->function = &(*this)[to];
        (*this)[from].blocks.front()->instructions.push_back(call);
    }

private:
    Module m_module;
};

TEST(CalledFunctions, EachOnceInFrontOfWhatItCalls)
{
    Program program(5);
    program.call(0, 2);
    program.call(0, 1);
    program.call(2, 3);
    program.call(1, 3);
    std::vector<Function*> out = {&program[4]};
    ASSERT_TRUE(addCalledFunctions(program[0], out));
    EXPECT_EQ(out, (std::vector<Function*>{&program[4], &program[0], &program[2], &program[3], &program[1]}));
}

TEST(CalledFunctions, ThoseThatAreThereAlready_WhatTheyCallIsAdded)
{
    Program program(3);
    program.call(0, 1);
    program.call(1, 2);
    std::vector<Function*> out = {&program[1]};
    ASSERT_TRUE(addCalledFunctions(program[0], out));
    EXPECT_EQ(out, (std::vector<Function*>{&program[1], &program[0], &program[2]}));
}

// 2^60 ways lead from the first to the last.
TEST(CalledFunctions, EachCallsTheNextTwice_AllFound)
{
    constexpr size_t kFunctions = 60;
    Program program(kFunctions + 1);
    for (size_t i = 0; i < kFunctions; ++i) {
        program.call(i, i + 1);
        program.call(i, i + 1);
    }
    std::vector<Function*> out;
    ASSERT_TRUE(addCalledFunctions(program[0], out));
    EXPECT_EQ(out.size(), kFunctions + 1);
}

TEST(CalledFunctions, Recursion_Refused)
{
    Program program(3);
    program.call(0, 1);
    program.call(1, 2);
    program.call(2, 1);
    std::vector<Function*> out;
    EXPECT_FALSE(addCalledFunctions(program[0], out));
}

// Also where a function that is called deeply was found on a shorter way first.
TEST(CalledFunctions, TooDeep_Refused)
{
    constexpr size_t kFunctions = 66;
    Program program(kFunctions);
    program.call(0, 60);
    for (size_t i = 0; i + 1 < kFunctions; ++i)
        program.call(i, i + 1);
    std::vector<Function*> out;
    EXPECT_FALSE(addCalledFunctions(program[0], out));
    out.clear();
    EXPECT_TRUE(addCalledFunctions(program[1], out)) << "64 calls deep";
}

}  // namespace

}  // namespace millrace::dxil
