// SPDX-License-Identifier: Apache-2.0
#include "nodes/fusion/depth_first.h"

#include <algorithm>
#include <bit>

#include "abi/graph_memory.h"
#include "nodes/fusion/entry.h"
#include "nodes/fusion/held_input.h"
#include "nodes/fusion/kept_outputs.h"
#include "nodes/prepare.h"
#include "shader/function_writer.h"
#include "shader/globals.h"

namespace millrace::nodes {

using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;

namespace {

// Of an invocation. It is in memory, of which a GPU has some for each invocation that runs, and caches hold the top.
constexpr uint64_t kMaxKeptBytes = 4096;
constexpr uint32_t kQueuePayloads = 32;  // at least, of those that one runs breadth first
constexpr uint32_t kLevelBits = 64;      // device/depth_first.glsl, g_open
// Payloads are left to others so often, one time less: from one input on, each time makes nearly as many invocations
// busy as there are places in a queue. A slot with nothing to do takes an H200 3.5 us.
constexpr uint32_t kMostSlots = 6;
static_assert(kMostSlots <= abi::kLeavingStep);
constexpr auto kPrivate = spv::StorageClass::Private;
constexpr auto kPayload = spv::StorageClass::NodePayloadAMDX;

// As in device/depth_first.glsl.
constexpr uint32_t kInputNext = 1, kKeptNext = 2;

class Maker {
public:
    Maker(NodeShader& shader, const RecursiveNode& node) : m_shader(shader), m_module(shader.module), m_node(node) {}

    Status run(uint32_t output)
    {
        if (!checkCode(output) ||
            !m_outputs.add(output, KeptOutputs::Keeper::Invocation, {kMaxKeptBytes, kMaxKeptBytes}) || !chooseSizes())
            return m_failure.status();
        const auto input = holdInput(m_shader, m_memory, m_failure);
        if (!input || !m_outputs.lower() || !holdRemaining(m_shader, m_remaining, m_failure) ||
            !m_memory.finish(m_failure))
            return m_failure.status();
        m_item = *input;
        if (!checkLayouts())
            return m_failure.status();
        setLimits();
        m_sizes.shares = mayShare();
        writeEntry();
        return {};
    }

    const DepthFirst& sizes() const { return m_sizes; }

private:
    bool checkCode(uint32_t output)
    {
        if (m_shader.node.declared.outputs.size() != 1) {
            return m_failure.at(m_shader.node.declared.outputs[output == 0 ? 1 : 0].targetName,
                                "it sends to other nodes as well");
        }
        for (const spirv::Function& function : m_module.functions) {
            for (const spirv::Block& block : function.blocks) {
                for (const Instruction& i : block.body) {
                    if (i.op == spv::Op::OpControlBarrier || i.op == spv::Op::OpMemoryBarrier)
                        return m_failure.at(m_module, i, "orders memory, and levels are not one behind the other");
                    if (i.op == spv::Op::OpIsNodePayloadValidAMDX)
                        return m_failure.at(m_module, i, "asks whether it may send to itself");
                }
            }
        }
        return true;
    }

    bool chooseSizes()
    {
        const KeptOutput& kept = m_outputs.all()[0];
        const uint32_t most = std::max(kept.most, 1u);
        auto levelBits = static_cast<uint32_t>(std::bit_width(most));
        // A division by it becomes a shift.
        if (m_node.maxRecursion <= kLevelBits / std::bit_ceil(levelBits))
            levelBits = std::bit_ceil(levelBits);
        m_sizes = {m_node.maxRecursion, most, std::max(kQueuePayloads, 2 * most), levelBits};
        if (m_node.maxRecursion > kLevelBits / levelBits) {
            return m_failure.at("recursion", std::to_string(m_node.maxRecursion) + " levels of up to " +
                                                 std::to_string(most) + " payloads each are too many to count");
        }
        // Each level that is open has what is left of one allocation, but for the payload that comes next; the last one
        // writes behind what it may not send.
        const uint64_t places = m_sizes.queuePayloads + 1 + uint64_t{most} * (m_node.maxRecursion + 1) + 1;
        const uint64_t bytes = places * std::max(m_shader.node.declared.outputs[kept.output].payloadBytes, 4u);
        if (bytes > kMaxKeptBytes) {
            return m_failure.at("size", "an invocation would keep " + std::to_string(places) +
                                            " payloads, of more than " + std::to_string(kMaxKeptBytes) + " bytes");
        }
        const Id pointer = m_module.getPointerType(kPrivate, m_uint);
        m_placeOfFirst = m_module.createVariable(pointer, kPrivate);
        m_place = m_module.createVariable(pointer, kPrivate);
        m_remaining = m_module.createVariable(pointer, kPrivate);
        m_module.setName(m_placeOfFirst, "place_of_first");
        m_module.setName(m_place, "place");
        m_module.setName(m_remaining, "remaining_recursion");
        m_outputs.makeStack(static_cast<uint32_t>(places), m_placeOfFirst, m_place);
        return true;
    }

    bool checkLayouts()
    {
        for (const Leaf& leaf : m_item.leaves) {
            if (!findLeaf(kept().leaves, leaf)) {
                return m_failure.at("payload", "it sends no member of " + std::to_string(leaf.bits) +
                                                   " bits at offset " + std::to_string(leaf.offsetBytes));
            }
        }
        return true;
    }

    // What others see of the node: slots are for payloads that were left, of any level.
    void setLimits()
    {
        for (Instruction& mode : m_module.section(spirv::Section::ExecutionModes))
            if (static_cast<spv::ExecutionMode>(mode.literal(1)) == spv::ExecutionMode::MaxNodeRecursionAMDX)
                mode.setId(2, m_module.getConstant(std::min(m_node.maxRecursion, kMostSlots - 1)));
        setBudget(m_module, kept().array, m_sizes.queuePayloads);
    }

    const KeptOutput& kept() const { return m_outputs.all()[0]; }

    Id load(Id variable) { return m_writer.out().emit(spv::Op::OpLoad, m_uint, {variable}); }
    void store(Id variable, Id value) { m_writer.out().emitVoid(spv::Op::OpStore, {variable, value}); }
    Id constant(uint32_t value) { return m_module.getConstant(value); }
    Id compare(spv::Op op, Id a, Id b) { return m_writer.out().emit(op, m_module.getBoolType(), {a, b}); }
    Id ask(DeviceFunction function, std::initializer_list<Id> arguments = {})
    {
        Emitter out = m_writer.out();
        return m_shader.device.call(out, function, arguments);
    }

    // while (mr_stays(next = mr_next_depth_first())) {
    //     take one of a neighbour's, if there is nothing next and neighbours share;
    //     if (next is to leave payloads) leave all;
    //     if (there is one) take it, do { run the node; } while (mr_keep(count) && take another);
    // }
    void writeEntry()
    {
        m_starts = takeInitializers(m_module, spv::StorageClass::Private);
        m_writer.beginBlock();
        const Id header = m_module.newId(), check = m_module.newId(), body = m_module.newId();
        const Id next = m_module.newId(), after = m_module.newId();
        m_writer.branch(header);
        m_writer.beginBlock(header);
        m_writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
        m_writer.branch(check);
        m_writer.beginBlock(check);
        const Id what = ask(DeviceFunction::NextDepthFirst);
        m_writer.out().emitVoid(spv::Op::OpBranchConditional, {ask(DeviceFunction::Stays, {what}), body, after});
        m_writer.beginBlock(body);
        const Id left = m_module.newId(), ran = m_module.newId();
        if (m_sizes.shares)
            share(what);
        m_writer.beginIf(ask(DeviceFunction::LeavesNow, {what}), left);
        leaveAll();
        m_writer.endIf(left);
        m_writer.beginIf(ask(DeviceFunction::HasPayload, {what}), ran);
        takeInput(what);
        takeKept(what);
        runAll();
        m_writer.endIf(ran);
        m_writer.branch(next);
        m_writer.beginBlock(next);
        m_writer.branch(header);
        m_writer.beginBlock(after);
        const Id created = m_writer.finish();
        m_shader.device.declare(m_module);
        replaceEntry(m_shader, created);
    }

    // Payloads of those that keep more than one go to those that have nothing.
    void share(Id what)
    {
        const Id shared = m_module.newId(), taken = m_module.newId();
        m_writer.beginIf(ask(DeviceFunction::Shares, {what}), shared);
        const Id place = ask(DeviceFunction::PlaceToGive);
        std::vector<Id> values;
        for (const Leaf& leaf : m_item.leaves) {
            Emitter out = m_writer.out();
            const Id value = loadLeaf(out, *findLeaf(kept().leaves, leaf), kept().payloads, kPrivate, {{place}});
            values.push_back(ofGiver(leafTypeInCalls(m_module, leaf), value));
        }
        m_writer.beginIf(ask(DeviceFunction::TakesGiven), taken);
        Emitter out = m_writer.out();
        for (size_t i = 0; i < values.size(); ++i)
            storeLeaf(out, m_item.leaves[i], m_item.variable, kPrivate, values[i]);
        m_writer.endIf(taken);
        m_writer.endIf(shared);
    }

    Id ofGiver(Id type, Id value)
    {
        if (type == m_uint)
            return ask(DeviceFunction::OfGiver, {value});
        if (type == m_module.getIntType(64, false))
            return ask(DeviceFunction::OfGiverLong, {value});
        const Id bits = ask(DeviceFunction::OfGiver, {m_writer.out().emit(spv::Op::OpBitcast, m_uint, {value})});
        return m_writer.out().emit(spv::Op::OpBitcast, type, {bits});
    }

    // Numbers of less than 32 bits would have to become longer first.
    bool mayShare() const
    {
        return m_node.options.target.subgroupOperations >= abi::kSubgroupShuffle &&
               std::ranges::all_of(m_item.leaves, [](const Leaf& leaf) { return leaf.isWidened || leaf.bits >= 32; });
    }

    void takeInput(Id what)
    {
        const Id join = m_module.newId();
        m_writer.beginIf(compare(spv::Op::OpIEqual, what, constant(kInputNext)), join);
        const std::vector<Id> first(m_item.isArray ? 1 : 0, constant(0));
        Emitter out = m_writer.out();
        for (const Leaf& leaf : m_item.leaves)
            storeLeaf(out, leaf, m_item.variable, kPrivate, loadLeaf(out, leaf, m_shader.input, kPayload, first));
        m_writer.endIf(join);
    }

    void takeKept(Id what)
    {
        const Id join = m_module.newId();
        m_writer.beginIf(compare(spv::Op::OpIEqual, what, constant(kKeptNext)), join);
        take();
        m_writer.endIf(join);
    }

    void take()
    {
        const Id place = ask(DeviceFunction::TakeKept);
        Emitter out = m_writer.out();
        for (const Leaf& leaf : m_item.leaves) {
            const Id value = loadLeaf(out, *findLeaf(kept().leaves, leaf), kept().payloads, kPrivate, {{place}});
            storeLeaf(out, leaf, m_item.variable, kPrivate, value);
        }
    }

    // There may be no memory for them: then none are left.
    void leaveAll()
    {
        const uint32_t index = m_node.id.index - m_shader.node.declared.outputs[kept().output].baseIndex;
        const Id wanted = ask(DeviceFunction::KeptCount);
        const Id handle = m_writer.out().emit(spv::Op::OpAllocateNodePayloadsAMDX, kept().allocation,
                                              {kept().scope, wanted, constant(index)});
        const Id count = m_writer.out().emit(spv::Op::OpNodePayloadArrayLengthAMDX, m_uint, {handle});
        m_writer.forEach(count, [&](Id i) {
            const Id place = ask(DeviceFunction::TakeToLeave, {i});
            Emitter out = m_writer.out();
            for (const Leaf& leaf : kept().leaves) {
                const Id value = loadLeaf(out, leaf, kept().payloads, kPrivate, {{place}});
                storeLeaf(out, leaf, handle, kPayload, value, {{i}});
            }
        });
        m_writer.out().emitVoid(spv::Op::OpEnqueueNodePayloadsAMDX, {handle});
    }

    // The payload in hand, and what is kept for as long as it may be.
    void runAll()
    {
        const Id header = m_module.newId(), body = m_module.newId(), next = m_module.newId(), after = m_module.newId();
        const Id again = m_module.newId();
        m_writer.branch(header);
        m_writer.beginBlock(header);
        m_writer.out().keep(spirv::instruction(spv::Op::OpLoopMerge).add(after).add(next).add(0u));
        m_writer.branch(body);
        m_writer.beginBlock(body);
        for (const auto& [variable, value] : m_starts)
            store(variable, value);
        store(kept().count, constant(0));
        store(m_placeOfFirst, ask(DeviceFunction::PlaceOfFirst));
        store(m_place, ask(DeviceFunction::PlaceToKeep));
        store(m_remaining, ask(DeviceFunction::RemainingRecursion));
        m_writer.out().call(m_shader.entry, m_module.getVoidType(), {});
        const Id isKept = ask(DeviceFunction::Keep, {sentToItself()});
        m_writer.out().emitVoid(spv::Op::OpBranchConditional, {isKept, again, after});
        m_writer.beginBlock(again);
        take();
        m_writer.branch(next);
        m_writer.beginBlock(next);
        m_writer.branch(header);
        m_writer.beginBlock(after);
    }

    Id sentToItself()
    {
        const Id count = load(kept().count);
        const Id isOwn = compare(spv::Op::OpIEqual, load(kept().index), constant(m_node.id.index));
        return m_writer.out().emit(spv::Op::OpSelect, m_uint, {isOwn, count, constant(0)});
    }

    NodeShader& m_shader;
    Module& m_module;
    const RecursiveNode& m_node;
    PlainMemory m_memory{m_module};
    shader::Failure m_failure{"fuse"};
    KeptOutputs m_outputs{m_shader, m_memory, m_failure};
    shader::FunctionWriter m_writer{m_module};
    DepthFirst m_sizes;
    const Id m_uint = m_module.getIntType(32, false);
    // Variables: where what the node sends goes among what is kept, the first of it and the others,
    Id m_placeOfFirst;
    Id m_place;
    Id m_remaining;  // and the levels behind the payload in hand
    HeldInput m_item;
    std::vector<std::pair<Id, Id>> m_starts;  // variables and the values that they have when the node begins
};

}  // namespace

Result<DepthFirstNode> makeDepthFirst(const RecursiveNode& node, uint32_t output)
{
    const auto prepared = getPrepared(node.prepared, node.words, node.options);
    if (!prepared)
        return prepared.error();
    NodeShader shader = **prepared;
    Maker maker(shader, node);
    if (const Status status = maker.run(output); !status)
        return status.error();
    return DepthFirstNode{spirv::write(shader.module), maker.sizes()};
}

}  // namespace millrace::nodes
