// SPDX-License-Identifier: Apache-2.0
#include "compiler/fuse.h"

#include "compiler/diagnose.h"
#include "compiler/function_writer.h"
#include "compiler/fusion/callee.h"
#include "compiler/fusion/entry.h"
#include "compiler/fusion/kept_outputs.h"
#include "compiler/fusion/private_memory.h"
#include "compiler/prepare.h"

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
            if (!m_kept.add(output.output, kMaxKeptBytes)) {
                return m_failure.status();
            }
            auto made = makeCallees(output);
            if (!made) {
                return made.error();
            }
            callees.push_back(std::move(*made));
        }
        if (!m_kept.lower() || !m_memory.finish(m_failure)) {
            return m_failure.status();
        }
        return writeEntry(outputs, callees);
    }

private:
    Result<std::vector<Callee>> makeCallees(const FusedOutput& output)
    {
        std::vector<Callee> callees;
        for (const FusedConsumer& consumer : output.consumers) {
            auto node = prepare(consumer.words, consumer.options);
            if (!node) {
                return node.error();
            }
            const Caller caller{m_hasPushConstants, consumer.isNextLevel, m_kept.all().back().most};
            auto callee = makeCallee(std::move(**node), caller);
            if (!callee) {
                return callee.error();
            }
            if (!satisfies(floatModesOf(m_module, m_shader.entry), callee->floatModes)) {
                return Diagnostic{"fuse", "execution modes", "its floating-point arithmetic is not the producer's"};
            }
            m_hasPushConstants |= callee->hasBlock;
            const KeptOutput& kept = m_kept.all().back();
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

    // The new entry point: the producer, then what its payloads ask for.
    Status writeEntry(std::span<const FusedOutput> outputs, const std::vector<std::vector<Callee>>& callees)
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
        for (const KeptOutput& kept : m_kept.all()) {
            writer.out().emitVoid(spv::Op::OpStore, {kept.count, m_module.getConstant(0)});
        }
        writer.out().call(m_shader.entry, m_module.getVoidType(), {});
        for (size_t k = 0; k < outputs.size(); k++) {
            run(writer, m_kept.all()[k], outputs[k].consumers, functions[k]);
        }
        if (m_failure) {
            return m_failure.status();
        }
        replaceEntry(m_shader, writer.finish());
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
    void run(FunctionWriter& writer, const KeptOutput& kept, std::span<const FusedConsumer> consumers,
             const std::vector<Linked>& functions)
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
            choose(writer, kept, consumers, functions, index, zero);
            writer.endIf(join);
            return;
        }
        writer.forEach(count, [&](Id i) { choose(writer, kept, consumers, functions, index, i); });
    }

    // The consumer of the node index.
    void choose(FunctionWriter& writer, const KeptOutput& kept, std::span<const FusedConsumer> consumers,
                const std::vector<Linked>& functions, Id index, Id payload)
    {
        for (size_t f = 0; f < functions.size(); f++) {
            const Id isThis = isAmong(writer, index, consumers[f].indices);
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

    void call(FunctionWriter& writer, const KeptOutput& kept, const Linked& linked, Id index, Id payload)
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

    NodeShader& m_shader;
    Module& m_module;
    PrivateMemory m_memory{m_module};
    Failure m_failure{"fuse"};
    bool m_hasPushConstants;  // of its own, or of the first consumer that has some
    KeptOutputs m_kept{m_shader, m_memory, m_failure};
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
