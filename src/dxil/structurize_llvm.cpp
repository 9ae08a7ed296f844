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
        if (function.isDeclaration() && !function.onlyReadsMemory()) {
            function.addFnAttr(llvm::Attribute::Convergent);
        }
        for (const char* word : {"wave", "Wave", "quad", "Quad", "deriv", "arrier", "ample", "alculateLOD"}) {
            if (function.isDeclaration() && function.getName().contains(word)) {
                function.addFnAttr(llvm::Attribute::Convergent);
            }
        }
    }
}

llvm::BasicBlock* findReturn(llvm::Function& function)
{
    for (llvm::BasicBlock& block : function) {
        if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
            return &block;
        }
    }
    return nullptr;
}

// The post-dominator tree needs one root: what cannot be reached returns, and an endless loop gets an exit that is
// never taken.
void giveOneExit(llvm::Function& function)
{
    llvm::BasicBlock* exit = findReturn(function);
    if (!exit) {
        exit = llvm::BasicBlock::Create(function.getContext(), "exit", &function);
        llvm::ReturnInst::Create(function.getContext(), nullptr, exit);
    }
    for (llvm::BasicBlock& block : function) {
        if (llvm::isa<llvm::UnreachableInst>(block.getTerminator())) {
            block.getTerminator()->eraseFromParent();
            llvm::BranchInst::Create(exit, &block);
        }
    }
    llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
        llvm::SmallVector<llvm::BasicBlock*, 4> exits;
        loop->getExitBlocks(exits);
        llvm::SmallVector<llvm::BasicBlock*, 4> latches;
        loop->getLoopLatches(latches);
        for (llvm::BasicBlock* latch : exits.empty() ? latches : llvm::SmallVector<llvm::BasicBlock*, 4>()) {
            if (latch->getTerminator()->getNumSuccessors() == 1) {
                latch->getTerminator()->eraseFromParent();
                llvm::BranchInst::Create(loop->getHeader(), exit, llvm::ConstantInt::getTrue(function.getContext()),
                                         latch);
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
    giveOneExit(function);
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
