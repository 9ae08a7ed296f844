// SPDX-License-Identifier: Apache-2.0
#include "compiler/fuse.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "compiler/diagnose.h"
#include "compiler/function_writer.h"
#include "compiler/fusion/callee.h"
#include "compiler/fusion/private_memory.h"
#include "compiler/globals.h"
#include "compiler/payload_types.h"
#include "compiler/prepare.h"
#include "compiler/values.h"
#include "spirv/edit.h"

namespace millrace::compiler {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// Of payloads of one output that an invocation keeps; they live in registers or on its stack.
constexpr uint64_t kMaxKeptBytes = 128;
constexpr size_t kMaxPushConstants = 256;  // parts of a block
constexpr auto kPrivate = spv::StorageClass::Private;

// An output on its way from payloads to variables.
struct Kept {
    const FusedOutput* request = nullptr;
    Id array;           // the payload array type
    Id payload;         // what it is an array of
    uint32_t most = 0;  // payloads that an invocation allocates at most
    std::vector<Leaf> leaves;
    Id payloads, count, index;  // variables
};

// A consumer that was linked into the producer.
struct Linked {
    Id function;
    const Callee* callee;
};

class Fuser {
public:
    explicit Fuser(NodeShader& shader)
        : m_shader(shader), m_module(shader.module), m_hasPushConstants(findPushConstants(shader.module))
    {
    }

    Status run(std::span<const FusedOutput> outputs)
    {
        std::vector<std::vector<Callee>> callees;
        for (const FusedOutput& output : outputs) {
            if (!keep(output)) {
                return m_failure.status();
            }
            auto made = makeCallees(output);
            if (!made) {
                return made.error();
            }
            callees.push_back(std::move(*made));
        }
        createVariables();
        findHandles();
        for (spirv::Function& function : m_module.functions) {
            spirv::rewriteFunction(m_module, function, [this](const Instruction& i, Emitter& out) { visit(i, out); });
        }
        if (m_failure || !m_memory.finish(m_failure)) {
            return m_failure.status();
        }
        return writeEntry(callees);
    }

private:
    // Finds the output's type and how many of its payloads an invocation keeps.
    bool keep(const FusedOutput& request)
    {
        Kept kept{.request = &request};
        for (const auto& [array, output] : m_shader.outputOfArray) {
            kept.array = output == request.output ? Id{array} : kept.array;
        }
        const graph::NodeOutput& output = m_shader.node.outputs[request.output];
        kept.payload = m_module.findDefinition(kept.array)->id(0);
        kept.most = std::min(output.budget, mostAllocated(kept.array).value_or(output.budget));
        if (kept.most * uint64_t{output.payloadBytes} > kMaxKeptBytes || kept.most > kMaxKeptBytes) {
            return m_failure.at("size", "an invocation may allocate " + std::to_string(kept.most) + " payloads of " +
                                            std::to_string(output.payloadBytes) + " bytes, more than " +
                                            std::to_string(kMaxKeptBytes) + " bytes");
        }
        auto leaves = leavesOf(m_module, kept.payload, kMaxKeptBytes);
        if (!leaves) {
            return m_failure.at(leaves.error().where, leaves.error().message);
        }
        kept.leaves = std::move(*leaves);
        m_kept.push_back(std::move(kept));
        return true;
    }

    std::optional<uint32_t> mostAllocated(Id array) const
    {
        const Values values(m_module);
        std::optional<uint32_t> most;
        for (const spirv::Function& function : m_module.functions) {
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body) {
                    if (i.op == spv::Op::OpAllocateNodePayloadsAMDX && payloadArrayOf(m_module, i.type) == array) {
                        most = values.largest(i.id(1));
                    }
                }
            }
        }
        return most;
    }

    Result<std::vector<Callee>> makeCallees(const FusedOutput& output)
    {
        std::vector<Callee> callees;
        for (const FusedConsumer& consumer : output.consumers) {
            auto node = prepare(consumer.words, consumer.options);
            if (!node) {
                return node.error();
            }
            const Caller caller{m_hasPushConstants, consumer.isNextLevel, m_kept.back().most};
            auto callee = makeCallee(std::move(**node), caller);
            if (!callee) {
                return callee.error();
            }
            if (!satisfies(floatModesOf(m_module, m_shader.entry), callee->floatModes)) {
                return Diagnostic{"fuse", "execution modes", "its floating-point arithmetic is not the producer's"};
            }
            m_hasPushConstants |= callee->hasBlock;
            const Kept& kept = m_kept.back();
            for (const Leaf& leaf : callee->payload) {
                if (!findLeaf(kept.leaves, leaf)) {
                    return Diagnostic{"fuse", "payload",
                                      "the producer has no member of " + std::to_string(leaf.bits) +
                                          " bits at offset " + std::to_string(leaf.offsetBytes)};
                }
            }
            callees.push_back(std::move(*callee));
        }
        return callees;
    }

    void createVariables()
    {
        const Id uintType = m_module.getIntType(32, false);
        const Id uintPointer = m_module.getPointerType(kPrivate, uintType);
        for (Kept& kept : m_kept) {
            kept.payloads = m_memory.createVariable(kept.payload, std::max(kept.most, 1u));
            kept.count = m_module.createVariable(uintPointer, kPrivate);
            kept.index = m_module.createVariable(uintPointer, kPrivate);
            const std::string name = m_shader.node.outputs[kept.request->output].targetName;
            m_module.setName(kept.payloads, name + "_payloads");
            m_module.setName(kept.count, name + "_count");
            m_module.setName(kept.index, name + "_index");
        }
    }

    // What leads to payloads that are kept: the allocation, copies of it, and variables that hold it. There is one
    // allocation of a type, so all of them mean the same. Looked up before definitions go.
    void findHandles()
    {
        std::unordered_map<uint32_t, const Kept*> byArray;
        for (const Kept& kept : m_kept) {
            byArray.emplace(kept.array.value, &kept);
        }
        for (const spirv::Function& function : m_module.functions) {
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body) {
                    const auto kept = i.type ? byArray.find(payloadArrayOf(m_module, i.type).value) : byArray.end();
                    if (kept != byArray.end()) {
                        m_handles.emplace(i.result.value, kept->second);
                    }
                    if (i.op == spv::Op::OpIsNodePayloadValidAMDX) {
                        m_queried.insert(i.id(0).value);
                    }
                }
            }
        }
    }

    const Kept* keptIn(const Instruction& i) const
    {
        if (i.op == spv::Op::OpIsNodePayloadValidAMDX) {
            return nullptr;
        }
        if (const auto own = m_handles.find(i.result.value); i.result && own != m_handles.end()) {
            return own->second;
        }
        for (size_t o = 0; o < i.operandCount(); o++) {
            const auto kept = i.isId(o) ? m_handles.find(i.id(o).value) : m_handles.end();
            if (kept != m_handles.end()) {
                return kept->second;
            }
        }
        return nullptr;
    }

    // Instructions that do no more than to pass a handle on, or to send what it leads to.
    static bool passesHandleOn(spv::Op op)
    {
        switch (op) {
            case spv::Op::OpVariable:
            case spv::Op::OpLoad:
            case spv::Op::OpStore:
            case spv::Op::OpCopyMemory:
            case spv::Op::OpCopyObject:
            case spv::Op::OpPhi:
            case spv::Op::OpSelect:
            case spv::Op::OpUndef:
            case spv::Op::OpEnqueueNodePayloadsAMDX:
                return true;
            default:
                return false;
        }
    }

    void visit(const Instruction& i, Emitter& out)
    {
        const Kept* kept = keptIn(i);
        if (!kept) {
            out.keep(i);
        } else if (i.op == spv::Op::OpAllocateNodePayloadsAMDX) {
            allocate(*kept, i, out);
        } else if (i.op == spv::Op::OpNodePayloadArrayLengthAMDX) {
            const Id uintType = m_module.getIntType(32, false);
            const Id count = out.emit(spv::Op::OpLoad, uintType, {kept->count});
            out.keep(
                spirv::instruction(i.type == uintType ? spv::Op::OpCopyObject : spv::Op::OpBitcast, i.type, i.result)
                    .add(count));
        } else if (isAccessChain(i.op) && firstIndexOperand(i.op) == 1 && payloadIndexOperand(m_module, i) == 1u) {
            access(*kept, i, out);
        } else if (i.op == spv::Op::OpVariable && m_queried.contains(i.result.value)) {
            out.keep(i);
        } else if (!passesHandleOn(i.op)) {
            m_failure.at(m_module, i, "uses a payload array as a whole");
        }
    }

    // 32-bit integers of any signedness, as all compilers give them.
    Id toUint(const Instruction& i, Id value, Emitter& out)
    {
        const Id uintType = m_module.getIntType(32, false);
        const Id type = m_module.typeOf(value);
        if (type == uintType) {
            return value;
        }
        if (type != m_module.getIntType(32, true)) {
            m_failure.at(m_module, i, "a count or an index that has not 32 bits");
            return value;
        }
        return out.emit(spv::Op::OpBitcast, uintType, {value});
    }

    Id smaller(Id value, uint32_t most, Emitter& out)
    {
        const Id uintType = m_module.getIntType(32, false);
        const Id bound = m_module.getConstant(most);
        const Id isLess = out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {value, bound});
        return out.emit(spv::Op::OpSelect, uintType, {isLess, value, bound});
    }

    void allocate(const Kept& kept, const Instruction& i, Emitter& out)
    {
        const uint32_t base = m_shader.node.outputs[kept.request->output].baseIndex;
        Id index = toUint(i, i.id(2), out);
        if (base != 0) {
            index = out.emit(spv::Op::OpIAdd, m_module.getIntType(32, false), {index, m_module.getConstant(base)});
        }
        out.emitVoid(spv::Op::OpStore, {kept.count, smaller(toUint(i, i.id(1), out), kept.most, out)});
        out.emitVoid(spv::Op::OpStore, {kept.index, index});
    }

    void access(const Kept& kept, const Instruction& i, Emitter& out)
    {
        const uint32_t last = std::max(kept.most, 1u) - 1;
        const Id index = last == 0 ? m_module.getConstant(0) : smaller(toUint(i, i.id(1), out), last, out);
        Instruction chain = spirv::instruction(spv::Op::OpAccessChain, i.type, i.result).add(kept.payloads).add(index);
        for (size_t o = 2; o < i.operandCount(); o++) {
            chain.add(i.id(o));
        }
        m_memory.add(chain.result);
        out.keep(std::move(chain));
    }

    // The new entry point: the producer, then what its payloads ask for.
    Status writeEntry(const std::vector<std::vector<Callee>>& callees)
    {
        allowAddresses(m_module);
        std::vector<std::vector<Linked>> functions;
        for (const std::vector<Callee>& ofOutput : callees) {
            functions.emplace_back();
            for (const Callee& callee : ofOutput) {
                functions.back().push_back({declare(callee), &callee});
                if (const Status status = callee.library.linkInto(m_module); !status) {
                    return status;
                }
            }
        }
        FunctionWriter writer(m_module);
        writer.beginBlock();
        for (const Kept& kept : m_kept) {
            writer.out().emitVoid(spv::Op::OpStore, {kept.count, m_module.getConstant(0)});
        }
        writer.out().call(m_shader.entry, m_module.getVoidType(), {});
        for (size_t k = 0; k < m_kept.size(); k++) {
            run(writer, m_kept[k], functions[k]);
        }
        if (m_failure) {
            return m_failure.status();
        }
        replaceEntry(writer.finish());
        return {};
    }

    Id declare(const Callee& callee)
    {
        std::vector<Id> types = {m_module.getIntType(32, false)};
        for (const auto* leaves : {&callee.payload, &callee.pushConstants}) {
            for (const Leaf& leaf : *leaves) {
                types.push_back(leafTypeInCalls(m_module, leaf));
            }
        }
        const Id voidType = m_module.getVoidType();
        const Id declared = m_module.newId();
        spirv::Function function;
        function.definition = spirv::instruction(spv::Op::OpFunction, voidType, declared)
                                  .add(static_cast<uint32_t>(spv::FunctionControlMask::MaskNone))
                                  .add(m_module.getFunctionType(voidType, types));
        for (const Id type : types) {
            function.parameters.push_back(spirv::instruction(spv::Op::OpFunctionParameter, type, m_module.newId()));
        }
        m_module.functions.push_back(std::move(function));
        m_module.section(Section::Annotations)
            .push_back(spirv::instruction(spv::Op::OpDecorate)
                           .add(declared)
                           .add(static_cast<uint32_t>(spv::Decoration::LinkageAttributes))
                           .add(kCalleeName)
                           .add(static_cast<uint32_t>(spv::LinkageType::Import)));
        return declared;
    }

    // for (i = 0; i < count; ++i) consumer(payloads[i]);
    void run(FunctionWriter& writer, const Kept& kept, const std::vector<Linked>& functions)
    {
        if (functions.empty()) {
            return;
        }
        const Id uintType = m_module.getIntType(32, false);
        const Id zero = m_module.getConstant(0);
        const Id count = writer.out().emit(spv::Op::OpLoad, uintType, {kept.count});
        const Id index = writer.out().emit(spv::Op::OpLoad, uintType, {kept.index});
        if (kept.most <= 1) {
            const Id any = writer.out().emit(spv::Op::OpINotEqual, m_module.getBoolType(), {count, zero});
            const Id join = m_module.newId();
            writer.beginIf(any, join);
            choose(writer, kept, functions, index, zero);
            writer.endIf(join);
            return;
        }
        const Id before = writer.label();
        const Id header = m_module.newId(), check = m_module.newId(), body = m_module.newId();
        const Id next = m_module.newId(), after = m_module.newId(), i = m_module.newId(), increased = m_module.newId();
        writer.branch(header);
        writer.beginBlock(header);
        writer.out().keep(
            spirv::instruction(spv::Op::OpPhi, uintType, i).add(zero).add(before).add(increased).add(next));
        writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
        writer.branch(check);
        writer.beginBlock(check);
        const Id inside = writer.out().emit(spv::Op::OpULessThan, m_module.getBoolType(), {i, count});
        writer.out().emitVoid(spv::Op::OpBranchConditional, {inside, body, after});
        writer.beginBlock(body);
        choose(writer, kept, functions, index, i);
        writer.branch(next);
        writer.beginBlock(next);
        writer.out().keep(spirv::instruction(spv::Op::OpIAdd, uintType, increased).add(i).add(m_module.getConstant(1)));
        writer.branch(header);
        writer.beginBlock(after);
    }

    // The consumer of the node index.
    void choose(FunctionWriter& writer, const Kept& kept, const std::vector<Linked>& functions, Id index, Id payload)
    {
        for (size_t f = 0; f < functions.size(); f++) {
            const Id isThis = isAmong(writer, index, kept.request->consumers[f].indices);
            const Id join = m_module.newId();
            writer.beginIf(isThis, join);
            call(writer, kept, functions[f], index, payload);
            writer.endIf(join);
        }
    }

    Id isAmong(FunctionWriter& writer, Id index, const std::vector<uint32_t>& indices)
    {
        const Id boolType = m_module.getBoolType();
        Id among = m_module.getConstantBool(false);
        for (size_t first = 0, end = 0; first < indices.size(); first = end) {
            for (end = first + 1; end < indices.size() && indices[end] == indices[end - 1] + 1;) {
                end++;
            }
            // One comparison for both ends, since what is below wraps around.
            Emitter out = writer.out();
            const Id from = out.emit(spv::Op::OpISub, m_module.getIntType(32, false),
                                     {index, m_module.getConstant(indices[first])});
            const Id length = m_module.getConstant(static_cast<uint32_t>(end - first));
            const Id inside = out.emit(spv::Op::OpULessThan, boolType, {from, length});
            among = first == 0 ? inside : out.emit(spv::Op::OpLogicalOr, boolType, {among, inside});
        }
        return among;
    }

    void call(FunctionWriter& writer, const Kept& kept, const Linked& linked, Id index, Id payload)
    {
        Emitter out = writer.out();
        Instruction call = spirv::instruction(spv::Op::OpFunctionCall, m_module.getVoidType(), m_module.newId())
                               .add(linked.function)
                               .add(index);
        for (const Leaf& leaf : linked.callee->payload) {
            call.add(loadLeaf(out, *findLeaf(kept.leaves, leaf), kept.payloads, kPrivate, {{payload}}));
        }
        for (const Leaf& leaf : linked.callee->pushConstants) {
            call.add(pushConstant(out, leaf));
        }
        out.keep(std::move(call));
    }

    Id pushConstant(Emitter& out, const Leaf& leaf)
    {
        const Id block = findPushConstants(m_module);
        const auto own = leavesOf(m_module, m_module.pointee(m_module.typeOf(block)), kMaxPushConstants);
        const Leaf* same = own ? findLeaf(*own, leaf) : nullptr;
        if (!same) {
            m_failure.at("push constants", "there is nothing of " + std::to_string(leaf.bits) + " bits at offset " +
                                               std::to_string(leaf.offsetBytes));
            return m_module.getConstant(0);
        }
        return loadLeaf(out, *same, block, spv::StorageClass::PushConstant);
    }

    void replaceEntry(Id created)
    {
        for (const Section section : {Section::EntryPoints, Section::ExecutionModes}) {
            for (Instruction& i : m_module.section(section)) {
                const size_t operand = section == Section::EntryPoints ? 1 : 0;
                if (i.id(operand) == m_shader.entry) {
                    i.setId(operand, created);
                }
            }
        }
        m_shader.entry = created;
        spirv::removeUnused(m_module);
        markAliases(m_module);
        updateInterface(m_module, created);
        orderGlobals(m_module);
    }

    NodeShader& m_shader;
    Module& m_module;
    PrivateMemory m_memory{m_module};
    Failure m_failure{"fuse"};
    bool m_hasPushConstants;  // of its own, or of the first consumer that has some
    std::vector<Kept> m_kept;
    std::unordered_map<uint32_t, const Kept*> m_handles;
    std::unordered_set<uint32_t> m_queried;  // operands of OpIsNodePayloadValidAMDX
};

}  // namespace

Result<spirv::Words> fuse(std::span<const uint32_t> words, const Options& options, std::span<const FusedOutput> outputs)
{
    auto shader = prepare(words, options);
    if (!shader) {
        return shader.error();
    }
    if (const Status status = Fuser(**shader).run(outputs); !status) {
        return status.error();
    }
    return spirv::write((*shader)->module);
}

}  // namespace millrace::compiler
