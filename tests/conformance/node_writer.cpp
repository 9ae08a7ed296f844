// SPDX-License-Identifier: Apache-2.0
#include "conformance/node_writer.h"

#include <algorithm>

#include "oracle/assembler.h"

namespace millrace::conformance {

NodeWriter::NodeWriter(const std::string& entry, Grid localSize) : m_module(m_random, m_spec), m_firstEntry(entry)
{
    nextEntry(entry, localSize);
}

void NodeWriter::nextEntry(const std::string& entry, Grid localSize)
{
    if (m_body)
        finishEntry();
    m_entry = entry;
    m_function = m_module.newId("main");
    m_body = std::make_unique<BodyText>(m_module);
    m_proxies.clear();
    m_module.beginEntryPoint();
    m_module.executionMode("OpExecutionMode " + m_function + " LocalSize " + std::to_string(localSize[0]) + " " +
                           std::to_string(localSize[1]) + " " + std::to_string(localSize[2]));
}

void NodeWriter::finishEntry()
{
    m_module.function(m_body->finish(m_function, m_module.voidType(), {}));
    std::string line = "OpEntryPoint GLCompute " + m_function + " \"" + m_entry + "\"";
    for (const Id& id : m_module.interface())
        line += " " + id;
    m_module.entryPoint(line);
    m_body = nullptr;
}

std::string NodeWriter::text()
{
    if (m_body)
        finishEntry();
    return m_module.text();
}

std::vector<uint32_t> NodeWriter::words()
{
    return oracle::assemble(text());
}

harness::Stage NodeWriter::stage()
{
    harness::Stage stage;
    stage.words = words();
    stage.entry = m_firstEntry;
    return stage;
}

harness::Stage NodeWriter::stage(const std::string& name, uint32_t index)
{
    harness::Stage out = stage();
    out.name = name;
    out.index = index;
    return out;
}

Id NodeWriter::specConstant(uint32_t id, uint32_t initial)
{
    const Id type = uintType();
    const Id constant = m_module.newId("spec");
    m_module.decorate("OpDecorate " + constant + " SpecId " + std::to_string(id));
    m_module.global(constant + " = OpSpecConstant " + type + " " + std::to_string(initial));
    return constant;
}

void NodeWriter::staticGrid(uint32_t x, uint32_t y, uint32_t z)
{
    mode("StaticNumWorkgroupsAMDX " + c(x) + " " + c(y) + " " + c(z));
}

Id NodeWriter::structure(const std::vector<Field>& fields, bool trackFinish)
{
    const Id id = m_module.newId("Payload");
    std::string list;
    for (size_t i = 0; i < fields.size(); ++i) {
        const std::string member = "OpMemberDecorate " + id + " " + std::to_string(i) + " ";
        m_module.decorate(member + "Offset " + std::to_string(fields[i].offset));
        if (!fields[i].decoration.empty())
            m_module.decorate(member + fields[i].decoration);
        list += " " + fields[i].type;
    }
    m_module.global(id + " = OpTypeStruct" + list);
    if (trackFinish)
        m_module.decorate("OpDecorate " + id + " TrackFinishWritingAMDX");
    return id;
}

std::pair<Id, Id> NodeWriter::declareInput(const Id& structure, const Id& most)
{
    const Id array = m_module.newId("Input");
    const Id variable = m_module.newId("input");
    m_module.global(array + " = OpTypeNodePayloadArrayAMDX " + structure);
    m_module.decorate("OpDecorateId " + array + " NodeMaxPayloadsAMDX " + most);
    m_module.global(variable + " = OpVariable " + m_module.pointerType("NodePayloadAMDX", array) + " NodePayloadAMDX");
    m_module.addInterface(variable);
    return {array, variable};
}

Id NodeWriter::inputArray(const std::vector<Field>& fields, uint32_t most, bool trackFinish)
{
    const Id type = structure(fields, trackFinish);
    return inputArrayOf(type, c(most));
}

Id NodeWriter::inputStructure(const std::vector<Field>& fields)
{
    const Id type = structure(fields);
    const Id variable = m_module.newId("input");
    m_module.global(variable + " = OpVariable " + m_module.pointerType("NodePayloadAMDX", type) + " NodePayloadAMDX");
    m_module.addInterface(variable);
    return variable;
}

PayloadArrayType NodeWriter::output(const std::string& node, const std::vector<Field>& fields,
                                    const OutputOptions& options)
{
    return outputOf(node, structure(fields), options);
}

PayloadArrayType NodeWriter::outputOf(const std::string& node, const Id& structure, const OutputOptions& options)
{
    PayloadArrayType type;
    type.structure = structure;
    type.array = m_module.newId("Array");
    m_module.global(type.array + " = OpTypeNodePayloadArrayAMDX " + structure);
    type.pointer = m_module.pointerType("NodePayloadAMDX", type.array);
    const auto decorate = [&](const std::string& text) {
        m_module.decorate("OpDecorateId " + type.array + " " + text);
    };
    decorate("PayloadNodeNameAMDX " + m_module.stringConstant(node));
    if (options.budget)
        decorate("NodeMaxPayloadsAMDX " + c(*options.budget));
    if (options.baseIndex)
        decorate("PayloadNodeBaseIndexAMDX " + c(*options.baseIndex));
    if (options.arraySize)
        decorate("PayloadNodeArraySizeAMDX " + c(*options.arraySize));
    if (options.sparse)
        m_module.decorate("OpDecorate " + type.array + " PayloadNodeSparseArrayAMDX");
    if (!options.sharesWith.empty())
        decorate("NodeSharesPayloadLimitsWithAMDX " + options.sharesWith);
    return type;
}

Id NodeWriter::builtIn(const std::string& name)
{
    return m_body->load(uintType(), m_module.builtIn(name, uintType()));
}

Id NodeWriter::builtIn(const std::string& name, uint32_t component)
{
    const Id type = uintVector(3);
    const Id value = m_body->load(type, m_module.builtIn(name, type));
    return m_body->op(uintType(), "OpCompositeExtract", value + " " + std::to_string(component));
}

Id NodeWriter::payloadPointer(const Id& type, const Id& array, const Id& element, const std::string& member,
                              const std::string& storage)
{
    return m_body->chain(storage, type, array, element + " " + member);
}

Id NodeWriter::readPayload(const Id& array, const Id& element, uint32_t member)
{
    return m_body->load(uintType(), payloadPointer(uintType(), array, element, c(member)));
}

void NodeWriter::writePayload(const Id& array, const Id& element, uint32_t member, const Id& value)
{
    m_body->store(payloadPointer(uintType(), array, element, c(member)), value);
}

Id NodeWriter::allocate(const PayloadArrayType& type, const Id& count, const Id& nodeIndex, bool workgroup)
{
    return m_body->op(type.pointer, "OpAllocateNodePayloadsAMDX", c(workgroup ? 2 : 4) + " " + count + " " + nodeIndex);
}

Id NodeWriter::length(const Id& array)
{
    return m_body->op(uintType(), "OpNodePayloadArrayLengthAMDX", array);
}

Id NodeWriter::isValid(const PayloadArrayType& type, const Id& nodeIndex)
{
    Id& proxy = m_proxies[type.array];
    if (proxy.empty())
        proxy = m_body->variable(type.array);
    return m_body->op(m_module.boolType(), "OpIsNodePayloadValidAMDX", proxy + " " + nodeIndex);
}

void NodeWriter::onFirstLane(const std::function<void()>& then)
{
    m_body->ifThen(m_body->test("OpIEqual", lane(), c(0)), then);
}

void NodeWriter::send(const PayloadArrayType& type, const Id& value, const Id& nodeIndex, bool workgroup)
{
    const Id array = allocate(type, c(1), nodeIndex, workgroup);
    writePayload(array, c(0), 0, value);
    enqueue(array);
}

harness::Stage writeNode(const std::string& name, const std::function<void(NodeWriter&)>& write, Grid localSize)
{
    NodeWriter node(name, localSize);
    write(node);
    return node.stage();
}

harness::Stage adder(const std::string& name, uint32_t word, uint32_t index)
{
    NodeWriter node(name);
    node.staticGrid(1);
    if (index)
        node.mode("ShaderIndexAMDX " + node.c(index));
    const Id input = node.inputArray({{node.uintType(), 0, ""}});
    node.add(word, node.readPayload(input, node.c(0), 0));
    node.add(word + 1, node.c(1));
    return node.stage();
}

harness::Stage senderOf(const std::string& name, const std::string& to, uint32_t count, uint32_t value)
{
    NodeWriter node(name);
    node.staticGrid(1);
    OutputOptions options;
    options.budget = std::max(1u, count);
    const PayloadArrayType type = node.output(to, {{node.uintType(), 0, ""}}, options);
    const Id array = node.allocate(type, node.c(count), node.c(0));
    node.body().loop(node.c(0), node.c(count), node.c(1),
                     [&](const Id& i) { node.writePayload(array, i, 0, node.body().u("OpIAdd", i, node.c(value))); });
    node.enqueue(array);
    return node.stage();
}

}  // namespace millrace::conformance
