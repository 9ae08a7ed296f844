// SPDX-License-Identifier: Apache-2.0
#include "glsl/payload_code.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace millrace::glsl {

namespace {

using spirv::Block;
using spirv::Emitter;
using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

bool isAccessChain(spv::Op op)
{
    return op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain;
}

// How an output is reached in the entry point.
struct Handle {
    uint32_t allocations = 0;
    bool direct = false;  // `id` is the result of the only allocation
    Id id;                // a NodePayloadAMDX pointer, or a Function variable
    Id proxy;             // a Function variable for OpIsNodePayloadValidAMDX, whose operand must be a value
};

class CodeCompleter {
public:
    CodeCompleter(Module& module, const std::vector<Payload>& payloads)
        : m_module(module), m_payloads(payloads), m_handles(payloads.size()), m_set(placeholderSet(module))
    {
        for (size_t p = 0; p < payloads.size(); ++p) {
            m_byNumber[payloads[p].declared->number] = p;
            if (payloads[p].block)
                m_byBlock[payloads[p].block.value] = p;
        }
    }

    Result<CodeNotes> run()
    {
        if (Status status = checkBuiltIns(); !status)
            return status.error();
        chooseHandles();
        spirv::Function& function = m_module.functions.at(0);
        m_place.clear();
        spirv::rewriteFunction(m_module, function, [&](const Instruction& i, Emitter& out) { rewrite(i, out); });
        if (!m_error.empty())
            return Diagnostic{{}, {}, m_error};
        spirv::InstructionList& start = function.blocks.at(0).body;
        start.insert(start.begin(), m_variables.begin(), m_variables.end());
        removeBlocks();
        return m_notes;
    }

private:
    // Lines

    void follow(const Instruction& i)
    {
        if (i.op == spv::Op::OpLine) {
            const Instruction* file = nullptr;
            for (const Instruction& s : m_module.section(Section::DebugStrings))
                file = s.result == i.id(0) ? &s : file;
            m_place = file ? file->string(0) + ":" + std::to_string(i.literal(1)) : std::string();
        }
    }
    void fail(const std::string& reason)
    {
        if (m_error.empty())
            m_error = m_place + ": error: " + reason;
    }

    Status checkBuiltIns()
    {
        std::unordered_set<uint32_t> forbidden;
        for (const Instruction& i : m_module.section(Section::Annotations))
            if (i.op == spv::Op::OpDecorate && i.literal(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                i.literal(2) == static_cast<uint32_t>(spv::BuiltIn::NumWorkgroups))
                forbidden.insert(i.id(0).value);
        for (const Block& block : m_module.functions.at(0).blocks) {
            for (const Instruction& i : block.body) {
                follow(i);
                i.forEachUse([&](Id id) {
                    if (forbidden.contains(id.value))
                        fail("a node has no gl_NumWorkGroups");
                });
            }
        }
        return m_error.empty() ? Status() : Status(Diagnostic{{}, {}, m_error});
    }

    // Handles

    bool isPlaceholder(const Instruction& i, Placeholder what) const
    {
        return i.op == spv::Op::OpExtInst && m_set && i.id(0) == m_set && i.literal(1) == static_cast<uint32_t>(what);
    }

    // The payload that a placeholder names in its first argument; a size that is none if it names none.
    size_t named(const Instruction& i) const
    {
        uint32_t number = 0;
        const bool known = i.operandCount() > 2 && m_module.constantValue(i.id(2), number);
        const auto found = m_byNumber.find(number);
        return known && found != m_byNumber.end() ? found->second : m_payloads.size();
    }

    // The output whose memory or handle an instruction needs allocated.
    size_t neededOutput(const Instruction& i) const
    {
        if (isPlaceholder(i, Placeholder::Enqueue))
            return named(i);
        if ((isAccessChain(i.op) || i.op == spv::Op::OpArrayLength) && m_byBlock.contains(i.id(0).value)) {
            const size_t p = m_byBlock.at(i.id(0).value);
            return m_payloads[p].isInput() ? m_payloads.size() : p;
        }
        return m_payloads.size();
    }

    void chooseHandles()
    {
        const std::vector<Block>& blocks = m_module.functions.at(0).blocks;
        std::vector<size_t> allocatingBlock(m_payloads.size());
        for (size_t b = 0; b < blocks.size(); ++b) {
            for (const Instruction& i : blocks[b].body) {
                if (isPlaceholder(i, Placeholder::Allocate) && named(i) < m_payloads.size()) {
                    ++m_handles[named(i)].allocations;
                    allocatingBlock[named(i)] = b;
                }
            }
        }
        for (size_t p = 0; p < m_payloads.size(); ++p) {
            Handle& handle = m_handles[p];
            handle.direct = handle.allocations == 1 && allocationDominates(p, allocatingBlock[p]);
            if (!m_payloads[p].isInput() && handle.allocations > 0 && !handle.direct)
                handle.id = createVariable(m_payloads[p], "");
        }
    }

    // True if no use of the output can be reached without its allocation in block `allocating`.
    bool allocationDominates(size_t payload, size_t allocating) const
    {
        const std::vector<Block>& blocks = m_module.functions.at(0).blocks;
        std::unordered_map<uint32_t, size_t> byLabel;
        for (size_t b = 0; b < blocks.size(); ++b)
            byLabel[blocks[b].label.value] = b;
        std::vector<bool> seen(blocks.size());
        std::vector<size_t> pending = {0};
        while (!pending.empty()) {
            const size_t b = pending.back();
            pending.pop_back();
            if (seen[b])
                continue;
            seen[b] = true;
            for (const Instruction& i : blocks[b].body) {
                if (isPlaceholder(i, Placeholder::Allocate) && named(i) == payload)
                    break;
                if (neededOutput(i) == payload)
                    return false;
            }
            if (b != allocating) {
                blocks[b].body.back().forEachUse([&](Id id) {
                    if (byLabel.contains(id.value))
                        pending.push_back(byLabel.at(id.value));
                });
            }
        }
        return true;
    }

    Id createVariable(const Payload& payload, const std::string& suffix)
    {
        const Id type = m_module.getPointerType(spv::StorageClass::Function, payload.array);
        const Id result = m_module.newId();
        m_variables.push_back(spirv::instruction(spv::Op::OpVariable, type, result)
                                  .add(static_cast<uint32_t>(spv::StorageClass::Function)));
        m_module.setName(result, payload.declared->source->name + suffix);
        return result;
    }

    // Code

    void rewrite(const Instruction& i, Emitter& out)
    {
        follow(i);
        if (i.op == spv::Op::OpExtInst && m_set && i.id(0) == m_set) {
            rewritePlaceholder(i, out);
        } else if (isAccessChain(i.op) && m_byBlock.contains(i.id(0).value)) {
            rewriteRoot(i, out);
        } else if (isAccessChain(i.op) && m_pointers.contains(i.id(0).value)) {
            Instruction chain = i;
            chain.type = retyped(i.type, m_pointers.at(i.id(0).value));
            m_pointers[i.result.value] = m_pointers.at(i.id(0).value);
            out.keep(std::move(chain));
        } else if (i.op == spv::Op::OpArrayLength && m_byBlock.contains(i.id(0).value)) {
            rewriteLength(i, out);
        } else {
            checkUses(i);
            out.keep(i);
        }
    }

    Id retyped(Id pointerType, spv::StorageClass storage)
    {
        return m_module.getPointerType(storage, m_module.pointee(pointerType));
    }

    // The input, or what was allocated for an output; none and an error if that can never be.
    Id handleOf(size_t payload)
    {
        const Payload& p = m_payloads[payload];
        const Id handle = p.isInput() ? p.input : m_handles[payload].id;
        if (!handle)
            fail("payloads of \"" + p.declared->source->name + "\" are used but never allocated");
        return handle;
    }

    // block -> member 0 -> [payload ->] member... becomes handle -> payload -> member...
    void rewriteRoot(const Instruction& i, Emitter& out)
    {
        const size_t payload = m_byBlock.at(i.id(0).value);
        const Payload& p = m_payloads[payload];
        const Id handle = handleOf(payload);
        if (p.declared->source->isArray && i.operandCount() < 3) {
            fail("all payloads at once cannot be used as a value");
            return;
        }
        const bool direct = p.isInput() || m_handles[payload].direct;
        const spv::StorageClass storage = direct ? spv::StorageClass::NodePayloadAMDX : spv::StorageClass::Function;
        Instruction chain = spirv::instruction(i.op, retyped(i.type, storage), i.result).add(handle);
        if (!p.declared->source->isArray)
            chain.add(m_module.getConstant(0));
        for (size_t o = 2; o < i.operandCount(); ++o)
            chain.add(i.id(o));
        m_pointers[i.result.value] = storage;
        out.keep(std::move(chain));
    }

    void rewriteLength(const Instruction& i, Emitter& out)
    {
        const size_t payload = m_byBlock.at(i.id(0).value);
        out.keep(spirv::instruction(spv::Op::OpNodePayloadArrayLengthAMDX, i.type, i.result).add(handleOf(payload)));
    }

    void checkUses(const Instruction& i)
    {
        const bool isAtomic = spirv::opName(i.op).starts_with("OpAtomic");
        const bool plain =
            i.op == spv::Op::OpLoad || i.op == spv::Op::OpStore || i.op == spv::Op::OpCopyMemory || isAtomic;
        bool usesPayload = false;
        i.forEachUse([&](Id id) { usesPayload |= m_pointers.contains(id.value) || m_byBlock.contains(id.value); });
        if (usesPayload && !plain)
            fail("payloads cannot be used in this way (" + spirv::opName(i.op) + ")");
        if (usesPayload && isAtomic && m_pointers.at(i.id(0).value) == spv::StorageClass::Function)
            fail("atomic operations on a nodeout need that one allocation is in front of all of its uses");
        if (usesPayload && isAtomic && m_notes.payloadAtomic.empty())
            m_notes.payloadAtomic = m_place;
    }

    void rewritePlaceholder(const Instruction& i, Emitter& out)
    {
        switch (static_cast<Placeholder>(i.literal(1))) {
            case Placeholder::Allocate:
            case Placeholder::Enqueue:
            case Placeholder::IsValid:
                rewriteOutputPlaceholder(i, out);
                break;
            case Placeholder::FinishWriting:
                rewriteFinishWriting(i, out);
                break;
            case Placeholder::RemainingRecursion:
                rewriteBuiltIn(i, spv::BuiltIn::RemainingRecursionLevelsAMDX, out);
                break;
            case Placeholder::ShaderIndex:
                rewriteBuiltIn(i, spv::BuiltIn::ShaderIndexAMDX, out);
                break;
            case Placeholder::Attribute:
                break;
        }
    }

    void rewriteOutputPlaceholder(const Instruction& i, Emitter& out)
    {
        const size_t payload = named(i);
        if (payload >= m_payloads.size()) {
            fail("no such nodeout");
            return;
        }
        Handle& handle = m_handles[payload];
        if (isPlaceholder(i, Placeholder::Allocate)) {
            rewriteAllocate(i, m_payloads[payload], handle, out);
        } else if (isPlaceholder(i, Placeholder::Enqueue)) {
            out.emitVoid(spv::Op::OpEnqueueNodePayloadsAMDX, {handleOf(payload)});
        } else {
            if (!handle.proxy)
                handle.proxy = createVariable(m_payloads[payload], "Query");
            out.keep(
                spirv::instruction(spv::Op::OpIsNodePayloadValidAMDX, i.type, i.result).add(handle.proxy).add(i.id(3)));
        }
    }

    void rewriteAllocate(const Instruction& i, const Payload& payload, Handle& handle, Emitter& out)
    {
        const Id allocated =
            out.emit(spv::Op::OpAllocateNodePayloadsAMDX, payload.pointer, {i.id(3), i.id(4), i.id(5)});
        if (handle.direct) {
            handle.id = allocated;
            m_module.setName(allocated, payload.declared->source->name);
        } else {
            out.emitVoid(spv::Op::OpStore, {handle.id, out.emit(spv::Op::OpLoad, payload.array, {allocated})});
        }
    }

    void rewriteFinishWriting(const Instruction& i, Emitter& out)
    {
        const auto input = std::ranges::find_if(m_payloads, &Payload::isInput);
        if (input == m_payloads.end() || !input->declared->has(Attribute::FinishTracking)) {
            fail("finishWriting() needs an input with finish_tracking: layout(finish_tracking) nodein ...");
            return;
        }
        out.keep(spirv::instruction(spv::Op::OpFinishWritingNodePayloadAMDX, i.type, i.result).add(input->input));
    }

    void rewriteBuiltIn(const Instruction& i, spv::BuiltIn builtIn, Emitter& out)
    {
        Id& variable = m_builtIns[static_cast<uint32_t>(builtIn)];
        if (!variable) {
            const Id type = m_module.getPointerType(spv::StorageClass::Input, m_module.getIntType(32, false));
            variable = m_module.createVariable(type, spv::StorageClass::Input);
            const uint32_t value = static_cast<uint32_t>(builtIn);
            m_module.decorate(variable, spv::Decoration::BuiltIn, {&value, 1});
            changeInterface(m_module, {}, variable);
        }
        out.keep(spirv::instruction(spv::Op::OpLoad, i.type, i.result).add(variable));
    }

    void removeBlocks()
    {
        const auto isBlock = [&](Id id) { return m_byBlock.contains(id.value); };
        for (const auto& [block, payload] : m_byBlock)
            changeInterface(m_module, Id{block}, {});
        m_module.removeDecorations([&](const Instruction& i) { return isBlock(i.id(0)); });
        std::erase_if(m_module.section(Section::DebugNames),
                      [&](const Instruction& i) { return i.op == spv::Op::OpName && isBlock(i.id(0)); });
        std::erase_if(m_module.section(Section::Globals), [&](const Instruction& i) { return isBlock(i.result); });
        std::erase_if(m_module.section(Section::ExtInstImports),
                      [&](const Instruction& i) { return m_set && i.result == m_set; });
        std::erase_if(m_module.section(Section::DebugNames),
                      [&](const Instruction& i) { return i.op == spv::Op::OpName && m_set && i.id(0) == m_set; });
    }

    Module& m_module;
    const std::vector<Payload>& m_payloads;
    std::vector<Handle> m_handles;  // by payload
    Id m_set;
    std::unordered_map<uint32_t, size_t> m_byNumber;             // of the declaration
    std::unordered_map<uint32_t, size_t> m_byBlock;              // storage buffer variable
    std::unordered_map<uint32_t, spv::StorageClass> m_pointers;  // into payloads
    std::unordered_map<uint32_t, Id> m_builtIns;
    spirv::InstructionList m_variables;  // new ones of the function
    std::string m_place;                 // "FILE:LINE" of the instruction in progress
    std::string m_error;
    CodeNotes m_notes;
};

}  // namespace

Result<CodeNotes> completeCode(Module& module, const std::vector<Payload>& payloads)
{
    return CodeCompleter(module, payloads).run();
}

}  // namespace millrace::glsl
