// SPDX-License-Identifier: Apache-2.0
#include "nodes/fuse.h"

#include <algorithm>

#include "nodes/fusion/callee.h"
#include "nodes/fusion/descent.h"
#include "nodes/fusion/entry.h"
#include "nodes/fusion/kept_outputs.h"
#include "nodes/fusion/plain_memory.h"
#include "nodes/prepare.h"
#include "shader/diagnose.h"
#include "shader/function_writer.h"
#include "shader/workgroup_view.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

namespace {

// Of payloads of one output that an invocation keeps; they live in registers or on its stack. Even payloads on stacks
// take a tenth of the time of those in memory (docs/experiments.md). Where invocations may send different numbers,
// those with few wait for those with many.
constexpr KeptLimits kKeptByInvocation{.bytes = 1024, .bytesOfMany = 128};
// Likewise by a workgroup; and all memory that workgroups share then, of 16 KiB that every device has. Nodes have up to
// 6 KiB of their own (device/*.glsl).
constexpr KeptLimits kKeptByWorkgroup{.bytes = 4096, .bytesOfMany = 4096};
constexpr uint64_t kMaxSharedBytes = 8192;
constexpr size_t kMaxPushConstants = 256;  // parts of a block
constexpr auto kPrivate = spv::StorageClass::Private;
constexpr auto kWorkgroup = spv::StorageClass::Workgroup;

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
            const auto keeper = output.byWorkgroup ? KeptOutputs::Keeper::Workgroup : KeptOutputs::Keeper::Invocation;
            if (!m_kept.add(output.output, keeper, output.byWorkgroup ? kKeptByWorkgroup : kKeptByInvocation))
                return m_failure.status();
            auto made = makeCallees(output);
            if (!made)
                return made.error();
            callees.push_back(std::move(*made));
            if (output.descent.levels > 0)
                m_descent.emplace(m_shader, m_memory, m_failure, output.descent.levels, output.descent.fanOut);
        }
        if (m_descent && !m_descent->lower())
            return m_failure.status();
        if (!m_kept.lower() || !m_memory.finish(m_failure))
            return m_failure.status();
        return writeEntry(outputs, callees);
    }

private:
    Result<std::vector<Callee>> makeCallees(const FusedOutput& output)
    {
        std::vector<Callee> callees;
        for (const FusedConsumer& consumer : output.consumers) {
            auto node = shaderOf(consumer);
            if (!node)
                return node.error();
            const KeptOutput& kept = m_kept.all().back();
            const bool descends = output.descent.levels > 0;
            const Caller caller{m_hasPushConstants,
                                consumer.isNextLevel ? std::max(output.descent.levels, 1u) : 0,
                                consumer.isShared,
                                descends ? 1 : kept.most,
                                {descends ? 0 : m_kept.arrayLength(kept), output.byWorkgroup}};
            auto callee = makeCallee(std::move(*node), caller);
            if (!callee)
                return callee.error();
            if (!satisfies(codeModesOf(m_module, m_shader.entry), callee->codeModes))
                return Diagnostic{"fuse", "execution modes", "it asks for some that the producer does not have"};
            m_hasPushConstants |= callee->hasBlock;
            for (const Leaf& leaf : callee->payload) {
                const Leaf* same = findLeaf(kept.leaves, leaf);
                // One variable serves both, with no copies of members.
                if (same && callee->inPlace && (same->path != leaf.path || same->isWidened != leaf.isWidened))
                    return Diagnostic{"fuse", "payload", "the producer has another structure"};
                if (!same) {
                    return Diagnostic{"fuse", "payload",
                                      "the producer has no member of " + std::to_string(leaf.bits) +
                                          " bits at offset " + std::to_string(leaf.offsetBytes)};
                }
            }
            callees.push_back(std::move(*callee));
        }
        return callees;
    }

    static Result<NodeShader> shaderOf(const FusedConsumer& consumer)
    {
        auto shader = getPrepared(consumer.prepared, consumer.words, consumer.options);
        if (!shader)
            return shader.error();
        return NodeShader(**shader);
    }

    // The new entry point: the producer, then what its payloads ask for.
    Status writeEntry(std::span<const FusedOutput> outputs, const std::vector<std::vector<Callee>>& callees)
    {
        allowAddresses(m_module);
        std::vector<std::vector<Linked>> functions;
        for (const std::vector<Callee>& ofOutput : callees) {
            functions.emplace_back();
            for (const Callee& callee : ofOutput)
                if (const Status status = link(callee, m_kept.all()[functions.size() - 1], functions.back()); !status)
                    return status;
        }
        if (m_kept.inWorkgroup() && shader::sharedBytesOf(m_module) > kMaxSharedBytes) {
            return Diagnostic{"fuse", "workgroup memory",
                              "producer and consumers have " + std::to_string(shader::sharedBytesOf(m_module)) +
                                  " bytes, more than " + std::to_string(kMaxSharedBytes)};
        }
        shader::FunctionWriter writer(m_module);
        writer.beginBlock();
        for (const KeptOutput& kept : m_kept.all())
            writer.out().emitVoid(spv::Op::OpStore, {kept.count, m_module.getConstant(0)});
        if (m_descent) {
            descend(writer, functions[0]);
        } else {
            writer.out().call(m_shader.entry, m_module.getVoidType(), {});
            if (m_kept.inWorkgroup())
                addBarrier(writer, m_shader);
            for (size_t k = 0; k < outputs.size(); ++k)
                run(writer, m_kept.all()[k], outputs[k].consumers, functions[k]);
        }
        if (m_failure)
            return m_failure.status();
        replaceEntry(m_shader, writer.finish());
        return {};
    }

    Status link(const Callee& callee, const KeptOutput& kept, std::vector<Linked>& functions)
    {
        functions.push_back({declare(callee), &callee});
        if (callee.inPlace)
            announce(m_module, kept.payloads, kKeptPayloadsName, spv::LinkageType::Export);
        const Status status = callee.library.linkInto(m_module);
        if (callee.inPlace) {
            m_module.removeDecorations([&](const Instruction& i) { return isLinkage(i) && i.id(0) == kept.payloads; });
            m_module.removeCapability(spv::Capability::Linkage);
        }
        return status;
    }

    static bool isLinkage(const Instruction& i)
    {
        return i.op == spv::Op::OpDecorate && i.operandCount() > 1 &&
               i.literal(1) == static_cast<uint32_t>(spv::Decoration::LinkageAttributes);
    }

    Id declare(const Callee& callee)
    {
        const bool byWorkgroup = callee.groups > 0;
        const size_t numbers = size_t{1} + callee.inPlace + byWorkgroup;
        std::vector<Id> types(numbers, m_module.getIntType(32, false));
        const auto add = [&](const std::vector<Leaf>& leaves) {
            for (const Leaf& leaf : leaves)
                types.push_back(leafTypeInCalls(m_module, leaf));
        };
        if (!callee.inPlace)
            add(callee.payload);
        add(callee.pushConstants);
        const Id voidType = m_module.getVoidType();
        const Id declared = m_module.newId();
        spirv::Function function;
        function.definition = spirv::instruction(spv::Op::OpFunction, voidType, declared)
                                  .add(static_cast<uint32_t>(spv::FunctionControlMask::MaskNone))
                                  .add(m_module.getFunctionType(voidType, types));
        for (const Id type : types)
            function.parameters.push_back(spirv::instruction(spv::Op::OpFunctionParameter, type, m_module.newId()));
        m_module.functions.push_back(std::move(function));
        announce(m_module, declared, kCalleeName, spv::LinkageType::Import);
        return declared;
    }

    // The way down, then consumer(payload);
    void descend(shader::FunctionWriter& writer, const std::vector<Linked>& functions)
    {
        const KeptOutput& kept = m_kept.all().front();
        m_descent->write(writer, kept);
        const Id index = writer.out().emit(spv::Op::OpLoad, m_module.getIntType(32, false), {kept.index});
        const HeldInput& item = m_descent->item();
        callWith(writer, functions.front(), index, item.leaves, item.variable, {});
    }

    // for (i = 0; i < count; ++i) consumer(payloads[i]);
    void run(shader::FunctionWriter& writer, const KeptOutput& kept, std::span<const FusedConsumer> consumers,
             const std::vector<Linked>& functions)
    {
        if (functions.empty())
            return;
        const Id uintType = m_module.getIntType(32, false);
        const Id zero = m_module.getConstant(0);
        if (kept.indices) {
            const Id all =
                kept.taken ? countTaken(writer, kept) : writer.out().emit(spv::Op::OpLoad, uintType, {kept.count});
            writer.forEach(all, [&](Id i) { choose(writer, kept, consumers, functions, indexOf(writer, kept, i), i); });
            return;
        }
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

    // The node index of a payload.
    Id indexOf(shader::FunctionWriter& writer, const KeptOutput& kept, Id payload)
    {
        const Id uintType = m_module.getIntType(32, false);
        Emitter out = writer.out();
        const Id pointer = m_module.getPointerType(kept.byWorkgroup ? kWorkgroup : kPrivate, uintType);
        const Id index = out.emit(spv::Op::OpAccessChain, pointer, {kept.indices, payload});
        return kept.byWorkgroup ? m_memory.loadShared(out, uintType, index)
                                : out.emit(spv::Op::OpLoad, uintType, {index});
    }

    // Payloads that invocations of the workgroup have taken.
    Id countTaken(shader::FunctionWriter& writer, const KeptOutput& kept)
    {
        const Id uintType = m_module.getIntType(32, false);
        Emitter out = writer.out();
        const Id most = m_module.getConstant(kept.most);
        const Id taken = m_memory.loadShared(out, uintType, kept.taken);
        const Id isLess = out.emit(spv::Op::OpULessThan, m_module.getBoolType(), {taken, most});
        return out.emit(spv::Op::OpSelect, uintType, {isLess, taken, most});
    }

    // The consumer of the node index.
    void choose(shader::FunctionWriter& writer, const KeptOutput& kept, std::span<const FusedConsumer> consumers,
                const std::vector<Linked>& functions, Id index, Id payload)
    {
        for (size_t f = 0; f < functions.size(); ++f) {
            const Id isThis = isAmong(writer, index, consumers[f].indices);
            const Id join = m_module.newId();
            writer.beginIf(isThis, join);
            if (kept.byWorkgroup)
                runGroups(writer, kept, functions[f], index, payload);
            else
                callWith(writer, functions[f], index, kept.leaves, kept.payloads, {{payload}});
            writer.endIf(join);
        }
    }

    Id isAmong(shader::FunctionWriter& writer, Id index, const std::vector<uint32_t>& indices)
    {
        const Id boolType = m_module.getBoolType();
        Id among = m_module.getConstantBool(false);
        for (size_t first = 0, end = 0; first < indices.size(); first = end) {
            for (end = first + 1; end < indices.size() && indices[end] == indices[end - 1] + 1;)
                ++end;
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

    // All workgroups of the consumer's grid.
    void runGroups(shader::FunctionWriter& writer, const KeptOutput& kept, const Linked& linked, Id index, Id payload)
    {
        const auto run = [&](Id group) {
            std::vector<Id> arguments{index};
            if (linked.callee->inPlace)
                arguments.push_back(payload);
            arguments.push_back(group);
            call(writer, linked, std::move(arguments));
            if (linked.callee->sharesMemory && (kept.most > 1 || linked.callee->groups > 1))
                addBarrier(writer, m_shader);
        };
        if (linked.callee->groups == 1)
            run(m_module.getConstant(0));
        else
            writer.forEach(m_module.getConstant(linked.callee->groups), run);
    }

    // For a payload in a Private variable, or in one place of it.
    void callWith(shader::FunctionWriter& writer, const Linked& linked, Id index, std::span<const Leaf> leaves,
                  Id variable, std::span<const Id> place)
    {
        Emitter out = writer.out();
        std::vector<Id> arguments{index};
        if (linked.callee->inPlace) {
            arguments.insert(arguments.end(), place.begin(), place.end());
            call(writer, linked, std::move(arguments));
            return;
        }
        for (const Leaf& leaf : linked.callee->payload) {
            const Leaf& own = *findLeaf(leaves, leaf);
            arguments.push_back(passLeaf(out, own, leaf, loadLeaf(out, own, variable, kPrivate, place)));
        }
        call(writer, linked, std::move(arguments));
    }

    void call(shader::FunctionWriter& writer, const Linked& linked, std::vector<Id> arguments)
    {
        Emitter out = writer.out();
        for (const Leaf& leaf : linked.callee->pushConstants)
            arguments.push_back(pushConstant(out, leaf));
        Instruction call = spirv::instruction(spv::Op::OpFunctionCall, m_module.getVoidType(), m_module.newId());
        call.add(linked.function);
        for (const Id argument : arguments)
            call.add(argument);
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
        return passLeaf(out, *same, leaf, loadLeaf(out, *same, block, spv::StorageClass::PushConstant));
    }

    NodeShader& m_shader;
    Module& m_module;
    PlainMemory m_memory{m_module};
    shader::Failure m_failure{"fuse"};
    bool m_hasPushConstants;  // of its own, or of the first consumer that has some
    KeptOutputs m_kept{m_shader, m_memory, m_failure};
    std::optional<Descent> m_descent;
};

}  // namespace

Result<spirv::Words> fuse(std::span<const uint32_t> words, const Options& options, std::span<const FusedOutput> outputs)
{
    auto shader = prepareAgain(words, options);
    if (!shader)
        return shader.error();
    if (const Status status = Fuser(**shader).run(outputs); !status)
        return status.error();
    return spirv::write((*shader)->module);
}

Result<spirv::Module> fuse(const NodeShader& producer, std::span<const FusedOutput> outputs)
{
    NodeShader shader = producer;
    if (const Status status = Fuser(shader).run(outputs); !status)
        return status.error();
    return std::move(shader.module);
}

}  // namespace millrace::nodes
