// SPDX-License-Identifier: Apache-2.0
#include "spirv/call_expansion.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "spirv/function_structure.h"
#include "spirv/inlined_debug.h"

namespace millrace::spirv {

namespace {

bool isReturn(spv::Op op)
{
    return op == spv::Op::OpReturn || op == spv::Op::OpReturnValue;
}

// Where nobody ever comes the caller's code may as well go on.
bool isEnd(spv::Op op)
{
    return isReturn(op) || op == spv::Op::OpUnreachable;
}

// Once, in its last block, or never.
bool endsOnce(const Function& function)
{
    size_t ends = 0;
    for (const Block& block : function.blocks) {
        const spv::Op op = block.body.back().op;
        ends += isEnd(op) || op == spv::Op::OpKill ? 1 : 0;
    }
    return ends == 1 && isEnd(function.blocks.back().body.back().op);
}

// At the end of a block, with nothing but lines and the like between it and the branch.
const Instruction* findLoopMerge(const Block& block)
{
    for (auto i = block.body.rbegin() + 1; i < block.body.rend(); ++i) {
        if (i->op == spv::Op::OpLoopMerge)
            return &*i;
        if (i->op != spv::Op::OpLine && i->op != spv::Op::OpNoLine && i->op != spv::Op::OpExtInst)
            return nullptr;
    }
    return nullptr;
}

// One run of a function's code through the copier: the entry point's, or that of one call.
struct Frame {
    const Function* function = nullptr;
    size_t block = 0;
    size_t next = 0;  // instruction of the block
    // Of what the function defines, in the result. Nothing for the entry point's, which keeps its ids.
    std::unordered_map<uint32_t, uint32_t> ids;
    // Where control leaves a block of the function, if that is not where it enters: calls cut blocks in two.
    std::unordered_map<uint32_t, Id> ends;
    std::vector<std::pair<size_t, size_t>> phis;  // block and instruction of the result
    const Instruction* call = nullptr;            // in the frame below
    // Where the code of a call goes on that returns early, and the ids and blocks that it returns from there.
    Id join;
    std::vector<std::pair<Id, Id>> returns;
    InlinedScope scope;
    // The loop whose header is the block that is being copied, and has been cut.
    struct Loop {
        const Instruction* merge;  // has been copied
        bool isOneBlock;
        Id continues;
    };
    std::optional<Loop> loop;
};

class Expander {
public:
    Expander(Module& module, Function& entry) : m_module(module), m_entry(entry), m_debug(module), m_owner(module.bound)
    {
        for (const Function& function : module.functions) {
            m_functions[function.id().value] = &function;
            rememberOwner(function);
        }
        rememberAnnotations();
        findKept();
        m_isLong = findLong();
    }

    void run()
    {
        push(m_entry, nullptr);
        while (!m_frames.empty())
            step();
        finish();
    }

private:
    static constexpr uint32_t kNobody = 0;

    void rememberOwner(const Function& function)
    {
        const auto own = [&](Id id) {
            if (id)
                m_owner[id.value] = function.id().value;
        };
        for (const Instruction& parameter : function.parameters)
            own(parameter.result);
        for (const Block& block : function.blocks) {
            own(block.label);
            for (const Instruction& i : block.body)
                own(i.result);
        }
    }

    void rememberAnnotations()
    {
        for (const Section section : {Section::DebugNames, Section::Annotations}) {
            for (const Instruction& i : m_module.section(section))
                if (i.isId(0) && m_owner[i.id(0).value] != kNobody)
                    m_annotations[i.id(0).value].push_back({section, &i});
        }
    }

    // Functions of which calls stay.
    void findKept()
    {
        std::vector<uint32_t> blockOf(m_module.bound);
        for (const Function& function : m_module.functions)
            if (!endsOnce(function) && !canExpand(function, blockOf))
                m_kept.insert(function.id().value);
    }

    bool isExpanded(const Instruction& i) const
    {
        return i.op == spv::Op::OpFunctionCall && !m_kept.contains(i.id(0).value);
    }

    // Functions that have more than one block once their calls are expanded. Callees first, without recursion.
    std::unordered_map<uint32_t, bool> findLong() const
    {
        std::unordered_map<uint32_t, bool> isLong;
        std::vector<std::pair<uint32_t, bool>> open{{m_entry.id().value, false}};
        while (!open.empty()) {
            const auto [function, isReady] = open.back();
            open.pop_back();
            if (!isReady && isLong.contains(function))
                continue;
            isLong.emplace(function, false);
            if (!isReady)
                open.emplace_back(function, true);
            const Function& code = *m_functions.at(function);
            bool any = code.blocks.size() > 1;
            for (const Block& block : code.blocks) {
                for (const Instruction& i : block.body)
                    if (isExpanded(i) && isReady)
                        any |= isLong.at(i.id(0).value);
                    else if (isExpanded(i))
                        open.emplace_back(i.id(0).value, false);
            }
            isLong[function] = any;
        }
        return isLong;
    }

    void push(const Function& function, const Instruction* call)
    {
        auto frame = std::make_unique<Frame>();
        frame->function = &function;
        frame->call = call;
        if (call) {
            Frame& caller = *m_frames.back();
            for (size_t p = 0; p < function.parameters.size(); ++p)
                frame->ids[function.parameters[p].result.value] = mapped(caller, call->id(1 + p)).value;
            frame->scope = m_debug.enter(caller.scope);
            // The callee's code begins where the caller's is.
            if (!endsOnce(function))
                beginSwitch(*frame);
            frame->ids[function.blocks[0].label.value] = m_blocks.back().label.value;
        } else {
            beginBlock(function.blocks[0].label);
        }
        m_frames.push_back(std::move(frame));
    }

    void beginSwitch(Frame& frame)
    {
        frame.join = m_module.newId();
        const Id code = m_module.newId();
        append(instruction(spv::Op::OpSelectionMerge).add(frame.join).add(0u));
        append(instruction(spv::Op::OpSwitch).add(m_module.getConstant(0)).add(code));
        beginBlock(code);
    }

    void beginBlock(Id label) { m_blocks.push_back({label, {}, {}}); }
    void append(Instruction i) { m_blocks.back().body.push_back(std::move(i)); }

    bool isVoid(Id type) const { return m_module.findDefinition(type)->op == spv::Op::OpTypeVoid; }
    bool isEntry(const Frame& frame) const { return frame.call == nullptr; }

    Id mapped(Frame& frame, Id id)
    {
        if (isEntry(frame) || m_owner.size() <= id.value || m_owner[id.value] != frame.function->id().value)
            return id;
        uint32_t& own = frame.ids[id.value];
        if (own == 0)
            own = m_module.newId().value;
        return Id{own};
    }

    // The instruction as it is in this frame, with what is said of its result.
    Instruction copied(Frame& frame, const Instruction& i)
    {
        Instruction copy = i;
        if (isEntry(frame))
            return copy;
        copy.forEachUse([&](Id& id) { id = mapped(frame, id); });
        copy.result = mapped(frame, i.result);
        const auto about = m_annotations.find(i.result.value);
        if (i.result && about != m_annotations.end()) {
            for (const auto& [section, annotation] : about->second) {
                Instruction own = *annotation;
                own.forEachUse([&](Id& id) { id = mapped(frame, id); });
                m_newAnnotations.emplace_back(section, std::move(own));
            }
        }
        return copy;
    }

    void step()
    {
        Frame& frame = *m_frames.back();
        const Block& block = frame.function->blocks[frame.block];
        const Instruction& i = block.body[frame.next++];
        if (isExpanded(i))
            return call(frame, block, i);
        const bool isLast = frame.next == block.body.size();
        if (isLast && frame.join && isEnd(i.op))
            return leaveSwitch(frame, block, i);
        if (isLast && !isEntry(frame) && !frame.join && isEnd(i.op))
            return leave(frame, i);
        const std::optional<Instruction> wanted = m_debug.copied(frame.scope, i);
        if (i.op == spv::Op::OpVariable && !isEntry(frame)) {
            declareVariable(frame, i);
        } else if (i.op == spv::Op::OpPhi) {
            frame.phis.emplace_back(m_blocks.size() - 1, m_blocks.back().body.size());
            append(copied(frame, i));
        } else if (wanted && (!frame.loop || frame.loop->merge != &i)) {
            append(copied(frame, *wanted));
        }
        if (isLast)
            nextBlock(frame, block);
    }

    void nextBlock(Frame& frame, const Block& block)
    {
        endBlock(frame, block);
        if (++frame.block == frame.function->blocks.size())
            return endFunction(frame);
        const Block& next = frame.function->blocks[frame.block];
        frame.next = 0;
        m_debug.beginBlock(frame.scope);
        beginBlock(mapped(frame, next.label));
        for (const Instruction& i : next.before)
            m_blocks.back().before.push_back(copied(frame, i));
    }

    // Of the entry point, or of one that returns early.
    void endFunction(Frame& frame)
    {
        settlePhis(frame);
        if (isEntry(frame)) {
            m_frames.pop_back();
            return;
        }
        beginBlock(frame.join);
        const std::vector<std::pair<Id, Id>> returns = std::move(frame.returns);
        const Instruction& call = *frame.call;
        m_frames.pop_back();
        Frame& caller = *m_frames.back();
        if (!isVoid(call.type)) {
            const auto op = returns.empty() ? spv::Op::OpUndef : spv::Op::OpPhi;
            Instruction result = copied(caller, instruction(op, call.type, call.result));
            for (const auto& [value, block] : returns)
                result.add(value).add(block);
            append(std::move(result));
        }
        resume(caller);
    }

    // Notes where the block ends now. A loop of one block whose code was cut gets a block that continues it.
    void endBlock(Frame& frame, const Block& block)
    {
        if (frame.loop && frame.loop->isOneBlock) {
            InstructionList& body = m_blocks.back().body;
            Instruction branch = std::move(body.back());
            body.back() = instruction(spv::Op::OpBranch).add(frame.loop->continues);
            beginBlock(frame.loop->continues);
            append(std::move(branch));
        }
        frame.loop.reset();
        if (m_blocks.back().label != mapped(frame, block.label))
            frame.ends[block.label.value] = m_blocks.back().label;
    }

    void call(Frame& frame, const Block& block, const Instruction& i)
    {
        const Function& callee = *m_functions.at(i.id(0).value);
        if (m_isLong.at(i.id(0).value))
            leaveHeader(frame, block);
        push(callee, &i);
    }

    // The header of a loop stays a block that only branches into it: what a call puts behind it is of the loop.
    void leaveHeader(Frame& frame, const Block& block)
    {
        const Instruction* merge = frame.loop ? nullptr : findLoopMerge(block);
        if (!merge)
            return;
        Instruction own = copied(frame, *merge);
        frame.loop = {merge, own.id(1) == mapped(frame, block.label), m_module.newId()};
        if (frame.loop->isOneBlock)
            own.setId(1, frame.loop->continues);
        append(std::move(own));
        const Id code = m_module.newId();
        append(instruction(spv::Op::OpBranch).add(code));
        beginBlock(code);
    }

    void leaveSwitch(Frame& frame, const Block& block, const Instruction& last)
    {
        Id value = last.op == spv::Op::OpReturnValue ? mapped(frame, last.id(0)) : Id{};
        if (last.op == spv::Op::OpUnreachable && !isVoid(frame.call->type)) {
            value = m_module.newId();
            append(instruction(spv::Op::OpUndef, frame.call->type, value));
        }
        frame.returns.emplace_back(value, m_blocks.back().label);
        append(instruction(spv::Op::OpBranch).add(frame.join));
        nextBlock(frame, block);
    }

    void leave(Frame& frame, const Instruction& last)
    {
        endBlock(frame, frame.function->blocks.back());
        settlePhis(frame);
        giveResult(frame, last);
    }

    // Values come from where control leaves the blocks that phis name.
    void settlePhis(Frame& frame)
    {
        std::unordered_map<uint32_t, Id> ends;
        for (const auto& [label, end] : frame.ends)
            ends[mapped(frame, Id{label}).value] = end;
        for (const auto& [block, index] : frame.phis) {
            Instruction& phi = m_blocks[block].body[index];
            for (size_t o = 1; o < phi.operandCount(); o += 2)
                if (const auto end = ends.find(phi.id(o).value); end != ends.end())
                    phi.setId(o, end->second);
        }
    }

    void giveResult(Frame& frame, const Instruction& last)
    {
        const Instruction& call = *frame.call;
        std::optional<Id> value;
        if (last.op == spv::Op::OpReturnValue)
            value = mapped(frame, last.id(0));
        m_frames.pop_back();
        Frame& caller = *m_frames.back();
        const Id result = mapped(caller, call.result);
        if (!isVoid(call.type) && !value)
            append(instruction(spv::Op::OpUndef, call.type, result));
        else if (!isVoid(call.type))
            append(copied(caller, instruction(spv::Op::OpCopyObject, call.type, call.result)).add(*value));
        resume(caller);
    }

    void resume(Frame& caller)
    {
        m_debug.resume(caller.scope, [&](const Instruction& i) {
            append(copied(caller, i));
            if (i.result)
                m_blocks.back().body.back().result = m_module.newId();
        });
    }

    // All variables of a function are declared in its first block; one with a value gets that at each call.
    void declareVariable(Frame& frame, const Instruction& i)
    {
        Instruction own = copied(frame, i);
        if (own.operandCount() > 1) {
            append(instruction(spv::Op::OpStore).add(own.result).add(own.id(1)));
            own = instruction(own.op, own.type, own.result).add(own.literal(0));
        }
        m_variables.push_back(std::move(own));
    }

    void finish()
    {
        InstructionList& first = m_blocks[0].body;
        first.insert(first.begin(), m_variables.begin(), m_variables.end());
        m_entry.blocks = std::move(m_blocks);
        for (auto& [section, annotation] : m_newAnnotations)
            m_module.section(section).push_back(std::move(annotation));
    }

    Module& m_module;
    Function& m_entry;
    InlinedDebug m_debug;
    std::vector<uint32_t> m_owner;  // by id: the function that defines it
    std::unordered_map<uint32_t, const Function*> m_functions;
    std::unordered_map<uint32_t, std::vector<std::pair<Section, const Instruction*>>> m_annotations;
    std::unordered_set<uint32_t> m_kept;
    std::unordered_map<uint32_t, bool> m_isLong;
    std::vector<std::unique_ptr<Frame>> m_frames;
    std::vector<Block> m_blocks;
    InstructionList m_variables;
    std::vector<std::pair<Section, Instruction>> m_newAnnotations;
};

}  // namespace

void expandCalls(Module& module, Id entry)
{
    if (Function* function = module.findFunction(entry))
        Expander(module, *function).run();
}

bool canExpand(const Function& function, std::vector<uint32_t>& blockOf)
{
    const FunctionStructure structure(function, blockOf);
    struct Open {
        uint32_t merge;
        bool isLeft;  // by branches to its merge block from whatever is in it
    };
    std::vector<Open> open;
    size_t isIn = 0;
    for (const uint32_t b : structure.order) {
        while (std::ranges::find(open, b, &Open::merge) != open.end()) {
            isIn -= open.back().isLeft;
            open.pop_back();
        }
        const FunctionStructure::Node& node = structure.nodes[b];
        const spv::Op last = function.blocks[b].body.back().op;
        if (isReturn(last) && isIn > 0)
            return false;
        if (node.merge != kNoBlock) {
            open.push_back({node.merge, node.isLoop || last == spv::Op::OpSwitch});
            isIn += open.back().isLeft;
        }
    }
    return structure.order.size() == function.blocks.size();
}

}  // namespace millrace::spirv
