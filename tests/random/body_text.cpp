// SPDX-License-Identifier: Apache-2.0
#include "random/module_text.h"

namespace millrace::random {

Id BodyText::op(const Id& type, const std::string& name, const std::string& operands)
{
    const Id id = m_module.newId();
    line(id + " = " + name + " " + type + " " + operands);
    return id;
}

Id BodyText::mix(const Id& a, const Id& b)
{
    return op(m_module.uintType(), "OpFunctionCall", m_module.mixFunction() + " " + a + " " + b);
}

Id BodyText::select(const Id& condition, const Id& a, const Id& b)
{
    return op(m_module.uintType(), "OpSelect", condition + " " + a + " " + b);
}

Id BodyText::load(const Id& type, const Id& pointer, const std::string& memory)
{
    return op(type, "OpLoad", pointer + memory);
}

void BodyText::store(const Id& pointer, const Id& value, const std::string& memory)
{
    line("OpStore " + pointer + " " + value + memory);
}

Id BodyText::variable(const Id& type, const Id& initializer)
{
    const Id id = m_module.newId("var");
    m_variables += id + " = OpVariable " + m_module.pointerType("Function", type) + " Function " + initializer + "\n";
    return id;
}

Id BodyText::chain(const std::string& storage, const Id& type, const Id& base, const std::string& indices)
{
    return op(m_module.pointerType(storage, type), "OpAccessChain", base + " " + indices);
}

void BodyText::atomicAdd(const Id& word, const Id& value)
{
    const Id pointer = chain("StorageBuffer", m_module.uintType(), m_module.outputBuffer(), c(0) + " " + word);
    op(m_module.uintType(), "OpAtomicIAdd", pointer + " " + c(1) + " " + c(0) + " " + value);
}

void BodyText::report(const Id& hash)
{
    op(m_module.voidType(), "OpFunctionCall", m_module.reportFunction() + " " + hash);
}

void BodyText::controlBarrier()
{
    line("OpControlBarrier " + c(2) + " " + c(2) + " " + m_module.barrierSemantics());
}

void BodyText::begin(const Id& block)
{
    line(block + " = OpLabel");
    m_block = block;
}

void BodyText::ifThen(const Id& condition, const std::function<void()>& then)
{
    const Id inside = m_module.newId("then");
    const Id after = m_module.newId("join");
    line("OpSelectionMerge " + after + " None");
    line("OpBranchConditional " + condition + " " + inside + " " + after);
    begin(inside);
    then();
    line("OpBranch " + after);
    begin(after);
}

void BodyText::ifElse(const Id& condition, const std::function<void()>& then, const std::function<void()>& otherwise)
{
    const Id first = m_module.newId("then");
    const Id second = m_module.newId("else");
    const Id after = m_module.newId("join");
    line("OpSelectionMerge " + after + " None");
    line("OpBranchConditional " + condition + " " + first + " " + second);
    begin(first);
    then();
    line("OpBranch " + after);
    begin(second);
    otherwise();
    line("OpBranch " + after);
    begin(after);
}

void BodyText::loop(const Id& first, const Id& end, const Id& step, const std::function<void(const Id&)>& body)
{
    const Id before = m_block;
    const Id head = m_module.newId("head");
    const Id inside = m_module.newId("body");
    const Id next = m_module.newId("next");
    const Id after = m_module.newId("exit");
    const Id counter = m_module.newId("i");
    const Id advanced = m_module.newId("i");
    line("OpBranch " + head);
    begin(head);
    line(counter + " = OpPhi " + m_module.uintType() + " " + first + " " + before + " " + advanced + " " + next);
    const Id more = test("OpULessThan", counter, end);
    line("OpLoopMerge " + after + " " + next + " None");
    line("OpBranchConditional " + more + " " + inside + " " + after);
    begin(inside);
    body(counter);
    line("OpBranch " + next);
    begin(next);
    line(advanced + " = OpIAdd " + m_module.uintType() + " " + counter + " " + step);
    line("OpBranch " + head);
    begin(after);
}

void BodyText::returnIf(const Id& condition)
{
    const Id inside = m_module.newId("leave");
    const Id after = m_module.newId("stay");
    line("OpSelectionMerge " + after + " None");
    line("OpBranchConditional " + condition + " " + inside + " " + after);
    begin(inside);
    line("OpReturn");
    begin(after);
}

std::string BodyText::finish(const Id& function, const Id& result, const std::vector<std::pair<Id, Id>>& parameters,
                             const std::string& terminator)
{
    std::vector<Id> types;
    std::string list;
    for (const auto& [type, id] : parameters) {
        types.push_back(type);
        list += id + " = OpFunctionParameter " + type + "\n";
    }
    return function + " = OpFunction " + result + " None " + m_module.functionType(result, types) + "\n" + list +
           m_first + " = OpLabel\n" + m_variables + m_text + terminator + "\nOpFunctionEnd\n";
}

}  // namespace millrace::random
