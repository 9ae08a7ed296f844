// SPDX-License-Identifier: Apache-2.0
// Functions whose control flow has no way out, or several, are well-formed when they have been structurized.
#include "dxil/structurize_llvm.h"

#include <gtest/gtest.h>

#include <string>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

namespace millrace::dxil {

namespace {

// A function whose blocks `one` and `two` lead to each other, and may both be entered. Behind them come `exits`.
void expectWellFormed(const char* resultType, const std::string& exits)
{
    const std::string text = std::string("define ") + resultType + R"( @f(i1 %a, i1 %b, i1 %c, float %y) {
entry:
  br i1 %a, label %one, label %two
one:
  br i1 %b, label %two, label %exits
two:
  br i1 %c, label %one, label %exits
)" + exits + "}\n";
    llvm::LLVMContext context;
    llvm::SMDiagnostic problem;
    const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
    ASSERT_TRUE(module) << problem.getMessage().str();
    llvm::Function& function = *module->getFunction("f");
    structurizeControlFlow(function);
    std::string errors;
    llvm::raw_string_ostream stream(errors);
    EXPECT_FALSE(llvm::verifyFunction(function, &stream)) << errors;
}

TEST(Structurize, ResultAndNoReturn_WellFormed)
{
    expectWellFormed("float", R"(
exits:
  br label %exits
)");
}

TEST(Structurize, NoResultAndNoReturn_WellFormed)
{
    expectWellFormed("void", R"(
exits:
  br label %exits
)");
}

TEST(Structurize, ReturnWithPhiBesideUnreachable_WellFormed)
{
    expectWellFormed("float", R"(
exits:
  br i1 %a, label %left, label %right
left:
  br i1 %b, label %end, label %never
right:
  br label %end
end:
  %x = phi float [ 1.0, %left ], [ 2.0, %right ]
  ret float %x
never:
  unreachable
)");
}

TEST(Structurize, ReturnOfWhatOneWayComputes_WellFormed)
{
    expectWellFormed("float", R"(
exits:
  br i1 %b, label %left, label %never
left:
  %x = fadd float %y, 1.0
  br label %end
end:
  ret float %x
never:
  unreachable
)");
}

TEST(Structurize, EndlessLoopBesideReturnWithPhi_WellFormed)
{
    expectWellFormed("float", R"(
exits:
  br i1 %a, label %left, label %right
left:
  br i1 %b, label %end, label %loop
right:
  br label %end
end:
  %x = phi float [ 1.0, %left ], [ 2.0, %right ]
  ret float %x
loop:
  br label %loop
)");
}

}  // namespace

}  // namespace millrace::dxil
