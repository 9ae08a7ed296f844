// SPDX-License-Identifier: Apache-2.0
// Writing a new function, block by block.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "spirv/module.h"

namespace millrace::shader {

class FunctionWriter {
public:
    explicit FunctionWriter(spirv::Module& module) : m_module(module) {}

    // A block begins behind the terminator of the one before.
    spirv::Id beginBlock(spirv::Id label = {})
    {
        m_function.blocks.push_back({label ? label : m_module.newId(), {}, {}});
        return m_function.blocks.back().label;
    }

    spirv::Emitter out() { return {m_module, m_function.blocks.back().body}; }
    spirv::Id label() const { return m_function.blocks.back().label; }

    void branch(spirv::Id target) { out().emitVoid(spv::Op::OpBranch, {target}); }

    // Ends the block with "if (condition)"; the block of the condition holding follows.
    // `otherwise`: of the block for what follows beginElse(); none: there is no such block.
    void beginIf(spirv::Id condition, spirv::Id join, spirv::Id otherwise = {})
    {
        const spirv::Id then = m_module.newId();
        out().keep(spirv::instruction(spv::Op::OpSelectionMerge).add(join).add(0u));
        out().emitVoid(spv::Op::OpBranchConditional, {condition, then, otherwise ? otherwise : join});
        beginBlock(then);
    }

    // Ends the block of beginIf(); the one for a condition that does not hold follows, up to endIf(). `otherwise`: the
    // label that beginIf() was given for it.
    void beginElse(spirv::Id otherwise, spirv::Id join)
    {
        branch(join);
        beginBlock(otherwise);
    }

    void endIf(spirv::Id join)
    {
        branch(join);
        beginBlock(join);
    }

    // for (i = 0; i < count; ++i) body(i);
    template <typename Body>
    void forEach(spirv::Id count, const Body& body, spv::LoopControlMask control = spv::LoopControlMask::MaskNone)
    {
        const spirv::Id uintType = m_module.getIntType(32, false), before = label();
        const spirv::Id header = m_module.newId(), check = m_module.newId(), inside = m_module.newId();
        const spirv::Id next = m_module.newId(), after = m_module.newId();
        const spirv::Id i = m_module.newId(), increased = m_module.newId();
        branch(header);
        beginBlock(header);
        out().keep(spirv::instruction(spv::Op::OpPhi, uintType, i)
                       .add(m_module.getConstant(0))
                       .add(before)
                       .add(increased)
                       .add(next));
        out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(static_cast<uint32_t>(control)));
        branch(check);
        beginBlock(check);
        const spirv::Id isInside = out().emit(spv::Op::OpULessThan, m_module.getBoolType(), {i, count});
        out().emitVoid(spv::Op::OpBranchConditional, {isInside, inside, after});
        beginBlock(inside);
        body(i);
        branch(next);
        beginBlock(next);
        out().keep(spirv::instruction(spv::Op::OpIAdd, uintType, increased).add(i).add(m_module.getConstant(1)));
        branch(header);
        beginBlock(after);
    }

    // Ids of a new parameter.
    spirv::Id addParameter(spirv::Id type)
    {
        m_function.parameters.push_back(spirv::instruction(spv::Op::OpFunctionParameter, type, m_module.newId()));
        return m_function.parameters.back().result;
    }

    // Ends the last block and gives the module the function, which returns nothing.
    spirv::Id finish()
    {
        out().emitVoid(spv::Op::OpReturn, {});
        std::vector<spirv::Id> types;
        for (const spirv::Instruction& parameter : m_function.parameters)
            types.push_back(parameter.type);
        const spirv::Id voidType = m_module.getVoidType();
        const spirv::Id created = m_module.newId();
        m_function.definition = spirv::instruction(spv::Op::OpFunction, voidType, created)
                                    .add(static_cast<uint32_t>(spv::FunctionControlMask::MaskNone))
                                    .add(m_module.getFunctionType(voidType, types));
        m_module.functions.push_back(std::move(m_function));
        return created;
    }

private:
    spirv::Module& m_module;
    spirv::Function m_function;
};

// At the start of a function with a body, in front of what was inserted there before.
inline void insertBehindVariables(spirv::Function& function, const spirv::InstructionList& list)
{
    spirv::InstructionList& body = function.blocks[0].body;
    size_t start = 0;
    for (size_t n = 0; n < body.size(); ++n)
        start = body[n].op == spv::Op::OpVariable ? n + 1 : start;
    body.insert(body.begin() + static_cast<ptrdiff_t>(start), list.begin(), list.end());
}

}  // namespace millrace::shader
