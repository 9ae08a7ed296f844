// SPDX-License-Identifier: Apache-2.0
#include "dxil/structurize_llvm.h"

#include <vector>

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DominanceFrontier.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/RegionInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Transforms/Scalar/StructurizeCFG.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/UnifyFunctionExitNodes.h>

namespace millrace::dxil {

namespace {

// DXIL does not mark operations that depend on which lanes take part; LLVM's passes must know.
void markConvergent(llvm::Module& module)
{
    for (llvm::Function& function : module) {
        if (function.isDeclaration() && !function.onlyReadsMemory())
            function.addFnAttr(llvm::Attribute::Convergent);
        for (const char* word : {"wave", "Wave", "quad", "Quad", "deriv", "arrier", "ample", "alculateLOD"})
            if (function.isDeclaration() && function.getName().contains(word))
                function.addFnAttr(llvm::Attribute::Convergent);
    }
}

// A block that returns whatever the result may be. One of its own: in blocks that return there may be phis and values
// that are known on the ways there are only.
llvm::BasicBlock* createExit(llvm::Function& function)
{
    llvm::BasicBlock* exit = llvm::BasicBlock::Create(function.getContext(), "exit", &function);
    llvm::Type* type = function.getReturnType();
    llvm::ReturnInst::Create(function.getContext(), type->isVoidTy() ? nullptr : llvm::PoisonValue::get(type), exit);
    return exit;
}

bool isNeverLeft(const llvm::Loop& loop)
{
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getExitBlocks(exits);
    return exits.empty();
}

// The post-dominator tree needs one root: what cannot be reached returns, and an endless loop gets an exit that is
// never taken. UnifyFunctionExitNodes makes one return of all.
void giveExits(llvm::Function& function)
{
    llvm::BasicBlock* exit = nullptr;
    const auto getExit = [&] { return exit ? exit : exit = createExit(function); };
    llvm::SmallVector<llvm::BasicBlock*, 8> unreachable;
    for (llvm::BasicBlock& block : function)
        if (llvm::isa<llvm::UnreachableInst>(block.getTerminator()))
            unreachable.push_back(&block);
    for (llvm::BasicBlock* block : unreachable) {
        block->getTerminator()->eraseFromParent();
        llvm::BranchInst::Create(getExit(), block);
    }
    llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
        llvm::SmallVector<llvm::BasicBlock*, 4> latches;
        loop->getLoopLatches(latches);
        for (llvm::BasicBlock* latch : isNeverLeft(*loop) ? latches : llvm::SmallVector<llvm::BasicBlock*, 4>()) {
            if (latch->getTerminator()->getNumSuccessors() == 1) {
                latch->getTerminator()->eraseFromParent();
                llvm::BranchInst::Create(loop->getHeader(), getExit(),
                                         llvm::ConstantInt::getTrue(function.getContext()), latch);
            }
        }
    }
}

void registerAnalyses(llvm::FunctionAnalysisManager& manager)
{
    manager.registerPass([] { return llvm::AssumptionAnalysis(); });
    manager.registerPass([] { return llvm::DominanceFrontierAnalysis(); });
    manager.registerPass([] { return llvm::DominatorTreeAnalysis(); });
    manager.registerPass([] { return llvm::LazyValueAnalysis(); });
    manager.registerPass([] { return llvm::LoopAnalysis(); });
    manager.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
    manager.registerPass([] { return llvm::PostDominatorTreeAnalysis(); });
    manager.registerPass([] { return llvm::RegionInfoAnalysis(); });
    manager.registerPass([] { return llvm::ScalarEvolutionAnalysis(); });
    manager.registerPass([] { return llvm::TargetIRAnalysis(); });
    manager.registerPass([] { return llvm::TargetLibraryAnalysis(); });
}

}  // namespace

void structurizeControlFlow(llvm::Function& function)
{
    markConvergent(*function.getParent());
    giveExits(function);
    llvm::FunctionAnalysisManager analyses;
    registerAnalyses(analyses);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::LowerSwitchPass());
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::UnifyFunctionExitNodesPass());
    passes.addPass(llvm::LoopSimplifyPass());
    passes.addPass(llvm::StructurizeCFGPass());
    passes.addPass(llvm::LoopSimplifyPass());
    passes.run(function, analyses);
}

}  // namespace millrace::dxil
