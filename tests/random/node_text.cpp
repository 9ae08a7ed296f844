// SPDX-License-Identifier: Apache-2.0
#include "random/node_text.h"

#include <algorithm>

namespace millrace::random {

namespace {

constexpr uint32_t kAcquireReleaseUniform = 0x48;  // memory semantics

}  // namespace

NodeText::NodeText(ModuleText& module, const GraphSpec& graph, const NodeSpec& node)
    : m_module(module),
      m_graph(graph),
      m_node(node),
      m_family(graph.families[node.family]),
      m_random(module.random()),
      m_body(module),
      m_function(module.newId("main"))
{
    m_inputType.layout = &m_family.layout;
}

void NodeText::emit()
{
    m_module.beginEntryPoint();
    declareInput();
    declareModes();
    if (m_node.mesh)
        declareMesh();
    declareOutputs();
    declareIgnoredOutputs();
    declareUnused();
    if (!m_node.isEmpty)
        emitBody();
    else if (m_node.mesh)
        // A rule of the extension, and NVIDIA's driver needs it (docs/gpu.md).
        m_body.line("OpSetMeshOutputsEXT " + m_body.c(0) + " " + m_body.c(0));
    m_module.function(m_body.finish(m_function, m_module.voidType(), {}));
    m_module.outputBuffer();
    std::string line = std::string("OpEntryPoint ") + (m_node.mesh ? "MeshEXT " : "GLCompute ") + m_function + " \"" +
                       m_node.entry + "\"";
    for (const Id& id : m_module.interface())
        line += " " + id;
    m_module.entryPoint(line);
}

void NodeText::emitBody()
{
    readBuiltIns();
    if (m_node.perPayload)
        emitPerPayloadBody();
    else if (m_node.kind == Kind::Coalescing)
        emitCoalescingBody();
    else
        emitGridBody();
}

void NodeText::readBuiltIns()
{
    const Id word = m_module.uintType();
    const Id triple = m_module.vectorType(word, 3);
    m_lane = m_body.load(word, m_module.builtIn("LocalInvocationIndex", word));
    const auto components = [&](const std::string& name) {
        const Id value = m_body.load(triple, m_module.builtIn(name, triple));
        std::array<Id, 3> out;
        for (uint32_t i = 0; i < 3; ++i)
            out[i] = m_body.op(word, "OpCompositeExtract", value + " " + std::to_string(i));
        return out;
    };
    const auto group = components("WorkgroupId");
    m_group = m_body.mix(m_body.mix(group[0], group[1]), group[2]);
    m_position = m_body.c(0);
    if (m_node.salt & 1) {
        const auto global = components("GlobalInvocationId");
        m_position = m_body.mix(m_body.mix(global[0], global[1]), global[2]);
    }
    if (m_node.salt & 2) {
        const auto local = components("LocalInvocationId");
        m_position = m_body.mix(m_position, m_body.mix(m_body.mix(local[0], local[1]), local[2]));
    }
    if (!m_node.finishes)
        return;
    const Grid sides = m_node.kind == Kind::Static ? m_node.staticGrid : m_family.layout.grid.max;
    m_groupLinear = m_body.u("OpIAdd", m_body.u("OpIMul", group[2], m_body.c(sides[1])), group[1]);
    m_groupLinear = m_body.u("OpIAdd", m_body.u("OpIMul", m_groupLinear, m_body.c(sides[0])), group[0]);
}

// Counters of the node, which tell what is wrong when a sum is.
void NodeText::countRun()
{
    const uint32_t first = kSumWords + kCountersPerNode * m_node.id;
    const Id word = m_module.uintType();
    const Id remaining = m_body.load(word, m_module.builtIn("RemainingRecursionLevelsAMDX", word));
    const bool coalescing = m_node.kind == Kind::Coalescing;
    if (!coalescing)
        m_body.atomicAdd(m_body.c(first + 1), m_body.c(1));
    m_body.ifThen(m_body.test("OpIEqual", m_lane, m_body.c(0)), [&] {
        Id payloads = m_body.c(1);
        if (coalescing && m_node.inputVariable)
            payloads = m_body.op(word, "OpNodePayloadArrayLengthAMDX", m_inputVariable);
        else
            m_body.atomicAdd(m_body.c(first), m_body.c(1));
        if (coalescing)
            m_body.atomicAdd(m_body.c(first + 2), payloads);
        m_body.atomicAdd(m_body.c(first + 3), m_body.u("OpIMul", remaining, payloads));
    });
}

// What else a result may depend on.
Id NodeText::mixExtras(const Id& hash)
{
    const Id word = m_module.uintType();
    Id out = m_body.mix(hash, m_body.c(m_node.salt));
    if (m_node.recursion || (m_node.salt & 4))
        out = m_body.mix(out, m_body.load(word, m_module.builtIn("RemainingRecursionLevelsAMDX", word)));
    if (m_node.salt & 8)
        out = m_body.mix(out, m_body.load(word, m_module.builtIn("ShaderIndexAMDX", word)));
    if (m_node.usesPushConstants) {
        const Id push = m_module.pushConstants(m_graph.pushConstantBytes);
        out = m_body.mix(out, m_body.load(word, m_body.chain("PushConstant", word, push, m_body.c(0))));
        if (m_graph.pushConstantBytes > 16)
            out = m_body.mix(out, m_body.load(word, m_body.chain("PushConstant", word, push, m_body.c(2))));
    }
    if (m_node.usesTable) {
        const Id index = m_body.u("OpBitwiseAnd", out, m_body.c(kTableWords - 1));
        const Id where = m_body.chain("StorageBuffer", word, m_module.tableBuffer(), m_body.c(0) + " " + index);
        out = m_body.mix(out, m_body.load(word, where));
    }
    if (m_private != "")
        out = m_body.mix(out, m_private);
    return out;
}

PayloadPlace NodeText::input(const Id& element) const
{
    return {"NodePayloadAMDX", m_inputVariable, m_node.structInput ? "" : element};
}

// The same for all payloads where the node does not read it.
Id NodeText::readKey(const PayloadPlace& place)
{
    for (uint32_t i = 0; i < m_family.layout.members.size(); ++i)
        if (m_family.layout.members[i].role == Role::Key && m_node.reads(i) && m_node.inputVariable)
            return loadKey(m_body, m_inputType, place);
    return m_body.c(0xabcdef);
}

// Each invocation leaves its hash for its neighbour.
void NodeText::useWorkgroupMemory(const Id& hash)
{
    const Id word = m_module.uintType();
    const Id size = m_body.c(m_node.invocations());
    const auto place = [&](const Id& index) { return m_body.chain("Workgroup", word, m_workgroupTable, index); };
    Id mine = hash;
    if (m_node.zeroWorkgroupMemory)
        mine = m_body.u("OpIAdd", hash, m_body.load(word, place(m_lane), m_module.shared()));
    m_body.store(place(m_lane), mine, m_module.shared());
    m_body.controlBarrier();
    const Id neighbour = m_body.u("OpUMod", m_body.u("OpIAdd", m_lane, m_body.c(1)), size);
    m_body.report(m_body.mix(m_body.load(word, place(neighbour), m_module.shared()), hash));
}

// A lone workgroup may use its payload as memory.
void NodeText::writeInput(const Id& hash)
{
    const PayloadPlace place = input(m_body.c(0));
    m_body.controlBarrier();
    m_body.ifThen(m_body.test("OpIEqual", m_lane, m_body.c(m_node.invocations() - 1)),
                  [&] { storeKey(m_body, m_inputType, place, m_body.mix(hash, m_body.c(3))); });
    m_body.controlBarrier();
    m_body.report(m_body.mix(readKey(place), m_lane));
}

Id NodeText::finishWriting(const Id& key, const Id& hash)
{
    const Id word = m_module.uintType();
    uint32_t number = 0;
    while (m_family.layout.members[number].role != Role::Slots)
        ++number;
    const std::string element = m_node.structInput ? "" : m_body.c(0) + " ";
    const auto slot = [&](const Id& index) {
        return m_body.chain("NodePayloadAMDX", word, m_inputVariable, element + m_body.c(number) + " " + index);
    };
    m_body.ifThen(m_body.test("OpIEqual", m_lane, m_body.c(0)),
                  [&] { m_body.store(slot(m_groupLinear), m_body.mix(hash, m_body.c(9))); });
    m_body.line("OpControlBarrier " + m_body.c(2) + " " + m_body.c(1) + " " + m_body.c(kAcquireReleaseUniform));
    const Id last = m_body.op(m_module.boolType(), "OpFinishWritingNodePayloadAMDX", m_inputVariable);
    m_body.ifThen(last, [&] {
        m_body.line("OpMemoryBarrier " + m_body.c(1) + " " + m_body.c(kAcquireReleaseUniform));
        const Id sum = m_body.variable(word);
        m_body.store(sum, m_body.c(0));
        // Slots of workgroups that do not exist were never written.
        const Grid sides = m_node.kind == Kind::Static ? m_node.staticGrid : m_family.layout.grid.max;
        const Id x = m_node.kind == Kind::Static ? m_body.c(sides[0]) : gridSide(m_body, m_family.layout, key, 0);
        const Id y = m_node.kind == Kind::Static ? m_body.c(sides[1]) : gridSide(m_body, m_family.layout, key, 1);
        const Id z = m_node.kind == Kind::Static ? m_body.c(sides[2]) : gridSide(m_body, m_family.layout, key, 2);
        const Id one = m_body.c(1);
        const Id none = m_body.c(0);
        m_body.loop(none, z, one, [&](const Id& k) {
            m_body.loop(none, y, one, [&](const Id& j) {
                m_body.loop(none, x, one, [&](const Id& i) {
                    Id index = m_body.u("OpIAdd", m_body.u("OpIMul", k, m_body.c(sides[1])), j);
                    index = m_body.u("OpIAdd", m_body.u("OpIMul", index, m_body.c(sides[0])), i);
                    const Id value = m_body.load(word, slot(index));
                    m_body.store(sum, m_body.u("OpIAdd", m_body.load(word, sum), value));
                });
            });
        });
        m_body.report(m_body.mix(m_body.mix(m_body.load(word, sum), key), m_lane));
    });
    return last;
}

void NodeText::emitStatements(const Decision& decision)
{
    for (const Statement& statement : m_node.statements) {
        emitStatement(statement, decision);
        if (m_node.returnsBetween && !m_node.isQuietAbove && &statement != &m_node.statements.back())
            returnSometimes(m_body.mix(decision.uniform, m_body.c(6)));
    }
    for (const Id& array : m_later)
        m_body.line("OpEnqueueNodePayloadsAMDX " + array);
}

// Requires: the same for the whole workgroup, where that goes on together.
void NodeText::returnSometimes(const Id& hash)
{
    m_body.returnIf(m_body.test("OpIEqual", m_body.u("OpUMod", hash, m_body.c(6)), m_body.c(0)));
}

void NodeText::declareVariables()
{
    const Id word = m_module.uintType();
    if (m_node.usesPrivate) {
        const Id variable = m_module.newId("private");
        m_module.global(variable + " = OpVariable " + m_module.pointerType("Private", word) + " Private " +
                        m_module.constant(m_node.salt | 1));
        m_module.addInterface(variable);
        m_private = m_body.load(word, variable);
        m_body.store(variable, m_body.u("OpIAdd", m_private, m_body.c(1)));
    }
    if (m_node.usesWorkgroupMemory) {
        const uint32_t size = std::max(m_node.invocations(), m_node.kind == Kind::Coalescing ? m_node.maxPayloads : 1);
        const Id array = m_module.arrayType(word, size, 0);
        m_workgroupTable = m_module.newId("table");
        std::string initializer;
        if (m_node.zeroWorkgroupMemory) {
            initializer = " " + m_module.newId("null");
            m_module.global(initializer + " = OpConstantNull " + array);
        }
        m_module.global(m_workgroupTable + " = OpVariable " + m_module.pointerType("Workgroup", array) + " Workgroup" +
                        initializer);
        m_module.addInterface(m_workgroupTable);
    }
}

void NodeText::emitGridBody()
{
    declareVariables();
    countRun();
    const PayloadPlace place = input(m_body.c(0));
    const Id key = readKey(place);
    const Id uniform = m_body.mix(mixExtras(key), m_group);
    if (m_node.earlyReturn)
        returnSometimes(m_body.mix(uniform, m_body.c(5)));
    const Id own = m_body.mix(m_body.mix(uniform, m_lane), m_position);
    if (m_node.inputVariable) {
        const Id sum = hashPayload(m_body, m_inputType, place, m_node, m_lane, m_body.c(m_node.invocations()));
        m_body.report(m_body.mix(sum, own));
    }
    if (m_node.usesWorkgroupMemory)
        useWorkgroupMemory(own);
    if (m_node.writesInput && m_node.inputVariable)
        writeInput(uniform);
    const Id last = m_node.finishes ? finishWriting(key, uniform) : "";
    if (m_node.usesAddress)
        m_body.op(m_module.voidType(), "OpFunctionCall",
                  m_module.reportAtAddressFunction(m_graph.pushConstantBytes) + " " + own);
    if (m_node.sendsWhenFinished) {
        // Which workgroup that is must not show.
        const Id same = mixExtras(key);
        m_body.ifThen(last, [&] { emitStatements({same, m_body.mix(same, m_lane), ""}); });
    } else {
        emitStatements({uniform, own, ""});
    }
    if (m_node.mesh)
        drawPoints(uniform);
    if (m_node.lateReturn)
        m_body.returnIf(m_body.test("OpIEqual", m_body.u("OpBitwiseAnd", own, m_body.c(3)), m_body.c(0)));
    m_body.report(own);
}

// Payload after payload; nothing may depend on which payloads have met.
void NodeText::coalescingReports()
{
    const Id count = m_body.op(m_module.uintType(), "OpNodePayloadArrayLengthAMDX", m_inputVariable);
    m_body.loop(m_lane, count, m_body.c(m_node.invocations()), [&](const Id& p) {
        const PayloadPlace place = input(p);
        const Id hash = mixExtras(readKey(place));
        m_body.report(m_body.mix(hashPayload(m_body, m_inputType, place, m_node, m_body.c(0), m_body.c(1)), hash));
    });
}

// Each payload's key goes through workgroup memory and is read by another invocation.
void NodeText::useWorkgroupMemoryForPayloads()
{
    const Id word = m_module.uintType();
    const Id count = m_body.op(word, "OpNodePayloadArrayLengthAMDX", m_inputVariable);
    const Id step = m_body.c(m_node.invocations());
    const auto place = [&](const Id& index) { return m_body.chain("Workgroup", word, m_workgroupTable, index); };
    m_body.loop(m_lane, count, step, [&](const Id& p) {
        Id key = readKey(input(p));
        if (m_node.zeroWorkgroupMemory)
            key = m_body.u("OpIAdd", key, m_body.load(word, place(p), m_module.shared()));
        m_body.store(place(p), key, m_module.shared());
    });
    m_body.controlBarrier();
    m_body.loop(m_lane, count, step, [&](const Id& p) {
        const Id mirrored = m_body.u("OpISub", m_body.u("OpISub", count, m_body.c(1)), p);
        m_body.report(m_body.mix(m_body.load(word, place(mirrored), m_module.shared()), m_body.c(m_node.salt)));
    });
    m_body.controlBarrier();
}

// The payloads of a workgroup are its own to write.
void NodeText::writePayloads()
{
    const Id count = m_body.op(m_module.uintType(), "OpNodePayloadArrayLengthAMDX", m_inputVariable);
    const Id step = m_body.c(m_node.invocations());
    m_body.controlBarrier();
    m_body.loop(m_lane, count, step, [&](const Id& p) {
        const Id key = readKey(input(p));
        storeKey(m_body, m_inputType, input(p), m_body.mix(key, m_body.c(3)));
    });
    m_body.controlBarrier();
    m_body.loop(m_lane, count, step, [&](const Id& p) {
        const Id mirrored = m_body.u("OpISub", m_body.u("OpISub", count, m_body.c(1)), p);
        m_body.report(m_body.mix(readKey(input(mirrored)), m_body.c(m_node.salt)));
    });
}

void NodeText::sendPerPayload()
{
    const Id count = m_body.op(m_module.uintType(), "OpNodePayloadArrayLengthAMDX", m_inputVariable);
    m_body.loop(m_body.c(0), count, m_body.c(1), [&](const Id& p) {
        const Id uniform = mixExtras(readKey(input(p)));
        for (const Statement& statement : m_node.statements)
            if (statement.scope == Scope::Workgroup)
                emitStatement(statement, {uniform, uniform, ""});
    });
}

// Each invocation takes a payload of its own; all of them come along as often as there are payloads left.
void NodeText::sendPerInvocation()
{
    const Id word = m_module.uintType();
    const Id count = m_body.op(word, "OpNodePayloadArrayLengthAMDX", m_inputVariable);
    m_body.loop(m_body.c(0), count, m_body.c(m_node.invocations()), [&](const Id& first) {
        const Id p = m_body.u("OpIAdd", first, m_lane);
        const Id active = m_body.test("OpULessThan", p, count);
        const Id hash = m_body.variable(word);
        m_body.store(hash, m_body.c(0));
        m_body.ifThen(active, [&] { m_body.store(hash, mixExtras(readKey(input(p)))); });
        const Id own = m_body.load(word, hash);
        for (const Statement& statement : m_node.statements)
            if (statement.scope == Scope::Invocation)
                emitStatement(statement, {m_body.c(m_node.salt), own, active});
    });
}

void NodeText::emitSinglePayload(const Id& element)
{
    const PayloadPlace place = input(element);
    const Id hash = mixExtras(readKey(place));
    if (m_node.isQuietAbove) {
        const Id word = m_module.uintType();
        const Id remaining = m_body.load(word, m_module.builtIn("RemainingRecursionLevelsAMDX", word));
        m_body.ifThen(m_body.test("OpIEqual", remaining, m_body.c(0)), [&] { reportSinglePayload(place, hash); });
    } else {
        reportSinglePayload(place, hash);
    }
    if (m_node.earlyReturn && !m_node.isQuietAbove)
        returnSometimes(m_body.mix(hash, m_body.c(5)));
    emitStatements({hash, hash, ""});
    if (m_node.isQuietAbove)
        return;
    if (m_node.writesInput)
        storeKey(m_body, m_inputType, place, m_body.mix(hash, m_body.c(3)));
    if (m_node.lateReturn)
        m_body.returnIf(m_body.test("OpIEqual", m_body.u("OpBitwiseAnd", hash, m_body.c(3)), m_body.c(0)));
    m_body.report(hash);
}

void NodeText::reportSinglePayload(const PayloadPlace& place, const Id& hash)
{
    const uint32_t first = kSumWords + kCountersPerNode * m_node.id;
    const Id word = m_module.uintType();
    m_body.atomicAdd(m_body.c(first + 2), m_body.c(1));
    m_body.atomicAdd(m_body.c(first + 3), m_body.load(word, m_module.builtIn("RemainingRecursionLevelsAMDX", word)));
    m_body.report(m_body.mix(hashPayload(m_body, m_inputType, place, m_node, m_body.c(0), m_body.c(1)), hash));
    if (m_node.usesAddress)
        m_body.op(m_module.voidType(), "OpFunctionCall",
                  m_module.reportAtAddressFunction(m_graph.pushConstantBytes) + " " + hash);
}

// Invocations without a payload do nothing, in one of the ways in which programs say so.
void NodeText::emitPerPayloadBody()
{
    declareVariables();
    if (m_node.invocations() == 1) {
        emitSinglePayload((m_node.salt & 16) ? m_lane : m_body.c(0));
        return;
    }
    const Id word = m_module.uintType();
    const Id triple = m_module.vectorType(word, 3);
    Id lane = m_lane;
    if ((m_node.salt & 16) && m_node.localSize[1] == 1 && m_node.localSize[2] == 1)
        lane = m_body.op(word, "OpCompositeExtract",
                         m_body.load(triple, m_module.builtIn("LocalInvocationId", triple)) + " 0");
    if (m_node.salt & 32) {
        const Id kept = m_body.variable(word);
        m_body.store(kept, lane);
        lane = m_body.load(word, kept);
    }
    const Id count = m_body.op(word, "OpNodePayloadArrayLengthAMDX", m_inputVariable);
    const auto work = [&] { emitSinglePayload(lane); };
    switch (m_node.salt >> 6 & 3) {
        case 0:
            m_body.ifThen(m_body.test("OpULessThan", lane, count), work);
            break;
        case 1:
            m_body.ifThen(m_body.test("OpUGreaterThan", count, lane), work);
            break;
        case 2: {
            const Id outside = m_body.test("OpUGreaterThanEqual", lane, count);
            m_body.ifThen(m_body.op(m_module.boolType(), "OpLogicalNot", outside), work);
            break;
        }
        default:
            m_body.returnIf(m_body.test("OpULessThanEqual", count, lane));
            work();
    }
}

void NodeText::emitCoalescingBody()
{
    declareVariables();
    countRun();
    coalescingReports();
    if (m_node.usesWorkgroupMemory)
        useWorkgroupMemoryForPayloads();
    bool scopes[2] = {};
    for (const Statement& statement : m_node.statements)
        scopes[static_cast<size_t>(statement.scope)] = true;
    if (scopes[0])
        sendPerPayload();
    if (scopes[1])
        sendPerInvocation();
    if (m_node.writesInput)
        writePayloads();
    if (m_node.lateReturn)
        m_body.returnIf(m_body.test("OpIEqual", m_lane, m_body.c(0)));
}

ModuleResult emitModule(const GraphSpec& graph, const ModuleSpec& spec, Random& random)
{
    ModuleText module(random, spec);
    ModuleResult result;
    for (uint32_t id : spec.nodes) {
        NodeText node(module, graph, graph.nodes[id]);
        node.emit();
        result.specifiedValidity |= node.specifiedValidity();
    }
    result.text = module.text();
    result.specialization = module.specialization();
    return result;
}

}  // namespace millrace::random
