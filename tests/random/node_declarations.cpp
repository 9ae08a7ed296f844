// SPDX-License-Identifier: Apache-2.0
// Interface, execution modes and types of a node.
#include <algorithm>

#include "random/node_text.h"

namespace millrace::random {

void NodeText::declareInput()
{
    if (!m_node.inputVariable)
        return;
    const bool shares = m_node.sharesIndex.has_value();
    m_inputType =
        declarePayload(m_module, m_family.layout, m_node.kind == Kind::Dynamic, shares && m_random.chance(70));
    Id pointee = m_inputType.structure;
    if (!m_node.structInput) {
        pointee = m_module.newId("Input");
        m_module.global(pointee + " = OpTypeNodePayloadArrayAMDX " + m_inputType.structure);
        m_module.decorate("OpDecorateId " + pointee + " NodeMaxPayloadsAMDX " + m_module.operand(m_node.maxPayloads));
    }
    m_inputVariable = m_module.newId("input");
    m_module.global(m_inputVariable + " = OpVariable " + m_module.pointerType("NodePayloadAMDX", pointee) +
                    " NodePayloadAMDX");
    m_module.addInterface(m_inputVariable);
}

void NodeText::declareLocalSize()
{
    const Grid& size = m_node.localSize;
    if (m_node.localSizeById) {
        m_module.executionMode("OpExecutionModeId " + m_function + " LocalSizeId " + m_module.operand(size[0]) + " " +
                               m_module.operand(size[1]) + " " + m_module.operand(size[2]));
        return;
    }
    m_module.executionMode("OpExecutionMode " + m_function + " LocalSize " + std::to_string(size[0]) + " " +
                           std::to_string(size[1]) + " " + std::to_string(size[2]));
}

void NodeText::declareModes()
{
    const auto mode = [&](const std::string& text) {
        m_module.executionMode("OpExecutionModeId " + m_function + " " + text);
    };
    const auto three = [&](const Grid& grid) {
        return m_module.operand(grid[0]) + " " + m_module.operand(grid[1]) + " " + m_module.operand(grid[2]);
    };
    declareLocalSize();
    if (m_node.kind == Kind::Coalescing)
        m_module.executionMode("OpExecutionMode " + m_function + " CoalescingAMDX");
    if (m_node.kind == Kind::Static)
        mode("StaticNumWorkgroupsAMDX " + three(m_node.staticGrid));
    if (m_node.declareMax)
        mode("MaxNumWorkgroupsAMDX " + three(m_family.layout.grid.max));
    if (m_node.recursion)
        mode("MaxNodeRecursionAMDX " + m_module.operand(m_node.recursion));
    if (!m_node.indexFromApi)
        mode("ShaderIndexAMDX " + m_module.operand(m_node.index));
    else if (m_random.chance(50))
        mode("ShaderIndexAMDX " + m_module.operand(m_node.index + 7));  // overridden
    if (m_node.sharesIndex)
        mode("SharesInputWithAMDX " + m_module.stringConstant(m_family.name) + " " +
             m_module.operand(*m_node.sharesIndex));
    if (m_node.isApiEntry)
        mode("IsApiEntryAMDX " + m_module.boolConstant(*m_node.isApiEntry));
}

void NodeText::declareOutputs()
{
    for (const OutputSpec& output : m_node.outputs) {
        const Family& target = m_graph.families[output.family];
        OutputType type;
        type.payload = declarePayload(m_module, target.layout, output.decorateGrid, false);
        type.array = m_module.newId("Array");
        m_module.global(type.array + " = OpTypeNodePayloadArrayAMDX " + type.payload.structure);
        type.pointer = m_module.pointerType("NodePayloadAMDX", type.array);
        const auto decorate = [&](const std::string& text) {
            m_module.decorate("OpDecorateId " + type.array + " " + text);
        };
        decorate("PayloadNodeNameAMDX " + m_module.stringConstant(target.name));
        if (output.baseIndex || m_random.chance(10))
            decorate("PayloadNodeBaseIndexAMDX " + m_module.operand(output.baseIndex));
        if (output.arraySize)
            decorate("PayloadNodeArraySizeAMDX " + m_module.operand(*output.arraySize));
        if (output.sparse)
            m_module.decorate("OpDecorate " + type.array + " PayloadNodeSparseArrayAMDX");
        if (output.sharesWith >= 0) {
            decorate("NodeSharesPayloadLimitsWithAMDX " + m_outputs[static_cast<size_t>(output.sharesWith)].array);
            decorate("NodeMaxPayloadsAMDX " + m_module.operand(1));
        } else {
            decorate("NodeMaxPayloadsAMDX " + m_module.operand(std::max(1u, output.budget)));
        }
        m_outputs.push_back(type);
    }
}

// Some compilers leave variables of their types behind.
void NodeText::declareIgnoredOutputs()
{
    for (uint32_t i = 0; i < m_outputs.size(); ++i)
        if (m_node.ignoresOutput(i) && m_random.chance(50))
            m_body.variable(m_outputs[i].array);
}

void NodeText::declareUnused()
{
    const Id word = m_module.uintType();
    if (m_node.unused & kUnusedResources) {
        m_module.tableBuffer();
        m_module.pushConstants(m_graph.pushConstantBytes);
    }
    if (m_node.unused & kUnusedVariables) {
        m_module.builtIn("RemainingRecursionLevelsAMDX", word);
        m_module.builtIn("GlobalInvocationId", m_module.vectorType(word, 3));
        declareUnusedVariable("Private");
    }
    if (m_node.unused & kUnusedWorkgroupMemory)
        declareUnusedVariable("Workgroup");
    if ((m_node.unused & kUnusedFunction) && m_node.inputVariable)
        declareUnusedFunction();
    if (m_node.unused & kUnusedPayload) {
        const Id variable = m_module.newId("unused");
        const Id pointer =
            m_module.pointerType("NodePayloadAMDX", declarePayload(m_module, m_family.layout, true, false).structure);
        m_module.global(variable + " = OpVariable " + pointer + " NodePayloadAMDX");
    }
}

void NodeText::declareUnusedVariable(const std::string& storage)
{
    const Id variable = m_module.newId("unused");
    m_module.global(variable + " = OpVariable " + m_module.pointerType(storage, m_module.uintType()) + " " + storage);
    m_module.addInterface(variable);
}

// Reads the input, is never called.
void NodeText::declareUnusedFunction()
{
    BodyText body(m_module);
    const Id sum = hashPayload(body, m_inputType, input(m_body.c(0)), NodeSpec{}, body.c(0), body.c(1));
    body.report(body.mix(loadKey(body, m_inputType, input(m_body.c(0))), sum));
    m_module.function(body.finish(m_module.newId("unused"), m_module.voidType(), {}));
}

}  // namespace millrace::random
